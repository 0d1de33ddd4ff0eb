//! Linked BBR: BBR on each path, where the paths that share a bottleneck together use the bandwidth that one flow in their
//! place would have measured.

use crate::bbr::{self, Bbr, MaxBw};
use crate::bottlenecks::{ALONE, Grouping};
use crate::entry::{Entry, Kind, Observable, Param};
use crate::{Ack, Algorithm, Congestion, LostSegment, Path, SinglePath, renew};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents it.
pub(crate) static ENTRY: Entry = Entry {
    name: "linked-bbr",
    title: "Linked BBR, BBR coupled by the sum of the bandwidth samples",
    kind: Kind::Coupled,
    source: "ours; bandwidths by draft-ietf-ccwg-bbr-06, shared bottlenecks as C-MPBBR (Mahmud et al., 2020) or RFC 8382 finds them",
    equations: &[
        "each path: BBR, with a fraction f of its bandwidth for rate and window",
        "S = the sum of the latest delivery-rate samples of the paths that share the bottleneck",
        "B = the largest S of this cycle and the one before, at the path's own samples",
        "f = min(1, B / the sum of these paths' max_bw)",
        "two paths share a bottleneck where their max_bw differ by at most `alike` of the larger one",
    ],
    interpretations: &[
        "Experimental: the book has the values measured on shared and on separate bottlenecks.",
        "Only paths that count (see the group) and have an estimate share a bottleneck.",
        "detect = \"delays\" groups paths by RFC 8382 with round-trip times, as MPTCP-SBD here: until 50 intervals of 350 ms of a path are known it is in one group with all others like it. There each lost segment counts.",
    ],
    params: &[
        Param::word(
            "detect",
            "bandwidths",
            &["bandwidths", "delays", "always"],
            "which paths share a bottleneck: those with equal bandwidths, those that RFC 8382 groups, or all",
        ),
        Param::number(
            "alike",
            0.2,
            (0.0, 1.0),
            "how far apart the bandwidths behind one bottleneck may be, as a fraction of the larger one",
        ),
    ],
    observables: &[
        Observable::new("sharing", "paths that share its bottleneck, itself included"),
        Observable::new("fraction", "f, the fraction of its bandwidth that it uses"),
        bbr::ENTRY.observables[0],
        bbr::ENTRY.observables[1],
        bbr::ENTRY.observables[2],
    ],
    build: |params| {
        let detect = match params.word("detect") {
            "delays" => Detect::Delays,
            "always" => Detect::Always,
            _ => Detect::Bandwidths(params.number("alike")),
        };
        Box::new(LinkedBbr { detect, grouping: Grouping::default(), rows: Vec::new() })
    },
};

/// How it is found out which paths share a bottleneck.
#[derive(Clone, Copy)]
enum Detect {
    /// Bandwidths that differ by at most this fraction of the larger one.
    Bandwidths(f64),
    /// RFC 8382.
    Delays,
    Always,
}

#[derive(Clone)]
struct LinkedBbr {
    detect: Detect,
    /// For [`Detect::Delays`].
    grouping: Grouping,
    rows: Vec<Row>,
}

#[derive(Clone)]
struct Row {
    bbr: Bbr,
    /// The latest delivery rate, in segments per second.
    rate: f64,
    /// B. Its cycles end with those of the path.
    total: MaxBw,
    sharing: u32,
    fraction: f64,
}

impl Row {
    fn new() -> Self {
        Row { bbr: Bbr::with_defaults(), rate: 0.0, total: MaxBw::default(), sharing: 1, fraction: 1.0 }
    }
}

impl LinkedBbr {
    fn share(&self, r: usize, q: usize) -> bool {
        match self.detect {
            Detect::Bandwidths(alike) => {
                let (a, b) = (self.rows[r].bbr.max_bw(), self.rows[q].bbr.max_bw());
                (a - b).abs() <= alike * a.max(b)
            }
            Detect::Delays => {
                let [a, b] = [r, q].map(|r| self.grouping.members[r].group);
                a == b && a != ALONE
            }
            Detect::Always => true,
        }
    }

    /// Path `r` has a sample, which its bandwidth includes.
    fn link(&mut self, paths: &[Path], r: usize, app_limited: bool) {
        let (mut sum, mut bandwidths, mut sharing) = (0.0, 0.0, 0);
        for (q, row) in self.rows.iter().enumerate() {
            let takes_part = paths[q].counts && row.bbr.max_bw() > 0.0;
            if q == r || takes_part && self.share(r, q) {
                sum += row.rate;
                bandwidths += row.bbr.max_bw();
                sharing += 1;
            }
        }
        let row = &mut self.rows[r];
        row.sharing = sharing;
        row.total.update(sum, app_limited);
        if row.total.cycles != row.bbr.cycles() {
            row.total.advance();
        }
        row.fraction = if bandwidths > 0.0 { (row.total.get() / bandwidths).min(1.0) } else { 1.0 };
        row.bbr.use_part(row.fraction);
    }
}

impl Algorithm for LinkedBbr {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &Row::new());
        self.rows[r].bbr.added(&mut paths[r]);
        self.grouping.add(r);
    }

    fn path_removed(&mut self, paths: &mut [Path], r: usize) {
        self.grouping.remove(paths, r);
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        if matches!(self.detect, Detect::Delays) {
            self.grouping.acked(r, ack);
        }
        self.rows[r].bbr.acked(&mut paths[r], ack);
        if let Some(sample) = ack.rate.filter(|sample| sample.interval > 0.0) {
            self.rows[r].rate = sample.delivery_rate();
            self.link(paths, r, sample.app_limited);
        }
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        self.rows[r].bbr.congestion(&mut paths[r], event);
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.rows[r].bbr.spurious(&mut paths[r]);
    }

    fn is_model_based(&self) -> bool {
        true
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.grouping.lost(r);
        self.rows[r].bbr.lost(&mut paths[r], lost);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let row = &self.rows[r];
        if let [sharing, fraction, rest @ ..] = out {
            (*sharing, *fraction) = (f64::from(row.sharing), row.fraction);
            let listed = rest.len().min(3);
            row.bbr.observe(&paths[r], &mut rest[..listed]);
        }
    }
}
