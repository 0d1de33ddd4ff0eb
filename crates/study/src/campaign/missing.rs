//! Runs that are still to be made, as data: for those who make them elsewhere.

use super::{Job, Simulations};
use crate::cost::seconds;
use crate::task::SIM;
use crate::{Kept, RunId, Task};

/// A run of the simulator that is not kept yet, though it may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Missing(Job);

impl Missing {
    /// About how long it takes on a core, in seconds.
    pub fn seconds(&self) -> f64 {
        seconds(self.0.cost, 1)
    }
}

impl Simulations {
    /// The simulator's runs that are not `kept`, without those of which samples are asked for: they are not kept. The longest
    /// come first.
    pub fn missing(&self, kept: &dyn Kept) -> Vec<Missing> {
        let simulated = self.each.iter().enumerate().filter(|(_, s)| s.task.backend() == SIM);
        let jobs = simulated.flat_map(|(simulation, s)| {
            let missing = move |seed: &u32| !s.samples.of(*seed) && s.find(*seed, kept).is_none();
            let cost = s.cost();
            (1..=s.seeds).filter(missing).map(move |seed| Missing(Job { work: 0, simulation, seed, cost }))
        });
        let mut jobs: Vec<Missing> = jobs.collect();
        jobs.sort_by(|a, b| b.0.cost.total_cmp(&a.0.cost));
        jobs
    }

    /// What makes one of these.
    pub fn task(&self, Missing(job): Missing) -> Task {
        let simulation = &self.each[job.simulation];
        simulation.task.clone().seed(simulation.seed(job.seed))
    }

    /// Which run that is.
    pub fn run_id(&self, Missing(job): Missing) -> RunId<'_> {
        self.each[job.simulation].id(job.seed)
    }
}
