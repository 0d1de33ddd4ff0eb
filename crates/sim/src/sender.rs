//! The sender of a subflow: ACKs, loss recovery and timers of TCP.

mod congestion;
mod frto;
mod in_order;
#[cfg(test)]
mod tests;
mod timers;

use crate::packet::{Block, Packet, Sack, flag, widen};
use crate::prr::Prr;
use crate::rack::Rack;
use crate::rate::RateSampler;
use crate::rtt::Rtt;
use crate::scoreboard::{Delivered, Scoreboard, Segment};
use crate::stream::SendStream;
use anabranch_cc::{Ack, Group, Path, RateSample};
use anabranch_net::Time;
use anabranch_scenario::Tcp;

#[cfg(test)]
pub(crate) use in_order::{GENERAL_ONLY, IN_ORDER, TURNS};
pub(crate) use timers::TimerAction;

/// Phases of the reaction to congestion (RFC 5681, RFC 6675).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No repair: the algorithm sets the window.
    #[default]
    Open,
    /// After the reaction to a mark: the window does not grow until the data in flight is acknowledged (RFC 3168 §6.1.2,
    /// Linux' `TCP_CA_CWR`).
    Marked,
    /// Fast recovery; PRR decides how much to send.
    Recovery,
    /// After a retransmission timeout.
    Loss,
}

/// The kind of a tail loss probe (RFC 8985 §7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    New,
    Resent,
}

/// The detection of a spurious timeout by new data (RFC 5682).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Frto {
    #[default]
    Off,
    /// After a timeout.
    On,
    /// The first ACK after it: new data is tried before retransmissions.
    TryNewData,
}

/// The state to detect an unnecessary reduction (RFC 4015, RFC 3708).
#[derive(Clone, Copy, Debug, Default)]
struct Undo {
    /// The first segment that it concerns.
    from: u64,
    /// When the first segment was retransmitted.
    first_resend: Option<Time>,
    /// Retransmitted segments not reported as duplicates.
    unconfirmed: u64,
}

/// Counters of a subflow since the start of the run, over all its lives.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Counters {
    /// Segments with payload sent, including retransmissions.
    pub(crate) sent: u64,
    /// Payload of first transmissions, in bytes.
    pub(crate) sent_bytes: u64,
    /// Payload acknowledged on the subflow, in bytes.
    pub(crate) delivered_bytes: u64,
    /// Retransmitted segments with payload.
    pub(crate) resent: u64,
    pub(crate) recoveries: u64,
    pub(crate) timeouts: u64,
    pub(crate) spurious: u64,
}

impl Counters {
    /// The sums of both.
    pub(crate) fn and(&self, other: &Counters) -> Counters {
        self.with(other, |a, b| a + b)
    }

    pub(crate) fn since(&self, before: &Counters) -> Counters {
        self.with(before, |a, b| a - b)
    }

    fn with(&self, other: &Counters, of: fn(u64, u64) -> u64) -> Counters {
        Counters {
            sent: of(self.sent, other.sent),
            resent: of(self.resent, other.resent),
            sent_bytes: of(self.sent_bytes, other.sent_bytes),
            delivered_bytes: of(self.delivered_bytes, other.delivered_bytes),
            recoveries: of(self.recoveries, other.recoveries),
            timeouts: of(self.timeouts, other.timeouts),
            spurious: of(self.spurious, other.spurious),
        }
    }
}

/// Fields are in memory order: those that each ACK needs come first, so that it touches few cache lines.
// The default is only for `new`, which sets what differs from zero.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Sender {
    pub(crate) board: Scoreboard,
    pub(crate) rtt: Rtt,
    rack: Rack,
    /// This subflow's row in the congestion-control group.
    pub(crate) row: usize,
    rto_at: Time,
    pto_at: Time,
    reorder_at: Time,
    /// When the pacer allows the next segment.
    pace_next: Time,
    /// Until then only the pacer holds sending back.
    pub(crate) pace_at: Time,
    /// Since when no data is outstanding.
    idle_since: Time,
    /// When a segment was last sent.
    last_sent: Time,
    round: u64,
    round_end: u64,
    usage_end: u64,
    /// Delivery rates, for model-based algorithms.
    rates: Option<Box<RateSampler>>,
    phase: Phase,
    /// Whether `undo` is in use.
    undoable: bool,
    /// Whether an undo restores the window: no ACK has echoed a mark since the reduction.
    restores: bool,
    /// The probe that is out.
    probe: Option<Probe>,
    /// Whether recovery and its timers follow Linux (`tcp.linux_recovery`).
    linux: bool,
    frto: Frto,
    /// Whether sending has resumed after a pause, and no ACK has arrived since.
    resumed: bool,
    /// Whether the window limited sending in the last round, and else the most segments outstanding.
    limited: bool,
    most_outstanding: u32,
    pub(crate) counters: Counters,
    undo: Undo,
    /// The ACK that ends the probe.
    probe_end: u64,
    /// How much longer than two RTTs a probe for a lone segment waits.
    alone_delay: Time,
    prr: Prr,
    /// Recovery ends when everything below this is acknowledged.
    high: u64,
    /// The last reduction covers everything up to this segment, which carries CWR: until it is
    /// acknowledged, ACKs may echo an old mark.
    cwr_high: u64,
    /// The last reaction to ECN covers everything up to this segment.
    ecn_high: u64,
    send_cwr: bool,
}

impl Sender {
    pub(crate) fn new(row: usize, rtt: Rtt, tcp: &Tcp, rates: bool) -> Sender {
        Sender {
            row,
            rtt,
            rates: rates.then(Box::default),
            idle_since: Time::NEVER,
            // The receiver's longest delay; Linux does not know it (`tcp_schedule_loss_probe`).
            alone_delay: if tcp.linux_recovery { tcp.min_rto } else { tcp.delayed_ack_timeout },
            linux: tcp.linux_recovery,
            rto_at: Time::NEVER,
            pto_at: Time::NEVER,
            reorder_at: Time::NEVER,
            pace_at: Time::NEVER,
            ..Sender::default()
        }
    }

    /// When a timer next needs attention.
    #[inline]
    pub(crate) fn deadline(&self) -> Time {
        self.rto_at.min(self.pto_at).min(self.reorder_at).min(self.pace_at)
    }

    /// Whether losses are being repaired.
    pub(crate) fn is_repairing(&self) -> bool {
        matches!(self.phase, Phase::Recovery | Phase::Loss)
    }

    /// Whether PRR spreads a reduction over the round: in recovery, and on Linux after a mark.
    #[inline]
    fn spreads_reduction(&self) -> bool {
        self.phase == Phase::Recovery || (self.phase == Phase::Marked && self.linux)
    }

    /// Segments that may be in flight now.
    #[inline]
    pub(crate) fn window(&self, path: &Path) -> u64 {
        if self.spreads_reduction() && self.rates.is_none() {
            return self.prr.limit;
        }
        u64::from(path.cwnd as u32) // at most `MAX_CWND`; cheaper than to u64
    }

    /// Whether the window has room for a segment.
    #[inline]
    pub(crate) fn has_room(&self, cc: &Group) -> bool {
        self.board.in_flight() < self.window(cc.path(self.row))
    }

    /// Whether the pacer allows a segment now. If not, its timer will wake the subflow.
    #[inline]
    pub(crate) fn pace_or_wait(&mut self, now: Time) -> bool {
        let may = now >= self.pace_next;
        if !may {
            self.pace_at = self.pace_next;
        }
        may
    }

    /// The pacing rate has been set to `rate`: the next segment waits for no longer than one interval of it.
    pub(crate) fn repace(&mut self, now: Time, rate: Option<f64>) {
        let interval = rate.map_or(Time::ZERO, |rate| Time::from_secs_f64(1.0 / rate));
        self.pace_next = self.pace_next.min(now + interval);
    }

    /// Handles an acknowledgement and its SACK blocks. Returns the RTT of the last segment, of those that it acknowledges and that were
    /// sent once.
    #[inline]
    pub(crate) fn on_ack(
        &mut self,
        packet: &Packet,
        sack: Option<Sack>,
        now: Time,
        cc: &mut Group,
    ) -> Option<Time> {
        self.on_ack_in_order(packet, now, cc).or_else(|| self.on_any_ack(packet, sack, now, cc))
    }

    /// Handles an acknowledgement, whatever it reports.
    #[inline(never)]
    fn on_any_ack(&mut self, packet: &Packet, sack: Option<Sack>, now: Time, cc: &mut Group) -> Option<Time> {
        let before = self.board.una();
        let acked = widen(before, packet.seq);
        let mut delivered = Delivered::default();
        // What was sent later would have an RTT below the smallest: an earlier copy has arrived.
        let latest = now.since(self.rtt.min);
        self.board.acknowledge(acked, packet.stamp.min(latest), &mut delivered);
        let advanced = self.board.una() > before;
        let is_dsack = packet.has(flag::DSACK);
        let dsack = sack.and_then(|sack| self.apply_sack(acked, sack, is_dsack, latest, &mut delivered));
        let rtt = delivered.measure(now, packet.stamp, advanced);
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
        }
        self.rack.on_delivered(&delivered, now);
        self.counters.delivered_bytes += delivered.bytes;
        if let Some(rates) = &mut self.rates {
            rates.on_delivered(&delivered, now);
        }
        self.count_round();

        if let Some(seq) = dsack {
            self.on_dsack(seq);
        }
        self.end_probe(acked, dsack.is_some(), now, cc);
        let echoes = packet.has(flag::ECE);
        self.restores &= !echoes; // RFC 4015 §3.2, `tcp_fastretrans_alert`: a mark's reduction stays
        self.undo_if_spurious(packet, advanced, cc);
        let duplicate = acked == before && sack.is_some() && dsack.is_none();
        self.test_timeout(&delivered, advanced, duplicate, cc);
        if self.phase != Phase::Open {
            self.end_phase();
        }
        let lost = self.detect_losses(delivered.segments, now, cc);
        self.restores &= !echoes; // of a recovery that this ACK began, too
        if echoes && self.phase == Phase::Open && self.board.una() > self.cwr_high {
            self.on_mark(now, cc);
        }
        // RFC 5681 §3.1: the window grows by cumulative ACKs. With much reordering, they are few (`tcp_may_raise_cwnd`). In the round of a
        // mark and during recovery it does not.
        let grows = (advanced || self.rack.is_much_reordered())
            && !matches!(self.phase, Phase::Marked | Phase::Recovery);
        let rate = self.rate();
        self.report(delivered.segments, grows, rtt.map(|rtt| rtt.last), rate, now, cc);
        if self.spreads_reduction() && delivered.segments + lost > 0 {
            let ssthresh = cc.path(self.row).cwnd as u64;
            let in_flight = self.board.in_flight();
            self.prr.on_ack(delivered.segments, in_flight, ssthresh, advanced && lost == 0);
        }
        if advanced {
            self.restart_timers(now);
        } else if delivered.segments > 0 {
            self.pto_at = Time::NEVER; // RFC 8985 §7.2: no probe while something is SACKed
        }
        delivered.sent_once().map(|(_, last)| now.since(last))
    }

    /// Counts a round trip when data sent after the last one is acknowledged.
    #[inline]
    fn count_round(&mut self) {
        if self.board.una() > self.round_end {
            self.round += 1;
            self.round_end = self.board.nxt();
        }
    }

    /// Applies the SACK blocks of an ACK of all before `acked`, which answers what was sent by `latest`: in ascending order
    /// (`tcp_sacktag_write_queue`), as the receiver reports the newest first (RFC 2018 §4), which is not what came first. Returns the
    /// segment that the first block reports, if it `is_dsack` (RFC 2883 §4).
    fn apply_sack(
        &mut self,
        acked: u64,
        mut sack: Sack,
        is_dsack: bool,
        latest: Time,
        delivered: &mut Delivered,
    ) -> Option<u64> {
        let start = |block: &Block| acked.wrapping_add_signed(i64::from(block.start));
        let dsack = is_dsack.then(|| start(&sack[0]));
        if is_dsack {
            sack[0].len = 0;
        }
        if sack[1].len > 0 {
            for (low, high) in [(0, 1), (1, 2), (0, 1)] {
                if sack[low].start > sack[high].start {
                    sack.swap(low, high);
                }
            }
        }
        for block in sack.iter().filter(|block| block.len > 0) {
            let start = start(block);
            self.board.sack((start, start + u64::from(block.len)), latest, delivered);
        }
        dsack
    }

    /// The delivery rate that the ACK measures, where these are measured.
    fn rate(&mut self) -> Option<RateSample> {
        let sample = self.rates.as_mut()?.sample(self.board.una(), self.rtt.min)?;
        let in_recovery = self.phase != Phase::Open;
        Some(RateSample { cwnd_limited: self.limited, in_recovery, resumed: self.resumed, ..sample })
    }

    /// Reports an ACK of `segments` to the algorithm, and whether it `grows` the window.
    #[inline(always)] // what one caller knows takes no instructions there
    fn report(
        &mut self,
        segments: u64,
        grows: bool,
        rtt: Option<Time>,
        rate: Option<RateSample>,
        now: Time,
        cc: &mut Group,
    ) {
        let path = cc.path(self.row);
        // RFC 7661: grow only a used window. In slow start, half of the window must have been in use.
        let used =
            self.limited || (path.in_slow_start() && path.cwnd < 2.0 * f64::from(self.most_outstanding));
        let used = used && !std::mem::take(&mut self.resumed);
        self.resumed &= rate.is_none();
        let delivered = f64::from(segments as u32);
        cc.on_ack(
            self.row,
            &Ack {
                now: now.as_secs_f64(),
                acked: if grows { delivered } else { 0.0 },
                delivered,
                rtt: rtt.map(Time::as_secs_f64),
                srtt: self.rtt.smoothed_s(),
                in_flight: f64::from(self.board.in_flight() as u32),
                round: self.round,
                cwnd_limited: used || !grows,
                rate,
            },
        );
    }

    /// Sends a new segment, and returns its number. The caller then calls [`Sender::measure_sent`], unless it [`Sender::sends_plainly`], and
    /// after the last one of several [`Sender::sent_new`].
    #[inline]
    pub(crate) fn send_new(&mut self, segment: Segment) -> u64 {
        let seq = self.board.nxt();
        self.board.send(segment);
        seq
    }

    /// New segments were sent now: the number of those with payload, and their bytes.
    #[inline(always)]
    pub(crate) fn sent_new(&mut self, segments: u64, bytes: u64, now: Time) {
        self.resumed |= self.idle_since < now;
        self.idle_since = Time::NEVER;
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rtt.rto();
        }
        self.counters.sent += segments;
        self.counters.sent_bytes += bytes;
        self.last_sent = now;
        self.arm_probe(now);
    }

    /// The next segment to retransmit, if the window has room.
    #[inline]
    pub(crate) fn next_resend(&mut self) -> Option<u64> {
        if self.tries_new_data() {
            return None;
        }
        self.board.next_resend()
    }

    pub(crate) fn resend(&mut self, seq: u64, now: Time, cc: &Group) -> Segment {
        let segment = self.board.resend(seq, now);
        if self.undoable {
            self.undo.first_resend.get_or_insert(now);
            self.undo.unconfirmed += 1;
        }
        if seq == self.board.una() {
            self.rto_at = now + self.rtt.rto();
        }
        self.counters.sent += u64::from(segment.len > 0);
        self.counters.resent += u64::from(segment.len > 0);
        self.last_sent = now;
        self.measure_sent(seq, now, cc);
        segment
    }

    /// Whether sending a segment has no effect on delivery rates, PRR and pacing.
    #[inline]
    pub(crate) fn sends_plainly(&self, path: &Path) -> bool {
        self.rates.is_none() && !self.spreads_reduction() && path.pacing_rate.is_none()
    }

    /// Segment `seq` was sent now, for delivery rates, PRR and pacing.
    #[inline]
    pub(crate) fn measure_sent(&mut self, seq: u64, now: Time, cc: &Group) {
        if let Some(rates) = &mut self.rates {
            rates.on_sent(seq, now, self.board.in_flight());
        }
        if self.spreads_reduction() {
            self.prr.on_send();
        }
        if let Some(rate) = cc.path(self.row).pacing_rate {
            self.pace_next = self.pace_next.max(now) + Time::from_secs_f64(1.0 / rate);
        }
    }

    /// Takes the CWR flag, which signals a reduction to the receiver (RFC 3168 §6.1.2).
    #[inline]
    pub(crate) fn take_cwr(&mut self) -> bool {
        std::mem::take(&mut self.send_cwr)
    }

    /// Records, after sending, whether the window stopped it. What is lost counts as outstanding until it is acknowledged
    /// (RFC 5681's FlightSize; `packets_out` in `tcp_cwnd_validate`).
    #[inline]
    pub(crate) fn note_usage(&mut self, limited: bool) {
        let outstanding = (self.board.nxt() - self.board.una()) as u32;
        if limited
            || self.board.una() >= self.usage_end
            || (!self.limited && outstanding > self.most_outstanding)
        {
            self.limited = limited;
            self.most_outstanding = outstanding;
            self.usage_end = self.board.nxt();
        }
    }

    /// Records, after sending, that only a lack of data stopped it.
    #[inline]
    pub(crate) fn note_app_limited(&mut self, out: &SendStream, now: Time) {
        if let Some(rates) = &mut self.rates
            && now >= self.pace_next
            && !out.is_window_blocked()
            && self.board.next_resend().is_none()
        {
            rates.mark_app_limited(self.board.in_flight());
        }
    }
}
