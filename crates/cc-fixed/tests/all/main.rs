//! The integer arithmetic of the kernel beside the reference in `f64`, and at its limits.

mod book;
mod delay;
mod extremes;
mod fixed;
mod hystart;
mod idle;
mod linked;
mod lockstep;
mod logarithm;
mod roots;
mod together;
