//! The rule of the recommendation.

use super::goals::half_width;
use anabranch_record::Estimate;
use serde::{Deserialize, Serialize};

/// The rule, in words.
pub const RULE: &str = "\
A goal is missed if its whole 95 % interval lies more than 10 % beyond 1. The algorithms that miss the fewest goals over all \
buffers are compared by the connection's goodput, or by its mean completion time if it has transfers or responses. The best \
mean is recommended; where intervals overlap with that of the best, there is no difference beyond chance.";

/// An algorithm over all buffers.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub cc: String,
    /// The number of missed goals.
    pub missed: usize,
    /// Goodput, or completion time.
    pub value: Option<Estimate>,
    pub less_is_better: bool,
}

/// What the rule recommends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The recommended algorithm; several if they do not differ beyond chance; none without intervals.
    pub best: Vec<String>,
    /// Whether every algorithm misses a goal.
    pub every_misses: bool,
    /// The recommendation as a sentence.
    pub text: String,
}

/// Applies [`RULE`].
pub(super) fn recommend(all: &[Candidate]) -> Recommendation {
    let fewest = all.iter().map(|candidate| candidate.missed).min().unwrap_or(0);
    let every_misses = fewest > 0;
    let left: Vec<&Candidate> = all.iter().filter(|candidate| candidate.missed == fewest).collect();
    let (best, text) = match (&left[..], best(&left)) {
        ([only], _) if every_misses => (vec![only.cc.clone()], only.cc.clone()),
        ([only], _) if all.len() > 1 => {
            (vec![only.cc.clone()], format!("{}: only it misses no goal", only.cc))
        }
        (_, None) => {
            (vec![], "no recommendation: a single seed has no interval, and a value may be missing".into())
        }
        (_, Some(best)) => match &best[..] {
            [one] if every_misses => (vec![one.clone()], one.clone()),
            [one] => {
                (vec![one.clone()], format!("{one}: it misses no goal, and has the best {}", measure(&left)))
            }
            several => {
                let text = format!(
                    "no difference beyond chance in {} between {}",
                    measure(&left),
                    several.join(", ")
                );
                (best.clone(), text)
            }
        },
    };
    let text = match (every_misses, best.len()) {
        (false, _) => sentence(&text),
        (true, 1) => {
            format!("Every algorithm misses a goal. Of those that miss the fewest, the best: {text}.")
        }
        (true, _) => format!("Every algorithm misses a goal. Of those that miss the fewest: {text}."),
    };
    Recommendation { best, every_misses, text }
}

fn sentence(text: &str) -> String {
    // The name of an algorithm keeps its small letter.
    match text.strip_prefix("no ") {
        Some(rest) => format!("No {rest}."),
        None => format!("{text}."),
    }
}

fn measure(left: &[&Candidate]) -> &'static str {
    if left.iter().any(|candidate| candidate.less_is_better) { "completion time" } else { "goodput" }
}

/// The candidate with the best mean, and those whose intervals overlap with its own; `None` if an interval is missing.
fn best(left: &[&Candidate]) -> Option<Vec<String>> {
    let interval = |candidate: &&Candidate| {
        let value = candidate.value.as_ref()?;
        // As if more were better.
        let mean = if candidate.less_is_better { -value.mean } else { value.mean };
        Some((mean, half_width(value)?))
    };
    let intervals = left.iter().map(interval).collect::<Option<Vec<(f64, f64)>>>()?;
    let (best, half) = intervals.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let mut alike: Vec<(f64, String)> = left
        .iter()
        .zip(&intervals)
        .filter(|(_, (mean, other))| mean + other >= best - half)
        .map(|(candidate, (mean, _))| (*mean, candidate.cc.clone()))
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(alike.into_iter().map(|(_, cc)| cc).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(cc: &str, missed: usize, mean: f64, half_width: Option<f64>) -> Candidate {
        let value = Some(Estimate { mean, half_width, values: vec![mean; 5] });
        Candidate { cc: cc.into(), missed, value, less_is_better: false }
    }

    fn said(all: &[Candidate]) -> String {
        recommend(all).text
    }

    #[test]
    fn the_best_that_misses_no_goal() {
        let all = [
            candidate("lia", 0, 50.0, Some(2.0)),
            candidate("olia", 0, 60.0, Some(2.0)),
            candidate("uncoupled", 1, 90.0, Some(2.0)),
        ];
        assert_eq!(said(&all), "olia: it misses no goal, and has the best goodput.");
        assert_eq!(recommend(&all).best, ["olia"]);
    }

    /// 60 − 3 and 55 + 2 touch.
    #[test]
    fn no_difference_beyond_chance() {
        let all = [
            candidate("lia", 0, 55.0, Some(2.0)),
            candidate("olia", 0, 60.0, Some(3.0)),
            candidate("balia", 0, 50.0, Some(2.0)),
        ];
        assert_eq!(said(&all), "No difference beyond chance in goodput between olia, lia.");
        assert!(!recommend(&all).every_misses);
    }

    #[test]
    fn only_one_misses_no_goal() {
        let all = [candidate("lia", 0, 50.0, Some(2.0)), candidate("uncoupled", 2, 90.0, Some(2.0))];
        assert_eq!(said(&all), "lia: only it misses no goal.");
    }

    #[test]
    fn every_algorithm_misses_a_goal() {
        let all = [
            candidate("lia", 1, 50.0, Some(2.0)),
            candidate("olia", 1, 60.0, Some(2.0)),
            candidate("uncoupled", 2, 90.0, Some(2.0)),
        ];
        let best = "Every algorithm misses a goal. Of those that miss the fewest, the best: olia.";
        assert_eq!(said(&all), best);
        assert!(recommend(&all).every_misses);
        let alike = [candidate("lia", 1, 59.0, Some(2.0)), candidate("olia", 1, 60.0, Some(2.0))];
        let text = "Every algorithm misses a goal. Of those that miss the fewest: no difference beyond chance in goodput between olia, lia.";
        assert_eq!(said(&alike), text);
    }

    /// The shorter time is the better one.
    #[test]
    fn completion_times_count_if_there_are_some() {
        let all = [candidate("lia", 0, 0.2, Some(0.01)), candidate("olia", 0, 0.3, Some(0.01))];
        let all = all.map(|candidate| Candidate { less_is_better: true, ..candidate });
        assert_eq!(said(&all), "lia: it misses no goal, and has the best completion time.");
    }

    #[test]
    fn one_seed_recommends_nothing() {
        let one = |cc: &str, mean: f64| {
            let value = Some(Estimate { mean, half_width: None, values: vec![mean] });
            Candidate { cc: cc.into(), missed: 0, value, less_is_better: false }
        };
        let found = recommend(&[one("lia", 1.0), one("olia", 2.0)]);
        assert_eq!(
            found.text,
            "No recommendation: a single seed has no interval, and a value may be missing."
        );
        assert!(found.best.is_empty());
    }

    /// Equal values of all seeds are an interval of zero width.
    #[test]
    fn equal_seeds_are_exact() {
        let all = [candidate("lia", 0, 50.0, None), candidate("olia", 0, 51.0, None)];
        assert_eq!(recommend(&all).best, ["olia"]);
    }
}
