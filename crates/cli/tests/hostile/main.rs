//! What befalls a command: damaged and absurd scenarios, full disks, sudden ends, signals, other machines. A small part of it with
//! every test; `make hostile` sets `ANABRANCH_HOSTILE` to how many times as much, and runs one
//! test at a time: a process apart.

mod faults;
mod mutants;
mod same;
mod signals;

/// So many times as much as usual.
fn times() -> u64 {
    std::env::var("ANABRANCH_HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}
