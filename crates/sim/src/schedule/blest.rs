//! BLEST: skips a slow subflow that would block a fast one (Ferlin, Alay, Mehani, Boreli: "BLEST: Blocking
//! estimation-based MPTCP scheduler for heterogeneous networks", IFIP Networking 2016).

use super::{Rule, is_regular, least_ready, srtt};
use crate::stream::SendStream;
use crate::subflow::Subflow;
use anabranch_cc::Group;
use anabranch_net::Time;

/// λ at the start, its bounds, and its steps after a round trip with and without blocking: those of the authors'
/// module (`mptcp_blest.c` of out-of-tree MPTCP, 0.95).
const FIRST: f64 = 1.2;
const LEAST: f64 = 1.0;
const MOST: f64 = 1.3;
const MORE: f64 = 0.04;
const LESS: f64 = 0.01;

#[derive(Clone, Debug)]
pub(crate) struct Blest {
    /// Scales the estimate of the fast subflow's data.
    lambda: f64,
    adapted_at: Time,
    /// The receive window was full since then although a subflow had room.
    blocked: bool,
}

impl Default for Blest {
    fn default() -> Self {
        Blest { lambda: FIRST, adapted_at: Time::ZERO, blocked: false }
    }
}

impl Rule for Blest {
    fn pick(&mut self, subflows: &mut [Subflow], cc: &Group, out: &SendStream, now: Time) -> Option<usize> {
        let best = least_ready(subflows, cc, now, srtt)?;
        let regular = (0..subflows.len()).filter(|i| is_regular(&subflows[*i], cc));
        // Backups do not wait if no regular subflow is usable.
        let Some(fast) = regular.min_by_key(|i| srtt(&subflows[*i])) else { return Some(best) };
        let window = out.window() as f64 / f64::from(out.mss);
        let waits = fast != best && self.waits(&subflows[fast], &subflows[best], cc, window, now);
        (!waits).then_some(best)
    }

    #[inline]
    fn blocked(&mut self) {
        self.blocked = true;
    }
}

impl Blest {
    /// Whether the next chunk waits for `fast` instead of using `slow`, with a receive window of `window` segments.
    fn waits(&mut self, fast: &Subflow, slow: &Subflow, cc: &Group, window: f64, now: Time) -> bool {
        self.adapt(now, slow.tx.rtt.min);
        let rounds = lingers(slow).as_secs_f64() / fast.tx.rtt.smoothed_s();
        let more = self.lambda * sends(cc.path(fast.tx.row).cwnd, rounds);
        more + slow.tx.board.in_flight() as f64 + 1.0 > window
    }

    /// Once per round trip of the slow subflow.
    fn adapt(&mut self, now: Time, slow_rtt: Time) {
        if now < self.adapted_at + slow_rtt {
            return;
        }
        self.lambda += if self.blocked { MORE } else { -LESS };
        self.lambda = self.lambda.clamp(LEAST, MOST);
        self.blocked = false;
        self.adapted_at = now;
    }
}

/// The time that a segment sent now stays in flight. With no data in flight, the subflow's own queue is gone, but its
/// smoothed RTT still contains it, and an unused subflow gets no new samples.
fn lingers(slow: &Subflow) -> Time {
    let rtt = &slow.tx.rtt;
    if slow.tx.board.in_flight() == 0 { rtt.min.min(rtt.smoothed) } else { rtt.smoothed }
}

/// Segments that a subflow sends in `rounds` round trips, as its window grows by one in each.
fn sends(cwnd: f64, rounds: f64) -> f64 {
    (cwnd + (rounds - 1.0) / 2.0) * rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 round trips with windows of 10, 11, 12 and 13 segments.
    #[test]
    fn a_window_grows_by_a_segment_per_round_trip() {
        assert_eq!(sends(10.0, 4.0), 10.0 + 11.0 + 12.0 + 13.0);
        assert_eq!(sends(10.0, 1.0), 10.0);
    }

    #[test]
    fn lambda_follows_blocking_once_per_slow_round_trip() {
        let ms = Time::from_millis;
        let mut blest = Blest::default();
        let mut lambda = |blocked: bool, now: u64| {
            if blocked {
                blest.blocked();
            }
            blest.adapt(ms(now), ms(300));
            (blest.lambda * 1000.0).round() as u32
        };
        assert_eq!(lambda(true, 299), 1200);
        assert_eq!(lambda(false, 300), 1240); // it had blocked
        assert_eq!(lambda(true, 301), 1240);
        assert_eq!(lambda(false, 600), 1280);
        assert_eq!(lambda(true, 900), 1300); // at most
        assert_eq!(lambda(false, 1200), 1290);
        let calm = (5..100).map(|round| lambda(false, 300 * round)).last();
        assert_eq!(calm, Some(1000)); // at least
    }
}
