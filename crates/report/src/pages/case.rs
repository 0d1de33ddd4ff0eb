//! An algorithm in one standard case, and all of them beside each other.

use crate::bundle::Bundle;
use crate::dots::{self, Column, Name};
use crate::layout::{heads, permalink, scroll, table};
use crate::pages::{figure::charts, shares};
use crate::plan::{self, AlgorithmPlan, Plan};
use crate::prose::prose;
use crate::site::Site;
use crate::svg::ChartSize;
use crate::{csv, laboratory};
use anabranch_papers::standard::{AlgorithmResult, Case, CaseResult, FlowRow, Goal, Trace};
use anabranch_study::{Axis, Estimate, Mark, Panel, Point, Series, ShareRow, Shares, format};
use maud::{Markup, html};

/// The text where there is no value.
const NOTHING: &str = "–";

/// Fragment files shared by an algorithm's cases: similar content compresses better together.
pub struct Parts {
    /// The tables of all charts.
    pub tables: Bundle,
    /// The folded content.
    pub folded: Bundle,
}

/// The section of an algorithm's page, and its data file.
pub fn section(
    plan: &AlgorithmPlan,
    case: &Case,
    result: &CaseResult,
    parts: &mut Parts,
    site: &mut Site,
) -> Markup {
    let data = plan.case_csv(&case.id);
    site.add_gzip(&data, &csv::traces(result));
    let title = if result.windows.len() > 1 { "Congestion windows" } else { "Congestion window" };
    html! {
        section.experiment id=(case.id) {
            h2 { (case.title) " " (permalink(&case.id, &case.title)) }
            p { (prose(&case.purpose)) }
            (key(case, result))
            @for failure in &result.failures { p.failure { "A run failed: " (failure) } }
            (flows(case, result))
            (links(result))
            figure {
                figcaption { "First seed, over time" }
                div.panels {
                    (charts(&from_zero(title, "cwnd (segments)", &result.windows), &data, &ChartSize::REPORT, &mut parts.tables))
                    (charts(&from_zero("Goodput over a second", "goodput (Mbit/s)", &result.rates), &data, &ChartSize::REPORT, &mut parts.tables))
                }
            }
            p.quiet { (laboratory::open(&result.run, site)) }
            (observables(plan, result, &data, parts))
            (run(result, &mut parts.folded))
        }
    }
}

/// The command, the scenario and its theory, loaded when opened.
fn run(result: &CaseResult, folded: &mut Bundle) -> Markup {
    let body = html! {
        div.run {
            pre.command tabindex="0" { code { (result.run.command) } }
            @if let Some(shares) = &result.run.shares { (shares::section(shares)) }
            details.scenario {
                summary { "The scenario " code { (result.run.scenario) } }
                pre tabindex="0" { code { (result.run.text) } }
            }
        }
    };
    let summary = html! { h3 { "Run this case, and compare with theory" } };
    folded.folded("runs", &summary, body, "Loading this section needs JavaScript.")
}

/// The key figure and the other numbers of the case as a whole.
fn key(case: &Case, result: &CaseResult) -> Markup {
    html! {
        dl.facts {
            @if case.goal != Goal::Recovery {
                dt { (heading(case.goal)) } dd { b { (key_text(result)) } }
            }
            @for recovery in &result.recoveries {
                dt { "Recovery (s)" }
                dd {
                    b { (recovery.time_s.as_ref().map_or(NOTHING.into(), |value| dots::text(value, recovery.unrecovered > 0))) }
                    " " (recovery.what)
                    @if recovery.unrecovered > 0 { "; " (recovery.unrecovered) " of the runs did not recover in time" }
                }
            }
            @if result.jain.is_some() {
                dt { "Jain's index" } dd { (cell(result.jain.as_ref())) }
            }
        }
    }
}

/// A goal as a heading: "Share", "Utilisation (%)".
pub fn heading(goal: Goal) -> String {
    let mut title = goal.title().to_owned();
    title[..1].make_ascii_uppercase();
    if goal.unit().is_empty() { title } else { format!("{title} ({})", goal.unit()) }
}

/// The key figure with its interval.
fn key_text(result: &CaseResult) -> String {
    result.key.as_ref().map_or(NOTHING.into(), |key| dots::text(&key.value, key.at_least))
}

/// A value with its interval, if there is one.
fn cell(value: Option<&Estimate>) -> String {
    value.map_or(NOTHING.into(), format::brief)
}

fn flows(case: &Case, result: &CaseResult) -> Markup {
    let name = |row: &FlowRow| match row.flow.as_str() {
        "tested" => row.cc.clone(),
        flow => format!("{flow} ({})", row.cc),
    };
    let several = result.flows.iter().filter(|row| !row.part).count() > 1;
    let shares = result.run.shares.as_ref();
    let of_columns = html! {
        (heads(&["Flow", "Path"], &["Goodput (Mbit/s)"]))
        @if shares.is_some() { (shares::headings()) }
        @if several { (heads(&[], &["Share"])) }
        (heads(&[], &["cwnd (segments)", "RTT (ms)", "Lost (%)", "Timeouts"]))
    };
    let lines = html! {
        @for row in &result.flows {
            tr class=[row.part.then_some("part")] {
                @if row.part { td {} } @else { th scope="row" { (name(row)) } }
                td { (row.path.as_deref().unwrap_or("all")) }
                td.number { (cell(row.goodput_mbps.as_ref())) }
                @if let Some(shares) = shares { (ideals(shares, row)) }
                @if several { td.number { @if !row.part { (cell(row.share.as_ref())) } } }
                @let whole = row.path.is_none();
                @for value in [&row.cwnd_segments, &row.rtt_ms, &row.loss_percent] {
                    td.number { @if !whole { (cell(value.as_ref())) } }
                }
                td.number { (cell(row.timeouts.as_ref())) }
            }
        }
    };
    table(&format!("Flows: {}", case.title), "flows", &of_columns, &lines)
}

/// The predictions of theory for the flow or subflow.
fn ideals(shares: &Shares, row: &FlowRow) -> Markup {
    let same = |share: &&ShareRow| (&share.flow, &share.path, share.part) == (&row.flow, &row.path, row.part);
    html! {
        @match shares.rows.iter().find(same) {
            Some(share) => (shares::ideals(share, shares)),
            None => td colspan="3" {},
        }
    }
}

fn links(result: &CaseResult) -> Markup {
    html! {
        p.hint {
            @for (i, link) in result.links.iter().enumerate() {
                @if i > 0 { ". " }
                "Link " b { (link.name) } ": "
                (cell(link.utilisation_percent.as_ref())) " % used, mean queue "
                (cell(link.queue_packets.as_ref())) " packets, "
                (cell(link.drops.as_ref())) " dropped"
            }
            "."
        }
    }
}

/// The algorithm's observables, loaded when opened.
fn observables(plan: &AlgorithmPlan, result: &CaseResult, data: &str, parts: &mut Parts) -> Markup {
    let meaning =
        |name: &str| plan.entry.observables.iter().find(|o| o.name == name).map_or("", |o| o.meaning);
    let drawn: Vec<_> =
        result.observables.iter().filter(|o| o.traces.iter().any(|t| !t.values.is_empty())).collect();
    if drawn.is_empty() {
        return html! {};
    }
    let body = html! {
        div.panels {
            @for o in &drawn { (charts(&panel(meaning(&o.name), &o.name, &o.traces), data, &ChartSize::REPORT, &mut parts.tables)) }
        }
    };
    let names = drawn.iter().map(|o| o.name.as_str()).collect::<Vec<_>>().join(", ");
    let summary = html! { h3 { "Observables over time" } span.quiet { " " (names) } };
    parts.folded.folded(
        "observables",
        &summary,
        body,
        "Loading this section needs JavaScript. The CSV file above has the values.",
    )
}

/// A drawing of lines whose vertical axis begins at zero.
fn from_zero(title: &str, y: &str, traces: &[Trace]) -> Panel {
    let mut panel = panel(title, y, traces);
    let top = traces.iter().flat_map(|t| &t.values).copied().fold(0.0, f64::max);
    panel.y.domain = (top > 0.0).then_some((0.0, top * 1.05));
    panel
}

fn panel(title: &str, y: &str, traces: &[Trace]) -> Panel {
    let series = |trace: &Trace| Series {
        name: trace.name.clone(),
        published: false,
        points: trace.time_s.iter().zip(&trace.values).map(|(x, y)| Point::at(*x, *y)).collect(),
    };
    let end = traces.iter().filter_map(|t| t.time_s.last()).copied().fold(0.0, f64::max);
    Panel {
        title: title.into(),
        x: Axis { domain: (end > 0.0).then_some((0.0, end)), ..Axis::new("time (s)", false) },
        y: Axis::new(y, false),
        mark: Mark::Line,
        series: traces.iter().map(series).collect(),
    }
}

/// The algorithms in a case whose results were made like `like`, in the order of the key figure.
fn ordered<'a>(
    plan: &'a Plan<'a>,
    case: &Case,
    like: &AlgorithmResult,
) -> Vec<(&'a AlgorithmPlan<'a>, &'a CaseResult)> {
    let comparable =
        |a: &'a AlgorithmPlan<'a>| Some((a, a.result.filter(|r| r.is_made_like(like))?.case(&case.id)?));
    let mut rows: Vec<_> = plan.algorithms.iter().filter_map(comparable).collect();
    // Shortest recovery first; for the others, the largest value first.
    let place = |result: &CaseResult| match &result.key {
        Some(key) if case.goal == Goal::Recovery => key.value.mean,
        Some(key) => -key.value.mean,
        None => f64::INFINITY,
    };
    rows.sort_by(|(_, a), (_, b)| place(a).total_cmp(&place(b)));
    rows
}

/// A line for each case: the key figure and its rank.
pub fn places(plan: &Plan, cases: &[(&Case, &CaseResult)], result: &AlgorithmResult) -> Markup {
    let place = |case: &Case| {
        let rows = ordered(plan, case, result);
        let place =
            rows.iter().position(|(a, _)| a.entry.name == result.algorithm).map_or(0, |place| place + 1);
        format!("{place} of {}", rows.len())
    };
    let lines = html! {
        @for (case, of) in cases {
            tr {
                th scope="row" { a href={ (plan::ALGORITHMS) "#" (case.id) } { (case.title) } }
                td { (case.goal.title()) }
                td.number { (key_text(of)) " " (case.goal.unit()) }
                td.number { (place(case)) }
                td.number { (cell(of.queue_packets.as_ref())) }
            }
        }
    };
    let of_columns = heads(&["Case", "Key figure"], &["Value", "Place", "Mean queue (packets)"]);
    table("Rank among the algorithms", "flows", &of_columns, &lines)
}

/// Every algorithm in a case whose result was made like `like`: a dot each, in the order of the key figure.
pub fn compared(plan: &Plan, case: &Case, like: &AlgorithmResult) -> Markup {
    let rows = ordered(plan, case, like);
    let name = |(a, _): &(&AlgorithmPlan, &CaseResult)| Name {
        text: a.entry.name,
        href: format!("{}#{}", a.file, case.id),
    };
    let names: Vec<Name> = rows.iter().map(name).collect();
    // The full link and the equal share are values to see others by.
    let (covers, mark) = match case.goal {
        Goal::Utilisation => ((90.0, 100.0), Some(100.0)),
        Goal::Share => ((0.0, 2.0), Some(1.0)),
        Goal::Recovery => ((0.0, 4.0), None),
    };
    let keys = rows.iter().map(|(_, r)| r.key.as_ref().map(|key| (&key.value, key.at_least)));
    let keys = Column { title: heading(case.goal), dots: keys.collect(), mark, covers };
    let queues = Column {
        title: "Mean queue (packets)".into(),
        dots: rows.iter().map(|(_, r)| r.queue_packets.as_ref().map(|value| (value, false))).collect(),
        mark: None,
        covers: (0.0, 40.0),
    };
    let label = format!("{}: {} and mean queue of every algorithm", case.title, case.goal.title());
    scroll(&label, &dots::plot(&label, &names, &[keys, queues]))
}
