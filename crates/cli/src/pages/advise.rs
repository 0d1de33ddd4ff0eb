//! Formats the advice for a scenario.

use crate::table::{Spread, Table, WIDTH};
use anabranch::advise::{Case, Goal};
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
        fill(&advice.compared_with()),
        table(&advice.cases, flow),
        fill(&advice.conclusion())
    )
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
        .text("misses", cases.iter().map(Case::misses));
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
