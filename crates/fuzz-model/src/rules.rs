//! The rules of every algorithm after every event.

use anabranch_cc::registry::Entry;
use anabranch_cc::{Ack, Group, MAX_CWND, MIN_CWND, MIN_SSTHRESH, Path};
use std::fmt;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No event makes an algorithm panic.
    Panic,
    /// The window of a path in use is a number from [`MIN_CWND`] to [`MAX_CWND`].
    Window,
    /// The threshold is a number not below [`MIN_SSTHRESH`], or [`MIN_CWND`] where it has a `floor`; or infinite.
    Threshold,
    /// The pacing rate, where there is one, is finite and above 0.
    PacingRate,
    /// Observables are finite, or NaN where one has no value.
    Observable,
    /// An event changes its own path's row only; of the others `barred` and `counts` may change.
    OtherRow,
    /// An acknowledgement raises the window by no more than it acknowledged, and not at all where
    /// the window did not limit the sender. Algorithms that take acknowledgements together raise it by no more than these
    /// acknowledged together. Algorithms that model their paths follow the model instead.
    Growth,
    /// A congestion signal raises no window, except to the two segments of RFC 5681.
    Reduction,
    /// A signal that is undone at once leaves the path as it was, and past slow start the observables.
    Undo,
    /// A path leaves no trace: nothing else changes where it was acknowledged something just before it
    /// left, where events arrive for it afterwards, or where a path visited without carrying anything.
    Trace,
    /// Once all paths have left, the connection is like a new one.
    Fresh,
    /// A single-path algorithm treats each path as if it were alone.
    Alone,
}

/// A violated rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Details.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.detail)
    }
}

pub(crate) type Verdict = Result<(), Violation>;

pub(crate) fn hold(rule: Rule, holds: bool, detail: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(Violation { rule, detail: detail() }) }
}

/// The bounds of a row in use.
pub(crate) fn bounds(entry: &Entry, r: usize, path: &Path) -> Verdict {
    let shown = |what: &str, x: f64| format!("{what} of row {r} is {x:?}");
    hold(Rule::Window, (MIN_CWND..=MAX_CWND).contains(&path.cwnd), || shown("window", path.cwnd))?;
    let least = if entry.params.iter().any(|p| p.name == "floor") { MIN_CWND } else { MIN_SSTHRESH };
    hold(Rule::Threshold, path.ssthresh >= least, || shown("threshold", path.ssthresh))?;
    let rate = path.pacing_rate.unwrap_or(1.0);
    hold(Rule::PacingRate, rate.is_finite() && rate > 0.0, || shown("pacing rate", rate))
}

/// The observables of a row; for unused rows they need only be computable.
pub(crate) fn observables(entry: &Entry, group: &Group, r: usize, out: &mut [f64]) -> Verdict {
    group.observe(r, out);
    if !group.path(r).active {
        return Ok(());
    }
    for (observable, x) in entry.observables.iter().zip(out) {
        hold(Rule::Observable, !x.is_infinite(), || format!("`{}` of row {r} is {x:?}", observable.name))?;
    }
    Ok(())
}

/// All rows except `r` are unchanged.
pub(crate) fn other_rows(r: usize, before: &[Path], after: &[Path]) -> Verdict {
    for (i, (old, new)) in before.iter().zip(after).enumerate().filter(|(i, _)| *i != r) {
        let mut same = *new;
        (same.barred, same.counts) = (old.barred, old.counts);
        hold(Rule::OtherRow, *old == same, || {
            format!("an event on row {r} changed row {i} from {old:?} to {new:?}")
        })?;
    }
    Ok(())
}

/// The largest growth of the window by an acknowledgement.
pub(crate) fn growing(ack: &Ack) -> f64 {
    if ack.cwnd_limited { ack.acked } else { 0.0 }
}

/// Checks that an acknowledgement grows the window by at most `most`.
pub(crate) fn growth(ack: &Ack, most: f64, before: f64, after: f64) -> Verdict {
    hold(Rule::Growth, after - before <= most + 1e-9 * (most + before), || {
        format!("from {before:?} to {after:?} for {ack:?}")
    })
}

/// The growth of a model-based window: from what it was, from a former window that returns, or from its least
/// of four segments, by what was delivered.
pub(crate) fn growth_by_model(ack: &Ack, before: &Path, after: f64) -> Verdict {
    let from = before.largest_cwnd.max(4.0);
    hold(Rule::Growth, after <= (from + ack.delivered) * (1.0 + 1e-9), || {
        format!("from {} to {after:?} for {ack:?}", before.cwnd)
    })
}

/// The effect of a congestion signal.
pub(crate) fn reduction(before: f64, after: f64) -> Verdict {
    hold(Rule::Reduction, after <= before.max(MIN_SSTHRESH), || format!("from {before:?} to {after:?}"))
}
