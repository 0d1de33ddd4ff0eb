//! Networks for tests with real traffic: namespaces, links with a bottleneck, and what is sent over them.
//! Everything is in namespaces of our own, which go with the test, and no name of which another test has.
#![allow(dead_code, missing_docs)]

pub mod algorithm;
pub mod iperf;
pub mod lab;
pub mod mptcp;
pub mod ss;
pub mod summary;

/// What the tests run, beside the kernel.
pub const TOOLS: &[&str] = &["ip", "tc", "ss", "iperf3", "mptcpize", "curl"];

/// Waits until it is so, ten seconds at most.
pub fn until(mut so: impl FnMut() -> bool, what: &str) {
    within(std::time::Duration::from_secs(10), &mut so, what);
}

/// Waits until it is so.
pub fn within(limit: std::time::Duration, mut so: impl FnMut() -> bool, what: &str) {
    let start = std::time::Instant::now();
    while !so() {
        assert!(start.elapsed() < limit, "in {limit:?} not so: {what}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
