//! The simulator for a web page, with JSON questions and answers and a callback for samples.
//!
//! A run returns the bytes that `anabranch run --json` prints for the same scenario and seed. `browser.rs` has the functions
//! that the page calls.

#[cfg(target_family = "wasm")]
mod browser;
mod question;

pub use question::{Answer, advise, algorithms, describe, ideal, run};
