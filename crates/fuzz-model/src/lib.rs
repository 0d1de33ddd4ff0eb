//! A model of everything that a transport may legally report to an algorithm.
//!
//! Bytes are decoded to a [`Plan`]: an algorithm of the registry, its parameters and a sequence of
//! events. [`check`] plays it and tests after each event what holds for every algorithm ([`Rule`]). Any
//! bytes are a plan, so a fuzzer can mutate them freely, and a test can draw them at random. What is
//! legal is said in one place, [`transport`].
//!
//! ```
//! use anabranch_fuzz_model::{Plan, check};
//!
//! let plan = Plan::decode(&[3; 200]);
//! assert!(check(&plan).is_ok(), "{plan}");
//! ```

mod bytes;
mod check;
mod plan;
mod rules;
mod shrink;
pub mod transport;

pub use check::{Failure, check};
pub use plan::{Acks, Event, Plan, Rtt, What};
pub use rules::{Broken, Rule};
pub use shrink::shrink;
