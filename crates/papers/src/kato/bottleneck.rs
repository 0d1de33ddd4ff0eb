//! B-T2, B-F8, B-F9: LIA and one single-path flow on a bottleneck.

use super::{ETHERNET, LINKED, REPEATS, SINGLE, WLAN, sequence_and_window};
use crate::paper::Definition;
use crate::scenarios;
use anabranch_study::column::{BOTH, TICK, TSO};
use anabranch_study::draw::{axis, bars, series};
use anabranch_study::{Figure, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

/// One half of Tab. II: the single-path flow's algorithm, and what the four runs gave, in Mbit/s.
struct Half {
    cc: &'static str,
    name: &'static str,
    mptcp: [f64; 4],
    single: [f64; 4],
    figure: &'static str,
}

const TABLE_II: [Half; 2] = [
    Half {
        cc: "reno",
        name: "Reno",
        mptcp: [2.85, 2.66, 2.86, 2.91],
        single: [7.05, 7.10, 6.97, 6.99],
        figure: "B-F8",
    },
    Half {
        cc: "cubic",
        name: "CUBIC",
        mptcp: [2.03, 1.72, 1.52, 1.04],
        single: [7.79, 8.33, 8.47, 8.87],
        figure: "B-F9",
    },
];

impl Half {
    /// The table's means: MPTCP, single-path flow.
    fn means(&self) -> [f64; 2] {
        [self.mptcp, self.single].map(|runs| runs.iter().sum::<f64>() / 4.0)
    }

    /// The means' quotient, and where it is from.
    fn ratio(&self) -> (f64, String) {
        let [mptcp, single] = self.means();
        (mptcp / single, format!("{mptcp:.2} ÷ {single:.2}, means of four runs"))
    }
}

/// Where a mean is from.
fn printed(runs: [f64; 4]) -> String {
    format!("mean of {}", runs.map(|run| format!("{run:.2}")).join(", "))
}

fn setup(half: &Half) -> Setup {
    Setup::new(format!("LIA against single-path {}", half.name), &scenarios::KATO_BOTTLENECK)
        .set("flows.tcp.cc", half.cc)
        .repeats(REPEATS)
}

fn throughput(run: SetupId, flow: &'static str) -> Quantity {
    measure(run, move |run| run.goodput(flow))
}

/// Why shares differ.
const SHARES: &str = "The delay and the buffer are choices of ours: B-S2 has others, and the first experiment's loss kept at the \
                      MPTCP sender. The columns beside have the arithmetic of the paper's kernel, a link with a clock and hosts \
                      that send in bursts.";

/// MPTCP's throughput ÷ the single-path flow's.
fn ratio(run: SetupId) -> Quantity {
    measure(run, |run| Some(run.goodput("mptcp")? / run.goodput("tcp")?))
}

pub(super) const TABLE: Definition = Definition {
    ids: &["B-T2", "B-F8", "B-F9"],
    title: "A bottleneck of 10 Mbit/s: LIA on two subflows and one single-path flow",
    notes: &[
        "Both subflows and the single-path flow share a link of 10 Mbit/s with a buffer of 100 packets \
         (chosen); ACKs delayed by 100 ms, as in the first experiment, whose configuration this one \
         extends; no inserted loss; all start together and send for 10 s. Published values are the means of \
         four runs.",
        "Linked CUBIC in LIA's place is ours (see the study E): nothing is published, and nothing judged.",
    ],
    plan: table,
};

fn table(_: Size) -> Plan {
    let mut plan = Plan::new();
    plan.columns(&[&TICK, &TSO, &BOTH]);
    let runs = [0, 1].map(|i| plan.simulate(setup(&TABLE_II[i]).sampled()));
    for (half, run) in TABLE_II.iter().zip(runs) {
        let [mptcp, single] = half.means();
        let (published, from) = half.ratio();
        let id = |row: &str| format!("B-T2.{}.{row}", half.cc);
        let what = |what: &str| format!("against {}: {what}", half.name);
        plan.row(id("mptcp"), what("MPTCP"), "Mbit/s", throughput(run, "mptcp"))
            .derived(mptcp, printed(half.mptcp))
            .because(SHARES);
        plan.row(id("single"), what("single-path flow"), "Mbit/s", throughput(run, "tcp"))
            .derived(single, printed(half.single))
            .because(SHARES);
        plan.row(id("ratio"), what("MPTCP ÷ single-path flow"), "", ratio(run))
            .derived(published, from)
            .because(SHARES);
        plan.ordering(
            id("order"),
            format!("MPTCP gets less than a single-path {} flow", half.name),
            "Mbit/s",
            vec![("MPTCP", throughput(run, "mptcp")), ("single", throughput(run, "tcp"))],
        )
        .because(SHARES);
        plan.ordering(
            format!("{}.windows", half.figure),
            format!("mean windows: WLAN subflow < Ethernet subflow < single-path {}", half.name),
            "segments",
            vec![
                ("WLAN", measure(run, |run| run.cwnd("mptcp", 1))),
                ("Ethernet", measure(run, |run| run.cwnd("mptcp", 0))),
                ("single", measure(run, |run| run.cwnd("tcp", 0))),
            ],
        );
        plan.figure(move |runs| {
            let title = format!(
                "Sequence number and congestion window with actual congestion, LIA & TCP {}",
                half.name
            );
            sequence_and_window(half.figure, &title, runs.first(run), &[ETHERNET, WLAN, SINGLE])
        });
        linked(&mut plan, half);
    }
    let [reno, cubic] = runs;
    plan.ordering(
        "B-T2.cubic-takes-more",
        "MPTCP's throughput is lower against CUBIC than against Reno",
        "Mbit/s",
        vec![("against CUBIC", throughput(cubic, "mptcp")), ("against Reno", throughput(reno, "mptcp"))],
    )
    .because(SHARES);
    plan
}

/// Linked CUBIC in LIA's place.
fn linked(plan: &mut Plan, half: &Half) {
    let mut setup = setup(half).cc(LINKED.0).set("flows.tcp.cc", half.cc);
    setup.title = format!("{} against single-path {}", LINKED.1, half.name);
    let run = plan.simulate(setup);
    let id = |row: &str| format!("B-T2.{}.{}.{row}", half.cc, LINKED.0);
    let what = |what: &str| format!("{} against {}: {what}", LINKED.1, half.name);
    plan.row(id("mptcp"), what("MPTCP"), "Mbit/s", throughput(run, "mptcp"));
    plan.row(id("single"), what("single-path flow"), "Mbit/s", throughput(run, "tcp"));
    plan.row(id("ratio"), what("MPTCP ÷ single-path flow"), "", ratio(run));
}

/// Delays of the ACKs, in milliseconds, and buffers, in packets.
const DELAYS_MS: [u32; 3] = [1, 20, 100];
const BUFFERS: [u32; 3] = [30, 100, 300];

pub(super) const SENSITIVITY: Definition = Definition {
    ids: &["B-S2"],
    title: "Sensitivity of B-T2 to the delay, the bottleneck's buffer and the first experiment's loss",
    notes: &[
        "The paper gives none of them. MPTCP's throughput ÷ the single-path flow's, beside the published \
         one; not judged, since any of them may have been the case.",
        "\"Loss kept\": the first experiment's loss of 0.1 % is still inserted at the MPTCP sender's \
         Ethernet interface, as its \"configuration\" may be read to include; the text finds the windows \
         with CUBIC \"similar with the results shown in Figure 4\", those with loss.",
    ],
    plan: sensitivity,
};

fn sensitivity(_: Size) -> Plan {
    let mut plan = Plan::new();
    plan.beyond();
    let mut all = Vec::new();
    for half in &TABLE_II {
        for loss in ["", ", loss kept"] {
            let mut runs = Vec::new();
            for (delay, buffer) in DELAYS_MS.into_iter().flat_map(|d| BUFFERS.map(|b| (d, b))) {
                let place = format!("{delay} ms, {buffer} packets");
                let run = plan.simulate(variant(half, delay, buffer, !loss.is_empty()));
                let id = format!(
                    "B-S2.{}.{delay}ms.{buffer}packets{}",
                    half.cc,
                    loss.replace(", ", ".").replace(' ', "-")
                );
                let (published, from) = half.ratio();
                plan.row(
                    id,
                    format!("against {}: MPTCP ÷ single-path flow, {place}{loss}", half.name),
                    "",
                    ratio(run),
                )
                .beside(published, from);
                runs.push((place, run));
            }
            all.push((format!("against {}{loss}", half.name), runs));
        }
    }
    plan.figure(move |runs| {
        let bar = |(place, run): &(String, SetupId)| runs.bar(place, &ratio(*run));
        let ours = all.iter().map(|(name, points)| series(name, points.iter().filter_map(bar).collect()));
        Figure {
            id: "B-S2".into(),
            title: "MPTCP throughput ÷ single-path throughput by delay, buffer and loss".into(),
            panels: vec![bars("", axis("MPTCP ÷ single-path flow"), ours.collect())],
        }
    });
    plan
}

fn variant(half: &Half, delay_ms: u32, buffer: u32, loss_kept: bool) -> Setup {
    let mut setup = setup(half)
        .set("links.netem.delay", format!("{delay_ms} ms"))
        .set("links.bridge.queue", format!("{buffer} packets"));
    setup.title += &format!(", {delay_ms} ms, {buffer} packets");
    if loss_kept {
        setup.title += ", loss kept";
        return setup.bernoulli("ethernet", 1e-3);
    }
    setup
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text gives the means: 2.82 and 7.03 Mbit/s with Reno, 1.58 and 8.37 with CUBIC.
    #[test]
    fn means_as_in_the_text() {
        for (half, printed) in TABLE_II.iter().zip([[2.82, 7.03], [1.58, 8.37]]) {
            for (mean, printed) in half.means().into_iter().zip(printed) {
                assert!((mean - printed).abs() <= 0.005 + 1e-9, "{mean} {printed}");
            }
        }
    }
}
