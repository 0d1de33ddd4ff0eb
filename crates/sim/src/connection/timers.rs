//! Timers of a connection and their events.

use super::{Connection, TARGETS_PER_SUBFLOW};
use crate::network::Network;
use crate::sender::TimerAction;
use crate::subflow::Stage;
use anabranch_net::Time;
use anabranch_scenario::Scheduler;

impl Connection {
    pub(crate) fn on_timer_event(&mut self, s: usize, net: &mut Network) {
        let now = net.now();
        let subflow = &mut self.subflows[s];
        if subflow.timer_event != now {
            return; // void
        }
        subflow.timer_event = Time::NEVER;
        if now >= subflow.handshake_at {
            match subflow.stage {
                Stage::SynSent => self.send_syn(s, net),
                Stage::Joining | Stage::Up => self.send_handshake_ack(s, net),
                Stage::Idle | Stage::Closing | Stage::Closed => subflow.handshake_at = Time::NEVER,
            }
        } else if now >= subflow.tx.deadline() {
            match subflow.tx.on_timer(now, &mut self.cc) {
                TimerAction::Nothing => self.push_from(s, net),
                TimerAction::Probe => self.probe(s, net),
                TimerAction::Timeout { first } => {
                    let waits = self.queues.is_some() || self.scheduler == Scheduler::Redundant;
                    if first && self.multipath && !waits {
                        self.out.reinject(self.subflows[s].tx.board.chunks());
                    }
                    // RFC 6298 §5.4, `tcp_retransmit_timer`: regardless of the window.
                    self.retransmit(s, self.subflows[s].tx.board.una(), net);
                    self.push_from(s, net);
                }
            }
            let subflow = &mut self.subflows[s];
            if subflow.is_up() {
                subflow.meter.window(now, self.cc.path(subflow.tx.row).cwnd);
            }
        }
        self.subflows[s].arm(&mut net.events);
    }

    /// Sends a tail loss probe: new data if there is any, else the last segment again (RFC 8985 §7.3).
    pub(super) fn probe(&mut self, s: usize, net: &mut Network) {
        let new = match &mut self.queues {
            _ if !self.subflows[s].is_up() => None,
            Some(queues) => queues.take(s, &mut self.out, &mut self.reinjected),
            None => self.out.cut(s),
        };
        let resent = new.is_none();
        match new {
            Some((n, chunk)) => self.send_chunk(s, n, chunk, 0, net),
            None => self.retransmit(s, self.subflows[s].tx.board.nxt() - 1, net),
        }
        self.subflows[s].tx.begin_probe(resent, net.now());
    }

    /// Retransmits segment `seq` of `s`, regardless of its window and pacer.
    fn retransmit(&mut self, s: usize, seq: u64, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let segment = subflow.tx.resend(seq, net.now(), &self.cc);
        Self::transmit(subflow, seq, segment, &mut self.incoming, net);
    }

    /// Schedules the event that the application shares with the retransmission timer of the connection.
    pub(super) fn arm_application(&mut self, net: &mut Network) {
        let retransmit_at = self.queues.as_ref().map_or(Time::NEVER, |queues| queues.retransmit_at);
        let at = self.application.next_at.min(retransmit_at);
        if at < self.application_event {
            self.application_event = at.max(net.now());
            let target = self.targets + TARGETS_PER_SUBFLOW * self.subflows.len() as u32;
            net.events.schedule(self.application_event, target);
        }
    }

    pub(crate) fn on_application_event(&mut self, net: &mut Network) {
        if self.application_event != net.now() {
            return; // void
        }
        self.application_event = Time::NEVER;
        if self.application.next_at <= net.now() {
            let (received, mss) = (self.incoming.stream.bytes, self.out.mss);
            if self.application.on_time(net.now(), &mut self.out, received, mss) {
                self.send_request(net);
            }
            self.push(net);
        }
        if let Some(queues) = &mut self.queues
            && queues.retransmit_at <= net.now()
        {
            queues.on_timeout(&self.subflows, &self.cc, &mut self.out);
            self.push(net);
        }
        self.arm_application(net);
    }
}
