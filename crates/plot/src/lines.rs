//! The lines of the usual figures of a run, in memory that does not grow with its length.

use crate::points::points;
use anabranch_record::{Layout, LinkSample, MemorySink, Sink, SubflowSample};
use anabranch_scenario::Scenario;
use anabranch_study::Point;
use anabranch_study::functions::recovery::{LastSecond, SPAN_S};

/// The largest number of bins of a line: more than a picture has pixels across.
const MOST: usize = 8192;
/// Bytes for each while their vector grows: the old one and the new one, twice as large.
const PER_STRETCH: f64 = 1.5 * size_of::<Bin>() as f64;
/// Bytes for a sample of the last second, in a queue that doubles as it grows.
const PER_COUNT: f64 = 2.0 * size_of::<(f64, f64)>() as f64;

/// Keeps the data of a run's [usual figures](crate::USUAL): up to 8192 samples of a line, then the lowest and the highest of each
/// of as many bins of time. The bins are equal, and double in width as the run continues.
#[derive(Debug, Default)]
pub struct LineSink {
    /// Without samples.
    subjects: MemorySink,
    flows: Vec<Flow>,
    queues: Vec<Line>,
}

/// The lines that a [`LineSink`] kept.
#[derive(Debug)]
pub struct Lines {
    /// Flows and links, without samples.
    pub(crate) subjects: MemorySink,
    /// Windows and throughputs of each flow's subflows.
    pub(crate) subflows: Vec<Vec<[Vec<Point>; 2]>>,
    /// The throughput of each flow that has several.
    pub(crate) flows: Vec<Vec<Point>>,
    /// Packets at each link.
    pub(crate) queues: Vec<Vec<Point>>,
}

impl LineSink {
    /// An upper estimate of its memory in a run, in bytes.
    pub fn memory(scenario: &Scenario) -> u64 {
        let interval = scenario.record_interval.as_secs_f64();
        let samples = scenario.duration.as_secs_f64() / interval;
        let line = samples.min(MOST as f64) * PER_STRETCH;
        let last_second = samples.min(SPAN_S / interval) * PER_COUNT;
        let subflows: usize = scenario.flows.iter().map(|flow| flow.paths.len()).sum();
        let together = scenario.flows.iter().filter(|flow| flow.paths.len() > 1).count();
        let rates = (subflows + together) as f64 * (line + last_second);
        (rates + (subflows + scenario.links.len()) as f64 * line) as u64
    }

    /// The lines.
    pub fn finish(mut self) -> Lines {
        self.flows.iter_mut().for_each(Flow::finish);
        let of_subflow = |subflow: &Subflow| [subflow.window.points(), subflow.rate.points()];
        Lines {
            subflows: self.flows.iter().map(|flow| flow.subflows.iter().map(of_subflow).collect()).collect(),
            flows: self.flows.iter().map(|flow| flow.rate.points()).collect(),
            queues: self.queues.iter().map(Line::points).collect(),
            subjects: self.subjects,
        }
    }
}

impl Sink for LineSink {
    fn begin(&mut self, layout: &Layout) {
        *self = LineSink::default();
        self.subjects.begin(layout);
        self.queues.resize_with(layout.links.len(), Line::default);
        self.extend(layout);
    }

    fn extend(&mut self, layout: &Layout) {
        self.subjects.extend(layout);
        self.flows.resize_with(layout.flows.len(), Flow::default);
        for (flow, subject) in self.flows.iter_mut().zip(&layout.flows) {
            flow.subflows.resize_with(subject.paths.len(), Subflow::default);
        }
    }

    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let (flow, bytes) = (&mut self.flows[s.flow], s.delivered_bytes as f64);
        if flow.now_s.is_some_and(|now| now < s.time_s) {
            flow.complete();
        }
        flow.now_s = Some(s.time_s);
        let subflow = &mut flow.subflows[s.subflow];
        subflow.window.push(s.time_s, s.cwnd_segments);
        subflow.delivered = bytes;
        subflow.rate.push_rate(&mut subflow.last_second, s.time_s, bytes);
    }

    fn link(&mut self, s: &LinkSample) {
        self.queues[s.link].push(s.time_s, s.queue_packets as f64);
    }
}

/// A connection.
#[derive(Debug, Default)]
struct Flow {
    subflows: Vec<Subflow>,
    /// The instant whose samples come in.
    now_s: Option<f64>,
    last_second: LastSecond,
    rate: Line,
}

#[derive(Debug, Default)]
struct Subflow {
    window: Line,
    /// Payload acknowledged so far, bytes.
    delivered: f64,
    last_second: LastSecond,
    rate: Line,
}

impl Flow {
    /// All of its samples of the instant are here.
    fn complete(&mut self) {
        let (Some(now), 2..) = (self.now_s, self.subflows.len()) else { return };
        let bytes = self.subflows.iter().map(|subflow| subflow.delivered).sum();
        self.rate.push_rate(&mut self.last_second, now, bytes);
    }

    fn finish(&mut self) {
        self.complete();
        let subflows = self.subflows.iter_mut().map(|subflow| (&mut subflow.rate, &subflow.last_second));
        let single =
            subflows.chain([(&mut self.rate, &self.last_second)]).filter(|(_, last)| last.is_single());
        single.for_each(|(rate, _)| rate.stretches.clear());
    }
}

#[derive(Debug, Default)]
struct Line {
    /// The width of a bin, in seconds; `None` while each sample has its own.
    width_s: Option<f64>,
    stretches: Vec<Bin>,
}

/// The lowest and the highest sample of a bin, with their times.
#[derive(Clone, Copy, Debug)]
struct Bin {
    low: (f64, f64),
    high: (f64, f64),
}

impl Bin {
    /// Its number for this width of bins.
    fn number(&self, width_s: f64) -> u64 {
        (self.low.0 / width_s) as u64
    }

    fn absorb(&mut self, later: &Bin) {
        if later.low.1 < self.low.1 {
            self.low = later.low;
        }
        if later.high.1 > self.high.1 {
            self.high = later.high;
        }
    }
}

impl Line {
    /// Adds the rate of the last second, if a sample with these bytes gives one.
    fn push_rate(&mut self, last_second: &mut LastSecond, now_s: f64, bytes: f64) {
        let rate = last_second.rate(now_s, bytes);
        if last_second.voids_the_first() {
            self.stretches.clear();
        }
        if let Some(rate) = rate {
            self.push(now_s, rate);
        }
    }

    /// Samples come in order of time. One without a value is left out.
    fn push(&mut self, time_s: f64, value: f64) {
        if !value.is_finite() {
            return;
        }
        let new = Bin { low: (time_s, value), high: (time_s, value) };
        loop {
            if let (Some(width), Some(last)) = (self.width_s, self.stretches.last_mut())
                && last.number(width) == new.number(width)
            {
                return last.absorb(&new);
            }
            if self.stretches.len() < MOST {
                return self.stretches.push(new);
            }
            self.double();
        }
    }

    /// Doubles the width of bins.
    fn double(&mut self) {
        let [first, .., last] = &self.stretches[..] else { return };
        // At first two samples' time.
        let two = 2.0 * (last.low.0 - first.low.0) / MOST as f64;
        let width = self.width_s.map_or(two.max(f64::MIN_POSITIVE), |width| 2.0 * width);
        self.width_s = Some(width);
        self.stretches.dedup_by(|next, kept| {
            let same = kept.number(width) == next.number(width);
            if same {
                kept.absorb(next);
            }
            same
        });
    }

    /// The points to draw, with a gap where samples pause.
    fn points(&self) -> Vec<Point> {
        let all = &self.stretches;
        let Some(width) = self.width_s else {
            let (times, values): (Vec<f64>, Vec<f64>) = all.iter().map(|stretch| stretch.low).unzip();
            return points(&times, &values, 1.0);
        };
        let mut points: Vec<Point> = Vec::with_capacity(2 * all.len());
        let mut last: Option<&Bin> = None;
        for stretch in all {
            let Bin { low, high } = *stretch;
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            // Bins hold two samples or more, unless samples pause.
            if let (Some(last), Some(end)) = (last, points.last())
                && stretch.number(width) > last.number(width) + 2
            {
                points.push(Point::at((end.x + first.0) / 2.0, f64::NAN));
            }
            points.push(Point::at(first.0, first.1));
            if first.0 < second.0 {
                points.push(Point::at(second.0, second.1));
            }
            last = Some(stretch);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::FlowLayout;
    use anabranch_study::functions::recovery::rates;
    use proptest::prelude::*;

    fn line(samples: impl IntoIterator<Item = (f64, f64)>) -> Line {
        let mut line = Line::default();
        for (time, value) in samples {
            line.push(time, value);
            assert!(line.stretches.len() <= MOST);
        }
        line
    }

    /// Samples every 10 µs, the least interval, for a minute: six million.
    #[test]
    fn long_lines_stay_small_and_keep_a_spike_and_a_dip() {
        let value = |i: u32| match i {
            1_234_567 => 9000.0,
            4_321_000 => -1.0,
            i => f64::from(i % 1000),
        };
        let line = line((0..6_000_000).map(|i| (f64::from(i) * 1e-5, value(i))));
        let (n, room) = (line.stretches.len(), line.stretches.capacity());
        assert!(n > MOST / 4 && room <= MOST, "{n} of {room}");
        let points = line.points();
        assert!(points.iter().all(|point| point.y.is_finite()) && points.len() <= 2 * MOST);
        for (i, y) in [(1_234_567, 9000.0), (4_321_000, -1.0)] {
            let x = f64::from(i) * 1e-5;
            assert!(points.iter().any(|point| (point.x, point.y) == (x, y)), "{y} at {x} s");
        }
    }

    /// A subflow that is away from 30 to 60 s: its line has a hole there, and no other.
    #[test]
    fn a_pause_stays_a_hole() {
        let line = line(
            (0..90_000).map(|i| f64::from(i) * 1e-3).filter(|t| !(30.0..60.0).contains(t)).map(|t| (t, t)),
        );
        let points = line.points();
        let holes: Vec<_> = points.iter().filter(|point| point.y.is_nan()).map(|point| point.x).collect();
        assert!(line.width_s.is_some() && holes.len() == 1 && (holes[0] - 45.0).abs() < 0.1, "{holes:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
        /// Within every tenth of the time a line has the lowest and the highest value that the samples have there, but for those
        /// within a stretch of its ends.
        #[test]
        fn the_envelope_stays(seed in any::<u64>(), n in prop_oneof![2 => 1..60_000_u32, 1 => MOST as u32 - 1..=MOST as u32 + 1], interval in 1e-5..1.0_f64) {
            let mut state = seed;
            let samples: Vec<(f64, f64)> = (0..n).map(|i| {
                // Knuth's multiplier, MMIX.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (f64::from(i) * interval, (state >> 33) as f64)
            }).collect();
            let line = line(samples.iter().copied());
            let drawn = line.points();
            prop_assert!(drawn.len() <= 2 * MOST);
            prop_assert!(drawn.windows(2).all(|pair| pair[0].x < pair[1].x));
            let drawn: Vec<(f64, f64)> = drawn.iter().map(|point| (point.x, point.y)).collect();
            // Short lines are as they are.
            prop_assert!(samples.len() > MOST || drawn == samples);
            let margin = line.width_s.unwrap_or(0.0);
            let end = f64::from(n) * interval;
            let range = |of: &[(f64, f64)], from: f64, to: f64| {
                let inside = of.iter().filter(|point| (from..to).contains(&point.0)).map(|point| point.1);
                inside.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
            };
            for k in 0..10 {
                let (from, to) = (end * f64::from(k) / 10.0, end * f64::from(k + 1) / 10.0);
                let (outer, inner) = (range(&drawn, from - margin, to + margin), range(&samples, from, to));
                prop_assert!(outer.0 <= inner.0 && outer.1 >= inner.1, "{outer:?} of {inner:?}");
            }
            let all = |of: &[(f64, f64)]| range(of, f64::NEG_INFINITY, f64::INFINITY);
            prop_assert_eq!(all(&drawn), all(&samples));
        }
    }

    #[test]
    fn rates_are_those_of_a_record() {
        let paths = vec![vec!["a".to_owned()], vec!["b".to_owned()]];
        let of = |name: &str, paths: &[Vec<String>]| FlowLayout {
            name: name.into(),
            cc: "lia".into(),
            paths: paths.to_vec(),
            observables: vec![],
        };
        let layout = Layout { flows: vec![of("f", &paths), of("late", &paths[..1])], links: vec![] };
        let (mut lines, mut record) = (LineSink::default(), MemorySink::new());
        let sinks: [&mut dyn Sink; 2] = [&mut lines, &mut record];
        for sink in sinks {
            sink.begin(&layout);
            for i in 1..=3000_u64 {
                // The second subflow is there from 0.5 to 2.2 s, and the first stands still for half a second.
                let counts = [i.min(1000) * 1500 + i.saturating_sub(1500) * 900, (i * i) / 7];
                for (subflow, delivered_bytes) in counts.into_iter().enumerate() {
                    if subflow == 0 || (500..2200).contains(&i) {
                        let time_s = i as f64 * 1e-3;
                        let sample = SubflowSample { time_s, subflow, delivered_bytes, ..Default::default() };
                        sink.subflow(&sample);
                    }
                }
            }
            // Its bytes are of any time until then.
            let last = SubflowSample { time_s: 3.0, flow: 1, delivered_bytes: 9000, ..Default::default() };
            sink.subflow(&last);
        }
        let lines = lines.finish();
        let of = |points: &[Point]| points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
        let subflows = &record.flows[0].subflows;
        for (r, [_, rate]) in lines.subflows[0].iter().enumerate() {
            assert_eq!(of(rate), rates(&subflows[r..=r]), "subflow {r}");
        }
        assert_eq!(of(&lines.flows[0]), rates(subflows));
        assert_eq!((of(&lines.subflows[1][0][1]), rates(&record.flows[1].subflows)), (vec![], vec![]));
    }
}
