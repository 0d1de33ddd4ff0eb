//! Proportional rate reduction: how much to send during fast recovery (RFC 9937 §6.2).

#[derive(Clone, Debug, Default)]
pub(crate) struct Prr {
    /// Segments in flight at the ACK that began recovery, without those selectively acknowledged before (RecoverFS).
    outstanding: u64,
    delivered: u64,
    sent: u64,
    /// The limit of segments in flight.
    pub(crate) limit: u64,
}

impl Prr {
    /// Until an ACK delivers something, as much may be in flight as before.
    pub(crate) fn begin(outstanding: u64) -> Prr {
        let outstanding = outstanding.max(1);
        Prr { outstanding, limit: outstanding, ..Prr::default() }
    }

    /// An ACK delivered segments; this includes the one that begins recovery. `ssthresh` is the target window. `safe`
    /// means that `una` moved without a further loss (SafeACK): slow start may then refill the window (SSRB), else at most
    /// the delivered amount is sent (CRB).
    #[inline]
    pub(crate) fn on_ack(&mut self, delivered: u64, in_flight: u64, ssthresh: u64, safe: bool) {
        self.delivered += delivered;
        let quota = if in_flight > ssthresh {
            (self.delivered * ssthresh).div_ceil(self.outstanding).saturating_sub(self.sent)
        } else {
            let conserve = self.delivered.saturating_sub(self.sent).max(delivered);
            (conserve + u64::from(safe)).min(ssthresh - in_flight)
        };
        // The first segment is always sent: it is the fast retransmit.
        self.limit = in_flight + quota.max(u64::from(self.sent == 0));
    }

    #[inline]
    pub(crate) fn on_send(&mut self) {
        self.sent += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 segments, the first lost, window halved: one segment is sent for every two delivered, and at the end ten
    /// are in flight (RFC 9937 §7).
    #[test]
    fn spreads_the_reduction_over_the_round() {
        let (mut in_flight, mut sent) = (19u64, Vec::new());
        let mut prr = Prr::begin(20);
        for _ in 0..19 {
            in_flight -= 1;
            prr.on_ack(1, in_flight, 10, false);
            let mut now = 0;
            while in_flight < prr.limit {
                prr.on_send();
                in_flight += 1;
                now += 1;
            }
            sent.push(now);
        }
        assert_eq!(in_flight, 10);
        assert_eq!(sent.iter().sum::<u64>(), 10);
        assert!(sent.iter().all(|n| *n <= 1));
    }

    /// Linux' `tcp_cwnd_reduction` leaves the window alone at an ACK that delivers nothing, such as the one with the first mark.
    #[test]
    fn an_ack_that_delivers_nothing_closes_no_window() {
        assert_eq!(Prr::begin(10).limit, 10);
        assert_eq!(Prr::begin(0).limit, 1);
    }

    /// After heavy losses, below the threshold: SndCnt = MAX(prr_delivered - prr_out, DeliveredData), one more
    /// where the acknowledgement is safe, and never beyond the threshold.
    #[test]
    fn conserves_packets_below_the_threshold() {
        let mut prr = Prr::begin(20);
        prr.on_send(); // the first retransmission
        prr.on_ack(1, 5, 10, false);
        assert_eq!(prr.limit, 5 + 1); // MAX(1 - 1, 1): RFC 6937 had 0 here
        prr.on_ack(1, 4, 10, true);
        assert_eq!(prr.limit, 4 + 2); // MAX(2 - 1, 1) + 1
        prr.on_ack(3, 4, 10, false);
        assert_eq!(prr.limit, 4 + 4); // MAX(5 - 1, 3)
        prr.on_ack(1, 9, 10, true);
        assert_eq!(prr.limit, 10); // MIN(10 - 9, MAX(6 - 1, 1) + 1)
    }
}
