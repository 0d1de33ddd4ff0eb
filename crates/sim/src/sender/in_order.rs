//! An ACK in order: nothing is lost, marked, selectively acknowledged or retransmitted. Most ACKs are. The effect is the same as by
//! the general rules of `on_any_ack`, in a page.

use super::{Phase, Sender};
use crate::packet::{Packet, flag, widen};
use crate::scoreboard::RoundTrip;
use anabranch_cc::Group;
use anabranch_net::Time;

#[cfg(test)]
thread_local! {
    /// Whether every ACK and all sending take the general way, and how many ACKs did not, for tests.
    pub(crate) static GENERAL_ONLY: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
    pub(crate) static IN_ORDER: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    /// How many turns subflows had.
    pub(crate) static TURNS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Sender {
    /// Handles an ACK in order, and returns the RTT of the last segment that it acknowledges. Of another ACK, returns `None`
    /// and changes nothing.
    #[inline]
    pub(super) fn on_ack_in_order(&mut self, packet: &Packet, now: Time, cc: &mut Group) -> Option<Time> {
        if self.phase != Phase::Open || self.probe.is_some() || self.rates.is_some() {
            return None;
        }
        // Without SACK blocks no DSACK, and in `Phase::Open` only a DSACK undoes a reduction.
        if packet.sack != 0 || packet.has(flag::ECE) {
            return None;
        }
        let acked = widen(self.board.una(), packet.seq);
        let delivered = self.board.in_order(acked)?;
        let newest = (delivered.last, acked - 1);
        if !self.rack.is_content(newest) {
            return None;
        }
        #[cfg(test)]
        if GENERAL_ONLY.get() {
            return None;
        }
        #[cfg(test)]
        IN_ORDER.set(IN_ORDER.get() + 1);

        self.board.acknowledge_in_order(acked);
        let rtt = RoundTrip { first: now.since(delivered.first), last: now.since(delivered.last) };
        self.rtt.sample(rtt);
        self.rack.on_delivered_in_order(newest, rtt.last);
        self.reorder_at = Time::NEVER;
        self.counters.delivered_bytes += delivered.bytes;
        self.count_round();
        self.report(delivered.segments, true, Some(rtt.last), None, now, cc);
        self.restart_timers(now);
        Some(rtt.last)
    }
}
