//! RFC 6356's goals, from a connection's rates and those of single-path flows in its place.

use anabranch_record::{Estimate, estimate, narrowing};
use serde::{Deserialize, Serialize};

/// How far a ratio may lie beyond 1 without missing the goal.
const MARGIN: f64 = 0.1;
/// Beyond it, longer runs are proposed instead of more seeds.
pub(super) const MOST_SEEDS: usize = 100;
/// Goal 3 applies on a link where the single-path flow loses this many times as much as on the best link.
const CONGESTED: f64 = 2.0;

/// Whether a goal is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Met {
    /// The whole interval is at most 10 % beyond 1.
    Met,
    /// The interval includes the margin of 10 %, or the ratio lacks an interval.
    Undetermined,
    /// The whole interval is more than 10 % beyond 1.
    Missed,
}

/// A goal's ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// The ratio; `None` if a run lacks a rate, or has 0 as the divisor.
    pub ratio: Option<Estimate>,
    /// Whether it meets the goal.
    pub met: Met,
    /// The number of seeds that should decide it if it is undetermined, by the width of its interval; `None` if 100 would not.
    pub seeds: Option<usize>,
    /// The link that the ratio is about, for goals 2 and 3.
    pub link: Option<String>,
}

impl Goal {
    fn at_least(ratio: Option<Estimate>) -> Goal {
        Goal::judged(ratio, |mean| 1.0 - mean, None)
    }

    fn at_most(ratio: Option<Estimate>, link: Option<&str>) -> Goal {
        Goal::judged(ratio, |mean| mean - 1.0, link.map(str::to_owned))
    }

    /// `beyond` is the mean's distance to 1 on the wrong side.
    fn judged(ratio: Option<Estimate>, beyond: fn(f64) -> f64, link: Option<String>) -> Goal {
        let interval = ratio.as_ref().and_then(|ratio| {
            Some((ratio.exact_half_width()?, beyond(ratio.mean) - MARGIN, ratio.values.len()))
        });
        let (met, seeds) = match interval {
            Some((half, from_margin, _)) if from_margin > half => (Met::Missed, None),
            Some((half, from_margin, _)) if from_margin <= -half => (Met::Met, None),
            Some((half, from_margin, n)) => (Met::Undetermined, enough(half, from_margin.abs(), n)),
            None => (Met::Undetermined, None),
        };
        Goal { ratio, met, seeds, link }
    }
}

/// The number of seeds that narrows an interval of `seeds` to half a width below `target`.
fn enough(half: f64, target: f64, seeds: usize) -> Option<usize> {
    (seeds + 1..=MOST_SEEDS).find(|more| half * narrowing(seeds, *more) < target)
}

/// The mean of the seeds with its interval; `None` if a seed lacks the value.
pub(super) fn estimated(values: impl Iterator<Item = Option<f64>>) -> Option<Estimate> {
    estimate(values.collect::<Option<Vec<f64>>>()?)
}

/// The rates of each path: the connection's, and those of a single-path flow there instead.
pub(super) struct Rates(pub Vec<PathRates>);

pub(super) struct PathRates {
    pub links: Vec<String>,
    /// Of each seed.
    pub ours: Vec<Option<f64>>,
    pub single: Vec<Option<f64>>,
    /// The mean loss rate of the single-path flow; `None` if a seed lacks it.
    pub loss: Option<f64>,
}

impl Rates {
    /// Each link with its paths. Links with the same paths appear once: by the last of them that is `shared`, else by the last.
    fn links(&self, shared: &[String]) -> Vec<(&str, Vec<&PathRates>)> {
        let crossing = |link: &String| -> Vec<usize> {
            (0..self.0.len()).filter(|path| self.0[*path].links.contains(link)).collect()
        };
        let mut links: Vec<(&str, Vec<usize>)> = Vec::new();
        for link in self.0.iter().flat_map(|path| &path.links) {
            let paths = crossing(link);
            match links.iter_mut().find(|(_, known)| *known == paths) {
                Some((name, _)) if shared.contains(link) || !shared.iter().any(|own| own == *name) => {
                    *name = link
                }
                Some(_) => {}
                None => links.push((link, paths)),
            }
        }
        let paths = |paths: Vec<usize>| paths.into_iter().map(|path| &self.0[path]).collect();
        links.into_iter().map(|(name, of)| (name, paths(of))).collect()
    }

    /// Goal 1, improve throughput.
    pub fn throughput(&self) -> Goal {
        Goal::at_least(ratios(&self.all()))
    }

    /// Goal 2, do no harm: on each `shared` link beside the best single-path flow there; on every link if none is shared.
    pub fn no_harm(&self, shared: &[String]) -> Goal {
        let is_shared = |name: &str| shared.iter().any(|own| own == name);
        let mut links = self.links(shared);
        if links.iter().any(|(name, _)| is_shared(name)) {
            links.retain(|(name, _)| is_shared(name));
        }
        let links = links.into_iter();
        let worst = worst(links.map(|(name, paths)| Goal::at_most(ratios(&paths), Some(name))));
        worst.unwrap_or_else(|| Goal::at_most(None, None))
    }

    /// Goal 3, balance congestion: on each congested link that other paths avoid; `None` without such a link.
    pub fn balance(&self) -> Option<Goal> {
        let Some(best) = fastest(&self.all()) else { return Some(Goal::at_most(None, None)) };
        worst(self.links(&[]).into_iter().filter_map(|(name, paths)| {
            let is_here = |path: &PathRates| paths.iter().any(|here| std::ptr::eq(*here, path));
            let congested = || {
                let loss = fastest(&paths)?.loss?;
                Some(loss > 0.0 && loss >= CONGESTED * best.loss?)
            };
            let applies = if is_here(best) { Some(false) } else { congested() };
            match applies {
                Some(false) => None,
                Some(true) => {
                    let others: Vec<&PathRates> = self.0.iter().filter(|path| !is_here(path)).collect();
                    Some(Goal::at_most(balance(&paths, &others), Some(name)))
                }
                None => Some(Goal::at_most(None, Some(name))),
            }
        }))
    }

    fn all(&self) -> Vec<&PathRates> {
        self.0.iter().collect()
    }
}

/// The path on which a single-path flow is fastest; `None` if a rate is missing.
fn fastest<'a>(paths: &[&'a PathRates]) -> Option<&'a PathRates> {
    let rate = |path: &PathRates| Some(estimated(path.single.iter().copied())?.mean);
    let rates = paths.iter().map(|path| Some((rate(path)?, *path))).collect::<Option<Vec<_>>>()?;
    rates.into_iter().max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, path)| path)
}

fn sum(paths: &[&PathRates], of: fn(&PathRates) -> &Vec<Option<f64>>, seed: usize) -> Option<f64> {
    paths.iter().map(|path| *of(path).get(seed)?).sum()
}

/// The connection's rate on these paths ÷ the best single-path flow's.
fn ratios(paths: &[&PathRates]) -> Option<Estimate> {
    let single = &fastest(paths)?.single;
    let ratio =
        |(seed, single): (usize, &Option<f64>)| quotient(sum(paths, |path| &path.ours, seed)?, (*single)?);
    estimated(single.iter().enumerate().map(ratio))
}

/// That ratio ÷ the connection's rate on the other paths, as a fraction of the rates of single-path flows there.
fn balance(paths: &[&PathRates], others: &[&PathRates]) -> Option<Estimate> {
    let single = &fastest(paths)?.single;
    let ratio = |seed: usize| {
        let here = quotient(sum(paths, |path| &path.ours, seed)?, single[seed]?)?;
        let there = sum(others, |path| &path.ours, seed)?;
        quotient(here, quotient(there, sum(others, |path| &path.single, seed)?)?)
    };
    estimated((0..single.len()).map(ratio))
}

/// Of the links: a missed one before an undecided one before a met one, and then the largest mean. A missing ratio is the largest.
fn worst(links: impl Iterator<Item = Goal>) -> Option<Goal> {
    let mean = |goal: &Goal| goal.ratio.as_ref().map_or(f64::INFINITY, |ratio| ratio.mean);
    links.max_by(|a, b| a.met.cmp(&b.met).then(mean(a).total_cmp(&mean(b))))
}

fn quotient(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then(|| a / b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two seeds alike.
    fn path(links: &[&str], ours: f64, single: f64, loss: f64) -> PathRates {
        let links = links.iter().map(|link| (*link).to_owned()).collect();
        PathRates { links, ours: vec![Some(ours); 2], single: vec![Some(single); 2], loss: Some(loss) }
    }

    fn mean(goal: &Goal) -> f64 {
        goal.ratio.as_ref().unwrap().mean
    }

    /// Of links a, b and c a single-path flow has 2, 5 and 4, and the connection 1, 4 and 6.
    #[test]
    fn ratios_by_hand_in_any_order_of_paths() {
        let by_hand = [("a", 1.0, 2.0, 4e-3), ("b", 4.0, 5.0, 2e-3), ("c", 6.0, 4.0, 3e-3)];
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let paths = order.map(|i| by_hand[i]);
            let rates =
                Rates(paths.map(|(link, ours, single, loss)| path(&[link], ours, single, loss)).into());
            let near = |goal: &Goal, ratio: f64| (mean(goal) - ratio).abs() < 1e-12;
            // 11 of the best's 5.
            let goal = rates.throughput();
            assert!(near(&goal, 11.0 / 5.0) && goal.met == Met::Met, "{goal:?}");
            // 6 of 4 on c is the most.
            let goal = rates.no_harm(&[]);
            assert!(near(&goal, 1.5) && goal.met == Met::Missed, "{goal:?}");
            assert_eq!(goal.link.as_deref(), Some("c"));
            // With others on b alone: 4 of 5 there.
            let goal = rates.no_harm(&["b".to_owned()]);
            assert!(near(&goal, 0.8) && goal.link.as_deref() == Some("b"), "{goal:?}");
            // Only a has twice the loss of b, the best: (1 ÷ 2) ÷ (10 ÷ 9).
            let goal = rates.balance().unwrap();
            assert!(near(&goal, 0.45) && goal.met == Met::Met, "{goal:?}");
            assert_eq!(goal.link.as_deref(), Some("a"));
        }
    }

    /// Two paths over one bottleneck: their sum counts there, and no other link is left to balance with.
    #[test]
    fn a_shared_link_is_judged_once() {
        let paths = [("x", 3.0), ("y", 4.0)].map(|(link, ours)| path(&[link, "shared"], ours, 5.0, 0.1));
        let rates = Rates(paths.into());
        let goal = rates.no_harm(&[]);
        assert_eq!((goal.link.as_deref(), mean(&goal), goal.met), (Some("shared"), 1.4, Met::Missed));
        // Of two links with the same path the one with others names both.
        let rates = Rates(vec![path(&["a", "b"], 3.0, 5.0, 0.1)]);
        assert_eq!(rates.no_harm(&["a".to_owned()]).link.as_deref(), Some("a"));
    }

    /// A verdict counts before a larger mean.
    #[test]
    fn each_link_is_judged() {
        let table = [
            ([(1.25, 0.02), (1.30, 0.40)], "a", Met::Missed),
            ([(1.00, 0.40), (1.05, 0.02)], "a", Met::Undetermined),
            ([(1.25, 0.02), (1.30, 0.02)], "b", Met::Missed),
            ([(1.02, 0.02), (1.01, 0.02)], "a", Met::Met),
        ];
        for (ratios, link, met) in table {
            let goal = |(link, (mean, half)): (&str, (f64, f64))| {
                let ratio = Estimate { mean, half_width: Some(half), values: vec![mean; 5] };
                Goal::at_most(Some(ratio), Some(link))
            };
            let found = worst(["a", "b"].into_iter().zip(ratios).map(goal)).unwrap();
            assert_eq!((found.link.as_deref(), found.met), (Some(link), met), "{ratios:?}");
        }
    }

    /// Of one link the single-path flow has no rate in a seed, or the rate 0: that link is undecided, and not met.
    #[test]
    fn a_missing_rate_decides_nothing() {
        for lacking in [None, Some(0.0)] {
            let b = PathRates { single: vec![Some(1.0), lacking], ..path(&["b"], 1.0, 1.0, 1e-3) };
            let rates = Rates(vec![path(&["a"], 4.0, 4.0, 1e-3), b]);
            let goal = rates.no_harm(&[]);
            assert_eq!((goal.link.as_deref(), goal.met, &goal.ratio), (Some("b"), Met::Undetermined, &None));
            // Without a rate the best single-path flow is unknown; one with 0 is not the best.
            let goal1 = if lacking.is_none() { Met::Undetermined } else { Met::Met };
            assert_eq!(rates.throughput().met, goal1);
            let goal3 = lacking.is_none().then_some(Met::Undetermined);
            assert_eq!(rates.balance().map(|goal| goal.met), goal3);
        }
    }

    #[test]
    fn verdicts_need_a_whole_interval() {
        let ratio = |values: &[f64]| Some(estimate(values.to_vec()).unwrap());
        let at_most = |values: &[f64]| Goal::at_most(ratio(values), Some("a")).met;
        assert_eq!(at_most(&[1.05, 1.052]), Met::Met);
        assert_eq!(at_most(&[1.5]), Met::Undetermined, "one seed has no interval");
        // Mean 1.5, and t(1; 0.975) = 12.7 × 0.1; mean 1.0 and 12.7 × 0.05.
        assert_eq!(at_most(&[1.4, 1.6]), Met::Undetermined);
        assert_eq!(at_most(&[0.95, 1.05]), Met::Undetermined);
        assert_eq!(at_most(&[1.49, 1.5, 1.5, 1.51]), Met::Missed);
        assert_eq!(Goal::at_least(ratio(&[0.5, 0.5])).met, Met::Missed);
        assert_eq!(Goal::at_least(ratio(&[0.92, 0.921])).met, Met::Met);
    }

    /// 1.19 ± 0.17 of 5 seeds: a standard deviation of 0.17 · √5 ÷ 2.776 = 0.137. 0.09 from the margin, 12 seeds give
    /// 2.201 · 0.137 ÷ √12 = 0.087, and 11 give 2.228 · 0.137 ÷ √11 = 0.092.
    #[test]
    fn enough_seeds_by_hand() {
        assert_eq!(enough(0.17, 0.09, 5), Some(12));
        assert_eq!(enough(0.17, 1e-6, 5), None);
        let spread = Some(Estimate { mean: 1.19, half_width: Some(0.17), values: vec![1.19; 5] });
        assert_eq!(Goal::at_most(spread.clone(), Some("a")).seeds, Some(12));
        assert_eq!(Goal::at_least(spread).seeds, None);
    }
}
