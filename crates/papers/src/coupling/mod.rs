//! Our study beside the papers: coupling among CUBIC flows, by the three goals of RFC 6356.

mod goals;
mod matrix;
mod recovery;
mod taken;
mod why;

use crate::paper::Paper;
use anabranch_study::Size;
use anabranch_study::column::PLAIN_START;

/// Algorithm, and its name for readers.
type Algorithm = (&'static str, &'static str);

const LINKED: Algorithm = ("linked-cubic", "Linked CUBIC");

const ALGORITHMS: [Algorithm; 8] = [
    LINKED,
    ("coupled-cubic", "Coupled CUBIC"),
    ("lia", "LIA"),
    ("olia", "OLIA"),
    ("balia", "BALIA"),
    ("adw-balia", "ADW-BALIA"),
    ("wcompound", "wCompound"),
    ("cubic", "uncoupled CUBIC"),
];

/// The study of the chapter "Coupling CUBIC".
pub(crate) static PAPER: Paper = Paper {
    id: "E",
    name: "coupling-cubic",
    title: "Coupling CUBIC: the goals of RFC 6356 among CUBIC flows",
    citation: "This project's own study; the goals: C. Raiciu, M. Handley, D. Wischik, RFC 6356, Sec. 1. 2011.",
    notes: &[
        "RFC 6356 asks three things of a multipath connection among single-path flows, and its authors had Reno flows in mind. Here \
         the single-path flows are CUBIC, as most are. The matrix has three networks (shared, separate and half-shared bottlenecks) × \
         RTTs of 60 ms, or 20 and 200 ms in turn × 10, 100 and 1000 Mbit/s × 2, 4 and 8 subflows × buffers of 0.5, 1 and 4 BDP × \
         random loss of 0, 1e-6 and 1e-4: 432 cells, as two subflows are half-shared exactly where they are separate.",
        "Shared: all subflows and one CUBIC flow on one link. Separate: a link for each subflow. Half-shared: one link for half of the \
         subflows, and one for each other. Of several links the first is the congested one, with three CUBIC flows; each other \
         has one. CUBIC flows have the shorter RTT of their link; where RTTs differ a BDP is that of the longest one on the link.",
        "The yardstick is a CUBIC flow in the connection's place: the same network, seeds and neighbours, and on each link one \
         CUBIC flow, with the RTT of the first subflow there, instead of the connection's subflows. Buffers are the same in bytes. Rates are those of delivered \
         packets, headers included, so that MPTCP's option does not count against it.",
        "Goal 1, improve throughput: all subflows together have at least 0.95 × what that flow has on its best link. Goal 2, do no \
         harm: on each link the subflows together have at most 1.1 × what it has there. Goal 3, balance congestion: of the congested link \
         the connection takes a smaller part of that flow's rate than of all other links together, at most 0.75 ×. (Uncoupled subflows on separate links: 1. Half-shared, more, as several are on the congested link.) It \
         applies where there are several links and that flow's loss rate on the congested one is at least twice its loss rate on its \
         best. The limits were set before the first run.",
        "The quick and the default size take nine cells of each rate: the orthogonal array L9, in which each two values of network, \
         subflows, buffer and loss meet once; RTTs are equal and unequal in turn. At 1000 Mbit/s they take long and run only \
         on request, `--only E-1000`; in the quick size E-100 does so too. The full size takes all cells. One seed, in the full size \
         three, and twice as many at 10 Mbit/s.",
        "Runs last 200 s at 10 Mbit/s, 100 s at 100 and 200 s at 1000 (quick: a tenth), of which means leave out 50, 30 and 60 s. The \
         rule is six epochs of a CUBIC flow that fills its link at 200 ms, each ∛(0.75 W) s for a window of W segments: 5, 11 and 23 s for a \
         BDP. With a full buffer of 4 BDP they take 1.7 times as long, and fewer than four fit at 100 and 1000 Mbit/s. A subflow \
         that aims at the share s of such a flow has epochs 1/s times as long: at 100 Mbit/s with deep buffers or random loss, and at 1000 with eight \
         subflows, about one or none fits, and what is seen there is the transient after slow start.",
    ],
    errata: &[],
    seeds: |size| match size {
        Size::Quick | Size::Default => 1,
        Size::Full => 3,
    },
    columns: &[&PLAIN_START],
    experiments: &[goals::AT_10, goals::AT_100, goals::AT_1000, why::WHY, recovery::RECOVERY],
};
