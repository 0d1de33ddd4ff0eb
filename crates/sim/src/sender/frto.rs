//! F-RTO: after a timeout, new data shows whether it was spurious (RFC 5682 §3.1, as `tcp_process_loss`). Linux only.

use super::{Frto, Phase, Sender};
use crate::scoreboard::Delivered;
use anabranch_cc::Group;

impl Sender {
    /// A timeout begins the detection unless it comes in recovery, where retransmissions are out.
    pub(super) fn begin_frto(&mut self, repeated: bool) {
        let begins = self.linux && (repeated || !self.is_repairing());
        self.frto = if begins { Frto::On } else { Frto::Off };
    }

    /// Steps 2 and 3: an ACK after a timeout. `duplicate`: it repeats the last one, with SACK blocks but no DSACK.
    #[inline]
    pub(super) fn test_timeout(
        &mut self,
        delivered: &Delivered,
        advanced: bool,
        duplicate: bool,
        cc: &mut Group,
    ) {
        if self.frto == Frto::Off || self.phase != Phase::Loss {
            return;
        }
        let has_new = self.board.nxt() > self.high;
        if delivered.lowest_copy.is_some_and(|seq| seq < self.high) {
            self.undo(cc); // step 3.b: what was sent once was not lost
        } else if has_new && (delivered.has_sacked || duplicate) {
            self.frto = Frto::Off; // step 3.a: the new data came, but what was before it did not
        } else if !has_new && advanced && self.board.una() < self.high {
            self.frto = Frto::TryNewData;
        }
    }

    /// Whether new data goes out before retransmissions.
    #[inline]
    pub(crate) fn tries_new_data(&self) -> bool {
        self.frto == Frto::TryNewData
    }

    /// After this try. Returns whether there was new data; else retransmissions follow.
    pub(crate) fn has_tried_new_data(&mut self) -> bool {
        let sent = self.board.nxt() > self.high;
        self.frto = if sent { Frto::On } else { Frto::Off };
        sent
    }
}
