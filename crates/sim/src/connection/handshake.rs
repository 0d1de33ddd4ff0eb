//! Handshakes of connections and subflows, packet by packet (RFC 9293 §3.5, RFC 8684 §3.1, §3.2).

use super::Connection;
use crate::network::Network;
use crate::packet::{HEADER, Kind, Packet, SYN_BYTES, flag};
use crate::receiver::Receiver;
use crate::rtt::Rtt;
use crate::scoreboard::RoundTrip;
use crate::sender::Sender;
use crate::subflow::Stage;
use anabranch_net::Time;

/// Timeout of a handshake packet (RFC 6298 §2.1); it doubles with each retransmission.
const HANDSHAKE_RTO: Time = Time::from_millis(1000);

impl Connection {
    pub(super) fn send_syn(&mut self, s: usize, net: &mut Network) {
        let joins = self.established;
        let subflow = &mut self.subflows[s];
        if subflow.handshake_tries == 0 {
            subflow.opened_at = net.now();
        }
        subflow.stage = Stage::SynSent;
        subflow.wanted = true;
        let mut syn = Packet::new(Kind::Syn, subflow.id, subflow.life, SYN_BYTES, net.now());
        syn.flags = if joins { flag::JOIN } else { 0 };
        net.send(syn);
        self.await_answer(s, net);
    }

    /// Schedules the retransmission of the handshake packet on `s`.
    fn await_answer(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        subflow.handshake_at = net.now() + HANDSHAKE_RTO.times(1 << subflow.handshake_tries.min(6));
        if subflow.handshake_tries > 0 && matches!(subflow.stage, Stage::SynSent | Stage::Joining) {
            // The receiver may answer again between segments.
            (subflow.ahead, subflow.offers_ahead) = (false, false);
            net.routes.set_ahead(subflow.id, false);
        }
        subflow.handshake_tries += 1;
        subflow.arm(&mut net.events);
    }

    pub(super) fn on_syn(&mut self, s: usize, syn: &Packet, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let mut answer = Packet::new(Kind::SynAck, subflow.id, subflow.life, SYN_BYTES, syn.stamp);
        answer.flags = syn.flags;
        net.send(answer);
    }

    pub(super) fn on_syn_ack(&mut self, s: usize, answer: &Packet, net: &mut Network) {
        let now = net.now();
        let subflow = &mut self.subflows[s];
        if subflow.stage != Stage::SynSent {
            return;
        }
        let mut rtt = Rtt::new(self.tcp.min_rto);
        rtt.sample(RoundTrip::of(now.since(answer.stamp)));
        // Linux forgives one (`tcp_init_transfer`).
        let forgiven = self.tcp.linux_recovery && subflow.handshake_tries == 2;
        subflow.syn_was_lost = answer.stamp > subflow.opened_at && !forgiven;
        if subflow.handshake_tries == 1 {
            subflow.meter.round_trip(now, now.since(answer.stamp));
        }
        subflow.begin_sender(Sender::new(usize::MAX, rtt, &self.tcp, false));
        subflow.rx = Receiver::new(answer.stamp);
        subflow.handshake_tries = 0;
        if answer.has(flag::JOIN) {
            subflow.stage = Stage::Joining;
            self.send_handshake_ack(s, net);
        } else {
            self.established = true;
            self.subflow_up(s, net);
            self.application.on_established(now, &mut self.out);
            self.push(net);
            if self.subflows[s].tx.board.nxt() == 0 {
                self.send_handshake_ack(s, net);
            }
            self.arm_application(net);
        }
    }

    /// Sends the third packet of the handshake without data; it is retransmitted until the receiver responds.
    pub(super) fn send_handshake_ack(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let mut ack = Packet::new(Kind::HandshakeAck, subflow.id, subflow.life, HEADER, net.now());
        ack.flags = if subflow.stage == Stage::Joining { flag::JOIN } else { 0 };
        net.send(ack);
        self.await_answer(s, net);
    }

    pub(super) fn on_handshake_ack(&mut self, s: usize, ack: &Packet, net: &mut Network) {
        self.subflows[s].rx.echo_handshake(ack.stamp);
        if ack.has(flag::JOIN) {
            let subflow = &self.subflows[s];
            net.send(Packet::new(Kind::JoinAck, subflow.id, subflow.life, HEADER, net.now()));
        }
        // By a join, too: the first subflow may be gone before its third packet arrives.
        self.establish_receiver(net);
    }

    pub(super) fn establish_receiver(&mut self, net: &mut Network) {
        if !self.receiver_established {
            self.receiver_established = true;
            if self.application.on_receiver_established(net.now()) {
                self.send_request(net);
            }
            self.arm_application(net);
        }
    }

    /// Sends a request. A repeated request uses the next subflow that is up, regular ones first; without one, one that joins.
    pub(super) fn send_request(&mut self, net: &mut Network) {
        let n = self.subflows.len();
        let first = self.last_asked + usize::from(self.application.repeats > 0);
        let order = (0..n).map(|k| (first + k) % n);
        let order = order.filter(|s| matches!(self.subflows[*s].stage, Stage::Up | Stage::Joining));
        if let Some(s) = order.min_by_key(|s| (!self.subflows[*s].is_up(), self.subflows[*s].backup)) {
            self.last_asked = s;
            let subflow = &self.subflows[s];
            let mut request = Packet::new(Kind::Request, subflow.id, subflow.life, HEADER, net.now());
            request.data = self.application.requests as u32;
            net.send(request);
        }
    }

    pub(super) fn subflow_up(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        subflow.stage = Stage::Up;
        subflow.handshake_at = Time::NEVER;
        subflow.handshake_tries = 0;
        let srtt = subflow.tx.rtt.smoothed_s();
        // RFC 5681 §3.1: one segment after a lost SYN or SYN-ACK. If it was only late, the window stays
        // (`tcp_try_undo_spurious_syn`).
        let window = if subflow.syn_was_lost { 1.0 } else { f64::from(self.tcp.initial_window) };
        let row = self.cc.add_path(srtt, window);
        if let Some(threshold) = self.tcp.initial_ssthresh {
            self.cc.set_ssthresh(row, f64::from(threshold));
        }
        if self.tcp.linux_recovery {
            self.cc.count_whole(row);
        }
        let rates = self.cc.is_model_based();
        if let Some(queues) = &mut self.queues {
            queues.reset(s);
        }
        let tx = Sender::new(row, subflow.tx.rtt.clone(), &self.tcp, rates);
        subflow.begin_sender(tx);
        subflow.meter.window(net.now(), self.cc.path(row).cwnd);
    }

    /// The receiver has confirmed the connection, so subflows may join.
    pub(super) fn confirm(&mut self, s: usize, net: &mut Network) {
        self.subflows[s].handshake_at = Time::NEVER;
        if !self.confirmed {
            self.confirmed = true;
            for other in 0..self.subflows.len() {
                if self.subflows[other].wanted && self.subflows[other].stage == Stage::Idle {
                    self.send_syn(other, net);
                }
            }
        }
    }
}
