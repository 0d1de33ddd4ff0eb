//! Arrival times and sizes of a flow's transfers. Both come from one stream of random numbers, independent of the simulation.

use anabranch_net::{Random, Time};
use anabranch_scenario::{Application, Draw};

/// The longest time between arrivals; sums of it fit [`Time`].
const LONGEST_S: f64 = 1e9;

/// The arrivals of a flow.
#[derive(Clone, Debug)]
pub struct Arrivals {
    size: Draw,
    interval: Draw,
    random: Random,
    /// The number of further arrivals.
    left: u64,
}

impl Arrivals {
    /// The arrivals of an application, if it has any.
    pub fn of(application: &Application, random: Random) -> Option<Arrivals> {
        match application {
            Application::Arrivals { size, interval, count, .. } => Some(Arrivals {
                size: size.clone(),
                interval: interval.clone(),
                random,
                left: count.unwrap_or(u64::MAX),
            }),
            _ => None,
        }
    }

    /// The time until the next arrival; `None` after the last one.
    pub fn interval(&mut self) -> Option<Time> {
        self.left = self.left.checked_sub(1)?;
        Some(Time::from_secs_f64(self.interval.sample(&mut self.random).min(LONGEST_S)))
    }

    /// The size of the transfer that has arrived, in bytes.
    pub fn bytes(&mut self) -> u64 {
        self.size.sample_bytes(&mut self.random)
    }

    /// Stops the arrivals.
    pub fn stop(&mut self) {
        self.left = 0;
    }
}
