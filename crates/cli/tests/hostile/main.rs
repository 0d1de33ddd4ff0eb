//! Damaged and absurd scenarios, full disks, sudden ends, signals, other machines. A small sample with
//! every test; `make hostile` sets `ANABRANCH_HOSTILE` to a multiple of it, and runs one test at a time, each in its own process.

mod faults;
mod mutants;
mod same;
mod signals;

/// The multiple of the usual number.
fn times() -> u64 {
    std::env::var("ANABRANCH_HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}
