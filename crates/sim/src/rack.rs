//! RACK: loss detection by time (RFC 8985 §6).
//!
//! First copies are sent in the order of their numbers, and retransmissions are kept in the order of sending, so each
//! check visits only the oldest of either: constant cost per segment.

use crate::rtt::Rtt;
use crate::scoreboard::{Delivered, Scoreboard};
use anabranch_net::Time;

/// Duplicate ACKs that indicate a loss until reordering is observed.
const DUP_THRESHOLD: u64 = 3;
/// Recoveries after which a reordering window enlarged by DSACKs is reset.
const PERSIST: u8 = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct Rack {
    /// Send time and number of the most recently sent segment among the delivered ones.
    newest: (Time, u64),
    /// Its RTT.
    rtt: Time,
    /// The reordering window in quarters of the smallest RTT, less one.
    grown: u32,
    /// How far segments were reordered; 0 before that is seen.
    reordering: u16,
    /// Recoveries left until it shrinks.
    persist: u8,
    /// A DSACK counts once per round: until this segment is acknowledged.
    round_end: u64,
}

impl Rack {
    /// Steps 1–3: processes the segments delivered by an ACK.
    #[inline]
    pub(crate) fn on_delivered(&mut self, delivered: &Delivered, now: Time) {
        self.reordering = self.reordering.max(delivered.reordering.min(u16::MAX.into()) as u16);
        if let Some(newest) = delivered.first_copy.max(delivered.retransmission) {
            self.rtt = now.since(newest.0);
            self.newest = self.newest.max(newest);
        }
    }

    /// Whether an ACK in order whose last segment is `newest` lets no segment be overdue: all that are outstanding were sent after
    /// those that are delivered.
    #[inline]
    pub(crate) fn is_content(&self, newest: (Time, u64)) -> bool {
        newest >= self.newest
    }

    /// The same as [`Rack::on_delivered`] for such an ACK, which measures `rtt`.
    #[inline]
    pub(crate) fn on_delivered_in_order(&mut self, newest: (Time, u64), rtt: Time) {
        (self.newest, self.rtt) = (newest, rtt);
    }

    /// Step 4: a DSACK indicates that the reordering window was too small.
    pub(crate) fn on_dsack(&mut self, board: &Scoreboard) {
        if board.una() >= self.round_end {
            self.round_end = board.nxt();
            self.grown += 1;
            self.persist = PERSIST;
        }
    }

    /// A recovery was spurious: the segments were late, not lost.
    pub(crate) fn on_spurious(&mut self) {
        self.reordering = self.reordering.max(1);
    }

    /// Whether reordering alone may cause three duplicate ACKs.
    #[inline]
    pub(crate) fn is_much_reordered(&self) -> bool {
        u64::from(self.reordering) > DUP_THRESHOLD
    }

    /// Step 4: recoveries without DSACKs shrink the window.
    pub(crate) fn on_recovery_end(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.grown = 0;
        }
    }

    fn reordering_window(&self, board: &Scoreboard, recovering: bool, rtt: &Rtt) -> Time {
        if self.reordering == 0 && (recovering || board.sacked() >= DUP_THRESHOLD) {
            return Time::ZERO;
        }
        let quarter = Time::from_nanos(rtt.min.as_nanos() / 4);
        quarter.times(u64::from(self.grown) + 1).min(rtt.smoothed)
    }

    /// At a timeout, what was sent by this time is overdue (RFC 8985 §6.3). On Linux, reordered segments have no time more
    /// (`tcp_timeout_mark_lost`).
    pub(crate) fn overdue_before(&self, now: Time, board: &Scoreboard, rtt: &Rtt, linux: bool) -> Time {
        let window = if linux { Time::ZERO } else { self.reordering_window(board, true, rtt) };
        now.since(self.rtt + window)
    }

    /// Step 5: marks segments as lost that were sent long enough before a delivered one. Returns their
    /// number and the time of the next check.
    #[inline]
    pub(crate) fn detect(
        &self,
        board: &mut Scoreboard,
        now: Time,
        recovering: bool,
        rtt: &Rtt,
    ) -> (u64, Time) {
        board.first_copy = board.first_copy.max(board.una());
        let patience = self.rtt + self.reordering_window(board, recovering, rtt);
        let (mut lost, mut next) = (0, Time::NEVER);
        while board.first_copy < board.nxt() {
            let seq = board.first_copy;
            if let Some(sent) = board.first_copy_sent(seq) {
                if (sent, seq) >= self.newest {
                    break;
                }
                if sent + patience > now {
                    next = sent + patience;
                    break;
                }
                board.mark_lost(seq);
                lost += 1;
            }
            board.first_copy += 1;
        }
        while let Some((seq, sent)) = board.oldest_resend() {
            if board.is_resend_in_flight(seq, sent) {
                if (sent, seq) >= self.newest {
                    break;
                }
                if sent + patience > now {
                    next = next.min(sent + patience);
                    break;
                }
                board.mark_lost(seq);
                lost += 1;
            }
            board.pass_oldest_resend();
        }
        (lost, next)
    }
}
