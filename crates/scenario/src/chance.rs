//! What a seed decides at the hosts. Every backend draws the same.

use crate::model::Scenario;
use anabranch_net::{Random, Time};

/// Random processes other than the links' own have streams of seeds of their own.
const APPLICATION_SEED: u64 = 0x6170_706c_6963_6174;
const START_SEED: u64 = 0x7374_6172_7420_6f66;

impl Scenario {
    /// When each connection opens: its flow's start and the random part of it.
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
