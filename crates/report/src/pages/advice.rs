//! Advice on an algorithm for a scenario: the table of `anabranch advise`, and what follows from it.

use crate::layout::{heads, page, table};
use crate::pages::fidelity::scaled;
use crate::plan::{AdvicePlan, Plan};
use crate::site::Site;
use anabranch_advice::{Advice, Case, Goal, RULE};
use anabranch_study::{Estimate, format};
use maud::{Markup, html};

/// Adds the page.
pub fn add(plan: &Plan, planned: &AdvicePlan, site: &mut Site) {
    let Advice { scenario, flow, seeds, command, .. } = planned.advice;
    let body = html! {
        h1 { "Which algorithm suits " (scenario) "?" }
        p.lead { (planned.advice.recommendation.text) }
        p { (planned.advice.compared_with()) "." }
        (cases(planned.advice))
        p.hint {
            "Means of " (seeds) " seeds and half the width of their 95 % interval; of flows with a count, the goodput is their sum. Goal 1: the connection's rate ÷ the best single-path flow's. "
            "Goal 2: its rate on a link ÷ the single-path flow's there, on the worst link that other flows cross: a surely missed one before an undecided one, and then the largest mean. Goal 3: that ratio on a congested link ÷ the ratio on the other paths. "
            (RULE)
        }
        dl.facts {
            dt { "Connection" } dd { (flow) }
            @if !command.is_empty() { dt { "Reproduce with" } dd { code { (command) } } }
        }
    };
    let title = format!("Advice on {scenario} – Anabranch");
    site.add(&planned.file, page(plan, &planned.file, &title, &body));
}

/// The recommendations, for the first page.
pub fn summary(plan: &Plan) -> Markup {
    html! {
        @if !plan.advice.is_empty() {
            h2 id="advice" { "Advice" }
            dl.facts {
                @for planned in &plan.advice {
                    dt { a href=(planned.file) { (planned.advice.scenario) } }
                    dd { (planned.advice.recommendation.text) }
                }
            }
        }
    }
}

/// A row for each buffer and algorithm.
fn cases(advice: &Advice) -> Markup {
    let with_buffers = advice.cases.iter().any(|case| case.buffer.is_some());
    let times = advice.cases.first().map_or(&[][..], |case| &case.completions);
    let others = advice.cases.first().map_or(&[][..], |case| &case.others_bps);
    let goals = |case: &'_ Case| [Some(&case.goal1), Some(&case.goal2), case.goal3.as_ref()].map(ratio);
    let of_columns = html! {
        @if with_buffers { th scope="col" { "Buffers" } }
        (heads(&["Algorithm"], &["Goodput (Mbit/s)", "Goal 1 (≥ 0.9)", "Goal 2 (≤ 1.1)", "Goal 3 (≤ 1.1)"]))
        th scope="col" { "Misses" }
        @for (name, _) in others { th.number scope="col" { "Goodput of " (name) " (Mbit/s)" } }
        @if !others.is_empty() { th scope="col" { "Link of goal 2" } }
        @for (name, _) in times {
            th.number scope="col" {
                "Completion" @if *name != advice.flow { " of " (name) } " (ms)"
            }
        }
    };
    let lines = html! {
        @for case in &advice.cases {
            tr {
                @if with_buffers { td { (case.buffer.as_deref().unwrap_or("")) } }
                th scope="row" { code { (case.cc) } }
                td.number { (text(case.goodput_bps.as_ref(), 1e-6)) }
                @for goal in goals(case) { td.number { (goal) } }
                td { (case.misses()) }
                @for (_, rate) in &case.others_bps { td.number { (text(rate.as_ref(), 1e-6)) } }
                @if !others.is_empty() { td { (case.goal2.link.as_deref().unwrap_or("")) } }
                @for (_, time) in &case.completions { td.number { (text(time.as_ref(), 1e3)) } }
            }
        }
    };
    table("Algorithms", "", &of_columns, &lines)
}

fn ratio(goal: Option<&Goal>) -> String {
    goal.and_then(|goal| goal.ratio.as_ref()).map_or("–".to_owned(), format::brief)
}

/// A value in another unit.
fn text(estimate: Option<&Estimate>, factor: f64) -> String {
    estimate.map_or("–".to_owned(), |estimate| format::of(&scaled(estimate, |x| factor * x)))
}
