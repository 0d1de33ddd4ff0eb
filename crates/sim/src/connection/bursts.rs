//! Sending of new data in bursts, by hosts with segmentation offload.

use super::Connection;
use crate::network::Network;
use crate::packet::flag;
use crate::scoreboard::Segment;
use crate::tso::{self, Buffer, Burst, BurstState};
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

impl Connection {
    /// Sends new data in bursts, each on the subflow that the scheduler picks or, with `linux`, that has it in its queue.
    /// With `redundant`, subflows that no longer wait fill their windows.
    pub(super) fn send_bursts(&mut self, net: &mut Network) {
        if self.queues.is_some() {
            return self.send_from_queues(net);
        }
        let now = net.now();
        for s in 0..self.subflows.len() {
            self.size_burst(s, now);
        }
        if self.multipath && self.scheduler == Scheduler::Redundant {
            return self.send_redundantly(net);
        }
        while let Some(s) = self.picker.pick(&mut self.subflows, &self.cc, &self.out, now) {
            if self.out.can_cut() || self.out.can_reinject() {
                self.restart_if_idle(s, now);
            }
            self.size_burst(s, now);
            let Burst::Send(segments) = self.subflows[s].burst else { return };
            for left in (0..segments).rev() {
                let next = self.next_chunk(s, now).map(|(n, chunk)| (s, n, chunk));
                let Some((s, n, chunk)) = next.or_else(|| self.next_repeat(now)) else { return };
                self.picker.sent_on(s);
                self.send_chunk(s, n, chunk, tso::push(left, segments), net);
            }
            self.size_burst(s, now);
        }
    }

    /// Sends what the window of the only path allows, in bursts: retransmissions, new data, a FIN.
    pub(super) fn push_bursts_on_the_only_path(&mut self, net: &mut Network) {
        if self.subflows[0].tx.board.repairing {
            self.resend_lost(0, net);
        }
        self.send_bursts_on_the_only_path(net);
        if self.out.is_sent() {
            self.finish(net);
        }
        let subflow = &mut self.subflows[0];
        let limited = subflow.is_stopped(&self.cc);
        Self::end_turn(subflow, limited, &self.out, net);
    }

    /// Sends new data on the only path, in bursts.
    fn send_bursts_on_the_only_path(&mut self, net: &mut Network) {
        let now = net.now();
        let flags = if self.tcp.ecn { flag::ECT } else { 0 };
        while self.subflows[0].is_up() && self.subflows[0].tx.has_room(&self.cc) {
            self.size_burst(0, now);
            if !self.subflows[0].has_room(&self.cc) || !self.subflows[0].tx.pace_or_wait(now) {
                return;
            }
            if self.out.can_cut() {
                self.restart_if_idle(0, now);
            }
            let subflow = &mut self.subflows[0];
            let Burst::Send(segments) = subflow.burst else { return };
            let plain = !self.tcp.ecn && subflow.tx.sends_plainly(self.cc.path(subflow.tx.row));
            let (first, from) = (subflow.tx.board.nxt(), self.out.cut_bytes);
            for left in (0..segments).rev() {
                let Some((n, chunk)) = self.out.cut(0) else { break };
                let flags = flags | tso::push(left, segments);
                let segment = Segment::new(n as u32, chunk.offset, chunk.len, flags);
                Self::send_one(subflow, segment, self.tcp.ecn, plain, &mut self.incoming, &self.cc, net);
            }
            let sent = subflow.tx.board.nxt() - first;
            if sent > 0 {
                subflow.tx.sent_new(sent, self.out.cut_bytes - from, now);
            }
            if sent < segments {
                return; // data or the receive window has ended
            }
        }
    }

    /// Sets the next burst of subflow `s`.
    pub(super) fn size_burst(&mut self, s: usize, now: Time) {
        let subflow = &mut self.subflows[s];
        if !subflow.is_up() {
            return;
        }
        let (tx, board) = (&subflow.tx, &subflow.tx.board);
        let path = self.cc.path(tx.row);
        let outstanding = board.nxt() - board.una();
        let of_window = || tso::pacing_rate(path.cwnd, path.ssthresh, outstanding, tx.rtt.smoothed_s());
        let mss = u64::from(self.out.mss);
        let sent = |seq| (outstanding > 0).then(|| board.get(seq).sent);
        subflow.burst = tso::decide(&BurstState {
            now,
            last_sent: sent(board.nxt().wrapping_sub(1)).unwrap_or(Time::ZERO),
            head_sent: sent(board.una()),
            srtt: tx.rtt.smoothed,
            recovering: tx.is_repairing(),
            cwnd: tx.window(path),
            in_flight: board.in_flight(),
            offered: self.out.window(),
            receivable: self.out.receivable(),
            buffer: match &self.queues {
                Some(queues) => queues.first_buffer(s, mss),
                // Each scheduling decision makes its own.
                None if self.multipath => Buffer { bytes: self.out.unsent(), movable: 0, is_last: true },
                None => self.out.first_buffer(),
            },
            // What a queue holds last is not the end of the stream, and carries no FIN.
            closed: self.queues.is_none() && self.out.closed,
            mss,
            largest: tso::largest(path.pacing_rate.unwrap_or_else(of_window) * mss as f64, tx.rtt.min, mss),
        });
    }
}
