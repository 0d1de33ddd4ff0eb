//! Random choices of the hosts. Every backend draws the same numbers.

use crate::model::Scenario;
use anabranch_net::{Random, Time};

/// Seeds of the random processes of hosts.
const APPLICATION_SEED: u64 = 0x6170_706c_6963_6174;
const START_SEED: u64 = 0x7374_6172_7420_6f66;

impl Scenario {
    /// The scenario's seed and its successors, `count` in all.
    pub fn seeds(&self, count: u32) -> Result<Vec<u64>, String> {
        let each = (0..u64::from(count)).map(|n| self.seed.checked_add(n));
        each.collect::<Option<_>>().ok_or_else(|| {
            let (first, last) = (self.seed, u64::MAX);
            format!("{count} seeds from {first} on do not exist: the largest seed is {last}")
        })
    }

    /// When each connection opens: its flow's start plus the random offset.
    pub fn opening_times(&self, seed: u64) -> Vec<Time> {
        let mut random = Random::new(seed ^ START_SEED, 0);
        let mut open = |f: usize| {
            let offset = random.uniform() * self.start_offset(f).as_secs_f64();
            self.flows[f].start + Time::from_secs_f64(offset)
        };
        (0..self.flows.len()).map(&mut open).collect()
    }

    /// The random numbers of a flow's application.
    pub fn application_random(&self, seed: u64, flow: usize) -> Random {
        Random::new(seed ^ APPLICATION_SEED, flow as u64)
    }
}
