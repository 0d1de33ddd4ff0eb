//! How well the emulator kept time.

use anabranch_net::Time;
use anabranch_record::Histogram;
use std::time::Duration;

/// Measures of whether the links behaved as in the scenario.
#[derive(Clone, Debug, Default)]
pub struct Health {
    /// How much later than due packets were given to their hosts.
    pub lateness: Histogram,
    /// The most of it.
    pub latest: Time,
    /// The most packets that were due at once and not yet given to their hosts.
    pub most_overdue: usize,
    /// Processor time of the emulator's thread, the hosts' work on the packets that it gives them included.
    pub cpu: Duration,
    /// How long the emulator has run.
    pub wall: Duration,
    /// Whether its thread has real-time priority.
    pub realtime: bool,
    /// Packets that a host refused to take.
    pub refused: u64,
    /// Packets that are not of the traffic, such as those of IPv6, which go nowhere.
    pub foreign: u64,
    /// How often the thread slept.
    pub sleeps: u64,
}

impl Health {
    /// The share of one processor that the emulator took, 0 to 1.
    pub fn cpu_share(&self) -> f64 {
        self.cpu.as_secs_f64() / self.wall.as_secs_f64()
    }
}
