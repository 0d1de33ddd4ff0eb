//! Every algorithm in every standard case: a matrix, and a dot plot for each case.

use crate::dots;
use crate::layout::{page, scroll};
use crate::pages::case::{compared, heading};
use crate::plan::{ALGORITHMS, AlgorithmPlan, Plan};
use crate::prose::prose;
use crate::site::Site;
use anabranch_cc::registry::Kind;
use anabranch_papers::standard::{AlgorithmResult, CASES, Case, CaseResult};
use anabranch_scenario::describe::kind;
use anabranch_study::format;
use maud::{Markup, html};

/// Adds the page.
pub fn add(plan: &Plan, site: &mut Site) {
    let usual = usual(plan);
    let body = html! {
        h1 { "The algorithms" }
        p.lead {
            "Every algorithm of the registry in the same standard cases: alone, sharing links with Reno or CUBIC, on unequal paths, and "
            "while the network changes."
        }
        @if let Some(usual) = usual {
            dl.facts {
                dt { "Size" } dd { b { (usual.size) } ", seeds per case: " (usual.seeds) }
                dt { "Version" } dd { (usual.version) }
                dt { "Reproduce with" } dd { code { (usual.command_for_all()) } }
            }
        }
        (matrix(plan, usual))
        (reading())
        @if let Some(usual) = usual {
            @for case in CASES.iter() {
                section.experiment id=(case.id) {
                    h2 { (case.title) }
                    p { (prose(&case.purpose)) }
                    div.place { (compared(plan, case, usual)) }
                }
            }
        }
        script src="assets/sort.js" {}
    };
    site.add(ALGORITHMS, page(plan, ALGORITHMS, "Algorithms – Anabranch", &body));
}

/// The result with the most common options: only results like it are compared.
fn usual<'a>(plan: &Plan<'a>) -> Option<&'a AlgorithmResult> {
    let results: Vec<&AlgorithmResult> = plan.algorithms.iter().filter_map(|a| a.result).collect();
    let alike = |r: &AlgorithmResult| results.iter().filter(|other| other.is_made_like(r)).count();
    // The first of equals.
    results.iter().rev().max_by_key(|r| alike(r)).copied()
}

fn matrix(plan: &Plan, usual: Option<&AlgorithmResult>) -> Markup {
    html! {
        (scroll("Key figure of every algorithm in every case", &html! {
            table.matrix.sortable {
                thead {
                    tr.groups {
                        td {}
                        @for group in groups() {
                            th scope="colgroup" colspan=(group.len()) { (group[0].group) div.quiet { (heading(group[0].goal)) } }
                        }
                    }
                    tr {
                        (sort_heading(0, "Algorithm", "Algorithm"))
                        @for (i, case) in CASES.iter().enumerate() { (sort_heading(i + 1, &case.short, &case.title)) }
                    }
                }
                tbody { @for algorithm in &plan.algorithms { (row(algorithm, usual)) } }
            }
        }))
    }
}

/// Groups of adjacent cases.
fn groups() -> impl Iterator<Item = &'static [Case]> {
    CASES.chunk_by(|a, b| a.group == b.group)
}

fn sort_heading(column: usize, text: &str, title: &str) -> Markup {
    html! { th scope="col" class=[(column > 0).then_some("number")] { button type="button" data-column=(column) title={ "Sort by: " (title) } { (text) } } }
}

fn row(algorithm: &AlgorithmPlan, usual: Option<&AlgorithmResult>) -> Markup {
    let entry = algorithm.entry;
    let otherwise = algorithm.result.filter(|r| usual.is_some_and(|usual| !usual.is_made_like(r)));
    html! {
        tr class=[(entry.kind == Kind::SinglePath).then_some("single")] {
            th scope="row" data-value=(entry.name) {
                a href=(algorithm.file) title=(entry.title) { (entry.name) }
                div.quiet {
                    (kind(entry))
                    @if let Some(r) = otherwise { ", " (r.size) " size, " (r.seeds) " seeds, version " (r.version) }
                }
            }
            @for case in CASES.iter() { (cell(algorithm, case)) }
        }
    }
}

fn cell(algorithm: &AlgorithmPlan, case: &Case) -> Markup {
    let result: Option<&CaseResult> = algorithm.result.and_then(|r| r.case(&case.id));
    html! {
        @match result.and_then(|r| r.key.as_ref()) {
            Some(key) => td.number data-value=(key.value.mean) {
                a href={ (algorithm.file) "#" (case.id) } { (dots::short(key.value.mean, key.at_least)) }
                @if let Some(half) = key.value.half_width { div.quiet { "± " (format::bounded(half, dots::decimals(key.value.mean))) } }
            },
            None => td.number { "–" },
        }
    }
}

fn reading() -> Markup {
    html! {
        section id="reading" {
            h2 { "How to read it" }
            dl.terms {
                dt { "Utilisation" }
                dd { "Bits transmitted ÷ link capacity, averaged over the links." }
                dt { "Share" }
                dd {
                    "The connection's goodput ÷ the mean goodput of all connections in the case: 1 is an equal share; the upper "
                    "bound is the number of connections."
                }
                dt { "Recovery" }
                dd {
                    "The time from the return of a path, or the rise of its rate, to the start of the first second in which 80 % of the "
                    "path's rate is acknowledged on its subflow. A run that does not recover counts with its remaining time; the value "
                    "is then a lower bound, shown as “≥” and as an arrow in the chart."
                }
                dt { "Mean queue" }
                dd { "Packets of 1500 bytes queued at the links, averaged over time and links. A buffer of 67 packets is one BDP at 20 Mbit/s and 40 ms." }
            }
            p {
                "The tested flow is a connection over two paths unless the case states one. A single-path algorithm then runs on each "
                "path as if it were alone (uncoupled): its share shows the unfairness that coupling is meant to avoid. "
                "Every algorithm has its default parameters. Values are means over seeds with 95 % confidence intervals (Student's "
                i { "t" } "); charts over time show the first seed. The cases show how algorithms differ; they do not judge them."
            }
        }
    }
}
