//! The ideals of a scenario, with its flows, subflows and links as a run's summary has them.

use crate::algorithm::{self, COUPLED};
use crate::equilibrium::{Equilibrium, Settled, equilibrium};
use crate::network::Network;
use crate::response::Response;
use crate::rule::Rule;
use anabranch_record::jain;
use anabranch_scenario::{Flow, NamedLink, Path, Scenario, base, distinct};
use serde::Serialize;

/// The predictions of theory for a scenario.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ideals {
    /// The scenario's name.
    pub scenario: String,
    /// SHA-256 of the effective scenario.
    pub scenario_hash: String,
    /// The links and flows are those of this time, in seconds: where means begin.
    pub at_s: f64,
    /// The assumed mean fraction of a bottleneck's buffer that is full.
    pub queue: f64,
    /// The allocation in which every flow runs what the scenario gives it, by its `id`; null if it does not exist.
    pub own: Option<String>,
    /// Max–min fairness, resource pooling, then the equilibria.
    pub allocations: Vec<Allocation>,
    /// The missing allocations, and the reasons.
    pub missing: Vec<Missing>,
    /// The features of the scenario that the theory leaves out, and the assumptions in their place.
    pub notes: Vec<String>,
}

/// One way to share the links.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Allocation {
    /// `max-min`, `pooled`, the algorithm of the multipath flows, or `own`.
    pub id: String,
    /// For people.
    pub title: String,
    /// Every flow of the scenario.
    pub flows: Vec<FlowIdeal>,
    /// Every link.
    pub links: Vec<LinkIdeal>,
    /// Jain's index of the connections' goodputs; null without flows.
    pub jain: Option<f64>,
}

/// A connection's share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlowIdeal {
    /// The flow's name.
    pub name: String,
    /// The algorithm that it runs here; null in allocations that no algorithm makes.
    pub cc: Option<String>,
    /// Payload, bits per second; null for a flow that is left out.
    pub goodput_bps: Option<f64>,
    /// Each of its paths.
    pub subflows: Vec<SubflowIdeal>,
}

/// A subflow's share. All is null on a path that is not in use; windows, round-trip times and loss rates exist in equilibria
/// only.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SubflowIdeal {
    /// Names of the links from sender to receiver.
    pub path: Vec<String>,
    /// Payload, bits per second. In the fair allocations only the sum over the subflows is unique.
    pub goodput_bps: Option<f64>,
    /// Mean congestion window.
    pub cwnd_segments: Option<f64>,
    /// Mean round-trip time.
    pub rtt_s: Option<f64>,
    /// Losses, congestion's and random ones, ÷ segments sent.
    pub loss_rate: Option<f64>,
}

/// A link's share.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LinkIdeal {
    /// Its name.
    pub name: String,
    /// Load ÷ capacity.
    pub utilisation: f64,
    /// Loss rate through congestion; null but in equilibria.
    pub loss_rate: Option<f64>,
}

/// An allocation that there is not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Missing {
    /// Its `id`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Why.
    pub why: String,
}

impl Ideals {
    /// An allocation by its `id`.
    pub fn allocation(&self, id: &str) -> Option<&Allocation> {
        self.allocations.iter().find(|allocation| allocation.id == id)
    }
}

pub(crate) struct Builder<'a> {
    scenario: &'a Scenario,
    pub network: Network,
    ideals: Ideals,
}

impl<'a> Builder<'a> {
    pub fn new(scenario: &'a Scenario, network: Network, queue: f64) -> Self {
        let ideals = Ideals {
            scenario: scenario.name.clone(),
            scenario_hash: scenario.hash.clone(),
            at_s: scenario.warmup.as_secs_f64(),
            queue,
            own: None,
            allocations: vec![],
            missing: vec![],
            notes: network.notes.clone(),
        };
        Builder { scenario, network, ideals }
    }

    pub fn finish(self) -> Ideals {
        Ideals { notes: distinct(self.ideals.notes), ..self.ideals }
    }

    pub fn missing(&mut self, id: &str, title: &str, why: String) {
        self.ideals.missing.push(Missing { id: id.into(), title: title.into(), why });
    }

    /// The equilibria with each of `coupled`, and with what the scenario gives every flow.
    pub fn equilibria(&mut self, coupled: &[&str]) {
        let flows: Vec<&Flow> =
            self.network.connections.iter().map(|c| &self.scenario.flows[c.flow]).collect();
        let own = || flows.iter().map(|flow| algorithm::own(flow));
        // The one algorithm of all multipath flows, if it is one of those asked for, with its default parameters.
        let mut multipath = flows.iter().filter(|flow| flow.is_multipath());
        let name_of_default = |flow: &&Flow| algorithm::has_defaults(flow).then(|| algorithm::name(flow));
        let first = multipath.next();
        let common = first
            .and_then(name_of_default)
            .filter(|name| multipath.all(|other| name_of_default(other) == Some(*name)));
        let own_is = common.filter(|name| coupled.contains(name));
        if first.is_some() {
            for (id, title) in COUPLED.into_iter().filter(|(id, _)| coupled.contains(id)) {
                let with = |(own, flow): (Result<Rule, String>, &&Flow)| {
                    algorithm::coupled(id).filter(|_| flow.is_multipath()).map_or(own, Ok)
                };
                self.equilibrium(id, title, own().zip(&flows).map(with).collect(), Some(id));
            }
        }
        if own_is.is_none() {
            self.equilibrium("own", "The algorithms of the scenario's flows", own().collect(), None);
        }
        self.ideals.own = self.ideals.allocation(own_is.unwrap_or("own")).map(|found| found.id.clone());
    }

    /// The equilibrium under these rules, the multipath flows running `coupled` or what is theirs.
    fn equilibrium(
        &mut self,
        id: &str,
        title: &str,
        rules: Result<Vec<Rule>, String>,
        coupled: Option<&str>,
    ) {
        let found = rules.and_then(|rules| match &rules[..] {
            [] => Err("no flow sends during the measurement".to_owned()),
            _ => equilibrium(&self.network, &rules).map(|found| (rules, found)).map_err(str::to_owned),
        });
        let (rules, Equilibrium { routes, losses, loads }) = match found {
            Ok(found) => found,
            Err(why) => return self.missing(id, title, why),
        };
        self.note_friendly_cubic(&rules, &routes);
        let mut flows = self.flows(|flow| {
            let own = flow.cc.entry.name;
            Some(coupled.filter(|_| flow.is_multipath()).unwrap_or(own).to_owned())
        });
        for (connection, settled) in self.network.connections.iter().zip(&routes) {
            let flow = &mut flows[connection.flow];
            let total: f64 = settled.iter().map(|route| route.window).sum();
            for (route, settled) in connection.routes.iter().zip(settled) {
                let subflow = &mut flow.subflows[route.path];
                let path = settled.path;
                // A path that OLIA leaves has no window; the smoothed rule leaves 10⁻¹³⁵ or so.
                let window = if settled.window < 1e-16 * total { 0.0 } else { settled.window };
                subflow.goodput_bps = Some(window / path.rtt_s * connection.payload_bits);
                subflow.cwnd_segments = Some(window);
                subflow.rtt_s = Some(path.rtt_s);
                subflow.loss_rate = Some(path.loss);
            }
        }
        self.add(id, title, flows, &loads, |link| Some(losses[link]));
    }

    /// Notes the flows whose CUBIC settles where its model is Reno's.
    fn note_friendly_cubic(&mut self, rules: &[Rule], routes: &[Vec<Settled>]) {
        for ((connection, rule), settled) in self.network.connections.iter().zip(rules).zip(routes) {
            let Rule::Uncoupled(response @ Response::Cubic(_)) = rule else { continue };
            if settled.iter().any(|s| response.window(&s.path) > Response::Reno.window(&s.path)) {
                continue;
            }
            let name = base(&self.scenario.flows[connection.flow].name);
            self.ideals.notes.push(format!(
                "{name}: CUBIC is in its Reno-friendly region, where the model gives it Reno's window. In a run it takes somewhat more."
            ));
        }
    }

    /// Every flow of the scenario, without values yet.
    pub fn flows(&self, cc: impl Fn(&Flow) -> Option<String>) -> Vec<FlowIdeal> {
        let subflow = |path: &Path| SubflowIdeal {
            path: path.links.iter().map(|link| self.scenario.links[*link].name.clone()).collect(),
            ..SubflowIdeal::default()
        };
        let flow = |flow: &Flow| FlowIdeal {
            name: flow.name.clone(),
            cc: cc(flow),
            goodput_bps: None,
            subflows: flow.paths.iter().map(subflow).collect(),
        };
        self.scenario.flows.iter().map(flow).collect()
    }

    pub fn add(
        &mut self,
        id: &str,
        title: &str,
        mut flows: Vec<FlowIdeal>,
        loads: &[f64],
        loss_rate: impl Fn(usize) -> Option<f64>,
    ) {
        for flow in &mut flows {
            let known: Vec<f64> = flow.subflows.iter().filter_map(|subflow| subflow.goodput_bps).collect();
            flow.goodput_bps = (!known.is_empty()).then(|| known.iter().sum());
        }
        let goodputs: Vec<f64> = flows.iter().filter_map(|flow| flow.goodput_bps).collect();
        let link = |(i, link): (usize, &NamedLink)| LinkIdeal {
            name: link.name.clone(),
            utilisation: loads[i] / self.network.links[i].rate_bps,
            loss_rate: loss_rate(i),
        };
        let links = self.scenario.links.iter().enumerate().map(link).collect();
        let allocation =
            Allocation { id: id.into(), title: title.into(), flows, links, jain: jain(&goodputs) };
        self.ideals.allocations.push(allocation);
    }
}
