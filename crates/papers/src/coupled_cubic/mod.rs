//! Paper A: Coupled CUBIC.

mod acks;
mod beyond;
mod epochs;
mod equations;
mod response;
mod share;
mod start;
mod testbed;

use crate::paper::Paper;
use anabranch_study::Size;
use anabranch_study::column::RETIRED;

/// Lee et al. 2022.
pub(crate) static PAPER: Paper = Paper {
    id: "A",
    name: "coupled-cubic",
    title: "Coupled CUBIC Congestion Control for MPTCP in Broadband Networks",
    citation: "Jae Yong Lee, Byung Chul Kim, Youngmi Kwon, Kimoon Han. 2022.",
    notes: &[
        "LIA cannot fill a path with a large bandwidth-delay product. Coupled CUBIC runs CUBIC there, \
         scaled by √α₁, and LIA on the other paths, which see the large path's window as if Reno had made \
         it (its virtual Reno window). The paper measures it on a testbed of Linux hosts with modified \
         MPTCP kernels.",
        "Our reading of the algorithm, where the paper leaves it open: `anabranch cc show coupled-cubic`.",
        "In the paper's Fig. 5 LIA's window grows from little to 1290 segments over the first 240 s, as if its kernel had left slow \
         start almost at once; ours fills the first path's buffer. Means over the whole run include this, and A-X7 tests what \
         it does.",
    ],
    errata: &[
        "β is printed as 0.7 (Sec. 2.2), but Eq. 4, 6, 7 and 9 and Tab. 1 use it as the decrease, which is \
         0.3 in CUBIC: Eq. 9's 1.054 and all of Tab. 1 need 0.3. Only Eq. 7 was evaluated with 0.7: it \
         gives 2.06e-4 at 100 ms, the text's \"about 0.0002\"; with 0.3 it is 5.4e-4.",
        "Reno's constant is 1.2 in Tab. 1, 10^0.09 = 1.2303 in Eq. 6 and √1.5 = 1.2247 in Eq. 8.",
        "Sec. 2.1 describes Eq. 2 as \"the sum of all congestion window sizes divided by increase factor \
         α\"; the equation divides α by the sum, as RFC 6356 does.",
        "Sec. 3.1 uses \"the upper expression in Eq. (6)\" where the loss rate is greater than p̄ and the \
         lower where it is smaller; the equation, and CUBIC, have it the other way round.",
        "Eq. 10 turns a CUBIC window of 5950 into 1228 at 100 ms (p = 9.9e-7); Tab. 5 prints 1493 for the mean. With the β that is \
         printed, 0.7, it gives 1442 to 1448 (Reno's constant as in Eq. 8 or Eq. 6), 3 % less than 1493: the authors' tables \
         seem to hold that β. The mean of V over a varying C is below V of the mean (V goes with C^⅔), so averaging explains \
         neither.",
        "Tab. 5 has 0.79 for (b) ÷ (a) and for (d) ÷ (c), which by Eq. 11 and the text is √α₁. Eq. 1 on the table's own means, \
         1493 at 100 ms and 68 at 20 to 40 ms, gives 0.79 to 0.84 for α₁, and 0.89 to 0.92 for its root: the measured windows \
         look as if α₁ itself had been multiplied.",
        "CCUBIC(α₁): the total is 422 in the text and 420 in Tab. 6; subflow 2 is 25 Mbit/s in one place \
         and 17 in another.",
        "LIA is said to use \"less than 15 %\" of path 1; 95 of 500 Mbit/s are 19 %, and the text has \
         \"about 1/5\" elsewhere.",
        "A mean window of 4730 segments exceeds path 1's BDP of 4167, so the link must be nearly full: \
         about 480 Mbit/s of payload. Fig. 7 and the text print 402.",
        "Tab. 2's proportion √α of LIA's window to Reno's holds only where one path has nearly all of the \
         window; in general it is √(α·w_r/Σw) (A-T2).",
        "The abstract and the conclusion claim fairness with competing single-path CUBIC flows; no \
         experiment has one.",
        "(Not an error, but a caution.) LIA's loss-free start of 240 s sends more than 10⁶ packets on \
         subflow 1 (1290/2 segments per 100 ms on average: 1.5 million), which one loss in 10⁶ survives \
         with a probability of about a fifth only: the figure shows one lucky run.",
    ],
    seeds: Size::seeds,
    columns: &[&RETIRED],
    experiments: &[
        response::TABLE,
        response::FUNCTION,
        share::SHARE,
        testbed::LIA,
        testbed::COUPLED,
        testbed::THROUGHPUT,
        testbed::NEIGHBOUR,
        beyond::CUBIC_NEIGHBOUR,
        beyond::SHARED,
        beyond::BUFFERS,
        beyond::LOSSES,
        beyond::PHASE,
        acks::ACKS,
        start::START,
        epochs::EPOCHS,
    ],
};
