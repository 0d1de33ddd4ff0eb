//! Paper C: wCompound.

mod beyond;
mod fairness;
mod olia;
mod optimum;
mod overflow;
mod random_loss;
mod two_links;
mod variants;

use crate::paper::Paper;
use crate::scenarios::{self, ScenarioFile};
use anabranch_record::FlowSummary;
use anabranch_study::column::RETIRED;
use anabranch_study::{Outcome, Setup, Size};
use anabranch_study::{Plan, Quantity, SetupId, measure};

/// Zhuang et al. 2021.
pub(crate) static PAPER: Paper = Paper {
    id: "C",
    name: "wcompound",
    title: "wCompound: Enhancing Performance of Multipath Transmission in High-speed and Long Distance Networks",
    citation: "Rui Zhuang, Yitao Xing, Wenjia Wei, Yuan Zhang, Jiayu Yang, Kaiping Xue. 2021.",
    notes: &[
        "Compound TCP on every path, with a threshold for the delay window that shares the connection's \
         backlog among its paths. The paper compares it on a testbed with LIA, OLIA, BALIA and wVegas, which \
         its MPTCP kernel has: five connections beside five TCP flows.",
        "Our reading of the algorithm, where the paper leaves it open: `anabranch cc show wcompound`.",
        "Results are bar and line figures without numbers, so each claim of the text is tested. \"Higher\" \
         is an ordering. \"About the same\" is a ratio of 1, by the usual bands of 10 % and 25 %. \"Much \
         less\" is at most one half, \"much more\" at least twice, \"almost all\" at least 90 %, \"most\" at \
         least one half.",
        "The paper gives neither buffers nor durations, and calls the 80 ms a propagation delay. Chosen: \
         buffers of one BDP, 80 ms as the RTT (C-S1 to C-S3 show other values), and 100 s after 80 s of \
         warm-up, since windows of hundreds of segments that grow by one per RTT take a minute to settle \
         (quick: a tenth of both; full: four times both).",
    ],
    errata: &[
        "Eq. 5 reduces only W_reno; Compound TCP, and the paper's own Eq. 11, reduce the whole window.",
        "Eq. 13 is undefined where RTT = baseRTT, and Eq. 14 and 40 leave out its min(1, ·): without \
         queueing the printed E is infinite.",
        "Eq. 10 adds 1 to what diff takes, as Eq. 12 and the growth of cwnd do; Eq. 14 and 40 leave it out, \
         so that E is too small by P(diff > α), at most one segment per round and path. With long queues \
         that is nothing beside ξ·diff.",
        "E[η] is called an average decrease factor, but is the average increase per round; the text writes \
         one symbol for it and for −β·x.",
        "Eq. 34 and the claim of concavity suppose E ≥ 0 (and > 0 for strict concavity); Eq. 14 is negative \
         where diff is large.",
        "Eq. 16 and 17 are integrals of Eq. 34 only if E does not depend on the rate; by Eq. 14 it does, \
         through win and diff.",
        "Eq. 21 sums the prices over all routes r ∈ R; a flow pays for its own, r ∈ R_s, as in Eq. 25.",
        "Eq. 35 has diff converge to α. By Eq. 13, 14 and 39 what α falls short of diff there grows by 1 + \
         ξ/β, three, each round; with ξ = 1 every decrease empties the queue, and diff swings between 0 and \
         α.",
        "Eq. 37 equates Σ q_r with q_s, but n equal prices add up to n·q_s; Eq. 36, which is used, needs q_s \
         alone.",
        "Eq. 39 equates the derivatives of Eq. 34 and Eq. 37, the second derivatives of the utility, where \
         the first must agree. With u = E/(βy) that gives α_s/y = u/(1 + u) in place of Eq. 34's log(1 + u), \
         which is larger.",
        "Eq. 38 is a utility only if α_s is constant; by Eq. 39 it varies with y.",
        "Eq. 39 adds E, in segments per round, to β·y, in segments per second.",
        "Eq. 43 writes Σ x_{s,i} where k_{s,r} = x_{s,r}/y_s is meant.",
        "Algorithm 1 has cwnd++ for each ACK where Eq. 7 adds 1/win, and sets dwnd to what Eq. 12 adds to it \
         (line 29 to −ξ·diff). It does so for each ACK, where the text after Eq. 43 has rounds, and has no \
         rule for losses.",
        "Algorithm 1 takes the smallest baseRTT of all paths in line 15 and never uses it. Used for diff it \
         would make a path of longer RTT look congested for ever.",
        "Eq. 9, 10 and 12 leave diff = α open; Algorithm 1 and the text before Table I count it as congestion.",
        "Sec. I, III.C and V have all subflows effectively coupled. The thresholds couple the delay windows; \
         Eq. 7 and 11, for cwnd and losses, know only their own path. With the delay windows empty n \
         subflows of one bottleneck are n Reno flows, against goal (iii) of Sec. II.B.",
        "Sec. II.B: LIA is said to increase the total window by no more than one segment per round. Each \
         subflow's increase has that bound, and α can exceed 1 with unequal RTTs.",
        "Sec. IV.A: OLIA is said to be lower than \"the others\" because it is loss-based; one of the others \
         is regular TCP, which is so too.",
        "Sec. IV.A explains wVegas's low total by subflow 2 suffering from subflow 1's starvation. Nothing but wVegas is on link 2. \
         The retired kernel's module has a rule that can leave it unused: wVegas there takes the smallest queueing delay \
         over all rounds, and halves its window at twice that (`drain = \"always\"`; the column of the retired kernel, which lacks the module's slow start after that).",
        "Sec. II.A says that the loss-based part keeps Compound TCP no slower than Reno; Sec. IV.B finds \
         that loss-based MPTCP, which is no faster than Reno, takes much from Vegas, and that wCompound does \
         not. Where the queue holds more than Vegas's threshold when Reno is at its loss, both cannot be.",
        "Sec. IV.A varies the loss from 10⁻² to 10⁻⁶; the result is told for a loss from 10⁻³ \"to 0\".",
    ],
    seeds: Size::seeds,
    columns: &[&RETIRED],
    experiments: &[
        two_links::FIGURE_2,
        random_loss::FIGURE_3,
        fairness::FIGURE_4,
        fairness::FIGURE_5,
        optimum::OPTIMUM,
        overflow::OVERFLOW,
        beyond::DELAY_WINDOW,
        olia::APPROACH,
        variants::TWO_LINKS,
        variants::CUBIC_LINK,
        variants::VEGAS_LINK,
    ],
};

/// Algorithm, and its name for readers.
type Algorithm = (&'static str, &'static str);

const LIA: Algorithm = ("lia", "LIA");
const OLIA: Algorithm = ("olia", "OLIA");
const BALIA: Algorithm = ("balia", "BALIA");
const WVEGAS: Algorithm = ("wvegas", "wVegas");
const WCOMPOUND: Algorithm = ("wcompound", "wCompound");

/// Ours: shown beside them, with at most two seeds, and not judged.
const LINKED: Algorithm = ("linked-cubic", "Linked CUBIC (ours)");
const OURS: &str = "Linked CUBIC is ours (see the study E), with two seeds and not judged.";

/// Those that the paper compares.
const ALL: [Algorithm; 5] = [LIA, OLIA, BALIA, WVEGAS, WCOMPOUND];
/// Those of them that go by loss.
const LOSS_BASED: [Algorithm; 3] = [LIA, OLIA, BALIA];

/// Where it is seen what the delay window adds.
const AS_RENO: &str =
    "C-X1 has wCompound's delay window, backlog and threshold in this run, and uncoupled Reno in its place.";

/// Five connections of `cc` beside five flows of `tcp`, on Fig. 1's topologies.
fn setup(file: &'static ScenarioFile, cc: Algorithm, tcp: Algorithm, size: Size) -> Setup {
    let place = if *file == scenarios::WCOMPOUND_TWO_LINKS { "two links" } else { "one link" };
    let setup = Setup::new(format!("{} beside {}, {place}", cc.1, tcp.1), file)
        .cc(cc.0)
        .set("flows.tcp.cc", tcp.0)
        .lasting(size.own(180.0), size.own(80.0));
    if cc == LINKED { setup.at_most(2) } else { setup }
}

const CUBIC: Algorithm = ("cubic", "CUBIC");
const VEGAS: Algorithm = ("vegas", "Vegas");

/// Each algorithm with its simulation.
fn simulate(
    plan: &mut Plan,
    algorithms: &[Algorithm],
    setup: impl Fn(Algorithm) -> Setup,
) -> Vec<(Algorithm, SetupId)> {
    algorithms.iter().map(|cc| (*cc, plan.simulate(setup(*cc)))).collect()
}

/// The simulation of one of them.
fn run_of(runs: &[(Algorithm, SetupId)], cc: Algorithm) -> SetupId {
    runs.iter().find(|(known, _)| *known == cc).expect("each algorithm that is asked for is simulated").1
}

/// The mean over the flows `group/1`, `group/2`, … of a run.
fn mean(run: &Outcome, group: &str, value: impl Fn(&FlowSummary) -> Option<f64>) -> Option<f64> {
    let of_group = |f: &&FlowSummary| f.name.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'));
    let values: Vec<f64> = run.summary.flows.iter().filter(of_group).map(value).collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Mean goodput of a flow of a group, in Mbit/s.
fn goodput(run: &Outcome, group: &str) -> Option<f64> {
    mean(run, group, |flow| Some(flow.goodput_bps? / 1e6))
}

/// Mean goodput of the MPTCP connections' subflow `r`, in Mbit/s.
fn subflow(run: &Outcome, r: usize) -> Option<f64> {
    mean(run, "mptcp", |flow| Some(flow.subflows.get(r)?.goodput_bps? / 1e6))
}

/// A group's goodput, as a quantity.
fn rate(run: SetupId, group: &'static str) -> Quantity {
    measure(run, move |run| goodput(run, group))
}

/// Subflow `r`'s goodput, as a quantity.
fn subflow_rate(run: SetupId, r: usize) -> Quantity {
    measure(run, move |run| subflow(run, r))
}

/// Mean goodput of an MPTCP connection ÷ that of a TCP flow.
fn ratio(run: SetupId) -> Quantity {
    measure(run, |run| Some(goodput(run, "mptcp")? / goodput(run, "tcp")?))
}
