//! What all commands do that run studies and standard cases: progress, Ctrl-C, pages and the report.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::{note, print, print_json, unless_closed};
use crate::pages::algorithm::standard_cases;
use crate::progress::Progress;
use anabranch::{Campaign, Finished, Place, Ran, StudyResult, counted};
use anabranch_study::Taken;
use std::{env, fs};

/// A campaign, and how it is told of.
pub struct Run {
    pub campaign: Campaign,
    pub place: Place,
    pub json: bool,
}

impl Run {
    /// Of papers and studies, each with its page.
    pub fn run(self, page: impl Fn(&StudyResult, &[Taken]) -> String + Sync) -> Result<(), Failure> {
        interrupt::listen()?;
        let (json, progress) = (self.json, Progress::over_runs());
        let mut printed = Ok(());
        let ran = self.campaign.run(self.place, &progress.watch(), &mut |finished| {
            if let Finished::Study(result, taken) = finished {
                let this = progress.aside(|| show(result, json, || page(result, taken)));
                printed = std::mem::replace(&mut printed, Ok(())).and(this);
            }
        });
        drop(progress);
        let ran = ran?;
        printed?;
        if !ran.algorithms.is_empty() {
            let algorithms = counted(ran.algorithms.len(), "algorithm");
            let page = "see the report's page on algorithms";
            unless_closed(print(&format!("Standard cases of {algorithms}: {page}\n")))?;
        }
        ran.whole(note)?;
        report(&ran, json)
    }

    /// Of algorithms, all on one page.
    pub fn algorithms(self) -> Result<(), Failure> {
        interrupt::listen()?;
        let progress = Progress::over_runs();
        let ran = self.campaign.run(self.place, &progress.watch(), &mut |_| ())?;
        drop(progress);
        ran.whole(note)?;
        unless_closed(match self.json {
            true => print_json(&ran.algorithms),
            false => print(&ran.algorithms.iter().map(standard_cases).collect::<Vec<_>>().join("\n")),
        })?;
        report(&ran, self.json)
    }
}

/// Prints a result, and notes which figures it could not have.
pub fn show(result: &StudyResult, json: bool, page: impl FnOnce() -> String) -> Result<(), Failure> {
    let printed = unless_closed(if json { print_json(result) } else { print(&page()) });
    for figure in result.experiments.iter().flat_map(|e| &e.figures) {
        if let Some(missing) = &figure.missing {
            note(&format!("figure {}: {missing}", figure.id));
        }
    }
    printed
}

/// Writes the report; where it is, unless standard output is JSON; and what failed.
fn report(ran: &Ran, json: bool) -> Result<(), Failure> {
    let index = ran.report(laboratory())?;
    if !json {
        print(&format!("Report: {}", index.display()))?;
    }
    Ok(ran.check()?)
}

/// The page that simulates, as `make page` leaves it beside the binary, or an installation in `share`.
fn laboratory() -> Option<String> {
    let binary = env::current_exe().ok()?;
    let folder = binary.parent()?.parent()?;
    let places = ["page/laboratory.html", "share/anabranch/laboratory.html"];
    places.iter().find_map(|place| fs::read_to_string(folder.join(place)).ok())
}
