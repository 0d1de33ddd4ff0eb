//! Sending by a connection with one path, or by one subflow in its turn, whose host sends no bursts: the order of [`super::sending`],
//! on a page.

use super::Connection;
use crate::network::Network;
use crate::packet::flag;
use crate::scoreboard::Segment;

impl Connection {
    /// Sends what the window allows: retransmissions, new data, a FIN. The window is checked once.
    #[inline]
    pub(super) fn push_on_the_only_path(&mut self, net: &mut Network) {
        if self.subflows[0].tx.board.repairing {
            self.resend_lost(0, net);
        }
        let mut limited = self.send_new_data_on(0, net);
        if self.out.is_sent() {
            self.finish(net);
            limited = self.subflows[0].is_full(&self.cc);
        }
        Self::end_turn(&mut self.subflows[0], limited, &self.out, net);
    }

    /// Sends new data on `s`, as long as it may send. Returns whether the window stopped it.
    #[inline(always)] // each caller has its own copy, and one knows `s`
    pub(super) fn send_new_data_on(&mut self, s: usize, net: &mut Network) -> bool {
        let (subflow, now) = (&mut self.subflows[s], net.now());
        if !subflow.is_up() {
            return false;
        }
        let mut path = self.cc.path(subflow.tx.row);
        if !subflow.may_carry(path) {
            return subflow.is_full(&self.cc);
        }
        if self.out.unsent() > 0 && self.tcp.slow_start_after_idle && subflow.tx.is_idle(now) {
            subflow.tx.restart(self.tcp.initial_window.into(), now, &mut self.cc);
            path = self.cc.path(subflow.tx.row);
        }
        let (first, from) = (subflow.tx.board.nxt(), self.out.cut_bytes);
        let flags = if self.tcp.ecn { flag::ECT } else { 0 };
        let plain = !self.tcp.ecn && subflow.tx.sends_plainly(path);
        let mut limited = true;
        for _ in subflow.tx.board.in_flight()..subflow.tx.window(path) {
            if !subflow.tx.pace_or_wait(now) {
                limited = false;
                break;
            }
            let Some((n, chunk)) = self.out.cut(s) else {
                limited = false;
                break;
            };
            let segment = Segment::new(n as u32, chunk.offset, chunk.len, flags);
            Self::send_one(subflow, segment, self.tcp.ecn, plain, &mut self.incoming, &self.cc, net);
        }
        if subflow.tx.board.nxt() > first {
            subflow.tx.sent_new(subflow.tx.board.nxt() - first, self.out.cut_bytes - from, now);
        }
        limited
    }
}
