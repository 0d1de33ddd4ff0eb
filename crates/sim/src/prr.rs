//! Proportional rate reduction: how much to send during fast recovery (RFC 6937 §3).

#[derive(Clone, Debug, Default)]
pub(crate) struct Prr {
    /// Segments outstanding when recovery began (RecoverFS).
    outstanding: u64,
    delivered: u64,
    sent: u64,
    /// In flight may reach this much.
    limit: u64,
}

impl Prr {
    pub(crate) fn begin(outstanding: u64) -> Prr {
        Prr { outstanding: outstanding.max(1), ..Prr::default() }
    }

    /// An acknowledgement delivered segments; `ssthresh` is the window after recovery and `advanced`
    /// says that `una` moved and no further loss was found, where slow start is safe (RFC 6937's
    /// SSRB), else the sending is limited to what was delivered (CRB).
    #[inline]
    pub(crate) fn on_ack(&mut self, delivered: u64, in_flight: u64, ssthresh: u64, advanced: bool) {
        self.delivered += delivered;
        let quota = if in_flight > ssthresh {
            (self.delivered * ssthresh).div_ceil(self.outstanding).saturating_sub(self.sent)
        } else {
            let conserve = self.delivered.saturating_sub(self.sent);
            let limit = if advanced { conserve.max(delivered) + 1 } else { conserve };
            limit.min(ssthresh - in_flight)
        };
        // The first retransmission always goes out.
        self.limit = in_flight + quota.max(u64::from(self.sent == 0));
    }

    #[inline]
    pub(crate) fn on_send(&mut self) {
        self.sent += 1;
    }

    #[inline]
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6937 §3.1's first example: 20 segments, the first lost, window halved. PRR sends one
    /// segment for every two delivered; at the end ten have been sent or are in flight.
    #[test]
    fn spreads_the_reduction_over_the_round() {
        let (mut in_flight, mut sent) = (19u64, Vec::new());
        let mut prr = Prr::begin(20);
        for _ in 0..19 {
            in_flight -= 1;
            prr.on_ack(1, in_flight, 10, false);
            let mut now = 0;
            while in_flight < prr.limit() {
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

    /// After heavy losses CRB sends no more than was delivered; SSRB may send one more per ACK.
    #[test]
    fn conserves_packets_below_the_threshold() {
        let mut prr = Prr::begin(20);
        prr.on_send(); // the first retransmission
        prr.on_ack(1, 5, 10, false);
        assert_eq!(prr.limit(), 5); // delivered 1, sent 1
        prr.on_ack(1, 4, 10, true);
        assert_eq!(prr.limit(), 4 + 2); // delivered 2, sent 1: max(1, 1) + 1
    }
}
