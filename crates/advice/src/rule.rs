//! The rule of the recommendation.

use super::goals::half_width;
use anabranch_record::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The rule, in words.
pub const RULE: &str = "\
A goal is met or missed if the whole 95 % interval of its ratio lies on one side of the margin, 10 % beyond 1; else it is \
undecided. The algorithms that surely miss no goal, over all buffers, are compared by the connection's goodput, or by its mean \
completion time if it has transfers or responses; one without this value is left out. The best mean is recommended; where \
intervals overlap with that of the best, there is no difference beyond chance. If an algorithm with undecided goals has a better \
mean, or no algorithm surely misses none, there is no recommendation yet. If every algorithm misses a goal, those that miss the \
fewest are compared: each goal counts once for each buffer, and undecided goals count as missed.";

/// An algorithm over all buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    pub cc: String,
    /// The number of missed goals, of each buffer.
    pub missed: usize,
    /// The undecided goals, of each buffer, with what decides them.
    pub undecided: Vec<(u32, Needed)>,
    /// Goodput, or completion time.
    pub value: Option<Estimate>,
    pub less_is_better: bool,
}

/// What an undecided goal lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Needed {
    /// That number of seeds should decide it; `None` if 1000 would not.
    Seeds(Option<usize>),
    /// A run lacks a rate.
    NoRatio,
}

impl Candidate {
    /// Its mean, as if more were better.
    fn mean(&self) -> Option<f64> {
        self.value.as_ref().map(|value| if self.less_is_better { -value.mean } else { value.mean })
    }
}

/// What the rule recommends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The recommended algorithm; several if they do not differ beyond chance; none without intervals, or before more seeds.
    pub best: Vec<String>,
    /// Whether every algorithm misses a goal.
    pub every_misses: bool,
    /// The number of seeds that should decide, if these do not.
    pub more_seeds: Option<usize>,
    /// The recommendation as a sentence.
    pub text: String,
}

/// Applies [`RULE`] to values of that many seeds.
pub(super) fn recommend(all: &[Candidate], seeds: u32) -> Recommendation {
    let (all, lacking): (Vec<&Candidate>, Vec<&Candidate>) =
        all.iter().partition(|candidate| candidate.value.is_some());
    let found = of_valued(&all, seeds);
    if all.is_empty() || lacking.is_empty() {
        return found;
    }
    let names: Vec<String> = lacking.iter().map(|candidate| candidate.cc.clone()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let text =
        format!("{} {are} left out: a run has no {}. {}", listed(&names), measure(&lacking), found.text);
    Recommendation { text, ..found }
}

/// The recommendation among those that have a value.
fn of_valued(all: &[&Candidate], seeds: u32) -> Recommendation {
    let said = |best, text: String| Recommendation { best, every_misses: false, more_seeds: None, text };
    if all.is_empty() {
        return said(vec![], NO_INTERVAL.into());
    }
    if all.iter().all(|candidate| candidate.missed > 0) {
        return Recommendation { every_misses: true, ..of_missing(all) };
    }
    let able: Vec<&Candidate> = all.iter().copied().filter(|candidate| candidate.missed == 0).collect();
    let (sure, open): (Vec<&Candidate>, Vec<&Candidate>) =
        able.iter().copied().partition(|candidate| candidate.undecided.is_empty());
    if best(&able).is_none() {
        return said(vec![], NO_INTERVAL.into());
    }
    let top = best(&sure).unwrap_or_default();
    let top_mean = sure.iter().filter_map(|candidate| candidate.mean()).reduce(f64::max);
    let rivals: Vec<&Candidate> =
        open.iter().copied().filter(|rival| top_mean.is_none_or(|top| rival.mean() > Some(top))).collect();
    if !rivals.is_empty() {
        return not_yet(&rivals, &top, measure(all), seeds);
    }
    let text = match &top[..] {
        [one] if able.len() == 1 && all.len() > 1 => format!("{one}: only it misses no goal."),
        [one] => format!("{one}: it misses no goal, and has the best {}.", measure(all)),
        several => format!("No difference beyond chance in {} between {}.", measure(all), several.join(", ")),
    };
    said(top, text)
}

const NO_INTERVAL: &str = "No recommendation: a single seed has no interval, and a value may be missing.";

/// What follows if every algorithm misses a goal.
fn of_missing(all: &[&Candidate]) -> Recommendation {
    let count = |candidate: &Candidate| candidate.missed + candidate.undecided.len();
    let fewest = all.iter().copied().map(count).min();
    let left: Vec<&Candidate> =
        all.iter().copied().filter(|candidate| Some(count(candidate)) == fewest).collect();
    let top = match &left[..] {
        [only] => Some(vec![only.cc.clone()]),
        _ => best(&left),
    };
    let of_them = match top.as_deref() {
        None => NO_INTERVAL.to_owned(),
        Some([one]) => format!("Of those that miss the fewest, the best: {one}."),
        Some(several) => format!(
            "Of those that miss the fewest: no difference beyond chance in {} between {}.",
            measure(all),
            several.join(", ")
        ),
    };
    let text = format!("Every algorithm misses a goal. {of_them}");
    Recommendation { best: top.unwrap_or_default(), every_misses: true, more_seeds: None, text }
}

/// What follows if algorithms with undecided goals may be better than `top`, those that surely miss none.
fn not_yet(rivals: &[&Candidate], top: &[String], measure: &str, seeds: u32) -> Recommendation {
    let goals = |rival: &&Candidate| {
        let numbers: BTreeSet<u32> = rival.undecided.iter().map(|(number, _)| *number).collect();
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let goal = if numbers.len() == 1 { "goal" } else { "goals" };
        format!("{goal} {} of {}", listed(&numbers), rival.cc)
    };
    let which = listed(&rivals.iter().map(goals).collect::<Vec<_>>());
    let needed: Vec<Needed> =
        rivals.iter().flat_map(|rival| rival.undecided.iter().map(|(_, needed)| *needed)).collect();
    let seeds_of = |needed: &Needed| match needed {
        Needed::Seeds(seeds) => *seeds,
        Needed::NoRatio => None,
    };
    let more_seeds =
        needed.iter().map(seeds_of).collect::<Option<Vec<_>>>().and_then(|n| n.into_iter().max());
    let decide = match more_seeds {
        Some(more) => format!("{more} seeds should."),
        None if needed.contains(&Needed::NoRatio) => "a run has no rate to compare.".to_owned(),
        None => "the ratio is so near the margin of 10 % that 1000 would not.".to_owned(),
    };
    let rest = match top {
        [] => "No algorithm surely misses none.".to_owned(),
        [one] => format!("Of the algorithms that surely miss no goal, {one} has the best {measure}."),
        several => format!(
            "Of the algorithms that surely miss no goal, the best by {measure} are {}, without a difference beyond chance.",
            listed(several)
        ),
    };
    let text = format!("No recommendation yet: {seeds} seeds do not decide {which}; {decide} {rest}");
    Recommendation { best: vec![], every_misses: false, more_seeds, text }
}

/// `a`, `a and b`, or `a, b and c`.
pub(super) fn listed(all: &[String]) -> String {
    match all {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => all.concat(),
    }
}

fn measure(all: &[&Candidate]) -> &'static str {
    if all.iter().any(|candidate| candidate.less_is_better) { "completion time" } else { "goodput" }
}

/// The candidate with the best mean, and those whose intervals overlap with its own; `None` if an interval is missing.
fn best(left: &[&Candidate]) -> Option<Vec<String>> {
    let interval = |candidate: &&Candidate| Some((candidate.mean()?, half_width(candidate.value.as_ref()?)?));
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

    fn candidate(cc: &str, missed: usize, mean: f64, half_width: f64) -> Candidate {
        let value = Some(Estimate { mean, half_width: Some(half_width), values: vec![mean; 5] });
        Candidate { cc: cc.into(), missed, value, ..Candidate::default() }
    }

    /// With undecided goals, and the seeds that should decide each.
    fn open<const N: usize>(candidate: Candidate, undecided: [(u32, Option<usize>); N]) -> Candidate {
        let undecided = undecided.map(|(number, seeds)| (number, Needed::Seeds(seeds)));
        Candidate { undecided: undecided.to_vec(), ..candidate }
    }

    #[test]
    fn each_outcome() {
        let lia = || candidate("lia", 0, 50.0, 2.0);
        let olia = |missed| candidate("olia", missed, 60.0, 2.0);
        let uncoupled = |missed| candidate("uncoupled", missed, 90.0, 2.0);
        let table: [(&[Candidate], &[&str], &str); 13] = [
            (
                &[lia(), olia(0), uncoupled(1)],
                &["olia"],
                "olia: it misses no goal, and has the best goodput.",
            ),
            (&[lia(), uncoupled(2)], &["lia"], "lia: only it misses no goal."),
            // 60 − 2 and 57 + 2 overlap.
            (
                &[candidate("balia", 0, 57.0, 2.0), olia(0), lia()],
                &["olia", "balia"],
                "No difference beyond chance in goodput between olia, balia.",
            ),
            // The fastest may miss goals.
            (
                &[lia(), olia(0), open(uncoupled(0), [(2, Some(12)), (3, Some(9))])],
                &[],
                "No recommendation yet: 5 seeds do not decide goals 2 and 3 of uncoupled; 12 seeds should. \
                 Of the algorithms that surely miss no goal, olia has the best goodput.",
            ),
            (
                &[candidate("balia", 0, 57.0, 2.0), open(uncoupled(0), [(2, None)]), olia(0)],
                &[],
                "No recommendation yet: 5 seeds do not decide goal 2 of uncoupled; the ratio is so near the margin of \
                 10 % that 1000 would not. Of the algorithms that surely miss no goal, the best by goodput are olia and \
                 balia, without a difference beyond chance.",
            ),
            (
                &[open(lia(), [(1, Some(7))]), open(uncoupled(0), [(2, Some(12))]), olia(1)],
                &[],
                "No recommendation yet: 5 seeds do not decide goal 1 of lia and goal 2 of uncoupled; 12 seeds should. \
                 No algorithm surely misses none.",
            ),
            // A slower one changes nothing.
            (
                &[open(lia(), [(1, Some(7))]), olia(0), uncoupled(1)],
                &["olia"],
                "olia: it misses no goal, and has the best goodput.",
            ),
            // One that misses a goal is out, whatever the others decide.
            (&[olia(0), open(uncoupled(1), [(2, Some(12))])], &["olia"], "olia: only it misses no goal."),
            (
                &[candidate("lia", 1, 50.0, 2.0), olia(1), uncoupled(2)],
                &["olia"],
                "Every algorithm misses a goal. Of those that miss the fewest, the best: olia.",
            ),
            (
                &[candidate("lia", 1, 59.0, 2.0), olia(1)],
                &["olia", "lia"],
                "Every algorithm misses a goal. Of those that miss the fewest: no difference beyond chance in goodput \
                 between olia, lia.",
            ),
            // An undecided goal counts as missed then.
            (
                &[candidate("lia", 1, 50.0, 2.0), open(olia(1), [(2, Some(12))])],
                &["lia"],
                "Every algorithm misses a goal. Of those that miss the fewest, the best: lia.",
            ),
            // Twice, with two buffers.
            (
                &[candidate("lia", 2, 50.0, 2.0), open(olia(1), [(2, Some(12)), (2, Some(12))])],
                &["lia"],
                "Every algorithm misses a goal. Of those that miss the fewest, the best: lia.",
            ),
            (&[lia()], &["lia"], "lia: it misses no goal, and has the best goodput."),
        ];
        for (all, best, text) in table {
            let found = recommend(all, 5);
            assert_eq!(found.text, text);
            assert_eq!(found.best, best, "{text}");
            assert_eq!(found.every_misses, text.starts_with("Every"), "{text}");
            assert_eq!(found.more_seeds, text.contains("12 seeds").then_some(12), "{text}");
        }
    }

    /// The shorter time is the better one.
    #[test]
    fn completion_times_count_if_there_are_some() {
        let timed = |candidate: Candidate| Candidate { less_is_better: true, ..candidate };
        let all = [candidate("lia", 0, 0.2, 0.01), candidate("olia", 0, 0.3, 0.01)].map(timed);
        assert_eq!(recommend(&all, 5).text, "lia: it misses no goal, and has the best completion time.");
        let quicker = open(timed(candidate("uncoupled", 0, 0.1, 0.01)), [(2, Some(12))]);
        let [lia, olia] = all;
        assert!(recommend(&[lia, olia, quicker], 5).text.ends_with("lia has the best completion time."));
    }

    #[test]
    fn an_algorithm_without_a_value_is_left_out() {
        let lacking = |cc: &str| Candidate { cc: cc.into(), ..Candidate::default() };
        let lia = || candidate("lia", 0, 50.0, 2.0);
        let found = recommend(&[lia(), lacking("olia"), candidate("balia", 0, 60.0, 2.0)], 5);
        assert_eq!(found.best, ["balia"]);
        let rest = "balia: it misses no goal, and has the best goodput.";
        assert_eq!(found.text, format!("olia is left out: a run has no goodput. {rest}"));
        let found = recommend(&[lacking("olia"), lia(), lacking("balia")], 5);
        assert!(
            found.text.starts_with("olia and balia are left out: a run has no goodput. lia: it misses no")
        );
        let found = recommend(&[lacking("olia"), lacking("balia")], 5);
        assert_eq!((found.text.as_str(), found.best.len()), (NO_INTERVAL, 0));
    }

    /// More seeds do not give a run a rate.
    #[test]
    fn a_missing_ratio_asks_for_no_seeds() {
        let undecided = vec![(1, Needed::NoRatio), (2, Needed::Seeds(Some(12)))];
        let lia = Candidate { undecided, ..candidate("lia", 0, 50.0, 2.0) };
        let found = recommend(&[lia], 5);
        assert_eq!(found.more_seeds, None);
        assert!(found.text.contains("do not decide goals 1 and 2 of lia; a run has no rate to compare."));
    }

    #[test]
    fn one_seed_recommends_nothing() {
        let one = |cc: &str, mean: f64| {
            let value = Some(Estimate { mean, half_width: None, values: vec![mean] });
            let undecided = vec![(1, Needed::Seeds(None))];
            Candidate { cc: cc.into(), value, undecided, ..Candidate::default() }
        };
        let found = recommend(&[one("lia", 1.0), one("olia", 2.0)], 1);
        assert_eq!(found.text, NO_INTERVAL);
        assert!(found.best.is_empty());
    }

    /// Equal values of all seeds are an interval of zero width.
    #[test]
    fn equal_seeds_are_exact() {
        let exact = |cc: &str, mean: f64| {
            let value = Some(Estimate { mean, half_width: None, values: vec![mean; 5] });
            Candidate { cc: cc.into(), value, ..Candidate::default() }
        };
        assert_eq!(recommend(&[exact("lia", 50.0), exact("olia", 51.0)], 5).best, ["olia"]);
    }
}
