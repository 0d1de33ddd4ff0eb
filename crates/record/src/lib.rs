//! What a run leaves behind.

mod sample;
pub mod seed;
mod summary;

pub use sample::*;
pub use summary::*;
