//! Formats the result of a sweep.

use crate::pages::compare::{has_same, why_same};
use crate::pages::fairness::Fairness;
use crate::table::{Spread, Table};
use anabranch::scenarios::{Scenario, distinct};
use anabranch::studies::{SimulationRuns, variant::base};
use anabranch::units::{PERCENT, PLAIN, RATE};
use anabranch::{StudyResult, Summary};

/// The most rows to print.
const SHOWN: usize = 60;

/// A row for each point.
pub fn page(result: &StudyResult, taken: &[SimulationRuns], scenario: &Scenario) -> String {
    let shown = &taken[..taken.len().min(SHOWN)];
    let mut table = Table::new();
    let Some(first) = shown.first() else { return result.title.clone() };
    for (i, (axis, _)) in first.axes.iter().enumerate() {
        table = table.text(axis, shown.iter().map(|taken| taken.axes[i].1.as_str()));
    }
    // Runs in real time may fail, so a point may have fewer seeds.
    if shown.iter().any(|taken| taken.summaries.len() < result.seeds as usize) {
        table = table.count("seeds", shown.iter().map(|taken| taken.summaries.len() as u64));
    }
    let each = |value: &dyn Fn(&Summary) -> Option<f64>| -> Vec<Spread> {
        shown.iter().map(|taken| Spread::of(taken.summaries.iter().map(value))).collect()
    };
    let flows =
        shown.iter().find_map(|taken| taken.summaries.first()).map_or(&[][..], |summary| &summary.flows);
    let bases = distinct(flows.iter().map(|flow| base(&flow.name)));
    for name in &bases {
        let goodput = |summary: &Summary| {
            let alike = summary.flows.iter().filter(|flow| base(&flow.name) == *name);
            alike.map(|flow| flow.goodput_bps).sum::<Option<f64>>()
        };
        table = table.estimates(&format!("goodput of {name}"), RATE, each(&goodput));
    }
    for flow in flows.iter().filter(|flow| flow.transfers.is_some() && bases.contains(&&*flow.name)) {
        let slowdown = |summary: &Summary| {
            let same = summary.flows.iter().find(|other| other.name == flow.name)?;
            Some(same.transfers.as_ref()?.slowdown.as_ref()?.mean)
        };
        table = table.estimates(&format!("slowdown of {}", flow.name), PLAIN, each(&slowdown));
    }
    // An axis may set the number of flows.
    let fairness = Fairness::of(scenario);
    if shown.iter().flat_map(|taken| taken.summaries.first()).any(|summary| fairness.applies_to(summary)) {
        let heading = format!("Jain's index{}", fairness.without());
        table = table.estimates(&heading, PLAIN, each(&|summary| fairness.jain(summary)));
    }
    let utilisation = |summary: &Summary| {
        let links = summary.links.len() as f64;
        (links > 0.0).then(|| summary.links.iter().map(|link| link.utilisation).sum::<f64>() / links)
    };
    table = table.estimates("utilisation, mean of links", PERCENT, each(&utilisation));
    let more = match taken.len() - shown.len() {
        0 => String::new(),
        more => format!("and {more} more rows in studies/{}.csv\n", result.name),
    };
    let table = table.to_string();
    let run = taken.iter().find_map(|taken| taken.summaries.first());
    let same = run.filter(|_| has_same(&table)).map(why_same).unwrap_or_default();
    format!("{} (seeds: {})\n{table}{more}{same}", result.title, result.seeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::NoSamples;
    use anabranch::papers::Simulator;
    use anabranch::studies::{Backend, Task};

    /// The table shows the number of seeds if a run of a point failed, and explains an interval of no width.
    #[test]
    fn missing_seeds_and_equal_values_are_shown() {
        let result = StudyResult { seeds: 2, ..StudyResult::default() };
        let text = "name = \"one\"\nduration = \"1 s\"\nlinks.a = { rate = \"1 Mbit/s\", delay = \"5 ms\" }\n\
                    flows = [{ name = \"tcp\", cc = \"reno\", paths = [[\"a\"]] }]";
        let scenario = anabranch::Scenario::of_text("one", text, Default::default()).unwrap();
        let summary = Simulator.run(&Task::new(text), &mut NoSamples, &mut |_| true).unwrap();
        let taken = |seeds: usize| SimulationRuns {
            experiment: String::new(),
            title: String::new(),
            axes: vec![("delay".into(), "5 ms".into())],
            summaries: vec![summary.clone(); seeds],
        };
        let seeds = |all: &[SimulationRuns]| -> Option<Vec<String>> {
            let page = page(&result, all, &scenario);
            let lines: Vec<&str> = page.lines().skip(1).collect();
            let at = lines[0].split_whitespace().position(|head| head == "seeds")?;
            let cell = |line: &&str| line.replace("5 ms", "5").split_whitespace().nth(at).map(str::to_owned);
            lines[2..4].iter().map(cell).collect()
        };
        assert_eq!(seeds(&[taken(2), taken(2)]), None);
        assert_eq!(seeds(&[taken(2), taken(1)]), Some(vec!["2".into(), "1".into()]));
        assert!(page(&result, &[taken(2)], &scenario).contains("\n± 0: all seeds gave the same value"));
        assert!(!page(&result, &[taken(1)], &scenario).contains("± 0"));
    }
}
