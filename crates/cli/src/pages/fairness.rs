//! Jain's index of the flows that could take more: a flow that its load limits has what it asks for.

use anabranch::Summary;
use anabranch::records::{FlowSummary, jain};
use anabranch::scenarios::{Application, Flow, Scenario, distinct};
use anabranch::studies::variant::base;

/// The flows that count.
pub struct Fairness {
    /// Whether several of the scenario's flows count.
    pub applies: bool,
    /// The others, by the names of their entries.
    left_out: Vec<String>,
}

impl Fairness {
    /// Leaves out flows that pause or whose transfers arrive.
    pub fn of(scenario: &Scenario) -> Self {
        let (counted, others): (Vec<&Flow>, Vec<&Flow>) =
            scenario.flows.iter().partition(|flow| matches!(flow.application, Application::Bulk { .. }));
        let left_out = distinct(others.into_iter().map(|flow| base(&flow.name).to_owned()));
        Fairness { applies: counted.len() > 1, left_out }
    }

    /// Whether several do in a run, which may have another number of each flow than the scenario.
    pub fn applies_to(&self, summary: &Summary) -> bool {
        self.counted(summary).nth(1).is_some()
    }

    pub fn jain(&self, summary: &Summary) -> Option<f64> {
        jain(&self.counted(summary).filter_map(|flow| flow.goodput_bps).collect::<Vec<_>>())
    }

    fn counted<'a>(&'a self, summary: &'a Summary) -> impl Iterator<Item = &'a FlowSummary> {
        let is_left_out = |flow: &FlowSummary| self.left_out.iter().any(|name| name == base(&flow.name));
        summary.flows.iter().filter(move |flow| flow.goodput_bps.is_some() && !is_left_out(flow))
    }

    /// "without web, which its load limits"; empty if all count.
    pub fn without(&self) -> String {
        match &self.left_out[..] {
            [] => String::new(),
            [one] => format!(", without {one}, which its load limits"),
            several => format!(", without {}, which their loads limit", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::{Changes, NoSamples, SIM, Watch};

    /// The flow with responses takes what it needs; the other two share the rest equally.
    #[test]
    fn flows_that_their_load_limits_are_left_out() {
        let text = r#"
            name = "three"
            duration = "20 s"
            warmup = "5 s"
            links.a = { rate = "10 Mbit/s", delay = "10 ms" }
            flows = [
                { name = "x", cc = "reno", count = 2, paths = [["a"]] },
                { name = "web", cc = "reno", paths = [["a"]], application = { kind = "request-response", size = "10 kB", think = "1 s" } },
            ]
        "#;
        let scenario = anabranch::Scenario::of_text("a", text, Changes::default()).unwrap();
        let summary = anabranch::run(&scenario, SIM.backend, &mut NoSamples, &Watch::default()).unwrap();
        let fairness = Fairness::of(&scenario);
        assert!(fairness.applies);
        assert_eq!(fairness.without(), ", without web, which its load limits");
        let rates: Vec<f64> = summary.flows.iter().map(|flow| flow.goodput_bps.unwrap()).collect();
        let by_hand = (rates[0] + rates[1]).powi(2) / (2.0 * (rates[0].powi(2) + rates[1].powi(2)));
        assert!((fairness.jain(&summary).unwrap() - by_hand).abs() < 1e-9);
        assert!(summary.jain.unwrap() < 0.75, "of all flows: {:?}", summary.jain);

        // An axis of a sweep may set a count: the same flows count, by the same names.
        let changes = Changes { set: vec!["flows.x.count=4".into()], ..Changes::default() };
        let four = anabranch::Scenario::of_text("a", text, changes).unwrap();
        let summary = anabranch::run(&four, SIM.backend, &mut NoSamples, &Watch::default()).unwrap();
        let jain = fairness.jain(&summary);
        assert!(jain.is_some() && jain == Fairness::of(&four).jain(&summary), "{jain:?}");
    }
}
