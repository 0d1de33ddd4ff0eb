//! Studies and standard cases: run together, judged, kept in a folder of results and reported.

use crate::error::{counted, input_error};
use crate::scenario::{check_memory, distinct_warnings};
use crate::study::{check_failed, describe_extent, failed};
use crate::{Error, RUNNERS, Runner, Watch, backends, earlier, store};
use anabranch_cc::registry::Entry;
use anabranch_papers::standard::{self, AlgorithmResult};
use anabranch_record::output::{Notify, OutputError};
use anabranch_study::{
    Kind, Options, Results, RunCache, SimulationRuns, Simulations, Store, Study, StudyError, StudyResult,
    Work, tidy,
};
use miette::miette;
use std::path::PathBuf;
use std::sync::Arc;

/// A campaign that takes longer, in seconds, needs `--yes`.
const LONG_S: f64 = 3600.0;
/// A campaign with more runs needs `--yes`.
const MANY: u64 = 100_000;

/// The result of one study or algorithm.
pub enum Finished {
    /// The result of a paper or a study, and a study's runs.
    Study(Box<StudyResult>, Vec<SimulationRuns>),
    /// The result of an algorithm's standard cases.
    Algorithm(AlgorithmResult),
}

/// Studies and algorithms that run in one queue.
pub struct Campaign {
    kind: Kind,
    studies: Vec<Arc<Study>>,
    algorithms: Vec<&'static Entry>,
    options: Options,
    runner: &'static Runner,
    work: Vec<Work<Finished>>,
}

/// Where a campaign writes its results.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The folder of results.
    pub out: PathBuf,
    /// The command that repeats the campaign, for the report.
    pub command: String,
    /// The folder that keeps runs, so that an interrupted campaign can resume.
    pub store: Option<PathBuf>,
    /// Whether to delete the kept runs when the campaign is complete.
    pub drop_runs: bool,
    /// Whether to replace results of another size, more seeds or another version.
    pub replace: bool,
    /// The page that simulates, for the report.
    pub laboratory: Option<String>,
    /// Whether the report is written anew after each study, marked as provisional.
    pub provisional: bool,
}

/// The outcome of a campaign.
pub struct CampaignOutcome {
    /// The algorithms' results.
    pub algorithms: Vec<AlgorithmResult>,
    results: Results,
    place: Place,
    /// Failed rows and runs of studies: see [`failed`].
    failed: Vec<String>,
}

impl Campaign {
    /// Prepares studies of a kind; studies other than papers also return their runs. Of several studies, only one needs the
    /// experiment of `options.only`.
    pub fn new(
        kind: Kind,
        studies: &[Arc<Study>],
        options: Options,
        runner: &'static Runner,
    ) -> Result<Self, Error> {
        let (mut work, mut these, mut without) = (Vec::new(), Vec::new(), Vec::new());
        for study in studies {
            let found = match kind {
                Kind::Study => anabranch_study::work_with_runs(study, &options),
                _ => anabranch_study::work(study, &options).map(|work| work.map(|result| (result, vec![]))),
            };
            match found {
                Ok(mut one) => {
                    one.simulations = on(one.simulations)?;
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
        Ok(Campaign { kind, studies: these, algorithms: vec![], options, runner, work })
    }

    /// Adds the standard cases of these algorithms, on the simulator, after the studies.
    pub fn with_algorithms(mut self, algorithms: &[&'static Entry]) -> Result<Self, Error> {
        for entry in algorithms {
            let work = standard::work(entry, self.options.size, self.options.seeds)
                .map_err(|error| Error::Result(miette!("{}: {error}", entry.name)))?;
            self.work.push(work.map(Finished::Algorithm));
            self.algorithms.push(entry);
        }
        Ok(self)
    }

    /// The simulations of each study and algorithm.
    pub fn simulations(&self) -> impl Iterator<Item = &Simulations> {
        self.work.iter().map(|work| &work.simulations)
    }

    /// What is valid in the studies' scenarios, and probably not meant.
    pub fn warnings(&self) -> Vec<String> {
        distinct_warnings(self.simulations().flat_map(Simulations::scenarios))
    }

    /// Checks that the backend can run a scenario of the campaign. Unless `lax`, also refuses campaigns that take too much
    /// time or memory; for papers, only the time on Linux counts. `threads` runs execute at once. `None` means
    /// a cluster, for which the time is unknown.
    pub fn check(&self, threads: Option<usize>, lax: bool) -> Result<(), Error> {
        self.runner.accepts_any(self.simulations().flat_map(Simulations::scenarios))?;
        for (runner, _) in RUNNERS {
            if self.simulations().any(|simulations| simulations.need(runner.name())) {
                runner.ready()?;
            }
        }
        let is_empty = |study: &&Arc<Study>| self.options.leave_nothing(study);
        if let Some(study) = self.studies.iter().find(is_empty).filter(|_| self.kind == Kind::Study) {
            let message = format!("{} has nothing to run", study.name);
            let help =
                "an experiment may need `--only`, and `only` of runs may leave out all values of `--at`";
            return Err(input_error(message, Some(help)));
        }
        if lax {
            return Ok(());
        }
        if self.kind != Kind::Study {
            let is_linux =
                |name: &str| RUNNERS.iter().any(|(runner, _)| runner.name() == name && runner.is_kernel());
            let long_s: f64 = self.simulations().map(|simulations| simulations.seconds_on(is_linux)).sum();
            let less = "add --yes, or run less: --quick, one paper, --only one experiment, fewer seeds";
            if long_s <= LONG_S {
                return Ok(());
            }
            let hours = long_s / 3600.0;
            return Err(Error::Input(miette!(help = less, "this takes about {hours:.1} hours on Linux")));
        }
        for (study, simulations) in self.studies.iter().zip(self.simulations()) {
            let runs = usize::try_from(simulations.runs()).unwrap_or(usize::MAX);
            check_memory(simulations.scenarios(), 0, threads.map_or(1, |threads| threads.min(runs)))?;
            if threads.is_some() && simulations.seconds() > LONG_S || simulations.runs() > MANY {
                let less = "add --yes, or run less: --quick, fewer seeds, fewer values";
                let (name, extent) = (&study.name, describe_extent(simulations));
                return Err(Error::Input(miette!(help = less, "{name} has {extent}")));
            }
        }
        Ok(())
    }

    /// Refuses to replace results of another size, more seeds or another version, unless `replace`.
    pub fn check_earlier(&self, results: &Results, replace: bool) -> Result<(), Error> {
        let mut there = vec![];
        for study in &self.studies {
            there.extend(results.conflicting_result(self.kind, study, &self.options)?);
        }
        for entry in &self.algorithms {
            let former: Option<AlgorithmResult> = results.load(Kind::Algorithm, entry.name)?;
            let other = former.filter(|r| !r.yields_to(self.options.size, self.options.seeds));
            there.extend(
                other.map(|former| format!("{}: the standard cases ({})", entry.name, origin(&former))),
            );
        }
        earlier::check_results(&there, replace)
    }

    /// Runs the campaign. Each result goes to `show` and is then written at once. If writing one fails, the campaign
    /// continues, and the error is returned at the end.
    pub fn run(
        self,
        place: Place,
        watch: &Watch<'_>,
        show: &mut (dyn FnMut(&Finished) + Send),
    ) -> Result<CampaignOutcome, Error> {
        let results = Results::open(&place.out, watch.note)?;
        self.check_earlier(&results, place.replace)?;
        let runs = place.store.as_deref().and_then(|folder| store::open(folder, watch.note));
        let kept = runs.as_ref().map(|runs| runs as &dyn RunCache);
        let mut outcome = CampaignOutcome { algorithms: vec![], results, place, failed: vec![] };
        let (mut complete, mut partial, mut not_kept) = (0, String::new(), None);
        let mut keep = |mut finished: Finished| {
            if let (Kind::Study, Finished::Study(result, _)) = (self.kind, &mut finished) {
                result.command = Some(outcome.place.command.clone());
            }
            show(&finished);
            let refresh = outcome.place.provisional && matches!(finished, Finished::Study(..));
            match &finished {
                Finished::Study(result, _) if result.partial => {
                    partial += &format!(", {} in part", result.name)
                }
                Finished::Study(..) => complete += 1,
                Finished::Algorithm(_) => {}
            }
            let kept = outcome.keep(finished, &self, watch.note);
            let reported = if refresh { outcome.write_report(true).map(drop) } else { Ok(()) };
            if let Err(why) = kept.and(reported) {
                not_kept.get_or_insert(why);
            }
        };
        let ended = watch.run_all(backends(), &self.work, kept, &mut keep);
        let (found, kept) = runs.as_ref().map_or((0, 0), |runs| (runs.found(), runs.kept()));
        if found > 0 {
            (watch.note)(&format!("reused {} of an earlier command", counted(found, "run")));
        }
        not_kept.map_or(Ok(()), Err)?;
        match ended {
            Ok(()) if outcome.place.drop_runs => runs.iter().for_each(Store::remove_used),
            Ok(()) => {}
            Err(StudyError::Interrupted) => {
                let resume = if found + kept > 0 { "; run the same command again to resume" } else { "" };
                let folder = outcome.results.folder(Kind::Paper);
                return Err(Error::Interrupted(match self.kind {
                    Kind::Study | Kind::Advice => miette!("interrupted: the report is unchanged{resume}"),
                    Kind::Paper => miette!(
                        "interrupted: {} complete{partial} in {}, the report is unchanged{resume}",
                        counted(complete, "paper"),
                        folder.display()
                    ),
                    Kind::Algorithm => miette!(
                        "interrupted in the standard cases: {} complete in {}, the report is unchanged",
                        counted(outcome.algorithms.len(), "algorithm"),
                        outcome.results.out().display()
                    ),
                }));
            }
            Err(error) => return Err(Error::Result(miette!("{error}"))),
        }
        outcome.note_differing_results(watch.note)?;
        Ok(outcome)
    }
}

/// A study's simulations on our backends.
pub(crate) fn on(simulations: Simulations) -> Result<Simulations, Error> {
    simulations.on(backends()).map_err(|why| Error::Input(miette!("{why}")))
}

impl CampaignOutcome {
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

    /// Notes which algorithms' earlier results are of another size, other seeds or another version.
    fn note_differing_results(&self, note: Notify) -> Result<(), Error> {
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

    /// Writes the report on all results in the folder and returns the path of its first page.
    pub fn report(&self) -> Result<PathBuf, Error> {
        self.write_report(false)
    }

    fn write_report(&self, running: bool) -> Result<PathBuf, Error> {
        report(&self.results, &self.place.command, self.place.laboratory.clone(), running)
    }

    /// Returns an error if a run of a standard case or a row of a study failed, or if an earlier result is damaged.
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
                "{results} of earlier commands could not be read: the report leaves them out"
            )));
        }
        check_failed(&self.failed)
    }
}

/// Writes a study's result and, for a complete study other than a paper, the table of all its runs. Returns notices about
/// lost data.
pub fn keep_study(
    results: &Results,
    kind: Kind,
    study: &Study,
    result: StudyResult,
    whole: bool,
    taken: &[SimulationRuns],
) -> Result<Vec<String>, Error> {
    let whole = whole && !result.partial;
    let notices = results.keep_study(kind, study, result)?;
    if whole {
        results.made_whole(kind, &study.name);
    }
    if whole && kind == Kind::Study {
        tidy::write(&results.folder(kind), &study.name, taken)
            .map_err(|e| Error::environment("cannot write the table of all runs", &e))?;
    }
    Ok(notices)
}

/// Writes the report on all results; see [`CampaignOutcome::report`].
pub fn report(
    results: &Results,
    command: &str,
    laboratory: Option<String>,
    running: bool,
) -> Result<PathBuf, Error> {
    Ok(anabranch_report::write_on(results, command.to_owned(), laboratory, running)?)
}

/// The size, seeds and version of a result.
fn origin(r: &AlgorithmResult) -> String {
    format!("{} size, seeds {}, version {}", r.size, r.seeds, r.version)
}

/// Writes a result over an earlier one, and notes a difference in size, seeds or version.
fn keep_algorithm(result: &AlgorithmResult, results: &Results, note: Notify) -> Result<(), OutputError> {
    let name = &result.algorithm;
    let former: Option<AlgorithmResult> = results.load(Kind::Algorithm, name)?;
    if let Some(former) = former.filter(|former| !former.is_made_like(result)) {
        note(&format!(
            "{name}: the standard cases ({}) replace those of `{}` ({})",
            origin(result),
            former.command(),
            origin(&former)
        ));
    }
    results.keep(Kind::Algorithm, name, result)
}
