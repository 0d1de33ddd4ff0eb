//! Runs a scenario with several algorithms over several seeds.

use crate::error::input_error;
use crate::scenario::distinct_warnings;
use crate::{Error, Runner, SIM, Scenario, Watch, check_memory};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_study::{
    Backend, Backends, Outcome, Outcomes, Setup, Simulations, StudyError, Task, TaskError, Work,
};
use miette::miette;
use std::sync::{Mutex, PoisonError};

/// A scenario, algorithms and seeds to compare.
pub struct Comparison {
    /// The scenario with each algorithm.
    scenarios: Vec<Scenario>,
    seeds: Vec<u64>,
    runner: &'static Runner,
}

/// The outcome of a comparison.
#[derive(Debug)]
pub struct Compared {
    /// The number of planned runs.
    pub total: usize,
    /// Of each algorithm the runs that ended or were cancelled, by seed. An algorithm that is given twice runs once.
    pub runs: Vec<Vec<Summary>>,
    /// The reasons of the runs that failed.
    pub failed: Vec<String>,
}

impl Comparison {
    /// Compares these algorithms, each in place of the one of the multipath flows or of the named flow. The seeds start at
    /// the scenario's own. With `lax`, runs may need more than 4 GB of memory.
    pub fn new(
        scenario: &Scenario,
        cc: &[String],
        seeds: u32,
        runner: &'static Runner,
        lax: bool,
    ) -> Result<Self, Error> {
        let scenarios = cc.iter().map(|cc| scenario.with_cc(cc)).collect::<Result<Vec<_>, _>>()?;
        Comparison::of(scenarios, seeds, runner, lax)
    }

    /// Compares any variants of a scenario; see [`Comparison::new`].
    pub(crate) fn of(
        scenarios: Vec<Scenario>,
        seeds: u32,
        runner: &'static Runner,
        lax: bool,
    ) -> Result<Self, Error> {
        if !lax {
            let at_a_time = rayon::current_num_threads().min(scenarios.len() * seeds as usize);
            check_memory(scenarios.iter().map(|scenario| &**scenario), 0, at_a_time)?;
        }
        scenarios.iter().try_for_each(|scenario| runner.accepts(scenario))?;
        let seeds = scenarios.first().map_or(Ok(vec![]), |scenario| scenario.seeds(seeds));
        let seeds = seeds.map_err(|why| input_error(why, None))?;
        Ok(Comparison { scenarios, seeds, runner })
    }

    /// What is valid in the scenarios, and probably not meant.
    pub fn warnings(&self) -> Vec<String> {
        distinct_warnings(self.scenarios.iter().map(|scenario| &**scenario))
    }

    /// Executes every run until it ends or is cancelled.
    pub fn run(&self, watch: &Watch<'_>) -> Result<Compared, Error> {
        let setup = |scenario: &Scenario| scenario.setup().on(self.runner.backend);
        let setups: Vec<Setup> = self.scenarios.iter().map(setup).collect();
        let simulations = Simulations::of([("compare", &setups[..])], 1)?;
        // Seed by seed, so that an interrupted comparison has the same seeds for each algorithm.
        let on = |seed: &u64| runs_of_seed(simulations.clone().on_seeds(&[*seed]));
        let work: Vec<_> = self.seeds.iter().map(on).collect();
        let backend = RecordingBackend { runs: self.runner.backend, errors: Mutex::default() };
        let (mut summaries, mut failed) = (vec![], vec![]);
        let ended = watch.run_all(Backends(&[&backend]), &work, None, &mut |of_seed| {
            for run in of_seed {
                run.map_or_else(|why| failed.push(why), |summary| summaries.push(summary));
            }
        });
        for error in backend.errors.into_inner().unwrap_or_else(PoisonError::into_inner) {
            match error {
                TaskError::Refused(_) => return Err(error.into()),
                TaskError::Interrupted { partial, .. } => summaries.extend(partial.map(|summary| *summary)),
                TaskError::Failed(_) => {}
            }
        }
        if let Err(error) = ended
            && !matches!(error, StudyError::Interrupted)
        {
            return Err(error.into());
        }
        let total = self.scenarios.len() * self.seeds.len();
        Ok(Compared { total, runs: self.in_order(&summaries), failed })
    }

    fn in_order(&self, summaries: &[Summary]) -> Vec<Vec<Summary>> {
        let of = |scenario: &Scenario| {
            let own = summaries.iter().filter(|summary| summary.scenario_hash == scenario.hash);
            let mut own: Vec<Summary> = own.cloned().collect();
            own.sort_by_key(|summary| summary.seed);
            own
        };
        self.scenarios.iter().map(of).collect()
    }
}

impl Compared {
    /// The number of runs that ended.
    pub fn complete(&self) -> usize {
        self.runs.iter().flatten().filter(|summary| summary.partial_until_s.is_none()).count()
    }

    /// Returns an error if a run failed or was cancelled.
    pub fn check(&self, note: fn(&str)) -> Result<(), Error> {
        let (total, complete, failed) = (self.total, self.complete(), self.failed.len());
        if complete + failed < total {
            self.failed.iter().for_each(|why| note(why));
            let what = "runs were complete, the result is partial";
            return Err(Error::Interrupted(miette!("interrupted: {complete} of {total} {what}")));
        }
        let why = miette!(
            help = self.failed.join("\n"),
            "{failed} of {total} runs failed: the means leave them out"
        );
        if failed == 0 { Ok(()) } else { Err(Error::Result(why)) }
    }
}

/// Compares algorithms on the simulator, on all cores: see [`Comparison`].
pub fn compare(scenario: &Scenario, cc: &[&str], seeds: u32, watch: &Watch<'_>) -> Result<Compared, Error> {
    let cc: Vec<String> = cc.iter().map(|cc| (*cc).to_owned()).collect();
    Comparison::new(scenario, &cc, seeds, &SIM, false)?.run(watch)
}

/// The runs of a seed, each with its summary or the reason of its failure.
fn runs_of_seed(simulations: Simulations) -> Work<Vec<Result<Summary, String>>> {
    let conclude = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
        let all = outcomes.iter().flatten().flat_map(|outcomes| outcomes.iter());
        let summary =
            |run: &Result<Outcome, String>| run.as_ref().map(|run| run.summary.clone()).map_err(Clone::clone);
        Some(all.map(summary).collect())
    };
    Work { simulations, conclude: Box::new(conclude) }
}

/// A backend that keeps the errors of runs that do not end.
struct RecordingBackend {
    runs: &'static dyn Backend,
    errors: Mutex<Vec<TaskError>>,
}

impl Backend for RecordingBackend {
    fn name(&self) -> &str {
        self.runs.name()
    }

    fn is_in_real_time(&self) -> bool {
        self.runs.is_in_real_time()
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        self.runs.run(task, sink, keep_going).inspect_err(|error| {
            self.errors.lock().unwrap_or_else(PoisonError::into_inner).push(error.clone());
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Changes;
    use anabranch_papers::Simulator;

    /// The simulator, of which OLIA's second seed fails.
    struct Failing;

    impl Backend for Failing {
        fn name(&self) -> &str {
            "sim"
        }

        fn run(
            &self,
            task: &Task,
            sink: &mut dyn Sink,
            keep_going: KeepGoing<'_>,
        ) -> Result<Summary, TaskError> {
            let summary = Simulator.run(task, sink, keep_going)?;
            match (&*summary.flows[0].cc, summary.seed) {
                ("olia", 2) => Err(TaskError::Failed("no valid run in 3 attempts".into())),
                _ => Ok(summary),
            }
        }
    }

    /// Valid runs are kept, and the others are named.
    #[test]
    fn a_failed_run_does_not_affect_others() {
        let text = r#"
            name = "two paths"
            duration = "2 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms", loss = { model = "bernoulli", rate = 1e-2 } }
            links.b = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "lia", paths = [["a"], ["b"]] }]
        "#;
        static FAILING: Runner = Runner::of(&Failing);
        let scenario = Scenario::of_text("a", text, Changes::default()).unwrap();
        let cc = ["lia".to_owned(), "olia".to_owned()];
        let comparison = Comparison::new(&scenario, &cc, 3, &FAILING, false).unwrap();
        let compared = comparison.run(&Watch::default()).unwrap();
        assert_eq!(compared.failed, ["olia, seed 2: no valid run in 3 attempts"]);
        let seeds = |runs: &Vec<Summary>| runs.iter().map(|run| run.seed).collect::<Vec<_>>();
        let seeds: Vec<_> = compared.runs.iter().map(seeds).collect();
        assert_eq!((compared.total, seeds), (6, vec![vec![1, 2, 3], vec![1, 3]]));
        assert!(matches!(compared.check(|_| ()), Err(Error::Result(_))));
    }
}
