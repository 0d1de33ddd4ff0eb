//! Helpers that tests and benchmarks of several crates share: the command, the running kernel with the project's algorithms,
//! networks of namespaces, hosts of the testbed, and a witness of how much the machine's processors stood still. Not published.
#![allow(missing_docs)]

pub mod algorithm;
pub mod command;
pub mod host;
pub mod iperf;
pub mod kernel;
pub mod lab;
pub mod mptcp;
pub mod namespace;
pub mod programs;
pub mod simulated;
pub mod ss;
pub mod summary;
pub mod watched;
pub mod witness;

pub use anabranch_testbed::counter;
pub use kernel::{Kernel, becomes, is_listed, reno, reno_instance, skipped, until};
pub use lab::TOOLS;
