//! The rule of the recommendation.

use super::goals::{Goal, MOST_SEEDS};
use anabranch_record::{Estimate, p_of_zero, paired_difference};
use anabranch_scenario::distinct;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The rule, in words.
pub const RULE: &str = "\
A goal is met or missed if the whole 95 % interval of its ratio lies on one side of the margin, 10 % beyond 1; else it is \
undecided. The algorithms that surely miss no goal with any buffer are compared by the connection's goodput, or by its mean completion \
time if it has transfers or responses; one without this value is left out. The best mean is recommended. \
An algorithm differs from it beyond chance if a t test of their difference, run by run of the same seed, is significant at 5 %, with \
Bonferroni's correction for the number of pairs of algorithms. With several buffers each is compared alone: the recommendation is the algorithm that is best, or indistinguishable from the \
best, with every buffer; else the best depends on the buffer. If an algorithm with undecided goals has a better \
mean, or no algorithm surely meets every goal, the recommendation waits: more seeds decide or, where that would be more than 100, longer runs. If every algorithm misses a goal, those that miss the \
fewest are compared: each goal counts once for each buffer, and undecided goals count as missed.";

/// An algorithm over all buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidate {
    pub cc: String,
    /// The number of missed goals, of each buffer.
    pub missed: usize,
    /// The undecided goals, of each buffer, by their numbers.
    pub undecided: Vec<(u32, Goal)>,
    /// Goodput, or completion time, with each buffer; empty if a run lacks it.
    pub values: Vec<Estimate>,
    pub less_is_better: bool,
}

impl Candidate {
    /// Its mean with a buffer, as if more were better.
    fn mean(&self, buffer: usize) -> Option<f64> {
        self.values.get(buffer).map(|value| if self.less_is_better { -value.mean } else { value.mean })
    }
}

/// What the rule recommends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The recommended algorithm; several if they do not differ beyond chance, or if the best depends on the buffer; none without
    /// intervals, or before more seeds.
    pub best: Vec<String>,
    /// Whether every algorithm misses a goal.
    pub every_misses: bool,
    /// The number of seeds that should decide, if these do not.
    pub more_seeds: Option<usize>,
    /// Whether more than 100 seeds would be needed, for which longer runs are better.
    #[serde(default)]
    pub longer_runs: bool,
    /// The recommendation as a sentence.
    pub text: String,
}

/// Applies [`RULE`] to values of that many seeds with these buffers.
pub(super) fn recommend(all: &[Candidate], buffers: &[Option<String>], seeds: u32) -> Recommendation {
    let (all, lacking): (Vec<&Candidate>, Vec<&Candidate>) =
        all.iter().partition(|candidate| !candidate.values.is_empty());
    let found = of_valued(&all, buffers, seeds);
    if all.is_empty() || lacking.is_empty() {
        return found;
    }
    let names: Vec<String> = lacking.iter().map(|candidate| candidate.cc.clone()).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let text =
        format!("{} {are} left out: a run has no {}. {}", listed(&names), measure(&lacking), found.text);
    Recommendation { text, ..found }
}

fn of_valued(all: &[&Candidate], buffers: &[Option<String>], seeds: u32) -> Recommendation {
    let said = |best, text: String| Recommendation { best, text, ..Recommendation::default() };
    if all.is_empty() {
        return said(vec![], NO_INTERVAL.into());
    }
    if all.iter().all(|candidate| candidate.missed > 0) {
        return of_missing(all, buffers);
    }
    let able: Vec<&Candidate> = all.iter().copied().filter(|candidate| candidate.missed == 0).collect();
    let (sure, open): (Vec<&Candidate>, Vec<&Candidate>) =
        able.iter().copied().partition(|candidate| candidate.undecided.is_empty());
    if best(&able).is_none() {
        return said(vec![], NO_INTERVAL.into());
    }
    let top = best(&sure);
    let is_better = |rival: &Candidate, buffer: usize| {
        let top = sure.iter().filter_map(|candidate| candidate.mean(buffer)).reduce(f64::max);
        top.is_none_or(|top| rival.mean(buffer) > Some(top))
    };
    let might_win = |rival: &&Candidate| (0..buffers.len()).any(|buffer| is_better(rival, buffer));
    let rivals: Vec<&Candidate> = open.iter().copied().filter(might_win).collect();
    let (Some(top), []) = (&top, &rivals[..]) else {
        return not_yet(&rivals, top.as_ref(), buffers, measure(all), seeds);
    };
    let measure = measure(all);
    let text = match &top.common[..] {
        [] => format!("The best {measure} depends on the buffer: {}.", top.by_buffer(buffers)),
        [one] if able.len() == 1 && all.len() > 1 => format!("{one}: only it misses no goal."),
        [one] if buffers.len() > 1 => format!(
            "{one}: it misses no goal, and with each buffer no other has a better {measure} beyond chance."
        ),
        [one] => format!("{one}: it misses no goal, and has the best {measure}."),
        several => format!("No difference beyond chance in {measure} between {}.", several.join(", ")),
    };
    said(top.names(), text)
}

const NO_INTERVAL: &str = "No recommendation: a single seed has no interval, and a value may be missing.";

/// What follows if every algorithm misses a goal.
fn of_missing(all: &[&Candidate], buffers: &[Option<String>]) -> Recommendation {
    let count = |candidate: &Candidate| candidate.missed + candidate.undecided.len();
    let fewest = all.iter().copied().map(count).min();
    let left: Vec<&Candidate> =
        all.iter().copied().filter(|candidate| Some(count(candidate)) == fewest).collect();
    let top = match &left[..] {
        [only] => Some(Best { common: vec![only.cc.clone()], each: vec![] }),
        _ => best(&left),
    };
    let among = "Of those that miss the fewest";
    let of_them = match &top {
        None => NO_INTERVAL.to_owned(),
        Some(top) => match &top.common[..] {
            [] => format!("{among}, the best depends on the buffer: {}.", top.by_buffer(buffers)),
            [one] => format!("{among}, the best: {one}."),
            several => {
                let several = several.join(", ");
                format!("{among}: no difference beyond chance in {} between {several}.", measure(all))
            }
        },
    };
    let text = format!("Every algorithm misses a goal. {of_them}");
    Recommendation {
        best: top.map_or(vec![], |top| top.names()),
        every_misses: true,
        text,
        ..Recommendation::default()
    }
}

/// What follows if algorithms with undecided goals may be better than `top`, those that surely miss none.
fn not_yet(
    rivals: &[&Candidate],
    top: Option<&Best>,
    buffers: &[Option<String>],
    measure: &str,
    seeds: u32,
) -> Recommendation {
    let goals = |rival: &&Candidate| {
        let numbers: BTreeSet<u32> = rival.undecided.iter().map(|(number, _)| *number).collect();
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let goal = if numbers.len() == 1 { "goal" } else { "goals" };
        format!("{goal} {} of {}", listed(&numbers), rival.cc)
    };
    let which = listed(&rivals.iter().map(goals).collect::<Vec<_>>());
    let open = || rivals.iter().flat_map(|rival| &rival.undecided).map(|(_, goal)| goal);
    let more_seeds = open().map(|goal| goal.seeds).collect::<Option<Vec<_>>>();
    let more_seeds = more_seeds.and_then(|seeds| seeds.into_iter().max());
    // Seeds do not give a run the rate that it lacks.
    let has_ratios = open().all(|goal| goal.ratio.is_some());
    let decide = match more_seeds {
        Some(more) => format!("about {more} seeds should."),
        None if has_ratios && seeds as usize >= MOST_SEEDS => "use longer runs.".to_owned(),
        None if has_ratios => format!("use longer runs, since {MOST_SEEDS} seeds would not either."),
        None => "a run has no rate to compare.".to_owned(),
    };
    let sure = "Of the algorithms that surely miss no goal";
    let rest = match top {
        None => "No algorithm surely meets every goal.".to_owned(),
        Some(top) => match &top.common[..] {
            [] => format!("{sure}, the best depends on the buffer: {}.", top.by_buffer(buffers)),
            [one] if buffers.len() > 1 => {
                format!("{sure}, with each buffer no other has a better {measure} than {one} beyond chance.")
            }
            [one] => format!("{sure}, {one} has the best {measure}."),
            several => {
                let several = listed(several);
                format!("{sure}, the best by {measure} are {several}, without a difference beyond chance.")
            }
        },
    };
    let text = format!("No recommendation yet: {seeds} seeds do not decide {which}; {decide} {rest}");
    let longer_runs = more_seeds.is_none() && has_ratios;
    Recommendation { more_seeds, longer_runs, text, ..Recommendation::default() }
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

struct Best {
    /// Those that are best with every buffer: no other is better beyond chance.
    common: Vec<String>,
    /// Those of each buffer.
    each: Vec<Vec<String>>,
}

impl Best {
    /// Those with every buffer or, without any, those with some.
    fn names(&self) -> Vec<String> {
        match self.common.is_empty() {
            true => distinct(self.each.iter().flatten().cloned()),
            false => self.common.clone(),
        }
    }

    /// `linked-cubic with 0.5 BDP and 2 BDP; balia with 1 BDP`.
    fn by_buffer(&self, buffers: &[Option<String>]) -> String {
        let with = |names: &Vec<String>| {
            let alike = self.each.iter().zip(buffers.iter().flatten()).filter(|(known, _)| *known == names);
            let alike: Vec<String> = alike.map(|(_, buffer)| buffer.clone()).collect();
            format!("{} with {}", listed(names), listed(&alike))
        };
        distinct(self.each.iter().map(with)).join("; ")
    }
}

/// The best over all buffers; `None` without candidates, or if an interval is missing.
fn best(left: &[&Candidate]) -> Option<Best> {
    let buffers = left.first()?.values.len();
    let each = (0..buffers).map(|buffer| best_with(left, buffer)).collect::<Option<Vec<_>>>()?;
    let is_common = |cc: &&String| each.iter().all(|names| names.contains(cc));
    let common: Vec<String> = each.first()?.iter().filter(is_common).cloned().collect();
    Some(Best { common, each })
}

/// The candidate with the best mean, and those that do not differ from it beyond chance; `None` if an interval is missing.
fn best_with(left: &[&Candidate], buffer: usize) -> Option<Vec<String>> {
    let mut each = Vec::new();
    for candidate in left {
        let value = candidate.values.get(buffer)?;
        value.exact_half_width()?;
        each.push((candidate.mean(buffer)?, &candidate.cc, value));
    }
    each.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (_, _, top) = *each.first()?;
    let p = |value: &Estimate| paired_difference(&value.values, &top.values).and_then(|of| p_of_zero(&of));
    let pairs = each.len() * (each.len() - 1) / 2;
    let differs = significant(&each[1..].iter().map(|(_, _, value)| p(value)).collect::<Vec<_>>(), pairs);
    let alike = each.iter().zip(std::iter::once(false).chain(differs)).filter(|(_, differs)| !differs);
    Some(alike.map(|((_, cc, _), _)| (*cc).clone()).collect())
}

/// Which of these tests are significant at 5 %, by Bonferroni's correction for `tests`. The data choose the best, and so which
/// pairs are tested: the correction is for all pairs. A test without a p-value is not significant.
fn significant(p: &[Option<f64>], tests: usize) -> Vec<bool> {
    p.iter().map(|p| p.is_some_and(|p| p * (tests as f64) < 0.05)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goals::Met;
    use anabranch_record::estimate;

    /// Five seeds that differ from the mean by multiples of `step`: their 95 % interval has half a width of 1.963 steps. If the steps of
    /// two have opposite signs, their difference has twice the width.
    fn candidate(cc: &str, missed: usize, mean: f64, step: f64) -> Candidate {
        let values = [-2.0, -1.0, 0.0, 1.0, 2.0].map(|i| mean + i * step);
        let values = vec![estimate(values.to_vec()).unwrap()];
        Candidate { cc: cc.into(), missed, values, ..Candidate::default() }
    }

    /// Three algorithms have three pairs, with a limit of 0.05/3.
    #[test]
    fn the_limit_is_for_all_pairs() {
        assert_eq!(significant(&[0.016, 0.017].map(Some), 3), [true, false]);
        assert_eq!(significant(&[Some(0.049)], 1), [true]);
        assert_eq!(significant(&[Some(0.01), None], 3), [true, false]);
    }

    /// With the scenario's own buffers.
    fn recommend(all: &[Candidate], seeds: u32) -> Recommendation {
        super::recommend(all, &[None], seeds)
    }

    /// By hand: with 0.5 and 2 BDP LIA is better by 2 in every pair of runs, and with 1 BDP OLIA by 4, though both have the same mean
    /// over the buffers. Without 1 BDP, LIA is best; a third algorithm that does not differ from it is as good.
    #[test]
    fn each_buffer_is_compared_alone() {
        let with = |cc: &str, means: &[f64], step: f64| {
            let values = means.iter().flat_map(|mean| candidate(cc, 0, *mean, step).values).collect();
            Candidate { values, ..candidate(cc, 0, 0.0, step) }
        };
        let buffers = ["0.5 BDP", "1 BDP", "2 BDP"].map(|buffer| Some(buffer.to_owned()));
        let all = [with("lia", &[52.0, 50.0, 62.0], 1.0), with("olia", &[50.0, 54.0, 60.0], 1.0)];
        let found = super::recommend(&all, &buffers, 5);
        let said = "The best goodput depends on the buffer: lia with 0.5 BDP and 2 BDP; olia with 1 BDP.";
        assert_eq!((found.text.as_str(), &found.best[..]), (said, &["lia".to_owned(), "olia".into()][..]));
        let two = [buffers[0].clone(), buffers[2].clone()];
        let all = [with("lia", &[52.0, 62.0], 1.0), with("olia", &[50.0, 60.0], 1.0)];
        let found = super::recommend(&all, &two, 5);
        let said =
            "lia: it misses no goal, and with each buffer no other has a better goodput beyond chance.";
        assert_eq!((found.text.as_str(), &found.best[..]), (said, &["lia".to_owned()][..]));
        let all = [with("lia", &[52.0, 62.0], 1.0), with("balia", &[51.0, 63.0], -1.0)];
        let found = super::recommend(&all, &two, 5);
        assert_eq!(found.text, "No difference beyond chance in goodput between lia, balia.");
        // One that may miss a goal counts if it is better with any buffer.
        let rival = open(with("uncoupled", &[40.0, 70.0], 1.0), [(2, Some(12))]);
        let found = super::recommend(&[with("lia", &[52.0, 62.0], 1.0), rival], &two, 5);
        assert!(found.text.starts_with("No recommendation yet") && found.best.is_empty(), "{}", found.text);
    }

    /// With undecided goals, and the seeds that should decide each.
    fn open<const N: usize>(candidate: Candidate, undecided: [(u32, Option<usize>); N]) -> Candidate {
        let ratio = candidate.values.first().cloned();
        let goal = |seeds| Goal { ratio: ratio.clone(), met: Met::Undetermined, seeds, link: None };
        let undecided = undecided.map(|(number, seeds)| (number, goal(seeds)));
        Candidate { undecided: undecided.to_vec(), ..candidate }
    }

    #[test]
    fn each_outcome() {
        let lia = || candidate("lia", 0, 50.0, 1.0);
        let olia = |missed| candidate("olia", missed, 60.0, 1.0);
        let uncoupled = |missed| candidate("uncoupled", missed, 90.0, 1.0);
        let table: [(&[Candidate], &[&str], &str); 14] = [
            (
                &[lia(), olia(0), uncoupled(1)],
                &["olia"],
                "olia: it misses no goal, and has the best goodput.",
            ),
            (&[lia(), uncoupled(2)], &["lia"], "lia: only it misses no goal."),
            // 3 ± 3.9; between LIA and OLIA every pair differs by 10.
            (
                &[candidate("balia", 0, 57.0, -1.0), olia(0), lia()],
                &["olia", "balia"],
                "No difference beyond chance in goodput between olia, balia.",
            ),
            // The intervals, 60 ± 2 and 57 ± 2, overlap, but every pair differs by 3.
            (
                &[candidate("balia", 0, 57.0, 1.0), olia(0)],
                &["olia"],
                "olia: it misses no goal, and has the best goodput.",
            ),
            // The fastest may miss goals.
            (
                &[lia(), olia(0), open(uncoupled(0), [(2, Some(12)), (3, Some(9))])],
                &[],
                "No recommendation yet: 5 seeds do not decide goals 2 and 3 of uncoupled; about 12 seeds should. \
                 Of the algorithms that surely miss no goal, olia has the best goodput.",
            ),
            (
                &[candidate("balia", 0, 57.0, -1.0), open(uncoupled(0), [(2, None)]), olia(0)],
                &[],
                "No recommendation yet: 5 seeds do not decide goal 2 of uncoupled; use longer runs, since 100 seeds would \
                 not either. Of the algorithms that surely miss no goal, the best by goodput are olia and balia, without \
                 a difference beyond chance.",
            ),
            (
                &[open(lia(), [(1, Some(7))]), open(uncoupled(0), [(2, Some(12))]), olia(1)],
                &[],
                "No recommendation yet: 5 seeds do not decide goal 1 of lia and goal 2 of uncoupled; about 12 seeds should. \
                 No algorithm surely meets every goal.",
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
                &[candidate("lia", 1, 59.0, -1.0), olia(1)],
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
            assert_eq!(found.longer_runs, text.contains("longer runs"), "{text}");
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
        let mut lia = open(candidate("lia", 0, 50.0, 2.0), [(1, None), (2, Some(12))]);
        lia.undecided[0].1.ratio = None;
        let found = recommend(&[lia], 5);
        assert_eq!((found.more_seeds, found.longer_runs), (None, false));
        assert!(found.text.contains("do not decide goals 1 and 2 of lia; a run has no rate to compare."));
    }

    /// That many seeds with the same value.
    fn alike(cc: &str, mean: f64, seeds: usize) -> Candidate {
        let values = vec![Estimate { mean, half_width: None, values: vec![mean; seeds] }];
        Candidate { cc: cc.into(), values, ..Candidate::default() }
    }

    #[test]
    fn one_seed_recommends_nothing() {
        let one = |cc: &str, mean: f64| open(alike(cc, mean, 1), [(1, None)]);
        let found = recommend(&[one("lia", 1.0), one("olia", 2.0)], 1);
        assert_eq!(found.text, NO_INTERVAL);
        assert!(found.best.is_empty());
    }

    /// Equal values of all seeds are an interval of zero width.
    #[test]
    fn equal_seeds_are_exact() {
        assert_eq!(recommend(&[alike("lia", 50.0, 5), alike("olia", 51.0, 5)], 5).best, ["olia"]);
    }
}
