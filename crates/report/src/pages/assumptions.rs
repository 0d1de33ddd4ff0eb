//! The verdicts on the papers' own rows in sensitivity variants, compared with the default.

use crate::layout::{self, heads};
use crate::{prose::prose, verdict};
use anabranch_study::{
    Estimate, Other, Row, StudyResult, VariantName, Verdict, Wording, distinct_variants, format,
};
use maud::{Markup, html};

/// The verdicts on the papers' own rows in each variant; empty without variants.
pub fn table(papers: &[&StudyResult], wording: Wording) -> Markup {
    let columns = columns(papers);
    let all = if wording == Wording::Published { "All the papers' own rows" } else { "All rows" };
    let of_columns = html! {
        (heads(&["Assumption"], &["Changed rows"]))
        (heads(&["Their default verdicts", "Their verdicts here", all], &[]))
    };
    html! {
        @if !columns.is_empty() {
            h2 id="assumptions" { "Under other assumptions" }
            p {
                @if wording == Wording::Published { "The papers' hosts differ from the default hosts. " }
                "Sensitivity variants repeat the experiments under other assumptions and judge each row by the same rule."
                @if wording == Wording::Published { " Only the papers' own rows count here." }
                @if columns.iter().any(|column| column.of_backend) {
                    " Other backends than the simulator have only the rows for which all scenarios can run there."
                }
            }
            (layout::table("Verdicts under other assumptions", "counts assumptions", &of_columns, &html! {
                tr {
                    th scope="row" { b { "Default" } div.quiet { "the rules of the RFCs and papers, idealised hosts and links" } }
                    td.number { "–" }
                    td { "–" }
                    td { "–" }
                    td { (verdict::tally(verdict::count(own(papers).map(|row| row.verdict)), wording)) }
                }
                @for column in columns { (line(papers, column, wording)) }
            }))
        }
    }
}

fn line(papers: &[&StudyResult], column: &VariantName, wording: Wording) -> Markup {
    let under = |row: &Row| row.other(&column.id).map(|other| other.verdict);
    let changed = || own(papers).filter_map(|row| Some((row.verdict, under(row)?)));
    let all = || own(papers).map(|row| under(row).unwrap_or(row.verdict));
    html! {
        tr {
            th scope="row" { b { (column.title) } div.quiet { (prose(&column.meaning)) } }
            td.number { (changed().count()) }
            td { (verdict::tally(verdict::count(changed().map(|(default, _)| default)), wording)) }
            td { (verdict::tally(verdict::count(changed().map(|(_, under)| under)), wording)) }
            // Rows that did not run on a backend have no verdict there.
            td { @if column.of_backend { "–" } @else { (verdict::tally(verdict::count(all()), wording)) } }
        }
    }
}

fn own<'a>(papers: &'a [&StudyResult]) -> impl Iterator<Item = &'a Row> {
    papers.iter().flat_map(|paper| paper.own_rows().map(|(_, row)| row))
}

/// The variants that change a paper's own row, in order of first appearance.
pub fn columns<'a>(papers: &'a [&StudyResult]) -> Vec<&'a VariantName> {
    let all = papers.iter().flat_map(|paper| paper.experiments.iter().flat_map(|e| &e.variants));
    let changes = |column: &&VariantName| own(papers).any(|row| row.other(&column.id).is_some());
    distinct_variants(all).into_iter().filter(changes).collect()
}

/// A variant's value, or the values that a claim orders: "0.69 ± 0.09".
pub fn values(other: &Other) -> String {
    let measured = other.measured.iter().map(format::of);
    let compared = other.compared.iter().map(|(name, m)| format!("{name} {}", format::of(m)));
    measured.chain(compared).chain(other.failure.clone()).collect::<Vec<_>>().join(", ")
}

/// The number of seeds of a value.
pub fn seeds(measured: &Option<Estimate>, compared: &[(String, Estimate)]) -> usize {
    measured.as_ref().or(compared.first().map(|(_, m)| m)).map_or(0, |m| m.values.len())
}

/// A table cell with a row's value and verdict in a variant or on a backend.
pub fn cell(row: &Row, column: &VariantName, wording: Wording) -> Markup {
    let Some(other) = row.other(&column.id) else {
        return html! { td.number.quiet { @if column.of_backend { "–" } @else { "same" } } };
    };
    html! {
        td.number.other {
            @let (values, own) = (seeds(&other.measured, &other.compared), seeds(&row.measured, &row.compared));
            @if let Some(m) = &other.measured { div { span.value { (format::of(m)) } } }
            @for (name, m) in &other.compared { div { (prose(name)) ": " span.value { (format::of(m)) } } }
            // A backend has fewer seeds only if runs failed; a variant always does.
            @if column.of_backend && values < own && values > 0 { div.quiet { "n = " (values) } }
            @if let Some(failure) = &other.failure { div { (prose(failure)) } }
            @if other.verdict != Verdict::NotJudged { (verdict::badge(other.verdict, wording)) }
        }
    }
}
