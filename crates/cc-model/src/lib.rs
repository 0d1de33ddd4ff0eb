//! An acknowledgement-driven model of a connection: each path has a constant round-trip time and a
//! loss process, its window's worth of segments is acknowledged per round trip, evenly spread, and a
//! loss is known at once and costs no time. That is what the response functions assume.

use anabranch_cc::registry::{Entry, ParamValue};
use anabranch_cc::{Ack, Congestion, Group, Signal, response};
use std::ops::{Deref, DerefMut};

/// Algorithms that couple Reno's windows.
pub const RENO_FAMILY: [&str; 8] =
    ["ewtcp", "coupled", "lia", "olia", "balia", "adw-lia", "adw-olia", "adw-balia"];

/// Connections by the round-trip time and window of each path.
pub const CONNECTIONS: [&[(f64, f64)]; 7] = [
    &[(0.1, 50.0)],
    &[(0.1, 50.0), (0.1, 50.0)],
    &[(0.02, 70.0), (0.1, 849.0)],
    &[(0.01, 10.0), (0.5, 4.0)],
    &[(0.1, 8.0), (0.05, 20.0), (0.2, 300.0)],
    &[(0.3, 2.0), (0.3, 2.0), (0.1, 40.0), (0.02, 1000.0)],
    &[
        (0.1, 8.0),
        (0.2, 80.0),
        (0.3, 800.0),
        (0.1, 500.0),
        (0.1, 10.0),
        (0.02, 80.0),
        (0.5, 900.0),
        (0.1, 99.0),
    ],
];

/// A group, and the algorithm that it runs.
pub struct Tested {
    group: Group,
    entry: &'static Entry,
}

impl Deref for Tested {
    type Target = Group;

    fn deref(&self) -> &Group {
        &self.group
    }
}

impl DerefMut for Tested {
    fn deref_mut(&mut self) -> &mut Group {
        &mut self.group
    }
}

impl Tested {
    /// A group of one of the algorithms that `find` knows. Parameters may follow its name: `vegas alpha=5 rtt=mean`.
    pub fn new(find: impl Fn(&str) -> Option<&'static Entry>, algorithm: &str) -> Self {
        let mut words = algorithm.split(' ');
        let entry = find(words.next().unwrap()).unwrap();
        let param = |word: &str| {
            let (name, value) = word.split_once('=').unwrap();
            (name.to_owned(), param_value(value))
        };
        Tested { group: entry.group(&words.map(param).collect::<Vec<_>>()).unwrap(), entry }
    }

    /// The observable `name` of path `r`.
    pub fn see(&self, r: usize, name: &str) -> f64 {
        let mut out = vec![f64::NAN; self.entry.observables.len()];
        self.observe(r, &mut out);
        out[self.entry.observables.iter().position(|o| o.name == name).unwrap()]
    }
}

fn param_value(text: &str) -> ParamValue {
    match text.parse() {
        Ok(number) => ParamValue::Number(number),
        Err(_) => text.parse().map_or_else(|_| ParamValue::Word(text.into()), ParamValue::Flag),
    }
}

/// With a path.
pub fn on_path(mut group: Tested, srtt: f64, cwnd: f64) -> Tested {
    group.add_path(srtt, cwnd);
    group
}

/// One segment acknowledged at `now` by a path of round-trip time `rtt` that continues to send.
pub fn ack(now: f64, rtt: f64) -> Ack {
    Ack::of(now, 1.0, rtt)
}

/// Congestion of path `r`, at 0 s.
pub fn congestion(group: &mut Group, r: usize, signal: Signal) {
    group.on_congestion(r, &Congestion { now: 0.0, signal });
}

/// A loss on path `r`, at 0 s.
pub fn lose(group: &mut Group, r: usize) {
    congestion(group, r, Signal::Loss);
}

/// A connection in congestion avoidance with these round-trip times and windows, for an algorithm
/// that halves: each path has just had a loss at twice the window.
pub fn halved(mut group: Tested, paths: &[(f64, f64)]) -> Tested {
    for (r, (rtt, cwnd)) in paths.iter().enumerate() {
        group.add_path(*rtt, 2.0 * cwnd);
        group.on_ack(r, &Ack { acked: 0.0, delivered: 0.0, rtt: None, ..ack(0.0, *rtt) });
        lose(&mut group, r);
    }
    group
}

/// The same for any algorithm that is Reno where nothing has been measured: the losses come first, then
/// each path's round-trip time.
pub fn settled(mut group: Tested, paths: &[(f64, f64)]) -> Tested {
    for (_, cwnd) in paths {
        group.add_path(0.0, 2.0 * cwnd);
    }
    for (r, (_, cwnd)) in paths.iter().enumerate() {
        lose(&mut group, r);
        assert_eq!(group.path(r).cwnd, *cwnd);
    }
    for (r, (rtt, _)) in paths.iter().enumerate() {
        group.on_ack(r, &Ack { acked: 0.0, delivered: 0.0, ..ack(0.0, *rtt) });
    }
    group
}

/// The segments of one window, acknowledged one by one within the present round, without samples.
pub fn window_acked(group: &mut Group, r: usize) {
    let round = group.path(r).round;
    for _ in 0..group.path(r).cwnd.round() as u64 {
        group.on_ack(r, &Ack { round, rtt: None, ..ack(99.0, 0.1) });
    }
}

/// The growth of window `r` of a connection of [`settled`] paths by an acknowledgement of that many segments.
pub fn added(group: Tested, paths: &[(f64, f64)], r: usize, acked: f64) -> f64 {
    let mut connection = settled(group, paths);
    connection.on_ack(r, &Ack::of(1.0, acked, paths[r].0));
    connection.path(r).cwnd - paths[r].1
}

/// The remainder of window `r` of such a connection after a loss.
pub fn left(group: Tested, paths: &[(f64, f64)], r: usize) -> f64 {
    let mut connection = settled(group, paths);
    lose(&mut connection, r);
    connection.path(r).cwnd
}

/// α of RFC 6356 §3 over round-trip times and windows.
pub fn alpha(paths: &[(f64, f64)]) -> f64 {
    let total: f64 = paths.iter().map(|(_, w)| w).sum();
    let rate: f64 = paths.iter().map(|(t, w)| w / t).sum();
    let best = paths.iter().map(|(t, w)| w / (t * t)).fold(0.0, f64::max);
    total * best / (rate * rate)
}

/// Asserts a relative error.
#[track_caller]
pub fn assert_close(ours: f64, expected: f64, tolerance: f64) {
    let off = ours / expected - 1.0;
    assert!(off.abs() <= tolerance, "{ours} against {expected}: {:+.3} %", 100.0 * off);
}

/// Which segments of a path are lost.
#[derive(Clone, Debug)]
pub enum Loss {
    /// Every n-th.
    Every(f64),
    /// Each with this probability, by a generator of its own.
    Bernoulli(f64, Random),
    /// With gaps uniform from 1 to 2n, as RED spreads its drops.
    Spread(f64, Random),
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1].
    pub fn uniform(&mut self) -> f64 {
        ((self.word() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

/// Losses every 1/p segments, as [`Model::lossy`] wants them.
pub fn periodic(_: usize, p: f64) -> Loss {
    Loss::Every(1.0 / p)
}

/// Independent losses.
pub fn bernoulli(i: usize, p: f64) -> Loss {
    Loss::Bernoulli(p, Random(11 + i as u64))
}

/// The best of what Reno gets on one of these paths (round-trip time, loss rate) under independent losses, segments per second: 1.3098/√p
/// per round trip (Ott, Kemperman, Mathis).
pub fn best_of_reno(paths: &[(f64, f64)]) -> f64 {
    paths.iter().map(|(rtt, p)| 1.3098 / p.sqrt() / rtt).fold(0.0, f64::max)
}

impl Loss {
    /// Segments from one loss to the next, that one included.
    fn gap(&mut self) -> f64 {
        match self {
            Loss::Every(n) => n.round(),
            // Geometric: the inverse of its distribution function.
            Loss::Bernoulli(p, random) => (random.uniform().ln() / (-*p).ln_1p()).ceil().max(1.0),
            Loss::Spread(n, random) => (2.0 * *n * random.uniform()).ceil(),
        }
    }
}

struct Line {
    rtt: f64,
    loss: Loss,
    /// Segments until the next lost one.
    left: f64,
    /// When the next acknowledgement arrives, and how many segments it acknowledges.
    next: f64,
    batch: f64,
    acked: f64,
    losses: u64,
}

/// A connection in the model.
pub struct Model {
    /// Its group.
    pub group: Tested,
    lines: Vec<Line>,
    /// The time, in seconds.
    pub now: f64,
    /// Acknowledgements per round trip where the window is larger than that; each segment has its
    /// own below.
    pub acks_per_rtt: f64,
}

impl Model {
    /// A connection without paths.
    pub fn new(group: Tested) -> Self {
        Model { group, lines: Vec::new(), now: 0.0, acks_per_rtt: 100.0 }
    }

    /// Paths (round-trip time, loss rate) that begin with Reno's mean windows there.
    pub fn lossy(group: Tested, paths: &[(f64, f64)], loss: impl Fn(usize, f64) -> Loss) -> Self {
        let paths = paths.iter().enumerate();
        paths
            .fold(Model::new(group), |model, (i, (rtt, p))| model.path(*rtt, loss(i, *p), response::reno(*p)))
    }

    /// A path that leaves slow start by a loss at this window.
    pub fn path(mut self, rtt: f64, loss: Loss, cwnd: f64) -> Self {
        let r = self.group.add_path(rtt, cwnd);
        // One acknowledgement gives the round-trip time, a loss ends slow start.
        self.acknowledge(r, rtt, 0.0);
        self.congestion(r, Signal::Loss);
        let mut line = Line { rtt, loss, left: 0.0, next: 0.0, batch: 0.0, acked: 0.0, losses: 0 };
        line.left = line.loss.gap();
        self.lines.push(line);
        self.plan(r);
        self
    }

    fn acknowledge(&mut self, r: usize, rtt: f64, acked: f64) {
        let round = (self.now / rtt) as u64;
        let in_flight = self.group.path(r).cwnd;
        let ack = Ack { acked, delivered: acked, in_flight, round, ..ack(self.now, rtt) };
        self.group.on_ack(r, &ack);
    }

    /// Congestion of path `r`, now.
    pub fn congestion(&mut self, r: usize, signal: Signal) {
        self.group.on_congestion(r, &Congestion { now: self.now, signal });
    }

    fn plan(&mut self, r: usize) {
        let line = &mut self.lines[r];
        let cwnd = self.group.path(r).cwnd;
        line.batch = (cwnd / self.acks_per_rtt).floor().max(1.0).min(line.left);
        line.next = self.now + line.rtt * line.batch / cwnd;
    }

    /// The next acknowledgement or loss; returns its path.
    pub fn step(&mut self) -> usize {
        let earliest = |a: &usize, b: &usize| self.lines[*a].next.total_cmp(&self.lines[*b].next);
        let r = (0..self.lines.len()).min_by(earliest).unwrap();
        self.now = self.lines[r].next;
        let line = &mut self.lines[r];
        line.left -= line.batch;
        line.acked += line.batch;
        let (rtt, batch, lost) = (line.rtt, line.batch, line.left <= 0.0);
        // A lost segment is the last of its batch.
        self.acknowledge(r, rtt, if lost { batch - 1.0 } else { batch });
        if lost {
            self.congestion(r, Signal::Loss);
            let line = &mut self.lines[r];
            line.losses += 1;
            line.left = line.loss.gap();
        }
        self.plan(r);
        r
    }

    /// Runs until path 0 has had this number of losses, and returns the time-weighted mean window of each path: its segments per
    /// time, times its round-trip time.
    pub fn mean_over(&mut self, losses: u64) -> Vec<f64> {
        let start = self.now;
        for line in &mut self.lines {
            (line.acked, line.losses) = (0.0, 0);
        }
        while self.lines[0].losses < losses {
            self.step();
        }
        let time = self.now - start;
        self.lines.iter().map(|l| l.acked * l.rtt / time).collect()
    }

    /// The mean windows after a warm-up.
    pub fn means(&mut self, warmup: u64, losses: u64) -> Vec<f64> {
        self.mean_over(warmup);
        self.mean_over(losses)
    }

    /// The mean window of path 0 after a warm-up.
    pub fn mean(&mut self, warmup: u64, losses: u64) -> f64 {
        self.means(warmup, losses)[0]
    }
}

/// One acknowledgement that ends a round of path `r` whose only sample is `rtt`.
pub fn round(group: &mut Group, r: usize, rtt: f64) {
    let round = group.path(r).round + 1;
    group.on_ack(r, &Ack { round, ..ack(round as f64, rtt) });
}

/// A connection in congestion avoidance in which each path (round-trip time without queues, window) has
/// had a loss at twice the window and then three rounds without a queue, the last one judged in full.
pub fn quiet(mut group: Tested, paths: &[(f64, f64)]) -> Tested {
    for (r, (base, cwnd)) in paths.iter().enumerate() {
        group.add_path(*base, 2.0 * cwnd);
        round(&mut group, r, *base);
        lose(&mut group, r);
        (0..3).for_each(|_| round(&mut group, r, *base));
    }
    group
}
