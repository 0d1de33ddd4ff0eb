//! MPTCP's packet schedulers: which subflow sends the next chunk.

mod blest;

use crate::data::Outgoing;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

pub(crate) use blest::Blest;

/// Whether `subflow` is a regular subflow that may carry data, so that backups stay silent.
fn is_regular(subflow: &Subflow, cc: &Group) -> bool {
    !subflow.backup && subflow.is_usable(cc)
}

/// The subflows that may send now: those with room, backups only where no regular one works. One
/// that only its pacer holds back is told to wake the connection.
pub(crate) fn ready<'a>(
    subflows: &'a mut [Subflow],
    cc: &'a Group,
    now: Time,
) -> impl Iterator<Item = usize> + 'a {
    let regular = subflows.iter().any(|s| is_regular(s, cc));
    subflows.iter_mut().enumerate().filter_map(move |(i, subflow)| {
        if (subflow.backup && regular) || !subflow.has_room(cc) {
            return None;
        }
        if !subflow.tx.may_pace(now) {
            subflow.tx.wait_for_pacer();
            return None;
        }
        Some(i)
    })
}

/// What the schedulers remember.
#[derive(Clone, Debug)]
pub(crate) struct Picker {
    /// The subflow picked last.
    pub(crate) last: usize,
    pub(crate) blest: Blest,
}

impl Picker {
    pub(crate) fn new() -> Picker {
        Picker { last: 0, blest: Blest::new() }
    }

    /// Picks the subflow for the next chunk.
    pub(crate) fn pick(
        &mut self,
        scheduler: Scheduler,
        subflows: &mut [Subflow],
        cc: &Group,
        out: &Outgoing,
        now: Time,
    ) -> Option<usize> {
        let n = subflows.len();
        match scheduler {
            Scheduler::RoundRobin => ready(subflows, cc, now).min_by_key(|i| (i + n - self.last - 1) % n),
            Scheduler::MinRtt | Scheduler::Redundant | Scheduler::Linux => fastest_ready(subflows, cc, now),
            Scheduler::Blest => {
                let best = fastest_ready(subflows, cc, now)?;
                let regular = (0..n).filter(|i| is_regular(&subflows[*i], cc));
                // Backups have nothing to wait for where no regular subflow works.
                let Some(fast) = regular.min_by_key(|i| srtt(&subflows[*i])) else { return Some(best) };
                let window = out.window() as f64 / f64::from(out.mss());
                let waits =
                    fast != best && self.blest.waits(&subflows[fast], &subflows[best], cc, window, now);
                (!waits).then_some(best)
            }
        }
    }
}

fn srtt(subflow: &Subflow) -> Time {
    subflow.tx.rtt.smoothed()
}

fn fastest_ready(subflows: &mut [Subflow], cc: &Group, now: Time) -> Option<usize> {
    let ready = ready(subflows, cc, now).fold(0u32, |set, i| set | 1 << i);
    (0..subflows.len()).filter(|i| ready & 1 << i != 0).min_by_key(|i| srtt(&subflows[*i]))
}
