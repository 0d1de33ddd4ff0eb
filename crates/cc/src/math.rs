//! The elementary functions, from one portable library: the same bits on every machine.

pub use libm::{cbrt, ceil, exp, floor, log, pow, sqrt, trunc};
