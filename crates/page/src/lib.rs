//! The simulator for a web page: texts in, texts out, and samples as they come.
//!
//! A run gives the bytes that `anabranch run --json` prints for the same scenario and seed. `browser.rs` has what a page calls.

#[cfg(target_family = "wasm")]
mod browser;
mod question;

pub use question::{Answer, algorithms, describe, ideal, run};
