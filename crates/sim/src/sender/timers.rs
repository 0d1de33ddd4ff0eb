//! A sender's timers: retransmission, tail loss probe, reordering, pacing.

use super::{Phase, Probe, Sender};
use anabranch_cc::{Group, Signal};
use anabranch_net::Time;

/// The action that a timer requests from the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimerAction {
    /// Send what the window allows.
    Nothing,
    /// Send a tail loss probe: new data, or else the last segment again.
    Probe,
    /// The retransmission timer: retransmit the oldest segment and, at the first timeout in a row, reinject this subflow's
    /// data on others.
    Timeout { first: bool },
}

impl Sender {
    /// Handles whatever timers are due.
    pub(crate) fn on_timer(&mut self, now: Time, cc: &mut Group) -> TimerAction {
        if now >= self.pace_at {
            self.pace_at = Time::NEVER;
        }
        if now >= self.reorder_at && self.detect_losses(0, now, cc) > 0 && self.spreads_reduction() {
            let ssthresh = cc.path(self.row).cwnd as u64;
            self.prr.on_ack(0, self.board.in_flight(), ssthresh, false);
        }
        if now >= self.pto_at {
            self.pto_at = Time::NEVER;
            return TimerAction::Probe;
        }
        if now >= self.rto_at {
            let first = !self.rtt.is_backed_off();
            self.on_timeout(now, cc);
            return TimerAction::Timeout { first };
        }
        TimerAction::Nothing
    }

    /// When the next timer that repairs losses is due.
    pub(crate) fn repairs_at(&self) -> Time {
        self.rto_at.min(self.pto_at).min(self.reorder_at)
    }

    #[cfg(test)]
    pub(crate) fn is_probing(&self) -> bool {
        self.probe.is_some()
    }

    /// A probe for the data up to `nxt` was sent. Restarts the timeout (RFC 8985 §7.3).
    pub(crate) fn begin_probe(&mut self, resent: bool, now: Time) {
        self.probe = Some(if resent { Probe::Resent } else { Probe::New });
        self.probe_end = self.board.nxt();
        self.pto_at = Time::NEVER;
        self.rto_at = now + self.rtt.rto();
    }

    /// RFC 6298 §5.4–5.7. A timeout in a row does not reduce again (RFC 5681 §3.1). One during recovery does (§4.3), but not on Linux,
    /// which reduces once per window (`tcp_enter_loss`).
    fn on_timeout(&mut self, now: Time, cc: &mut Group) {
        let repeated = self.rtt.is_backed_off();
        match self.phase {
            Phase::Loss if repeated => (),
            Phase::Marked | Phase::Recovery if self.linux && self.board.una() < self.high => {
                cc.on_timeout_again(self.row, now.as_secs_f64());
            }
            _ => {
                self.reduce(Signal::Timeout, now, cc);
                self.begin_undo(true);
            }
        }
        self.send_cwr |= self.linux; // `tcp_enter_loss`
        self.begin_frto(repeated);
        self.counters.timeouts += 1;
        self.phase = Phase::Loss;
        self.high = self.board.nxt();
        self.board.mark_lost_at_timeout(self.rack.overdue_before(now, &self.board, &self.rtt, self.linux));
        self.report_losses(self.board.nxt() - self.board.una(), now, cc);
        if self.linux {
            cc.allow_after_timeout(self.row, self.board.in_flight() as f64);
        }
        self.probe = None;
        self.pto_at = Time::NEVER;
        self.reorder_at = Time::NEVER;
        self.rtt.back_off();
        self.rto_at = now + self.rtt.rto();
    }

    /// Checks whether a tail loss probe repaired a loss, and reacts to it (RFC 8985 §7.4).
    pub(super) fn end_probe(&mut self, acked: u64, dsack: bool, now: Time, cc: &mut Group) {
        let Some(probe) = self.probe else { return };
        if acked < self.probe_end {
            return;
        }
        if probe == Probe::New || dsack {
            self.probe = None;
        } else if acked > self.probe_end {
            self.probe = None;
            if self.phase == Phase::Open {
                self.reduce(Signal::Loss, now, cc);
            }
        }
    }

    /// Restarts timers after an ACK that moved `una` (RFC 6298 §5.2, §5.3). A selective ACK does not restart the
    /// retransmission timer, as the oldest segment is still missing.
    #[inline]
    pub(super) fn restart_timers(&mut self, now: Time) {
        self.pto_at = Time::NEVER;
        if self.board.una() == self.board.nxt() {
            self.rto_at = Time::NEVER;
            self.idle_since = now;
            if self.phase == Phase::Marked {
                self.phase = Phase::Open; // all earlier data is acknowledged
            }
            return;
        }
        self.rto_at = now + self.rtt.rto();
        self.arm_probe(now);
    }

    /// RFC 8985 §7.2: schedules a probe after two RTTs without an ACK, at the latest instead of the timeout.
    #[inline]
    pub(super) fn arm_probe(&mut self, now: Time) {
        let srtt = self.rtt.smoothed;
        if self.is_repairing() || self.board.sacked() > 0 || self.probe.is_some() || srtt == Time::ZERO {
            return;
        }
        let alone = self.board.nxt() - self.board.una() == 1;
        let delay = if alone { self.alone_delay } else { Time::ZERO };
        let at = now + srtt.times(2) + delay;
        self.pto_at = at.min(self.rto_at);
    }

    /// The subflow ends: cancels all timers.
    pub(crate) fn stop(&mut self) {
        self.rto_at = Time::NEVER;
        self.pto_at = Time::NEVER;
        self.reorder_at = Time::NEVER;
        self.pace_at = Time::NEVER;
    }
}
