//! Files with traces that links follow.

mod columns;
mod opportunities;

use crate::diagnostic::{Place, Problems};
use anabranch_net::{Time, TraceData};

/// The longest trace, in nanoseconds.
const LONGEST_NS: f64 = 1e18;

/// The lines that are not empty and not comments, each with its place.
pub(crate) fn lines(whole: &Place) -> impl Iterator<Item = (Place, &str)> {
    let lines = whole.text().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(move |line| (whole.locate(line), line))
}

/// Reads a trace and its length: opportunities, as in mahimahi's files, if the first line is a number, else columns.
pub(crate) fn read(whole: &Place, problems: &mut Problems) -> Option<(TraceData, Time)> {
    let first = lines(whole).next();
    let Some((_, line)) = first else {
        let help = "one line per opportunity, in milliseconds, or columns under `time (s),rate (Mbit/s)`";
        return problems.refuse(whole, "the trace is empty", "nothing in it", help);
    };
    match line.parse::<f64>() {
        Ok(_) => opportunities::read(whole, problems),
        Err(_) => columns::read(whole, problems),
    }
}
