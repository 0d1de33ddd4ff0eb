//! Paper D: ADW-BALIA.

mod acks;
mod bottlenecks;
mod conditions;
mod fairness;
mod managed;
mod marks;
mod queues;
mod readings;
mod scenario;
mod throughput;
mod why;

use crate::paper::Paper;
use anabranch_study::Size;
use anabranch_study::column::RETIRED;

/// Kim et al. 2021.
pub(crate) static PAPER: Paper = Paper {
    id: "D",
    name: "adw-balia",
    title: "Adaptive Decrease Window for BALIA (ADW-BALIA): Congestion Control Algorithm for Throughput \
            Improvement in Nonshared Bottlenecks",
    citation: "Geon-Hwan Kim, Yeong-Jun Song, Imtiaz Mahmud, You-Ze Cho. Electronics 10(3), 294, 2021. \
               https://doi.org/10.3390/electronics10030294",
    notes: &[
        "Where the RTTs of the subflows fluctuate differently, they are taken to have separate bottlenecks, and a loss \
         takes less of the window than with BALIA. The paper emulates five topologies with Mininet (MPTCP 0.90.3 for \
         Linux).",
        "The paper gives neither the length nor the number of its runs, nor the delays of the links. Chosen: 60 s, their \
         start included; all delay in the access links; other choices are in the scenarios. Each row has twice the \
         seeds of a long run.",
        "Throughput is payload delivered, as iperf3 reports it, and the ideal throughput is Tab. 1's, a share of the \
         link's rate: headers leave 0.965 of it, so shares of 1 for all are not possible.",
        "The flow chart of the decrease (Fig. 5) is not in the text, which allows several readings \
         (`anabranch cc show adw-balia`). \"ADW\", the one that fits the text best, takes a quarter for each level off a halving, and for a \
         subflow's fluctuation that between its own last two losses. \"ADW, running\" takes the fluctuation since its last loss; \"ADW, \
         additive\" takes the quarters off BALIA's own factor. Every claim on ADW is tested with these three; D-X2 has the fourth \
         combination as well.",
        "Ranges such as \"between 0.8 and 0.9\" are judged by the mean: inside reproduces, within 10 % of the nearest \
         end partly. \"Highest\" needs an interval above each of the others.",
        "Their future work, other queue managements at the bottleneck, is D-A, with ECN D-AE.",
    ],
    errata: &[
        "Tab. 1: the ideal throughputs of Scenario 4 stand in cells merged with those of Scenario 3, 20 Mbit/s for the \
         connection; its two bottlenecks of 40 Mbit/s, each shared with one TCP flow, give it 40.",
        "Tab. 1, Scenario 5: 40 Mbit/s for the connection and 40 each for h7 and h9 fill the shared 120 Mbit/s only if \
         h3 and h5 leave before it. The text puts \"the same load\" on all three bottlenecks, which holds only if they \
         cross it: then all six flows have 20 Mbit/s, and h7 and h9 not 40.",
        "Fig. 2b has the setting of Scenario 2. The connection has 40 of 60 Mbit/s there, a third less (\"approximately \
         30 %\"), but \"about 25 %\" less with LIA in Fig. 8a, and higher with BALIA in Fig. 8c.",
        "Sec. 4.2.1: in Scenario 2 uncoupled Reno takes about 1.2 times what the TCP flows take. Each subflow is a Reno \
         flow beside one other with the same RTT: 1.0 by symmetry. What favours the MPTCP host by a fifth there favours \
         it with every algorithm.",
        "Sec. 4.2.2: uncoupled Reno's index is a \"sufficient\" 0.9 in Scenarios 2 and 4, and \"reduced to approximately \
         0.9\" in the others. The text's own shares give 0.99 for Scenario 2 (1.2 : 1) and 0.89 for Scenario 1 (1.5 : \
         0.75 : 0.75).",
        "Sec. 3.1: the average of Eq. 4 is said to lie always between the largest and smallest RTT of the subflows; it \
         averages RTT differences, and a moving average may leave even their present range. Fig. 4's regions are \
         described with RTT_max and RTT_min as well.",
        "Sec. 3.2: with 1.5 selected, BALIA's window is said to become \"1/4 less than the previous cwnd\"; it becomes a \
         quarter of it, three quarters less.",
        "The 20 % is a gain over BALIA and LIA in Sec. 4.2.4 and over the default of Linux, LIA, in the conclusion. From \
         LIA's 0.75 to \"almost fair\" in Fig. 8 are 33 %.",
        "The conclusion has ADW-BALIA's fairness index highest in all scenarios; Sec. 4.2.2 has all coupled algorithms \
         alike in Scenarios 1 and 3.",
        "Sec. 2.3 cites [22], CUBIC, for dynamic window coupling by Hassayoun et al., which is [35].",
    ],
    seeds: Size::seeds,
    columns: &[&RETIRED],
    experiments: &[
        bottlenecks::THROUGHPUT,
        bottlenecks::RTT,
        throughput::SCENARIO_1,
        throughput::SCENARIO_2,
        throughput::SCENARIO_3,
        throughput::SCENARIO_4,
        throughput::SCENARIO_5,
        fairness::JAIN,
        conditions::RTTS,
        conditions::CUBIC,
        conditions::LOSS,
        queues::QUEUES,
        marks::MARKS,
        acks::ACKS,
        readings::ALL_READINGS,
    ],
};
