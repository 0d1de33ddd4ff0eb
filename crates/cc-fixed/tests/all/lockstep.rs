//! The two arithmetics in lock-step: the same events to the reference and to the kernel's integers, and
//! after each of them the windows compared.

use crate::step_by_step;
use anabranch_cc::{Ack, Congestion, Signal};
use anabranch_cc_fixed::shared::PATHS;
use anabranch_cc_model::Tested;
use proptest::prelude::*;
use std::cell::Cell;

/// Something that happens on a path; numbers are fractions that the transport makes sense of.
#[derive(Clone, Debug)]
enum Event {
    // `known`: the handshake has measured the round-trip time.
    Join { rtt: f64, window: f64, known: bool },
    Leave,
    // `share` of the window is acknowledged; the queue adds `queue` of the base to the round-trip time. The last
    // one leaves something in flight, or the path is idle from then on.
    Acks { count: u32, share: f64, queue: f64, limited: bool, idles: bool },
    Congestion(Signal),
    // Congestion, this many acknowledgements in its recovery, and a timeout in it.
    TimeoutAgain { signal: Signal, count: u32, share: f64, queue: f64 },
    Spurious,
    Penalty,
    // All is acknowledged, and sending begins again after this number of smoothed round-trip times, with a fraction of the window:
    // long after the path has stopped to count.
    Restart { pause: f64, share: f64 },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        // From 1 us to 100 s, and from 1 to 10^6 segments, evenly by magnitude.
        1 => (-6.0..2.0f64, 0.0..6.0f64, any::<bool>()).prop_map(|(rtt, window, known)| Event::Join {
            rtt: 10f64.powf(rtt),
            window: 10f64.powf(window),
            known,
        }),
        1 => Just(Event::Leave),
        20 => (1..40u32, 0.0..0.2, 0.0..1.0, prop::bool::weighted(0.9), prop::bool::weighted(0.2)).prop_map(
            |(count, share, queue, limited, idles)| Event::Acks { count, share, queue, limited, idles }
        ),
        4 => prop_oneof![8 => Just(Signal::Loss), 1 => Just(Signal::Ecn), 1 => Just(Signal::Timeout)]
            .prop_map(Event::Congestion),
        1 => (prop_oneof![Just(Signal::Loss), Just(Signal::Ecn)], 0..6u32, 0.0..0.2, 0.0..1.0).prop_map(
            |(signal, count, share, queue)| Event::TimeoutAgain { signal, count, share, queue }
        ),
        2 => Just(Event::Spurious),
        1 => Just(Event::Penalty),
        1 => (4.5..100.0, 0.0..1.5).prop_map(|(pause, share)| Event::Restart { pause, share }),
    ]
}

/// Whole microseconds, as the kernel measures.
fn whole(time: f64) -> f64 {
    (time * 1e6).round().max(1.0) / 1e6
}

fn microseconds(time: f64) -> u64 {
    (time * 1e6).round() as u64
}

/// One path as the transport sees it.
#[derive(Clone, Copy)]
struct Line {
    base: f64,
    srtt: f64,
    round: u64,
    /// Whether acknowledgements do not grow the window.
    recovers: bool,
    /// The windows before the last congestion that an undo may restore, in both arithmetics.
    before: Option<(f64, f64)>,
    /// Until when it counts, whole microseconds, and until when it did before the last congestion.
    counts_until: [u64; 2],
}

/// Both arithmetics and the transport between them.
struct Run {
    reference: Tested,
    kernel: Tested,
    /// The reference again, from initial windows this much larger.
    nearby: Vec<(f64, Tested)>,
    lines: Vec<Option<Line>>,
    now: f64,
    /// Whether the arithmetics, alike so far, are about to decide differently: what they compare lies on both
    /// sides of a threshold. Called before this number of segments is acknowledged on a path, and after each event.
    tie: fn(&Run, usize, f64) -> bool,
    /// Whether a decision that the reference has just taken on a path was so close that the arithmetics may take
    /// it differently. Asked after each acknowledgement.
    close: Box<Close>,
    /// Whether there was a tie or a decision was close: from there on the windows may differ.
    parted: bool,
    acks: u32,
}

type Close = dyn FnMut(&Tested, usize) -> bool;

impl Run {
    fn new(name: &str) -> Self {
        Run {
            reference: step_by_step(name),
            kernel: step_by_step(&format!("{name}@kernel")),
            nearby: Vec::new(),
            lines: Vec::new(),
            now: 0.0,
            tie: |_, _, _| false,
            close: Box::new(|_, _| false),
            parted: false,
            acks: 0,
        }
    }

    /// With two references from initial windows a ten-millionth larger and smaller. Where these stray, a
    /// decision hangs on less than that, and the arithmetics may take it differently.
    fn where_stable(name: &str) -> Self {
        let nearby = [1e-7, -1e-7].map(|by| (1.0 + by, step_by_step(name))).into();
        Run { nearby, ..Run::new(name) }
    }

    fn groups(&mut self) -> impl Iterator<Item = &mut Tested> {
        [&mut self.reference, &mut self.kernel].into_iter().chain(self.nearby.iter_mut().map(|(_, g)| g))
    }

    /// Whether a nearby reference's window is a hundred times farther from the reference's than it began.
    fn strays(&self, r: usize) -> bool {
        self.nearby.iter().any(|(_, near)| !within(near.path(r).cwnd, self.reference.path(r).cwnd, 1e-5))
    }

    fn rows(&self) -> Vec<usize> {
        (0..self.lines.len()).filter(|&r| self.lines[r].is_some()).collect()
    }

    fn play(&mut self, path: usize, event: &Event) {
        let rows = self.rows();
        if let Event::Join { rtt, window, known } = *event {
            // The knowledge of a removed path is lost with its row: another path sees it before.
            if let Some(&other) = rows.first() {
                self.acknowledge(other, 0, 0.1, 0.0, true, false);
            }
            if rows.len() < PATHS {
                self.join(rtt, window.floor(), known);
            }
            return;
        }
        if rows.is_empty() {
            self.join(0.1, 10.0, false);
        }
        let rows = self.rows();
        let r = rows[path % rows.len()];
        match *event {
            Event::Join { .. } => {}
            Event::Leave => {
                self.lines[r] = None;
                self.groups().for_each(|group| group.remove_path(r));
            }
            Event::Acks { count, share, queue, limited, idles } => {
                for i in 0..count {
                    self.acknowledge(r, i, share, queue, limited, idles && i + 1 == count);
                }
            }
            Event::Congestion(signal) => self.congest(r, signal),
            Event::TimeoutAgain { signal, count, share, queue } => {
                self.congest(r, signal);
                let counted = self.counted(r);
                self.lines[r].as_mut().unwrap().recovers = true;
                for i in 0..count {
                    self.acknowledge(r, i, share, queue, true, false);
                }
                // The reference compares the paths again.
                self.parted |= self.counted(r) != counted;
                let line = self.lines[r].as_mut().unwrap();
                (line.recovers, line.counts_until[0]) = (false, 0);
                let now = self.now;
                self.groups().for_each(|group| group.on_timeout_again(r, now));
            }
            Event::Spurious => {
                // A window that has just outgrown the former one in one arithmetic only.
                let now = (self.reference.path(r).cwnd, self.kernel.path(r).cwnd);
                let line = self.lines[r].as_mut().unwrap();
                let before = line.before.take();
                if line.counts_until[0] == 0 {
                    line.counts_until[0] = line.counts_until[1];
                }
                self.parted |= before.is_some_and(|before| (now.0 > before.0) != (now.1 > before.1));
                self.groups().for_each(|group| group.on_spurious(r));
            }
            Event::Penalty => self.groups().for_each(|group| group.penalise(r)),
            Event::Restart { pause, share } => {
                self.acknowledge(r, 0, 0.1, 0.0, true, true);
                let line = self.lines[r].as_mut().unwrap();
                line.before = None;
                let pause = pause * line.srtt;
                self.pass(pause);
                let (now, window) = (self.now, (self.reference.path(r).cwnd * share).ceil());
                self.reference.restart(r, now, window);
                self.kernel.restart(r, now, window);
                self.nearby.iter_mut().for_each(|(by, near)| near.restart(r, now, window * *by));
            }
        }
        self.parted = self.parted || self.lines[r].is_some() && ((self.tie)(self, r, 0.0) || self.strays(r));
    }

    fn congest(&mut self, r: usize, signal: Signal) {
        let before = (self.reference.path(r).cwnd, self.kernel.path(r).cwnd);
        let line = self.lines[r].as_mut().unwrap();
        line.before = Some(before);
        let until = if signal == Signal::Timeout { 0 } else { line.counts_until[0] };
        line.counts_until = [until, line.counts_until[0]];
        let event = Congestion { now: self.now, signal };
        self.groups().for_each(|group| group.on_congestion(r, &event));
    }

    fn join(&mut self, rtt: f64, window: f64, known: bool) {
        let rtt = whole(rtt);
        let srtt = if known { rtt } else { 0.0 };
        let r = self.reference.add_path(srtt, window);
        assert_eq!(self.kernel.add_path(srtt, window), r);
        for (by, near) in &mut self.nearby {
            near.add_path(srtt, window * *by);
        }
        self.lines.resize(self.lines.len().max(r + 1), None);
        self.lines[r] =
            Some(Line { base: rtt, srtt, round: 0, recovers: false, before: None, counts_until: [0; 2] });
    }

    /// Lets time pass: not up to the very instant at which a path stops counting.
    fn pass(&mut self, time: f64) {
        self.now = whole(self.now + time);
        while self.lines.iter().flatten().any(|line| line.counts_until[0] == microseconds(self.now)) {
            self.now = whole(self.now + 1e-6);
        }
    }

    /// Whether a path will count in an event on another one now.
    fn counts(&self, r: usize) -> bool {
        self.lines[r].is_some_and(|line| line.counts_until[0] > microseconds(self.now))
    }

    /// The other paths that do.
    fn counted(&self, r: usize) -> Vec<usize> {
        (0..self.lines.len()).filter(|&q| q != r && self.counts(q)).collect()
    }

    fn acknowledge(&mut self, r: usize, i: u32, share: f64, queue: f64, limited: bool, idle: bool) {
        let delivered = (self.reference.path(r).cwnd * share).ceil().min(1000.0);
        let line = self.lines[r].as_mut().unwrap();
        // Samples leave 1 when divided by 3. HyStart++'s thresholds (an eighth, 4 or 16 ms above such a one) do
        // not: no sample lies on one, where the reference's binary fractions would decide.
        let rtt = line.base * (1.0 + queue * f64::from(i % 5) / 4.0);
        let rtt = (3.0 * (rtt * 1e6 / 3.0).floor() + 1.0).min(1e8) / 1e6;
        // The smoothed one by RFC 6298, in whole microseconds too.
        line.srtt = if line.srtt > 0.0 { whole(0.875 * line.srtt + 0.125 * rtt) } else { rtt };
        line.round += u64::from(i % 4 == 3);
        let (srtt, round) = (line.srtt, line.round);
        let acked = if line.recovers { 0.0 } else { delivered };
        self.pass(rtt / 8.0);
        self.parted = self.parted || (self.tie)(self, r, acked);
        let until = if idle { microseconds(self.now) + 4 * microseconds(srtt) } else { u64::MAX };
        self.lines[r].as_mut().unwrap().counts_until[0] = until;
        let in_flight = f64::from(u8::from(!idle));
        let ack = Ack::of(self.now, delivered, rtt);
        let ack = Ack { acked, srtt, in_flight, round, cwnd_limited: limited, ..ack };
        self.groups().for_each(|group| group.on_ack(r, &ack));
        self.parted = self.parted || (self.close)(&self.reference, r) || self.strays(r);
        self.acks += 1;
    }

    /// The largest difference between the windows, as a fraction of the reference's.
    fn difference(&self) -> f64 {
        let rows = self.rows();
        let of = |r: usize| (self.kernel.path(r).cwnd / self.reference.path(r).cwnd - 1.0).abs();
        rows.into_iter().map(of).fold(0.0, f64::max)
    }
}

/// Windows of the kernel's arithmetic stay within `bound` of the reference's, at every step, up to the
/// 10^6 segments that it is made for, and until there is a tie or a decision was close. Then the rest is played again from the
/// start: most of it is compared.
fn in_lockstep(name: &str, bound: f64, start: impl Fn() -> Run) {
    let events = prop::collection::vec((0..PATHS, event()), 1..200);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let (acks, compared) = (Cell::new(0), Cell::new(0));
    let run = runner.run(&events, |events| {
        let mut run = start();
        for (step, (path, event)) in events.iter().enumerate() {
            let before = run.acks;
            run.play(*path, event);
            acks.set(acks.get() + run.acks - before);
            if run.parted || run.rows().into_iter().any(|r| run.reference.path(r).cwnd > 1e6) {
                run = start();
                continue;
            }
            compared.set(compared.get() + run.acks - before);
            let difference = run.difference();
            prop_assert!(difference <= bound, "step {step}, {event:?}: windows differ by {difference:e}");
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{name}: {failure}"));
    let (acks, compared) = (acks.get(), compared.get());
    assert!(compared > acks / 10 * 9, "{name}: only {compared} of {acks} acknowledgements could be compared");
}

macro_rules! algorithms {
    ($($header:ident $name:literal $kernel_name:literal;)*) => {
        /// A test for each algorithm, of the function below that has its bound. Whoever lists an algorithm says there how far it
        /// may be from its reference, and why: see the book, Port an algorithm to the kernel.
        mod bounds {
            $(#[test]
            fn $header() {
                super::$header($name);
            })*
        }
    };
}

include!("../../src/list.rs");

/// The remainder of a segment when slow start ends (1/2^40 of it), and the scale of increases.
fn reno(name: &str) {
    in_lockstep(name, 1e-3, || Run::new(name));
}

/// K is known within 1e-10. Which of W_cubic and W_est is larger, and whether slow start leaves a remainder,
/// can be close.
fn cubic(name: &str) {
    in_lockstep(name, 1e-6, || Run::where_stable(name));
}

/// V/T of two segments at 100 s is known within 5e-4, and the window follows it (Eq. 11). Close can be, too,
/// whether a path is large, and whether its window has reached Eq. 11's. The size that a path takes in recovery is not compared: a timeout
/// in it makes the reference forget the change, with the rest of the congestion.
fn coupled_cubic(name: &str) {
    let tie = |run: &Run, r: usize, _| run.lines[r].is_some_and(|line| line.recovers);
    in_lockstep(name, 6e-4, || Run { tie, ..Run::where_stable(name) });
}

use coupled_cubic as coupled_cubic_a1;

/// Shares are known within 2e-4 where a path has one segment per 100 s, and increases go with their square. Close
/// can be what is close for CUBIC.
fn linked_cubic(name: &str) {
    in_lockstep(name, 6e-4, || Run::where_stable(name));
}

/// Rates are known within 1e-4 at one segment per 100 s.
fn lia(name: &str) {
    in_lockstep(name, 1e-3, || Run::new(name));
}

/// Whether two numbers differ by less than this fraction.
fn within(a: f64, b: f64, part: f64) -> bool {
    (a - b).abs() <= part * b.abs()
}

/// Windows move by whole segments or by base/RTT, known within 2^-29. The queued amount is known within 3e-4 segments (at 10^6
/// segments and 1 us), so it is close within 1e-3 of gamma, alpha or beta.
fn vegas(name: &str) {
    let close = |reference: &Tested, r| {
        let diff = reference.see(r, "diff");
        [1.0, 2.0, 4.0].into_iter().any(|threshold| within(diff, threshold, 1e-3))
    };
    in_lockstep(name, 1e-8, || Run { close: Box::new(close), ..Run::new(name) });
}

/// As Vegas; its alpha changes, known as the rates are within 1e-4. A queueing delay is also compared with
/// twice the smallest: close where it is within 1e-3 of twice any earlier one.
fn wvegas(name: &str) {
    in_lockstep(name, 1e-8, || {
        let mut earlier = vec![(2.0, Vec::new()); PATHS];
        let close = move |reference: &Tested, r: usize| {
            let see = |name| reference.see(r, name);
            let (diff, alpha, delay) = (see("diff"), see("alpha_r"), see("queue_delay"));
            let (last_alpha, delays) = &mut earlier[r];
            let close = [1.0, *last_alpha, alpha].into_iter().any(|threshold| within(diff, threshold, 1e-3))
                || delay > 0.0 && delays.iter().any(|d| within(delay, 2.0 * d, 1e-3));
            *last_alpha = alpha;
            if !delays.contains(&delay) {
                delays.push(delay);
            }
            close
        };
        Run { close: Box::new(close), ..Run::new(name) }
    });
}

/// Increases are known within 2^-30 of themselves and 2^-40 of a segment.
fn ewtcp(name: &str) {
    in_lockstep(name, 1e-8, || Run::new(name));
}

/// Rates are known within 1e-4 where windows are a segment and round-trip times 100 s, else far better; alpha
/// and the increase are, too. A loss takes up to 3/4 of a window: in the quarter left, alpha's relative error is three times as
/// large.
fn balia(name: &str) {
    in_lockstep(name, 4e-4, || Run::new(name));
}

/// Which windows are the largest in whole segments once slow start has used its share of the acknowledged segments.
fn largest(run: &Run, group: &Tested, r: usize, acked: f64) -> Vec<usize> {
    let whole = |q: usize| {
        let path = group.path(q);
        let started = if path.in_slow_start() { (path.cwnd + acked).min(path.ssthresh) } else { path.cwnd };
        if q == r { started.floor() } else { path.cwnd.floor() }
    };
    let mut rows = run.rows();
    rows.retain(|&q| q == r || run.counts(q));
    let most = rows.iter().map(|&q| whole(q)).fold(0.0, f64::max);
    rows.retain(|&q| whole(q) == most);
    rows
}

/// Rates as BALIA's. The windows that M compares in whole segments may be on both sides of a whole number: a
/// tie where M is not the same for both. B is compared exactly, by the reference as far as binary fractions
/// go: a tie where these decide.
fn olia(name: &str) {
    fn tie(run: &Run, r: usize, acked: f64) -> bool {
        if largest(run, &run.reference, r, acked) != largest(run, &run.kernel, r, acked) {
            return true;
        }
        let rows = run.rows().into_iter().filter(|&q| run.reference.path(q).counts);
        let quality = |q: usize| run.reference.see(q, "l") / run.reference.path(q).srtt.powi(2);
        let best = rows.clone().map(quality).fold(0.0, f64::max);
        let mut tie = false;
        for q in rows {
            assert_eq!(run.kernel.see(q, "l"), run.reference.see(q, "l"));
            if run.kernel.see(q, "in_b") != run.reference.see(q, "in_b") {
                assert!(within(quality(q), best, 1e-14), "path {q} is not in B for both");
                tie = true;
            }
        }
        tie
    }
    in_lockstep(name, 4e-4, || Run { tie, ..Run::new(name) });
}

/// w^(3/4) is known within 2^-26, and so is a round's increase; a retreat takes what is queued, known as for
/// Vegas. So diff is close to the threshold within 1e-3.
fn compound(name: &str) {
    let close = |reference: &Tested, r| within(reference.see(r, "diff"), reference.see(r, "threshold"), 1e-3);
    in_lockstep(name, 1e-7, || Run { close: Box::new(close), ..Run::new(name) });
}

/// As Compound; its alpha is known as the rates are within 1e-4, and E, a difference, within 1e-6 of what is
/// queued on all paths: windows differ by 1e-7 at most, and so do P and the backlogs.
fn wcompound(name: &str) {
    let close = |reference: &Tested, r| {
        let active = (0..reference.paths().len()).filter(|i| reference.path(*i).active);
        let queued: f64 = active.map(|i| reference.see(i, "diff")).filter(|diff| diff.is_finite()).sum();
        let (diff, alpha) = (reference.see(r, "diff"), reference.see(r, "alpha_r"));
        (diff - alpha).abs() <= 1e-3 * alpha + 1e-6 * queued
    };
    in_lockstep(name, 1e-7, || Run { close: Box::new(close), ..Run::new(name) });
}

/// As BALIA. A is known within 2^-18 us: a tie where max |D - A| is that close to 10 or 20 % of it, and the
/// level is not the same for both.
fn adw_balia(name: &str) {
    fn tie(run: &Run, r: usize, _: f64) -> bool {
        let of = |what| (run.reference.see(r, what), run.kernel.see(r, what));
        let [(average, kernels), (away, _), (level, kernels_level)] =
            ["mean_spread", "dissimilarity", "level"].map(of);
        assert_eq!(average.is_nan(), kernels.is_nan());
        assert_eq!(level.is_nan(), kernels_level.is_nan());
        let (spread, kernels_spread) = of("spread");
        assert_eq!(spread.is_nan(), kernels_spread.is_nan());
        assert!(average.is_nan() || (kernels - average).abs() < 4e-12, "{kernels} {average}");
        if level.is_nan() || level == kernels_level {
            return false;
        }
        let off = [0.1, 0.2].map(|threshold| (away - threshold).abs() * average);
        assert!(off[0].min(off[1]) < 4e-12, "the level at {away} is {kernels_level}");
        true
    }
    in_lockstep(name, 4e-4, || Run { tie, ..Run::new(name) });
}
