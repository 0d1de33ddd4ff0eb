//! Shared bottleneck detection (RFC 8382): summary statistics of each path's delay, and the grouping by them.
//! The section numbers that the comments give are the RFC's, as are the names in code font.

use crate::{Ack, Path, Seconds, Segments};
use alloc::vec::Vec;

/// `T`: over which samples are summed (§2.2).
const INTERVAL: Seconds = 0.35;
/// `N`: intervals over which losses and oscillations count.
const LONG: usize = 50;
/// `M`: intervals over which the other statistics count.
const SHORT: usize = 30;
/// `c_s`: a path whose skewness is below it has a bottleneck; `c_h`: it still has one up to there.
const SKEWED: f64 = 0.1;
const STILL_SKEWED: f64 = 0.3;
/// `p_v`: how far from the mean, in `var_est`, a crossing of it is significant.
const SIGNIFICANT: f64 = 0.7;
/// `p_f`, `p_mad`, `p_s` and `p_d`: the largest distance of neighbours in one group; `var_est` and `pkt_loss` as a fraction of the
/// larger one.
const APART_FREQUENCY: f64 = 0.1;
const APART_VARIABILITY: f64 = 0.1;
const APART_SKEWNESS: f64 = 0.15;
const APART_LOSS: f64 = 0.1;
/// `p_l`: losses above it indicate a bottleneck by themselves.
const LOSSY: f64 = 0.05;

/// The contribution of one interval to the statistics (§3.2).
#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    samples: f64,
    /// Of the samples.
    sum: Seconds,
    /// `skew_base_T`: samples below the mean delay less those above it.
    skew: f64,
    /// `var_base_T`: the samples' distances from the mean of the interval before, summed.
    deviation: Seconds,
    /// Whether the interval's mean crossed the mean delay significantly.
    crosses: bool,
    lost: Segments,
    delivered: Segments,
}

/// The summary statistics of a path (§3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    /// `skew_est`: −1 where nearly all samples are above the mean, as in front of a full queue.
    pub(crate) skewness: f64,
    /// `var_est`: the mean absolute deviation.
    pub(crate) variability: Seconds,
    /// `freq_est`: significant crossings of the mean per interval.
    pub(crate) frequency: f64,
    /// `pkt_loss`: the lost fraction.
    pub(crate) loss: f64,
}

/// One path's delays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays {
    now: Interval,
    /// The intervals before, the latest last; at most [`LONG`].
    past: Vec<Interval>,
    /// `mean_delay`, without the present interval (§3.2.2), and the last interval's own mean.
    mean: Option<(Seconds, Seconds)>,
    /// On which side of the mean delay an interval's mean last was significantly: ±1.
    side: f64,
    summary: Summary,
    /// Whether the path had a bottleneck at the last check: `PB` (§3.3.1).
    congested: bool,
}

impl Delays {
    /// A path without samples.
    fn new() -> Self {
        Delays { past: Vec::with_capacity(LONG), ..Delays::default() }
    }

    #[inline]
    fn sample(&mut self, delay: Seconds) {
        self.now.samples += 1.0;
        self.now.sum += delay;
        if let Some((mean, last)) = self.mean {
            self.now.skew += f64::from(u8::from(delay < mean)) - f64::from(u8::from(delay > mean));
            self.now.deviation += (delay - last).abs();
        }
    }

    /// Segments that arrived, and such that did not.
    #[inline]
    fn count(&mut self, delivered: Segments, lost: Segments) {
        self.now.delivered += delivered;
        self.now.lost += lost;
    }

    /// The statistics, once there are [`LONG`] intervals of them.
    pub(crate) fn summary(&self) -> Option<Summary> {
        (self.past.len() == LONG).then_some(self.summary)
    }

    /// The present interval is over. One without a sample says nothing and is left out.
    fn end_interval(&mut self) {
        let mut now = core::mem::take(&mut self.now);
        if now.samples == 0.0 {
            return;
        }
        let own = now.sum / now.samples;
        if let Some((mean, _)) = self.mean {
            let away = SIGNIFICANT * self.summary.variability;
            let side = f64::from(u8::from(own > mean + away)) - f64::from(u8::from(own < mean - away));
            now.crosses = side * self.side < 0.0;
            if side != 0.0 {
                self.side = side;
            }
        }
        if self.past.len() == LONG {
            self.past.remove(0);
        }
        self.past.push(now);
        self.summarise(own);
    }

    fn summarise(&mut self, last: Seconds) {
        let short = &self.past[self.past.len().saturating_sub(SHORT)..];
        let of = |part: &[Interval], value: fn(&Interval) -> f64| part.iter().map(value).sum::<f64>();
        let means = of(short, |i| i.sum / i.samples);
        self.mean = Some((means / short.len() as f64, last));
        let samples = of(short, |i| i.samples);
        let (lost, delivered) = (of(&self.past, |i| i.lost), of(&self.past, |i| i.delivered));
        self.summary = Summary {
            skewness: of(short, |i| i.skew) / samples,
            variability: of(short, |i| i.deviation) / samples,
            frequency: of(&self.past, |i| f64::from(u8::from(i.crosses))) / LONG as f64,
            loss: if lost > 0.0 { lost / (lost + delivered) } else { 0.0 },
        };
    }

    /// Whether the path has a bottleneck (§3.3.1, step 1).
    fn judge(&mut self) -> bool {
        let Summary { skewness, loss, .. } = self.summary;
        self.congested = skewness < SKEWED || (self.congested && skewness < STILL_SKEWED) || loss > LOSSY;
        self.congested
    }
}

/// The paths of a connection in groups, each behind one bottleneck.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grouping {
    /// By row.
    pub(crate) members: Vec<Member>,
    /// When the present interval ends.
    end: Seconds,
    /// Paths of one group, in order; between regroupings of no meaning.
    order: Vec<usize>,
}

/// The group of a path without a bottleneck, which shares nothing.
pub(crate) const ALONE: u32 = 0;
/// The group of the paths of which too little is known.
pub(crate) const UNKNOWN: u32 = 1;

/// A path as it is grouped.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) delays: Delays,
    /// Paths with the same number share a bottleneck, but for [`ALONE`].
    pub(crate) group: u32,
}

impl Member {
    /// A path of which nothing is known.
    fn new() -> Self {
        Member { delays: Delays::new(), group: UNKNOWN }
    }
}

/// A grouping criterion: a path's value, and its largest distance from the next larger one.
type Criterion = (fn(&Summary) -> f64, fn(f64) -> f64);

/// In the order of §3.3.1, steps 2 to 5.
const CRITERIA: [Criterion; 4] = [
    (|s| s.frequency, |_| APART_FREQUENCY),
    (|s| s.variability, |larger| APART_VARIABILITY * larger),
    (|s| s.skewness, |_| APART_SKEWNESS),
    (|s| s.loss, |larger| if larger > LOSSY { APART_LOSS * larger } else { f64::INFINITY }),
];

impl Grouping {
    pub(crate) fn add(&mut self, r: usize) {
        if r == self.members.len() {
            self.members.push(Member::new());
            self.order.reserve_exact(self.members.len());
        }
        self.members[r] = Member::new();
    }

    /// Path `r` has left. Without any path, the next one's first sample begins the intervals.
    pub(crate) fn remove(&mut self, paths: &[Path], r: usize) {
        self.members[r] = Member::new();
        if paths.iter().all(|p| !p.active) {
            self.end = 0.0;
        }
    }

    /// An acknowledgement on path `r`. Where an interval is over, forms the groups anew.
    #[inline]
    pub(crate) fn acked(&mut self, r: usize, ack: &Ack) {
        let now = ack.now;
        if now >= self.end {
            // After a pause of all paths intervals start where samples do.
            self.end = if now < self.end + INTERVAL { self.end } else { now } + INTERVAL;
            self.members.iter_mut().for_each(|m| m.delays.end_interval());
            self.regroup();
        }
        let delays = &mut self.members[r].delays;
        delays.count(ack.delivered, 0.0);
        if let Some(rtt) = ack.rtt {
            delays.sample(rtt);
        }
    }

    /// A segment of path `r` was lost.
    pub(crate) fn lost(&mut self, r: usize) {
        self.members[r].delays.count(0.0, 1.0);
    }

    /// §3.3.1.
    fn regroup(&mut self) {
        for member in &mut self.members {
            member.group = match member.delays.summary() {
                None => UNKNOWN,
                Some(_) if member.delays.judge() => UNKNOWN + 1,
                Some(_) => ALONE,
            };
        }
        let mut groups = UNKNOWN + 1;
        for (value, allowed) in CRITERIA {
            let present = groups;
            for group in UNKNOWN + 1..=present {
                groups = self.divide(group, groups, |m| value(&m.delays.summary), allowed);
            }
        }
    }

    /// Divides a group where neighbours in the order of `value` are farther apart than `allowed`. Returns
    /// the last group's number.
    fn divide(
        &mut self,
        group: u32,
        mut groups: u32,
        value: impl Fn(&Member) -> f64,
        allowed: fn(f64) -> f64,
    ) -> u32 {
        let Grouping { members, order, .. } = self;
        order.clear();
        order.extend((0..members.len()).filter(|r| members[*r].group == group));
        order.sort_unstable_by(|a, b| value(&members[*a]).total_cmp(&value(&members[*b])));
        let mut of = group;
        for pair in order.windows(2) {
            let (lower, higher) = (value(&members[pair[0]]), value(&members[pair[1]]));
            if higher - lower >= allowed(higher) && higher > lower {
                groups += 1;
                of = groups;
            }
            members[pair[1]].group = of;
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_cc_model::Random;

    fn member(skewness: f64, variability: Seconds, frequency: f64, loss: f64) -> Member {
        let mut member = Member::new();
        member.delays.past = alloc::vec![Interval::default(); LONG];
        member.delays.summary = Summary { skewness, variability, frequency, loss };
        member
    }

    fn grouping(members: impl Into<Vec<Member>>) -> Grouping {
        Grouping { members: members.into(), ..Grouping::default() }
    }

    fn groups(of: &mut Grouping) -> Vec<u32> {
        of.regroup();
        of.members.iter().map(|m| m.group).collect()
    }

    /// The steps of §3.3.1 with the constants of §2.2, one path's number differing at a time.
    #[test]
    fn each_step_divides_at_its_threshold() {
        let base = || member(-0.2, 0.010, 0.30, 0.0);
        let with = |other| groups(&mut grouping([base(), other]));
        assert_eq!(with(base()), [2, 2]);
        assert_eq!(with(member(0.101, 0.010, 0.30, 0.0)), [2, ALONE]); // c_s
        assert_eq!(with(member(0.9, 0.010, 0.30, 0.051)), [2, 3]); // p_l, and then p_s
        assert_eq!(with(member(-0.2, 0.010, 0.41, 0.0)), [2, 3]); // p_f
        assert_eq!(with(member(-0.2, 0.010, 0.39, 0.0)), [2, 2]);
        assert_eq!(with(member(-0.2, 0.0112, 0.30, 0.0)), [2, 3]); // p_mad of the larger
        assert_eq!(with(member(-0.2, 0.0110, 0.30, 0.0)), [2, 2]);
        assert_eq!(with(member(-0.04, 0.010, 0.30, 0.0)), [2, 3]); // p_s
        assert_eq!(with(member(-0.06, 0.010, 0.30, 0.0)), [2, 2]);
        assert_eq!(with(member(-0.2, 0.010, 0.30, 0.049)), [2, 2]); // losses too rare to distinguish
    }

    /// Losses above `p_l` divide by `p_d` of the larger.
    #[test]
    fn heavy_losses_divide() {
        let lossy = |losses: [f64; 2]| grouping(losses.map(|loss| member(-0.2, 0.010, 0.30, loss)));
        assert_eq!(groups(&mut lossy([0.10, 0.112])), [2, 3]);
        assert_eq!(groups(&mut lossy([0.10, 0.110])), [2, 2]);
    }

    /// Neighbours decide, so that a chain stays together; and a group that one step made is divided by the next.
    #[test]
    fn chains_stay_and_steps_follow_each_other() {
        let chain = [0.30, 0.38, 0.46].map(|f| member(-0.2, 0.010, f, 0.0));
        assert_eq!(groups(&mut grouping(chain)), [2, 2, 2]);
        let four = [(0.1, 0.01), (0.5, 0.01), (0.1, 0.02), (0.5, 0.02)].map(|(f, v)| member(-0.2, v, f, 0.0));
        let found = groups(&mut grouping(four));
        let different = |a: usize, b: usize| found[a] != found[b];
        assert!((0..4).all(|a| (0..a).all(|b| different(a, b))), "{found:?}");
    }

    /// Once it has a bottleneck a path keeps it up to `c_h`.
    #[test]
    fn hysteresis_keeps_a_bottleneck() {
        let mut one = grouping([member(0.0, 0.010, 0.3, 0.0)]);
        for (skewness, group) in [(0.2, ALONE), (0.05, 2), (0.29, 2), (0.31, ALONE), (0.2, ALONE)] {
            one.members[0].delays.summary.skewness = skewness;
            assert_eq!(groups(&mut one), [group], "{skewness}");
        }
    }

    /// Three intervals by hand: delays 10, 20; then 12, 30; then 40, 8 ms.
    #[test]
    fn statistics_are_the_definitions() {
        let mut delays = Delays::new();
        for interval in [[10.0, 20.0], [12.0, 30.0], [40.0, 8.0]] {
            interval.iter().for_each(|d| delays.sample(*d));
            delays.count(2.0, 1.0);
            delays.end_interval();
        }
        let Summary { skewness, variability, loss, .. } = delays.summary;
        // Second: mean_delay 15: one below, one above; around 15: 3 + 15. Third: mean_delay (15 + 21)/2 = 18,
        // one above, one below; around 21: 19 + 13.
        assert_eq!((skewness, variability), (0.0, (18.0 + 32.0) / 6.0));
        assert!((loss - 1.0 / 3.0).abs() < 1e-15);
        assert_eq!(delays.mean, Some(((15.0 + 21.0 + 24.0) / 3.0, 24.0)));
    }

    /// A delay that swings between two levels each `half` intervals crosses its mean every `half` intervals.
    #[test]
    fn oscillations_are_counted() {
        for half in [2, 5] {
            let mut delays = Delays::new();
            for i in 0..4 * LONG {
                let delay = if i / half % 2 == 0 { 0.01 } else { 0.03 };
                [delay - 1e-4, delay + 1e-4].iter().for_each(|d| delays.sample(*d));
                delays.end_interval();
            }
            assert_eq!(delays.summary().unwrap().frequency, 1.0 / half as f64);
        }
    }

    /// A queue of at most 50 ms that bursts of heavy-tailed length fill (Pareto of shape 1.5) at this load, millisecond by millisecond.
    struct Queue {
        random: Random,
        load: f64,
        waits: Seconds,
    }

    impl Queue {
        fn step(&mut self) -> Seconds {
            // Bursts of 3 ms on average (1 ms × 1.5 ÷ 0.5).
            let begins = self.random.uniform() < self.load / 3.0;
            let burst = if begins { 1e-3 * self.random.uniform().powf(-1.0 / 1.5) } else { 0.0 };
            self.waits = (self.waits + burst - 1e-3).clamp(0.0, 0.05);
            self.waits
        }
    }

    /// The fraction of the time after the first 20 s that two paths are in one group, over 20 minutes. Packets of each pass at
    /// times of their own, 100 in a second.
    fn together(mut queues: [Queue; 2], shared: bool) -> f64 {
        let mut grouping = grouping([Member::new(), Member::new()]);
        let (mut grouped, mut all) = (0.0, 0.0);
        for ms in 0..1_200_000 {
            let first = queues[0].step();
            let waits = [first, if shared { first } else { queues[1].step() }];
            for (r, waits) in waits.into_iter().enumerate() {
                if queues[r].random.uniform() < 0.1 {
                    grouping.acked(r, &Ack::of(f64::from(ms) * 1e-3, 1.0, 0.02 + waits));
                }
            }
            if ms > 20_000 {
                let [first, second] = [0, 1].map(|r: usize| grouping.members[r].group);
                grouped += f64::from(u8::from(first > UNKNOWN && first == second));
                all += 1.0;
            }
        }
        grouped / all
    }

    /// RFC 8382, §3.3: flows are grouped where their statistics are alike. Two observers of one queue that bursts overload have the
    /// same in at least 80 % of the time; those of two queues with unlike traffic in at most 10 %. (Two queues with traffic of one
    /// distribution are alike by chance: no statistic distinguishes them.)
    #[test]
    fn one_queue_is_found_and_unlike_ones_are_distinguished() {
        let seeds = 1..=5;
        let mean = |of: &dyn Fn(u64) -> f64| seeds.clone().map(of).sum::<f64>() / 5.0;
        for load in [1.1, 1.3] {
            let queue = |load, seed| Queue { random: Random(seed), load, waits: 0.0 };
            let queues = |other: f64, seed| [queue(load, seed), queue(other, seed + 100)];
            let shared = mean(&|seed| together(queues(load, seed), true));
            let unlike = mean(&|seed| together(queues(load - 0.2, seed), false));
            assert!(shared >= 0.8 && unlike <= 0.1, "load {load}: {shared} {unlike}");
        }
    }
}
