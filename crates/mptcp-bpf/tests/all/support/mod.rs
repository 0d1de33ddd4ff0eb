//! Networks for tests with real traffic: namespaces, links with a bottleneck, and what is sent over them.
//! Everything is in namespaces of our own, which go with the test, and no name of which another test has.
#![allow(dead_code, missing_docs)]

pub use crate::common::until;

pub mod algorithm;
pub mod delay;
pub mod iperf;
pub mod lab;
pub mod mptcp;
pub mod simulated;
pub mod ss;
pub mod summary;
pub mod watched;

/// What the tests run, beside the kernel.
pub const TOOLS: &[&str] = &["ip", "tc", "ss", "iperf3", "mptcpize", "curl"];
