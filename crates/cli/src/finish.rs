//! Runs studies and standard cases for every command: progress, Ctrl-C, printed pages and the report.

use crate::interrupt;
use crate::output::{note, print, print_json};
use crate::pages::algorithm::standard_cases;
use crate::progress::Progress;
use anabranch::studies::SimulationRuns;
use anabranch::{Campaign, Error, Finished, Place, StudyResult, counted};
use std::{env, fs};

/// Runs the campaign for a provisional report, and prints no verdicts.
pub fn provisional(campaign: Campaign, place: Place) -> Result<(), Error> {
    interrupt::listen()?;
    let place = Place { laboratory: laboratory(), ..place };
    let report = place.out.join("report/index.html");
    campaign.run(place, &Progress::over_runs().watch(), &mut |_| ())?;
    print(&format!("Provisional report, of the quick size: {}", report.display()))
}

/// Runs the campaign, prints a page per paper or study and one for all algorithms, and writes the report.
pub fn run(
    campaign: Campaign,
    place: Place,
    json: bool,
    page: impl Fn(&StudyResult, &[SimulationRuns]) -> String + Sync,
) -> Result<(), Error> {
    interrupt::listen()?;
    let place = Place { laboratory: laboratory(), ..place };
    let (progress, mut unprinted, mut studies) = (Progress::over_runs(), None, 0);
    let outcome = campaign.run(place, &progress.watch(), &mut |finished| {
        if let Finished::Study(result, taken) = finished {
            studies += 1;
            let printed = progress.suspend(|| show(result, json, || page(result, taken)));
            unprinted = unprinted.take().or(printed.err());
        }
    });
    drop(progress);
    let outcome = outcome?;
    unprinted.map_or(Ok(()), Err)?;
    match (studies, outcome.algorithms.len()) {
        (_, 0) => {}
        (0, _) if json => print_json(&outcome.algorithms)?,
        (0, _) => print(&outcome.algorithms.iter().map(standard_cases).collect::<Vec<_>>().join("\n"))?,
        (_, n) => {
            let algorithms = counted(n, "algorithm");
            print(&format!("Standard cases of {algorithms}: see the algorithms page of the report\n"))?;
        }
    }
    let index = outcome.report()?;
    if !json {
        print(&format!("Report: {}", index.display()))?;
    }
    outcome.check()
}

/// Prints a result, and notes the missing figures.
pub fn show(result: &StudyResult, json: bool, page: impl FnOnce() -> String) -> Result<(), Error> {
    let printed = if json { print_json(&*result.shown()) } else { print(&page()) };
    for figure in result.experiments.iter().flat_map(|e| &e.figures) {
        if let Some(missing) = &figure.missing {
            note(&format!("figure {}: {missing}", figure.id));
        }
    }
    printed
}

/// The laboratory's page: `make page` puts it beside the binary, an installation into `share`.
pub fn laboratory() -> Option<String> {
    let binary = env::current_exe().ok()?;
    let folder = binary.parent()?.parent()?;
    let places = ["page/laboratory.html", "share/anabranch/laboratory.html"];
    places.iter().find_map(|place| fs::read_to_string(folder.join(place)).ok())
}
