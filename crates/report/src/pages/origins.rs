//! The origins of the differences from the papers' values, counted by paper.

use crate::layout::{heads, scroll};
use crate::plan::{PaperPlan, Plan};
use anabranch_study::Origin;
use maud::{Markup, html};

/// In the order of [`Origin::ALL`].
type Counts = [usize; Origin::ALL.len()];

/// The papers that have a row which differs, with their counts.
fn counts<'p, 'a>(plan: &'p Plan<'a>) -> Vec<(&'p PaperPlan<'a>, Counts)> {
    let of = |paper: &&PaperPlan| Origin::counts(paper.result.own_rows().filter_map(|(_, row)| row.origin()));
    let all = plan.papers.iter().map(|paper| (paper, of(&paper)));
    all.filter(|(_, counts)| counts.iter().sum::<usize>() > 0).collect()
}

fn totals(counts: &[(&PaperPlan, Counts)]) -> Counts {
    std::array::from_fn(|i| counts.iter().map(|(_, counts)| counts[i]).sum())
}

/// The counts over all papers, in a line; without a value of Linux they say nothing.
pub fn line(plan: &Plan) -> Markup {
    let totals = totals(&counts(plan));
    let rows = plan.papers.iter().flat_map(|paper| paper.result.own_rows()).map(|(_, row)| row);
    let mut others = rows.flat_map(|row| &row.others);
    let has_linux = others.any(|o| o.origin.is_some() && (o.measured.is_some() || !o.compared.is_empty()));
    html! {
        @if totals.iter().sum::<usize>() > 0 && !has_linux {
            p.quiet {
                "No Linux measurement is stored yet, so the "
                a href="#origins" { "origin of each difference" } " is undetermined."
            }
        } @else if totals.iter().sum::<usize>() > 0 {
            p.quiet {
                @let [simulator, network, both, chance, undetermined] = totals;
                a href="#origins" { "Paper, network or simulator?" }
                " Of " (totals.iter().sum::<usize>()) " differences from the papers, Linux attributes " (simulator)
                " to the simulator and " (network) " to the paper's network. It agrees with neither in " (both)
                "; " (chance) " are within chance. The origin of " (undetermined) " is undetermined."
            }
        }
    }
}

/// The counts by paper.
pub fn table(plan: &Plan) -> Markup {
    let counts = counts(plan);
    html! {
        @if !counts.is_empty() {
            h3 id="origins" { "Origin of differences" }
            p {
                "The origin of each difference of the papers' own rows that are reproduced partly or not, by "
                a href="methods.html#origins" { "the values measured on Linux" } "."
            }
            (scroll("Origin of differences", &html! {
                table.counts.origins {
                    thead { tr { (heads(&["Paper"], &Origin::ALL.map(Origin::label))) } }
                    tbody {
                        @for (paper, counts) in &counts {
                            tr {
                                th scope="row" { a href=(paper.file) { (paper.result.id) ". " (paper.result.title) } }
                                @for n in counts { td.number { (n) } }
                            }
                        }
                    }
                    tfoot { tr { th scope="row" { "All" } @for n in totals(&counts) { td.number { (n) } } } }
                }
            }))
        }
    }
}
