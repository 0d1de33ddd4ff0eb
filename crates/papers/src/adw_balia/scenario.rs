//! The paper's scenarios (Fig. 6, Tab. 1) and algorithms, and what is read from their runs.

use crate::{scenarios, scenarios::ScenarioFile};
use anabranch_record::jain;
use anabranch_study::{Outcome, Setup, Size};
use anabranch_study::{Plan, Quantity, RowPlan, SetupId, measure};

/// What the connection runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Algorithm {
    /// In rows' identifiers.
    pub id: &'static str,
    /// For readers.
    pub name: &'static str,
    /// As a scenario writes it.
    cc: &'static str,
}

pub(super) const LIA: Algorithm = Algorithm { id: "lia", name: "LIA", cc: "lia" };
pub(super) const OLIA: Algorithm = Algorithm { id: "olia", name: "OLIA", cc: "olia" };
pub(super) const BALIA: Algorithm = Algorithm { id: "balia", name: "BALIA", cc: "balia" };
/// The reading that fits the text best, which is the default.
pub(super) const ADW: Algorithm = Algorithm {
    id: "adw",
    name: "ADW",
    cc: "{ name = \"adw-balia\", variant = \"fixed\", span = \"complete\" }",
};
pub(super) const RUNNING: Algorithm = Algorithm {
    id: "adw-running",
    name: "ADW, running",
    cc: "{ name = \"adw-balia\", variant = \"fixed\", span = \"running\" }",
};
pub(super) const ADDITIVE: Algorithm = Algorithm {
    id: "adw-additive",
    name: "ADW, additive",
    cc: "{ name = \"adw-balia\", variant = \"additive\", span = \"complete\" }",
};
pub(super) const ADDITIVE_RUNNING: Algorithm = Algorithm {
    id: "adw-additive-running",
    name: "ADW, additive and running",
    cc: "{ name = \"adw-balia\", variant = \"additive\", span = \"running\" }",
};
pub(super) const UNCOUPLED: Algorithm = Algorithm { id: "uncoupled", name: "uncoupled Reno", cc: "reno" };

pub(super) const WVEGAS: Algorithm = Algorithm { id: "wvegas", name: "wVegas", cc: "wvegas" };
pub(super) const VEGAS: Algorithm = Algorithm { id: "vegas", name: "Vegas", cc: "vegas" };
pub(super) const COMPOUND: Algorithm = Algorithm { id: "compound", name: "Compound", cc: "compound" };
pub(super) const WCOMPOUND: Algorithm = Algorithm { id: "wcompound", name: "wCompound", cc: "wcompound" };
pub(super) const LINKED: Algorithm =
    Algorithm { id: "linked", name: "Linked CUBIC (ours)", cc: "linked-cubic" };

/// MPTCP off.
pub(super) const INDEPENDENT_RENO: Algorithm =
    Algorithm { id: "independent", name: "independent Reno", cc: "reno" };

/// Those that ADW is measured against.
pub(super) const EXISTING: [Algorithm; 3] = [LIA, OLIA, BALIA];
/// The readings of ADW.
pub(super) const READINGS: [Algorithm; 3] = [ADW, RUNNING, ADDITIVE];
/// And the fourth.
pub(super) const ALL_OF_ADW: [Algorithm; 4] = [ADW, RUNNING, ADDITIVE, ADDITIVE_RUNNING];
/// The coupled ones.
pub(super) const COUPLED: [Algorithm; 6] = [LIA, OLIA, BALIA, ADW, RUNNING, ADDITIVE];
/// All of the paper.
pub(super) const ALL: [Algorithm; 7] = [LIA, OLIA, BALIA, ADW, RUNNING, ADDITIVE, UNCOUPLED];

/// What a page says of [`LINKED`].
pub(super) const OURS: &str =
    "Linked CUBIC is ours (see the study E), with at most three seeds and not judged.";

/// A topology with what Tab. 1 has for it.
pub(super) struct Scenario {
    /// In rows' identifiers.
    pub id: &'static str,
    /// For readers.
    pub name: &'static str,
    file: &'static ScenarioFile,
    /// Keys changed in the file, and their values.
    changes: &'static [(&'static str, &'static str)],
    /// Ideal throughput of the connection, both subflows together, in Mbit/s.
    ideal: f64,
    /// The TCP flows with the ideal throughput of each.
    pub tcp: &'static [(&'static str, f64)],
}

const TWO_OF_20: &[(&str, f64)] = &[("h3", 20.0), ("h5", 20.0)];

pub(super) static S1: Scenario = Scenario {
    id: "S1",
    name: "Scenario 1",
    file: &scenarios::ADW_S1,
    changes: &[],
    ideal: 20.0,
    tcp: TWO_OF_20,
};

/// Fig. 1a: Scenario 1 with one TCP flow and 120 Mbit/s. Fig. 1b is Scenario 2.
pub(super) static FIG_1A: Scenario = Scenario {
    id: "Fig. 1a",
    name: "Fig. 1a",
    file: &scenarios::ADW_FIG_1A,
    ideal: 60.0,
    tcp: &[("h3", 60.0)],
    ..S1
};

/// Scenario 1 with MPTCP switched off: the host has one path.
pub(super) static INDEPENDENT: Scenario = Scenario {
    id: "S1-independent",
    name: "Scenario 1, one path",
    changes: &[("flows.mptcp.paths", "[[\"access1\", \"bottleneck\"]]")],
    ..S1
};

pub(super) static S2: Scenario = Scenario {
    id: "S2",
    name: "Scenario 2",
    file: &scenarios::ADW_S2,
    changes: &[],
    ideal: 60.0,
    tcp: &[("h3", 30.0), ("h5", 30.0)],
};

pub(super) static S3: Scenario = Scenario {
    id: "S3",
    name: "Scenario 3",
    file: &scenarios::ADW_S3,
    changes: &[],
    ideal: 20.0,
    tcp: TWO_OF_20,
};

pub(super) static S4: Scenario = Scenario {
    id: "S4",
    name: "Scenario 4",
    file: &scenarios::ADW_S4,
    changes: &[],
    ideal: 40.0,
    tcp: TWO_OF_20,
};

/// h3 and h5 leave before the shared link: Tab. 1's ideal shares then fill it.
pub(super) static S5: Scenario = Scenario {
    id: "S5",
    name: "Scenario 5",
    file: &scenarios::ADW_S5,
    changes: &[],
    ideal: 40.0,
    tcp: &[("h3", 20.0), ("h5", 20.0), ("h7", 40.0), ("h9", 40.0)],
};

/// h3 and h5 cross the shared link: six flows of 20 Mbit/s.
pub(super) static S5_CROSSING: Scenario = Scenario {
    id: "S5-crossing",
    name: "Scenario 5, h3 and h5 crossing",
    changes: &[
        ("flows.h3.paths", "[[\"access3\", \"bottleneck1\", \"shared\"]]"),
        ("flows.h5.paths", "[[\"access5\", \"bottleneck2\", \"shared\"]]"),
    ],
    tcp: &[("h3", 20.0), ("h5", 20.0), ("h7", 20.0), ("h9", 20.0)],
    ..S5
};

/// Duration of a run, in seconds; the paper does not give one.
pub(super) fn duration_s(size: Size) -> f64 {
    size.own(60.0)
}

/// Times the seeds of a long run.
const REPEATS: u32 = 2;

impl Scenario {
    /// Its simulation.
    pub fn setup(&self, cc: Algorithm, size: Size) -> Setup {
        let setup = Setup::new(format!("{}, {}", self.name, cc.name), self.file)
            .set("flows.mptcp.cc", cc.cc)
            .lasting(duration_s(size), 0.0)
            .repeats(REPEATS);
        let setup = if cc == LINKED { setup.at_most(3) } else { setup };
        self.changes.iter().fold(setup, |setup, (key, value)| setup.set(key, *value))
    }

    /// The connection's throughput ÷ its ideal one.
    pub fn share(&'static self, run: SetupId) -> Quantity {
        measure(run, |run| Some(run.goodput("mptcp")? / self.ideal))
    }

    /// A subflow's throughput ÷ half of the connection's ideal one.
    pub fn subflow_share(&'static self, run: SetupId, r: usize) -> Quantity {
        measure(run, move |run| Some(run.subflow_goodput("mptcp", r)? / (self.ideal / 2.0)))
    }

    /// A TCP flow's throughput ÷ its ideal one.
    pub fn tcp_share(&'static self, run: SetupId, i: usize) -> Quantity {
        let (flow, ideal) = self.tcp[i];
        measure(run, move |run| Some(run.goodput(flow)? / ideal))
    }

    /// The mean of h3's and h5's throughput ÷ their ideal one.
    pub fn tcp_shares(&'static self, run: SetupId) -> Quantity {
        measure(run, |run| {
            let shares = self.tcp[..2].iter().map(|(flow, ideal)| Some(run.goodput(flow)? / ideal));
            Some(shares.sum::<Option<f64>>()? / 2.0)
        })
    }

    /// Jain's index as the paper takes it: over the connection and the TCP flows in Scenarios 1 and 3; in 2 and 4 over
    /// subflow and TCP flow of each bottleneck, the mean of both. In Scenario 5, where it does not say, over all
    /// connections, each relative to its ideal throughput.
    pub fn jain(&'static self, run: SetupId) -> Quantity {
        measure(run, |run| match self.id {
            "S2" | "S4" => {
                let on = |r, flow| jain(&[run.subflow_goodput("mptcp", r)?, run.goodput(flow)?]);
                Some((on(0, "h3")? + on(1, "h5")?) / 2.0)
            }
            _ => jain(&self.shares(run)?),
        })
    }

    /// Each connection's throughput ÷ its ideal one.
    fn shares(&self, run: &Outcome) -> Option<Vec<f64>> {
        let flows = std::iter::once(("mptcp", self.ideal)).chain(self.tcp.iter().copied());
        flows.map(|(flow, ideal)| Some(run.goodput(flow)? / ideal)).collect()
    }
}

/// The simulations of some algorithms in one setting.
pub(super) struct Runs(Vec<(Algorithm, SetupId)>);

impl Runs {
    /// Adds them to `plan`.
    pub fn of(plan: &mut Plan, algorithms: &[Algorithm], setup: impl Fn(Algorithm) -> Setup) -> Self {
        Runs(algorithms.iter().map(|cc| (*cc, plan.simulate(setup(*cc)))).collect())
    }

    /// That algorithm's.
    ///
    /// # Panics
    /// Where it is not among them: a mistake in the plan.
    pub fn get(&self, cc: Algorithm) -> SetupId {
        self.0.iter().find(|(known, _)| *known == cc).expect("an algorithm of these runs").1
    }

    /// Each with its algorithm.
    pub fn iter(&self) -> impl Iterator<Item = (Algorithm, SetupId)> {
        self.0.iter().copied()
    }

    /// The claim that with `last` a quantity is higher than with each of `others`.
    pub fn highest<'a>(
        &self,
        plan: &'a mut Plan,
        (id, claim): (String, String),
        unit: &'static str,
        (others, last): (&[Algorithm], Algorithm),
        quantity: impl Fn(SetupId) -> Quantity,
    ) -> &'a mut RowPlan {
        let all = others.iter().chain([&last]);
        plan.highest(id, claim, unit, all.map(|cc| (cc.name, quantity(self.get(*cc)))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Tab. 1's ideal throughputs fill every bottleneck of the topologies, to the last bit.
    #[test]
    fn ideal_throughputs_fill_the_bottlenecks() {
        let full = |scenario: &Scenario, expected: &[(&str, f64)]| {
            let model = scenario.setup(LIA, Size::Default).scenario().unwrap();
            let mut load: BTreeMap<&str, f64> = BTreeMap::new();
            for flow in &model.flows {
                let tcp = scenario.tcp.iter().find(|(name, _)| *name == flow.name).map(|(_, ideal)| *ideal);
                let ideal = tcp.unwrap_or(scenario.ideal / flow.paths.len() as f64);
                for link in flow.paths.iter().flat_map(|path| &path.links) {
                    *load.entry(model.links[*link].name.as_str()).or_default() += ideal * 1e6;
                }
            }
            let rate = |name: &str| model.links.iter().find(|l| l.name == name).unwrap().spec.rate_bps;
            for (name, load) in &load {
                let part = expected
                    .iter()
                    .find(|(known, _)| known == name)
                    .map_or(0.0..0.9, |(_, part)| *part..*part + 1e-9);
                assert!(part.contains(&(load / rate(name))), "{}, {name}: {load}", scenario.name);
            }
        };
        full(&FIG_1A, &[("bottleneck", 1.0)]);
        full(&S1, &[("bottleneck", 1.0)]);
        full(&S2, &[("bottleneck1", 1.0), ("bottleneck2", 1.0)]);
        full(&S3, &[("shared", 1.0)]);
        full(&S4, &[("bottleneck1", 1.0), ("bottleneck2", 1.0)]);
        full(&S5, &[("bottleneck1", 1.0), ("bottleneck2", 1.0), ("shared", 1.0)]);
        full(&S5_CROSSING, &[("bottleneck1", 1.0), ("bottleneck2", 1.0), ("shared", 1.0)]);
    }
}
