//! C-MPBBR, coupled multipath BBR (Mahmud, Lubna, Song, Cho, 2020): BBR on each path; paths whose bandwidths are
//! alike are thought to be behind one bottleneck, and divide what it gives.

use crate::bbr::{self, Bbr};
use crate::entry::{Entry, Kind, Observable, Param};
use crate::{Ack, Algorithm, Congestion, LostSegment, Path, Signal, SinglePath, renew};
use alloc::{boxed::Box, vec::Vec};

/// How the registry presents it.
pub(crate) static ENTRY: Entry = Entry {
    name: "c-mpbbr",
    title: "C-MPBBR, coupled multipath BBR",
    kind: Kind::Coupled,
    source: "I. Mahmud, T. Lubna, Y.-J. Song, Y.-Z. Cho: Coupled Multipath BBR (C-MPBBR): A Efficient Congestion Control Algorithm for Multipath TCP, IEEE Access 8 (2020); and the authors' kernel module",
    equations: &[
        "each path: BBR",
        "where a path begins to cruise: n = paths whose max_bw is within `alike` of its own, itself included",
        "n holds where it was above 1 the time before, too, and once more where it is 1 now; else it is 1",
        "while the path cruises: rate and window of bw/n",
        "where n = 1 and all paths together deliver less than 1 - `benefit` of the best one's max_bw, `patience` cruises in a row: the slowest path carries no more data",
    ],
    interpretations: &[
        "The source has BBR version 1, where a cycle is eight phases and the fourth compares and the third to the eighth divide; here it is version 3, whose CRUISE does both.",
        "An unused path carries no new data; the source closes the subflow.",
        "The comparison excludes paths that do not count (see the group), are unused or have no estimate.",
    ],
    params: &[
        Param::number(
            "alike",
            0.2,
            (0.0, 1.0),
            "how far apart the bandwidths behind one bottleneck may be, as a fraction of the path's own",
        ),
        Param::number("benefit", 0.4, (0.0, 1.0), "how far below the best path's bandwidth the total may be"),
        Param::whole(
            "patience",
            5.0,
            (1.0, 1e6),
            "consecutive cruises after which the slowest path is no longer used",
        ),
    ],
    observables: &[
        Observable::new("sharing", "n, the number of paths estimated to share the bottleneck"),
        bbr::ENTRY.observables[0],
        bbr::ENTRY.observables[1],
        bbr::ENTRY.observables[2],
    ],
    build: |params| {
        Box::new(Mpbbr {
            alike: params.number("alike"),
            benefit: params.number("benefit"),
            patience: params.number("patience") as u32,
            rows: Vec::new(),
        })
    },
};

#[derive(Clone)]
struct Mpbbr {
    alike: f64,
    benefit: f64,
    patience: u32,
    rows: Vec<Row>,
}

#[derive(Clone)]
struct Row {
    bbr: Bbr,
    cruises: bool,
    /// n as it is used, and as it was found at the last cruise.
    sharing: u32,
    found: u32,
    /// The latest delivery rate, segments per second.
    delivery_rate: f64,
    /// Cruises in a row in which the paths together were of no benefit.
    useless: u32,
}

impl Row {
    fn new() -> Self {
        let bbr = Bbr::with_defaults();
        Row { bbr, cruises: false, sharing: 1, found: 1, delivery_rate: 0.0, useless: 0 }
    }
}

impl Mpbbr {
    /// The rows in use, with their bandwidths.
    fn bandwidths<'a>(&'a self, paths: &'a [Path]) -> impl Iterator<Item = (usize, f64)> + 'a {
        let used = paths.iter().zip(&self.rows).enumerate().filter(|(_, (p, _))| p.counts && !p.barred);
        used.map(|(r, (_, row))| (r, row.bbr.max_bw())).filter(|(_, bw)| *bw > 0.0)
    }

    /// Path `r` begins to cruise.
    fn compare(&mut self, paths: &mut [Path], r: usize) {
        let own = self.rows[r].bbr.max_bw();
        let alike = |(_, bw): &(usize, f64)| (bw - own).abs() <= self.alike * own;
        let found = self.bandwidths(paths).filter(alike).count().max(1) as u32;
        let row = &mut self.rows[r];
        let before = core::mem::replace(&mut row.found, found);
        row.sharing = match (before, found) {
            (2.., 2..) => found,
            (2.., _) => before,
            _ => 1,
        };
        self.weigh(paths, r);
    }

    /// Bars path `r` where it is the slowest of paths that together were of no benefit for long.
    fn weigh(&mut self, paths: &mut [Path], r: usize) {
        let by_bandwidth = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
        let best = self.bandwidths(paths).max_by(by_bandwidth);
        let slowest = self.bandwidths(paths).min_by(by_bandwidth);
        let (Some(best), Some(slowest)) = (best, slowest) else { return };
        let together: f64 = self.bandwidths(paths).map(|(q, _)| self.rows[q].delivery_rate).sum();
        let row = &mut self.rows[r];
        let useless = row.sharing < 2 && best.0 != slowest.0 && together < (1.0 - self.benefit) * best.1;
        row.useless = if useless { row.useless + 1 } else { 0 };
        paths[r].barred = useless && row.useless >= self.patience && slowest.0 == r;
    }
}

impl Algorithm for Mpbbr {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, paths: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &Row::new());
        self.rows[r].bbr.added(&mut paths[r]);
    }

    fn path_removed(&mut self, paths: &mut [Path], _: usize) {
        // Whoever was too slow beside it may be all there is.
        if !paths.iter().any(|p| p.active && !p.barred) {
            paths.iter_mut().for_each(|p| p.barred = false);
        }
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        let row = &mut self.rows[r];
        if let Some(sample) = ack.rate.filter(|sample| sample.interval > 0.0) {
            row.delivery_rate = sample.delivery_rate();
        }
        let cruises = row.bbr.cruises();
        let begins = cruises && !row.cruises;
        row.cruises = cruises;
        if begins {
            self.compare(paths, r);
        }
        let row = &mut self.rows[r];
        row.bbr.use_part(if cruises { 1.0 / f64::from(row.sharing) } else { 1.0 });
        row.bbr.acked(&mut paths[r], ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, event: &Congestion) {
        // Whoever was too slow beside this path may be all that works.
        if event.signal == Signal::Timeout
            && !paths.iter().enumerate().any(|(q, p)| q != r && p.counts && !p.barred)
        {
            paths.iter_mut().for_each(|p| p.barred = false);
        }
        self.rows[r].bbr.congestion(&mut paths[r], event);
    }

    fn spurious(&mut self, paths: &mut [Path], r: usize) {
        self.rows[r].bbr.spurious(&mut paths[r]);
    }

    fn is_model_based(&self) -> bool {
        true
    }

    fn lost(&mut self, paths: &mut [Path], r: usize, lost: &LostSegment) {
        self.rows[r].bbr.lost(&mut paths[r], lost);
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let row = &self.rows[r];
        if let Some((sharing, rest)) = out.split_first_mut() {
            *sharing = f64::from(row.sharing);
            let listed = rest.len().min(ENTRY.observables.len() - 1);
            row.bbr.observe(&paths[r], &mut rest[..listed]);
        }
    }
}
