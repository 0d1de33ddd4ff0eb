//! How to read the report.

use anabranch_study::Verdict;
use maud::{Markup, html};

use crate::{
    layout::{Page, page},
    plan::Plan,
    prose::prose,
    site::Site,
    verdict,
};

const FILE: &str = "methods.html";

/// Adds the page.
pub fn add(plan: &Plan, site: &mut Site) {
    let body = html! {
        h1 { "Methods" }
        (rows())
        (verdicts())
        (sizes(plan))
        (figures())
        (laboratory(plan))
        (glossary())
    };
    site.add(FILE, page(plan, &Page { file: FILE, title: "Methods – Anabranch" }, &body));
}

/// How to have the page that simulates, where this report is without.
fn laboratory(plan: &Plan) -> Markup {
    html! {
        @if plan.context.laboratory.is_none() {
            h2 id="laboratory" { "The laboratory" }
            p {
                "The page that simulates in a browser was not at hand when this report was written. In the source's folder "
                code { "make page" } " builds it, and " code { "make wheel" } " a Python package that has it: reports written then have it beside "
                "them, and figures a link to it."
            }
        }
    }
}

fn rows() -> Markup {
    html! {
        h2 id="intervals" { "Values and intervals" }
        p {
            "A row is one value of a paper and ours beside it. Each is measured in " i { "n" } " independent runs, which differ in "
            "their seed and in nothing else. The seed draws random losses, and where the network has none, start offsets "
            "and the small delays of the hosts: without these, a simulator repeats one and the same phase between flows "
            "for ever and its interval would be too narrow."
        }
        p {
            "“849 ± 12” is the mean over the runs and half the width of its 95 % confidence interval (Student's "
            i { "t" } " with " i { "n" } " − 1 degrees of freedom). Were the experiment repeated with fresh seeds many times, "
            "about 19 of 20 such intervals would hold the model's true mean. The interval speaks of chance alone. It does not "
            "contain what the paper leaves open (buffers, host delays, kernel versions) nor the error of the "
            "published value, for which papers rarely give one. An interval of zero width is never shown: a value without ± comes from "
            "a formula, from a single run, or from runs that all gave exactly this value."
        }
        p {
            "“Ours ÷ published” is also drawn, on a logarithmic scale from half to twice the published value: the dot is our "
            "mean, the bar its interval, the upright line the published value, an arrow a value off the scale."
        }
    }
}

fn verdicts() -> Markup {
    let meaning = |v| match v {
        Verdict::Reproduced => {
            "Our mean lies within the row's band (by default 10 % of the published value), or the paper's claim holds: for an order of values, their 95 % intervals are disjoint. A measured value without an interval never does more than partly."
        }
        Verdict::Partly => {
            "Our mean lies within the wider band (by default 25 %), or the means are in the claimed order while their intervals touch. Also a measured value that would reproduce but has no interval."
        }
        Verdict::NotReproduced => {
            "Neither. The row stays in the report with our explanation, as far as we have one."
        }
        Verdict::Undetermined => {
            "The paper's text allows several readings, such as a delay that it does not give. Each was run and judged by the row's rule: some refute the value or claim, and others do not. Every value stands below the row. Where all or none refute it, the verdict is that of the reading chosen."
        }
        Verdict::NotJudged => {
            "The paper publishes nothing to compare with, or the row leaves the paper's setting (other delays, rates, buffers): a published value then stands beside ours for comparison only."
        }
        Verdict::Failed => {
            "The row could not be measured: a run broke off, or several seeds gave runs that are the same in everything. The row says which."
        }
    };
    html! {
        h2 id="verdicts" { "Verdicts" }
        p {
            "Every rule is part of the experiment's definition and was fixed before the run; none is adjusted to what the run "
            "gives. Each row prints its own."
        }
        p {
            "A verdict is of the mean. Where its interval reaches into another band, the row says so: “interval reaches partly”. A value at the "
            "edge of a band may be either. A bound or an order that holds partly says so by its rule."
        }
        dl.terms { @for v in verdict::ALL { dt { (verdict::badge(v)) } dd { (meaning(v)) } } }
        p {
            "Where the papers' hosts differ from the default, such as in the arithmetic of their kernel, an experiment is run again "
            "with fewer seeds. Each assumption is a column of its own: a value, and a verdict by the row's rule. “Same” stands where it "
            "changes none of the row's runs. Explanations are of the default's value."
        }
        p {
            "A column of another backend, such as Linux, has the same scenarios on it with the same seeds. It has a value where all of a "
            "row's scenarios can run there. How far the simulator is from it stands with each experiment: goodput of each flow, and mean "
            "window, mean smoothed RTT and loss rate of each path, with the 95 % interval of each ratio, from independent errors by the delta "
            "method. Differences beyond 10 % are marked."
        }
    }
}

fn sizes(plan: &Plan) -> Markup {
    html! {
        h2 id="sizes" { "Sizes" }
        p {
            "The same experiments can be run at different cost. Smaller sizes use shorter runs and fewer seeds, so their "
            "intervals are wider and slow processes may not have settled. Each page says which size it shows. Rows from "
            "short runs have up to four times as many seeds. Explanations are written for the default size; in another run "
            "they say so. A published value marked as derived is computed from printed ones."
        }
        @if !plan.context.sizes.is_empty() {
            dl.terms { @for size in &plan.context.sizes { dt { (size.name) } dd { (prose(&size.meaning)) } } }
        }
    }
}

fn figures() -> Markup {
    html! {
        h2 id="figures" { "Figures" }
        p {
            "Figures have the paper's axes, extended only where our values would leave them. Published series are dashed "
            "and hollow, ours solid and filled, both in one colour where they have one name. Bars and bands are 95 % intervals. "
            "Click a legend entry to single out its series, others to add theirs, and again to take one away; point at a mark for its values; drag a chart to move "
            "along its horizontal axis, turn the wheel with Ctrl or Alt to stretch it, double-click to have it back; the "
            "menu at a chart's corner saves it as SVG or PNG. Without scripts, and in print, charts are pictures with fewer points."
        }
        p {
            "The "
            a href="algorithms.html#reading" { "algorithms' pages" }
            " have no published values: they show how each algorithm behaves in the same standard cases."
        }
        p {
            "A long series is drawn with the lowest and highest value of each short stretch, so that no peak is lost. The CSV "
            "file beside a chart has every value."
        }
    }
}

fn glossary() -> Markup {
    let terms = [
        (
            "BDP",
            "Bandwidth–delay product: the bytes a path holds when it is full, its rate times its round-trip time.",
        ),
        (
            "cwnd",
            "Congestion window: how many segments a sender may have in flight. Means are weighted by time.",
        ),
        ("Goodput", "Payload bytes delivered in order to the receiving application, per second."),
        (
            "Jain index",
            "Fairness of n rates x: (Σx)² ÷ (n Σx²). 1 is an equal share, 1/n one flow that has all.",
        ),
        ("Loss rate", "Segments dropped in the network divided by segments sent."),
        ("RTT", "Round-trip time."),
        ("ssthresh", "Slow-start threshold: the window beyond which growth is that of congestion avoidance."),
        ("Subflow", "One TCP path of a multipath connection."),
        ("Warm-up", "The start of a run, left out of its means."),
    ];
    html! {
        h2 id="glossary" { "Glossary" }
        dl.terms { @for (term, meaning) in terms { dt { (term) } dd { (meaning) } } }
    }
}
