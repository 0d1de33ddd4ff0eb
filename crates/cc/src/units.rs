//! Units.

/// A span of time or an instant, in seconds.
pub type Seconds = f64;

/// An amount of data, in full-sized segments. Windows may be fractional.
pub type Segments = f64;
