//! The estimated round-trip propagation delay, and when it is time to probe for it (§5.3.4.3, §5.5.7).

use crate::Seconds;

/// `BBR.MinRTTFilterLen`.
const MIN_RTT_FILTER: Seconds = 10.0;
/// `BBR.ProbeRTTInterval`.
const PROBE_RTT_INTERVAL: Seconds = 5.0;

/// A smallest round-trip time and when it was measured.
#[derive(Clone, Copy, Debug, Default)]
struct Minimum {
    rtt: Seconds,
    stamp: Seconds,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinRtt {
    /// `BBR.min_rtt`; its stamp is infinite until the first acknowledgement.
    long: Minimum,
    /// `BBR.probe_rtt_min_delay`.
    probe: Minimum,
    /// `BBR.probe_rtt_expired`.
    pub(super) probe_expired: bool,
}

impl MinRtt {
    /// Before the first acknowledgement; `srtt` is 0 where nothing was measured.
    pub(super) fn new(srtt: Seconds) -> MinRtt {
        let probe = Minimum { rtt: Seconds::INFINITY, stamp: Seconds::INFINITY };
        let long = if srtt > 0.0 { Minimum { rtt: srtt, ..probe } } else { probe };
        MinRtt { long, probe, probe_expired: false }
    }

    /// `BBR.min_rtt`; infinite before the first sample.
    pub(super) fn get(&self) -> Seconds {
        self.long.rtt
    }

    /// `UpdateMinRTT`.
    pub(super) fn update(&mut self, rtt: Option<Seconds>, now: Seconds) {
        self.long.stamp = self.long.stamp.min(now);
        self.probe_expired = now > self.probe.stamp + PROBE_RTT_INTERVAL;
        if let Some(rtt) = rtt
            && (rtt < self.probe.rtt || self.probe_expired)
        {
            self.probe = Minimum { rtt, stamp: now };
        }
        let expired = now > self.long.stamp + MIN_RTT_FILTER;
        if self.probe.rtt < self.long.rtt || (expired && self.probe.rtt.is_finite()) {
            self.long = self.probe;
        }
    }

    /// ProbeRTT is over: the next one is due after the interval.
    pub(super) fn probed(&mut self, now: Seconds) {
        self.probe.stamp = now;
    }
}
