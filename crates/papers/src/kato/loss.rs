//! B-T1, B-F4 to B-F6: Ethernet with inserted loss, and a WLAN.

use super::{DURATION_S, ETHERNET, LINKED, REPEATS, WLAN, sequence_and_window};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::column::{BOTH, TICK, TSO};
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Rule, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

/// A column of Tab. I.
struct Column {
    cc: &'static str,
    name: &'static str,
    /// Throughput of its two runs, in Mbit/s.
    runs: [f64; 2],
    figure: &'static str,
}

const TABLE_I: [Column; 3] = [
    Column { cc: "lia", name: "LIA", runs: [12.5, 12.1], figure: "B-F4" },
    Column { cc: "reno", name: "Reno", runs: [14.4, 18.8], figure: "B-F5" },
    Column { cc: "cubic", name: "CUBIC", runs: [23.0, 16.1], figure: "B-F6" },
];

impl Column {
    /// The mean of its runs.
    fn mean(&self) -> f64 {
        self.runs.iter().sum::<f64>() / 2.0
    }

    fn algorithm(&self) -> (&'static str, &'static str) {
        (self.cc, self.name)
    }

    /// Where the mean is from.
    fn printed(&self) -> String {
        let [first, second] = self.runs;
        format!("mean of {first:?} and {second:?}")
    }
}

fn setup((cc, name): (&str, &str)) -> Setup {
    Setup::new(format!("{name} on both subflows"), &scenarios::KATO_LOSS).cc(cc).repeats(REPEATS)
}

/// Why throughputs differ.
const WLAN_RATE: &str = "The WLAN's 20 Mbit/s are a choice of ours, and more than the paper's connection had with LIA. B-S1 has \
                         10 and 30. The maximum that the operating system set to the WLAN subflow's window, lower with \
                         LIA, is not modelled.";
/// Why orderings are not clear.
const SHORT: &str = "Ten seconds see few losses, and throughputs vary with their chance.";

fn throughput(run: SetupId) -> Quantity {
    measure(run, |run| run.goodput("mptcp"))
}

fn window(run: SetupId, r: usize) -> Quantity {
    measure(run, move |run| run.cwnd("mptcp", r))
}

pub(super) const TABLE: Definition = Definition {
    ids: &["B-T1", "B-F4", "B-F5", "B-F6"],
    title: "Ethernet with 0.1 % loss and a WLAN: LIA, Reno or CUBIC on all subflows",
    notes: &[
        "100 Mbit/s Ethernet with a loss of 0.1 % at the sender, WLAN of 20 Mbit/s (chosen) with 100 \
         packets of buffer (chosen), ACKs delayed by 100 ms at the receiver; 10 s. A published value is the \
         mean of the table's two runs.",
        "Payload delivered to the application, connection set-up and slow start included.",
        "Linked CUBIC is ours (see the study E): nothing is published, and nothing judged.",
    ],
    plan: table,
};

fn table(_: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let runs = [0, 1, 2].map(|i| plan.simulate(setup(TABLE_I[i].algorithm()).sampled()));
    for (column, run) in TABLE_I.iter().zip(runs) {
        let id = |row: &str| format!("B-T1.{}{row}", column.cc);
        let what = format!("{}: throughput", column.name);
        plan.row(id(""), what, "Mbit/s", throughput(run))
            .derived(column.mean(), column.printed())
            .because(WLAN_RATE);
        subflows(&mut plan, column.algorithm(), run);
    }
    let linked = plan.simulate(setup(LINKED));
    plan.row("B-T1.linked-cubic", format!("{}: throughput", LINKED.1), "Mbit/s", throughput(linked));
    subflows(&mut plan, LINKED, linked);
    let named = |quantity: fn(SetupId) -> Quantity| {
        TABLE_I.iter().zip(runs).map(|(c, run)| (c.name, quantity(run))).collect::<Vec<_>>()
    };
    plan.ordering("B-T1.order", "throughput: LIA < Reno < CUBIC", "Mbit/s", named(throughput)).because(SHORT);
    plan.ordering(
        "B-T1.lia-lowest",
        "the throughput of LIA is lower than Reno's",
        "Mbit/s",
        named(throughput).into_iter().take(2).collect(),
    )
    .because(SHORT);
    plan.ordering(
        "B-F4.ethernet-window",
        "the Ethernet subflow's window grows least with LIA and most with CUBIC (means)",
        "segments",
        named(|run| window(run, 0)),
    )
    .because(SHORT);
    for (column, run) in TABLE_I.iter().zip(runs) {
        let half_time = measure(run, |run| {
            let (all, late) = (run.cwnd("mptcp", 1)?, run.cwnd_from("mptcp", 1, DURATION_S / 10.0)?);
            Some(all / late)
        });
        let what = format!("{}: WLAN subflow's mean window ÷ its mean after the first second", column.name);
        plan.row(format!("{}.wlan-window", column.figure), what, "", half_time)
            .claim("the WLAN subflow's window rises rapidly to its maximum", Rule::Near(1.0));
        plan.figure(move |runs| {
            let title =
                format!("Sequence number and congestion window with packet losses inserted, {}", column.name);
            sequence_and_window(column.figure, &title, runs.first(run), &[ETHERNET, WLAN])
        });
    }
    plan
}

/// Each subflow's throughput.
fn subflows(plan: &mut Plan, (cc, name): (&str, &str), run: SetupId) {
    for (r, path) in [(0, "ethernet"), (1, "wlan")] {
        let subflow = measure(run, move |run| run.subflow_goodput("mptcp", r));
        plan.row(
            format!("B-T1.{cc}.{path}"),
            format!("{name}: {path} subflow's throughput"),
            "Mbit/s",
            subflow,
        );
    }
}

/// What 802.11g may carry, in Mbit/s, and buffers, in packets.
const RATES: [u32; 3] = [10, 20, 30];
const BUFFERS: [u32; 3] = [30, 100, 300];

pub(super) const SENSITIVITY: Definition = Definition {
    ids: &["B-S1"],
    title: "Sensitivity of B-T1 to the WLAN's rate and buffer",
    notes: &[
        "The paper gives neither. Each value beside the published mean of two runs; not judged, since any \
         of them may have been the case.",
    ],
    plan: sensitivity,
};

fn sensitivity(_: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let mut all = Vec::new();
    let columns = TABLE_I.iter().map(|column| (column.algorithm(), Some(column))).chain([(LINKED, None)]);
    for (cc, column) in columns {
        let mut runs = Vec::new();
        for rate in RATES {
            for buffer in BUFFERS {
                let place = format!("{rate} Mbit/s, {buffer} packets");
                let mut setup = setup(cc)
                    .set("links.wlan.rate", format!("{rate} Mbit/s"))
                    .set("links.wlan.queue", format!("{buffer} packets"));
                setup.title = format!("{}, WLAN of {place}", cc.1);
                let run = plan.simulate(setup);
                let id = format!("B-S1.{}.{rate}mbit.{buffer}packets", cc.0);
                let row = plan.row(id, format!("{}: WLAN of {place}", cc.1), "Mbit/s", throughput(run));
                if let Some(column) = column {
                    row.beside(column.mean(), column.printed());
                }
                runs.push((place, run));
            }
        }
        all.push((cc.1, runs));
    }
    plan.figure(move |runs| {
        let bar = |(place, run): &(String, SetupId)| runs.bar(place, &throughput(*run));
        let ours = all.iter().map(|(name, points)| series(*name, points.iter().filter_map(bar).collect()));
        Figure {
            id: "B-S1".into(),
            title: "MPTCP throughput by the WLAN's rate and buffer".into(),
            panels: vec![bars("", axis("throughput (Mbit/s)"), ours.collect())],
        }
    });
    plan
}
