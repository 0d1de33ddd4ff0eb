//! The states and what each does with rate and window (§5.6.1).

use crate::Segments;

/// `BBR.MinPipeCwnd`.
pub(super) const MIN_PIPE_CWND: Segments = 4.0;

/// States of the machine (§5.1.1), in the order of the observable `state`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd)]
pub(super) enum State {
    #[default]
    Startup,
    Drain,
    ProbeBwDown,
    ProbeBwCruise,
    ProbeBwRefill,
    ProbeBwUp,
    ProbeRtt,
}

impl State {
    /// `BBR.pacing_gain`; Startup's is a parameter.
    pub(super) fn pacing_gain(self, startup: f64) -> f64 {
        match self {
            State::Startup => startup,
            State::Drain => 0.5,
            State::ProbeBwDown => 0.9,
            State::ProbeBwCruise | State::ProbeBwRefill | State::ProbeRtt => 1.0,
            State::ProbeBwUp => 1.25,
        }
    }

    /// `BBR.cwnd_gain`.
    pub(super) fn cwnd_gain(self) -> f64 {
        match self {
            State::ProbeBwUp => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }

    /// `IsInAProbeBWState`.
    pub(super) fn is_probe_bw(self) -> bool {
        (State::ProbeBwDown..=State::ProbeBwUp).contains(&self)
    }

    /// `IsProbingBW`: losses do not lower the short-term model.
    pub(super) fn is_probing_bw(self) -> bool {
        matches!(self, State::Startup | State::ProbeBwRefill | State::ProbeBwUp)
    }
}

/// The phases of probing, by the acknowledgements (§2.14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AckPhase {
    #[default]
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}
