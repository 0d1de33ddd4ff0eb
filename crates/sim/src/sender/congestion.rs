//! A sender's reaction to congestion, marks and pauses: reductions, undo and restart.

use super::{Phase, Sender, Undo};
use crate::packet::Packet;
use crate::prr::Prr;
use anabranch_cc::{Congestion, Group, Signal};
use anabranch_net::Time;

impl Sender {
    /// Ends a phase once its data is acknowledged. The phase of a mark lasts until a segment sent after the reaction is
    /// acknowledged, as ACKs echo the mark until then.
    pub(super) fn end_phase(&mut self) {
        let una = self.board.una();
        if self.phase == Phase::Marked {
            if una > self.high {
                self.phase = Phase::Open;
            }
        } else if una >= self.high {
            self.phase = Phase::Open;
            self.rack.on_recovery_end();
        }
    }

    /// The receiver echoes a mark: reduces the window as after a loss, without a repair. A model-based algorithm sets its
    /// window itself.
    #[cold]
    pub(super) fn on_mark(&mut self, now: Time, cc: &mut Group) {
        let window = cc.path(self.row).cwnd as u64;
        self.reduce(Signal::Ecn, now, cc);
        self.ecn_high = self.board.nxt();
        if self.rates.is_none() {
            self.phase = Phase::Marked;
            self.prr = Prr::begin(window);
            self.high = self.board.nxt();
        }
    }

    /// Reduces the window once for all data sent so far (RFC 3168 §6.1.2), and discards the undo of an earlier reduction.
    pub(super) fn reduce(&mut self, signal: Signal, now: Time, cc: &mut Group) {
        self.undoable = false;
        self.cwr_high = self.board.nxt();
        self.send_cwr = true;
        cc.on_congestion(self.row, &Congestion { now: now.as_secs_f64(), signal });
    }

    /// Prepares the undo of the last reduction, or only of the repair behind it, where it is a mark's and stays.
    pub(super) fn begin_undo(&mut self, restores: bool) {
        (self.undoable, self.restores) = (true, restores);
        self.undo = Undo { from: self.board.una(), first_resend: None, unconfirmed: 0 };
    }

    /// Runs RACK after `delivered` segments were delivered, and enters recovery on a loss. Returns the number of segments
    /// marked as lost.
    #[inline]
    pub(super) fn detect_losses(&mut self, delivered: u64, now: Time, cc: &mut Group) -> u64 {
        let recovering = self.is_repairing();
        let (lost, again_at) = self.rack.detect(&mut self.board, now, recovering, &self.rtt);
        self.reorder_at = again_at;
        if lost > 0 {
            if !recovering {
                self.begin_recovery(delivered, now, cc);
            }
            self.report_losses(lost, now, cc);
        }
        lost
    }

    fn begin_recovery(&mut self, delivered: u64, now: Time, cc: &mut Group) {
        self.counters.recoveries += 1;
        let spread = self.spreads_reduction(); // already, after a mark
        self.phase = Phase::Recovery;
        self.high = self.board.nxt();
        if !spread {
            let outstanding = self.board.nxt() - self.board.una() - self.board.sacked() + delivered;
            // Linux' `prior_cwnd` is the window.
            self.prr = Prr::begin(if self.linux { cc.path(self.row).cwnd as u64 } else { outstanding });
        }
        self.probe = None;
        // The reaction to ECN covers losses of segments sent before it. Linux does not reduce while it spreads that reaction, but
        // notices that the recovery is spurious (`tcp_enter_recovery`).
        if !spread && self.board.una() >= self.ecn_high {
            self.reduce(Signal::Loss, now, cc);
            self.begin_undo(true);
        } else if self.linux {
            self.begin_undo(false);
        }
    }

    /// Reports the newly lost segments, the last `n` queued for retransmission, to a model-based algorithm.
    pub(super) fn report_losses(&mut self, n: u64, now: Time, cc: &mut Group) {
        if let Some(rates) = &mut self.rates {
            for seq in self.board.last_to_resend(n) {
                if let Some(lost) = rates.on_lost(seq, now) {
                    cc.on_lost(self.row, &lost);
                }
            }
        }
    }

    pub(super) fn on_dsack(&mut self, seq: u64) {
        self.rack.on_dsack(&self.board);
        if self.undoable && (self.undo.from..self.high).contains(&seq) && self.board.was_resent(seq) {
            self.undo.unconfirmed = self.undo.unconfirmed.saturating_sub(1);
        }
    }

    /// Undoes a reduction if the ACK echoes a timestamp from before the first retransmission (Eifel, RFC 3522 §3.2), or
    /// if every retransmission was reported as a duplicate (DSACK, RFC 3708).
    pub(super) fn undo_if_spurious(&mut self, packet: &Packet, advanced: bool, cc: &mut Group) {
        if !self.undoable {
            return;
        }
        let Undo { first_resend: Some(first), unconfirmed, .. } = self.undo else { return };
        let eifel = advanced && self.phase != Phase::Open && packet.stamp < first;
        if eifel || unconfirmed == 0 {
            self.undo(cc);
        }
    }

    /// The last reduction was spurious. If an ACK has echoed a mark since, the window stays, as on Linux (`tcp_undo_cwnd_reduction`; RFC
    /// 4015 §3.2 requires it of the ACK that shows it), and what echoes the mark does not grow it.
    pub(super) fn undo(&mut self, cc: &mut Group) {
        let restores = std::mem::take(&mut self.undoable) && self.restores;
        let ended = std::mem::replace(&mut self.phase, Phase::Open);
        self.limited = false; // by a window that was too small
        self.counters.spurious += 1;
        if ended == Phase::Recovery {
            self.rack.on_spurious();
        }
        if ended != Phase::Open {
            self.board.unmark_lost();
            if let Some(rates) = &mut self.rates {
                rates.unmark_lost();
            }
        }
        if restores {
            cc.on_spurious(self.row);
        } else if self.rates.is_none() {
            self.keep_reduction(ended, cc);
        }
        if self.linux {
            self.answer_marks_again(ended, restores);
        }
    }

    /// A recovery was spurious, but a mark's reduction stays: its round continues, and covers what is lost in it (RFC 3168 §6.1.2). Linux
    /// has PRR's window of that moment. Behind a spurious timeout the window is small and grows.
    fn keep_reduction(&mut self, ended: Phase, cc: &mut Group) {
        if ended != Phase::Recovery {
            return;
        }
        if self.linux {
            cc.steer(self.row, Some(self.prr.limit as f64), None);
        } else {
            (self.phase, self.high, self.ecn_high) = (Phase::Marked, self.cwr_high, self.cwr_high);
        }
    }

    /// Behind an undo, Linux is in `TCP_CA_Open`, where the next ACK that echoes a mark reduces (`tcp_try_to_open`): after a timeout, and
    /// at the end of a recovery, already the one that shows it (`tcp_fastretrans_alert`). It takes back a CWR that has not left
    /// (`tcp_ecn_withdraw_cwr`).
    fn answer_marks_again(&mut self, ended: Phase, restores: bool) {
        let una = self.board.una();
        let next = ended == Phase::Recovery && una < self.high;
        self.cwr_high = if next { una } else { una.saturating_sub(1) };
        self.send_cwr &= !restores;
    }

    /// Before new data: after a pause of more than a timeout the window restarts at `restart` segments, as the ACK clock is
    /// lost (RFC 5681 §4.1). It halves once per timeout, as in Linux (`tcp_cwnd_restart`; RFC 2861 §3.2). A model of the
    /// path survives the pause. Returns whether the window restarted.
    #[inline]
    pub(crate) fn restart_if_idle(&mut self, restart: f64, now: Time, cc: &mut Group) -> bool {
        let due = self.is_idle(now);
        if due {
            self.restart(restart, now, cc);
        }
        due
    }

    /// Whether the window restarts before new data.
    #[inline(always)] // mostly one comparison
    pub(crate) fn is_idle(&self, now: Time) -> bool {
        self.idle_since < now && now.since(self.last_sent) > self.rtt.rto() && self.rates.is_none()
    }

    /// Restarts the window of a sender that [is idle](Sender::is_idle).
    #[cold]
    pub(crate) fn restart(&mut self, restart: f64, now: Time, cc: &mut Group) {
        let mut window = cc.path(self.row).cwnd;
        let mut idle = now.since(self.last_sent);
        while idle > self.rtt.rto() && window > restart {
            window = (window / 2.0).floor();
            idle = idle.since(self.rtt.rto());
        }
        cc.restart(self.row, now.as_secs_f64(), window.max(restart));
        self.undoable = false;
        self.idle_since = Time::NEVER; // the pause is reported to the algorithm
    }
}
