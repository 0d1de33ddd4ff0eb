//! Formats the advice for a scenario.

use crate::table::{Spread, Table, WIDTH};
use anabranch::advise::{Case, Goal, Met};
use anabranch::units::{PLAIN, RATE, TIME};
use anabranch::{Advice, counted};
use anabranch_study::Estimate;

/// The advice as text.
pub fn page(advice: &Advice) -> String {
    let Advice { scenario, flow, seeds, .. } = advice;
    let seeds = counted(*seeds as usize, "seed");
    let heading =
        format!("{scenario}: algorithms of {flow}, {seeds}, means ± half the width of the 95 % interval");
    let fill = |text: &str| textwrap::fill(text, WIDTH) + "\n";
    format!(
        "{}{}\n{}\n{}",
        fill(&heading),
        fill(&baselines(advice)),
        table(&advice.cases, flow),
        fill(&format!("{}{}", advice.recommendation.text, undecided(advice)))
    )
}

/// What `?` means, if a goal has one.
fn undecided(advice: &Advice) -> String {
    let open = advice.cases.iter().any(|case| misses(case).contains('?'));
    let more = format!(" A goal with `?` counts as met; --seeds {} may decide it.", 4 * advice.seeds);
    if open { more } else { String::new() }
}

fn baselines(advice: &Advice) -> String {
    let one = |baseline: &anabranch::advise::Baseline| {
        let like =
            baseline.neighbour.as_ref().map_or("no neighbour".to_owned(), |name| format!("like {name}"));
        format!("{} on {} ({like})", baseline.cc, baseline.path.join("+"))
    };
    let all: Vec<String> = advice.baselines.iter().map(one).collect();
    format!("Compared with single-path flows in its place: {}", all.join(", "))
}

fn table(cases: &[Case], flow: &str) -> Table {
    let spread = |estimate: Option<&Estimate>| estimate.map_or(Spread::Missing, Spread::from);
    let goal = |of: fn(&Case) -> &Option<Goal>| -> Vec<Spread> {
        cases.iter().map(|case| spread(of(case).as_ref().map(|goal| &goal.ratio))).collect()
    };
    let mut table = Table::new();
    if cases.iter().any(|case| case.buffer.is_some()) {
        table = table.text("buffers", cases.iter().map(|case| case.buffer.clone().unwrap_or_default()));
    }
    let goodput: Vec<Spread> = cases.iter().map(|case| spread(case.goodput_bps.as_ref())).collect();
    table = table
        .text("--cc", cases.iter().map(|case| &case.cc))
        .estimates("goodput", RATE, &goodput)
        .estimates("goal 1 (≥ 1)", PLAIN, &goal(|case| &case.goal1))
        .estimates("goal 2 (≤ 1)", PLAIN, &goal(|case| &case.goal2))
        .estimates("goal 3 (≤ 1)", PLAIN, &goal(|case| &case.goal3))
        .text("misses", cases.iter().map(misses));
    for (name, _) in cases.first().map_or(&[][..], |case| &case.completions) {
        let of = |case: &Case| {
            let found = case.completions.iter().find(|(known, _)| known == name);
            spread(found.and_then(|(_, time)| time.as_ref()))
        };
        let heading = if name == flow { "completion".to_owned() } else { format!("completion of {name}") };
        table = table.estimates(&heading, TIME, &cases.iter().map(of).collect::<Vec<_>>());
    }
    table
}

/// The goals that a case misses; with `?` where more seeds would decide.
fn misses(case: &Case) -> String {
    let goals = [("1", &case.goal1), ("2", &case.goal2), ("3", &case.goal3)].into_iter();
    let missed = goals.filter_map(|(number, goal)| match goal.as_ref()?.met {
        Met::Met => None,
        Met::Undetermined => Some(format!("{number}?")),
        Met::Missed => Some(number.to_owned()),
    });
    let missed: Vec<String> = missed.collect();
    if missed.is_empty() { "–".to_owned() } else { missed.join(", ") }
}
