//! When transfers of a flow arrive, and how large they are: drawn in turn from one stream of random numbers, so that neither depends
//! on what becomes of them.

use anabranch_net::{Random, Time};
use anabranch_scenario::{Application, Draw};

/// The longest time between arrivals: beyond any run, and sums of it fit [`Time`].
const LONGEST_S: f64 = 1e9;

#[derive(Clone, Debug)]
pub(crate) struct Arrivals {
    size: Draw,
    interval: Draw,
    random: Random,
    /// How many are to come.
    left: u64,
}

impl Arrivals {
    /// Of an application that has them.
    pub(crate) fn of(application: &Application, random: Random) -> Option<Arrivals> {
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

    /// The time until the next; none behind the last.
    pub(crate) fn interval(&mut self) -> Option<Time> {
        self.left = self.left.checked_sub(1)?;
        Some(Time::from_secs_f64(self.interval.sample(&mut self.random).min(LONGEST_S)))
    }

    /// The size of the one that has arrived, in bytes.
    pub(crate) fn bytes(&mut self) -> u64 {
        self.size.sample_bytes(&mut self.random)
    }

    /// No more are to come.
    pub(crate) fn stop(&mut self) {
        self.left = 0;
    }
}
