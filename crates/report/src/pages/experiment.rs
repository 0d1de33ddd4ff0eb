//! An experiment: its table, its figures, and the runs behind them.

use crate::layout::{captioned, heads, permalink};
use crate::pages::{assumptions, fidelity, figure, pivot, shares};
use crate::plan::{ExperimentPlan, PaperPlan};
use crate::prose::{paragraphs, prose, with_links};
use crate::ratio::Ratio;
use crate::site::Site;
use crate::{laboratory, verdict, visible};
use anabranch_scenario::distinct_by;
use anabranch_study::{Experiment, Published, Row, Run, VariantName, Verdict, Wording, format};
use maud::{Markup, html};

/// The number of columns of backends and variants that fit; with more, variants get a separate table.
const FEW_COLUMNS: usize = 2;

/// Runs beyond which their list starts folded.
const FEW_RUNS: usize = 3;

/// The section of a paper's page.
pub fn section(plan: &ExperimentPlan, study: &PaperPlan, site: &mut Site) -> Markup {
    let experiment = plan.experiment;
    let is_judged = |(row, _): &&(&Row, String)| row.verdict != Verdict::NotJudged;
    let (judged, rest): (Vec<_>, Vec<_>) = plan.rows.iter().partition(is_judged);
    html! {
        section.experiment id=(plan.anchor) {
            h2 {
                // A study of one experiment has the same title.
                @if study.users && !study.is_split() { "Results" } @else { span.id { (experiment.id) } " " (experiment.title) }
                " " (permalink(&plan.anchor, &experiment.id))
            }
            p {
                @if !study.users || !judged.is_empty() { (verdict::tally(verdict::counts(&experiment.rows), study.wording)) }
                @if experiment.beyond && !anabranch_papers::is_own(&study.result.name) { " " span.quiet { "beyond the " (study.wording.work()) ": counted separately" } }
            }
            @if study.users {
                (pivot::tables(plan))
                @if !judged.is_empty() { (table(plan, study, &judged, "claims")) }
            }
            (paragraphs(&experiment.notes, &study.links))
            @for together in figure::together(&plan.figures) {
                (figure::figures(together, site))
                @if let Some(run) = experiment.runs.first() { (one(run, site)) }
            }
            @if !judged.is_empty() && !study.users { (table(plan, study, &judged, if is_published(study) { "published values and ours" } else { "claims" })) }
            @if !rest.is_empty() {
                details.runs open[judged.is_empty() && !study.users] {
                    summary { h3 { "Not judged" } span.quiet { " " (rest.len()) @if rest.len() == 1 { " row" } @else { " rows" } } }
                    (table(plan, study, &rest, "not judged"))
                }
            }
            (columns(experiment))
            @for backend in &plan.backends { (fidelity::section(backend)) }
            (runs(plan, site))
        }
    }
}

/// A run of a figure, in the laboratory.
fn one(run: &Run, site: &Site) -> Markup {
    let link = laboratory::open(run, site);
    html! {
        @if !link.0.is_empty() { p.quiet.opens { (link) ": " (prose(&run.title)) ". “Run it again” lists the others." } }
    }
}

type NamedRow<'a> = (&'a Row, String);

fn table(plan: &ExperimentPlan, study: &PaperPlan, rows: &[&NamedRow], what: &str) -> Markup {
    let caption = format!("{}: {what}", plan.experiment.id);
    // Claims have no ratio.
    let ratios = rows.iter().any(|(row, _)| Ratio::of(row).is_some());
    // Paper, simulator and another backend stand side by side; then the rule and what else was assumed.
    let (backends, assumed): (Vec<_>, Vec<_>) = plan.experiment.variants.iter().partition(|c| c.of_backend);
    let few = plan.experiment.variants.len() <= FEW_COLUMNS;
    let (assumed, apart) = if few { (assumed, vec![]) } else { (vec![], assumed) };
    let columns = Columns { ratios, backends, assumed, study };
    // Our values are the simulator's if there are other backends.
    let [verdict_head, ours, whose] = match columns.backends.is_empty() {
        true => ["Verdict", "Ours, 95 %", "Ours"],
        false => ["Simulator's verdict", "Simulator, 95 %", "Simulator"],
    };
    let of_columns = html! {
        (heads(&[verdict_head, "Quantity", "Unit"], &[if is_published(study) { "Published" } else { "Claim" }, ours]))
        (variant_heads(&columns.backends))
        (heads(&[], &["n"]))
        @if ratios {
            th scope="col" { (whose) " ÷ published" span.scale aria-hidden="true" { span { "½" } span { "1" } span { "2" } } }
        }
        (heads(&["Rule"], &[]))
        (variant_heads(&columns.assumed))
    };
    let lines = html! { @for (row, anchor) in rows { (table_row(row, anchor, &columns)) } };
    html! {
        (captioned(&caption, "rows", &of_columns, &lines))
        @if !apart.is_empty() { (under_assumptions(plan, study.wording, rows, &apart)) }
    }
}

fn variant_heads(columns: &[&VariantName]) -> Markup {
    html! { @for column in columns { th.number scope="col" title=(column.meaning) { (column.title) } } }
}

/// The meaning of the columns.
fn columns(experiment: &Experiment) -> Markup {
    let all = || experiment.variants.iter();
    html! {
        @if !experiment.variants.is_empty() && !experiment.rows.is_empty() {
            dl.terms.columns {
                @for column in all().filter(|c| c.of_backend).chain(all().filter(|c| !c.of_backend)) {
                    dt { (column.title) } dd { (meaning(column)) }
                }
            }
        }
    }
}

/// The difference from the default, and what is said of runs on another backend.
fn meaning(column: &VariantName) -> Markup {
    html! {
        (prose(&column.meaning))
        @for note in &column.notes { div { (prose(note)) } }
        @if !column.failed.is_empty() {
            div {
                "Left out because they failed: " (column.failed.len()) @if column.failed.len() == 1 { " run." } @else { " runs." }
            }
            ul { @for why in &column.failed { li { (prose(why)) } } }
        }
    }
}

/// The rows that variants change, with their values in each.
fn under_assumptions(
    plan: &ExperimentPlan,
    wording: Wording,
    rows: &[&NamedRow],
    columns: &[&VariantName],
) -> Markup {
    let caption = format!("{}: under other assumptions", plan.experiment.id);
    let changed: Vec<&&NamedRow> =
        rows.iter().filter(|(row, _)| columns.iter().any(|column| row.other(&column.id).is_some())).collect();
    if changed.is_empty() {
        return html! {};
    }
    let of_columns = html! { (heads(&["Quantity"], &["Default"])) (variant_heads(columns)) };
    let lines = html! {
        @for (row, anchor) in changed {
            tr {
                th scope="row" { (prose(&row.what)) div.rowid { a href={ "#" (anchor) } { (row.id) } } }
                (measured(row))
                @for column in columns { (assumptions::cell(row, column, wording)) }
            }
        }
    };
    captioned(&caption, "rows assumed", &of_columns, &lines)
}

/// The columns that not every table has.
struct Columns<'a> {
    /// Whether there is one of values divided by published ones.
    ratios: bool,
    backends: Vec<&'a VariantName>,
    assumed: Vec<&'a VariantName>,
    study: &'a PaperPlan<'a>,
}

fn is_published(study: &PaperPlan) -> bool {
    study.wording == Wording::Published
}

fn table_row(row: &Row, anchor: &str, columns: &Columns) -> Markup {
    let width = 7 + usize::from(columns.ratios) + columns.backends.len() + columns.assumed.len();
    // Explanations are of the default size.
    let explanation = row.explanation.as_ref().filter(|_| row.verdict != Verdict::Provisional);
    let (wording, n) = (columns.study.wording, assumptions::seeds(&row.measured, &row.compared));
    html! {
        tr id=(anchor) class={ (verdict::class(row.verdict)) @if explanation.is_some() || !row.interpretations.is_empty() { " explained" } } {
            td {
                (verdict::badge(row.verdict, wording))
                @if !row.crosses.is_empty() { div.quiet { "interval reaches " (verdict::crossed(row, wording, " and ")) } }
                @if let Some(origin) = row.origin().filter(|_| !columns.backends.is_empty()) {
                    div.quiet { a href="methods.html#origins" { "origin" } ": " (origin.label()) }
                }
            }
            th scope="row" { (prose(&row.what)) div.rowid { a href={ "#" (anchor) } { (row.id) } } }
            td { (row.unit) }
            (published(row, wording))
            (measured(row))
            @for column in &columns.backends { (assumptions::cell(row, column, wording)) }
            td.number { @if n == 0 { "–" } @else { (n) } }
            @if columns.ratios {
                td.ratio {
                    @if let Some(ratio) = Ratio::of(row) { (ratio.text()) " " (ratio.drawing()) } @else { "–" }
                }
            }
            td.rule { (prose(&wording.rule(&row.rule))) }
            @for column in &columns.assumed { (assumptions::cell(row, column, wording)) }
        }
        @if !row.interpretations.is_empty() {
            tr.why {
                td colspan=(width) {
                    div {
                        b { "Other interpretations of the text: " }
                        @for (i, interpretation) in row.interpretations.iter().enumerate() {
                            @if i > 0 { "; " }
                            (prose(&interpretation.variant)) ": " (assumptions::values(interpretation)) " " (verdict::badge(interpretation.verdict, wording))
                        }
                    }
                }
            }
        }
        @if let Some(explanation) = explanation {
            @let why = if row.verdict == Verdict::Failed { "What failed" } else { "Why" };
            tr.why { td colspan=(width) { div { b { (why) ": " } (with_links(explanation, &columns.study.links)) } } }
        }
    }
}

/// The cell of a published value or claim.
fn published(row: &Row, wording: Wording) -> Markup {
    html! {
        @match &row.published {
            Published::Value(value) => td.number { (format::exact(*value)) },
            Published::Derived { value, from } => td.number {
                (format::number(*value)) div.quiet { "derived: " (prose(from)) }
            },
            Published::Claim(claim) => td.claim { (prose(claim)) },
            Published::Nothing => td.number.quiet { (if wording == Wording::Published { "not given" } else { "–" }) },
        }
    }
}

/// The cell of our value with its interval, or of those that a claim orders.
fn measured(row: &Row) -> Markup {
    html! {
        td.number {
            @match &row.measured {
                Some(m) => (format::of(m)),
                None => @if row.compared.is_empty() { "–" }
            }
            @for (name, m) in &row.compared { div { (prose(name)) ": " span.value { (format::of(m)) } } }
        }
    }
}

/// The commands and their scenarios; long lists load when opened.
fn runs(plan: &ExperimentPlan, site: &mut Site) -> Markup {
    let runs = &plan.experiment.runs;
    if runs.is_empty() {
        return html! {};
    }
    let summary = html! {
        summary { h3 { "Run it again" } span.quiet { " " (runs.len()) @if runs.len() == 1 { " command" } @else { " commands" } } }
    };
    if runs.len() <= FEW_RUNS {
        return html! { details.runs open { (summary) (commands(runs, site)) } };
    }
    let all = commands(runs, site);
    site.add_part(&plan.runs_part, &visible::page(all));
    html! {
        details.runs data-part=(plan.runs_part) {
            (summary)
            div.part { noscript { p.hint { "Loading the commands needs JavaScript. The study's page has the command for the whole study." } } }
        }
    }
}

/// Each run's command and theory, and each scenario once.
fn commands(runs: &[Run], site: &Site) -> Markup {
    let scenarios = distinct_by(runs, |run| (&run.scenario, &run.text));
    html! {
        @for run in runs {
            div.run {
                p { (prose(&run.title)) " " (laboratory::open_within(run, site)) }
                pre.command tabindex="0" { code { (run.command) } }
                @if let Some(shares) = &run.shares { (shares::section(shares)) }
            }
        }
        @for run in scenarios {
            details.scenario { summary { "The scenario " code { (run.scenario) } } pre tabindex="0" { code { (run.text) } } }
        }
    }
}
