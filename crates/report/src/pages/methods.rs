//! How to read the report.

use crate::layout::page;
use crate::plan::Plan;
use crate::prose::prose;
use crate::site::Site;
use crate::verdict;
use anabranch_study::{Origin, Size, Verdict, Wording};
use maud::{Markup, html};

const FILE: &str = "methods.html";

/// Adds the page.
pub fn add(plan: &Plan, site: &mut Site) {
    let body = html! {
        h1 { "Methods" }
        (rows())
        (verdicts())
        (sizes())
        (figures())
        (laboratory(plan))
        (glossary())
    };
    site.add(FILE, page(plan, FILE, "Methods – Anabranch", &body));
}

/// Instructions for the laboratory, if the report lacks it.
fn laboratory(plan: &Plan) -> Markup {
    html! {
        @if plan.context.laboratory.is_none() {
            h2 id="laboratory" { "The laboratory" }
            p {
                "The laboratory, a page that simulates in a browser, was not available when this report was written. In the source tree, "
                code { "make page" } " builds it, and " code { "make wheel" } " builds a Python package that contains it. Later reports then "
                "include the page and link to it from their figures."
            }
        }
    }
}

fn rows() -> Markup {
    html! {
        h2 id="intervals" { "Values and intervals" }
        p {
            "A row compares one value of a paper with ours, measured in " i { "n" } " independent runs that differ only in their seed. "
            "The seed determines random losses and, in networks without random loss, start offsets and small host delays. "
            "Without these, a simulator repeats one phase between flows forever, and its interval would be too narrow."
        }
        p {
            "“849 ± 12” is the mean over the runs and half the width of its 95 % confidence interval (Student's "
            i { "t" } " with " i { "n" } " − 1 degrees of freedom). If the experiment were repeated many times with fresh seeds, "
            "about 19 of 20 such intervals would contain the model's true mean. The interval covers chance only. It does not "
            "cover settings that the paper omits (buffers, host delays, kernel versions) or the error of the "
            "published value, which papers rarely give. An interval of zero width is never shown: a value without ± comes from "
            "a formula, from a single run, or from runs that all gave exactly this value."
        }
        p {
            "A chart shows “ours ÷ published” on a logarithmic scale from half to twice the published value: the dot is our "
            "mean, the bar its interval, the vertical line the published value, an arrow a value off the scale."
        }
    }
}

fn verdicts() -> Markup {
    html! {
        h2 id="verdicts" { "Verdicts" }
        p {
            "Every rule belongs to the experiment's definition and was fixed before the run; no rule was adjusted to the results. "
            "Each row prints its rule."
        }
        p {
            "A verdict applies to the mean. If its interval reaches into another band, the row notes it: “interval reaches partly”. A value at the "
            "edge of a band may belong to either. For a bound or an order, the rule states when it holds partly."
        }
        p {
            "Studies that compare with nothing published, such as sweeps and our own study, say that a claim “holds”, “holds partly” or “does not hold”, by "
            "the same rules."
        }
        dl.terms {
            @for v in verdict::ALL {
                dt { (verdict::badge(v, Wording::Published)) }
                @match v {
                    Verdict::Reproduced => dd { "Our mean lies within the row's band (by default 10 % of the published value), or the paper's claim holds; in a claimed order of values, their 95 % intervals are disjoint. A measured value without an interval is at most partly reproduced." },
                    Verdict::Partly => dd { "Our mean lies within the wider band (by default 25 %), or the means are in the claimed order but their intervals overlap. Also a measured value that would be reproduced but has no interval." },
                    Verdict::NotReproduced => dd { "Neither of the above. The row stays in the report, with our explanation if we have one." },
                    Verdict::Undetermined => dd { "The paper's text allows several interpretations, such as a delay that it does not give. Each was run and judged by the row's rule: some refute the value or claim, and others do not. The lines below the row list their values. If the interpretations agree, the row has the verdict of the chosen one." },
                    Verdict::NotJudged => dd { "The paper publishes no value to compare with, or the row departs from the paper's setting (other delays, rates, buffers): a published value is then shown for comparison only." },
                    Verdict::Provisional => dd { "The row is of the quick size. Its runs are too short and too few for a verdict: the value shows that everything works. The default size judges it." },
                    Verdict::Failed => dd { "The row could not be measured: a run failed, or several seeds gave identical runs. The row states the reason." },
                }
            }
        }
        p {
            "The papers' hosts differ from the default hosts, for example in their kernel's arithmetic. A sensitivity variant repeats an "
            "experiment under such an assumption, with fewer seeds. Its column has a value, and a verdict by the row's rule; “same” means that "
            "it changes no run of the row. Explanations apply to the default value."
        }
        p {
            "The column of another backend, such as Linux, comes from the same scenarios with the same seeds. It has a value if all of the "
            "row's scenarios can run there. Each experiment lists the differences between the simulator and the backend: goodput of each flow, "
            "and mean window, mean smoothed RTT and loss rate of each path, with the 95 % interval of each ratio (delta method, independent "
            "errors). Differences of more than 10 % are marked."
        }
        h3 id="origins" { "Origin of differences" }
        p {
            "A row that is reproduced partly or not has an origin of the difference, by the row's value on Linux. “Linux agrees with the "
            "paper” means that the row's rule reproduces the value on Linux, or would somewhere in its 95 % interval. “Linux agrees with "
            "the simulator” means that their intervals overlap, or that both have the same verdict and are within 10 %; for bounds and "
            "orders, the same verdict is enough."
        }
        dl.terms {
            @for origin in Origin::ALL {
                dt { (origin.label()) }
                @match origin {
                    Origin::Simulator => dd { "Linux agrees with the paper only: a fault of the simulator." },
                    Origin::Network => dd { "Linux agrees with the simulator only: the paper's network, kernel or interpretation differs." },
                    Origin::BothDiffer => dd { "Linux agrees with neither." },
                    Origin::WithinChance => dd { "The simulator's own interval reaches “reproduced”, or Linux agrees with both." },
                    Origin::Undetermined => dd { "Linux was not measured, its kernel skipped calls of the algorithm's program, or a value has no interval." },
                }
            }
        }
    }
}

fn sizes() -> Markup {
    html! {
        h2 id="sizes" { "Sizes" }
        p {
            "Each experiment can run in several sizes. Smaller sizes use shorter runs and fewer seeds, so their "
            "intervals are wider and slow processes may not have settled. Each page states its size. Rows from "
            "short runs have up to four times as many seeds. Explanations are written for the default size; at other sizes "
            "they state this. A published value marked as derived is computed from printed values."
        }
        dl.terms { @for size in Size::ALL { dt { (size.name()) } dd { (prose(size.description())) } } }
    }
}

fn figures() -> Markup {
    html! {
        h2 id="figures" { "Figures" }
        p {
            "Figures have the paper's axes, extended only if our values exceed them. Published series are dashed "
            "and hollow, theory is dotted, ours solid and filled; series of the same name share a colour. Bars and bands are 95 % intervals. "
            "Point at an entry of the legend to see its series alone, and at a symbol, bar, box or tile to see its values. A table below each "
            "chart has values of every series."
        }
        p {
            "The "
            a href="algorithms.html#reading" { "algorithms' pages" }
            " have no published values: they show how each algorithm behaves in the same standard cases."
        }
        p {
            "A long series is drawn as the lowest and highest value of each short interval, so that no peak is lost. The CSV "
            "file linked below a chart has every value."
        }
    }
}

fn glossary() -> Markup {
    html! {
        h2 id="glossary" { "Glossary" }
        dl.terms {
            dt { "BDP" } dd { "Bandwidth–delay product: a path's rate times its round-trip time, the bytes in flight that fill it." }
            dt { "cwnd" } dd { "Congestion window: the number of segments that a sender may have in flight. Means are time-weighted." }
            dt { "Goodput" } dd { "Payload bytes delivered in order to the receiving application, per second." }
            dt { "Jain index" } dd { "Fairness of n rates x: (Σx)² ÷ (n Σx²). 1 is an equal share; 1/n means that one flow has everything." }
            dt { "Loss rate" } dd { "Segments dropped in the network divided by segments sent." }
            dt { "RTT" } dd { "Round-trip time." }
            dt { "ssthresh" } dd { "Slow-start threshold: the window from which a sender is in congestion avoidance." }
            dt { "Subflow" } dd { "One TCP path of a multipath connection." }
            dt { "Warm-up" } dd { "The start of a run, excluded from its means." }
        }
    }
}
