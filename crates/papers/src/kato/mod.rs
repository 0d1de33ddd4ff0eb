//! Paper B: an evaluation of LIA.

mod bottleneck;
mod equilibrium;
mod loss;

use crate::paper::Paper;
use anabranch_study::Size;
use anabranch_study::column::RETIRED;
use anabranch_study::draw::{axis, cwnd, lines, time_axis, trace};
use anabranch_study::{Axis, Figure, Outcome, Panel};

/// Kato et al.
pub(crate) static PAPER: Paper = Paper {
    id: "B",
    name: "kato-lia-evaluation",
    title: "Performance Evaluation of MultiPath TCP Congestion Control",
    citation: "Toshihiko Kato, Adhikari Diwakar, Ryo Yamamoto, Satoshi Ohzahata, Nobuo Suzuki. 2019.",
    notes: &[
        "Two experiments on MPTCP 0.94 for Linux, ten seconds each: LIA, Reno or CUBIC on the subflows \
         over Ethernet with loss and a WLAN, and LIA against one single-path flow on a bottleneck of 10 \
         Mbit/s. And a derivation of LIA's α.",
        "The paper gives neither the WLAN's rate nor any buffer, nor the delay of the second experiment. \
         The values chosen are in the scenarios, and the sensitivity experiments (B-S1, B-S2) show what \
         other values do.",
        "Ten-second runs vary much: each row has four times the seeds of a long run.",
    ],
    errata: &[
        "Eq. 5 has cwnd_i on its left side where the derivation needs cwnd_i^TCP: with 1/cwnd_i^TCP, (4') \
         and (5) give (7); as printed they do not.",
        "Eq. 4 supposes one loss rate p \"over the bottleneck link\", but (6) compares paths with losses \
         of their own; the derivation holds with p_i, which (4') ÷ (5) removes for each path by itself.",
        "From (4) on, the first argument of the minimum is supposed. On a path with more than four times the \
         RTT of the best one α can exceed cwnd_total/cwnd_i; the second argument acts there, and (7) and with \
         it (6) do not hold.",
        "Sec. II: high-speed algorithms are said to have a small increase parameter; theirs is larger than \
         Reno's 1/cwnd.",
        "Sec. V: \"the congestion control algorithm at the MPTCP data sender is set to TCP Reno or CUBIC \
         TCP\": it is that of the single-path sender; MPTCP's is LIA (Tab. II).",
        "Tab. II's rows add up to 9.76–10.05 Mbit/s, but a link of 10 Mbit/s carries at most 9.56 Mbit/s \
         of payload (1448 of 1514 bytes): iperf2 counts at the sender what it wrote into its socket's \
         buffer. Our values are payload delivered.",
        "Tab. I: the two runs of a cell differ by up to 43 %, and one run of CUBIC (16.1) is below one of \
         Reno (18.8): two runs do not order Reno and CUBIC.",
        "Sec. IV.B: the operating system sets \"different maximum values\" of the WLAN subflow's window \
         for LIA and for Reno and CUBIC, so Tab. I compares those as much as the algorithms.",
        "The end of the introduction calls the conclusion Section V; it is VI.",
    ],
    seeds: Size::seeds,
    columns: &[&RETIRED],
    experiments: &[
        loss::TABLE,
        bottleneck::TABLE,
        equilibrium::DERIVATION,
        loss::SENSITIVITY,
        bottleneck::SENSITIVITY,
    ],
};

/// Ours, beside the paper's algorithms: identifier and name.
const LINKED: (&str, &str) = ("linked-cubic", "Linked CUBIC (ours)");

/// Duration of every run, in seconds.
const DURATION_S: f64 = 10.0;
/// Times the seeds of a long run.
const REPEATS: u32 = 4;

/// A subflow or flow that a figure shows: name, flow, index of the subflow.
type Shown = (&'static str, &'static str, usize);

const ETHERNET: Shown = ("Ethernet subflow", "mptcp", 0);
const WLAN: Shown = ("WLAN subflow", "mptcp", 1);
const SINGLE: Shown = ("single TCP", "tcp", 0);

/// A figure as the paper has them: sequence number, and congestion window, over time.
fn sequence_and_window(id: &str, title: &str, run: Option<&Outcome>, shown: &[Shown]) -> Figure {
    let panel = |title: &str, y: Axis, series| -> Panel { lines(title, time_axis(DURATION_S), y, series) };
    let sequence = shown.iter().map(|(name, flow, r)| trace(*name, run, flow, *r, |s| Some(&s.sent_bytes)));
    let windows = shown.iter().map(|(name, flow, r)| cwnd(*name, run, flow, *r));
    Figure {
        id: id.into(),
        title: format!("{title} (seed 1)"),
        panels: vec![
            panel("(a) sequence number vs. time", axis("sequence number (bytes)"), sequence.collect()),
            panel(
                "(b) congestion window size vs. time",
                axis("congestion window (segments)"),
                windows.collect(),
            ),
        ],
    }
}
