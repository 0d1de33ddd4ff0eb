//! One subflow: both halves of a TCP connection, and its handshake.

use crate::event::EventQueue;
use crate::incoming::Early;
use crate::meter::Meter;
use crate::receiver::Receiver;
use crate::rtt::Rtt;
use crate::sender::Sender;
use crate::tso::Burst;
use anabranch_cc::{Group, Path};
use anabranch_net::{Fifo, Time};
use anabranch_scenario::Tcp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Not opened, or removed.
    Idle,
    /// A SYN is out.
    SynSent,
    /// The third packet of a join is out; data may not be sent before its confirmation (RFC 8684 §3.2).
    Joining,
    /// Carries data.
    Up,
    /// A FIN is out.
    Closing,
    /// The FIN was acknowledged.
    Closed,
}

/// Fields are in memory order: first those that a segment needs at the receiver, then those that an ACK needs at the
/// sender, then rarely used ones. With thousands of flows, the cost of a packet is the number of cache lines it touches.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Subflow {
    /// Its number in the network.
    pub(crate) id: u32,
    pub(crate) stage: Stage,
    /// The number of its openings.
    pub(crate) life: u16,
    /// Whether its receiver takes segments ahead of time.
    pub(crate) ahead: bool,
    /// Whether it does so as they enter the only link of its path.
    pub(crate) offers_ahead: bool,
    /// Used only while no regular subflow is usable.
    pub(crate) backup: bool,
    /// Whether to open it once the connection is established.
    pub(crate) wanted: bool,
    /// The last link of its path.
    pub(crate) last_link: u32,
    /// The event target of its sender's timers; the next one is for its delayed ACK.
    pub(crate) target: u32,
    pub(crate) rx: Receiver,
    /// What its receiver took and has not joined the stream yet, in the order of arrival; only where segments join late.
    pub(crate) early: Fifo<Early>,
    /// Payload bytes whose first copy arrived here.
    pub(crate) first_bytes: u64,
    /// When the valid timer event of the sender is due.
    pub(crate) timer_event: Time,
    /// When to retransmit the current handshake packet.
    pub(crate) handshake_at: Time,
    pub(crate) tx: Sender,
    /// The next burst, if the host sends in bursts.
    pub(crate) burst: Burst,
    pub(crate) meter: Meter,
    /// How often the current handshake packet was sent.
    pub(crate) handshake_tries: u32,
    /// When the first SYN of this life was sent, and whether a later one was answered.
    pub(crate) opened_at: Time,
    pub(crate) syn_was_lost: bool,
    /// The redundant scheduler's position in the stream of chunks.
    pub(crate) redundant_next: u64,
    /// When it was last penalised for blocking the receive window.
    pub(crate) penalised_at: Time,
}

const _: () = assert!(size_of::<Subflow>() <= 960);

impl Subflow {
    pub(crate) fn new(id: u32, backup: bool, min_rto: Time, observables: usize) -> Subflow {
        Subflow {
            id,
            stage: Stage::Idle,
            life: 0,
            ahead: false,
            offers_ahead: false,
            last_link: 0,
            target: 0,
            early: Fifo::default(),
            backup,
            wanted: true,
            tx: Sender::new(usize::MAX, Rtt::new(min_rto), &Tcp::default(), false),
            rx: Receiver::default(),
            burst: Burst::Send(1),
            handshake_tries: 0,
            opened_at: Time::ZERO,
            syn_was_lost: false,
            handshake_at: Time::NEVER,
            timer_event: Time::NEVER,
            first_bytes: 0,
            redundant_next: 0,
            penalised_at: Time::ZERO,
            meter: Meter::new(observables),
        }
    }

    /// A subflow of a connection that replaces a closed one, whose packets and events in flight become void.
    pub(crate) fn renewed(&self, life: u16, min_rto: Time) -> Subflow {
        let meter = self.meter.renewed();
        Subflow { life, meter, ..Subflow::new(self.id, self.backup, min_rto, 0) }
    }

    /// Adds the counters of a subflow of a closed connection.
    pub(crate) fn absorb_counters(&mut self, other: &Subflow) {
        self.tx.counters = self.tx.counters.and(&other.tx.counters);
        self.tx.board.deemed_lost += other.tx.board.deemed_lost;
    }

    /// The sender begins anew; its counters stay.
    pub(crate) fn begin_sender(&mut self, tx: Sender) {
        let (counters, deemed_lost) = (self.tx.counters, self.tx.board.deemed_lost);
        self.tx = tx;
        (self.tx.counters, self.tx.board.deemed_lost) = (counters, deemed_lost);
    }

    /// Whether it carries the connection's data.
    #[inline]
    pub(crate) fn is_up(&self) -> bool {
        self.stage == Stage::Up
    }

    /// Whether it may get new data: it is usable, and the algorithm allows it.
    #[inline]
    pub(crate) fn is_usable(&self, cc: &Group) -> bool {
        self.is_up() && self.may_carry(cc.path(self.tx.row))
    }

    /// The same of a subflow that is up, with this path.
    #[inline]
    pub(crate) fn may_carry(&self, path: &Path) -> bool {
        !self.tx.rtt.is_backed_off() && !path.barred
    }

    /// Whether it may send a segment of new data now, apart from the pacer: the window has room, and it does not wait.
    #[inline]
    pub(crate) fn has_room(&self, cc: &Group) -> bool {
        self.is_usable(cc) && self.tx.has_room(cc) && matches!(self.burst, Burst::Send(_))
    }

    /// Whether it is up, and its window stopped it, also from a smaller burst.
    #[inline]
    pub(crate) fn is_stopped(&self, cc: &Group) -> bool {
        self.is_up() && (!self.tx.has_room(cc) || self.burst == Burst::WaitForWindow)
    }

    /// Whether it is up, and its window full.
    #[inline]
    pub(crate) fn is_full(&self, cc: &Group) -> bool {
        self.is_up() && !self.tx.has_room(cc)
    }

    /// Schedules its timer event if it is due before the scheduled one. An event that comes too early schedules the
    /// next, so that a timer costs nothing per segment.
    #[inline]
    pub(crate) fn arm(&mut self, events: &mut EventQueue) {
        let deadline = self.tx.deadline().min(self.handshake_at);
        if deadline < self.timer_event {
            self.timer_event = deadline.max(events.now());
            events.schedule(self.timer_event, self.target);
        }
    }

    /// Ends this life; its packets in flight are ignored.
    pub(crate) fn remove(&mut self, now: Time) {
        self.tx.stop();
        self.rx = Receiver::default(); // so that the next life does not acknowledge data of this one
        self.handshake_at = Time::NEVER;
        self.handshake_tries = 0;
        self.stage = Stage::Idle;
        self.wanted = false;
        self.redundant_next = 0;
        self.penalised_at = Time::ZERO;
        self.life = self.life.wrapping_add(1);
        self.meter.no_window(now);
    }
}
