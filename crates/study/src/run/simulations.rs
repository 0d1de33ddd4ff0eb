//! The simulations of experiments, and their pending runs, which other processes can make.

use super::cost::{in_real_time, packets, seconds};
use super::store::{Claim, RunCache};
use crate::error::StudyError;
use crate::key::RunId;
use crate::outcome::Outcome;
use crate::setup::{Samples, Setup};
use crate::task::{Backends, SIM, Task, TaskError, trusted};
use anabranch_record::{KeepGoing, MemorySink, NoSamples, Sink};
use anabranch_scenario::Scenario;
use indexmap::IndexMap;
use std::sync::Arc;

/// The distinct simulations of several experiments.
#[derive(Clone)]
pub struct Simulations {
    pub(super) each: Vec<Simulation>,
    /// The simulation of each experiment's setups.
    pub of_setup: Vec<Vec<usize>>,
}

#[derive(Clone)]
pub(super) struct Simulation {
    /// The first experiment with it.
    pub experiment: String,
    /// With the most samples that an experiment needs.
    pub setup: Setup,
    pub task: Task,
    /// [`crate::Backend::packet_cost`].
    packet_cost: Option<f64>,
    pub scenario: Arc<Scenario>,
    pub seeds: u32,
    /// The seeds, if they are not 1, 2, ….
    listed: Option<Arc<[u64]>>,
}

impl Simulations {
    /// From experiments' setups, each with the experiment's identifier.
    ///
    /// # Errors
    /// [`StudyError::Scenario`] if a setup's scenario is invalid.
    pub fn of<'a>(
        experiments: impl IntoIterator<Item = (&'a str, &'a [Setup])>,
        seeds: u32,
    ) -> Result<Self, StudyError> {
        let mut each: IndexMap<(String, String), Simulation> = IndexMap::new();
        let mut of_setup = Vec::new();
        for (experiment, setups) in experiments {
            let mut indices = Vec::new();
            for setup in setups {
                let task = setup.task();
                let scenario = task.scenario(&setup.file.path);
                let scenario = scenario.map_err(|why| StudyError::of(experiment, setup, why))?;
                let known = each.entry((scenario.hash.clone(), task.backend().to_owned()));
                indices.push(known.index());
                let simulation = known.or_insert_with(|| Simulation {
                    experiment: experiment.into(),
                    setup: setup.clone(),
                    packet_cost: (task.backend() == SIM).then_some(1.0),
                    task,
                    scenario,
                    seeds: 0,
                    listed: None,
                });
                simulation.setup.samples = simulation.setup.samples.max(setup.samples);
                simulation.seeds = simulation.seeds.max(setup.seeds(seeds));
            }
            of_setup.push(indices);
        }
        Ok(Simulations { each: each.into_values().collect(), of_setup })
    }

    /// Takes identities and costs from these backends.
    ///
    /// # Errors
    /// Why a backend cannot run a simulation.
    pub fn on(mut self, backends: Backends<'_>) -> Result<Self, String> {
        for simulation in self.each.iter_mut().filter(|s| s.task.backend() != SIM && !s.is_measured()) {
            let refused = |why: &str| format!("{}, {}: {why}", simulation.experiment, simulation.setup.title);
            let backend =
                backends.find(simulation.task.backend()).map_err(|why| refused(&why.to_string()))?;
            if let Some(why) = backend.refuses(&simulation.scenario) {
                return Err(refused(&format!("`backend = \"{}\"` cannot run it: {why}", backend.name())));
            }
            simulation.setup.identity = backend.identity().into();
            simulation.packet_cost = backend.packet_cost();
        }
        Ok(self)
    }

    /// Whether a run of that backend is to be made.
    pub fn need(&self, backend: &str) -> bool {
        self.each.iter().any(|s| s.task.backend() == backend && !s.is_measured())
    }

    /// Uses these seeds; a simulation with fewer uses the first ones.
    pub fn on_seeds(mut self, seeds: &[u64]) -> Self {
        let listed: Arc<[u64]> = seeds.into();
        self.each.iter_mut().for_each(|simulation| simulation.listed = Some(listed.clone()));
        self
    }

    /// Keeps samples over time, at the scenario's interval, of every run.
    pub fn sampled(mut self) -> Self {
        self.each.iter_mut().for_each(|simulation| simulation.setup.samples = Samples::All);
        self
    }

    /// Stores the simulator's runs under another name than its own, since more was measured than the simulator does.
    pub fn identified(mut self, identity: &str) -> Self {
        let simulated = self.each.iter_mut().filter(|simulation| simulation.task.backend() == SIM);
        simulated.for_each(|simulation| simulation.setup.identity = identity.into());
        self
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.each.iter().map(|simulation| u64::from(simulation.seeds)).sum()
    }

    /// The number of runs that can be stored: those without samples.
    pub fn keepable(&self) -> u64 {
        let keepable =
            |s: &Simulation| (1..=s.seeds).filter(|seed| !s.setup.samples.of(*seed)).count() as u64;
        self.each.iter().map(keepable).sum()
    }

    pub(crate) fn scenario(&self, i: usize) -> &Scenario {
        &self.each[i].scenario
    }

    /// About how long all runs take on this machine's cores, in seconds: those in real time one after the other.
    pub fn seconds(&self) -> f64 {
        self.seconds_on(|_| true)
    }

    /// The same for the runs on some backends, chosen by name.
    pub fn seconds_on(&self, is_chosen: impl Fn(&str) -> bool) -> f64 {
        let made = self.each.iter().filter(|s| !s.is_measured() && is_chosen(s.task.backend()));
        let (mut runs, mut packets, mut real_s) = (0, 0.0, 0.0);
        for simulation in made {
            let seeds = f64::from(simulation.seeds);
            if simulation.packet_cost.is_some() {
                runs += simulation.seeds as usize;
                packets += simulation.cost() * seeds;
            } else {
                real_s += simulation.scenario.duration.as_secs_f64() * seeds;
            }
        }
        seconds(packets, rayon::current_num_threads().min(runs.max(1))) + real_s
    }

    /// Their scenarios.
    pub fn scenarios(&self) -> impl Iterator<Item = &Scenario> {
        self.each.iter().map(|simulation| &*simulation.scenario)
    }

    /// The number of runs that are `kept`.
    pub fn found(&self, kept: &dyn RunCache) -> u64 {
        let found =
            |s: &Simulation| (1..=s.seeds).filter(|seed| s.find(*seed, Some(kept)).is_some()).count() as u64;
        self.each.iter().map(found).sum()
    }

    /// All runs, the longest first.
    pub(super) fn all(&self) -> Vec<PendingRun> {
        let runs = self.each.iter().enumerate().flat_map(|(simulation, s)| {
            let cost = s.cost();
            (1..=s.seeds).map(move |seed| PendingRun { simulation, seed, cost })
        });
        let mut runs: Vec<PendingRun> = runs.collect();
        runs.sort_by(|a, b| b.cost.total_cmp(&a.cost));
        runs
    }

    /// The simulator's runs without samples that are not in `kept`, the longest first.
    pub fn missing(&self, kept: &dyn RunCache) -> Vec<PendingRun> {
        let missing = |run: &PendingRun| {
            let s = &self.each[run.simulation];
            s.task.backend() == SIM && !s.setup.samples.of(run.seed) && s.find(run.seed, Some(kept)).is_none()
        };
        self.all().into_iter().filter(missing).collect()
    }

    /// The backend and task of a run.
    pub fn task(&self, run: PendingRun) -> Task {
        let simulation = &self.each[run.simulation];
        simulation.task.clone().seed(simulation.seed(run.seed))
    }

    /// The run's identity.
    pub fn run_id(&self, run: PendingRun) -> RunId<'_> {
        self.each[run.simulation].id(run.seed)
    }
}

/// A run of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PendingRun {
    pub(super) simulation: usize,
    /// Counted from 1.
    pub(super) seed: u32,
    /// In packets that links carry.
    pub(super) cost: f64,
}

impl PendingRun {
    /// About how long it takes on a core, in seconds.
    pub fn seconds(&self) -> f64 {
        seconds(self.cost, 1)
    }
}

impl Simulation {
    fn is_measured(&self) -> bool {
        self.setup.measured.is_some()
    }

    pub fn cost(&self) -> f64 {
        match self.packet_cost {
            Some(packet) => packet * packets(&self.scenario),
            None if self.is_measured() => 0.0,
            None => in_real_time(&self.scenario),
        }
    }

    /// The `n`-th seed, counted from 1.
    pub fn seed(&self, n: u32) -> u64 {
        let listed = self.listed.as_ref().and_then(|listed| listed.get(n as usize - 1));
        listed.copied().unwrap_or(u64::from(n))
    }

    fn id(&self, seed: u32) -> RunId<'_> {
        let backend = &*self.setup.identity;
        RunId { scenario_hash: &self.scenario.hash, seed: self.seed(seed), backend }
    }

    /// The measured or stored outcome, if any.
    pub fn find(&self, seed: u32, kept: Option<&dyn RunCache>) -> Option<Outcome> {
        let summary = match &self.setup.measured {
            Some(runs) => runs.get(seed as usize - 1)?.summary.clone(),
            None if self.setup.samples.of(seed) => return None,
            None => kept?.find(self.id(seed))?,
        };
        Some(Outcome { summary, samples: MemorySink::new(), scenario: Arc::clone(&self.scenario) })
    }

    /// Makes the run; `None` if another process is making it.
    pub fn run(
        &self,
        seed: u32,
        kept: Option<&dyn RunCache>,
        backends: Backends<'_>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Option<Outcome>, TaskError> {
        let sampled = self.setup.samples.of(seed);
        let kept = kept.filter(|_| !sampled);
        let mut claim = Claim::default();
        if let Some(kept) = kept {
            // Another process may have begun or ended the run since the last check.
            if let Some(outcome) = self.find(seed, Some(kept)) {
                return Ok(Some(outcome));
            }
            match kept.claim(self.id(seed)) {
                Some(ours) => claim = ours,
                None => return Ok(None),
            }
            if let Some(outcome) = self.find(seed, Some(kept)) {
                return Ok(Some(outcome));
            }
        }
        let mut samples = MemorySink::new();
        let sink: &mut dyn Sink = if sampled { &mut samples } else { &mut NoSamples };
        let summary = trusted(backends.run(&self.task.clone().seed(self.seed(seed)), sink, keep_going)?)?;
        if let Some(kept) = kept {
            kept.keep(claim, &summary);
        }
        Ok(Some(Outcome { summary, samples, scenario: Arc::clone(&self.scenario) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{ONE_LINK, Simulator};
    use crate::{Backend, ScenarioFile, Setup, Store};

    #[test]
    fn what_is_not_kept_the_longest_first() {
        let file = ScenarioFile::named("a", ONE_LINK);
        let long = Setup::new("long", &file).set("duration", "9 s");
        let sampled = Setup::new("with samples", &file).set("duration", "5 s");
        let sampled = Setup { samples: Samples::All, ..sampled };
        let setups = [Setup::new("short", &file), sampled, long];
        let simulations = Simulations::of([("test", &setups[..])], 2).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path(), "v1").unwrap();
        let missing = simulations.missing(&store);
        let durations = |missing: &[PendingRun]| -> Vec<(f64, u64)> {
            let of = |missing: &PendingRun| {
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
