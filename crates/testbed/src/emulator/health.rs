//! The accuracy of the emulator's timing.

use anabranch_net::Time;
use anabranch_record::Histogram;
use std::time::Duration;

/// Measures of the links' fidelity to the scenario.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// Lateness of packets at their hosts.
    pub lateness: Histogram,
    /// The maximum lateness.
    pub latest: Time,
    /// CPU time of the emulator's thread, including the hosts' processing of its packets.
    pub cpu: Duration,
    /// The emulator's run time.
    pub wall: Duration,
    /// Whether its thread has real-time priority.
    pub realtime: bool,
    /// Packets that a host refused to take.
    pub refused: u64,
    /// Discarded packets of other traffic, such as IPv6.
    pub foreign: u64,
    /// The time within which packets may be read or delivered together.
    pub quantum: Time,
}

impl Health {
    /// The fraction of one CPU that the emulator took, 0 to 1.
    pub fn cpu_share(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64()
    }
}
