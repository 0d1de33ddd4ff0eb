//! The elementary functions, from one portable library: the same bits on every machine.

/// Square root.
#[inline]
pub fn sqrt(x: f64) -> f64 {
    libm::sqrt(x)
}

/// Cube root.
#[inline]
pub fn cbrt(x: f64) -> f64 {
    libm::cbrt(x)
}

/// `x` to the power `y`.
#[inline]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Natural logarithm.
#[inline]
pub fn log(x: f64) -> f64 {
    libm::log(x)
}

/// `e` to the power `x`.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The largest whole number that is not above `x`.
#[inline]
pub fn floor(x: f64) -> f64 {
    libm::floor(x)
}

/// `x` without its fraction.
#[inline]
pub fn trunc(x: f64) -> f64 {
    libm::trunc(x)
}
