//! `anabranch compare`: a scenario with several algorithms over several seeds, which is a sweep of the algorithms alone.

mod page;

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{note, print, print_json};
use crate::progress::Progress;
use crate::{backend, input, interrupt, memory};
use anabranch_net::Time;
use anabranch_record::{Sink, Summary};
use anabranch_scenario::{Scenario, Source};
use anabranch_study::{
    Backend, Backends, Outcomes, ScenarioFile, Setup, Simulations, StudyError, Task, TaskError, Work, file,
    run_all,
};
use miette::miette;
use page::Comparison;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// `anabranch compare`.
pub fn compare(mut args: CompareArgs) -> Result<(), Failure> {
    args.cc = args.cc.iter().flat_map(|cc| file::parts(cc)).collect();
    args.scenario.linux_hosts(args.linux_hosts);
    let args = &args;
    let source = input::scenario(&args.scenario)?;
    let load = |cc: &String| input::load(&source, &args.scenario, std::slice::from_ref(cc));
    let scenarios = args.cc.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let total = scenarios.len() * args.seeds as usize;
    let threads = args.jobs.map_or_else(rayon::current_num_threads, |jobs| jobs as usize).min(total);
    let largest = scenarios.iter().max_by_key(|scenario| anabranch_sim::memory(scenario));
    largest.map_or(Ok(()), |scenario| memory::check(scenario, 0, threads, args.yes))?;
    scenarios.iter().try_for_each(|scenario| backend::accepts(args.backend, &source.name, scenario))?;
    backend::ready(args.backend)?;

    interrupt::listen()?;
    let Ran { summaries, failed } = simulate(args, &source, scenarios[0].seed, threads)?;
    let runs = in_order(&scenarios, summaries);
    let complete = runs.iter().filter(|(_, summary)| summary.partial_until_s.is_none()).count();
    if args.json {
        let all = runs.iter().map(|((cc, _), summary)| Run { cc: &args.cc[*cc], summary });
        print_json(&all.collect::<Vec<_>>())?;
    } else if complete > 0 {
        print(&Comparison::of(&args.cc, total, failed.len(), runs).page())?;
    }
    let left_out = format!("{} of {total} runs failed: the means are without", failed.len());
    match (failed.is_empty(), complete + failed.len() == total) {
        (true, true) => Ok(()),
        (false, true) => Err(Failure::Result(miette!(help = failed.join("\n"), "{left_out}"))),
        (_, false) => {
            failed.iter().for_each(|why| note(why));
            Err(Failure::Interrupted(miette!(
                "interrupted: {complete} of {total} runs were complete, the result is partial"
            )))
        }
    }
}

/// What came of the runs.
struct Ran {
    summaries: Vec<Summary>,
    /// Why there is nothing of the others that came to an end.
    failed: Vec<String>,
}

/// Every run, as far as it goes.
fn simulate(args: &CompareArgs, source: &Source, first_seed: u64, threads: usize) -> Result<Ran, Failure> {
    let setups: Vec<Setup> = args.cc.iter().map(|cc| setup(args, source, cc)).collect();
    let not_run = |e: StudyError| Failure::Input(miette!("{e}"));
    let simulations = Simulations::of([("compare", &setups[..])], 1).map_err(not_run)?;
    // Seed by seed, so that of an interrupted comparison the algorithms have the same seeds.
    let seeds = (0..u64::from(args.seeds)).map(|seed| first_seed.wrapping_add(seed));
    let work: Vec<_> = seeds.map(|seed| of_a_seed(simulations.clone().from_seed(seed))).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Failure::environment("cannot start threads", &e))?;
    let backend = Attentive { runs: args.backend.backend(), noticed: Mutex::default() };
    let mut ran = Ran { summaries: vec![], failed: vec![] };
    let bar = Progress::over_runs();
    let ended = pool.install(|| {
        let keep = &mut |of_seed: Ran| {
            ran.summaries.extend(of_seed.summaries);
            ran.failed.extend(of_seed.failed);
        };
        run_all(Backends(&[&backend]), &work, None, &|p| bar.show(p), &|| !interrupt::requested(), keep)
    });
    drop(bar);
    let Noticed { refused, partial } = backend.noticed.into_inner().unwrap_or_else(PoisonError::into_inner);
    match (refused, ended) {
        (Some(refused), _) => return Err(refused.into()),
        (None, Ok(()) | Err(StudyError::Interrupted)) => {}
        (None, Err(error)) => return Err(not_run(error)),
    }
    ran.summaries.extend(partial);
    Ok(ran)
}

/// The scenario with what the command line changes in it.
fn setup(args: &CompareArgs, source: &Source, cc: &str) -> Setup {
    let file = ScenarioFile {
        name: source.name.clone().into(),
        path: source.name.clone().into(),
        text: source.text.clone().into(),
    };
    let set = args.scenario.set.iter().filter_map(|assignment| assignment.split_once('='));
    let duration = args.scenario.duration.iter().map(|duration| ("duration", duration.as_str()));
    let plain = Setup::new(cc, &file).cc(cc).on(args.backend.backend());
    set.chain(duration).fold(plain, |setup, (key, value)| setup.set(key, value))
}

/// The complete runs of a seed, and those that failed.
fn of_a_seed(simulations: Simulations) -> Work<Ran> {
    let conclude = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
        let all = || outcomes.iter().flatten().flatten();
        Some(Ran {
            summaries: all().flatten().map(|outcome| outcome.summary.clone()).collect(),
            failed: all().filter_map(|outcome| outcome.as_ref().err().cloned()).collect(),
        })
    };
    Work { simulations, conclude: Box::new(conclude) }
}

/// A backend; what is told of runs that do not come to their end is kept.
struct Attentive {
    runs: &'static dyn Backend,
    noticed: Mutex<Noticed>,
}

#[derive(Default)]
struct Noticed {
    /// What the first says that cannot be run here at all.
    refused: Option<TaskError>,
    /// What there is of those that were interrupted.
    partial: Vec<Summary>,
}

impl Backend for Attentive {
    fn name(&self) -> &str {
        self.runs.name()
    }

    fn is_in_real_time(&self) -> bool {
        self.runs.is_in_real_time()
    }

    fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        self.runs.run(task, sink, keep_going).inspect_err(|error| {
            let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
            match error {
                TaskError::Interrupted { partial, .. } => noticed.partial.extend(partial.as_deref().cloned()),
                TaskError::Refused(_) => _ = noticed.refused.get_or_insert_with(|| error.clone()),
                TaskError::Failed(_) => {}
            }
        })
    }
}

/// Runs by algorithm and seed. One that is asked for twice was made once.
fn in_order(scenarios: &[Scenario], summaries: Vec<Summary>) -> Vec<((usize, u64), Summary)> {
    let mut runs = BTreeMap::new();
    for summary in summaries {
        for (cc, scenario) in scenarios.iter().enumerate() {
            if scenario.hash == summary.scenario_hash {
                runs.insert((cc, summary.seed.wrapping_sub(scenario.seed)), summary.clone());
            }
        }
    }
    runs.into_iter().collect()
}

/// An element of the JSON array.
#[derive(Serialize)]
struct Run<'a> {
    /// As it was given.
    cc: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
}

#[cfg(test)]
mod tests {
    use super::*;
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
            keep_going: &mut dyn FnMut(Time) -> bool,
        ) -> Result<Summary, TaskError> {
            let summary = Simulator.run(task, sink, keep_going)?;
            match (&*summary.flows[0].cc, summary.seed) {
                ("olia", 2) => Err(TaskError::Failed("no valid run in 3 attempts".into())),
                _ => Ok(summary),
            }
        }
    }

    /// What is valid is kept, and what is not has its name.
    #[test]
    fn a_run_that_failed_takes_no_other_with_it() {
        let text = r#"
            name = "two paths"
            duration = "2 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms", loss = { model = "bernoulli", rate = 1e-2 } }
            links.b = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "lia", paths = [["a"], ["b"]] }]
        "#;
        let file = ScenarioFile { name: "a".into(), path: "a".into(), text: text.into() };
        let cc = ["lia".to_owned(), "olia".to_owned()];
        let setups = cc.clone().map(|cc| Setup::new(&cc, &file).cc(&cc));
        let scenarios = setups.clone().map(|setup| setup.scenario().unwrap());
        let simulations = Simulations::of([("compare", &setups[..])], 1).unwrap();
        let work: Vec<_> = (1..=3).map(|seed| of_a_seed(simulations.clone().from_seed(seed))).collect();
        let (mut summaries, mut failed) = (vec![], vec![]);
        let keep = &mut |ran: Ran| {
            summaries.extend(ran.summaries);
            failed.extend(ran.failed);
        };
        run_all(Backends(&[&Failing]), &work, None, &|_| (), &|| true, keep).unwrap();
        assert_eq!(failed, ["olia, seed 2: no valid run in 3 attempts"]);
        let page = Comparison::of(&cc, 6, 1, in_order(&scenarios, summaries)).page();
        let said = "1 of 6 runs failed, and the means are without them: lia 3 seeds, olia 2 seeds";
        assert!(page.replace('\n', " ").contains(said), "{page}");
    }
}
