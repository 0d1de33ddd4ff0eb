//! RFC 6356's goals, from a connection's rates and those of single-path flows in its place.

use anabranch_record::{Estimate, estimate, narrowing};
use serde::{Deserialize, Serialize};

/// How far a ratio may lie beyond 1 without missing the goal.
const MARGIN: f64 = 0.1;
/// No more seeds are proposed.
const MOST_SEEDS: usize = 1000;
/// Goal 3 applies on a link where the single-path flow loses this many times as much as on the best link.
const CONGESTED: f64 = 2.0;

/// Whether a goal is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Met {
    /// The whole interval is at most 10 % beyond 1.
    Met,
    /// The interval includes the margin of 10 %, or there is no interval.
    Undetermined,
    /// The whole interval is more than 10 % beyond 1.
    Missed,
}

/// A goal's ratio.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Goal {
    /// The ratio.
    pub ratio: Estimate,
    /// Whether it meets the goal.
    pub met: Met,
    /// The number of seeds that should decide it if it is undetermined, by the width of its interval; `None` if 1000 would not.
    pub seeds: Option<usize>,
    /// The link that the ratio is about, for goals 2 and 3.
    pub link: Option<String>,
}

impl Goal {
    pub(super) fn at_least(ratio: Estimate) -> Goal {
        Goal::judged(1.0 - ratio.mean, ratio, None)
    }

    pub(super) fn at_most(ratio: Estimate, link: &str) -> Goal {
        Goal::judged(ratio.mean - 1.0, ratio, Some(link.to_owned()))
    }

    /// `beyond` is the mean's distance to 1 on the wrong side.
    fn judged(beyond: f64, ratio: Estimate, link: Option<String>) -> Goal {
        let from_margin = beyond - MARGIN;
        let (met, seeds) = match half_width(&ratio) {
            Some(half) if from_margin > half => (Met::Missed, None),
            Some(half) if from_margin <= -half => (Met::Met, None),
            Some(half) => (Met::Undetermined, enough(half, from_margin.abs(), ratio.values.len())),
            None => (Met::Undetermined, None),
        };
        Goal { ratio, met, seeds, link }
    }
}

/// The number of seeds that narrows an interval of `seeds` to half a width below `target`.
fn enough(half: f64, target: f64, seeds: usize) -> Option<usize> {
    (seeds + 1..=MOST_SEEDS).find(|more| half * narrowing(seeds, *more) < target)
}

/// Half the interval's width: 0 if several seeds gave the same value, `None` for a single seed.
pub(super) fn half_width(estimate: &Estimate) -> Option<f64> {
    estimate.half_width.or((estimate.values.len() > 1).then_some(0.0))
}

/// The mean of the seeds with its interval; `None` if a seed lacks the value.
pub(super) fn estimated(values: impl Iterator<Item = Option<f64>>) -> Option<Estimate> {
    estimate(values.collect::<Option<Vec<f64>>>()?).ok()
}

/// A subflow of a run.
#[derive(Clone, Debug)]
pub(super) struct Subflow {
    pub links: Vec<String>,
    pub rate: Option<f64>,
    pub loss: Option<f64>,
}

/// The rates of each path: the connection's, and those of a single-path flow there instead.
pub(super) struct Rates(Vec<PathRates>);

struct PathRates {
    links: Vec<String>,
    /// Of each seed.
    ours: Vec<Option<f64>>,
    single: Vec<Option<f64>>,
    /// The mean loss rate of the single-path flow, and its mean rate.
    loss: f64,
    rate: f64,
}

impl Rates {
    /// `ours` has a run per seed; `single` has runs per path.
    pub fn of(ours: Vec<Vec<Subflow>>, single: Vec<Vec<Vec<Subflow>>>) -> Rates {
        let path = |(path, single): (usize, &Vec<Vec<Subflow>>)| {
            let mean = |of: fn(&Subflow) -> Option<f64>| {
                estimated(single.iter().map(|run| of(run.first()?))).map_or(0.0, |value| value.mean)
            };
            PathRates {
                links: ours
                    .first()
                    .and_then(|run| run.get(path))
                    .map_or(vec![], |subflow| subflow.links.clone()),
                ours: ours.iter().map(|run| run.get(path)?.rate).collect(),
                single: single.iter().map(|run| run.first()?.rate).collect(),
                loss: mean(|subflow| subflow.loss),
                rate: mean(|subflow| subflow.rate),
            }
        };
        Rates(single.iter().enumerate().map(path).collect())
    }

    /// Each link with its paths; links with the same paths appear once, by the last of them.
    fn links(&self) -> Vec<(&str, Vec<&PathRates>)> {
        let crossing = |link: &String| -> Vec<usize> {
            (0..self.0.len()).filter(|path| self.0[*path].links.contains(link)).collect()
        };
        let mut links: Vec<(&str, Vec<usize>)> = Vec::new();
        for link in self.0.iter().flat_map(|path| &path.links) {
            let paths = crossing(link);
            match links.iter_mut().find(|(_, known)| *known == paths) {
                Some((name, _)) => *name = link,
                None => links.push((link, paths)),
            }
        }
        let paths = |paths: Vec<usize>| paths.into_iter().map(|path| &self.0[path]).collect();
        links.into_iter().map(|(name, of)| (name, paths(of))).collect()
    }

    /// Goal 1, improve throughput.
    pub fn throughput(&self) -> Option<Goal> {
        let all: Vec<&PathRates> = self.0.iter().collect();
        Some(Goal::at_least(ratios(&all, &fastest(&all)?.single)?))
    }

    /// Goal 2, do no harm: on each link beside the best single-path flow there.
    pub fn no_harm(&self) -> Option<Goal> {
        let links = self.links().into_iter();
        largest(links.filter_map(|(name, paths)| Some((ratios(&paths, &fastest(&paths)?.single)?, name))))
    }

    /// Goal 3, balance congestion: on each congested link that other paths avoid.
    pub fn balance(&self) -> Option<Goal> {
        let best = fastest(&self.0.iter().collect::<Vec<_>>())?;
        let congested = |paths: &[&PathRates]| {
            let loss = fastest(paths).map_or(0.0, |path| path.loss);
            loss > 0.0 && loss >= CONGESTED * best.loss && !paths.iter().any(|path| std::ptr::eq(*path, best))
        };
        let links = self.links().into_iter().filter(|(_, paths)| congested(paths));
        largest(links.filter_map(|(name, paths)| {
            let is_here = |path: &&PathRates| paths.iter().any(|here| std::ptr::eq(*here, *path));
            let others: Vec<&PathRates> = self.0.iter().filter(|path| !is_here(path)).collect();
            let single = &fastest(&paths)?.single;
            let ratio = |seed: usize| {
                let here = quotient(sum(&paths, |path| &path.ours, seed)?, single[seed]?)?;
                let there = sum(&others, |path| &path.ours, seed)?;
                quotient(here, quotient(there, sum(&others, |path| &path.single, seed)?)?)
            };
            Some((estimated((0..single.len()).map(ratio))?, name))
        }))
    }
}

/// The path on which a single-path flow is fastest.
fn fastest<'a>(paths: &[&'a PathRates]) -> Option<&'a PathRates> {
    paths.iter().copied().max_by(|a, b| a.rate.total_cmp(&b.rate))
}

fn sum(paths: &[&PathRates], of: fn(&PathRates) -> &Vec<Option<f64>>, seed: usize) -> Option<f64> {
    paths.iter().map(|path| *of(path).get(seed)?).sum()
}

/// The connection's rate on these paths ÷ the single-path flow's.
fn ratios(paths: &[&PathRates], single: &[Option<f64>]) -> Option<Estimate> {
    let ratio =
        |(seed, single): (usize, &Option<f64>)| quotient(sum(paths, |path| &path.ours, seed)?, (*single)?);
    estimated(single.iter().enumerate().map(ratio))
}

/// The ratio with the largest mean, which must be at most 1.
fn largest<'a>(each: impl Iterator<Item = (Estimate, &'a str)>) -> Option<Goal> {
    let (ratio, link) = each.max_by(|(a, _), (b, _)| a.mean.total_cmp(&b.mean))?;
    Some(Goal::at_most(ratio, link))
}

fn quotient(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then(|| a / b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subflow(links: &[&str], rate: f64, loss: f64) -> Subflow {
        let links = links.iter().map(|link| (*link).to_owned()).collect();
        Subflow { links, rate: Some(rate), loss: Some(loss) }
    }

    /// Two seeds alike: of links a, b and c a single-path flow has 2, 5 and 4, and the connection 1, 4 and 6.
    fn by_hand(order: [usize; 3]) -> Rates {
        let paths = [("a", 1.0, 2.0, 4e-3), ("b", 4.0, 5.0, 2e-3), ("c", 6.0, 4.0, 3e-3)];
        let paths = order.map(|i| paths[i]);
        let ours =
            paths.iter().map(|(link, ours, _, loss)| subflow(&[link], *ours, *loss)).collect::<Vec<_>>();
        let single =
            paths.iter().map(|(link, _, single, loss)| vec![vec![subflow(&[link], *single, *loss)]; 2]);
        Rates::of(vec![ours; 2], single.collect())
    }

    #[test]
    fn ratios_by_hand_in_any_order_of_paths() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let rates = by_hand(order);
            let near = |goal: &Goal, ratio: f64| (goal.ratio.mean - ratio).abs() < 1e-12;
            // 11 of the best's 5.
            let goal = rates.throughput().unwrap();
            assert!(near(&goal, 11.0 / 5.0) && goal.met == Met::Met, "{goal:?}");
            // 6 of 4 on c is the most.
            let goal = rates.no_harm().unwrap();
            assert!(near(&goal, 1.5) && goal.met == Met::Missed, "{goal:?}");
            assert_eq!(goal.link.as_deref(), Some("c"));
            // Only a has twice the loss of b, the best: (1 ÷ 2) ÷ (10 ÷ 9).
            let goal = rates.balance().unwrap();
            assert!(near(&goal, 0.45) && goal.met == Met::Met, "{goal:?}");
            assert_eq!(goal.link.as_deref(), Some("a"));
        }
    }

    /// Two paths over one bottleneck: their sum counts there, and no other link is left to balance with.
    #[test]
    fn a_shared_link_is_judged_once() {
        let ours = vec![vec![subflow(&["x", "shared"], 3.0, 0.1), subflow(&["y", "shared"], 4.0, 0.1)]; 2];
        let single =
            [("x", 5.0), ("y", 5.0)].map(|(link, rate)| vec![vec![subflow(&[link, "shared"], rate, 0.1)]; 2]);
        let rates = Rates::of(ours, single.to_vec());
        let goal = rates.no_harm().unwrap();
        assert_eq!((goal.link.as_deref(), goal.ratio.mean, goal.met), (Some("shared"), 1.4, Met::Missed));
    }

    #[test]
    fn verdicts_need_a_whole_interval() {
        let ratio = |values: &[f64]| estimate(values.to_vec()).unwrap();
        let at_most = |values: &[f64]| Goal::at_most(ratio(values), "a").met;
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
        let spread = Estimate { mean: 1.19, half_width: Some(0.17), values: vec![1.19; 5] };
        assert_eq!(Goal::at_most(spread.clone(), "a").seeds, Some(12));
        assert_eq!(Goal::at_least(spread).seeds, None);
    }
}
