//! `anabranch cc report`: algorithms in the standard cases.

use crate::args::CcReportArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{counted, note, print, print_json, unless_closed};
use crate::progress::Progress;
use crate::report;
use crate::size_args::SizeArgs;
use crate::table::{PLAIN, Spread, Table, WIDTH};
use crate::{algorithms, backend, earlier};
use anabranch_cc::registry::{self, Entry};
use anabranch_papers::standard::{self, AlgorithmResult, CASES, Case};
use anabranch_record::output::OutputError;
use anabranch_study::{Kind, Results, RunCache, StudyError, Work, run_all};
use miette::miette;

/// `anabranch cc report`.
pub fn report(args: &CcReportArgs) -> Result<(), Failure> {
    let all = args.names.is_empty() || args.names.iter().any(|name| name == "all");
    let chosen: Vec<&'static Entry> = match all {
        true => registry::ALL.to_vec(),
        false => args.names.iter().map(|name| algorithms::find(name)).collect::<Result<_, _>>()?,
    };
    interrupt::listen()?;
    let store = Results::open(&args.out, note)?;
    earlier::check_results(&conflicting_result(&chosen, &args.size, &store)?, args.replace)?;
    let results = run(&chosen, &args.size, &store)?;
    unless_closed(match args.json {
        true => print_json(&results),
        false => print(&results.iter().map(page).collect::<Vec<_>>().join("\n")),
    })?;
    let names = if all { String::new() } else { format!(" {}", args.names.join(" ")) };
    report::write(&store, format!("anabranch cc report{names}{}", args.size), !args.json)?;
    check(&results)?;
    report::check(&store)
}

/// Runs algorithms through the standard cases and keeps each result as soon as it is there.
fn run(
    algorithms: &[&'static Entry],
    size: &SizeArgs,
    store: &Results,
) -> Result<Vec<AlgorithmResult>, Failure> {
    let (mut results, mut kept) = (Vec::new(), Ok(()));
    let mut keep = |result: AlgorithmResult| {
        kept = std::mem::replace(&mut kept, Ok(())).and_then(|()| keep(&result, store));
        results.push(result);
    };
    let ended = in_progress(&work(algorithms, size)?, None, &mut keep);
    kept?;
    match ended {
        Ok(()) => {}
        Err(StudyError::Interrupted) => {
            return Err(Failure::Interrupted(miette!(
                "interrupted in the standard cases: {} complete in {}, the report is as it was",
                counted(results.len(), "algorithm"),
                store.out().display()
            )));
        }
        Err(error) => return Err(Failure::Result(miette!("{error}"))),
    }
    note_unlike(&results, store)?;
    Ok(results)
}

/// The standard cases of `algorithms`.
pub fn work(algorithms: &[&'static Entry], size: &SizeArgs) -> Result<Vec<Work<AlgorithmResult>>, Failure> {
    let work = |entry: &&'static Entry| {
        standard::work(entry, size.size(), size.seeds())
            .map_err(|error| Failure::Result(miette!("{}: {error}", entry.name)))
    };
    algorithms.iter().map(work).collect()
}

/// Runs `work`, but for what is `kept`, until its end or Ctrl-C, and shows how far it is.
pub fn in_progress<T: Send>(
    work: &[Work<T>],
    kept: Option<&dyn RunCache>,
    finished: &mut (dyn FnMut(T) + Send),
) -> Result<(), StudyError> {
    let bar = Progress::over_runs();
    run_all(backend::all(), work, kept, &|p| bar.show(p), &|| !interrupt::requested(), finished)
}

/// The results of these algorithms that are there and were made otherwise than these options say, described.
pub fn conflicting_result(
    algorithms: &[&'static Entry],
    size: &SizeArgs,
    store: &Results,
) -> Result<Vec<String>, OutputError> {
    let mut there = vec![];
    for entry in algorithms {
        let former: Option<AlgorithmResult> = store.load(Kind::Algorithm, entry.name)?;
        let other = former.filter(|former| !former.is_made_with(size.size(), size.seeds()));
        there.extend(other.map(|former| format!("{}: the standard cases ({})", entry.name, made(&former))));
    }
    Ok(there)
}

/// How a result was made.
fn made(r: &AlgorithmResult) -> String {
    format!("{} size, seeds {}, version {}", r.size, r.seeds, r.version)
}

/// Keeps a result in place of a former one, and says so where that was made otherwise.
pub fn keep(result: &AlgorithmResult, store: &Results) -> Result<(), OutputError> {
    let name = &result.algorithm;
    let former: Option<AlgorithmResult> = store.load(Kind::Algorithm, name)?;
    if let Some(former) = former.filter(|former| !former.is_made_like(result)) {
        note(&format!(
            "{name}: the standard cases ({}) replace those of `{}` ({})",
            made(result),
            former.command(),
            made(&former)
        ));
    }
    store.keep(Kind::Algorithm, name, result)
}

/// Says which algorithms' results were made otherwise than these.
pub fn note_unlike(results: &[AlgorithmResult], store: &Results) -> Result<(), Failure> {
    let others = anabranch_report::algorithms_in(store)?;
    let unlike: Vec<&str> = match results.first() {
        Some(new) => others.iter().filter(|r| !r.is_made_like(new)).map(|r| r.algorithm.as_str()).collect(),
        None => vec![],
    };
    if !unlike.is_empty() {
        note(&format!(
            "{} were run with another size, other seeds or another version: the comparisons leave them out",
            unlike.join(", ")
        ));
    }
    Ok(())
}

/// An error where a run failed.
pub fn check(results: &[AlgorithmResult]) -> Result<(), Failure> {
    let failures = results
        .iter()
        .flat_map(|r| r.cases.iter().flat_map(move |c| c.failures.iter().map(move |f| (r, c, f))));
    let lines: Vec<String> =
        failures.map(|(r, c, why)| format!("{}, {}: {why}", r.algorithm, c.id)).collect();
    match lines.is_empty() {
        true => Ok(()),
        false => {
            Err(Failure::Result(miette!(help = lines.join("\n"), "{} failed", counted(lines.len(), "run"))))
        }
    }
}

/// The key figures for people.
fn page(result: &AlgorithmResult) -> String {
    let cases: Vec<_> = CASES.iter().filter_map(|case| Some((case, result.case(&case.id)?))).collect();
    let goal = |case: &Case| match case.goal.unit() {
        "" => case.goal.title().to_owned(),
        unit => format!("{} ({unit})", case.goal.title()),
    };
    let bound = |at_least: bool| if at_least { "at least" } else { "" };
    let keys = || cases.iter().map(|(_, r)| r.key.as_ref());
    let values: Vec<Spread> = keys().map(|k| k.map_or(Spread::Missing, |k| Spread::from(&k.value))).collect();
    let queues: Vec<Spread> =
        cases.iter().map(|(_, r)| r.queue_packets.as_ref().map_or(Spread::Missing, Spread::from)).collect();
    let table = Table::new()
        .text("standard case", cases.iter().map(|(case, _)| case.title.as_str()))
        .text("figure", cases.iter().map(|(case, _)| goal(case)))
        .text("", keys().map(|k| bound(k.is_some_and(|k| k.at_least))))
        .estimates("value", PLAIN, &values)
        .estimates("mean queue, packets", PLAIN, &queues);
    let heading = format!("{} ({} size; seeds: {})", result.algorithm, result.size, result.seeds);
    format!("{}\n{table}", textwrap::fill(&heading, WIDTH))
}
