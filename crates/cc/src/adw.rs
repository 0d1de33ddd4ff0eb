//! The adaptive decrease of ADW-BALIA (Kim, Song, Mahmud, Cho, 2021): where the round-trip times of the
//! paths fluctuate differently, a loss takes less of the window.

use crate::aimd::{self, Aimd, Windows};
use crate::entry::{Entry, Kind, Observable, Param, Params};
use crate::{Ack, Algorithm, Congestion, Path, Seconds, balia, fill, lia, olia, renew, v0};
use alloc::{boxed::Box, vec::Vec};

/// The paper's own: BALIA with the adaptive decrease.
pub(crate) static BALIA: Entry = Entry {
    name: "adw-balia",
    title: "ADW-BALIA, adaptive decrease",
    kind: Kind::Coupled,
    source: "G.-H. Kim, Y.-J. Song, I. Mahmud, Y.-Z. Cho: Adaptive Decrease Window for BALIA, Electronics 10(3), 294 (2021)",
    equations: &[
        balia::INCREASE[0],
        balia::INCREASE[1],
        SPREAD,
        LEVEL,
        "on loss: w -= w/2 * (1 - j step) where j > 0, w/2 * min(alpha, 3/2) where j = 0;  additive: w -= w/2 * (min(alpha, 3/2) - j step)",
    ],
    interpretations: &[
        "The regions of Fig. 4 are 10 % and 20 % around the average of the fluctuations, which every path's fluctuation must lie in.",
        "A level's decrease is a constant (`fixed`): \"Compensation 1 sets a decreasing constant of 0.75\", in halves of the window, and 2 \"is further reduced by an additional 1/4\". Taken off BALIA's own factor (`additive`), which goes up to 1.5, it would not be one.",
        "The flow chart (Fig. 5) has a max() for small buffers that the text does not give; it is not here.",
        "D is \"the RTT difference between the previous packet loss event and the most recent packet loss event\", and all variables are \"calculated separately for each subflow\": the fluctuation between a path's own last two losses (`span` = `complete`). `running` takes it from a path's last loss to the present one, on whichever path that is.",
        "`running` has an artefact: a path that has just lost counts with the few samples since. After a single one its D is 0, so d = 1 and the level is 2, where two paths that are alike lose an acknowledgement apart. `complete` compares the whole intervals, and the level is 0.",
        "A loss is known before the acknowledgement that reveals it has been measured: that sample and those of recovery belong to the next interval.",
        "Fluctuations are compared over paths that count and have a D.",
        aimd::COUNTED,
        "The average starts at the first mean. With fewer than two paths to compare, j = 0.",
        "ECN marks and timeouts count as losses; after a timeout the window is one segment and the rule sets the threshold.",
        "The average is forgotten when the last path leaves, and an undo restores the one before the loss, unless another path has lost since.",
        "The increase and its interpretations are those of the base algorithm.",
    ],
    params: &params(aimd::COUNT, aimd::FLOOR, balia::QUOTIENT),
    observables: &[OBSERVABLES[0], OBSERVABLES[1], OBSERVABLES[2], OBSERVABLES[3], balia::ALPHA],
    build: |params| Box::new(Adw::new(balia::Balia::new(params), params)),
};

/// LIA with the adaptive decrease.
pub(crate) static LIA: Entry = Entry {
    name: "adw-lia",
    title: "ADW-LIA, adaptive decrease",
    equations: &[lia::INCREASE[0], lia::INCREASE[1], SPREAD, LEVEL, HALVING],
    params: &params(aimd::COUNT, aimd::FLOOR, lia::SCALE),
    observables: &[OBSERVABLES[0], OBSERVABLES[1], OBSERVABLES[2], OBSERVABLES[3], lia::ALPHA],
    build: |params| Box::new(Adw::new(lia::Lia::new(params), params)),
    ..BALIA
};

/// OLIA with the adaptive decrease.
pub(crate) static OLIA: Entry = Entry {
    name: "adw-olia",
    title: "ADW-OLIA, adaptive decrease",
    equations: &[
        olia::INCREASE[0],
        olia::INCREASE[1],
        olia::INCREASE[2],
        olia::INCREASE[3],
        SPREAD,
        LEVEL,
        HALVING,
    ],
    params: &params(aimd::COUNT, aimd::FLOOR, olia::SCALE),
    observables: &[
        OBSERVABLES[0],
        OBSERVABLES[1],
        OBSERVABLES[2],
        OBSERVABLES[3],
        olia::OBSERVABLES[0],
        olia::OBSERVABLES[1],
        olia::OBSERVABLES[2],
        olia::OBSERVABLES[3],
    ],
    build: |params| Box::new(Adw::new(olia::Olia::new(params), params)),
    ..BALIA
};

const SPREAD: &str = "D = largest - smallest RTT between the path's last two losses;  on a loss on any path: A = (1 - b) A + b mean D (Eq. 3, 4)";
const LEVEL: &str =
    "d = max(max D/A - 1, 1 - min D/A);  level j = 0 where d <= low, 1 where d <= high, else 2";
const HALVING: &str = "on loss: w -= w/2 * (1 - j step)";

/// As out-of-tree MPTCP computes BALIA, which the paper extended.
pub(crate) static BALIA_V0: Entry = Entry {
    name: "adw-balia@v0",
    title: "ADW-BALIA, as in out-of-tree MPTCP",
    interpretations: &[v0::INTERPRETATION, v0::BALIA],
    params: &params(v0::COUNT, v0::FLOOR, balia::V0_QUOTIENT),
    ..BALIA
};

/// The rule's parameters and those of the algorithm it is put on.
const fn params(count: Param, floor: Param, own: Param) -> [Param; 10] {
    let [variant, span, low, high, step, b] = RULE;
    [variant, span, low, high, step, b, count, floor, aimd::HYSTART, own]
}

const RULE: [Param; 6] = [
    Param::word(
        "variant",
        "fixed",
        &["additive", "fixed"],
        "the decrease that a level reduces: the algorithm's own, or a halving",
    ),
    Param::word(
        "span",
        "complete",
        &["running", "complete"],
        "the time over which a path's fluctuation is taken: since its last loss, or between its last two",
    ),
    Param::number("low", 0.1, (0.0, 10.0), "the dissimilarity up to which the level is 0"),
    Param::number("high", 0.2, (0.0, 10.0), "the dissimilarity up to which the level is 1"),
    Param::number(
        "step",
        0.25,
        (0.0, 0.5),
        "the reduction of the decrease by each level, in halves of the window",
    ),
    Param::number("b", 0.625, (0.0, 1.0), "the weight of the newest mean in the average"),
];

const OBSERVABLES: [Observable; 4] = [
    Observable::new("spread", "D, the fluctuation of the path's RTT, in seconds"),
    Observable::new("mean_spread", "A, the average of the fluctuations, in seconds"),
    Observable::new("dissimilarity", "d at the connection's last loss"),
    Observable::new("level", "j at the connection's last loss: 0, 1 or 2"),
];

#[derive(Clone)]
struct Adw<A> {
    base: Windows<A>,
    fixed: bool,
    running: bool,
    low: f64,
    high: f64,
    step: f64,
    b: f64,
    last: Comparison,
    rows: Vec<Row>,
}

/// The connection's state at its last loss; NaN before the first.
#[derive(Clone, Copy)]
struct Comparison {
    average: Seconds,
    dissimilarity: f64,
    level: f64,
    /// How many losses it has seen.
    losses: u64,
}

impl Comparison {
    const NONE: Comparison =
        Comparison { average: f64::NAN, dissimilarity: f64::NAN, level: f64::NAN, losses: 0 };
}

/// The state of a path: D between its last two losses, and the values that an undo restores.
#[derive(Clone, Copy)]
struct Row {
    spread: Option<Seconds>,
    before: (Option<Seconds>, Comparison),
}

impl Row {
    const NEW: Row = Row { spread: None, before: (None, Comparison::NONE) };
}

/// How far the round-trip time has fluctuated since the path's last loss.
fn since_loss(path: &Path) -> Option<Seconds> {
    let Path { min_rtt_since_loss: min, max_rtt_since_loss: max, .. } = *path;
    (min <= max).then_some(max - min)
}

impl<A: Aimd> Adw<A> {
    fn new(base: A, params: &Params) -> Self {
        Adw {
            base: Windows::new(base, params),
            fixed: params.word("variant") == "fixed",
            running: params.word("span") == "running",
            low: params.number("low"),
            high: params.number("high"),
            step: params.number("step"),
            b: params.number("b"),
            last: Comparison::NONE,
            rows: Vec::new(),
        }
    }

    /// D of a path that counts.
    fn spread(&self, path: &Path, row: &Row) -> Option<Seconds> {
        let spread = if self.running { since_loss(path) } else { row.spread };
        spread.filter(|_| path.counts)
    }

    /// The comparison on a loss.
    fn compare(&self, paths: &[Path]) -> Comparison {
        let spreads = || paths.iter().zip(&self.rows).filter_map(|(path, row)| self.spread(path, row));
        let n = spreads().count();
        let mut average = self.last.average;
        if n > 0 {
            let mean = spreads().sum::<Seconds>() / n as f64;
            // Eq. 4.
            average = if average.is_nan() { mean } else { (1.0 - self.b) * average + self.b * mean };
        }
        let away = spreads().map(|d| (d - average).abs()).fold(0.0, f64::max);
        // With b = 0 the average may stay 0: then any spread is as dissimilar as can be.
        let dissimilarity = if n >= 2 && away > 0.0 { (away / average).min(f64::MAX) } else { 0.0 };
        let level = match dissimilarity {
            d if d <= self.low => 0.0,
            d if d <= self.high => 1.0,
            _ => 2.0,
        };
        Comparison { average, dissimilarity, level, losses: self.last.losses + 1 }
    }
}

impl<A: Aimd> Algorithm for Adw<A> {
    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(self.clone()))
    }

    fn path_added(&mut self, _: &mut [Path], r: usize) {
        renew(&mut self.rows, r, &Row::NEW);
        self.base.add(r);
    }

    fn path_removed(&mut self, paths: &mut [Path], _: usize) {
        if paths.iter().all(|p| !p.active) {
            self.last = Comparison::NONE;
        }
    }

    fn acked(&mut self, paths: &mut [Path], r: usize, ack: &Ack) {
        self.base.grow(paths, r, ack);
    }

    fn congestion(&mut self, paths: &mut [Path], r: usize, _: &Congestion) {
        let spread = since_loss(&paths[r]);
        let row = &mut self.rows[r];
        row.before = (row.spread, self.last);
        row.spread = spread.or(row.spread);
        self.last = self.compare(paths);
        let level = self.last.level;
        let base = if self.fixed && level > 0.0 { 1.0 } else { self.base.algorithm.decrease(paths, r) };
        self.base.reduce(&mut paths[r], base - level * self.step);
    }

    fn spurious(&mut self, _: &mut [Path], r: usize) {
        let row = &mut self.rows[r];
        let (spread, before) = row.before;
        row.spread = spread;
        if self.last.losses == before.losses + 1 {
            self.last = before; // no other path has lost since
        }
    }

    fn observe(&self, paths: &[Path], r: usize, out: &mut [f64]) {
        let Comparison { average, dissimilarity, level, .. } = self.last;
        let spread = self.spread(&paths[r], &self.rows[r]).unwrap_or(f64::NAN);
        let own = [spread, average, dissimilarity, level];
        fill(out, own);
        if let Some(rest) = out.get_mut(own.len()..) {
            self.base.algorithm.observe(paths, r, rest);
        }
    }
}
