//! The rules by which a value is judged. Each row states its rule before anything runs.

use crate::stats::Estimate;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The outcome of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Within the band, or the claim holds.
    Reproduced,
    /// Within the wider band, or the means are in order but intervals overlap.
    Partly,
    /// Outside.
    NotReproduced,
    /// Some interpretations of the paper's text refute it, and others do not.
    Undetermined,
    /// Without a published value to compare with.
    #[default]
    NotJudged,
    /// Not measured: a simulation failed, or its seeds gave identical runs. `explanation` has the reason; the command exits with
    /// an error.
    Failed,
    /// From the quick size, whose runs are too short and too few for a verdict: see [`StudyResult::shown`](crate::StudyResult::shown).
    Provisional,
}

/// The rule by which a row is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The default: reproduced within 10 % of this published value, partly within 25 %.
    Published(f64),
    /// A formula's value equals a printed one, up to rounding.
    Printed(f64),
    /// A claim that something equals `target`, which no table prints: bands as by default.
    Near(f64),
    /// A lower bound: reproduced if the whole interval meets it, partly if only the mean does.
    AtLeast(f64),
    /// An upper bound: reproduced if the whole interval meets it, partly if only the mean does.
    AtMost(f64),
    /// A published range: reproduced inside, partly within 10 % of the nearest end.
    Within(f64, f64),
    /// A claim that several means ascend.
    Ascending,
    /// A claim that the last of several means exceeds each other.
    Highest,
    /// Not judged.
    NotJudged,
}

/// Deviation, relative to the published value, up to which a value reproduces.
pub(crate) const REPRODUCED: f64 = 0.10;
/// Deviation up to which it does so partly.
const PARTLY: f64 = 0.25;
/// What rounding adds to a deviation: 1.1 is 10 % from 1.
const ROUNDING: f64 = 1e-12;
/// The tolerance for rounding of printed values and constants: one unit, or a thousandth.
const PRINTED: (f64, f64) = (1.0, 1e-3);

impl Rule {
    /// The verdict on a measured value; without an interval at most partly. [`Rule::Ascending`] and [`Rule::Highest`] judge
    /// several values: see [`Rule::judge_all`].
    pub fn judge(self, ours: &Estimate) -> Verdict {
        match (self.band(ours.mean, interval(ours)), ours.half_width) {
            (Verdict::Reproduced, None) => Verdict::Partly,
            (verdict, _) => verdict,
        }
    }

    /// Other verdicts that the interval reaches, from best to worst. For bounds and orders, partly already means this.
    pub(crate) fn crosses(self, ours: &Estimate) -> Vec<Verdict> {
        let (Some(half), verdict) = (ours.half_width, self.judge(ours)) else { return vec![] };
        let (low, high) = (ours.mean - half, ours.mean + half);
        let within = match self {
            Rule::AtLeast(_) | Rule::AtMost(_) if verdict == Verdict::NotReproduced => {
                let reached = self.judge_formula(low).min(self.judge_formula(high));
                return [Verdict::Partly].into_iter().filter(|_| reached == Verdict::Reproduced).collect();
            }
            Rule::Published(target) | Rule::Near(target) => target.clamp(low, high),
            Rule::Within(from, _) => from.clamp(low, high),
            _ => return vec![],
        };
        let at = [low, within, high].map(|value| self.judge_formula(value));
        let reached =
            |verdict: &Verdict| at.iter().min() <= Some(verdict) && Some(verdict) <= at.iter().max();
        let bands = [Verdict::Reproduced, Verdict::Partly, Verdict::NotReproduced].into_iter();
        bands.filter(|band| reached(band) && *band != verdict).collect()
    }

    /// Other verdicts on an order of means that the intervals reach.
    pub(crate) fn crosses_all<'a>(self, values: impl IntoIterator<Item = &'a Estimate>) -> Vec<Verdict> {
        let values: Vec<&Estimate> = values.into_iter().collect();
        let bounded = values.iter().all(|value| value.half_width.is_some());
        let might = self.pairs(&values).iter().all(|(low, high)| interval(low).0 < interval(high).1);
        let refuted = self.judge_all(values) == Verdict::NotReproduced;
        [Verdict::Partly].into_iter().filter(|_| bounded && might && refuted).collect()
    }

    /// The pairs that an order compares, low before high.
    fn pairs<'a>(self, values: &[&'a Estimate]) -> Vec<(&'a Estimate, &'a Estimate)> {
        match (self, values.split_last()) {
            (Rule::Ascending, _) => values.windows(2).map(|w| (w[0], w[1])).collect(),
            (Rule::Highest, Some((last, others))) => others.iter().map(|other| (*other, *last)).collect(),
            _ => vec![],
        }
    }

    /// The verdict on several means, each against its neighbour or the last; at most partly if one has no interval.
    pub fn judge_all<'a>(self, values: impl IntoIterator<Item = &'a Estimate>) -> Verdict {
        let values: Vec<&Estimate> = values.into_iter().collect();
        let pairs = self.pairs(&values);
        if pairs.is_empty() {
            return Verdict::NotJudged;
        }
        let disjoint = pairs.iter().all(|(low, high)| interval(low).1 < interval(high).0);
        graded(disjoint, pairs.iter().all(|(low, high)| low.mean < high.mean))
    }

    /// Whether it is true or false of a value, which is partly only for the width of an interval.
    pub(crate) fn is_bound_or_order(self) -> bool {
        matches!(self, Rule::AtLeast(_) | Rule::AtMost(_) | Rule::Ascending | Rule::Highest)
    }

    /// The verdict on a formula's value.
    pub fn judge_formula(self, value: f64) -> Verdict {
        self.band(value, (value, value))
    }

    fn band(self, mean: f64, (low, high): (f64, f64)) -> Verdict {
        let rounding = |end: f64| ROUNDING * end.abs();
        match self {
            Rule::Published(target) | Rule::Near(target) => {
                let within = |part: f64| (mean - target).abs() <= (part + ROUNDING) * target.abs();
                graded(within(REPRODUCED), within(PARTLY))
            }
            Rule::Printed(target) => {
                let deviation = (mean - target).abs();
                let (unit, relative) = PRINTED;
                // The unit counts only for values printed without decimals.
                let unit = if target.fract() == 0.0 { unit } else { 0.0 };
                let fits = deviation <= unit.max(relative * target.abs());
                graded(fits, false)
            }
            Rule::AtLeast(bound) => {
                let least = bound - rounding(bound);
                graded(low >= least, mean >= least)
            }
            Rule::AtMost(bound) => {
                let most = bound + rounding(bound);
                graded(high <= most, mean <= most)
            }
            Rule::Within(from, to) => {
                let margin = |end: f64| (REPRODUCED + ROUNDING) * end.abs();
                let partly = from - margin(from)..=to + margin(to);
                let whole = from - rounding(from)..=to + rounding(to);
                graded(whole.contains(&mean), partly.contains(&mean))
            }
            Rule::Ascending | Rule::Highest | Rule::NotJudged => Verdict::NotJudged,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let interval = |side: &str, bound: f64| {
            format!(
                "reproduced if the 95 % interval is at or {side} {bound}, partly if only the mean is, else not"
            )
        };
        let order = |what: &str| {
            format!(
                "reproduced if {what} with disjoint 95 % intervals, partly if only the means are, else not"
            )
        };
        let band = |of: &str| format!("reproduced within 10 % of {of}, partly within 25 %, else not");
        f.write_str(&match *self {
            Rule::Published(_) => band("the published value"),
            Rule::Printed(_) => {
                "reproduced if the formula equals the printed value to one unit or 0.1 % (rounding), else not"
                    .to_owned()
            }
            Rule::Near(x) => band(&x.to_string()),
            Rule::AtLeast(x) => interval("above", x),
            Rule::AtMost(x) => interval("below", x),
            Rule::Within(from, to) => {
                format!("reproduced from {from} to {to}, partly within 10 % of the nearest end, else not")
            }
            Rule::Ascending => order("in this order"),
            Rule::Highest => order("the last is above each other"),
            Rule::NotJudged => "not judged: there is no published value to compare with".to_owned(),
        })
    }
}

/// The verdict over all interpretations of a text: undetermined if only some refute it, else the chosen one's.
pub(crate) fn judge_interpretations(chosen: Verdict, others: &[Verdict]) -> Verdict {
    let refutes = |verdict: Verdict| verdict == Verdict::NotReproduced;
    match chosen {
        _ if others.contains(&Verdict::Failed) => Verdict::Failed,
        Verdict::Failed | Verdict::NotJudged => chosen,
        _ if others.iter().any(|other| refutes(*other) != refutes(chosen)) => Verdict::Undetermined,
        _ => chosen,
    }
}

/// A value without an interval may be anywhere.
fn interval(e: &Estimate) -> (f64, f64) {
    let half = e.half_width.unwrap_or(f64::INFINITY);
    (e.mean - half, e.mean + half)
}

fn graded(reproduced: bool, partly: bool) -> Verdict {
    match (reproduced, partly) {
        (true, _) => Verdict::Reproduced,
        (false, true) => Verdict::Partly,
        (false, false) => Verdict::NotReproduced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{NotReproduced, Partly, Reproduced};

    fn value(mean: f64, half_width: f64) -> Estimate {
        Estimate { mean, half_width: Some(half_width), values: vec![mean - half_width, mean + half_width] }
    }

    /// A bound needs the whole interval.
    #[test]
    fn bands_and_bounds() {
        for (rule, half_width, reproduced, partly, not) in [
            (Rule::Published(100.0), 50.0, &[100.0, 109.9, 90.1][..], &[110.1, 75.1][..], &[125.1, 74.9][..]),
            (Rule::Within(0.8, 0.9), 0.3, &[0.8, 0.9], &[0.73, 0.98], &[0.71, 1.0]),
            (Rule::AtLeast(1.0), 0.1, &[1.2], &[1.05], &[0.99]),
            (Rule::AtMost(1.0), 0.1, &[0.8], &[0.95], &[]),
        ] {
            for (means, verdict) in [(reproduced, Reproduced), (partly, Partly), (not, NotReproduced)] {
                for mean in means {
                    assert_eq!(rule.judge(&value(*mean, half_width)), verdict, "{rule:?}: {mean}");
                }
            }
        }
    }

    /// By hand: the ends of a band belong to it, 10 % of −5 is 0.5, and only 0 is within 10 % of 0.
    #[test]
    fn ends_of_bands_negative_values_and_zero() {
        for (rule, value, verdict) in [
            (Rule::Near(1.0), 1.1, Reproduced),
            (Rule::Published(0.3), 0.33, Reproduced),
            (Rule::Published(7.0), 6.3, Reproduced),
            (Rule::Near(-1.0), -1.25, Partly),
            (Rule::Within(0.0, 0.3), 0.1 + 0.2, Reproduced),
            (Rule::AtMost(0.3), 0.1 + 0.2, Reproduced),
            (Rule::AtLeast(0.3), 0.7 - 0.4, Reproduced),
            (Rule::Within(-10.0, -5.0), -4.5, Partly),
            (Rule::Within(-10.0, -5.0), -11.0, Partly),
            (Rule::Within(-10.0, -5.0), -4.4, NotReproduced),
            (Rule::Within(-10.0, -5.0), -11.1, NotReproduced),
            (Rule::Published(0.0), 0.0, Reproduced),
            (Rule::Published(0.0), 1e-9, NotReproduced),
            // Printed values are rounded.
            (Rule::Printed(12.0), 12.2, Reproduced),
            (Rule::Printed(333250.0), 333247.0, Reproduced),
            (Rule::Printed(120.0), 122.5, NotReproduced),
            (Rule::Printed(0.4), 0.9, NotReproduced),
            (Rule::Published(2e-4), 2.06e-4, Reproduced),
        ] {
            assert_eq!(rule.judge_formula(value), verdict, "{rule:?}: {value}");
        }
    }

    #[test]
    fn without_an_interval_partly_at_most() {
        let single = |mean| Estimate { mean, half_width: None, values: vec![mean] };
        for rule in [Rule::Published(1.0), Rule::Near(1.0), Rule::AtLeast(1.0), Rule::AtMost(1.0)] {
            assert_eq!(rule.judge(&single(1.0)), Partly, "{rule:?}");
        }
        assert_eq!(Rule::Published(1.0).judge(&single(2.0)), NotReproduced);
        for rule in [Rule::Ascending, Rule::Highest] {
            assert_eq!(rule.judge_all(&[single(1.0), single(2.0)]), Partly);
            assert_eq!(rule.judge_all(&[value(1.0, 0.1), single(2.0)]), Partly);
            assert_eq!(rule.judge_all(&[single(2.0), single(1.0)]), NotReproduced);
        }
    }

    /// `Highest` does not order the others.
    #[test]
    fn orderings_need_disjoint_intervals() {
        for (rule, values, verdict) in [
            (Rule::Ascending, &[(1.0, 0.4), (2.0, 0.4), (3.0, 0.4)][..], Reproduced),
            (Rule::Ascending, &[(1.0, 0.6), (2.0, 0.6)], Partly),
            (Rule::Ascending, &[(2.0, 0.1), (1.0, 0.1)], NotReproduced),
            (Rule::Highest, &[(2.0, 0.3), (1.0, 0.3), (3.0, 0.4)], Reproduced),
            (Rule::Highest, &[(2.0, 0.6), (1.0, 0.3), (3.0, 0.6)], Partly),
            (Rule::Highest, &[(4.0, 0.1), (1.0, 0.1), (3.0, 0.1)], NotReproduced),
        ] {
            let means: Vec<Estimate> = values.iter().map(|(mean, half)| value(*mean, *half)).collect();
            assert_eq!(rule.judge_all(&means), verdict, "{rule:?}: {values:?}");
        }
    }

    /// By hand: with 25 ± 10 of 100 apart the deviation is 15 to 35 %, with 12 ± 5 it is 7 to 17 %; 105 ± 30 goes from −25 to +35 %.
    #[test]
    fn intervals_that_reach_another_band() {
        let of = |mean: f64, half: f64| Rule::Published(100.0).crosses(&value(mean, half));
        assert_eq!(of(105.0, 4.0), []);
        assert_eq!(of(105.0, 10.0), [Partly]);
        assert_eq!(of(112.0, 5.0), [Reproduced]);
        assert_eq!(of(125.0, 10.0), [NotReproduced]);
        assert_eq!(of(126.0, 10.0), [Partly]);
        assert_eq!(of(105.0, 30.0), [Partly, NotReproduced]);
        // An interval around all of the bands.
        assert_eq!(of(130.0, 60.0), [Reproduced, Partly]);
        assert_eq!(Rule::Within(0.8, 0.9).crosses(&value(0.95, 0.2)), [Reproduced, NotReproduced]);
        assert_eq!(Rule::AtLeast(1.0).crosses(&value(0.95, 0.1)), [Partly]);
        assert_eq!(Rule::AtLeast(1.0).crosses(&value(0.85, 0.1)), []);
        assert_eq!(Rule::AtMost(1.0).crosses(&value(1.05, 0.1)), [Partly]);
        assert_eq!(Rule::AtMost(1.0).crosses(&value(0.95, 0.1)), []);
        let single = Estimate { mean: 112.0, half_width: None, values: vec![112.0] };
        assert_eq!(Rule::Published(100.0).crosses(&single), []);
        let orders = |values: &[Estimate]| Rule::Ascending.crosses_all(values);
        assert_eq!(orders(&[value(2.0, 0.6), value(1.0, 0.6)]), [Partly]);
        assert_eq!(orders(&[value(2.0, 0.1), value(1.0, 0.1)]), []);
        assert_eq!(orders(&[value(1.0, 0.6), value(2.0, 0.6)]), []);
    }

    #[test]
    fn interpretations_that_disagree_determine_nothing() {
        use Verdict::{Failed, NotJudged, Undetermined};
        for (chosen, others, expected) in [
            (Reproduced, &[Reproduced, Partly][..], Reproduced),
            (Partly, &[Reproduced], Partly),
            (NotReproduced, &[NotReproduced], NotReproduced),
            (NotReproduced, &[NotReproduced, Partly], Undetermined),
            (Reproduced, &[Partly, NotReproduced], Undetermined),
            (NotReproduced, &[Reproduced, Failed], Failed),
            (NotJudged, &[NotJudged], NotJudged),
            (Partly, &[], Partly),
        ] {
            assert_eq!(judge_interpretations(chosen, others), expected, "{chosen:?} {others:?}");
        }
    }
}
