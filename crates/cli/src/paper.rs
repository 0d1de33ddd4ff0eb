//! `anabranch paper`: experiments of papers, judged, and the report.

use crate::args::PaperArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{counted, note, print};
use crate::progress::Progress;
use crate::results::Results;
use crate::table::{Table, WIDTH};
use anabranch_papers::{Options, Paper, PaperError, PaperResult, Row, Size, Verdict};
use miette::miette;

/// `anabranch paper`.
pub fn paper(args: &PaperArgs) -> Result<(), Failure> {
    if args.papers == ["list"] {
        return list();
    }
    let papers = chosen(&args.papers)?;
    let size = match (args.quick, args.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Default,
    };
    let options = Options { size, seeds: args.seeds.map(Into::into), only: args.only.clone() };
    interrupt::listen()?;
    let store = Results::open(&args.out)?;
    let (mut results, mut failed) = (Vec::new(), Vec::new());
    let mut without = Vec::new();
    for paper in papers {
        match run(paper, &options) {
            Ok(result) => {
                print(&page(&result))?;
                failed.extend(rows(&result).filter(|row| row.verdict == Verdict::Failed).cloned());
                let kept = store.keep(paper, result)?;
                if let Some(notice) = kept.notice {
                    note(&notice);
                }
                results.push(kept.result);
            }
            // With several papers it is enough that one has the experiment.
            Err(error @ PaperError::NoExperiment { .. }) => without.push(error.to_string()),
            Err(PaperError::Interrupted) => {
                return Err(Failure::Interrupted(miette!(
                    "interrupted in {}: {} complete in {}, the report is as it was",
                    paper.name,
                    counted(results.len(), "paper"),
                    store.folder().display()
                )));
            }
            Err(error) => return Err(Failure::Result(miette!("{}: {error}", paper.name))),
        }
    }
    if results.is_empty() {
        return Err(Failure::Input(miette!("{}", without.join("\n"))));
    }
    report(&results, &store, args)?;
    if failed.is_empty() { Ok(()) } else { Err(Failure::Result(failures(&failed))) }
}

/// The papers and what `--only` takes of each.
fn list() -> Result<(), Failure> {
    let papers = anabranch_papers::all().iter().map(|paper| {
        let table = Table::new()
            .text("--only", paper.experiments.iter().map(|d| d.ids.join(", ")))
            .text("experiment", paper.experiments.iter().map(|d| d.title));
        let heading = format!("{}, {}: {}", paper.id, paper.name, paper.title);
        format!("{}\n{table}", textwrap::fill(&heading, WIDTH))
    });
    print(&papers.collect::<Vec<_>>().join("\n"))
}

fn chosen(names: &[String]) -> Result<Vec<&'static Paper>, Failure> {
    let all = anabranch_papers::all();
    if names.iter().any(|n| n == "all") {
        return Ok(all.to_vec());
    }
    let find = |name: &String| {
        let is = |p: &&&Paper| p.name == *name || p.id.eq_ignore_ascii_case(name);
        all.iter().find(is).copied().ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|p| format!("{} ({})", p.name, p.id)).collect();
            Failure::Input(miette!(
                help = format!("there are: {}, all; or list alone", known.join(", ")),
                "unknown paper `{name}`"
            ))
        })
    };
    names.iter().map(find).collect()
}

fn run(paper: &Paper, options: &Options) -> Result<PaperResult, PaperError> {
    let bar = Progress::over_runs();
    let progress = |p: anabranch_papers::Progress<'_>| bar.done(p.done, p.total, p.label);
    anabranch_papers::run(paper, options, &progress, &|| !interrupt::requested())
}

/// Writes the report on these results and on those of other papers that earlier commands left beside them.
fn report(results: &[PaperResult], store: &Results, args: &PaperArgs) -> Result<(), Failure> {
    let result = |paper: &&Paper| {
        let new = results.iter().find(|r| r.name == paper.name).cloned();
        new.or_else(|| store.load(paper))
    };
    let results: Vec<PaperResult> = anabranch_papers::all().iter().filter_map(result).collect();
    let size =
        |s: &Size| anabranch_report::SizeNote { name: s.name().into(), meaning: s.description().into() };
    let context = anabranch_report::Context {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: command(args),
        sizes: Size::ALL.iter().map(size).collect(),
        ..Default::default()
    };
    let folder = args.out.join("report");
    anabranch_report::write(&folder, &results, &context)
        .map_err(|e| Failure::environment("the report is incomplete", &e))?;
    print(&format!("Report: {}", folder.join("index.html").display()))
}

fn command(args: &PaperArgs) -> String {
    let mut command = format!("anabranch paper {}", args.papers.join(","));
    for (given, option) in [(args.quick, " --quick"), (args.full, " --full")] {
        command += if given { option } else { "" };
    }
    if let Some(seeds) = args.seeds {
        command += &format!(" --seeds {seeds}");
    }
    if let Some(only) = &args.only {
        command += &format!(" --only {only}");
    }
    command
}

fn rows(result: &PaperResult) -> impl Iterator<Item = &Row> {
    result.experiments.iter().flat_map(|e| &e.rows)
}

/// The verdicts for people.
fn page(result: &PaperResult) -> String {
    let each = |verdict: Verdict| {
        let count = move |rows: &[Row]| rows.iter().filter(|r| r.verdict == verdict).count() as u64;
        result.experiments.iter().map(move |e| count(&e.rows))
    };
    let table = Table::new()
        .text("", result.experiments.iter().map(|e| &e.id))
        .text("experiment", result.experiments.iter().map(|e| &e.title))
        .count("reproduced", each(Verdict::Reproduced))
        .count("partly", each(Verdict::Partly))
        .count("not", each(Verdict::NotReproduced))
        .count("not judged", each(Verdict::NotJudged))
        .count("failed", each(Verdict::Failed));
    let (size, seeds) = (&result.size, result.seeds_of_rows());
    let heading = format!("{}: {} ({size} size; seeds: {seeds})", result.name, result.title);
    format!("{}\n{table}", textwrap::fill(&heading, WIDTH))
}

fn failures(rows: &[Row]) -> miette::Report {
    let lines: Vec<_> = rows
        .iter()
        .map(|r| format!("{}: {}", r.id, r.explanation.as_deref().unwrap_or("no value")))
        .collect();
    miette!(help = lines.join("\n"), "{} failed", counted(rows.len(), "row"))
}
