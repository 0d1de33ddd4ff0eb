//! Formats the advice for a scenario.

use crate::table::{Spread, Table, WIDTH};
use anabranch::advise::{Case, Goal};
use anabranch::units::{PLAIN, RATE, TIME};
use anabranch::{Advice, counted};
use anabranch_cc_fixed::registry;
use anabranch_study::Estimate;
use textwrap::WordSplitter;

/// The advice as text.
pub fn page(advice: &Advice) -> String {
    let Advice { scenario, flow, seeds, .. } = advice;
    let seeds = counted(*seeds as usize, "seed");
    let heading =
        format!("{scenario}: algorithms of {flow}, {seeds}, means ± half the width of the 95 % interval");
    // Names contain hyphens.
    let options = textwrap::Options::new(WIDTH).word_splitter(WordSplitter::NoHyphenation);
    let fill = |text: &str| textwrap::fill(text, &options) + "\n";
    format!(
        "{}{}\n{}\n{}{}{}",
        fill(&heading),
        fill(&advice.compared_with()),
        table(&advice.cases, flow),
        others(&advice.cases).map_or(String::new(), |table| format!("{table}\n")),
        fill(&advice.recommendation.text),
        fill(&on_linux(&advice.recommendation.best))
    )
}

/// A table with the buffers, if they vary.
fn with_buffers(cases: &[Case]) -> Table {
    match cases.iter().any(|case| case.buffer.is_some()) {
        true => {
            Table::new().text("buffers", cases.iter().map(|case| case.buffer.clone().unwrap_or_default()))
        }
        false => Table::new(),
    }
}

/// What the other flows get, and where an algorithm harms a single-path flow the most; `None` without other flows.
fn others(cases: &[Case]) -> Option<Table> {
    let names = cases.first()?.others_bps.iter().map(|(name, _)| name);
    let mut table = with_buffers(cases).text("--cc", cases.iter().map(|case| &case.cc));
    let mut has_others = false;
    for (i, name) in names.enumerate() {
        let each = cases.iter().map(|case| case.others_bps[i].1.as_ref());
        let each: Vec<Spread> = each.map(|rate| rate.map_or(Spread::Missing, Spread::from)).collect();
        table = table.estimates(&format!("goodput of {name}"), RATE, &each);
        has_others = true;
    }
    let link = |case: &Case| case.goal2.as_ref().and_then(|goal| goal.link.clone()).unwrap_or_default();
    has_others.then(|| table.text("link of goal 2", cases.iter().map(link)))
}

/// How to run the recommended algorithms on Linux.
fn on_linux(best: &[String]) -> String {
    let how = |cc: &String| match (cc.as_str(), registry::find_kernel(cc)) {
        ("uncoupled" | "cubic", _) => format!("{cc} is the kernel's own cubic, with nothing to load"),
        ("reno" | "bbr", _) => format!("{cc} is the kernel's own, with nothing to load"),
        (_, Some(entry)) => {
            format!("`anabranch kernel load {cc}` adds {cc} to the kernel, as {}", entry.kernel_name)
        }
        _ => format!("{cc} has no version for the kernel"),
    };
    let all: Vec<String> = best.iter().map(how).collect();
    if all.is_empty() { String::new() } else { format!("On Linux, {}.", all.join("; ")) }
}

fn table(cases: &[Case], flow: &str) -> Table {
    let spread = |estimate: Option<&Estimate>| estimate.map_or(Spread::Missing, Spread::from);
    let goal = |of: fn(&Case) -> &Option<Goal>| -> Vec<Spread> {
        cases.iter().map(|case| spread(of(case).as_ref().map(|goal| &goal.ratio))).collect()
    };
    let mut table = with_buffers(cases);
    let goodput: Vec<Spread> = cases.iter().map(|case| spread(case.goodput_bps.as_ref())).collect();
    table = table
        .text("--cc", cases.iter().map(|case| &case.cc))
        .estimates("goodput", RATE, &goodput)
        .estimates("goal 1 (≥ 0.9)", PLAIN, &goal(|case| &case.goal1))
        .estimates("goal 2 (≤ 1.1)", PLAIN, &goal(|case| &case.goal2))
        .estimates("goal 3 (≤ 1.1)", PLAIN, &goal(|case| &case.goal3))
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
