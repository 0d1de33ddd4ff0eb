//! D-F7 to D-F11: throughput ÷ fair share in each scenario, and the headline.

use super::{scenario::*, why};
use crate::paper::Definition;
use anabranch_study::draw::{axis, boxes, series};
use anabranch_study::{Axis, Figure, Panel, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, RowPlan, SetupId, compare, measure};

/// The figure of a scenario.
struct Shares {
    id: &'static str,
    scenario: &'static Scenario,
    runs: Runs,
    /// Linked CUBIC's.
    linked: SetupId,
}

/// What the vertical axes show.
fn ratio() -> Axis {
    Axis { domain: Some((0.0, 2.0)), ..axis("throughput ÷ fair share") }
}

impl Shares {
    fn new(plan: &mut Plan, id: &'static str, scenario: &'static Scenario, size: Size) -> Self {
        let runs = Runs::of(plan, &ALL, |cc| scenario.setup(cc, size));
        let linked = plan.simulate(scenario.setup(LINKED, size));
        let what = |what: &str| format!("{}: {what}", LINKED.name);
        plan.row(format!("{id}.linked"), what("MPTCP throughput ÷ fair share"), "", scenario.share(linked));
        let tcp = what("TCP throughput ÷ fair share, mean of h3 and h5");
        plan.row(format!("{id}.linked.tcp"), tcp, "", scenario.tcp_shares(linked));
        Shares { id, scenario, runs, linked }
    }

    fn quantity(&self, cc: Algorithm) -> Quantity {
        self.scenario.share(self.runs.get(cc))
    }

    /// The connection's share.
    fn share<'a>(&self, plan: &'a mut Plan, cc: Algorithm) -> &'a mut RowPlan {
        let what = format!("{}: MPTCP throughput ÷ fair share", cc.name);
        plan.row(format!("{}.{}", self.id, cc.id), what, "", self.quantity(cc))
    }

    /// The share of h3 and h5.
    fn tcp<'a>(&self, plan: &'a mut Plan, cc: Algorithm) -> &'a mut RowPlan {
        let what = format!("{}: TCP throughput ÷ fair share, mean of h3 and h5", cc.name);
        let quantity = self.scenario.tcp_shares(self.runs.get(cc));
        plan.row(format!("{}.{}.tcp", self.id, cc.id), what, "", quantity)
    }

    /// The claim that ADW's share is above those of LIA, OLIA and BALIA.
    fn highest<'a>(&self, plan: &'a mut Plan, adw: Algorithm) -> &'a mut RowPlan {
        let claim = format!("{}: higher throughput than LIA, OLIA and BALIA", adw.name);
        let id = format!("{}.{}.highest", self.id, adw.id);
        self.runs.highest(plan, (id, claim), "", (&EXISTING, adw), |run| self.scenario.share(run))
    }

    /// The claim that one algorithm's share is above another's.
    fn order<'a>(
        &self,
        plan: &'a mut Plan,
        (id, claim): (&str, &str),
        (low, high): ((&'static str, Quantity), (&'static str, Quantity)),
    ) -> &'a mut RowPlan {
        plan.ordering(format!("{}.{id}", self.id), claim, "", vec![low, high])
    }

    /// The paper's box plots, a panel for each algorithm.
    fn figure(self, plan: &mut Plan, more: Vec<(&'static str, &'static Scenario, SetupId)>) {
        let Shares { id, scenario, runs, linked } = self;
        let mut all: Vec<_> = runs.iter().map(|(cc, run)| (cc.name, scenario, run)).collect();
        all.extend(more);
        all.push((LINKED.name, scenario, linked));
        plan.figure(move |runs| {
            let panel = |(i, (name, scenario, run)): (usize, &(&str, &'static Scenario, SetupId))| -> Panel {
                let each = shown(scenario, *run);
                let points = each.iter().flat_map(|(label, quantity)| runs.spread(label, quantity));
                let letter = char::from(b'a' + u8::try_from(i).unwrap_or(0));
                boxes(format!("({letter}) {name}"), ratio(), vec![series(*name, points.collect())])
            };
            Figure {
                id: id.into(),
                title: format!("{}: throughput ÷ fair share over seeds", scenario.name),
                panels: all.iter().enumerate().map(panel).collect(),
            }
        });
    }
}

/// What a panel shows: the connection, its subflows where each has a bottleneck of its own, the TCP flows.
fn shown(scenario: &'static Scenario, run: SetupId) -> Vec<(&'static str, Quantity)> {
    let mut shown = vec![("MPTCP", scenario.share(run))];
    if !matches!(scenario.id, "S1" | "S1-independent" | "S3") {
        shown.push(("subflow 1", scenario.subflow_share(run, 0)));
        shown.push(("subflow 2", scenario.subflow_share(run, 1)));
    }
    shown.extend(scenario.tcp.iter().enumerate().map(|(i, (flow, _))| (*flow, scenario.tcp_share(run, i))));
    shown
}

pub(super) const SCENARIO_1: Definition = Definition {
    ids: &["D-F7"],
    title: "Scenario 1: two subflows and two TCP flows on a shared bottleneck",
    notes: &[
        "60 Mbit/s, RTT 10 ms, buffer 1 BDP. The ideal is 20 Mbit/s each for the connection, h3 and h5.",
        "\"Independent Reno\" is the MPTCP host with MPTCP off: a third TCP flow.",
        OURS,
    ],
    plan: scenario_1,
};

fn scenario_1(size: Size) -> Plan {
    let mut plan = Plan::new();
    let shares = Shares::new(&mut plan, "D-F7", &S1, size);
    let independent = plan.simulate(INDEPENDENT.setup(INDEPENDENT_RENO, size));
    for cc in EXISTING {
        shares
            .share(&mut plan, cc)
            .claim("between 0.8 and 0.9", Rule::Within(0.8, 0.9))
            .because("D-X1 has other receivers, the column beside the arithmetic of the paper's kernel.");
        shares.tcp(&mut plan, cc);
    }
    for adw in READINGS {
        shares.share(&mut plan, adw);
        shares
            .tcp(&mut plan, adw)
            .claim("close to their fair share", Rule::Near(1.0))
            .because(why::UNDETECTED);
        shares.highest(&mut plan, adw);
    }
    shares.share(&mut plan, UNCOUPLED).published(1.5);
    shares.tcp(&mut plan, UNCOUPLED);
    plan.row(
        "D-F7.independent",
        "independent Reno: throughput ÷ fair share",
        "",
        INDEPENDENT.share(independent),
    )
    .claim("near the fair 1.0", Rule::Near(1.0));
    plan.row(
        "D-F7.independent.tcp",
        "independent Reno: TCP throughput ÷ fair share, mean of h3 and h5",
        "",
        INDEPENDENT.tcp_shares(independent),
    )
    .claim("near the fair 1.0", Rule::Near(1.0));
    let apart = |run| measure(run, |run| Some((run.goodput("h3")? - run.goodput("h5")?).abs() / 20.0));
    plan.highest(
        "D-F7.independent.wide",
        "independent Reno: large deviations; here h3 and h5 apart, ÷ fair share",
        "",
        [LIA, OLIA, BALIA, ADW]
            .map(|cc| (cc.name, apart(shares.runs.get(cc))))
            .into_iter()
            .chain([("independent Reno", apart(independent))])
            .collect(),
    );
    shares.figure(&mut plan, vec![(INDEPENDENT_RENO.name, &INDEPENDENT, independent)]);
    plan
}

/// ADW against the fair share on separate bottlenecks.
const ADW_BASE: &str = "D-H has the gain over BALIA, and row D-F8.balia what it is a gain over.";

pub(super) const SCENARIO_2: Definition = Definition {
    ids: &["D-F8", "D-H"],
    title: "Scenario 2: each subflow and a TCP flow on a bottleneck of their own; the headline",
    notes: &[
        "60 Mbit/s on each bottleneck, RTT 10 ms, buffer 1 BDP. The ideal is 60 Mbit/s for the connection, 30 each \
         for h3 and h5.",
        "The headline, \"20 %\", is against BALIA in the body and against the default of Linux, LIA, in the \
         conclusion: both are tested.",
        OURS,
    ],
    plan: scenario_2,
};

fn scenario_2(size: Size) -> Plan {
    let mut plan = Plan::new();
    let shares = Shares::new(&mut plan, "D-F8", &S2, size);
    shares.share(&mut plan, LIA).published(0.75).because(why::TOGETHER);
    shares.share(&mut plan, OLIA);
    let worst = measure(shares.runs.get(OLIA), |run| {
        let share = |r| Some(run.subflow_goodput("mptcp", r)? / 30.0);
        Some(f64::min(share(0)?, share(1)?))
    });
    plan.row("D-F8.olia.worst", "OLIA: the slower subflow's throughput ÷ fair share", "", worst)
        .claim("in the worst case nearly half of the fair share", Rule::Near(0.5))
        .because("The mean over seeds of each run's slower subflow.");
    shares.share(&mut plan, BALIA);
    shares.runs.highest(
        &mut plan,
        ("D-F8.balia.highest".into(), "BALIA has the best performance among LIA, OLIA and BALIA".into()),
        "",
        (&[LIA, OLIA], BALIA),
        |run| S2.share(run),
    )
    .because(
        "Where the windows are equal BALIA adds and takes away what LIA does. Where they are not, it takes up to three quarters \
         of the smaller one and adds more to it.",
    );
    for adw in READINGS {
        shares.share(&mut plan, adw).claim("almost fair", Rule::Near(1.0)).because(ADW_BASE);
        shares.highest(&mut plan, adw);
    }
    shares.share(&mut plan, UNCOUPLED);
    let against_tcp =
        measure(shares.runs.get(UNCOUPLED), |run| Some(run.goodput("mptcp")? / run.total(&["h3", "h5"])?));
    plan.row("D-F8.uncoupled.ratio", "uncoupled Reno: MPTCP ÷ both TCP flows", "", against_tcp)
        .published(1.2)
        .because(
            "Each subflow is a Reno flow beside another with the same RTT: equal shares by symmetry. MPTCP's headers take 20 \
             bytes more of each packet.",
        );
    for cc in ALL {
        shares.tcp(&mut plan, cc);
    }
    for adw in READINGS {
        for (other, whose) in [(BALIA, "in the body"), (LIA, "in the conclusion")] {
            let gain = compare(shares.runs.get(adw), shares.runs.get(other), |adw, other| {
                Some(adw.goodput("mptcp")? / other.goodput("mptcp")?)
            });
            plan.row(
                format!("D-H.{}.{}", adw.id, other.id),
                format!("{}: MPTCP throughput ÷ that of {}, {whose}", adw.name, other.name),
                "",
                gain,
            )
            .published(1.2);
        }
    }
    shares.figure(&mut plan, vec![]);
    plan
}

pub(super) const SCENARIO_3: Definition = Definition {
    ids: &["D-F9"],
    title: "Scenario 3: separate bottlenecks and then a shared one, which binds",
    notes: &[
        "60 Mbit/s everywhere, RTT 20 ms, buffer 1 BDP on each link. The ideal is 20 Mbit/s each.",
        OURS,
    ],
    plan: scenario_3,
};

fn scenario_3(size: Size) -> Plan {
    let mut plan = Plan::new();
    let shares = Shares::new(&mut plan, "D-F9", &S3, size);
    for cc in EXISTING {
        shares
            .share(&mut plan, cc)
            .claim("between 0.7 and 0.8", Rule::Within(0.7, 0.8))
            .because(why::LESS_TOGETHER);
        let slower = plan.simulate(slower(S1.setup(cc, size)));
        let what = format!("{}, Scenario 1 with an RTT of 20 ms: MPTCP throughput ÷ fair share", cc.name);
        plan.row(format!("D-F9.{}.S1-20ms", cc.id), what, "", S1.share(slower));
        let first = plan.simulate(S1.setup(cc, size));
        let claim = format!("{}: less than in Scenario 1", cc.name);
        let order = (("Scenario 3", shares.quantity(cc)), ("Scenario 1", S1.share(first)));
        shares.order(&mut plan, (&format!("{}.below-S1", cc.id), &claim), order).because(why::LESS_TOGETHER);
    }
    for adw in READINGS {
        shares
            .share(&mut plan, adw)
            .claim("between 0.8 and 0.9", Rule::Within(0.8, 0.9))
            .because(why::UNDETECTED);
        shares.highest(&mut plan, adw);
    }
    shares.share(&mut plan, UNCOUPLED);
    shares.overpowers(&mut plan);
    for cc in ALL {
        shares.tcp(&mut plan, cc);
    }
    shares.figure(&mut plan, vec![]);
    plan
}

/// With Scenario 3's RTT.
fn slower(mut setup: Setup) -> Setup {
    setup.title += ", RTT 20 ms";
    ["access1", "access2", "access3", "access5"]
        .iter()
        .fold(setup, |setup, link| setup.set(&format!("links.{link}.delay"), "10 ms"))
}

impl Shares {
    /// The claim that uncoupled Reno takes more of its ideal than h3 and h5 of theirs.
    fn overpowers<'a>(&self, plan: &'a mut Plan) -> &'a mut RowPlan {
        let run = self.runs.get(UNCOUPLED);
        let order = (("h3, h5", self.scenario.tcp_shares(run)), ("MPTCP", self.scenario.share(run)));
        self.order(plan, ("uncoupled.unfair", "uncoupled Reno: unfair to the TCP flows"), order)
            .because(why::TWO_QUEUES)
    }
}

pub(super) const SCENARIO_4: Definition = Definition {
    ids: &["D-F10"],
    title: "Scenario 4: separate bottlenecks, which bind, and then a wide shared link",
    notes: &[
        "40 Mbit/s on each bottleneck, 150 Mbit/s after them, RTT 20 ms, buffer 1 BDP on each link. The ideal is 40 \
         Mbit/s for the connection and 20 each for h3 and h5; in Tab. 1 its cells are merged with Scenario 3's.",
        OURS,
    ],
    plan: scenario_4,
};

fn scenario_4(size: Size) -> Plan {
    let mut plan = Plan::new();
    let shares = Shares::new(&mut plan, "D-F10", &S4, size);
    for cc in EXISTING {
        shares.share(&mut plan, cc);
    }
    let alike = compare(shares.runs.get(LIA), shares.runs.get(OLIA), |lia, olia| {
        Some(olia.goodput("mptcp")? / lia.goodput("mptcp")?)
    });
    let shared = measure(shares.runs.get(UNCOUPLED), |run| run.utilisation("shared"));
    plan.row("D-F10.shared", "utilisation of the shared link with uncoupled Reno", "", shared);
    plan.row("D-F10.olia-lia", "OLIA's throughput ÷ LIA's", "", alike)
        .claim("LIA and OLIA exhibit similar results", Rule::Near(1.0));
    for (cc, id, claim, lower) in [
        (BALIA, "balia.below-S2", "BALIA: less than in Scenario 2", true),
        (UNCOUPLED, "uncoupled.above-S2", "uncoupled Reno: more than in Scenario 2", false),
    ] {
        let second = plan.simulate(S2.setup(cc, size));
        let here = ("Scenario 4", shares.quantity(cc));
        let there = ("Scenario 2", S2.share(second));
        shares.order(&mut plan, (id, claim), if lower { (here, there) } else { (there, here) })
            .because("Row D-F10.shared has how full the wide shared link is: below 1 what binds is Scenario 2 with other numbers.");
    }
    for adw in READINGS {
        shares
            .share(&mut plan, adw)
            .claim("the best fairness", Rule::Near(1.0))
            .because("Row D-F10.balia has BALIA's.");
        shares.highest(&mut plan, adw);
    }
    shares.share(&mut plan, UNCOUPLED);
    for cc in ALL {
        shares.tcp(&mut plan, cc);
    }
    shares.figure(&mut plan, vec![]);
    plan
}

pub(super) const SCENARIO_5: Definition = Definition {
    ids: &["D-F11"],
    title: "Scenario 5: separate bottlenecks and a shared one, all equally loaded",
    notes: &[
        "40 Mbit/s on each bottleneck, 120 Mbit/s on the shared one with two more TCP flows, h7 and h9; RTT 10 ms, \
         buffer 1 BDP on each link.",
        "Two readings. Tab. 1's ideal shares (40 Mbit/s for the connection, 20 each for h3 and h5, 40 each for h7 and \
         h9) fill the shared link only if h3 and h5 leave before it. If they cross it, six flows of 20 Mbit/s fill it, \
         and the three bottlenecks have \"the same load\", as the text says: rows \"crossing\".",
        OURS,
    ],
    plan: scenario_5,
};

fn scenario_5(size: Size) -> Plan {
    let mut plan = Plan::new();
    for (id, scenario) in [("D-F11", &S5), ("D-F11.crossing", &S5_CROSSING)] {
        let shares = Shares::new(&mut plan, id, scenario, size);
        for cc in EXISTING {
            shares.share(&mut plan, cc).claim("0.7 or less", Rule::AtMost(0.7));
        }
        for adw in READINGS {
            shares.share(&mut plan, adw).published(0.8).because(why::TWO_QUEUES);
            shares.highest(&mut plan, adw);
        }
        shares.share(&mut plan, UNCOUPLED);
        shares.overpowers(&mut plan);
        for cc in ALL {
            shares.tcp(&mut plan, cc);
        }
        shares.figure(&mut plan, vec![]);
    }
    plan
}
