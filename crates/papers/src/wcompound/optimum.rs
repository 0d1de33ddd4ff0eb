//! C-N: the network-utility problem that wCompound is derived from, solved, beside what wCompound does.

use super::{WCOMPOUND, fairness, two_links};
use crate::paper::Definition;
use anabranch_ideal::utility::{Allocation, Connection, maximise};
use anabranch_record::{FlowSummary, SubflowSummary};
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Outcome, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

pub(super) const OPTIMUM: Definition = Definition {
    ids: &["C-N"],
    title: "The utility problem (18), solved, beside the measured rates where everybody runs wCompound",
    notes: &[
        "Eq. 18 with Eq. 38: maximise Σ α_s·log y_s over the rates, no link beyond its capacity, solved with \
         exponential cones (Clarabel). The totals y_s are unique, their split between routes is not. Each \
         seed has its own weights: α_s = Σ_r α_{s,r} (Eq. 36) of the measured mean thresholds.",
        "Eq. 39's α_s is shown as well. Where E is negative it is 0 by our reading, and the thresholds are \
         at their floor of one segment per subflow; with weights of 0 every allocation would be optimal.",
        "The runs are those of C-F2 and C-F4 with single-path wCompound in place of CUBIC. With CUBIC there \
         is no such problem: CUBIC's rate does not follow from a price that wCompound reacts to, the \
         queueing delay, so they have no common utility.",
        "By Eq. 37 the price of a route is α_s/y_s, in seconds: the queueing delay RTT − baseRTT. The links' \
         multipliers stand beside the mean delay of their queues. Rates are mean Mbit/s at IP level.",
        "With buffers of one BDP, and of a tenth, where the delay window has a part (C-X1, beside CUBIC). On one link the \
         optimum gives a connection as much as its thresholds weigh, about the same for each subflow, so \
         that two subflows have about twice what a single-path flow has, against goal (iii) of the paper's \
         Sec. II.B.",
        "Rates that agree are no convergence by themselves: with every threshold at its floor the optimum has two subflows count \
         twice, and so have two uncoupled Reno flows. Prices beside the queues' delays tell these apart.",
    ],
    plan,
};

/// Why rates differ on two links.
const BECAUSE: &str = "The optimum pools the links. An even split of each link by its subflows would be 15 Mbit/s to each of the ten \
                       on link 1 and 30 to each of the five on link 2, 45 for a connection over both. Rows .alpha and .weight have the \
                       thresholds of these runs.";

/// A case: the run's name in rows and for readers, the links' names with Mbit/s and their buffer, and each group with its
/// routes.
struct Case {
    id: &'static str,
    place: &'static str,
    links: &'static [(&'static str, f64)],
    buffer: &'static str,
    groups: [Group; 2],
    setup: fn(Size) -> Setup,
}

/// Connections alike.
#[derive(Clone, Copy)]
struct Group {
    /// Its flows are `name/1`, `name/2`, ….
    name: &'static str,
    what: &'static str,
    /// For each route the indices of its links.
    routes: &'static [&'static [usize]],
    /// Payload of its packets, in bytes: MPTCP's option takes 20.
    payload: f64,
}

const MPTCP: Group = Group { name: "mptcp", what: "MPTCP", routes: &[&[0], &[1]], payload: 1428.0 };
const TCP: Group = Group { name: "tcp", what: "single-path", routes: &[&[0]], payload: 1448.0 };
/// A packet, in bytes.
const PACKET: f64 = 1500.0;

const TWO_LINKS: Case = Case {
    id: "F2",
    place: "two links",
    links: &[("link1", 150.0), ("link2", 150.0)],
    buffer: "1 BDP",
    groups: [MPTCP, TCP],
    setup: |size| two_links::two_links(WCOMPOUND, size),
};

const ONE_LINK: Case = Case {
    id: "F4",
    place: "one link",
    links: &[("link", 300.0)],
    buffer: "1 BDP",
    groups: [Group { routes: &[&[0], &[0]], ..MPTCP }, TCP],
    setup: |size| fairness::one_link(WCOMPOUND, WCOMPOUND, size),
};

static CASES: [Case; 4] = [
    TWO_LINKS,
    ONE_LINK,
    Case { id: "F2.tenth-bdp", place: "two links, 0.1 BDP", buffer: "0.1 BDP", ..TWO_LINKS },
    Case { id: "F4.tenth-bdp", place: "one link, 0.1 BDP", buffer: "0.1 BDP", ..ONE_LINK },
];

impl Case {
    /// The flows of a run with their groups.
    fn flows<'a>(&'a self, run: &'a Outcome) -> impl Iterator<Item = (&'a Group, &'a FlowSummary)> {
        run.summary.flows.iter().filter_map(|flow| {
            let base = flow.name.split('/').next()?;
            Some((self.groups.iter().find(|group| group.name == base)?, flow))
        })
    }

    /// The optimum for a run's measured weights: totals in Mbit/s, prices in segments per Mbit/s.
    fn optimum(&self, run: &Outcome) -> Option<Allocation> {
        let connection = |(group, flow): (&Group, &FlowSummary)| {
            let routes = group.routes.iter().map(|links| links.to_vec()).collect();
            Some(Connection { weight: thresholds(flow)?, routes })
        };
        let connections: Vec<Connection> = self.flows(run).map(connection).collect::<Option<_>>()?;
        let capacities: Vec<f64> = self.links.iter().map(|(_, rate)| *rate).collect();
        maximise(&capacities, &connections).ok()
    }

    /// A group's mean rate in the optimum.
    fn optimal_rate(&self, run: &Outcome, group: &Group) -> Option<f64> {
        let totals = self.optimum(run)?.totals;
        let own = self.flows(run).zip(totals).filter(|((of, _), _)| of.name == group.name);
        mean(own.map(|(_, total)| Some(total)))
    }

    /// A value's mean over a group.
    fn mean(&self, run: &Outcome, group: &Group, value: impl Fn(&FlowSummary) -> Option<f64>) -> Option<f64> {
        mean(self.flows(run).filter(|(of, _)| of.name == group.name).map(|(_, flow)| value(flow)))
    }

    /// A group's measured mean rate, in Mbit/s at IP level.
    fn rate(&self, run: &Outcome, group: &Group) -> Option<f64> {
        self.mean(run, group, |flow| Some(flow.goodput_bps? / 1e6 * PACKET / group.payload))
    }

    /// The optimum's price of link `i`, in milliseconds: α_s in segments ÷ rates in segments per second.
    fn price_ms(&self, run: &Outcome, i: usize) -> Option<f64> {
        Some(self.optimum(run)?.prices[i] * PACKET * 8.0 / 1e6 * 1e3)
    }

    /// Link `i`'s mean queueing delay, in milliseconds.
    fn queueing_ms(&self, run: &Outcome, i: usize) -> Option<f64> {
        let (name, rate) = self.links[i];
        let link = run.summary.links.iter().find(|link| link.name == name)?;
        Some(link.mean_queue_bytes * 8.0 / (rate * 1e6) * 1e3)
    }
}

/// The sum of a connection's mean thresholds, in segments (Eq. 36).
fn thresholds(flow: &FlowSummary) -> Option<f64> {
    flow.subflows.iter().map(|subflow| observable(subflow, "alpha_r")).sum()
}

/// A connection's mean α_s by Eq. 39, in segments; each of its subflows reports it.
fn alpha_s(flow: &FlowSummary) -> Option<f64> {
    observable(flow.subflows.first()?, "alpha_s")
}

fn observable(subflow: &SubflowSummary, name: &str) -> Option<f64> {
    subflow.mean_observables.iter().find(|(known, _)| known == name)?.1
}

fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Where everybody runs wCompound.
fn setup(case: &Case, size: Size) -> Setup {
    let mut setup = (case.setup)(size).set("flows.tcp.cc", WCOMPOUND.0);
    setup.title = format!("all wCompound, {}", case.place);
    for (link, _) in case.links {
        setup = setup.set(&format!("links.{link}.queue"), case.buffer);
    }
    setup
}

fn plan(size: Size) -> Plan {
    let mut plan = Plan::new();
    for case in &CASES {
        let run = plan.simulate(setup(case, size));
        for group in &case.groups {
            let id = |row: &str| format!("C-N.{}.{}.{row}", case.id, group.name);
            let what = |what: &str| format!("{}, {}: {what}", case.place, group.what);
            let of_group = |value: fn(&FlowSummary) -> Option<f64>| {
                measure(run, move |run| case.mean(run, group, value))
            };
            plan.row(id("alpha"), what("mean α_s by Eq. 39"), "segments", of_group(alpha_s));
            plan.row(
                id("weight"),
                what("Σ of the mean thresholds, the weight"),
                "segments",
                of_group(thresholds),
            );
            plan.row(id("optimal"), what("rate in the optimum"), "Mbit/s", optimal(case, group, run));
            plan.row(id("measured"), what("measured rate"), "Mbit/s", measured(case, group, run));
            let ratio =
                measure(run, move |run| Some(case.rate(run, group)? / case.optimal_rate(run, group)?));
            plan.row(id("ratio"), what("measured ÷ optimal"), "", ratio)
                .claim("the iteration converges to the optimum of (18) (Sec. III.B)", Rule::Near(1.0))
                .because(BECAUSE);
        }
        for (i, (link, _)) in case.links.iter().enumerate() {
            let id = |row: &str| format!("C-N.{}.{link}.{row}", case.id);
            let what = |what: &str| format!("{}, {link}: {what}", case.place);
            plan.row(
                id("price"),
                what("price in the optimum"),
                "ms",
                measure(run, move |run| case.price_ms(run, i)),
            );
            let delay = measure(run, move |run| case.queueing_ms(run, i));
            plan.row(id("queueing"), what("measured queueing delay"), "ms", delay);
        }
        plan.figure(move |runs| {
            let bar = |quantity: fn(&'static Case, &'static Group, SetupId) -> Quantity| {
                case.groups
                    .iter()
                    .filter_map(|group| runs.bar(group.what, &quantity(case, group, run)))
                    .collect()
            };
            let drawn = vec![series("optimum of (18)", bar(optimal)), series("measured", bar(measured))];
            Figure {
                id: format!("C-N.{}", case.id),
                title: format!("Rates with wCompound alone, {}", case.place),
                panels: vec![bars("", axis("mean rate (Mbit/s)"), drawn)],
            }
        });
    }
    plan
}

fn optimal(case: &'static Case, group: &'static Group, run: SetupId) -> Quantity {
    measure(run, move |run| case.optimal_rate(run, group))
}

fn measured(case: &'static Case, group: &'static Group, run: SetupId) -> Quantity {
    measure(run, move |run| case.rate(run, group))
}
