//! A run's goodputs beside what theory gives for its scenario.

use anabranch_papers::{ShareRow, Shares};
use maud::{Markup, html};

use crate::{format, prose::prose};

/// The table of an experiment's run, folded.
pub fn section(shares: &Shares) -> Markup {
    html! {
        details.shares {
            summary { "Goodput beside the ideals" }
            div.scroll tabindex="0" role="region" aria-label="Goodput beside the ideals" {
                table.flows {
                    thead {
                        tr {
                            th scope="col" { "Flow" }
                            th scope="col" { "Path" }
                            th.number scope="col" { "Goodput (Mbit/s)" }
                            (headings())
                        }
                    }
                    tbody {
                        @for row in &shares.rows {
                            tr class=[row.part.then_some("part")] {
                                th scope="row" { @if !row.part { (row.flow) " (" (row.cc) ")" } }
                                td { (row.path.as_deref().unwrap_or("all")) }
                                td.number { (measured(row)) }
                                (ideals(row))
                            }
                        }
                    }
                }
            }
            (notes(shares))
        }
    }
}

/// The headings of [`ideals`].
pub fn headings() -> Markup {
    html! {
        th.number scope="col" title="Max–min fairness over connections" { "Max–min" }
        th.number scope="col" title="Resource pooling: proportional fairness over connections" { "Pooled" }
        th.number scope="col" title="Where the algorithms that the flows run settle" { "Equilibrium" }
    }
}

/// The cells of what theory gives; parts of a connection have no unique fair share.
pub fn ideals(row: &ShareRow) -> Markup {
    html! {
        @for value in [row.max_min, row.pooled, row.equilibrium] {
            td.number { (value.map_or(if row.part { String::new() } else { "–".into() }, format::number)) }
        }
    }
}

/// What theory leaves out.
pub fn notes(shares: &Shares) -> Markup {
    html! { @for note in &shares.notes { p.hint { (prose(note)) } } }
}

fn measured(row: &ShareRow) -> String {
    match (row.measured, row.half_width) {
        (Some(mean), Some(half_width)) => format::estimate(mean, half_width),
        (Some(mean), None) => format::number(mean),
        (None, _) => "–".into(),
    }
}
