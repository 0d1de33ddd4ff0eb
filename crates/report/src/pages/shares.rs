//! Results of runs compared with theory.

use crate::layout::{captioned, heads};
use crate::prose::prose;
use anabranch_study::{Comparison, EquilibriumName, Estimate, ShareRow, Shares, format};
use maud::{Markup, html};

/// The heading of the flows' own equilibrium.
const OWN: &str = "Own";

/// The tables of a run, folded: goodputs, and where there are equilibria windows and loss rates.
pub fn section(shares: &Shares) -> Markup {
    let loss_and_window = !shares.equilibria.is_empty();
    html! {
        details.shares {
            summary { "Compared with theory: goodput" @if loss_and_window { ", windows and loss rates" } }
            p.hint {
                "Max–min and pooled are fair shares, independent of the algorithm. The others are equilibria of congestion control: "
                b { (OWN) } " with the algorithms that the flows run, the others with the named algorithm on all multipath flows."
            }
            (table(shares, "Goodput (Mbit/s)", true, |row| Some(&row.goodput)))
            @if loss_and_window {
                (table(shares, "Mean congestion window (segments)", false, |row| row.cwnd.as_ref()))
                (table(shares, "Lost (%)", false, |row| row.loss.as_ref()))
            }
            // The features that theory leaves out.
            @for note in &shares.notes { p.hint { (prose(note)) } }
        }
    }
}

/// A quantity, measured and in theory, of the rows that have it.
fn table<'a>(
    shares: &'a Shares,
    title: &str,
    fair: bool,
    of: impl Fn(&'a ShareRow) -> Option<&'a Comparison>,
) -> Markup {
    let rows = shares.rows.iter().filter_map(|row| Some((row, of(row)?)));
    let of_columns = html! {
        (heads(&["Flow", "Path"], &["Measured"]))
        @if fair { (fair_headings()) }
        @for equilibrium in &shares.equilibria { (heading(equilibrium)) }
    };
    let lines = html! {
        @for (row, beside) in rows {
            tr class=[(row.part && fair).then_some("part")] {
                @if row.part && fair { td {} } @else { th scope="row" { (row.flow) " (" (row.cc) ")" } }
                td { (row.path.as_deref().unwrap_or("all")) }
                td.number { (measured(beside)) }
                @if fair { (fair_cells(row)) }
                @for value in &beside.equilibria { (cell(*value, false)) }
            }
        }
    };
    captioned(title, "flows", &of_columns, &lines)
}

/// The headings of [`ideals`].
pub fn headings() -> Markup {
    html! {
        (fair_headings())
        th.number scope="col" title="The equilibrium of the algorithms that the flows run" { (OWN) }
    }
}

/// The cells of a flow's goodput in theory, with the algorithms that the flows run.
pub fn ideals(row: &ShareRow, shares: &Shares) -> Markup {
    html! { (fair_cells(row)) (cell(row.own(&shares.equilibria), row.part)) }
}

fn fair_headings() -> Markup {
    html! {
        th.number scope="col" title="Max–min fairness over connections" { "Max–min" }
        th.number scope="col" title="Resource pooling: proportional fairness over connections" { "Pooled" }
    }
}

/// The title, and below it what comes after a comma.
fn heading(equilibrium: &EquilibriumName) -> Markup {
    let own = equilibrium.id == "own";
    let (name, rest) = equilibrium.title.split_once(", ").unwrap_or((&equilibrium.title, ""));
    html! {
        th.number scope="col" title=[own.then_some(&equilibrium.title)] {
            @if own { (OWN) } @else { (name) }
            @if !rest.is_empty() { div.quiet { (rest) } }
        }
    }
}

/// The subflows of a connection have no unique fair share.
fn fair_cells(row: &ShareRow) -> Markup {
    html! { @for value in [row.max_min, row.pooled] { (cell(value, row.part)) } }
}

fn cell(value: Option<f64>, may_be_empty: bool) -> Markup {
    html! { td.number { (value.map_or(if may_be_empty { String::new() } else { "–".into() }, format::number)) } }
}

fn measured(beside: &Comparison) -> String {
    let of = |mean| format::of(&Estimate { mean, half_width: beside.half_width, values: vec![] });
    beside.measured.map_or("–".into(), of)
}
