//! Runs that are still to be made, as data: for those who make them elsewhere.

use super::cost::seconds;
use super::store::Kept;
use super::{Job, Simulations};
use crate::key::RunId;
use crate::task::{SIM, Task};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Simulator;
    use crate::{Backend, ScenarioFile, Setup, Store};
    use anabranch_record::NoSamples;

    #[test]
    fn what_is_not_kept_the_longest_first() {
        let text = r#"
            name = "one link"
            duration = "2 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "reno", paths = [["a"]] }]
        "#;
        let file = ScenarioFile { name: "a".into(), path: "a".into(), text: text.into() };
        let long = Setup::new("long", &file).set("duration", "9 s");
        let sampled = Setup::new("with samples", &file).set("duration", "5 s").sampled();
        let setups = [Setup::new("short", &file), sampled, long];
        let simulations = Simulations::of([("test", &setups[..])], 2).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), "v1").unwrap();
        let missing = simulations.missing(&store);
        let durations = |missing: &[Missing]| -> Vec<(f64, u64)> {
            let of = |missing: &Missing| {
                let task = simulations.task(*missing);
                (task.scenario("a").unwrap().duration.as_secs_f64(), task.seed_of_run())
            };
            missing.iter().map(of).collect()
        };
        assert_eq!(durations(&missing), [(9.0, 1), (9.0, 2), (2.0, 1), (2.0, 2)]);
        assert!(missing[0].seconds() > 4.0 * missing[2].seconds());
        let run = simulations.run_id(missing[1]);
        let summary = Simulator.run(&simulations.task(missing[1]), &mut NoSamples, &mut |_| true).unwrap();
        assert_eq!((run.scenario_hash, run.seed), (&*summary.scenario_hash, summary.seed));
        store.keep(store.claim(run).unwrap(), &summary);
        assert_eq!(durations(&simulations.missing(&store)), [(9.0, 1), (2.0, 1), (2.0, 2)]);
    }
}
