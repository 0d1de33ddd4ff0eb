//! `anabranch study`: a study file, run, judged and reported.

use crate::backend::BackendName;
use crate::cluster::{self, Answer, Request};
use crate::failure::Failure;
use crate::output::{counted, note, print, print_json};
use crate::size_args::StudySizeArgs;
use crate::study_args::StudyRunArgs;
use crate::table::Table;
use crate::{backend, earlier, input, interrupt, memory, paper, report, standard, store};
use anabranch_record::quoted;
use anabranch_study::file::AxisSubset;
use anabranch_study::format::plain;
use anabranch_study::{
    Estimate, Kind, Options, Published, Results, Row, RunCache, SimulationRuns, Simulations, Study,
    StudyError, StudyResult, Verdict, Work, outdated, tidy, work_with_runs,
};
use miette::miette;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longer ones are asked for.
const ASK_S: f64 = 3600.0;
/// And those of more runs.
const ASK_RUNS: u64 = 100_000;

/// `anabranch study FILE`.
pub fn study(args: &StudyRunArgs) -> Result<(), Failure> {
    if let Some(address) = &args.dask {
        return on_cluster(args, address);
    }
    let study = load(file(args), &args.at)?;
    backend::ready(args.backend)?;
    let options = options(args);
    let command = command(args);
    let run = Run {
        study,
        backend: args.backend,
        options,
        command,
        out: &args.out,
        store: args.store.as_deref(),
        replace: args.replace,
        yes: args.yes,
        json: args.json,
    };
    run.run(|result, _| page(result))
}

/// `anabranch study FILE --dask ADDRESS`.
fn on_cluster(args: &StudyRunArgs, dask: &str) -> Result<(), Failure> {
    let path = file(args);
    let study = load(path, &args.at)?;
    let options = options(args);
    // Each worker has a memory of its own, and how long it takes depends on how many there are.
    refuse(&study.name, &work(&study, &options)?.simulations, 1, None, args.yes)?;
    check_earlier(&Results::open(&args.out, note)?, &study, &options, args.replace)?;
    let answer = cluster::ask(&Request {
        dask,
        file: path,
        at: &args.at,
        size: options.size.name(),
        seeds: options.seeds,
        only: options.only.as_deref(),
        columns: !options.without_columns,
        out: &args.out,
        store: &store_of(args.store.as_deref(), &args.out),
        command: &format!("{} --dask {}", command(args), quoted(dask)),
        longest_s: (!args.yes).then_some(ASK_S),
    })?;
    match answer {
        Answer::Done { result, report } => {
            let failed = paper::failed(&result);
            show(&result, args.json, || page(&result))?;
            if !args.json {
                print(&format!("Report: {report}"))?;
            }
            if failed.is_empty() { Ok(()) } else { Err(Failure::Result(paper::failures(&failed))) }
        }
        Answer::Refused { why, help: Some(help) } => Err(Failure::Input(miette!(help = help, "{why}"))),
        Answer::Refused { why, help: None } => Err(Failure::Input(miette!("{why}"))),
        Answer::Failed(why) => Err(Failure::Result(miette!("{why}"))),
        Answer::Interrupted => Err(Failure::Interrupted(miette!(
            "interrupted: the report is as it was; the same command goes on from here"
        ))),
    }
}

/// Prints a result, and notes which figures it could not have.
fn show(result: &StudyResult, json: bool, page: impl FnOnce() -> String) -> Result<(), Failure> {
    let printed = if json { print_json(result) } else { print(&page()) };
    for figure in result.experiments.iter().flat_map(|e| &e.figures) {
        if let Some(missing) = &figure.missing {
            note(&format!("figure {}: {missing}", figure.id));
        }
    }
    printed
}

/// Refuses what takes long or much, unless the user has said `--yes`: as so many runs at a time, of about that many seconds.
fn refuse(
    name: &str,
    simulations: &Simulations,
    at_a_time: usize,
    seconds: Option<f64>,
    yes: bool,
) -> Result<(), Failure> {
    let largest = simulations.scenarios().max_by_key(|scenario| anabranch_sim::memory(scenario));
    largest.map_or(Ok(()), |scenario| memory::check(scenario, 0, at_a_time, yes))?;
    let long = seconds.is_some_and(|s| s > ASK_S) || simulations.runs() > ASK_RUNS;
    match long && !yes {
        true => Err(Failure::Input(miette!(
            help = "say --yes, or ask for less: --quick, fewer seeds, fewer values",
            "{name} has {}",
            extent(simulations)
        ))),
        false => Ok(()),
    }
}

/// `anabranch study check FILE`.
pub fn check(path: &Path) -> Result<(), Failure> {
    let study = load(path, &[])?;
    let mut lines = vec![format!("{}: {}", study.name, study.title)];
    for size in anabranch_study::Size::ALL {
        let work = work(&study, &Options { size, ..Options::default() })?;
        lines.push(format!("  {:<8} {}", size.name(), extent(&work.simulations)));
    }
    let rows: usize = study.experiments.iter().map(|d| d.plan(Default::default()).row_ids().count()).sum();
    lines.push(format!("  {} in {}", counted(rows, "row"), counted(study.experiments.len(), "experiment")));
    print(&lines.join("\n"))
}

/// `anabranch study status FILE`.
pub fn status(args: &StudyRunArgs) -> Result<(), Failure> {
    let study = load(file(args), &args.at)?;
    let work = work(&study, &options(args))?;
    let all = work.simulations.keepable();
    let done = args.out.join("studies").join(format!("{}.json", study.name));
    let mut lines = vec![format!("{}: {}", study.name, extent(&work.simulations))];
    let folder = store_of(args.store.as_deref(), &args.out);
    if folder.is_dir() {
        let kept = store::open(&folder).map_or(0, |kept| work.simulations.found(&kept as &dyn RunCache));
        lines.push(format!("  {kept} of the {all} runs without samples over time are kept; the command runs only what is missing"));
    }
    lines.push(format!("  {}: {}", done.display(), found(&study, &options(args), &done)?));
    print(&lines.join("\n"))
}

/// What is known of an earlier result.
fn found(study: &Study, options: &Options, file: &Path) -> Result<String, Failure> {
    let text = match std::fs::read(file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok("no result yet".into()),
        Err(e) => return Ok(format!("a result that cannot be read: {e}")),
    };
    let result: StudyResult = match serde_json::from_slice(&text) {
        Ok(result) => result,
        Err(e) => return Ok(format!("a result that cannot be read: {e}")),
    };
    let outdated = outdated(study, options, &result).map_err(|e| Failure::Input(miette!("{e}")))?;
    Ok(match &outdated[..] {
        [] => "there is a result".into(),
        outdated => format!("there is a result, but {}", outdated.join(", ")),
    })
}

/// Where runs are kept.
fn store_of(store: Option<&Path>, out: &Path) -> PathBuf {
    store.map_or_else(|| out.join("store"), Path::to_path_buf)
}

/// The study file: a required argument.
fn file(args: &StudyRunArgs) -> &Path {
    args.file.as_deref().unwrap_or(Path::new(""))
}

/// Reads a study file, or of some of its axes a part.
pub fn load(path: &Path, of: &[AxisSubset]) -> Result<Arc<Study>, Failure> {
    let source = input::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let study =
        anabranch_study::file::load(&source.name, &source.text, folder, of).map_err(Failure::input)?;
    not_shipped(&study).map(|()| study)
}

/// Refuses a study of a shipped paper's name.
pub fn not_shipped(study: &Study) -> Result<(), Failure> {
    match anabranch_papers::headings().find(|paper| paper.name == study.name) {
        Some(paper) => Err(Failure::Input(miette!(
            help = "name the file otherwise",
            "`{}` is the name of a shipped paper: {}",
            study.name,
            paper.title
        ))),
        None => Ok(()),
    }
}

fn options(args: &StudyRunArgs) -> Options {
    let StudySizeArgs { seeds, .. } = args.size;
    Options {
        size: args.size.as_size().size(),
        seeds,
        only: args.only.clone(),
        without_columns: args.no_columns,
        beside: backend::beside(args.backend, args.linux_hosts),
    }
}

fn command(args: &StudyRunArgs) -> String {
    let name = quoted(&file(args).display().to_string());
    let only = args.only.as_ref().map(|only| format!(" --only {}", quoted(only))).unwrap_or_default();
    let at = args
        .at
        .iter()
        .map(|(axis, values)| format!(" --at {}", quoted(&format!("{axis}={}", values.join(",")))));
    let columns = if args.no_columns { " --no-columns" } else { "" };
    let (size, at, backend) =
        (args.size.as_size(), at.collect::<String>(), backend::options(args.backend, args.linux_hosts));
    format!("anabranch study {name}{size}{only}{at}{columns}{backend}")
}

fn work(study: &Arc<Study>, options: &Options) -> Result<Work<(StudyResult, Vec<SimulationRuns>)>, Failure> {
    work_with_runs(study, options).map_err(|error| match error {
        StudyError::File(error) => Failure::input(error),
        error => Failure::Input(miette!("{error}")),
    })
}

/// How many runs, and about how long on this machine.
fn extent(simulations: &Simulations) -> String {
    let time = match simulations.seconds() {
        s if s < 90.0 => format!("{:.0} s", s.ceil()),
        s if s < 5400.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.0} h", (s / 3600.0).ceil()),
    };
    format!("{} runs, about {time} on {}", simulations.runs(), counted(rayon::current_num_threads(), "core"))
}

/// Refuses to replace a result that was made otherwise.
fn check_earlier(results: &Results, study: &Study, options: &Options, replace: bool) -> Result<(), Failure> {
    let there = results.conflicting_result(Kind::Study, study, options)?;
    earlier::check_results(there.as_slice(), replace)
}

/// A study about to be run.
pub struct Run<'a> {
    pub study: Arc<Study>,
    /// What stands beside the simulator.
    pub backend: BackendName,
    pub options: Options,
    /// What repeats it.
    pub command: String,
    pub out: &'a Path,
    /// Where runs are kept, if not in `out`.
    pub store: Option<&'a Path>,
    /// Whether other results there are replaced.
    pub replace: bool,
    pub yes: bool,
    pub json: bool,
}

impl Run<'_> {
    /// Runs it, keeps what it gives, and prints a page of it.
    pub fn run(self, page: impl Fn(&StudyResult, &[SimulationRuns]) -> String) -> Result<(), Failure> {
        let work = work(&self.study, &self.options)?;
        backend::accepts_any(self.backend, work.simulations.scenarios())?;
        let simulations = &work.simulations;
        let threads =
            rayon::current_num_threads().min(usize::try_from(simulations.runs()).unwrap_or(usize::MAX));
        refuse(&self.study.name, simulations, threads, Some(simulations.seconds()), self.yes)?;
        interrupt::listen()?;
        let results = Results::open(self.out, note)?;
        check_earlier(&results, &self.study, &self.options, self.replace)?;
        let runs = store::open(&store_of(self.store, results.out()));
        let mut done = None;
        let ended = standard::in_progress(
            &[work],
            runs.as_ref().map(|runs| runs as &dyn RunCache),
            &mut |finished| {
                done = Some(finished);
            },
        );
        let kept = done.map(|(result, taken)| self.keep(&results, result, taken, &page)).transpose();
        // All stay: with another value of an axis, or more seeds, only what is missing is run.
        let any = runs.as_ref().is_some_and(store::note_found);
        let goes_on = if any { "; the same command goes on from here" } else { "" };
        let failed = kept?.unwrap_or_default();
        match ended {
            Ok(()) => {}
            Err(StudyError::Interrupted) => {
                return Err(Failure::Interrupted(miette!("interrupted: the report is as it was{goes_on}")));
            }
            Err(error) => return Err(Failure::Result(miette!("{error}"))),
        }
        report::write(&results, self.command.clone(), !self.json)?;
        report::check(&results)?;
        if failed.is_empty() { Ok(()) } else { Err(Failure::Result(paper::failures(&failed))) }
    }

    /// Keeps the result and the table of all runs; gives what failed.
    fn keep(
        &self,
        results: &Results,
        mut result: StudyResult,
        taken: Vec<SimulationRuns>,
        page: &impl Fn(&StudyResult, &[SimulationRuns]) -> String,
    ) -> Result<Vec<String>, Failure> {
        result.command = Some(self.command.clone());
        let failed = paper::failed(&result);
        // What was simulated is told even where it cannot be kept.
        let printed = show(&result, self.json, || page(&result, &taken));
        // The table is of the whole study.
        let whole = !result.partial && self.options.only.is_none();
        let notices = results.keep_study(Kind::Study, &self.study, result)?;
        notices.iter().for_each(|notice| note(notice));
        if whole {
            self.write_runs(results, &taken)?;
        }
        printed.map(|()| failed)
    }

    /// One table of all runs, as Parquet and as CSV.
    fn write_runs(&self, results: &Results, taken: &[SimulationRuns]) -> Result<(), Failure> {
        tidy::write(&results.folder(Kind::Study), &self.study.name, taken)
            .map(|_| ())
            .map_err(|e| Failure::environment("there is no table of all runs", &e))
    }
}

/// Every row with its value and verdict.
fn page(result: &StudyResult) -> String {
    let rows: Vec<&Row> = paper::rows(result).collect();
    let ours = |row: &&Row| match (&row.measured, &row.compared[..]) {
        (Some(ours), _) => with_interval(ours, &row.unit),
        (None, []) => "–".to_owned(),
        (None, all) => {
            let each = all.iter().map(|(name, ours)| format!("{name} {}", with_interval(ours, &row.unit)));
            each.collect::<Vec<_>>().join(" < ")
        }
    };
    let published = |row: &&Row| match &row.published {
        Published::Value(value) | Published::Derived { value, .. } => {
            format!("{} {}", plain(*value), row.unit)
        }
        Published::Claim(claim) => claim.clone(),
        Published::Nothing => "–".into(),
    };
    let name = |verdict: &Verdict| match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Partly => "partly",
        Verdict::NotReproduced => "not",
        Verdict::Undetermined => "undetermined",
        Verdict::NotJudged => "not judged",
        Verdict::Failed => "failed",
    };
    let verdict = |row: &&Row| match &row.crosses[..] {
        [] => name(&row.verdict).to_owned(),
        reached => {
            let reached: Vec<&str> = reached.iter().map(name).collect();
            format!("{} (interval reaches {})", name(&row.verdict), reached.join(", "))
        }
    };
    let table = Table::new()
        .text("row", rows.iter().map(|row| row.id.as_str()))
        .text("published", rows.iter().map(published))
        .text("ours", rows.iter().map(ours))
        .text("verdict", rows.iter().map(verdict));
    format!("{}\n{table}", paper::page(result))
}

/// A mean and half its interval, with the unit.
fn with_interval(ours: &Estimate, unit: &str) -> String {
    let half = ours.half_width.map(|half| format!(" ± {}", plain(half))).unwrap_or_default();
    format!("{}{half} {unit}", plain(ours.mean)).trim_end().to_owned()
}
