//! MPTCP-SBD (Ferlin, Alay, Dreibholz, Hayes, Welzl, 2016): LIA among the paths that share a bottleneck, Reno
//! on those that do not.

use crate::bottlenecks::{ALONE, Grouping, Member, Summary};
use crate::entry::{Entry, Kind, Observable};
use crate::linked::Linked;
use crate::{Ack, Algorithm, Congestion, Path, Segments, Signal, aimd, fill, slow_start};
use alloc::boxed::Box;

/// How the registry presents it.
pub(crate) static ENTRY: Entry = Entry {
    name: "mptcp-sbd",
    title: "MPTCP-SBD, LIA per shared bottleneck",
    kind: Kind::Coupled,
    source: "S. Ferlin, O. Alay, T. Dreibholz, D. A. Hayes, M. Welzl: Revisiting Congestion Control for Multipath TCP with Shared Bottleneck Detection (INFOCOM 2016); statistics and grouping of RFC 8382",
    equations: &[
        "each 350 ms, per path: skewness, variability and losses of the last 30 or 50 intervals, and how often the delay crosses its mean (RFC 8382, 3.2)",
        "a path has a bottleneck where skewness < 0.1, or < 0.3 and it had one, or more than 5 % is lost",
        "such paths share one where these are close: frequency, variability, skewness, then losses (RFC 8382, 3.3.1)",
        "per acknowledged segment: w += min(alpha/sum w, 1/w), alpha and sum over the path's group (RFC 6356); 1/w on a path that shares no bottleneck",
        "on loss: w = w/2",
    ],
    interpretations: &[
        "Experimental: with background traffic a shared bottleneck is often missed, and two bottlenecks with the same traffic are often taken for one. The book has the rates.",
        "The delay is the round-trip time, sampled by each acknowledgement, as the sender does not know the one-way delay. A queue on the return path is taken for a forward one.",
        "The constants are those that RFC 8382 recommends.",
        "Until 50 intervals (17.5 s) of a path are known it is in one group with all others like it: coupled, as LIA.",
        "A congestion event counts as one lost segment: with windows of tens of segments the test for losses above 5 % hardly ever acts.",
        "An interval without a sample is left out.",
        "The statistics of a path survive its pauses, but not its removal.",
        aimd::COUNTED,
        "An ECN mark halves as a loss does, and a timeout too, after which the window is one segment. The threshold is at least two segments (RFC 5681).",
        "Segments are counted as acknowledged (RFC 3465): an ACK for two segments adds as much as two ACKs.",
    ],
    params: &[],
    observables: &[
        Observable::new("group", "the path's group; 0 shares no bottleneck, 1 is not yet known"),
        Observable::new("skewness", "skew_est of RFC 8382, from -1 to 1, if any"),
        Observable::new("variability", "var_est: mean absolute deviation of the delay, in seconds, if any"),
        Observable::new(
            "frequency",
            "freq_est: significant crossings of the mean delay per interval, if any",
        ),
    ],
    build: |_| Box::new(MptcpSbd { grouping: Grouping::default() }),
};

#[derive(Clone)]
struct MptcpSbd {
    grouping: Grouping,
}

impl MptcpSbd {
    /// The growth of window `r` per segment.
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let members = &self.grouping.members;
        let (group, window) = (members[r].group, paths[r].cwnd);
        if group == ALONE {
            return 1.0 / window;
        }
        let together = paths.iter().zip(members).filter(|(_, member)| member.group == group);
        let linked = Linked::over(together.filter_map(|(path, _)| Some((path.cwnd, aimd::rtt(path)?))));
        linked.increase(window) // RFC 6356 §3
    }
}

impl Algorithm for MptcpSbd {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        self.grouping.add(r);
    }

    fn path_removed(&mut self, paths: &mut [Path], r: usize) {
        self.grouping.remove(paths, r);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.grouping.acked(r, ack);
        let acked = slow_start::grow(&mut paths[r], ack.acked);
        if acked > 0.0 {
            paths[r].cwnd += acked * self.increase(paths, r);
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        if event.signal != Signal::Ecn {
            self.grouping.lost(r);
        }
        paths[r].reduce_to(paths[r].cwnd / 2.0);
    }

    fn observe(&self, _: &[Path], r: usize, out: &mut [f64]) {
        let Member { delays, group } = &self.grouping.members[r];
        let seen = delays.summary();
        let value = |of: fn(&Summary) -> f64| seen.as_ref().map_or(f64::NAN, of);
        let values =
            [f64::from(*group), value(|s| s.skewness), value(|s| s.variability), value(|s| s.frequency)];
        fill(out, values);
    }
}
