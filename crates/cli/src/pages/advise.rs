//! Formats the advice for a scenario.

use crate::table::{Table, WIDTH};
use anabranch::advise::{Case, Goal};
use anabranch::algorithms::kernel_registry as registry;
use anabranch::scenarios::base;
use anabranch::units::{RATE, TIME};
use anabranch::{Advice, Scenario, counted};
use textwrap::WordSplitter;

/// How many times as long the proposed runs are, where seeds would be too many.
const LONGER: u64 = 4;

pub fn page(advice: &Advice, scenario_of: &Scenario) -> String {
    let Advice { scenario, flow, seeds, .. } = advice;
    let seeds = counted(*seeds as usize, "seed");
    let means = match advice.seeds {
        1 => "no intervals from one seed",
        _ => "means ± half the width of the 95 % interval",
    };
    let heading = format!("{scenario}: algorithms of {flow}, {seeds}, {means}");
    // Names contain hyphens.
    let options = textwrap::Options::new(WIDTH).word_splitter(WordSplitter::NoHyphenation);
    let fill = |text: &str| textwrap::fill(text, &options) + "\n";
    let repeat = match (advice.recommendation.more_seeds, advice.recommendation.longer_runs) {
        (Some(seeds), _) => Some(format!("Repeat it with --seeds {seeds}.")),
        (None, true) => Some(format!(
            "Repeat it with longer runs, such as --duration '{}'.",
            scenario_of.duration.times(LONGER)
        )),
        _ => None,
    };
    let buffers = match vary_buffers(&advice.cases) {
        true => String::new(),
        false => fill("Buffers: those of the scenario; --buffers '0.5 BDP,2 BDP' varies them"),
    };
    format!(
        "{}{}{buffers}\n{}\n{}{}{}{}",
        fill(&heading),
        fill(&advice.compared_with()),
        table(&advice.cases, flow),
        others(&advice.cases, scenario_of).map_or(String::new(), |table| format!("{table}\n")),
        fill(&advice.recommendation.text),
        repeat.map_or(String::new(), |repeat| fill(&repeat)),
        fill(&on_linux(&advice.recommendation.best, scenario_of, flow))
    )
}

fn vary_buffers(cases: &[Case]) -> bool {
    cases.iter().any(|case| case.buffer.is_some())
}

/// A table with the buffers, if they vary.
fn with_buffers(cases: &[Case]) -> Table {
    let buffers = cases.iter().map(|case| case.buffer.clone().unwrap_or_default());
    if vary_buffers(cases) { Table::new().text("buffers", buffers) } else { Table::new() }
}

/// What the other flows get, and where an algorithm harms a single-path flow the most; `None` without other flows.
fn others(cases: &[Case], scenario: &Scenario) -> Option<Table> {
    let others = Some(&cases.first()?.others_bps).filter(|others| !others.is_empty())?;
    let mut table = with_buffers(cases).text("--cc", cases.iter().map(|case| &case.cc));
    for (i, (name, _)) in others.iter().enumerate() {
        let each = cases.iter().map(|case| case.others_bps[i].1.as_ref().into());
        let heading = match scenario.flows.iter().filter(|flow| base(&flow.name) == name).count() {
            0 | 1 => format!("goodput of {name}"),
            n => format!("goodput of {name}, sum of {n}"),
        };
        table = table.estimates(&heading, RATE, each);
    }
    let link = |case: &Case| case.goal2.link.clone().unwrap_or_default();
    Some(table.text("link of goal 2", cases.iter().map(link)))
}

/// How to run the algorithms that are recommended for the connection on Linux.
fn on_linux(best: &[String], scenario: &Scenario, flow: &str) -> String {
    let how = |cc: &String| {
        let with_cc = scenario.with_cc(&format!("{flow}={cc}")).ok();
        let flows = with_cc.iter().flat_map(|changed| &changed.flows);
        let read = flows.filter(|each| base(&each.name) == flow).map(|each| &each.cc).next();
        let name = read.map_or(cc.as_str(), |read| read.entry.name);
        let defaults = match read.is_some_and(|read| !read.params.is_empty()) {
            true => ", with default parameters",
            false => "",
        };
        match (name, registry::find_kernel(name)) {
            ("uncoupled" | "cubic", _) => {
                let select = "`anabranch kernel use cubic --netns NAMESPACE` selects it";
                format!("{name} is the kernel's own cubic{defaults}: {select}")
            }
            ("reno" | "bbr", _) => {
                let select = format!("`anabranch kernel use {name} --netns NAMESPACE` selects it");
                format!("{name} is the kernel's own{defaults}: {select}")
            }
            (_, Some(entry)) => {
                let kernel = entry.kernel_name;
                format!("`anabranch kernel load {name}` adds {name} to the kernel, as {kernel}{defaults}")
            }
            _ => format!("{name} has no version for the kernel"),
        }
    };
    let all: Vec<String> = best.iter().map(how).collect();
    if all.is_empty() { String::new() } else { format!("On Linux, {}.", all.join("; ")) }
}

fn table(cases: &[Case], flow: &str) -> Table {
    let goal = |of: fn(&Case) -> Option<&Goal>| {
        cases.iter().map(move |case| of(case).and_then(|goal| goal.ratio.as_ref()).into())
    };
    let mut table = with_buffers(cases)
        .text("--cc", cases.iter().map(|case| &case.cc))
        .estimates("goodput", RATE, cases.iter().map(|case| case.goodput_bps.as_ref().into()))
        .ratios("goal 1 (≥ 0.9)", goal(|case| Some(&case.goal1)))
        .ratios("goal 2 (≤ 1.1)", goal(|case| Some(&case.goal2)))
        .ratios("goal 3 (≤ 1.1)", goal(|case| case.goal3.as_ref()))
        .text("misses", cases.iter().map(Case::misses));
    for (name, _) in cases.first().map_or(&[][..], |case| &case.completions) {
        let of = |case: &Case| {
            let found = case.completions.iter().find(|(known, _)| known == name);
            found.and_then(|(_, time)| time.as_ref()).into()
        };
        let heading = if name == flow { "completion".to_owned() } else { format!("completion of {name}") };
        table = table.estimates(&heading, TIME, cases.iter().map(of));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_run_by_its_name_with_default_parameters() {
        let text = r#"
            name = "two"
            duration = "1 s"
            links.a = { rate = "10 Mbit/s", delay = "10 ms" }
            links.b = { rate = "5 Mbit/s", delay = "20 ms" }
            flows = [{ name = "both", cc = "lia", paths = [["a"], ["b"]] }]
        "#;
        let scenario = Scenario::of_text("two.toml", text, anabranch::Changes::default()).unwrap();
        let said = |best: &[&str]| {
            let best: Vec<String> = best.iter().map(|cc| (*cc).to_owned()).collect();
            on_linux(&best, &scenario, "both")
        };
        assert_eq!(
            said(&["{ count = \"acks\", name = 'lia' }", "olia"]),
            "On Linux, `anabranch kernel load lia` adds lia to the kernel, as ab_lia, with default parameters; \
             `anabranch kernel load olia` adds olia to the kernel, as ab_olia."
        );
        assert_eq!(
            said(&["uncoupled"]),
            "On Linux, uncoupled is the kernel's own cubic: `anabranch kernel use cubic --netns NAMESPACE` selects it."
        );
        assert_eq!(said(&[]), "");
    }
}
