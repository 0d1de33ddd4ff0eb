//! Order of sending in a connection: retransmissions, reinjections, new data, FINs.

use super::Connection;
use crate::incoming::Incoming;
use crate::network::Network;
use crate::packet::{Chunk, HEADER, Kind, Packet, flag};
use crate::schedule::{self, Holds};
use crate::scoreboard::Segment;
use crate::send_queues::SendQueues;
use crate::stream::SendStream;
use crate::subflow::{Stage, Subflow};
use crate::tso::{self, Burst};
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

impl Connection {
    /// Whether the connection has one path. Tests can send in the general order there, too.
    #[inline]
    fn has_only_path(&self) -> bool {
        #[cfg(test)]
        if crate::sender::GENERAL_ONLY.get() {
            return false;
        }
        !self.multipath
    }

    /// Whether the picked subflow `s` may send new data until it has to stop: the choice holds, and no chunk waits to be reinjected. After
    /// a pause it sends one segment first, as the algorithm learns of the pause, and may then allow other subflows more or less.
    #[inline]
    fn sends_in_turns(&self, s: usize, holds: Holds) -> bool {
        #[cfg(test)]
        if crate::sender::GENERAL_ONLY.get() {
            return false;
        }
        let board = &self.subflows[s].tx.board;
        let is_turn = holds != Holds::Chunk
            && board.nxt() > board.una()
            && self.out.can_cut()
            && !self.out.has_reinjections();
        #[cfg(test)]
        crate::sender::TURNS.set(crate::sender::TURNS.get() + u64::from(is_turn));
        is_turn
    }

    /// Sends what the windows allow, on every subflow.
    pub(super) fn push(&mut self, net: &mut Network) {
        if self.has_only_path() {
            return self.push_from(0, net);
        }
        for s in 0..self.subflows.len() {
            self.resend_lost(s, net);
            if self.tcp.tso {
                self.size_burst(s, net.now());
            }
        }
        self.send_new_data(net);
    }

    /// The same after an event on `s` only.
    #[inline]
    pub(super) fn push_from(&mut self, s: usize, net: &mut Network) {
        if self.has_only_path() && !self.tcp.tso {
            return self.push_on_the_only_path(net);
        }
        self.push_from_any(s, net);
    }

    #[inline(never)]
    fn push_from_any(&mut self, s: usize, net: &mut Network) {
        if self.has_only_path() {
            return self.push_bursts_on_the_only_path(net);
        }
        if self.subflows[s].tx.board.repairing {
            self.resend_lost(s, net);
        }
        if self.tcp.tso {
            self.size_burst(s, net.now());
        }
        self.send_new_data(net);
    }

    /// F-RTO: `s` has tried to send new data. Without any, retransmissions follow.
    #[cold]
    pub(super) fn end_frto_try(&mut self, s: usize, net: &mut Network) {
        if !self.subflows[s].tx.has_tried_new_data() {
            self.push_from(s, net);
        }
    }

    #[inline]
    pub(super) fn resend_lost(&mut self, s: usize, net: &mut Network) {
        let now = net.now();
        let subflow = &mut self.subflows[s];
        if !matches!(subflow.stage, Stage::Up | Stage::Closing) {
            return;
        }
        while let Some(seq) = subflow.tx.next_resend() {
            if !subflow.tx.has_room(&self.cc) || !subflow.tx.pace_or_wait(now) {
                return;
            }
            let segment = subflow.tx.resend(seq, now, &self.cc);
            Self::transmit(subflow, seq, segment, &mut self.incoming, net);
        }
    }

    #[inline]
    fn send_new_data(&mut self, net: &mut Network) {
        let now = net.now();
        if self.tcp.tso {
            self.send_bursts(net);
        } else if self.scheduler == Scheduler::Redundant {
            self.send_redundantly(net);
        } else if self.queues.is_some() {
            self.send_from_queues(net);
        } else {
            while let Some(s) = self.picker.pick(&mut self.subflows, &self.cc, &self.out, now) {
                let holds = self.picker.holds();
                if self.sends_in_turns(s, holds) {
                    let limited = self.send_new_data_on(s, net);
                    if limited && holds == Holds::LastTurn {
                        break;
                    }
                    continue;
                }
                let next = self.next_chunk(s, now).map(|(n, chunk)| (s, n, chunk));
                let Some((s, n, chunk)) = next.or_else(|| self.next_repeat(now)) else { break };
                self.picker.sent_on(s);
                self.send_chunk(s, n, chunk, 0, net);
            }
        }
        if self.out.is_sent() {
            self.finish(net);
        }
        for subflow in &mut self.subflows {
            let limited = subflow.is_stopped(&self.cc);
            Self::end_turn(subflow, limited, &self.out, net);
        }
    }

    /// After the turn of a subflow to send: reports what limited it, and sets its timer.
    #[inline(always)]
    pub(super) fn end_turn(subflow: &mut Subflow, limited: bool, out: &SendStream, net: &mut Network) {
        if subflow.is_up() {
            subflow.tx.note_usage(limited);
            if !limited {
                subflow.tx.note_app_limited(out, net.now());
            }
        }
        subflow.arm(&mut net.events);
    }

    /// The next chunk for `s`: a reinjection, new data, or, if the receive window is full, the
    /// blocking chunk (opportunistic retransmission: Raiciu et al., NSDI 2012, §4.2).
    #[inline]
    pub(super) fn next_chunk(&mut self, s: usize, now: Time) -> Option<(u64, Chunk)> {
        if self.multipath {
            if let Some(again) = self.out.next_reinjection(s) {
                self.reinjected += u64::from(again.1.len > 0);
                return Some(again);
            }
            if self.out.is_window_blocked() {
                self.picker.blocked();
                if self.penalise {
                    self.penalise_slower_than(s, now);
                }
                let una = self.out.una;
                let chunk = self.out.repeat_on(una, s)?;
                self.reinjected += u64::from(chunk.len > 0);
                return Some((una, chunk));
            }
        }
        self.out.cut(s)
    }

    /// The receive window is full while `fast` has room: penalises the blocking subflow (Raiciu et al., NSDI 2012, §4.2), at
    /// most once per its RTT and, as in out-of-tree MPTCP, only if it is slower and repairs no loss.
    fn penalise_slower_than(&mut self, fast: usize, now: Time) {
        let (blocking_subflows, limit) = (self.out.blocking_subflows(), self.subflows[fast].tx.rtt.smoothed);
        for (s, slow) in self.subflows.iter_mut().enumerate() {
            let rtt = slow.tx.rtt.smoothed;
            let due = now >= slow.penalised_at + rtt;
            if blocking_subflows & 1 << s != 0
                && rtt > limit
                && due
                && slow.is_up()
                && !slow.tx.is_repairing()
            {
                slow.penalised_at = now;
                self.cc.penalise(slow.tx.row);
                slow.meter.window(now, self.cc.path(slow.tx.row).cwnd);
            }
        }
    }

    /// A chunk to repeat on any subflow that may send, as the scheduler's choice has carried it before.
    pub(super) fn next_repeat(&mut self, now: Time) -> Option<(usize, u64, Chunk)> {
        if !self.multipath || !self.out.can_reinject() {
            return None;
        }
        let ready = schedule::ready(&mut self.subflows, &self.cc, now).fold(0u32, |set, s| set | 1 << s);
        let mut ready = (0..self.subflows.len()).filter(|s| ready & 1 << s != 0);
        ready.find_map(|s| self.next_chunk(s, now).map(|(n, chunk)| (s, n, chunk)))
    }

    /// As upstream Linux: assigns data to subflow queues, which the subflows send as their windows open.
    pub(super) fn send_from_queues(&mut self, net: &mut Network) {
        let now = net.now();
        loop {
            let Some(queues) = &mut self.queues else { return };
            let given = queues.fill(&self.subflows, &self.cc, &mut self.out);
            for s in 0..self.subflows.len() {
                if self.tcp.tso && given & 1 << s != 0 {
                    self.size_burst(s, now); // `mptcp_push_release`
                }
                while self.send_burst_from_queue(s, net) {
                    if self.tcp.tso {
                        self.size_burst(s, now);
                    }
                }
            }
            if self.queues.as_ref().is_none_or(|queues| !queues.has_left_out) {
                break;
            }
        }
        if let Some(queues) = &mut self.queues {
            queues.restart_timer(&self.subflows, &self.out, false, now);
        }
        self.arm_application(net);
    }

    /// Sends a burst from the queue of `s`; returns whether it was a full one.
    fn send_burst_from_queue(&mut self, s: usize, net: &mut Network) -> bool {
        let now = net.now();
        let holds = |queues: &SendQueues| queues.holds_unsent(s, &self.out);
        if !self.subflows[s].is_up() || !self.queues.as_deref().is_some_and(holds) {
            return false;
        }
        self.restart_if_idle(s, now);
        let subflow = &mut self.subflows[s];
        let (Some(queues), Burst::Send(segments)) = (&mut self.queues, subflow.burst) else { return false };
        let flags = if self.tcp.ecn { flag::ECT } else { 0 };
        for left in (0..segments).rev() {
            if !subflow.tx.has_room(&self.cc) || !subflow.tx.pace_or_wait(now) {
                return false;
            }
            let Some((n, chunk)) = queues.take(s, &mut self.out, &mut self.reinjected) else { return false };
            let flags = flags | tso::push(left, segments);
            let segment = Segment::new(n as u32, chunk.offset, chunk.len, flags);
            Self::send_on(subflow, segment, self.tcp.ecn, &mut self.incoming, &self.cc, net);
        }
        true
    }

    /// Every subflow sends every unacknowledged chunk.
    pub(super) fn send_redundantly(&mut self, net: &mut Network) {
        let now = net.now();
        for s in 0..self.subflows.len() {
            while schedule::ready(&mut self.subflows, &self.cc, now).any(|ready| ready == s) {
                let n = self.subflows[s].redundant_next.max(self.out.una);
                self.subflows[s].redundant_next = n;
                let next = match self.out.repeat_on(n, s) {
                    Some(chunk) => Some((n, chunk)),
                    None if n < self.out.nxt => {
                        self.subflows[s].redundant_next += 1; // this subflow cut it
                        continue;
                    }
                    None => self.out.cut(s),
                };
                let Some((n, chunk)) = next else { break };
                self.subflows[s].redundant_next = n + 1;
                self.send_chunk(s, n, chunk, 0, net);
            }
        }
    }

    /// Sends a chunk as a new segment of `s`, with these flags.
    #[inline]
    pub(super) fn send_chunk(&mut self, s: usize, n: u64, chunk: Chunk, flags: u8, net: &mut Network) {
        let ect = if self.tcp.ecn { flag::ECT } else { 0 };
        self.restart_if_idle(s, net.now());
        self.send_segment(s, Segment::new(n as u32, chunk.offset, chunk.len, ect | flags), net);
    }

    /// Restarts the window of `s` before new data, which also ends a burst sized by the old window.
    #[inline]
    pub(super) fn restart_if_idle(&mut self, s: usize, now: Time) {
        if self.tcp.slow_start_after_idle
            && self.subflows[s].tx.restart_if_idle(self.tcp.initial_window.into(), now, &mut self.cc)
            && self.tcp.tso
        {
            self.size_burst(s, now);
        }
    }

    #[inline(never)]
    pub(super) fn send_segment(&mut self, s: usize, segment: Segment, net: &mut Network) {
        Self::send_on(&mut self.subflows[s], segment, self.tcp.ecn, &mut self.incoming, &self.cc, net);
    }

    #[inline(always)] // a call costs more than what it saves
    fn send_on(
        subflow: &mut Subflow,
        segment: Segment,
        ecn: bool,
        incoming: &mut Incoming,
        cc: &Group,
        net: &mut Network,
    ) {
        let (len, now) = (u64::from(segment.len), net.now());
        Self::send_one(subflow, segment, ecn, false, incoming, cc, net);
        subflow.tx.sent_new(len.min(1), len, now);
    }

    /// The same, without what [`crate::sender::Sender::sent_new`] does after the last of several segments. `plain`: see
    /// [`crate::sender::Sender::sends_plainly`]; then without ECN.
    #[inline(always)]
    pub(super) fn send_one(
        subflow: &mut Subflow,
        mut segment: Segment,
        ecn: bool,
        plain: bool,
        incoming: &mut Incoming,
        cc: &Group,
        net: &mut Network,
    ) {
        segment.sent = net.now();
        let seq = subflow.tx.send_new(segment);
        if !plain {
            subflow.tx.measure_sent(seq, segment.sent, cc);
            if ecn && subflow.tx.take_cwr() {
                segment.flags |= flag::CWR;
            }
        }
        Self::transmit(subflow, seq, segment, incoming, net);
    }

    #[inline(always)] // keeps the segment in its caller's registers
    pub(super) fn transmit(
        subflow: &mut Subflow,
        seq: u64,
        segment: Segment,
        incoming: &mut Incoming,
        net: &mut Network,
    ) {
        let wire = segment.len + HEADER + incoming.dss.mapping;
        let mut packet = Packet::new(Kind::Data, subflow.id, subflow.life, wire, segment.sent);
        packet.seq = seq as u32;
        packet.data = segment.chunk;
        packet.len = segment.len;
        packet.flags = segment.flags;
        packet.offset = segment.offset;
        if !subflow.offers_ahead {
            return net.send(packet);
        }
        match net.offer(subflow.last_link, wire, packet.has(flag::ECT)) {
            Some((at, marked)) => {
                packet.flags |= if marked { flag::CE } else { 0 };
                subflow.receive_early(&packet, at, incoming, net);
            }
            // A copy: a packet without an address stays in registers.
            None => net.note_drop(&{ packet }),
        }
    }

    /// Closes the connection: a DATA_FIN once all data is sent, FINs once it is acknowledged (RFC 8684
    /// §3.3.3); plain TCP sends its FIN after the data.
    pub(super) fn finish(&mut self, net: &mut Network) {
        if !self.established {
            return;
        }
        if self.multipath && !self.fin_cut {
            let Some(s) = self.subflows.iter().position(|s| s.has_room(&self.cc)) else { return };
            let (n, fin) = self.out.cut_fin(s);
            self.fin_cut = true;
            self.send_chunk(s, n, fin, 0, net);
        }
        if self.multipath && !self.out.is_acked() {
            return;
        }
        self.fin_cut = true;
        for s in 0..self.subflows.len() {
            match self.subflows[s].stage {
                Stage::Up => {
                    let fin = Segment::new(0, 0, 0, flag::FIN);
                    self.send_segment(s, fin, net);
                    self.subflows[s].stage = Stage::Closing;
                }
                Stage::SynSent | Stage::Joining => {
                    net.delayed_acks.forget(self.subflows[s].id);
                    self.subflows[s].remove(net.now());
                }
                Stage::Idle | Stage::Closing | Stage::Closed => (),
            }
        }
    }
}
