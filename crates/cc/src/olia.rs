//! OLIA, the opportunistic linked increases algorithm (Khalili, Gast, Popovic, Le Boudec, 2012).

use crate::aimd::{self, Aimd, Windows, established};
use crate::entry::{Entry, Kind, Observable, Param, Params, Value};
use crate::{Path, Seconds, Segments, fill, math, v0};
use alloc::boxed::Box;

/// How the registry presents OLIA.
pub(crate) static ENTRY: Entry = Entry {
    name: "olia",
    title: "OLIA, opportunistic linked increases",
    kind: Kind::Coupled,
    source: "R. Khalili, N. Gast, M. Popovic, J.-Y. Le Boudec: MPTCP is not Pareto-Optimal (CoNEXT 2012); draft-khalili-mptcp-congestion-control",
    equations: &[INCREASE[0], INCREASE[1], INCREASE[2], INCREASE[3], "on loss: w = w/2"],
    interpretations: &[
        "l counts what was delivered, selectively acknowledged segments and those of loss recovery included; ECN marks and timeouts end it as losses do. A loss is known before what the acknowledgement that reveals it delivered: that is the next interval's.",
        "l/T^2, which is largest on the paths in B, follows the paper and out-of-tree MPTCP (`mptcp_get_epsilon`); it is half the square of Reno's rate at the loss rate 1/l. Version 05 of these authors' Internet-Draft is said to have l^2/T, and an implementation that cites it, INET's SCTP, computes that; the draft's text was not read.",
        "M compares windows in whole segments. As real numbers alike windows would never be equal, and where acknowledgements alternate each would find its own window the largest, and shrink it.",
        "The increase is at most one segment per acknowledged segment.",
        "If it is negative, the threshold follows the window down, so that no slow start follows; the window stays at least one segment.",
        aimd::COUNTED,
        aimd::UNMEASURED,
        aimd::LOSS,
        aimd::BYTES,
    ],
    params: &[aimd::COUNT, aimd::FLOOR, aimd::HYSTART, SCALE],
    observables: &OBSERVABLES,
    build: |params| Box::new(Windows::new(Olia::new(params), params)),
};

/// OLIA as out-of-tree MPTCP computes it.
pub(crate) static V0: Entry = Entry {
    name: "olia@v0",
    title: "OLIA, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::OLIA],
    params: &[v0::COUNT, aimd::FLOOR, aimd::HYSTART, Param { default: Value::Number(1024.0), ..SCALE }],
    ..ENTRY
};

/// The kernel's fixed point.
pub(crate) const SCALE: Param = Param::number(
    "scale",
    0.0,
    (0.0, 4294967296.0),
    "an increase is truncated to multiples of 1/scale of a segment; 0: exact",
);

pub(crate) const INCREASE: [&str; 4] = [
    "l = max(segments since the last loss, segments between the last two);  B: the paths with the largest l/T^2;  M: the paths with the largest w",
    "where B\\M is not empty: a = 1/(n |B\\M|) on paths of B\\M, -1/(n |M|) on paths of M",
    "elsewhere: a = 0",
    "per acknowledged segment: w += (w/T^2)/(sum w/T)^2 + a/w",
];

pub(crate) const OBSERVABLES: [Observable; 4] = [
    Observable::new("a", "a, which moves windows towards the best paths"),
    Observable::new("l", "l, an estimate of the segments from one loss to the next"),
    Observable::new("in_b", "1 on the presumably best paths, else 0"),
    Observable::new("in_m", "1 on the paths with the largest window, else 0"),
];

/// OLIA's increase and Reno's decrease.
#[derive(Clone)]
pub(crate) struct Olia {
    /// 0 where numbers are real.
    scale: f64,
}

impl Olia {
    pub(crate) fn new(params: &Params) -> Self {
        Olia { scale: params.number("scale") }
    }
}

/// ℓ.
#[inline]
fn between_losses(path: &Path) -> Segments {
    path.delivered_since_loss.max(path.delivered_between_losses)
}

/// ℓ/T².
#[inline]
fn quality(path: &Path, rtt: Seconds) -> f64 {
    between_losses(path) / (rtt * rtt)
}

/// The window that M compares.
#[inline]
fn whole(path: &Path) -> u32 {
    path.cwnd as u32
}

/// The sum, the maxima and the sizes of the sets, gathered in one pass.
#[derive(Default)]
struct Table {
    /// n.
    paths: f64,
    /// Σ w/T.
    rate: f64,
    /// max ℓ/T², and max w.
    best: f64,
    largest: u32,
    /// |B|, |M| and |B ∩ M|.
    in_b: f64,
    in_m: f64,
    in_both: f64,
}

impl Table {
    #[inline]
    fn of(paths: &[Path]) -> Self {
        established(paths).fold(Table::default(), |mut table, (path, rtt)| {
            let (w, quality) = (whole(path), quality(path, rtt));
            table.paths += 1.0;
            table.rate += path.cwnd / rtt;
            if quality > table.best {
                (table.best, table.in_b, table.in_both) = (quality, 0.0, 0.0);
            }
            if w > table.largest {
                (table.largest, table.in_m, table.in_both) = (w, 0.0, 0.0);
            }
            let (b, m) = (quality == table.best, w == table.largest);
            table.in_b += f64::from(u8::from(b));
            table.in_m += f64::from(u8::from(m));
            table.in_both += f64::from(u8::from(b && m));
            table
        })
    }

    /// a of a path that counts.
    #[inline]
    fn a(&self, path: &Path, rtt: Seconds) -> f64 {
        let collected = self.in_b - self.in_both; // |B\M|
        if collected == 0.0 {
            0.0
        } else if whole(path) == self.largest {
            -1.0 / (self.paths * self.in_m)
        } else if quality(path, rtt) == self.best {
            1.0 / (self.paths * collected)
        } else {
            0.0
        }
    }
}

impl Aimd for Olia {
    fn increase(&self, paths: &[Path], r: usize) -> Segments {
        let path = &paths[r];
        let Some(rtt) = aimd::rtt(path) else { return 1.0 / path.cwnd };
        let table = Table::of(paths);
        let increase = path.cwnd / (rtt * rtt * table.rate * table.rate) + table.a(path, rtt) / path.cwnd;
        if self.scale > 0.0 { math::trunc(self.scale * increase) / self.scale } else { increase }
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let path = &paths[r];
        let Some(rtt) = aimd::rtt(path) else { return };
        let table = Table::of(paths);
        let in_b = f64::from(u8::from(quality(path, rtt) == table.best));
        let in_m = f64::from(u8::from(whole(path) == table.largest));
        fill(out, [table.a(path, rtt), between_losses(path), in_b, in_m]);
    }
}
