//! `anabranch study`: runs a study file, judges it and writes the report.

pub mod args;
mod cluster;

use crate::finish;
use crate::output::{note, note_warnings, print};
use crate::pages::study::verdicts_and_rows;
use crate::shared_args::option;
use anabranch::records::quoted;
use anabranch::studies::{Kind, RunCache, Study};
use anabranch::{Campaign, Error, Options, Place, Size, counted, describe_extent, open_study, store};
use args::{StudyArgs, StudyCommand, StudyRunArgs};
use std::path::Path;
use std::sync::Arc;

impl StudyRunArgs {
    fn open(&self) -> Result<Arc<Study>, Error> {
        open_study(self.file(), &self.at)
    }

    fn campaign(&self, study: &Arc<Study>) -> Result<Campaign, Error> {
        Campaign::new(Kind::Study, std::slice::from_ref(study), self.options(), self.backend)
    }

    fn place(&self, study: &Study) -> Place {
        self.kept.place(&study.name, command(self))
    }
}

pub fn study(args: &StudyArgs) -> Result<(), Error> {
    match &args.command {
        Some(StudyCommand::Check { file }) => check(file),
        Some(StudyCommand::Status(args)) => status(args),
        None => run(&args.run),
    }
}

fn run(args: &StudyRunArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let study = args.open()?;
    args.backend.ready()?;
    let campaign = args.campaign(&study)?;
    note_warnings(&campaign.warnings());
    if let Some(dask) = &args.dask {
        // Each worker has its own memory, and the duration depends on the number of workers.
        campaign.check(None, args.yes)?;
        return cluster::run(args, dask, &campaign, args.place(&study));
    }
    campaign.check(Some(rayon::current_num_threads()), args.yes)?;
    finish::run(campaign, args.place(&study), args.json, |result, _| verdicts_and_rows(result))
}

fn check(path: &Path) -> Result<(), Error> {
    let study = open_study(path, &[])?;
    let mut lines = vec![format!("{}: {}", study.name, study.title)];
    let mut warnings = vec![];
    for size in Size::ALL {
        let options = Options { size, ..Options::default() };
        let campaign = Campaign::new(Kind::Study, std::slice::from_ref(&study), options, &anabranch::SIM)?;
        warnings.extend(campaign.warnings());
        lines.extend(
            campaign.simulations().map(|all| format!("  {:<8} {}", size.name(), describe_extent(all))),
        );
    }
    warnings.sort();
    warnings.dedup();
    note_warnings(&warnings);
    let rows: usize = study.experiments.iter().map(|d| d.plan(Default::default()).row_ids().count()).sum();
    lines.push(format!("  {} in {}", counted(rows, "row"), counted(study.experiments.len(), "experiment")));
    print(&lines.join("\n"))
}

fn status(args: &StudyRunArgs) -> Result<(), Error> {
    args.jobs.apply()?;
    let study = args.open()?;
    let campaign = args.campaign(&study)?;
    let mut lines = vec![];
    for simulations in campaign.simulations() {
        lines.push(format!("{}: {}", study.name, describe_extent(simulations)));
        if let Some(folder) = args.place(&study).store.filter(|folder| folder.is_dir()) {
            let kept = store::open(&folder, note).map_or(0, |kept| simulations.found(&kept as &dyn RunCache));
            let all = simulations.keepable();
            let resume = "`anabranch study` runs only the missing ones";
            lines.push(format!("  {kept} of the {all} runs without samples over time are kept; {resume}"));
        }
    }
    let done = args.kept.out(&study.name).join("studies").join(format!("{}.json", study.name));
    let found = anabranch::status(&study, &args.options(), &done)?;
    lines.push(format!("  {}: {found}", done.display()));
    print(&lines.join("\n"))
}

fn command(args: &StudyRunArgs) -> String {
    let name = quoted(&args.file().display().to_string());
    let (size, variants) = (args.size.command(), args.variants.command());
    let only = option("only", &args.only);
    let at = option("at", args.at.iter().map(|(axis, values)| format!("{axis}={}", values.join(","))));
    let backend = args.backend.options(args.linux_hosts);
    format!("anabranch study {name}{size}{only}{at}{variants}{backend}")
}
