//! A model of everything that a transport may legally report to an algorithm.
//!
//! Bytes are decoded to a [`Plan`]: an algorithm of the registry, its parameters and a sequence of
//! events. [`check`] plays it and checks after each event the rules of every algorithm ([`Rule`]). Any
//! bytes are a plan, so a fuzzer can mutate them freely, and a test can draw them at random. The module
//! [`transport`] defines what is legal.
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
pub use plan::{Acks, Event, EventKind, Plan, Rtt};
pub use rules::{Rule, Violation};
pub use shrink::shrink;
