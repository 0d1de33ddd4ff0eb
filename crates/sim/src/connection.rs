//! One connection: subflows, data stream, congestion control and application.

pub(crate) mod ahead;
mod bursts;
mod handshake;
mod only_path;
mod receiving;
mod sending;
mod timers;

use crate::application::{Application, Completed};
use crate::dss::Dss;
use crate::incoming::Incoming;
use crate::network::Network;
use crate::packet::{Kind, Packet, widen};
use crate::schedule::Picker;
use crate::send_queues::SendQueues;
use crate::stream::SendStream;
use crate::subflow::{Stage, Subflow};
use crate::tap::window_scale;
use anabranch_cc::Group;
use anabranch_net::Time;
use anabranch_scenario::{Flow, Scheduler, SubflowAction, Tcp};

/// Consecutive event targets of a subflow: the sender's timers, the delayed ACK.
pub(crate) const TARGETS_PER_SUBFLOW: u32 = 2;

/// Fields are in memory order, those that each packet needs first: see [`Subflow`].
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Connection {
    pub(crate) subflows: Box<[Subflow]>,
    pub(crate) incoming: Incoming,
    /// First event target of its subflows; the application's follows them.
    pub(crate) targets: u32,
    /// Window scale (RFC 7323 §2.3).
    scale: u32,
    scheduler: Scheduler,
    penalise: bool,
    multipath: bool,
    /// Opened; first subflow established at the sender; confirmed by the receiver.
    opened: bool,
    established: bool,
    confirmed: bool,
    receiver_established: bool,
    fin_cut: bool,
    /// The application writes endlessly, so that deliveries need no action.
    endless: bool,
    /// The event loop must check the fields below.
    pub(crate) needs_attention: bool,
    tcp: Tcp,
    pub(crate) out: SendStream,
    pub(crate) cc: Group,
    pub(crate) application: Application,
    application_event: Time,
    picker: Picker,
    /// Send queues of upstream Linux's scheduler.
    queues: Option<Box<SendQueues>>,
    /// The subflow of the last request.
    last_asked: usize,
    /// When the last byte of a finished application was delivered.
    pub(crate) completed_at: Option<Time>,
    pub(crate) reinjected: u64,
    /// Responses or transfers that have just completed, for the record.
    pub(crate) completed: Vec<Completed>,
}

const _: () = assert!(size_of::<Connection>() <= 640);

impl Connection {
    /// `targets` is the first of its event targets: [`TARGETS_PER_SUBFLOW`] per subflow, then one for the application.
    pub(crate) fn new(
        mut subflows: Vec<Subflow>,
        cc: Group,
        application: Application,
        flow: &Flow,
        targets: u32,
    ) -> Connection {
        for (subflow, s) in subflows.iter_mut().zip(0..) {
            subflow.target = targets + TARGETS_PER_SUBFLOW * s;
        }
        let &Flow { scheduler, penalise, tcp, .. } = flow;
        let multipath = subflows.len() > 1;
        let queued = multipath && scheduler == Scheduler::Linux;
        let queues = queued.then(|| Box::new(SendQueues::new(subflows.len())));
        let dss = Dss::new(multipath, tcp.long_dss);
        let scale = window_scale(tcp.receive_buffer);
        let window = (tcp.receive_buffer >> scale).min(u64::from(u16::MAX)) as u16;
        Connection {
            out: SendStream::new(tcp.mss - dss.mapping, u64::from(window) << scale, subflows.len()),
            incoming: Incoming::new(&tcp, dss, window, multipath && subflows.iter().all(|s| s.ahead)),
            subflows: subflows.into_boxed_slice(),
            cc,
            endless: application.is_endless(),
            application,
            scheduler,
            penalise,
            multipath,
            tcp,
            scale,
            targets,
            application_event: Time::NEVER,
            picker: Picker::new(scheduler),
            queues,
            last_asked: 0,
            opened: false,
            established: false,
            confirmed: false,
            receiver_established: false,
            fin_cut: false,
            needs_attention: false,
            completed_at: None,
            reinjected: 0,
            completed: Vec::new(),
        }
    }

    /// Opens the connection on the first wanted subflow.
    pub(crate) fn open(&mut self, net: &mut Network) {
        if !self.opened {
            self.opened = true;
            self.application.on_open(net.now());
            self.arm_application(net);
        }
        if let Some(s) = self.subflows.iter().position(|s| s.wanted) {
            self.send_syn(s, net);
        }
    }

    /// Sets window and pacing rate of subflow `s`, of an algorithm that leaves them alone, and sends what they allow. False while
    /// the subflow is not established.
    pub(crate) fn steer(
        &mut self,
        s: usize,
        cwnd: Option<f64>,
        pacing_rate: Option<Option<f64>>,
        net: &mut Network,
    ) -> bool {
        if !self.subflows[s].is_up() {
            return false;
        }
        self.cc.steer(self.subflows[s].tx.row, cwnd, pacing_rate);
        if let Some(rate) = pacing_rate {
            self.subflows[s].tx.repace(net.now(), rate);
        }
        self.push_from(s, net);
        true
    }

    /// The flow's stop time has come.
    pub(crate) fn stop(&mut self, net: &mut Network) {
        self.endless = false;
        self.application.stop(&mut self.out);
        self.note_completion(net.now());
        self.push(net);
    }

    pub(crate) fn on_subflow_event(&mut self, s: usize, action: SubflowAction, net: &mut Network) {
        match action {
            SubflowAction::Add => {
                self.subflows[s].wanted = true;
                // Until the connection is established, it tries one subflow at a time.
                let alone = self.opened && self.subflows.iter().all(|o| o.stage == Stage::Idle);
                if (self.confirmed || alone) && self.subflows[s].stage == Stage::Idle && !self.is_over() {
                    self.send_syn(s, net);
                }
            }
            SubflowAction::Remove => self.remove_subflow(s, net),
            SubflowAction::Backup(backup) => self.subflows[s].backup = backup,
        }
        self.push(net);
    }

    fn remove_subflow(&mut self, s: usize, net: &mut Network) {
        let was_tried = self.subflows[s].stage != Stage::Idle;
        let subflow = &mut self.subflows[s];
        net.delayed_acks.forget(subflow.id);
        let had_row = matches!(subflow.stage, Stage::Up | Stage::Closing | Stage::Closed);
        subflow.remove(net.now());
        if had_row {
            self.cc.remove_path(subflow.tx.row);
            self.out.forget_subflow(s);
            if let Some(queues) = &mut self.queues {
                queues.reset(s);
                queues.repeat_all(&self.out);
            } else if self.scheduler != Scheduler::Redundant {
                self.out.reinject(subflow.tx.board.chunks());
            }
        }
        if was_tried && !self.confirmed {
            self.open(net); // another subflow must establish the connection
        }
    }

    /// Whether the sender has closed every subflow.
    pub(crate) fn is_closed(&self) -> bool {
        let is_over = |s: &Subflow| matches!(s.stage, Stage::Closed | Stage::Idle);
        self.fin_cut && self.subflows.iter().all(is_over)
    }

    /// Whether all data and the DATA_FIN are acknowledged.
    fn is_over(&self) -> bool {
        self.fin_cut && self.out.is_acked()
    }

    /// Handles a packet that is at the end of its route at `at`: later than now only where receivers are ahead of time.
    #[inline(always)]
    pub(crate) fn on_packet(&mut self, s: usize, packet: &Packet, at: Time, net: &mut Network) {
        if packet.life != self.subflows[s].life {
            return;
        }
        match packet.kind {
            Kind::Data if self.receives_early(s) => self.receive(s, packet, at, net),
            Kind::Data => self.on_data(s, packet, net),
            Kind::Ack => self.on_ack(s, packet, net),
            _ => self.on_rare_packet(s, packet, net),
        }
    }

    /// The same for a packet that is neither data nor its acknowledgement.
    #[inline(never)]
    fn on_rare_packet(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        match packet.kind {
            Kind::Data | Kind::Ack => unreachable!("frequent"),
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
            Kind::Datagram | Kind::DatagramBack => self.needs_attention = true,
        }
    }

    #[inline]
    fn on_delivered(&mut self, net: &mut Network) {
        if self.out.is_sent() {
            self.note_completion(net.now());
        }
        while let Some(done) =
            self.application.on_delivered(net.now(), self.incoming.stream.bytes, &mut self.out)
        {
            self.completed.push(done);
            self.needs_attention = true;
            self.note_completion(net.now());
            self.arm_application(net);
            self.push(net); // closes if the application has finished
        }
    }

    fn note_completion(&mut self, now: Time) {
        if self.out.is_sent() && self.incoming.stream.bytes == self.out.cut_bytes {
            self.completed_at.get_or_insert(now);
            self.needs_attention = true;
        }
    }

    #[inline]
    fn on_ack(&mut self, s: usize, packet: &Packet, net: &mut Network) {
        let now = net.now();
        if !self.confirmed || self.subflows[s].handshake_at != Time::NEVER {
            self.confirm(s, net);
        }
        let subflow = &mut self.subflows[s];
        if let Some(rtt) = subflow.tx.on_ack(packet, net.sacks.of(packet), now, &mut self.cc) {
            subflow.meter.round_trip(now, rtt);
        }
        if subflow.stage == Stage::Closing && subflow.tx.board.una() == subflow.tx.board.nxt() {
            subflow.stage = Stage::Closed;
            self.needs_attention = true;
            subflow.tx.stop();
            self.cc.remove_path(subflow.tx.row);
            subflow.meter.no_window(now);
        } else if subflow.is_up() || subflow.stage == Stage::Closing {
            subflow.meter.window(now, self.cc.path(subflow.tx.row).cwnd);
        }
        let (data, offset) = self.delivered(s, packet);
        let (una, next) = (self.out.una, widen(self.out.una, data));
        self.out.on_data_ack(next, offset, u64::from(packet.window) << self.scale);
        if let Some(queues) = &mut self.queues {
            queues.heard(s, now);
            queues.restart_timer(&self.subflows, &self.out, next > una, now);
        }
        self.push_from(s, net);
        if self.subflows[s].tx.tries_new_data() {
            self.end_frto_try(s, net);
        }
    }
}
