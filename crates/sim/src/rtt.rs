//! Round-trip time and retransmission timeout (RFC 6298).

use crate::scoreboard::RoundTrip;
use anabranch_net::Time;

/// Timeout before the first sample (RFC 6298 §2.1).
const INITIAL_RTO: Time = Time::from_millis(1000);
/// Largest timeout (RFC 6298 §2.5 allows 60 s or more).
const MAX_RTO: Time = Time::from_millis(60_000);

/// Smoothed estimates of one subflow's round-trip time.
// The default is only for `new`, which sets what differs from zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rtt {
    /// Smoothed RTT in ns; 0 before the first sample.
    srtt: f64,
    /// Mean deviation in ns.
    deviation: f64,
    /// Smoothed RTT in whole ns; zero before the first sample.
    pub(crate) smoothed: Time,
    /// The timeout without backoff.
    base: Time,
    /// Smallest sample; [`Time::NEVER`] before the first.
    pub(crate) min: Time,
    /// The least margin of the timeout in ns.
    least_margin: f64,
    /// Consecutive timeouts: each doubles the next (RFC 6298 §5.5).
    backoff: u32,
}

impl Rtt {
    pub(crate) fn new(min_rto: Time) -> Rtt {
        Rtt { base: INITIAL_RTO, min: Time::NEVER, least_margin: min_rto.as_nanos_f64(), ..Rtt::default() }
    }

    /// Takes a sample (RFC 6298 §2.2, §2.3), which ends the backoff (§5.7, §3; Linux' `tcp_ack_update_rtt`).
    #[inline]
    pub(crate) fn sample(&mut self, rtt: RoundTrip) {
        let r = rtt.first.as_nanos_f64();
        if self.srtt == 0.0 {
            self.srtt = r.max(1.0);
            self.deviation = r / 2.0;
        } else {
            self.deviation += 0.25 * ((self.srtt - r).abs() - self.deviation);
            self.srtt += 0.125 * (r - self.srtt);
        }
        // The floor applies to the variance, as in Linux: a delayed ACK must not cause a timeout.
        let margin = 4.0 * self.deviation;
        let margin = if margin > self.least_margin { margin } else { self.least_margin };
        self.smoothed = Time::from_nanos_f64(self.srtt);
        self.base = Time::from_nanos_f64(self.srtt + margin);
        self.min = self.min.min(rtt.last);
        self.backoff = 0;
    }

    /// Smoothed RTT in seconds; zero before the first sample.
    #[inline]
    pub(crate) fn smoothed_s(&self) -> f64 {
        self.srtt * 1e-9
    }

    /// The retransmission timeout with backoff.
    #[inline]
    pub(crate) fn rto(&self) -> Time {
        match self.backoff {
            0 => self.base,
            n => self.base.times(1 << n.min(16)).min(MAX_RTO.max(self.base)),
        }
    }

    /// The timer expired.
    pub(crate) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Whether the timer has expired since the last sample.
    #[inline]
    pub(crate) fn is_backed_off(&self) -> bool {
        self.backoff > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_rfc_6298() {
        let ms = Time::from_millis;
        let sample = |rtt: &mut Rtt, t: u64| rtt.sample(RoundTrip::of(ms(t)));
        let mut rtt = Rtt::new(ms(200));
        assert_eq!(rtt.rto(), ms(1000)); // §2.1
        sample(&mut rtt, 100); // §2.2: SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR
        assert_eq!((rtt.smoothed, rtt.rto()), (ms(100), ms(300)));
        sample(&mut rtt, 180); // §2.3: RTTVAR = 3/4·50 + 1/4·80 = 57.5, SRTT = 7/8·100 + 1/8·180 = 110
        assert_eq!((rtt.smoothed, rtt.rto(), rtt.min), (ms(110), ms(340), ms(100)));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.rto(), ms(4 * 340));
        (0..20).for_each(|_| rtt.back_off());
        assert_eq!(rtt.rto(), ms(60_000));
        sample(&mut rtt, 10);
        assert!(!rtt.is_backed_off());
        (0..200).for_each(|_| sample(&mut rtt, 10));
        assert_eq!(rtt.rto(), ms(210)); // SRTT and the floor
    }
}
