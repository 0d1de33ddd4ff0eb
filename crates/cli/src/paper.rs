//! `anabranch paper`: experiments of papers, judged, and the report.

use crate::args::PaperArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::print;
use crate::progress::Progress;
use crate::table::Table;
use anabranch_papers::{Options, Paper, PaperError, PaperResult, Row, Size, Verdict};
use miette::miette;
use std::fs;
use std::path::Path;

/// `anabranch paper`.
pub fn paper(args: &PaperArgs) -> Result<(), Failure> {
    let papers = chosen(&args.papers)?;
    let size = match (args.quick, args.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Default,
    };
    let options = Options { size, seeds: args.seeds.map(Into::into), only: args.only.clone() };
    interrupt::listen()?;
    let folder = args.out.join("papers");
    fs::create_dir_all(&folder)
        .map_err(|e| Failure::environment(format!("cannot create {}", folder.display()), &e))?;
    let mut results = Vec::new();
    let mut without = Vec::new();
    for paper in papers {
        match run(paper, &options) {
            Ok(result) => {
                save(&result, &folder)?;
                print(&page(&result))?;
                results.push(result);
            }
            // With several papers it is enough that one has the experiment.
            Err(error @ PaperError::NoExperiment { .. }) => without.push(error.to_string()),
            Err(PaperError::Interrupted) => {
                return Err(Failure::Interrupted(miette!(
                    "interrupted in {}: {} papers are complete in {}, the report is as it was",
                    paper.name,
                    results.len(),
                    folder.display()
                )));
            }
            Err(error) => return Err(Failure::Result(miette!("{}: {error}", paper.name))),
        }
    }
    if results.is_empty() {
        return Err(Failure::Input(miette!("{}", without.join("\n"))));
    }
    report(&results, args)?;
    let failed: Vec<_> = results.iter().flat_map(rows).filter(|r| r.verdict == Verdict::Failed).collect();
    if failed.is_empty() { Ok(()) } else { Err(Failure::Result(failures(&failed))) }
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
                help = format!("there are: {}, all", known.join(", ")),
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

fn save(result: &PaperResult, folder: &Path) -> Result<(), Failure> {
    let file = folder.join(&result.name).with_extension("json");
    let failed = |e: &dyn std::error::Error| Failure::Input(miette!("cannot write {}: {e}", file.display()));
    let json = serde_json::to_string_pretty(result).map_err(|e| failed(&e))?;
    fs::write(&file, json + "\n").map_err(|e| failed(&e))
}

/// Writes the report on these results and on those of other papers that earlier commands left beside them.
fn report(results: &[PaperResult], args: &PaperArgs) -> Result<(), Failure> {
    let result = |paper: &&Paper| {
        let new = results.iter().find(|r| r.name == paper.name).cloned();
        new.or_else(|| {
            let file = args.out.join("papers").join(paper.name).with_extension("json");
            serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
        })
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
    format!("{}\n{table}", textwrap::fill(&heading, crate::table::WIDTH))
}

fn failures(rows: &[&Row]) -> miette::Report {
    let lines: Vec<_> = rows
        .iter()
        .map(|r| format!("{}: {}", r.id, r.explanation.as_deref().unwrap_or("no value")))
        .collect();
    miette!(help = lines.join("\n"), "{} rows failed", rows.len())
}
