//! `anabranch paper`: runs and judges the experiments of papers and writes the report.

use crate::finish::{self, run};
use crate::interrupt;
use crate::output::{note, print};
use crate::pages::study::verdicts;
use crate::progress::Progress;
use crate::shared_args::{Jobs, SizeArgs, VariantArgs, backend, option};
use crate::table::{Table, paragraph};
use anabranch::algorithms::registry;
use anabranch::studies::{Kind, Results, file::Heading};
use anabranch::{Campaign, Error, Options, Place, Runner, Size, input_error};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  anabranch paper list
  anabranch paper all --quick
  anabranch paper coupled-cubic
  anabranch paper A,B --full --seeds 20 --out out-full
  anabranch paper coupled-cubic --only A-T4
  anabranch paper coupling-cubic --only E-1000
  anabranch paper B --quick --backend kernel
  anabranch paper D --only D-F8 --seeds 2 --backend kernel --measure studies/linux";

/// Lists the papers by letter, name and title, and the examples.
pub fn help() -> String {
    let entry = |p: Heading| paragraph("  ", "      ", &format!("{}, {}: {}", p.id, p.name, p.title));
    let papers: String = anabranch::papers::headings().map(entry).collect();
    format!("Papers:\n{papers}\n{EXAMPLES}")
}

#[derive(Debug, Args)]
pub struct PaperArgs {
    /// Papers by name or letter, separated by commas; `all`; or `list`, which prints the papers and their experiments.
    #[arg(value_name = "PAPER,…", value_delimiter = ',', required = true)]
    pub papers: Vec<String>,
    #[command(flatten)]
    pub size: SizeArgs,
    /// Run only this experiment, table or figure, such as A-T4.
    #[arg(long, value_name = "ID")]
    pub only: Option<String>,
    #[command(flatten)]
    pub variants: VariantArgs,
    /// Also run the papers' own experiments on another backend, and show its values beside the simulator's. `kernel` needs
    /// root and runs in real time.
    #[arg(long, value_parser = backend(), default_value = "sim")]
    pub backend: &'static Runner,
    /// Also simulate everything with the Linux-accurate host model, in a column beside the default. A kernel as the backend implies this.
    #[arg(long)]
    pub linux_hosts: bool,
    /// Run even if it takes more than an hour.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub jobs: Jobs,
    /// The folder that gets `papers/`, `algorithms/` and `report/`.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace earlier results of another size, more seeds, another version or another study file.
    #[arg(long)]
    pub replace: bool,
    /// First run the quick size and write a report that is marked as provisional, and rewrite it after each paper.
    #[arg(long, conflicts_with_all = ["quick", "seeds", "only"])]
    pub quick_first: bool,
    /// Only measure: run the papers' own experiments, or the one of `--only`, on the Linux kernel of `--backend`, and add each run
    /// to this folder's file of measurements. The next build shows them. Runs that the file has are not repeated. The running
    /// kernel needs an idle machine.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["linux_hosts", "quick_first", "keep_runs", "out", "replace"])]
    pub measure: Option<PathBuf>,
    /// Only measure what was measured before: the scenarios of the shipped measurements, with as many seeds, after a change of
    /// scenarios, algorithms or the kernel.
    #[arg(long, requires = "measure", conflicts_with_all = ["quick", "seeds"])]
    pub renew: bool,
    /// Keep the runs in `store/` of that folder after the end, so that the next command can reuse them.
    #[arg(long)]
    pub keep_runs: bool,
}

pub fn paper(args: &PaperArgs) -> Result<(), Error> {
    if args.papers == ["list"] {
        return list();
    }
    args.jobs.apply()?;
    let papers = anabranch::papers(&args.papers)?;
    let runner = args.backend;
    if args.measure.is_some() && !runner.is_kernel() {
        let help = Some("add --backend kernel, or a guest's kernel");
        return Err(input_error(format!("`--measure` measures on Linux, not on `{}`", runner.name()), help));
    }
    runner.ready()?;
    let options = Options {
        size: args.size.size(),
        seeds: args.size.seeds,
        only: args.only.clone(),
        without_variants: args.variants.no_variants,
        beside: [runner.variants(args.linux_hosts), anabranch::measured_beside(runner).collect()].concat(),
    };
    if let Some(folder) = &args.measure {
        interrupt::listen()?;
        let progress = Progress::over_runs();
        return anabranch::measure(&papers, &options, runner, folder, args.renew, &progress.watch());
    }
    let mut campaign = Campaign::new(Kind::Paper, &papers, options.clone(), runner)?;
    campaign.check(None, args.yes)?;
    if args.papers.iter().any(|name| name == "all") && args.only.is_none() {
        campaign = campaign.with_algorithms(registry::ALL)?;
    }
    let place = place(args);
    if args.quick_first {
        campaign.check_earlier(&Results::open(&place.out, note)?, place.replace)?;
        let quick = Options { size: Size::Quick, ..options.clone() };
        let missing = anabranch::without_result(&papers, &options, &place.out)?;
        let first = Campaign::new(Kind::Paper, &missing, quick, runner)?;
        finish::provisional(first, Place { drop_runs: false, replace: true, ..place.clone() })?;
        return run(campaign, Place { replace: true, ..place }, false, |result, _| verdicts(result));
    }
    run(campaign, place, false, |result, _| verdicts(result))
}

fn place(args: &PaperArgs) -> Place {
    Place {
        out: args.out.clone(),
        command: command(args),
        store: Some(args.out.join("store")),
        drop_runs: !args.keep_runs,
        replace: args.replace,
        provisional: args.quick_first,
        ..Place::default()
    }
}

/// Prints the papers and the values of `--only` for each.
fn list() -> Result<(), Error> {
    let papers = anabranch::papers::all().iter().map(|paper| {
        let table = Table::new()
            .text("--only", paper.experiments.iter().map(|d| d.ids.join(", ")))
            .text("experiment", paper.experiments.iter().map(|d| &d.title));
        let heading = format!("{}, {}: {}", paper.id, paper.name, paper.title);
        paragraph("", "", &heading) + &table.to_string()
    });
    print(&papers.collect::<Vec<_>>().join("\n"))
}

fn command(args: &PaperArgs) -> String {
    let (size, variants) = (args.size.command(), args.variants.command());
    let (papers, only) = (args.papers.join(","), option("only", &args.only));
    let first = if args.quick_first { " --quick-first" } else { "" };
    let backend = args.backend.options(args.linux_hosts);
    format!("anabranch paper {papers}{size}{only}{variants}{first}{backend}")
}
