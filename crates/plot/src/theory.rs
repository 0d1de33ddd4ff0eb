//! Theory for a run.

use anabranch_ideal::{Allocation, Ideals, QUEUE, SubflowIdeal};
use anabranch_scenario::Scenario;
use anabranch_study::changes;

/// The most flows of which theory is computed: it takes seconds for more.
const MOST_FLOWS: usize = 50;

/// The equilibrium of the algorithms that a scenario's flows run.
#[derive(Clone)]
pub struct Theory {
    equilibrium: Allocation,
    /// Whether each flow always sends, as the theory assumes.
    greedy: Vec<bool>,
}

impl Theory {
    /// `None` if the theory does not cover the flows, or the network changes while means are taken.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        if changes(scenario) || scenario.flows.len() > MOST_FLOWS {
            return None;
        }
        let mut ideals = Ideals::of(scenario, &[], QUEUE);
        let own = ideals.own.take()?;
        let equilibrium = ideals.allocations.into_iter().find(|a| a.id == own)?;
        Some(Theory { equilibrium, greedy: scenario.flows.iter().map(|f| f.is_greedy()).collect() })
    }

    pub(crate) fn goodput_bps(&self, flow: usize) -> Option<f64> {
        let ideal = self.equilibrium.flows.get(flow)?;
        ideal.goodput_bps.filter(|_| self.greedy[flow])
    }

    /// A subflow in theory, if its flow is greedy: the units are those of [`SubflowIdeal`].
    pub(crate) fn subflow(&self, flow: usize, subflow: usize) -> Option<&SubflowIdeal> {
        self.equilibrium.flows.get(flow)?.subflows.get(subflow).filter(|_| self.greedy[flow])
    }
}
