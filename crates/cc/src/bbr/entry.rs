//! How the registry presents BBR.

use super::Bbr;
use crate::Uncoupled;
use crate::entry::{Entry, Kind, Observable, Param};
use alloc::boxed::Box;

/// How the registry presents BBR.
pub(crate) static ENTRY: Entry = Entry {
    name: "bbr",
    title: "BBR, version 3",
    kind: Kind::SinglePath,
    source: "draft-ietf-ccwg-bbr-06",
    equations: &[
        "max_bw = the largest delivery rate of this cycle and the one before;  min_rtt = the smallest RTT of 10 s",
        "bw = min(max_bw, bw_shortterm);  pacing rate = 0.99 pacing_gain bw",
        "w = w + acked, at most cwnd_gain bw min_rtt + extra_acked, inflight_longterm (CRUISE: 0.85 of it) and inflight_shortterm; at least 4",
        "gains for rate and window: Startup 2.77, 2; Drain 0.5, 2; DOWN 0.9, 2; CRUISE and REFILL 1, 2; UP 1.25, 2.25; ProbeRTT 1, 0.5",
        "Startup and UP end after 3 rounds in which the delivery rate grew by less than 25 %, or where losses exceed 2 % of what was in flight",
        "such losses in UP: inflight_longterm = max(in flight at the loss, 0.7 min(bw min_rtt, w))",
        "a round with losses while not probing: bw_shortterm and inflight_shortterm keep 0.7, or what the round delivered; both lapse in REFILL",
        "UP comes every 2 to 3 s or min(bw min_rtt, w, 63) rounds; ProbeRTT, 200 ms, where no RTT was as small for 5 s",
    ],
    interpretations: &[
        "The random waits between probes for bandwidth are functions of the time and the segments delivered: the algorithms have no source of randomness.",
        "One segment is sent at a time: there is no send quantum, and the offload budget of three of them never exceeds the least window of four.",
        "An ECN mark, for which the draft asks a reaction without defining one, counts as a loss above the threshold would: it ends Startup or UP, else lowers the short-term model.",
        "After a timeout the window is one segment, whatever is in flight.",
        "What a spurious recovery restores is saved where it begins; the pseudocode saves again after each first loss of a round, and so forgets the state before.",
        "UP has reached inflight_longterm where in flight before the acknowledgement had; after it, it never is.",
        "inflight_longterm is set to whole segments.",
        "On restart from idle the pacing rate is not set to bw before the first segment, and ProbeRTT is left with the first acknowledgement.",
        "The rates are always BBR's: the parameter pacing changes nothing.",
        "ECN beyond that, sending quanta and the receiver's ACK frequency (4.1.3.3) are left out.",
    ],
    params: &[
        Param::number(
            "startup_pacing_gain",
            2.77,
            (1.1, 4.0),
            "StartupPacingGain: sending rate over bandwidth in Startup",
        ),
        Param::number(
            "loss_threshold",
            0.02,
            (0.001, 0.5),
            "LossThresh: a loss of this fraction of the segments in flight ends a probe for bandwidth",
        ),
        Param::number("beta", 0.7, (0.1, 0.99), "Beta: the smallest fraction of the bounds kept on loss"),
    ],
    observables: &[
        Observable::new(
            "state",
            "0 Startup, 1 Drain, 2 DOWN, 3 CRUISE, 4 REFILL, 5 UP (the four of ProbeBW), 6 ProbeRTT",
        ),
        Observable::new("bw", "the estimated bandwidth, in segments per second"),
        Observable::new("min_rtt", "the estimated propagation delay, in seconds"),
        Observable::new("inflight_longterm", "the long-term bound on the window, in segments, if any"),
        Observable::new("inflight_shortterm", "the short-term bound on the window, in segments, if any"),
        Observable::new("pacing_gain", "sending rate over estimated bandwidth"),
        Observable::new("cwnd_gain", "window over estimated bandwidth-delay product"),
    ],
    build: |params| Box::new(Uncoupled::new(Bbr::new(params))),
};
