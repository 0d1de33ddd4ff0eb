//! What a run leaves behind.

mod histogram;
mod jain;
mod sample;
pub mod seed;
mod summary;

pub use histogram::Histogram;
pub use jain::jain;
pub use sample::*;
pub use summary::*;
