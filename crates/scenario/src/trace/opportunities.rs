//! mahimahi's files: one line per opportunity to deliver a full packet, in milliseconds.

use super::{LONGEST_NS, lines};
use crate::diagnostic::{Place, Problems};
use anabranch_net::{Time, TraceData};

/// Reads a trace with at least one line.
pub(super) fn read(whole: &Place, problems: &mut Problems) -> Option<(TraceData, Time)> {
    let mut at: Vec<Time> = Vec::new();
    for (place, line) in lines(whole) {
        let ms = line.parse::<u64>().ok().filter(|&ms| ms as f64 * 1e6 <= LONGEST_NS);
        let Some(time) = ms.map(Time::from_millis) else {
            let help = "each line is the time of one opportunity, in whole milliseconds: 0, 1, 2, …";
            let message = format!("`{line}` is not a time in milliseconds");
            return problems.refuse(&place, message, "not a whole number", help);
        };
        if let Some(&before) = at.last().filter(|&&before| before > time) {
            let ms = before.as_nanos() / 1_000_000;
            let help = "sort the lines; several opportunities may have the same time";
            return problems.refuse(&place, format!("{line} ms is before {ms} ms"), "out of order", help);
        }
        at.push(time);
    }
    let period = at.last().copied().unwrap_or_default();
    if period == Time::ZERO {
        let help = "the last line is the trace's length, after which it repeats";
        return problems.refuse(whole, "the trace has no length", "ends at 0 ms", help);
    }
    Some((TraceData::Opportunities(at.into()), period))
}
