//! The origin of a difference between a published value and the simulator's, by what Linux gives in the same scenarios.

use crate::result::Row;
use crate::stats::Estimate;
use crate::verdict::{REPRODUCED, Rule, Verdict};
use serde::{Deserialize, Serialize};

/// The origin of a difference. The book has the rule: see "The origin of a difference".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Linux agrees with the paper and not with the simulator.
    Simulator,
    /// Linux agrees with the simulator and not with the paper: the paper's network, kernel or interpretation differs.
    Network,
    /// Linux agrees with neither.
    BothDiffer,
    /// An interval, the simulator's or the one of Linux, is too wide to separate the two.
    WithinChance,
    /// Linux has no value, or its kernel skipped calls of the algorithm's program, or a value has no interval.
    Undetermined,
}

impl Origin {
    /// All of them, in the order of tables.
    pub const ALL: [Origin; 5] =
        [Origin::Simulator, Origin::Network, Origin::BothDiffer, Origin::WithinChance, Origin::Undetermined];

    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            Origin::Simulator => "simulator",
            Origin::Network => "network",
            Origin::BothDiffer => "both differ",
            Origin::WithinChance => "within chance",
            Origin::Undetermined => "undetermined",
        }
    }

    /// The number of each in these rows, in the order of [`Origin::ALL`].
    pub fn counts(origins: impl Iterator<Item = Origin>) -> [usize; 5] {
        let mut counts = [0; 5];
        origins.for_each(|origin| counts[origin as usize] += 1);
        counts
    }

    /// By this rule's verdicts on a row's values in the simulator and on Linux; `None` if ours does not differ.
    pub(crate) fn of(rule: Rule, ours: &Row, linux: &Row) -> Option<Origin> {
        if !matches!(ours.verdict, Verdict::Partly | Verdict::NotReproduced) {
            return None;
        }
        let judged = matches!(linux.verdict, Verdict::Reproduced | Verdict::Partly | Verdict::NotReproduced);
        Some(match (may_reproduce(rule, linux), agree(rule, ours, linux)) {
            _ if !judged || !has_intervals(ours) || !has_intervals(linux) => Origin::Undetermined,
            _ if may_reproduce(rule, ours) => Origin::WithinChance,
            (true, true) => Origin::WithinChance,
            (true, false) => Origin::Simulator,
            (false, true) => Origin::Network,
            (false, false) => Origin::BothDiffer,
        })
    }
}

fn has_intervals(row: &Row) -> bool {
    row.values().next().is_some() && row.values().all(|value| value.half_width.is_some())
}

/// Whether it agrees with the paper: its values are reproduced, or would be somewhere in their intervals. For a bound or an order, partly
/// means the latter.
fn may_reproduce(rule: Rule, row: &Row) -> bool {
    let reaches = |verdict| row.verdict == verdict || row.crosses.contains(&verdict);
    reaches(Verdict::Reproduced) || rule.is_bound_or_order() && reaches(Verdict::Partly)
}

/// Whether the intervals overlap; or, with the same verdict, whether the values are within 10 %, or the rule is a bound or an order.
fn agree(rule: Rule, ours: &Row, linux: &Row) -> bool {
    let pairs = || ours.values().zip(linux.values());
    let half = |value: &Estimate| value.half_width.unwrap_or(0.0);
    let overlap = pairs().all(|(a, b)| (a.mean - b.mean).abs() <= half(a) + half(b));
    let near = || pairs().all(|(a, b)| (a.mean - b.mean).abs() <= REPRODUCED * b.mean.abs());
    overlap || ours.verdict == linux.verdict && (rule.is_bound_or_order() || near())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(mean: f64, half: f64) -> Estimate {
        Estimate { mean, half_width: (half > 0.0).then_some(half), values: vec![mean - half, mean + half] }
    }

    /// The origin of the difference between values that the rule judges.
    fn between(rule: Rule, ours: &[Estimate], linux: &[Estimate]) -> Option<Origin> {
        let [ours, linux] = [ours, linux].map(|values| {
            let (verdict, crosses) = match values {
                [one] => (rule.judge(one), rule.crosses(one)),
                several => (rule.judge_all(several), rule.crosses_all(several)),
            };
            let compared = values.iter().map(|value| (String::new(), value.clone())).collect();
            Row { compared, verdict, crosses, ..Row::default() }
        });
        Origin::of(rule, &ours, &linux)
    }

    /// Each case by hand, with a published 100: reproduced from 90 to 110, partly from 75 to 125; or with a bound, at least 1.
    #[test]
    fn of_published_values_and_bounds() {
        let (published, bound) = (Rule::Published(100.0), Rule::AtLeast(1.0));
        for (rule, ours, linux, origin) in [
            // Linux has the paper's value.
            (published, (130.0, 5.0), (100.0, 5.0), Some(Origin::Simulator)),
            (published, (115.0, 2.0), (108.0, 2.0), Some(Origin::Simulator)),
            (published, (115.0, 2.0), (112.0, 3.0), Some(Origin::WithinChance)),
            (bound, (0.5, 0.02), (1.2, 0.01), Some(Origin::Simulator)),
            (bound, (0.5, 0.02), (1.03, 0.05), Some(Origin::Simulator)),
            // Linux has ours, within the intervals or within 10 %.
            (published, (130.0, 5.0), (133.0, 4.0), Some(Origin::Network)),
            (published, (140.0, 1.0), (150.0, 1.0), Some(Origin::Network)),
            (published, (115.0, 0.3), (116.0, 0.5), Some(Origin::Network)),
            (bound, (0.5, 0.02), (0.7, 0.05), Some(Origin::Network)),
            // Linux has a third value, on either side.
            (published, (130.0, 5.0), (160.0, 5.0), Some(Origin::BothDiffer)),
            (published, (130.0, 5.0), (60.0, 5.0), Some(Origin::BothDiffer)),
            (published, (130.0, 2.0), (118.0, 2.0), Some(Origin::BothDiffer)),
            // Our interval, or the one of Linux, has the paper's band or the bound too.
            (published, (115.0, 6.0), (100.0, 1.0), Some(Origin::WithinChance)),
            (published, (130.0, 5.0), (120.0, 15.0), Some(Origin::WithinChance)),
            (bound, (0.5, 0.02), (0.98, 0.05), Some(Origin::WithinChance)),
            (bound, (0.98, 0.05), (1.2, 0.01), Some(Origin::WithinChance)),
            // A single run has no interval.
            (published, (130.0, 5.0), (100.0, 0.0), Some(Origin::Undetermined)),
            (published, (130.0, 0.0), (100.0, 5.0), Some(Origin::Undetermined)),
            (published, (100.0, 5.0), (130.0, 5.0), None),
            (bound, (1.2, 0.01), (0.5, 0.02), None),
        ] {
            let [ours, linux] = [ours, linux].map(|(mean, half)| [value(mean, half)]);
            assert_eq!(between(rule, &ours, &linux), origin, "{ours:?} {linux:?}");
        }
        assert_eq!(between(bound, &[value(0.5, 0.1)], &[]), Some(Origin::Undetermined));
    }

    /// A claimed order of two values: Linux confirms it, refutes it as we do, or leaves it open.
    #[test]
    fn of_claims() {
        for (ours, linux, origin) in [
            ([2.0, 1.0], [1.0, 2.0], Some(Origin::Simulator)),
            ([2.0, 1.0], [9.0, 4.0], Some(Origin::Network)),
            ([2.0, 1.0], [1.45, 1.5], Some(Origin::Simulator)),
            ([1.45, 1.5], [2.0, 1.0], Some(Origin::WithinChance)),
            // Refuted by the means, not by the intervals.
            ([2.0, 1.0], [1.5, 1.45], Some(Origin::WithinChance)),
            ([1.5, 1.45], [1.0, 2.0], Some(Origin::WithinChance)),
            ([1.0, 2.0], [2.0, 1.0], None),
        ] {
            let [ours, linux] = [ours, linux].map(|values| values.map(|mean| value(mean, 0.1)));
            assert_eq!(between(Rule::Ascending, &ours, &linux), origin, "{ours:?} {linux:?}");
        }
    }
}
