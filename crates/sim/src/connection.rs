//! One connection: its subflows, its stream of data, its congestion control and its application.

use crate::application::{Application, Completed};
use crate::data::{Chunk, Corrupt, Incoming, Outgoing};
use crate::network::Network;
use crate::packet::{DSS, HEADER, Kind, Packet, SYN_BYTES, flag};
use crate::receiver::{Receiver, Reply};
use crate::rtt::Rtt;
use crate::schedule;
use crate::scoreboard::Segment;
use crate::sender::{Expired, Sender};
use crate::subflow::{Stage, Subflow};
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::{Scheduler, SubflowAction, Tcp};

/// Size of a DATA_ACK in an ACK's DSS option (RFC 8684 §3.3).
const DATA_ACK: u16 = 12;
/// A FIN carries no chunk.
const NO_CHUNK: u64 = u64::MAX;
/// First retransmission of a handshake packet (RFC 6298 §2.1); each try doubles it.
const HANDSHAKE_RTO: Time = Time::from_millis(1000);

/// Event targets of one subflow follow each other: the sender's timers, the delayed ACK.
pub(crate) const TARGETS_PER_SUBFLOW: u32 = 2;

pub(crate) struct Connection {
    pub(crate) subflows: Vec<Subflow>,
    pub(crate) cc: Group,
    pub(crate) out: Outgoing,
    pub(crate) incoming: Incoming,
    pub(crate) application: Application,
    scheduler: Scheduler,
    multipath: bool,
    tcp: Tcp,
    /// Window scale (RFC 7323 §2.3) and the window offered, in its units.
    scale: u32,
    window: u16,
    /// First event target of its subflows; the application's follows them.
    targets: u32,
    application_event: Time,
    /// The subflow that was picked last.
    last: usize,
    /// The first subflow is established at the sender; the receiver is known to know it.
    established: bool,
    confirmed: bool,
    receiver_established: bool,
    fin_cut: bool,
    /// Something below has to be looked at by the event loop.
    pub(crate) needs_attention: bool,
    /// When the last byte was delivered after the application had finished.
    pub(crate) completed_at: Option<Time>,
    pub(crate) reinjected: u64,
    /// A response that has just arrived whole, for the record.
    pub(crate) completed_response: Option<Completed>,
    /// The receiver found the stream broken.
    pub(crate) corrupt: Option<Corrupt>,
}

impl Connection {
    /// `targets` is the first of the event targets reserved for it: [`TARGETS_PER_SUBFLOW`] for each
    /// subflow and one for the application.
    pub(crate) fn new(
        subflows: Vec<Subflow>,
        cc: Group,
        application: Application,
        scheduler: Scheduler,
        tcp: Tcp,
        targets: u32,
    ) -> Connection {
        let multipath = subflows.len() > 1;
        let mss = tcp.mss - if multipath { DSS } else { 0 };
        let scale = (64 - (tcp.receive_buffer >> 16).leading_zeros()).min(14);
        let window = (tcp.receive_buffer >> scale).min(u64::from(u16::MAX)) as u16;
        Connection {
            subflows,
            cc,
            out: Outgoing::new(mss, u64::from(window) << scale),
            incoming: Incoming::new(),
            application,
            scheduler,
            multipath,
            tcp,
            scale,
            window,
            targets,
            application_event: Time::NEVER,
            last: 0,
            established: false,
            confirmed: false,
            receiver_established: false,
            fin_cut: false,
            needs_attention: false,
            completed_at: None,
            reinjected: 0,
            completed_response: None,
            corrupt: None,
        }
    }

    /// Opens the connection on the first subflow that is wanted.
    pub(crate) fn open(&mut self, net: &mut Network) {
        if let Some(s) = self.subflows.iter().position(|s| s.wanted) {
            self.send_syn(s, net);
        }
    }

    /// The flow's stop time has come.
    pub(crate) fn stop(&mut self, net: &mut Network) {
        self.application.stop(&mut self.out);
        self.note_completion(net.now());
        self.push(net);
    }

    // Handshake.

    fn send_syn(&mut self, s: usize, net: &mut Network) {
        let joins = self.established;
        let subflow = &mut self.subflows[s];
        subflow.stage = Stage::SynSent;
        subflow.wanted = true;
        let mut syn = Packet::new(Kind::Syn, subflow.id, subflow.life, SYN_BYTES, net.now());
        syn.flags = if joins { flag::JOIN } else { 0 };
        subflow.handshake_sent = net.now();
        subflow.handshake_tries += 1;
        subflow.handshake_at = net.now() + HANDSHAKE_RTO.times(1 << (subflow.handshake_tries - 1).min(6));
        net.send(syn);
        self.arm(s, net);
    }

    fn on_syn(&mut self, s: usize, syn: &Packet, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let mut answer = Packet::new(Kind::SynAck, subflow.id, subflow.life, SYN_BYTES, syn.stamp);
        answer.flags = syn.flags;
        net.send(answer);
    }

    fn on_syn_ack(&mut self, s: usize, answer: &Packet, net: &mut Network) {
        let now = net.now();
        let subflow = &mut self.subflows[s];
        if subflow.stage != Stage::SynSent {
            return;
        }
        let mut rtt = Rtt::new(self.tcp.min_rto);
        rtt.sample(now.since(answer.stamp));
        subflow.meter.round_trip(now, now.since(answer.stamp));
        subflow.tx = Sender::new(usize::MAX, rtt, self.tcp.delayed_ack_timeout);
        subflow.rx = Receiver::new();
        subflow.handshake_tries = 0;
        if answer.has(flag::JOIN) {
            subflow.stage = Stage::Joining;
            self.send_handshake_ack(s, net);
        } else {
            self.established = true;
            self.subflow_up(s, net);
            self.application.on_established(now, &mut self.out);
            self.push(net);
            if self.subflows[s].tx.counters.sent == 0 {
                self.send_handshake_ack(s, net);
            }
            self.arm_application(net);
        }
    }

    /// The third packet of the handshake, where no data goes with it; sent again until something is
    /// heard of the receiver.
    fn send_handshake_ack(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let mut ack = Packet::new(Kind::HandshakeAck, subflow.id, subflow.life, HEADER, net.now());
        ack.flags = if subflow.stage == Stage::Joining { flag::JOIN } else { 0 };
        subflow.handshake_tries += 1;
        subflow.handshake_at = net.now() + HANDSHAKE_RTO.times(1 << (subflow.handshake_tries - 1).min(6));
        net.send(ack);
        self.arm(s, net);
    }

    fn on_handshake_ack(&mut self, s: usize, ack: &Packet, net: &mut Network) {
        if ack.has(flag::JOIN) {
            let subflow = &self.subflows[s];
            net.send(Packet::new(Kind::JoinAck, subflow.id, subflow.life, HEADER, net.now()));
        } else {
            self.establish_receiver(net);
        }
    }

    fn establish_receiver(&mut self, net: &mut Network) {
        if !self.receiver_established {
            self.receiver_established = true;
            if self.application.on_receiver_established(net.now()) {
                self.send_request(net);
            }
            self.arm_application(net);
        }
    }

    /// Asks for a response, on the first subflow that is up.
    fn send_request(&mut self, net: &mut Network) {
        if let Some(subflow) = self.subflows.iter().find(|s| s.is_up()) {
            let mut request = Packet::new(Kind::Request, subflow.id, subflow.life, HEADER, net.now());
            request.data = self.application.requests;
            net.send(request);
        }
    }

    fn subflow_up(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        subflow.stage = Stage::Up;
        subflow.handshake_at = Time::NEVER;
        subflow.handshake_tries = 0;
        let srtt = subflow.tx.rtt.smoothed_s();
        let row = self.cc.add_path(srtt, f64::from(self.tcp.initial_window));
        subflow.tx = Sender::new(row, subflow.tx.rtt.clone(), self.tcp.delayed_ack_timeout);
        subflow.meter.window(net.now(), self.cc.path(row).cwnd);
    }

    /// Something was heard of the receiver: it knows of the connection, so that subflows may join.
    fn confirm(&mut self, s: usize, net: &mut Network) {
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

    // Subflows that come and go.

    /// A change that the scenario gives.
    pub(crate) fn on_subflow_event(&mut self, s: usize, action: SubflowAction, net: &mut Network) {
        match action {
            SubflowAction::Add => {
                self.subflows[s].wanted = true;
                if self.confirmed && self.subflows[s].stage == Stage::Idle && !self.fin_cut {
                    self.send_syn(s, net);
                }
            }
            SubflowAction::Remove => self.remove_subflow(s, net),
            SubflowAction::Backup(backup) => self.subflows[s].backup = backup,
        }
        self.push(net);
    }

    fn remove_subflow(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let had_row = matches!(subflow.stage, Stage::Up | Stage::Closing | Stage::Closed);
        subflow.remove(net.now());
        if had_row {
            self.cc.remove_path(subflow.tx.row());
            self.out.forget_subflow(s);
            let chunks = subflow.tx.board.outstanding().map(|o| o.chunk).filter(|c| *c != NO_CHUNK);
            self.out.reinject(chunks);
        }
    }

    // Packets.

    /// Handles a packet that reached the end of its route.
    #[inline]
    pub(crate) fn on_packet(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        if packet.life != self.subflows[s].life {
            return;
        }
        match packet.kind {
            Kind::Data => self.on_data(s, packet, net),
            Kind::Ack => self.on_ack(s, packet, net),
            Kind::Syn => self.on_syn(s, packet, net),
            Kind::SynAck => self.on_syn_ack(s, packet, net),
            Kind::HandshakeAck => self.on_handshake_ack(s, packet, net),
            Kind::JoinAck => {
                if self.subflows[s].stage == Stage::Joining {
                    self.subflow_up(s, net);
                    self.push(net);
                }
            }
            Kind::Request => {
                self.confirm(s, net);
                self.application.on_request(packet.data, &mut self.out);
                self.push(net);
            }
        }
    }

    #[inline]
    fn on_data(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        let now = net.now();
        if !self.receiver_established {
            self.establish_receiver(net);
        }
        let (every, patience) = (self.tcp.delayed_ack, self.tcp.delayed_ack_timeout);
        let reply = self.subflows[s].rx.on_data(packet, now, every, patience);
        if !packet.has(flag::FIN) {
            match self.incoming.take(packet.data, Chunk { offset: packet.offset(), len: packet.len }) {
                Ok(true) => self.subflows[s].first_bytes += u64::from(packet.len),
                Ok(false) => (),
                Err(corrupt) => {
                    self.corrupt = Some(corrupt);
                    self.needs_attention = true;
                }
            }
            self.on_delivered(net);
        }
        if reply == Reply::Now {
            self.send_ack(s, net);
        } else {
            self.arm_ack(s, net);
        }
    }

    #[inline]
    fn on_delivered(&mut self, net: &mut Network) {
        if self.out.is_sent() {
            self.note_completion(net.now());
        }
        if let Some(done) = self.application.on_delivered(net.now(), self.incoming.bytes(), &mut self.out) {
            self.completed_response = Some(done);
            self.needs_attention = true;
            self.note_completion(net.now());
            self.arm_application(net);
            self.push(net); // the application may have finished: close
        }
    }

    fn note_completion(&mut self, now: Time) {
        if self.out.is_sent() && self.incoming.bytes() == self.out.cut_bytes() {
            self.completed_at.get_or_insert(now);
            self.needs_attention = true;
        }
    }

    fn send_ack(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let mut ack = subflow.rx.acknowledge(subflow.id, subflow.life, net.now());
        ack.data = self.incoming.next();
        ack.window = self.window;
        if self.multipath {
            ack.wire += DATA_ACK;
        }
        net.send(ack);
    }

    /// The delayed-ACK event is due.
    pub(crate) fn on_ack_event(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        if subflow.ack_event != net.now() {
            return; // void
        }
        subflow.ack_event = Time::NEVER;
        if subflow.rx.ack_at <= net.now() && subflow.rx.has_pending() {
            self.send_ack(s, net);
        }
        self.arm_ack(s, net);
    }

    #[inline]
    fn on_ack(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        let now = net.now();
        if !self.confirmed || self.subflows[s].handshake_at != Time::NEVER {
            self.confirm(s, net);
        }
        let subflow = &mut self.subflows[s];
        let delivered = subflow.tx.on_ack(packet, now, &mut self.cc);
        if let Some(sent) = delivered.timed {
            subflow.meter.round_trip(now, now.since(sent));
        }
        if subflow.stage == Stage::Closing && subflow.tx.board.una() == subflow.tx.board.nxt() {
            subflow.stage = Stage::Closed;
            subflow.tx.stop();
            self.cc.remove_path(subflow.tx.row());
            subflow.meter.window(now, 0.0);
        } else if subflow.is_up() || subflow.stage == Stage::Closing {
            subflow.meter.window(now, self.cc.path(subflow.tx.row()).cwnd);
        }
        self.out.on_data_ack(packet.data, u64::from(packet.window) << self.scale);
        self.push_from(s, net);
    }

    // Sending.

    /// Sends what may be sent now, on every subflow.
    fn push(&mut self, net: &mut Network) {
        for s in 0..self.subflows.len() {
            self.resend_lost(s, net);
        }
        self.send_new_data(net);
    }

    /// The same after something happened on `s` only.
    #[inline]
    fn push_from(&mut self, s: usize, net: &mut Network) {
        self.resend_lost(s, net);
        self.send_new_data(net);
    }

    #[inline]
    fn resend_lost(&mut self, s: usize, net: &mut Network) {
        let now = net.now();
        let subflow = &mut self.subflows[s];
        if !matches!(subflow.stage, Stage::Up | Stage::Closing) {
            return;
        }
        while let Some(seq) = subflow.tx.next_resend() {
            if !subflow.tx.has_room(&self.cc) {
                return;
            }
            if !subflow.tx.may_pace(now) {
                subflow.tx.wait_for_pacer();
                return;
            }
            let segment = subflow.tx.resend(seq, now, &self.cc);
            Self::transmit(subflow, seq, segment, self.multipath, net);
        }
    }

    #[inline]
    fn send_new_data(&mut self, net: &mut Network) {
        let now = net.now();
        if self.scheduler == Scheduler::Redundant && self.multipath {
            self.send_redundantly(net);
        } else {
            while let Some(s) =
                schedule::pick(self.scheduler, &mut self.subflows, &self.cc, &self.out, self.last, now)
            {
                let Some((n, chunk)) = self.next_chunk(s) else { break };
                self.last = s;
                self.send_chunk(s, n, chunk, net);
            }
        }
        if self.out.is_sent() {
            self.finish(net);
        }
        for s in 0..self.subflows.len() {
            let subflow = &mut self.subflows[s];
            if subflow.is_up() {
                let limited = !subflow.tx.has_room(&self.cc);
                subflow.tx.note_usage(limited);
            }
            self.arm(s, net);
        }
    }

    /// What `s` sends next: a chunk to reinject, new data, or, where the receive window is full, the
    /// chunk that holds it up (opportunistic retransmission: Raiciu et al., NSDI 2012, §4.2).
    #[inline]
    fn next_chunk(&mut self, s: usize) -> Option<(u64, Chunk)> {
        if self.multipath {
            if let Some(again) = self.out.next_reinjection(s) {
                self.reinjected += 1;
                return Some(again);
            }
            if self.out.is_window_blocked() {
                let una = self.out.una();
                let chunk = self.out.repeat_on(una, s)?;
                self.reinjected += 1;
                return Some((una, chunk));
            }
        }
        self.out.cut(s)
    }

    /// Every subflow sends every chunk that is not acknowledged when its turn comes.
    fn send_redundantly(&mut self, net: &mut Network) {
        let now = net.now();
        for s in 0..self.subflows.len() {
            while self.subflows[s].has_room(&self.cc) {
                if !self.subflows[s].tx.may_pace(now) {
                    self.subflows[s].tx.wait_for_pacer();
                    break;
                }
                let n = self.subflows[s].redundant_next.max(self.out.una());
                self.subflows[s].redundant_next = n;
                let next = match self.out.repeat_on(n, s) {
                    Some(chunk) => Some((n, chunk)),
                    None if n < self.out.nxt() => {
                        self.subflows[s].redundant_next += 1; // this one cut it
                        continue;
                    }
                    None => self.out.cut(s),
                };
                let Some((n, chunk)) = next else { break };
                self.subflows[s].redundant_next = n + 1;
                self.send_chunk(s, n, chunk, net);
            }
        }
    }

    #[inline]
    fn send_chunk(&mut self, s: usize, n: u64, chunk: Chunk, net: &mut Network) {
        let flags = if self.tcp.ecn { flag::ECT } else { 0 };
        self.send_segment(s, Segment::new(n, chunk.offset, chunk.len, flags), net);
    }

    #[inline]
    fn send_segment(&mut self, s: usize, segment: Segment, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let (seq, mut segment) = subflow.tx.send_new(segment, net.now(), &self.cc);
        if subflow.tx.take_cwr() {
            segment.flags |= flag::CWR;
        }
        Self::transmit(subflow, seq, segment, self.multipath, net);
    }

    #[inline]
    fn transmit(subflow: &Subflow, seq: u64, segment: Segment, multipath: bool, net: &mut Network) {
        let wire = segment.len + HEADER + if multipath { DSS } else { 0 };
        let mut packet = Packet::new(Kind::Data, subflow.id, subflow.life, wire, segment.sent);
        packet.seq = seq;
        packet.data = segment.chunk;
        packet.len = segment.len;
        packet.flags = segment.flags;
        packet.set_offset(segment.offset);
        net.send(packet);
    }

    /// Closes what can be closed: a DATA_FIN once all is sent, FINs once it is acknowledged (RFC 8684
    /// §3.3.3); plain TCP sends its FIN behind the data.
    fn finish(&mut self, net: &mut Network) {
        if !self.established {
            return;
        }
        if self.multipath && !self.fin_cut {
            let Some(s) = self.subflows.iter().position(|s| s.has_room(&self.cc)) else { return };
            let (n, fin) = self.out.cut_fin(s);
            self.fin_cut = true;
            self.send_chunk(s, n, fin, net);
        }
        if self.multipath && !self.out.is_acked() {
            return;
        }
        self.fin_cut = true;
        for s in 0..self.subflows.len() {
            match self.subflows[s].stage {
                Stage::Up => {
                    let fin = Segment::new(NO_CHUNK, 0, 0, flag::FIN);
                    self.send_segment(s, fin, net);
                    self.subflows[s].stage = Stage::Closing;
                }
                Stage::SynSent | Stage::Joining => self.subflows[s].remove(net.now()),
                Stage::Idle | Stage::Closing | Stage::Closed => (),
            }
        }
    }

    // Timers.

    /// The timer event of subflow `s` is due.
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
                Expired::Nothing => self.push_from(s, net),
                Expired::Probe => self.probe(s, net),
                Expired::Timeout => {
                    if self.multipath {
                        let board = &self.subflows[s].tx.board;
                        let chunks = board.outstanding().map(|o| o.chunk).filter(|c| *c != NO_CHUNK);
                        self.out.reinject(chunks);
                    }
                    self.push_from(s, net);
                }
            }
            let subflow = &mut self.subflows[s];
            if subflow.is_up() {
                subflow.meter.window(now, self.cc.path(subflow.tx.row()).cwnd);
            }
        }
        self.arm(s, net);
    }

    /// A tail loss probe: new data if there is any, else the last segment again (RFC 8985 §7.3).
    fn probe(&mut self, s: usize, net: &mut Network) {
        let new = if self.subflows[s].is_up() { self.out.cut(s) } else { None };
        let resent = new.is_none();
        match new {
            Some((n, chunk)) => self.send_chunk(s, n, chunk, net),
            None => {
                let subflow = &mut self.subflows[s];
                let last = subflow.tx.board.nxt() - 1;
                let segment = subflow.tx.resend(last, net.now(), &self.cc);
                Self::transmit(subflow, last, segment, self.multipath, net);
            }
        }
        self.subflows[s].tx.begin_probe(resent, net.now());
    }

    /// Schedules the timer event of `s` where it is needed earlier than the one that is out. One that
    /// comes too early schedules the next, so that a timer costs nothing per segment.
    #[inline]
    fn arm(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        let deadline = subflow.deadline();
        if deadline < subflow.timer_event {
            let at = deadline.max(net.now());
            subflow.timer_event = at;
            net.events.schedule(at, self.targets + TARGETS_PER_SUBFLOW * s as u32);
        }
    }

    #[inline]
    fn arm_ack(&mut self, s: usize, net: &mut Network) {
        let subflow = &mut self.subflows[s];
        if subflow.rx.ack_at < subflow.ack_event {
            subflow.ack_event = subflow.rx.ack_at;
            net.events.schedule(subflow.ack_event, self.targets + TARGETS_PER_SUBFLOW * s as u32 + 1);
        }
    }

    fn arm_application(&mut self, net: &mut Network) {
        let at = self.application.next_at;
        if at < self.application_event {
            self.application_event = at.max(net.now());
            let target = self.targets + TARGETS_PER_SUBFLOW * self.subflows.len() as u32;
            net.events.schedule(self.application_event, target);
        }
    }

    /// The application's event is due.
    pub(crate) fn on_application_event(&mut self, net: &mut Network) {
        if self.application_event != net.now() {
            return; // void
        }
        self.application_event = Time::NEVER;
        if self.application.next_at <= net.now() {
            let (received, mss) = (self.incoming.bytes(), self.out.mss());
            if self.application.on_time(net.now(), &mut self.out, received, mss) {
                self.send_request(net);
            }
            self.push(net);
        }
        self.arm_application(net);
    }
}
