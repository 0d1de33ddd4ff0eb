//! What a seed decides at the hosts. Every backend draws the same.

use crate::model::{Draw, Scenario};
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

impl Draw {
    /// A number of the distribution; never negative. The functions are the same on every platform.
    pub fn sample(self, random: &mut Random) -> f64 {
        let x = match self {
            Draw::Constant(x) => x,
            Draw::Uniform(low, high) => low + random.uniform() * (high - low),
            Draw::Exponential(mean) => random.exponential(mean),
            Draw::Pareto { mean, shape } => {
                let scale = mean * (shape - 1.0) / shape;
                scale / libm::pow(1.0 - random.uniform(), 1.0 / shape)
            }
            Draw::LogNormal { median, sigma } => {
                // Box and Muller.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.uniform()));
                let normal = radius * libm::cos(std::f64::consts::TAU * random.uniform());
                median * libm::exp(sigma * normal)
            }
        };
        x.max(0.0)
    }
}
