//! `anabranch paper`: experiments of papers, judged, and the report.

use crate::args::PaperArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{counted, note, print, unless_closed};
use crate::report;
use crate::standard;
use crate::store;
use crate::table::{Table, WIDTH};
use crate::{backend, earlier};
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_record::quoted;
use anabranch_study::{
    Experiment, Kind, Options, Results, Row, RunCache, Store, Study, StudyError, StudyResult, VariantName,
    Verdict,
};
use miette::miette;
use std::collections::HashSet;
use std::sync::Arc;

/// Longer ones on the kernel are asked for.
const ASK_S: f64 = 3600.0;

/// `anabranch paper`.
pub fn paper(args: &PaperArgs) -> Result<(), Failure> {
    if args.papers == ["list"] {
        return list();
    }
    let papers = chosen(&args.papers)?;
    backend::ready(args.backend)?;
    let options = Options {
        size: args.size.size(),
        seeds: args.size.seeds(),
        only: args.only.clone(),
        without_columns: args.no_columns,
        beside: backend::beside(args.backend, args.linux_hosts),
    };
    interrupt::listen()?;
    let (mut work, mut asked, mut without) = (Vec::new(), Vec::new(), Vec::new());
    for paper in papers {
        match anabranch_study::work(paper, &options) {
            Ok(one) => {
                work.push(one.map(|result| Finished::Paper(Box::new(result))));
                asked.push(paper);
            }
            // With several papers it is enough that one has the experiment.
            Err(error @ StudyError::NoExperiment { .. }) => without.push(error.to_string()),
            Err(error) => return Err(Failure::Result(miette!("{}: {error}", paper.name))),
        }
    }
    if work.is_empty() {
        return Err(Failure::Input(miette!("{}", without.join("\n"))));
    }
    backend::accepts_any(args.backend, work.iter().flat_map(|one| one.simulations.scenarios()))?;
    let real_s: f64 = work.iter().map(|one| one.simulations.seconds_in_real_time()).sum();
    if real_s > ASK_S && !args.yes {
        return Err(Failure::Input(miette!(
            help = "say --yes, or ask for less: --quick, one paper, --only one experiment, fewer seeds",
            "that takes {:.1} hours on the kernel",
            real_s / 3600.0
        )));
    }
    let standard_cases = is_all(&args.papers) && args.only.is_none();
    if standard_cases {
        let cases = standard::work(registry::ALL, &args.size)?;
        work.extend(cases.into_iter().map(|one| one.map(Finished::Algorithm)));
    }
    let results = Results::open(&args.out, note)?;
    let mut there = vec![];
    for paper in asked {
        there.extend(results.conflicting_result(Kind::Paper, paper, &options)?);
    }
    if standard_cases {
        there.extend(standard::conflicting_result(registry::ALL, &args.size, &results)?);
    }
    earlier::check_results(&there, args.replace)?;
    let mut done = Done::default();
    let mut kept = Ok(());
    let runs = store::open(&results.out().join("store"));
    let ended =
        standard::in_progress(&work, runs.as_ref().map(|runs| runs as &dyn RunCache), &mut |finished| {
            // One that cannot be kept is no reason to lose those after it: the first failure is told at the end.
            let this = done.keep(finished, &results);
            kept = std::mem::replace(&mut kept, Ok(())).and(this);
        });
    let any = runs.as_ref().is_some_and(store::note_found);
    let goes_on = if any { "; the same command goes on from here" } else { "" };
    if ended.is_ok() && kept.is_ok() && !args.keep_runs {
        runs.iter().for_each(Store::remove_used);
    }
    kept?;
    let Done { standard, failed, complete, partial } = done;
    if !standard.is_empty() {
        unless_closed(print(&format!(
            "Standard cases of {}: see the report's page on algorithms\n",
            counted(standard.len(), "algorithm")
        )))?;
        standard::note_unlike(&standard, &results)?;
    }
    match ended {
        Ok(()) => {}
        Err(StudyError::Interrupted) => {
            let partial = partial.iter().map(|name| format!(", {name} in part")).collect::<String>();
            return Err(Failure::Interrupted(miette!(
                "interrupted: {} complete{partial} in {}, the report is as it was{goes_on}",
                counted(complete, "paper"),
                results.folder(Kind::Paper).display()
            )));
        }
        Err(error) => return Err(Failure::Result(miette!("{error}"))),
    }
    report::write(&results, command(args), true)?;
    standard::check(&standard)?;
    report::check(&results)?;
    if failed.is_empty() { Ok(()) } else { Err(Failure::Result(failures(&failed))) }
}

/// The papers and what `--only` takes of each.
fn list() -> Result<(), Failure> {
    let papers = anabranch_papers::all().iter().map(|paper| {
        let table = Table::new()
            .text("--only", paper.experiments.iter().map(|d| d.ids.join(", ")))
            .text("experiment", paper.experiments.iter().map(|d| &d.title));
        let heading = format!("{}, {}: {}", paper.id, paper.name, paper.title);
        format!("{}\n{table}", textwrap::fill(&heading, WIDTH))
    });
    print(&papers.collect::<Vec<_>>().join("\n"))
}

fn is_all(names: &[String]) -> bool {
    names.iter().any(|n| n == "all")
}

fn chosen(names: &[String]) -> Result<Vec<&'static Arc<Study>>, Failure> {
    let all = anabranch_papers::all();
    if is_all(names) {
        return Ok(all.iter().collect());
    }
    let find = |name: &String| {
        let is = |p: &&Arc<Study>| p.name == *name || p.id.eq_ignore_ascii_case(name);
        all.iter().find(is).ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|p| format!("{} ({})", p.name, p.id)).collect();
            Failure::Input(miette!(
                help = format!("there are: {}, all; or list alone", known.join(", ")),
                "unknown paper `{name}`"
            ))
        })
    };
    names.iter().map(find).collect()
}

/// What a piece of work gave.
enum Finished {
    Paper(Box<StudyResult>),
    Algorithm(AlgorithmResult),
}

/// What has been kept of a command.
#[derive(Default)]
struct Done {
    standard: Vec<AlgorithmResult>,
    failed: Vec<String>,
    /// Papers of which everything that was asked for is there.
    complete: usize,
    /// Names of those that were interrupted.
    partial: Vec<String>,
}

impl Done {
    /// Keeps and prints a result.
    fn keep(&mut self, finished: Finished, store: &Results) -> Result<(), Failure> {
        match finished {
            Finished::Algorithm(result) => {
                standard::keep(&result, store)?;
                self.standard.push(result);
            }
            Finished::Paper(result) => {
                let page = page(&result);
                self.failed.extend(failed(&result));
                match result.partial {
                    true => self.partial.push(result.name.clone()),
                    false => self.complete += 1,
                }
                // What was simulated is told even where it cannot be kept.
                let printed = unless_closed(print(&page));
                let paper = anabranch_papers::find(&result.name)
                    .ok_or_else(|| Failure::Result(miette!("no paper is called {}", result.name)))?;
                store.keep_study(Kind::Paper, paper, *result)?.iter().for_each(|notice| note(notice));
                printed?;
            }
        }
        Ok(())
    }
}

fn command(args: &PaperArgs) -> String {
    let mut command = format!("anabranch paper {}{}", args.papers.join(","), args.size);
    if let Some(only) = &args.only {
        command += &format!(" --only {}", quoted(only));
    }
    if args.no_columns {
        command += " --no-columns";
    }
    command + &backend::options(args.backend, args.linux_hosts)
}

pub fn rows(result: &StudyResult) -> impl Iterator<Item = &Row> {
    result.experiments.iter().flat_map(|e| &e.rows)
}

/// What failed: rows, under whatever assumption, and runs on another backend, which their rows leave out.
pub fn failed(result: &StudyResult) -> Vec<String> {
    let runs = result.experiments.iter().flat_map(|e| &e.columns).flat_map(|column| &column.failed);
    let has_failed = |row: &&Row| {
        let others = row.others.iter().map(|other| other.verdict);
        others.chain([row.verdict]).any(|verdict| verdict == Verdict::Failed)
    };
    let why = |row: &Row| {
        let other = row.others.iter().find_map(|other| other.failure.clone());
        let why = row.explanation.clone().filter(|_| row.verdict == Verdict::Failed).or(other);
        format!("row {}: {}", row.id, why.as_deref().unwrap_or("no value"))
    };
    let mut known = HashSet::new();
    let all = runs.cloned().chain(rows(result).filter(has_failed).map(why));
    all.filter(|line| known.insert(line.clone())).collect()
}

/// The verdicts for people.
pub fn page(result: &StudyResult) -> String {
    let [own, beyond] = result.own_and_beyond();
    let parts = [(own, "experiment"), (beyond, "beyond the paper")].into_iter();
    let parts = parts.filter(|(experiments, _)| !experiments.is_empty());
    let tables: Vec<String> = parts.map(|(of, title)| verdicts(&of, title).to_string()).collect();
    let (size, seeds) = (&result.size, result.seeds_of_rows());
    let partial = if result.partial { "; partial: interrupted" } else { "" };
    let heading = format!("{}: {} ({size} size; seeds: {seeds}{partial})", result.name, result.title);
    let crossing = rows(result).filter(|row| !row.crosses.is_empty()).count();
    let crossing = match crossing {
        0 => String::new(),
        n => format!("The interval of {} reaches into the band of another verdict.\n", counted(n, "row")),
    };
    let tables = tables.join("\n");
    format!("{}\n{tables}{crossing}{}", textwrap::fill(&heading, WIDTH), assumptions(result))
}

/// The verdicts of some experiments, and of several all together.
fn verdicts(experiments: &[&Experiment], title: &str) -> Table {
    let several = experiments.len() > 1;
    let ids = experiments.iter().map(|e| e.id.as_str()).chain(several.then_some("all"));
    let titles = experiments.iter().map(|e| e.title.as_str()).chain(several.then_some(""));
    let each = |verdict: Verdict| {
        let count = move |e: &&Experiment| e.rows.iter().filter(|r| r.verdict == verdict).count() as u64;
        let all = several.then(|| experiments.iter().map(count).sum());
        experiments.iter().map(count).chain(all)
    };
    Table::new()
        .text("", ids)
        .text(title, titles)
        .count("reproduced", each(Verdict::Reproduced))
        .count("partly", each(Verdict::Partly))
        .count("not", each(Verdict::NotReproduced))
        .count("undetermined", each(Verdict::Undetermined))
        .count("not judged", each(Verdict::NotJudged))
        .count("failed", each(Verdict::Failed))
}

/// The paper's own rows by default and under each other assumption; nothing where there is none.
fn assumptions(result: &StudyResult) -> String {
    let mut columns: Vec<&VariantName> = Vec::new();
    for column in result.experiments.iter().filter(|e| !e.beyond).flat_map(|e| &e.columns) {
        if !columns.iter().any(|known| known.id == column.id) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return String::new();
    }
    let own: Vec<&Row> = result.own_rows().map(|(_, row)| row).collect();
    let all: Vec<Option<&VariantName>> = std::iter::once(None).chain(columns.into_iter().map(Some)).collect();
    let other = |row: &Row, column: Option<&VariantName>| {
        column.and_then(|column| row.other(&column.id)).map(|other| other.verdict)
    };
    let counted = |so: &dyn Fn(&Row, Option<&VariantName>) -> bool| -> Vec<u64> {
        let count = |column: &Option<&VariantName>| own.iter().filter(|row| so(row, *column)).count() as u64;
        all.iter().map(count).collect()
    };
    // Rows that did not run on a backend have no verdict there.
    let under = |row: &Row, column: Option<&VariantName>| {
        other(row, column).or((!column.is_some_and(|column| column.of_backend)).then_some(row.verdict))
    };
    let each = |verdict: Verdict| counted(&|row, column| under(row, column) == Some(verdict));
    let table = Table::new()
        .text("own rows", all.iter().map(|column| column.map_or("default", |column| &*column.title)))
        .count("changed", counted(&|row, column| other(row, column).is_some()))
        .count("reproduced", each(Verdict::Reproduced))
        .count("partly", each(Verdict::Partly))
        .count("not", each(Verdict::NotReproduced))
        .count("undetermined", each(Verdict::Undetermined))
        .count("failed", each(Verdict::Failed));
    format!("\n{table}")
}

/// The report on what [`failed`].
pub fn failures(lines: &[String]) -> miette::Report {
    let of_rows = lines.iter().filter(|line| line.starts_with("row ")).count();
    let counts = [(lines.len() - of_rows, "run"), (of_rows, "row")].into_iter();
    let counts: Vec<_> = counts.filter(|(n, _)| *n > 0).map(|(n, what)| counted(n, what)).collect();
    miette!(help = lines.join("\n"), "{} failed", counts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Published, Row};

    fn experiment(id: &str, beyond: bool, verdicts: &[Verdict]) -> Experiment {
        let row = |verdict: &Verdict| Row {
            id: id.into(),
            what: String::new(),
            unit: String::new(),
            published: Published::Value(1.0),
            measured: None,
            compared: vec![],
            rule: String::new(),
            verdict: *verdict,
            crosses: vec![],
            readings: vec![],
            explanation: None,
            others: vec![],
        };
        Experiment {
            id: id.into(),
            title: "two words".into(),
            notes: vec![],
            beyond,
            columns: vec![],
            asked: vec![],
            rows: verdicts.iter().map(row).collect(),
            figures: vec![],
            runs: vec![],
            fidelity: vec![],
            linux_hosts: vec![],
        }
    }

    /// What leaves the paper's setting stands in a table of its own, and each table has its own sum.
    #[test]
    fn what_goes_beyond_the_paper_is_counted_apart() {
        use Verdict::{NotReproduced, Partly, Reproduced};
        let experiments = [
            experiment("X-1", false, &[Reproduced, Reproduced, Partly]),
            experiment("X-A", true, &[NotReproduced]),
            experiment("X-2", false, &[Reproduced]),
        ];
        let [own, beyond]: [Vec<&Experiment>; 2] =
            [false, true].map(|b| experiments.iter().filter(|e| e.beyond == b).collect());
        let cells = |table: Table| -> Vec<Vec<String>> {
            let line = |line: &str| line.split_whitespace().map(str::to_owned).collect();
            table.to_string().lines().skip(2).map(line).collect()
        };
        let own = cells(verdicts(&own, "experiment"));
        assert_eq!(own[2], ["all", "3", "1", "0", "0", "0", "0"]);
        let beyond = cells(verdicts(&beyond, "beyond the paper"));
        assert_eq!((beyond.len(), &*beyond[0].join(" ")), (1, "X-A two words 0 0 1 0 0 0"));
    }
}
