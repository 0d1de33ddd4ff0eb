//! The text of traces.

use crate::diagnostic::Place;

/// The longest trace, in nanoseconds.
pub(super) const LONGEST_NS: f64 = 1e18;

/// The lines that are not empty and not comments, each with its place.
pub(crate) fn lines(whole: &Place) -> impl Iterator<Item = (Place, &str)> {
    let lines = whole.text().lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(move |line| (whole.locate(line), line))
}
