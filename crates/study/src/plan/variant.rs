//! Sensitivity variants: an experiment's simulations repeated under another assumption or on another backend.

pub use crate::fidelity::LINUX_HOSTS_SET;
pub use crate::outcome::base;

use crate::measured::Measurements;
use crate::setup::{Setup, distinct};
use crate::task::{Backend, SIM};
use anabranch_cc::registry::{self, ParamValue, Value};
use anabranch_scenario::{CongestionControl, Flow, Scenario, ScenarioError, quoted_key};
use indexmap::IndexMap;

/// The beginning of identifiers of variants that show measured runs.
pub(crate) const MEASURED: &str = "measured-";

/// An assumption under which experiments are repeated: rows get a second value and verdict by the same rule.
pub struct Variant {
    /// Its identifier in results: "v0".
    pub id: &'static str,
    /// A short title.
    pub title: &'static str,
    /// The difference from the default, in a sentence.
    pub meaning: &'static str,
    /// The note for experiments that it does not change.
    pub unchanged: &'static str,
    /// It has the default's seeds divided by this, rounded up.
    one_in: u32,
    change: Change,
}

/// The difference of a variant.
enum Change {
    /// The scenario.
    Scenario(fn(Setup, &Scenario) -> Setup),
    /// The program that runs it.
    Backend(&'static dyn Backend),
    /// Measured runs take the place of simulated ones.
    Measured(fn() -> &'static Measurements),
}

impl Variant {
    /// A variant that runs the same simulations on another backend, with the default's seeds.
    pub const fn on(
        backend: &'static dyn Backend,
        id: &'static str,
        title: &'static str,
        meaning: &'static str,
        unchanged: &'static str,
    ) -> Self {
        Variant { id, title, meaning, unchanged, one_in: 1, change: Change::Backend(backend) }
    }

    /// A variant that shows measured runs of the same simulations.
    pub const fn measured(
        id: &'static str,
        meaning: &'static str,
        measurements: fn() -> &'static Measurements,
    ) -> Self {
        let change = Change::Measured(measurements);
        Variant { id, title: "Linux", meaning, unchanged: "", one_in: 1, change }
    }

    pub(crate) fn is_of_backend(&self) -> bool {
        !matches!(self.change, Change::Scenario(_))
    }

    pub(crate) fn is_measured(&self) -> bool {
        matches!(self.change, Change::Measured(_))
    }

    /// Notes on simulations without a value, of which those `with` one are marked.
    pub(crate) fn refused(&self, setups: &[Setup], with: &[bool], seeds: u32) -> Vec<String> {
        match self.change {
            Change::Scenario(_) => vec![],
            Change::Backend(backend) => refused(backend, setups, seeds),
            Change::Measured(measurements) => measurements().missing(setups, with),
        }
    }

    /// The simulation in this variant; `None` if it equals the default's, or the study gives it a backend.
    pub fn of(&self, setup: &Setup) -> Result<Option<Setup>, ScenarioError> {
        if *setup.backend != *SIM {
            return Ok(None);
        }
        let changed = match self.change {
            Change::Scenario(change) => Some(change(setup.clone(), &setup.scenario()?)),
            Change::Backend(backend) => {
                backend.refuses(&setup.scenario()?).is_none().then(|| setup.clone().on(backend))
            }
            Change::Measured(measurements) => measurements().of(setup)?,
        };
        let Some(mut changed) = changed else { return Ok(None) };
        changed.title += &format!(", {}", self.title);
        changed.one_in = self.one_in;
        Ok((changed.command(1) != setup.command(1)).then_some(changed))
    }
}

/// The arithmetic of out-of-tree MPTCP (v0.9x), which the papers ran.
pub static OUT_OF_TREE: Variant = Variant {
    id: "v0",
    title: "out-of-tree MPTCP (v0.9x)",
    meaning: "The coupled algorithms use the arithmetic of the out-of-tree MPTCP kernel that the papers ran (`lia@v0` and so on; see `anabranch cc show lia`). By default they follow the RFCs and papers. Half of the default seeds.",
    unchanged: "Not run with out-of-tree MPTCP: every algorithm here has the same arithmetic there.",
    one_in: 2,
    change: Change::Scenario(|setup, scenario| algorithms(setup, scenario, out_of_tree)),
};

/// The same algorithm in the arithmetic of out-of-tree MPTCP, if that is known.
fn out_of_tree(cc: &CongestionControl) -> Option<CongestionControl> {
    let entry = registry::find(&format!("{}@v0", cc.entry.name))?;
    Some(CongestionControl { entry, params: cc.params.clone() })
}

/// Slow start without HyStart++.
pub static NO_HYSTART: Variant = Variant {
    id: "plain-start",
    title: "no HyStart++",
    meaning: "Every slow start ends at a loss or at its threshold. By default only CUBIC and the algorithms derived from it also end it by HyStart++ (RFC 9406), so comparisons mix two kinds of slow start. Half of the default seeds.",
    unchanged: "Not run without HyStart++: nothing here uses it.",
    one_in: 2,
    change: Change::Scenario(|setup, scenario| algorithms(setup, scenario, without_hystart)),
};

/// The same algorithm without HyStart++, if it has that by default and nothing else is set.
fn without_hystart(cc: &CongestionControl) -> Option<CongestionControl> {
    const KEY: &str = "hystart";
    let param = cc.entry.params.iter().find(|param| param.name == KEY)?;
    let has = param.default == Value::Flag(true) && cc.params.iter().all(|(name, _)| name != KEY);
    let off = (KEY.to_owned(), ParamValue::Flag(false));
    has.then(|| CongestionControl { params: [&*cc.params, &[off]].concat(), ..*cc })
}

/// Links with a clock.
pub static TICK: Variant = Variant {
    id: "tick",
    title: "links with a clock",
    meaning: "Every link sends packets only at the ticks of a 1 ms clock, as Dummynet does with its usual clock. A third of the default seeds.",
    unchanged: "Not run with a link clock: there is no link.",
    one_in: 3,
    change: Change::Scenario(tick),
};

/// Hosts that send in bursts.
pub static TSO: Variant = Variant {
    id: "tso",
    title: "hosts with TSO",
    meaning: "Every sender leaves segmentation to its network card, as Linux does, so segments leave in bursts. A third of the default seeds.",
    unchanged: "Not run with TSO: there is no flow.",
    one_in: 3,
    change: Change::Scenario(tso),
};

/// Linux-accurate hosts: shows which differences from another backend the host model explains.
pub static LINUX_HOSTS: Variant = Variant {
    id: "linux-hosts",
    title: "Linux-accurate hosts",
    meaning: "The simulator with `hosts = \"linux\"`: bursts, ACKs, options and the scheduler as in Linux.",
    unchanged: "Not run with Linux-accurate hosts: the hosts are Linux-accurate by default.",
    one_in: 1,
    change: Change::Scenario(|setup, scenario| {
        let (key, value) = LINUX_HOSTS_SET.split_once('=').expect("an assignment");
        let changed = setup.clone().set(key, value);
        let is_other = changed.scenario().map_or(true, |changed| changed.hash != scenario.hash);
        if is_other { changed } else { setup }
    }),
};

/// Links with a clock, and hosts with TSO.
pub static TICK_AND_TSO: Variant = Variant {
    id: "tick+tso",
    title: "clock and TSO",
    meaning: "Links with a 1 ms clock and hosts with TSO. A third of the default seeds.",
    unchanged: "Not run with a link clock and TSO: there is no link or flow.",
    one_in: 3,
    change: Change::Scenario(|setup, scenario| tso(tick(setup, scenario), scenario)),
};

/// Every variant that a study may choose.
pub(crate) static ALL: [&Variant; 5] = [&OUT_OF_TREE, &NO_HYSTART, &TICK, &TSO, &TICK_AND_TSO];

fn tick(setup: Setup, scenario: &Scenario) -> Setup {
    let key = |name: &str| format!("links.{}.tick", quoted_key(name));
    scenario.link_keys().into_iter().fold(setup, |setup, link| setup.set(&key(link), "1 ms"))
}

fn tso(setup: Setup, scenario: &Scenario) -> Setup {
    let key = |name: &str| format!("flows.{}.tcp.tso", quoted_key(name));
    flows(scenario).into_iter().fold(setup, |setup, flow| setup.set(&key(&flow.key), "true"))
}

/// The flows as the file has them: one of each count.
fn flows(scenario: &Scenario) -> Vec<&Flow> {
    let mut flows: Vec<&Flow> = scenario.flows.iter().collect();
    flows.dedup_by_key(|flow| &flow.key);
    flows
}

/// Changes every flow's algorithm with `change`, which gives `None` for one that stays.
fn algorithms(
    setup: Setup,
    scenario: &Scenario,
    change: fn(&CongestionControl) -> Option<CongestionControl>,
) -> Setup {
    let key = |flow: &Flow| format!("flows.{}.cc", quoted_key(&flow.key));
    let flows = flows(scenario).into_iter();
    let others: Vec<_> = flows.map(|flow| (key(flow), change(&flow.cc), &flow.cc)).collect();
    if others.iter().all(|(_, other, _)| other.is_none()) {
        return setup;
    }
    // `--cc` would override these keys.
    let was_chosen = setup.cc.is_some();
    let mut setup = Setup { cc: None, ..setup };
    for (key, other, same) in &others {
        if let Some(cc) = other.as_ref().or(was_chosen.then_some(*same)) {
            setup = setup.set(key, cc.to_string());
        }
    }
    setup
}

/// Sentences on simulations that a backend cannot run, one for each reason.
fn refused(backend: &dyn Backend, setups: &[Setup], seeds: u32) -> Vec<String> {
    let all: u32 = distinct(setups).map(|i| setups[i].seeds(seeds)).sum();
    let mut reasons: IndexMap<String, u32> = IndexMap::new();
    for setup in distinct(setups).map(|i| &setups[i]) {
        if let Some(why) = setup.scenario().ok().and_then(|scenario| backend.refuses(&scenario)) {
            *reasons.entry(of_any_flow(&why)).or_default() += setup.seeds(seeds);
        }
    }
    let sentence =
        |(why, count): (String, u32)| format!("{count} of {all} runs cannot run on this backend: {why}.");
    reasons.into_iter().map(sentence).collect()
}

/// The reason without the flow's name, which differs among scenarios: "`flows.*.cc`: …".
fn of_any_flow(why: &str) -> String {
    let key = why.strip_prefix("`flows.").and_then(|rest| rest.split_once('`'));
    let parts = key.and_then(|(key, rest)| Some((key.split_once('.')?.1, rest)));
    parts.map_or_else(|| why.to_owned(), |(key, rest)| format!("`flows.*.{key}`{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::ScenarioFile;

    /// Names of the file with a slash, or with the number that a count would add, are the keys of their flows.
    #[test]
    fn flows_go_by_their_names_in_the_file() {
        let flow = |name: &str| format!("[[flows]]\nname = \"{name}\"\ncc = \"reno\"\npaths = [[\"a\"]]\n");
        let links = "[links.a]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n";
        let flows = ["up/1", "up/2", "up/down"].map(flow).concat();
        let text = format!("name = \"x\"\nduration = \"1 s\"\n{links}{flows}{}count = 2\n", flow("web"));
        let setup = Setup::new("x", &ScenarioFile::named("x.toml", &text));
        let changed = tso(setup.clone(), &setup.scenario().unwrap());
        assert_eq!(changed.set.len(), 4);
        assert!(changed.scenario().unwrap().flows.iter().all(|flow| flow.tcp.tso));
    }
}
