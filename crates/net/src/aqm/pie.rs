//! PIE (RFC 8033): the required rules of §4, and of the options marking (§5.1), de-randomization (§5.4) and the cap on increases
//! (§5.5). Not §5.2, as a link knows its rate, nor §5.3, as PIE is always active.

use super::{DisciplineParams, EnqueueRule, FULL_PACKET, QUEUE_SEED, QueueView, Verdict};
use crate::model_spec::model_spec;
use crate::{Random, Time};

model_spec! {
    /// Proportional integral controller, enhanced (RFC 8033).
    "pie" "PIE" Pie {
        /// The target delay. Default: 15 ms.
        target: Time as Time => MS(15),
        /// Time between updates of the probability, at least 100 us. Default: 15 ms.
        update: Time as TimeFrom(MIN_UPDATE) => MS(15),
        /// Weight of the deviation from the target, per second. Default: 0.125.
        alpha: f64 as Gain => 0.125,
        /// Weight of the delay's change, per second. Default: 1.25.
        beta: f64 as Gain => 1.25,
        /// Length of a burst that passes without drops. Default: 150 ms.
        max_burst: Time as Time => MS(150),
        /// Mark packets of ECN-capable flows instead of dropping them while the probability is at most 0.1. Default: false.
        ecn: bool as Flag => false,
    }
}

const MIN_UPDATE: Time = Time::from_nanos(100_000);
const MS: fn(u64) -> Time = Time::from_millis;

impl DisciplineParams for Pie {
    type State = Controller;

    fn start(self, seed: u64, stream: u64) -> Controller {
        Controller::new(self, Random::new(seed ^ QUEUE_SEED, stream))
    }

    fn target(&self) -> Option<Time> {
        Some(self.target)
    }
}

/// Above this probability packets are dropped rather than marked (§5.1).
const MARK_UP_TO: f64 = 0.1;
/// If the sum of probabilities since the last drop is below the first, the next packet is not dropped; from the second
/// on it is (§5.4).
const NEVER_BELOW: f64 = 0.85;
const ALWAYS_FROM: f64 = 8.5;
/// The largest increase per update of a probability of 0.1 or more (§5.5).
const MAX_INCREASE: f64 = 0.02;
/// The factor per update while the queue is empty (§4.2).
const DECAY: f64 = 0.98;
/// Smaller probabilities count as 0: no random number is below them, and the decay alone never reaches 0.
const NONE_BELOW: f64 = 1.0 / (1u64 << 53) as f64;
/// Rows of the table in §4.2: below the first number, a change is divided by the second.
const SCALES: [(f64, f64); 6] =
    [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (1e-2, 8.0), (1e-1, 2.0)];

/// Fewer updates than this are made one by one.
const MANY: u64 = 16;

/// The probabilities, from the first to below the second, that share `p`'s row of the table and its floating-point exponent.
fn same_rounding(p: f64) -> (f64, f64) {
    let edges = SCALES.iter().map(|(below, _)| *below);
    let power = f64::from_bits(p.to_bits() >> 52 << 52);
    let start = edges.clone().filter(|edge| *edge <= p).fold(power, f64::max);
    (start, edges.filter(|edge| *edge > p).fold(2.0 * power, f64::min))
}

/// The probability of dropping and what it is computed from.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    spec: Pie,
    random: Random,
    probability: f64,
    /// The waiting time at the last update, in seconds.
    delay_s: f64,
    /// How long packets still pass.
    burst: Time,
    /// Sum of the probabilities since the last drop.
    accumulated: f64,
    next_update: Time,
}

impl Controller {
    fn new(spec: Pie, random: Random) -> Controller {
        let Pie { max_burst: burst, update: next_update, .. } = spec;
        Controller { spec, random, probability: 0.0, delay_s: 0.0, burst, accumulated: 0.0, next_update }
    }

    /// The periodic update, at its instant, when a packet that arrives would wait for `delay_s` seconds (§4.2, §4.4).
    fn update_to(&mut self, delay_s: f64) {
        let probability = self.next_probability(self.probability, delay_s);
        self.finish_updates(1, probability, delay_s);
    }

    /// The probability after an update with that delay.
    fn next_probability(&self, probability: f64, delay_s: f64) -> f64 {
        let Pie { target, alpha, beta, .. } = self.spec;
        let change = alpha * (delay_s - target.as_secs_f64()) + beta * (delay_s - self.delay_s);
        let scale = SCALES.iter().find(|(below, _)| probability < *below).map_or(1.0, |(_, scale)| *scale);
        let mut change = change / scale;
        if probability >= 0.1 {
            change = change.min(MAX_INCREASE);
        }
        let mut next = probability + change;
        if delay_s == 0.0 && self.delay_s == 0.0 {
            next *= DECAY;
        }
        next = next.clamp(0.0, 1.0);
        if next < NONE_BELOW { 0.0 } else { next }
    }

    /// Applies `updates` updates that end with `probability`.
    fn finish_updates(&mut self, updates: u64, probability: f64, delay_s: f64) {
        let Pie { target, update, max_burst, .. } = self.spec;
        let calm_s = target.as_secs_f64() / 2.0;
        self.probability = probability;
        self.burst = self.burst.since(update.times(updates));
        if probability == 0.0 && delay_s < calm_s && self.delay_s < calm_s {
            self.burst = max_burst;
        }
        self.delay_s = delay_s;
        self.next_update += update.times(updates);
    }

    /// The delay is constant up to `until`. If many updates are due before, applies those with the same change at once,
    /// to the same bits. The change is constant in a row of §4.2's table, and its rounding between two powers of two,
    /// except for the first. So a pause of any length takes a few hundred updates.
    fn skip_steady(&mut self, until: Time) {
        let before = until.as_nanos().saturating_sub(1); // updates at `until` find something else
        let Some(span) = before.checked_sub(self.next_update.as_nanos()) else { return };
        let due = span / self.spec.update.as_nanos() + 1;
        if due < MANY {
            return;
        }
        let p = self.probability;
        let next = self.next_probability(p, self.delay_s);
        let change = next - p;
        let (start, end) = same_rounding(p);
        let is_same = |p: f64| start <= p && p < end;
        let updates = if change == 0.0 {
            due
        } else if is_same(next) && self.next_probability(next, self.delay_s) - next == change {
            let room = if change > 0.0 { (end - p) / change } else { (p - start) / -change };
            due.min((room as u64).saturating_sub(1))
        } else {
            0
        };
        if updates > 0 {
            self.finish_updates(updates, p + updates as f64 * change, self.delay_s);
        }
    }

    /// The queue is empty up to `now`: skips updates that would change nothing.
    fn skip_idle(&mut self, now: Time) {
        let at_rest = self.probability == 0.0 && self.delay_s == 0.0;
        if at_rest && self.next_update < now {
            let update = self.spec.update.as_nanos();
            let missed = now.since(self.next_update).as_nanos() / update;
            self.next_update += self.spec.update.times(missed);
        }
    }
}

impl EnqueueRule for Controller {
    /// §4.1.
    fn arrive(&mut self, view: &QueueView) -> Verdict {
        let calm = self.delay_s < self.spec.target.as_secs_f64() / 2.0 && self.probability < 0.2;
        if self.burst > Time::ZERO || calm || view.waiting.bytes <= 2 * u64::from(FULL_PACKET) {
            return Verdict::Accept;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let drops = self.accumulated >= NEVER_BELOW
            && (self.accumulated >= ALWAYS_FROM || self.random.chance(self.probability));
        if !drops {
            return Verdict::Accept;
        }
        self.dropped();
        Verdict::congestion(self.spec.ecn && view.ecn_capable && self.probability <= MARK_UP_TO)
    }

    fn next_update(&self) -> Time {
        self.next_update
    }

    fn update(&mut self, view: &QueueView, now: Time, same_until: Time) {
        let waiting = view.waiting.bytes;
        // Little's law with the link's own rate (§4.3); nothing waits while it is down.
        self.update_to(if waiting > 0 { waiting as f64 * 8.0 / view.rate_bps } else { 0.0 });
        if waiting == 0 {
            self.skip_idle(now);
        } else {
            self.skip_steady(now.min(same_until));
        }
    }

    /// The sum starts again (§5.4).
    fn dropped(&mut self) {
        self.accumulated = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Waiting;

    fn pie(spec: Pie) -> Controller {
        Controller::new(spec, Random::new(5, 5))
    }

    fn finds(bytes: u64, ecn_capable: bool) -> QueueView {
        QueueView { waiting: Waiting { bytes, packets: 0 }, ecn_capable, ..QueueView::default() }
    }

    /// The table of §4.2 by hand: from a delay of 35 ms to one of 55 ms the change is
    /// 0.125·0.04 + 1.25·0.02 = 0.03, divided by the row's number.
    #[test]
    fn change_is_scaled_by_the_probability() {
        for (p, scale) in [
            (0.0, 2048.0),
            (0.9e-6, 2048.0),
            (0.9e-5, 512.0),
            (0.9e-4, 128.0),
            (0.9e-3, 32.0),
            (0.9e-2, 8.0),
            (0.09, 2.0),
        ] {
            let mut pie = Controller { probability: p, delay_s: 0.035, ..pie(Pie::default()) };
            pie.update_to(0.055);
            assert!((pie.probability - (p + 0.03 / scale)).abs() < 1e-15, "{} from {p}", pie.probability);
        }
    }

    #[test]
    fn increases_are_capped_and_decreases_are_not() {
        let at = |probability, delay_s| Controller { probability, delay_s, ..pie(Pie::default()) };
        let mut up = at(0.3, 0.035);
        up.update_to(0.055); // by 0.03, but for the cap
        assert!((up.probability - 0.32).abs() < 1e-12);
        let mut down = at(0.3, 0.055);
        down.update_to(0.015); // 0 − 1.25·0.04
        assert!((down.probability - 0.25).abs() < 1e-12);
    }

    #[test]
    fn at_the_target_the_probability_stays() {
        let mut pie = Controller { probability: 0.05, delay_s: 0.015, ..pie(Pie::default()) };
        (0..100).for_each(|_| pie.update_to(0.015));
        assert!((pie.probability - 0.05).abs() < 1e-12);
    }

    /// With nothing waiting it falls by α·target, and what is left by 2 %; it ends at 0, not below.
    #[test]
    fn decays_while_nothing_waits() {
        let mut pie = Controller { probability: 0.5, ..pie(Pie::default()) };
        pie.update_to(0.0);
        assert!((pie.probability - (0.5 - 0.125 * 0.015) * 0.98).abs() < 1e-12);
        (0..1000).for_each(|_| pie.update_to(0.0));
        assert_eq!(pie.probability, 0.0);
    }

    /// The first 150 ms of congestion, ten updates of 15 ms, pass; afterwards the allowance is only
    /// restored once the probability is zero and two samples are below half the target.
    #[test]
    fn a_burst_passes() {
        let mut pie = pie(Pie::default());
        for _ in 0..10 {
            pie.probability = 1.0;
            assert_eq!(pie.arrive(&finds(100_000, false)), Verdict::Accept);
            pie.update_to(0.2);
        }
        pie.probability = 1.0;
        assert_eq!(pie.arrive(&finds(100_000, false)), Verdict::Drop);
        pie.probability = 0.0;
        pie.update_to(0.007);
        assert_eq!(pie.burst, Time::ZERO, "the last sample was above");
        pie.update_to(0.007);
        assert_eq!((pie.probability, pie.burst), (0.0, Time::from_millis(150)));
    }

    #[test]
    fn a_calm_or_short_queue_loses_nothing() {
        let busy = |probability, delay_s| Controller {
            probability,
            delay_s,
            burst: Time::ZERO,
            ..pie(Pie::default())
        };
        let drops =
            |mut pie: Controller, bytes| (0..100).any(|_| pie.arrive(&finds(bytes, false)) == Verdict::Drop);
        assert!(!drops(busy(0.19, 0.0074), 100_000), "below half the target");
        assert!(drops(busy(0.2, 0.0074), 100_000), "not at that probability");
        assert!(drops(busy(0.19, 0.0076), 100_000));
        assert!(!drops(busy(1.0, 1.0), 3000), "two packets");
        assert!(drops(busy(1.0, 1.0), 3001));
    }

    /// The sum of probabilities at a drop lies between 0.85 and 8.5 (§5.4), so at 0.01 the gaps
    /// are of 85 to 850 packets; from the 85th on they are geometric, of mean 84 + 1/p = 184.
    #[test]
    fn drops_are_spread() {
        let mut pie =
            Controller { probability: 0.01, delay_s: 0.02, burst: Time::ZERO, ..pie(Pie::default()) };
        let mut gaps = Vec::new();
        let mut gap = 0u32;
        for _ in 0..2_000_000 {
            gap += 1;
            if pie.arrive(&finds(100_000, false)) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps.iter().all(|gap| (84..=851).contains(gap)));
        let mean = gaps.iter().sum::<u32>() as f64 / gaps.len() as f64;
        assert!((mean / 184.0 - 1.0).abs() < 0.03, "mean gap {mean}");
    }

    #[test]
    fn marks_only_up_to_a_tenth() {
        let verdict = |probability, ecn, ecn_capable| {
            let spec = Pie { ecn, ..Pie::default() };
            let mut pie = Controller { probability, delay_s: 0.1, burst: Time::ZERO, ..pie(spec) };
            (0..100_000)
                .map(|_| pie.arrive(&finds(100_000, ecn_capable)))
                .find(|v| *v != Verdict::Accept)
                .unwrap()
        };
        assert_eq!(verdict(0.1, true, true), Verdict::Mark);
        assert_eq!(verdict(0.11, true, true), Verdict::Drop);
        assert_eq!(verdict(0.1, true, false), Verdict::Drop);
        assert_eq!(verdict(0.1, false, true), Verdict::Drop);
    }

    /// Whatever the target: with nothing waiting a pause of any length takes a bounded number of updates. From 1 down to
    /// 2⁻⁵³ by 2 % a time are 1819.
    #[test]
    fn a_pause_takes_a_bounded_number_of_updates() {
        for target in [Time::ZERO, Time::from_nanos(1), Time::from_millis(15), Time::from_secs_f64(1e9)] {
            let mut pie =
                Controller { probability: 1.0, delay_s: 1.0, ..pie(Pie { target, ..Pie::default() }) };
            let end = Time::from_secs_f64(1e9);
            let mut updates = 0;
            while pie.next_update() <= end && updates < 10_000 {
                pie.update_to(0.0);
                pie.skip_idle(end);
                updates += 1;
            }
            assert!(updates < 2000, "{updates} updates with a target of {target}");
        }
    }

    /// Likewise with something waiting: here 10⁹ s, 10¹³ updates, whatever the parameters.
    #[test]
    fn a_pause_with_a_queue_takes_a_bounded_number_of_updates() {
        let end = Time::from_secs_f64(1e9);
        for (alpha, delay_s) in [
            (0.125, 1.0),
            (0.125, 0.015),
            (0.125, 0.015_000_1),
            (1e-12, 3e3),
            (1e-15, 3e3),
            (0.0, 1.0),
            (1e-12, 0.001),
        ] {
            for probability in [0.0, 0.3] {
                let spec = Pie { alpha, update: Time::from_nanos(100_000), ..Pie::default() };
                let mut pie = Controller { probability, delay_s, ..pie(spec) };
                let mut updates = 0;
                while pie.next_update() <= end && updates < 10_000 {
                    pie.update_to(delay_s);
                    pie.skip_steady(end);
                    updates += 1;
                }
                assert!(
                    updates < 500,
                    "{updates} updates with alpha {alpha} and {delay_s} s, from {probability}"
                );
            }
        }
    }

    /// Updates made at once end in the same bits as those made one by one, wherever they are interrupted.
    #[test]
    fn updates_at_once_are_those_one_by_one() {
        let mut random = Random::new(3, 3);
        for case in 0..300 {
            let power = |random: &mut Random, least: f64| 10f64.powf(least * random.uniform());
            let spec = Pie { alpha: 0.125 * power(&mut random, -6.0), ..Pie::default() };
            let delay_s = if case % 2 == 0 {
                0.015 * power(&mut random, -3.0)
            } else {
                0.015 + power(&mut random, -6.0)
            };
            let probability = power(&mut random, -9.0);
            let mut single = Controller { probability, delay_s, ..pie(spec) };
            let mut at_once = single.clone();
            for look in (1..=100).map(|n| Time::from_millis(n * n * 71)) {
                while single.next_update() < look {
                    single.update_to(delay_s);
                }
                while at_once.next_update() < look {
                    at_once.update_to(delay_s);
                    at_once.skip_steady(look);
                }
                let state = |pie: &Controller| (pie.probability.to_bits(), pie.burst, pie.next_update);
                assert_eq!(
                    state(&at_once),
                    state(&single),
                    "case {case} at {look}: {probability}, {delay_s} s"
                );
            }
        }
    }

    #[test]
    fn rest_keeps_the_phase_of_updates() {
        let mut pie = pie(Pie::default());
        pie.skip_idle(Time::from_millis(1000));
        assert_eq!(pie.next_update(), Time::from_millis(990), "66 · 15 ms");
        pie.skip_idle(Time::NEVER);
        assert!(pie.next_update() < Time::NEVER);
    }
}
