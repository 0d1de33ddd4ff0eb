//! `anabranch paper`: experiments of papers, judged, and the report.

use crate::args::PaperArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{counted, note, print};
use crate::progress::Progress;
use crate::report;
use crate::results::Results;
use crate::standard;
use crate::table::{Table, WIDTH};
use anabranch_cc::registry;
use anabranch_papers::{Options, Paper, PaperError, PaperResult, Row, Verdict};
use miette::miette;

/// `anabranch paper`.
pub fn paper(args: &PaperArgs) -> Result<(), Failure> {
    if args.papers == ["list"] {
        return list();
    }
    let papers = chosen(&args.papers)?;
    let options = Options { size: args.size.size(), seeds: args.size.seeds(), only: args.only.clone() };
    interrupt::listen()?;
    let store = Results::open(&args.out)?;
    let (mut complete, mut failed) = (0, Vec::new());
    let mut without = Vec::new();
    let count = papers.len();
    for (i, paper) in papers.into_iter().enumerate() {
        let place = if count > 1 { format!("paper {} of {count}: ", i + 1) } else { String::new() };
        match run(paper, &options, format!("{place}{}", paper.name)) {
            Ok(result) => {
                print(&page(&result))?;
                failed.extend(rows(&result).filter(|row| row.verdict == Verdict::Failed).cloned());
                let kept = store.keep(paper, result)?;
                if let Some(notice) = kept.notice {
                    note(&notice);
                }
                complete += 1;
            }
            // With several papers it is enough that one has the experiment.
            Err(error @ PaperError::NoExperiment { .. }) => without.push(error.to_string()),
            Err(PaperError::Interrupted) => {
                return Err(Failure::Interrupted(miette!(
                    "interrupted in {}: {} complete in {}, the report is as it was",
                    paper.name,
                    counted(complete, "paper"),
                    store.papers().display()
                )));
            }
            Err(error) => return Err(Failure::Result(miette!("{}: {error}", paper.name))),
        }
    }
    if complete == 0 {
        return Err(Failure::Input(miette!("{}", without.join("\n"))));
    }
    let standard = match is_all(&args.papers) && args.only.is_none() {
        true => standard::run(registry::ALL, &args.size, &store)?,
        false => vec![],
    };
    if !standard.is_empty() {
        print(&format!(
            "Standard cases of {}: see the report's page on algorithms\n",
            counted(standard.len(), "algorithm")
        ))?;
    }
    report::write(&store, command(args), true)?;
    standard::check(&standard)?;
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

fn is_all(names: &[String]) -> bool {
    names.iter().any(|n| n == "all")
}

fn chosen(names: &[String]) -> Result<Vec<&'static Paper>, Failure> {
    let all = anabranch_papers::all();
    if is_all(names) {
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

fn run(paper: &Paper, options: &Options, stage: String) -> Result<PaperResult, PaperError> {
    let bar = Progress::over_runs();
    bar.stage(stage);
    let progress = |p: anabranch_papers::Progress<'_>| {
        bar.done(p.done, p.total, &format!("{}: {}", p.experiment, p.label));
    };
    anabranch_papers::run(paper, options, &progress, &|| !interrupt::requested())
}

fn command(args: &PaperArgs) -> String {
    let mut command = format!("anabranch paper {}{}", args.papers.join(","), args.size);
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
