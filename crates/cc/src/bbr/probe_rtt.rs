//! ProbeRTT: a short while with half of a BDP in flight, to see the path without a queue (§5.3.4).

use super::Bbr;
use super::state::{AckPhase, MIN_PIPE_CWND, State};
use crate::{Ack, Path, RateSample, Seconds, Segments};

/// `BBR.ProbeRTTDuration`.
const DURATION: Seconds = 0.2;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ProbeRtt {
    /// `BBR.probe_rtt_done_stamp`, once in flight is low enough.
    done: Option<Seconds>,
    /// `BBR.probe_rtt_round_done`.
    round_done: bool,
    /// Samples of segments sent when this much had been delivered are limited by the probe itself
    /// (`MarkConnectionAppLimited`).
    limited: Option<(Segments, Segments)>,
}

impl ProbeRtt {
    /// Whether the probe limited the rate at which the sample's segments were sent.
    pub(super) fn limits(&self, sample: &RateSample) -> bool {
        self.limited.is_some_and(|(from, to)| (from..=to).contains(&sample.prior_delivered))
    }
}

impl Bbr {
    /// `CheckProbeRTT`. Idleness has drained the queue as well as a probe does.
    pub(super) fn check_probe_rtt(&mut self, path: &mut Path, ack: &Ack, sample: &RateSample) {
        if self.state != State::ProbeRtt && self.min_rtt.probe_expired && !sample.resumed {
            self.state = State::ProbeRtt;
            self.save_cwnd(path.cwnd);
            self.probe_rtt =
                ProbeRtt { limited: Some((self.delivered, self.delivered)), ..ProbeRtt::default() };
            self.cycle.ack_phase = AckPhase::ProbeStopping;
            self.rounds.restart(self.delivered);
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(path, ack);
        }
    }

    /// `HandleProbeRTT`.
    fn handle_probe_rtt(&mut self, path: &mut Path, ack: &Ack) {
        if let Some((_, to)) = &mut self.probe_rtt.limited {
            *to = self.delivered + ack.in_flight;
        }
        let Some(done) = self.probe_rtt.done else {
            if ack.in_flight <= self.probe_rtt_cwnd() {
                self.probe_rtt.done = Some(ack.now + DURATION);
                self.probe_rtt.round_done = false;
                self.rounds.restart(self.delivered);
            }
            return;
        };
        self.probe_rtt.round_done |= self.rounds.start;
        if self.probe_rtt.round_done && ack.now > done {
            self.min_rtt.probed(ack.now);
            self.restore_cwnd(path);
            self.exit_probe_rtt(ack.now);
        }
    }

    /// `ExitProbeRTT`: in flight is low, so the cycle continues with CRUISE.
    fn exit_probe_rtt(&mut self, now: Seconds) {
        self.bounds.reset_short_term();
        if self.full_bw.reached {
            self.start_down(now);
            self.state = State::ProbeBwCruise;
        } else {
            self.state = State::Startup;
        }
    }

    /// `ProbeRTTCwnd`.
    pub(super) fn probe_rtt_cwnd(&self) -> Segments {
        self.bdp_multiple(self.bw(), State::ProbeRtt.cwnd_gain()).max(MIN_PIPE_CWND)
    }
}
