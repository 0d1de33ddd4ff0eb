//! MPTCP's packet schedulers: which subflow sends the next chunk.

use crate::data::Outgoing;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

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

/// Picks the subflow for the next chunk. `last` is the one picked before.
pub(crate) fn pick(
    scheduler: Scheduler,
    subflows: &mut [Subflow],
    cc: &Group,
    out: &Outgoing,
    last: usize,
    now: Time,
) -> Option<usize> {
    let n = subflows.len();
    match scheduler {
        Scheduler::RoundRobin => ready(subflows, cc, now).min_by_key(|i| (i + n - last - 1) % n),
        Scheduler::MinRtt | Scheduler::Redundant => fastest_ready(subflows, cc, now),
        Scheduler::Blest => {
            let best = fastest_ready(subflows, cc, now)?;
            let fast =
                (0..n).filter(|i| is_regular(&subflows[*i], cc)).min_by_key(|i| srtt(&subflows[*i]))?;
            let blocks = fast != best && would_block(&subflows[fast], &subflows[best], cc, out);
            (!blocks).then_some(best)
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

/// BLEST (Ferlin et al. 2016, Eq. 1–3, λ = 1): while a segment crosses the slow subflow, the fast one could
/// send X segments; if these and it do not fit into the send window, waiting is better.
fn would_block(fast: &Subflow, slow: &Subflow, cc: &Group, out: &Outgoing) -> bool {
    let rounds = srtt(slow).as_secs_f64() / srtt(fast).as_secs_f64();
    let x = (cc.path(fast.tx.row()).cwnd + (rounds - 1.0) / 2.0) * rounds;
    let slow_segments = slow.tx.board.in_flight() as f64 + 1.0;
    (x + slow_segments) * f64::from(out.mss()) > out.window() as f64
}
