//! HyStart++ (RFC 9406): a rising round-trip time ends the first slow start before the loss does.

use crate::{Ack, Path, Seconds, Segments, slow_start};

/// `MIN_RTT_THRESH`, `MAX_RTT_THRESH` and `MIN_RTT_DIVISOR`: what counts as a rise.
const MIN_RTT_THRESH: Seconds = 0.004;
const MAX_RTT_THRESH: Seconds = 0.016;
const MIN_RTT_DIVISOR: f64 = 8.0;
/// `N_RTT_SAMPLE`: samples that a round needs to be judged.
const RTT_SAMPLES: u32 = 8;
/// `CSS_GROWTH_DIVISOR`: how much slower conservative slow start grows.
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// `CSS_ROUNDS`: how long conservative slow start lasts, its first partial round included.
const CSS_ROUNDS: u32 = 5;
/// L: the most that one acknowledgement of an unpaced sender counts for.
const LIMIT: Segments = 8.0;

/// Conservative slow start (RFC 9406 §4.2).
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// `cssBaselineMinRtt`: a round below it shows that the rise was spurious.
    baseline: Seconds,
    /// Rounds completed in it.
    rounds: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct HyStart {
    enabled: bool,
    round: u64,
    samples: u32,
    /// `currentRoundMinRTT` and `lastRoundMinRTT`; infinite without a sample.
    min_rtt: Seconds,
    last_min_rtt: Seconds,
    conservative: Option<Conservative>,
}

impl HyStart {
    /// A path's first slow start; the standard one of RFC 5681 unless `enabled`.
    pub(crate) fn new(enabled: bool) -> Self {
        let (min_rtt, last_min_rtt) = (Seconds::INFINITY, Seconds::INFINITY);
        HyStart { enabled, round: 0, samples: 0, min_rtt, last_min_rtt, conservative: None }
    }

    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Grows the window as long as the path is in slow start, and returns the acknowledged segments
    /// that are left for congestion avoidance.
    #[inline]
    pub(crate) fn grow(&mut self, path: &mut Path, ack: &Ack) -> Segments {
        // §4.3: only the first slow start, which ends with the first finite threshold.
        if path.ssthresh == Segments::INFINITY && self.enabled && self.grow_first(path, ack) {
            return 0.0;
        }
        slow_start::grow(path, ack.acked)
    }

    /// §4.2; false where slow start has just ended instead.
    fn grow_first(&mut self, path: &mut Path, ack: &Ack) -> bool {
        if ack.round != self.round && self.next_round(ack.round) {
            path.ssthresh = path.cwnd;
            return false;
        }
        let limit = if path.pacing_rate.is_some() { Segments::INFINITY } else { LIMIT };
        let divisor = if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 };
        path.cwnd += ack.acked.min(limit) / divisor;
        if let Some(rtt) = ack.rtt {
            self.min_rtt = self.min_rtt.min(rtt);
            self.samples += 1;
            if self.samples >= RTT_SAMPLES {
                self.judge();
            }
        }
        true
    }

    /// Starts a round; true where it follows the last one of conservative slow start.
    fn next_round(&mut self, round: u64) -> bool {
        self.round = round;
        self.last_min_rtt = self.min_rtt;
        self.min_rtt = Seconds::INFINITY;
        self.samples = 0;
        self.conservative.as_mut().is_some_and(|css| {
            css.rounds += 1;
            css.rounds >= CSS_ROUNDS
        })
    }

    /// Whether the delay rose enough to become conservative, or fell enough to return.
    fn judge(&mut self) {
        match self.conservative {
            Some(css) if self.min_rtt < css.baseline => self.conservative = None,
            Some(_) => {}
            None => {
                let threshold = (self.last_min_rtt / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if self.min_rtt >= self.last_min_rtt + threshold {
                    self.conservative = Some(Conservative { baseline: self.min_rtt, rounds: 0 });
                }
            }
        }
    }
}
