//! Studies and standard cases: run together, judged, kept in a folder of results and reported.

use crate::error::{counted, told};
use crate::scenario::check_memory;
use crate::study::{check_failed, extent, failed};
use crate::{Error, On, Progress, Watch, backends, earlier, store};
use anabranch_cc::registry::Entry;
use anabranch_papers::standard::{self, AlgorithmResult};
use anabranch_record::output::{Notify, OutputError};
use anabranch_report::FolderError;
use anabranch_study::{
    Kind, Options, Results, RunCache, SimulationRuns, Simulations, Store, Study, StudyError, StudyResult,
    Work, run_all, tidy,
};
use miette::miette;
use std::path::PathBuf;
use std::sync::Arc;

/// What takes longer, in seconds, is asked for.
const LONG_S: f64 = 3600.0;
/// And what has more runs.
const MANY: u64 = 100_000;

/// What a piece of the work gave.
pub enum Finished {
    /// A paper or a study; and of a study its runs.
    Study(Box<StudyResult>, Vec<SimulationRuns>),
    /// An algorithm's standard cases.
    Algorithm(AlgorithmResult),
}

/// Studies and algorithms, to be run in one queue.
pub struct Campaign {
    kind: Kind,
    studies: Vec<Arc<Study>>,
    algorithms: Vec<&'static Entry>,
    options: Options,
    on: &'static On,
    work: Vec<Work<Finished>>,
}

/// Where a campaign leaves what it gives.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The folder of results.
    pub out: PathBuf,
    /// What repeats the campaign, for the report.
    pub command: String,
    /// Where runs are kept meanwhile; nowhere if none.
    pub store: Option<PathBuf>,
    /// Whether runs are dropped from there when all is done.
    pub drop_runs: bool,
    /// Whether results that were made otherwise are replaced.
    pub replace: bool,
    /// The page that simulates, for the report.
    pub laboratory: Option<String>,
    /// Whether the report is written anew after each study, marked as provisional.
    pub provisional: bool,
}

/// What came of a campaign.
pub struct Ran {
    /// The algorithms' results.
    pub algorithms: Vec<AlgorithmResult>,
    results: Results,
    command: String,
    laboratory: Option<String>,
    /// What failed of studies: see [`failed`].
    failed: Vec<String>,
}

impl Campaign {
    /// Studies of a kind, of those that are no papers with their runs. With several it is enough that one has the experiment that is
    /// asked for.
    pub fn new(kind: Kind, studies: &[Arc<Study>], options: Options, on: &'static On) -> Result<Self, Error> {
        let (mut work, mut these, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for study in studies {
            let found = match kind {
                Kind::Study => anabranch_study::work_with_runs(study, &options),
                _ => anabranch_study::work(study, &options).map(|work| work.map(|result| (result, vec![]))),
            };
            match found {
                Ok(one) => {
                    work.push(one.map(|(result, taken)| Finished::Study(Box::new(result), taken)));
                    these.push(study.clone());
                }
                Err(error @ StudyError::NoExperiment { .. }) => without.push(error.to_string()),
                Err(error) => return Err(error.into()),
            }
        }
        if work.is_empty() && !without.is_empty() {
            return Err(Error::Input(miette!("{}", without.join("\n"))));
        }
        Ok(Campaign { kind, studies: these, algorithms: vec![], options, on, work })
    }

    /// The same, with algorithms in the standard cases after it, on the simulator.
    pub fn with_algorithms(mut self, algorithms: &[&'static Entry]) -> Result<Self, Error> {
        for entry in algorithms {
            let work = standard::work(entry, self.options.size, self.options.seeds)
                .map_err(|error| Error::Result(miette!("{}: {error}", entry.name)))?;
            self.work.push(work.map(Finished::Algorithm));
            self.algorithms.push(entry);
        }
        Ok(self)
    }

    /// What is to be simulated, of each study and algorithm.
    pub fn simulations(&self) -> impl Iterator<Item = &Simulations> {
        self.work.iter().map(|work| &work.simulations)
    }

    /// Refuses what no scenario of it can be run for, and where not `lax` what takes long or much: of papers only what takes long in
    /// real time. `threads` make runs at a time; where it is none, that many machines do, and nobody knows how long it takes.
    pub fn check(&self, threads: Option<usize>, lax: bool) -> Result<(), Error> {
        self.on.accepts_any(self.simulations().flat_map(Simulations::scenarios))?;
        if lax {
            return Ok(());
        }
        if self.kind != Kind::Study {
            let real_s: f64 = self.simulations().map(Simulations::seconds_in_real_time).sum();
            let less = "say --yes, or ask for less: --quick, one paper, --only one experiment, fewer seeds";
            let long = || format!("that takes {:.1} hours on the kernel", real_s / 3600.0);
            return if real_s > LONG_S { Err(told(long(), Some(less))) } else { Ok(()) };
        }
        for (study, simulations) in self.studies.iter().zip(self.simulations()) {
            let runs = usize::try_from(simulations.runs()).unwrap_or(usize::MAX);
            let largest = simulations.scenarios().max_by_key(|scenario| anabranch_sim::memory(scenario));
            if let Some(scenario) = largest {
                check_memory(scenario, 0, threads.map_or(1, |threads| threads.min(runs)))?;
            }
            if threads.is_some() && simulations.seconds() > LONG_S || simulations.runs() > MANY {
                let less = "say --yes, or ask for less: --quick, fewer seeds, fewer values";
                return Err(told(format!("{} has {}", study.name, extent(simulations)), Some(less)));
            }
        }
        Ok(())
    }

    /// Refuses to replace results that were made otherwise.
    pub fn check_earlier(&self, results: &Results, replace: bool) -> Result<(), Error> {
        let mut there = vec![];
        for study in &self.studies {
            there.extend(results.conflicting_result(self.kind, study, &self.options)?);
        }
        for entry in &self.algorithms {
            let former: Option<AlgorithmResult> = results.load(Kind::Algorithm, entry.name)?;
            let other = former.filter(|r| !r.is_made_with(self.options.size, self.options.seeds));
            there.extend(
                other.map(|former| format!("{}: the standard cases ({})", entry.name, made(&former))),
            );
        }
        earlier::check_results(&there, replace)
    }

    /// Runs it and keeps each result as soon as it is there; `show` is given it before. One that cannot be kept is no reason to lose
    /// those after it.
    pub fn run(
        self,
        place: Place,
        watch: &Watch<'_>,
        show: &mut (dyn FnMut(&Finished) + Send),
    ) -> Result<Ran, Error> {
        let results = Results::open(&place.out, watch.note)?;
        self.check_earlier(&results, place.replace)?;
        let runs = place.store.as_deref().and_then(|folder| store::open(folder, watch.note));
        let kept = runs.as_ref().map(|runs| runs as &dyn RunCache);
        let Place { command, laboratory, provisional, .. } = place;
        let mut ran = Ran { algorithms: vec![], results, command, laboratory, failed: vec![] };
        let (mut complete, mut partial, mut not_kept) = (0, String::new(), None);
        let progress = |p: anabranch_study::Progress<'_>| (watch.progress)(Progress::Runs(p));
        let mut keep = |mut finished: Finished| {
            if let (Kind::Study, Finished::Study(result, _)) = (self.kind, &mut finished) {
                result.command = Some(ran.command.clone());
            }
            show(&finished);
            let refresh = provisional && matches!(finished, Finished::Study(..));
            match &finished {
                Finished::Study(result, _) if result.partial => {
                    partial += &format!(", {} in part", result.name)
                }
                Finished::Study(..) => complete += 1,
                Finished::Algorithm(_) => {}
            }
            let kept = ran.keep(finished, &self, watch.note);
            let reported = if refresh { ran.write_report(true).map(drop) } else { Ok(()) };
            if let Err(why) = kept.and(reported) {
                not_kept.get_or_insert(why);
            }
        };
        let keep_going = || !watch.cancel.is_cancelled();
        let ended = run_all(backends(), &self.work, kept, &progress, &keep_going, &mut keep);
        let (found, kept) = runs.as_ref().map_or((0, 0), |runs| (runs.found(), runs.kept()));
        if found > 0 {
            (watch.note)(&format!("{} of an earlier command taken over", counted(found, "run")));
        }
        not_kept.map_or(Ok(()), Err)?;
        match ended {
            Ok(()) if place.drop_runs => runs.iter().for_each(Store::remove_used),
            Ok(()) => {}
            Err(StudyError::Interrupted) => {
                let goes_on = if found + kept > 0 { "; the same command goes on from here" } else { "" };
                let folder = ran.results.folder(Kind::Paper);
                return Err(Error::Interrupted(match self.kind {
                    Kind::Study => miette!("interrupted: the report is as it was{goes_on}"),
                    Kind::Paper => miette!(
                        "interrupted: {} complete{partial} in {}, the report is as it was{goes_on}",
                        counted(complete, "paper"),
                        folder.display()
                    ),
                    Kind::Algorithm => miette!(
                        "interrupted in the standard cases: {} complete in {}, the report is as it was",
                        counted(ran.algorithms.len(), "algorithm"),
                        ran.results.out().display()
                    ),
                }));
            }
            Err(error) => return Err(Error::Result(miette!("{error}"))),
        }
        ran.note_others(watch.note)?;
        Ok(ran)
    }
}

impl Ran {
    fn keep(&mut self, finished: Finished, of: &Campaign, note: Notify) -> Result<(), Error> {
        match finished {
            Finished::Algorithm(result) => {
                keep_algorithm(&result, &self.results, note)?;
                self.algorithms.push(result);
            }
            Finished::Study(result, taken) => {
                self.failed.extend(failed(&result));
                let study = of.studies.iter().find(|study| study.name == result.name);
                let study = study.expect("it is the result of one of them");
                let whole = of.options.only.is_none();
                let notices = keep_study(&self.results, of.kind, study, *result, whole, &taken)?;
                notices.iter().for_each(|notice| note(notice));
            }
        }
        Ok(())
    }

    /// Says which algorithms' results were made otherwise than these.
    fn note_others(&self, note: Notify) -> Result<(), Error> {
        let Some(new) = self.algorithms.first() else { return Ok(()) };
        let mut others = anabranch_report::algorithms_in(&self.results)?;
        others.retain(|other| !other.is_made_like(new));
        let others: Vec<&str> = others.iter().map(|other| other.algorithm.as_str()).collect();
        if !others.is_empty() {
            note(&format!(
                "{} were run with another size, other seeds or another version: the comparisons leave them out",
                others.join(", ")
            ));
        }
        Ok(())
    }

    /// Writes the report on all results that are there. Returns its first page.
    pub fn report(&self) -> Result<PathBuf, Error> {
        self.write_report(false)
    }

    fn write_report(&self, running: bool) -> Result<PathBuf, Error> {
        report(&self.results, &self.command, self.laboratory.clone(), running)
    }

    /// An error where something failed: a run of a standard case, a result of earlier campaigns that is damaged, a row of a study.
    pub fn check(&self) -> Result<(), Error> {
        let of_cases = |result: &AlgorithmResult| -> Vec<String> {
            let all = result.cases.iter().flat_map(|case| case.failures.iter().map(move |why| (case, why)));
            all.map(|(case, why)| format!("{}, {}: {why}", result.algorithm, case.id)).collect()
        };
        let lines: Vec<String> = self.algorithms.iter().flat_map(of_cases).collect();
        if !lines.is_empty() {
            let failed = counted(lines.len(), "run");
            return Err(Error::Result(miette!(help = lines.join("\n"), "{failed} failed")));
        }
        if let n @ 1.. = self.results.damaged().len() {
            let results = counted(n, "result");
            return Err(Error::Result(miette!(
                "{results} of earlier commands could not be read: the report is without"
            )));
        }
        check_failed(&self.failed)
    }
}

/// Keeps a study's result and, where it is `whole` and no paper, the table of all its runs. What was lost, for people.
pub fn keep_study(
    results: &Results,
    kind: Kind,
    study: &Study,
    result: StudyResult,
    whole: bool,
    taken: &[SimulationRuns],
) -> Result<Vec<String>, Error> {
    let whole = whole && !result.partial && kind == Kind::Study;
    let notices = results.keep_study(kind, study, result)?;
    if whole {
        tidy::write(&results.folder(kind), &study.name, taken)
            .map_err(|e| Error::environment("there is no table of all runs", &e))?;
    }
    Ok(notices)
}

/// Writes the report on all results; see [`Ran::report`].
pub fn report(
    results: &Results,
    command: &str,
    laboratory: Option<String>,
    running: bool,
) -> Result<PathBuf, Error> {
    anabranch_report::write_on(results, command.to_owned(), laboratory, running).map_err(
        |error| match error {
            FolderError::ResultFolder(error) => error.into(),
            FolderError::Report(error) => Error::environment("there is no new report", &error),
        },
    )
}

/// How a result was made.
fn made(r: &AlgorithmResult) -> String {
    format!("{} size, seeds {}, version {}", r.size, r.seeds, r.version)
}

/// Keeps a result in place of a former one, and says so where that was made otherwise.
fn keep_algorithm(result: &AlgorithmResult, results: &Results, note: Notify) -> Result<(), OutputError> {
    let name = &result.algorithm;
    let former: Option<AlgorithmResult> = results.load(Kind::Algorithm, name)?;
    if let Some(former) = former.filter(|former| !former.is_made_like(result)) {
        note(&format!(
            "{name}: the standard cases ({}) replace those of `{}` ({})",
            made(result),
            former.command(),
            made(&former)
        ));
    }
    results.keep(Kind::Algorithm, name, result)
}
