//! The first page: every row's verdict, and how to repeat it all.

use crate::layout::{heads, page, scroll};
use crate::pages::{advice, answers, assumptions, fidelity, origins};
use crate::plan::{self, ExperimentPlan, PaperPlan, Plan};
use crate::prose::{Links, paragraphs, prose};
use crate::site::Site;
use crate::{headline, verdict};
use anabranch_scenario::distinct;
use anabranch_study::{Row, Size, Wording};
use maud::{Markup, html};

const FILE: &str = "index.html";

/// Adds the page.
pub fn add(plan: &Plan, site: &mut Site) {
    let (heading, lead) = match [&plan.papers[..], &plan.own, &plan.studies] {
        [[], [], []] if !plan.advice.is_empty() => {
            ("Advice", "Each recommendation follows from runs by a rule that was fixed before them.")
        }
        [[], [], []] => ("The algorithms", "How each behaves in the same standard cases."),
        [[], ..] => (
            "Studies and sweeps",
            "Each row has a value, and a verdict by a rule that was fixed before the run.",
        ),
        _ => (
            "The papers, reproduced",
            "Each published value is compared with ours, with a verdict by a rule that was fixed before the run.",
        ),
    };
    let body = html! {
        h1 { (heading) }
        p.lead {
            (held(plan)) (lead) " "
            a href="methods.html" { "How to read intervals and verdicts" } "."
        }
        (origins::line(plan))
        @for (size, meaning) in sizes(plan) {
            p.hint { b { (size) } @if let Some(meaning) = meaning { ": " (prose(meaning)) } }
        }
        (paragraphs(&plan.context.notes, &Links::new()))
        (answers::section(plan))
        (advice::summary(plan))
        (facts(plan))
        (summary(plan))
        (origins::table(plan))
        (assumptions::table(&plan.papers.iter().map(|paper| paper.result).collect::<Vec<_>>(), Wording::Published))
        (fidelity::summary(&plan.papers_and_studies().collect::<Vec<_>>(), false))
        (algorithms(plan))
    };
    site.add(FILE, page(plan, FILE, "Anabranch: overview", &body));
}

/// How many of the papers' main claims hold.
fn held(plan: &Plan) -> Markup {
    let with_claims = plan.papers.iter().filter(|p| p.result.headline.is_some());
    let answers: Vec<_> = with_claims.map(|p| headline::answer(p.result)).collect();
    let [hold, in_part, not, open, provisional, ..] = verdict::count(answers.iter().copied().flatten());
    html! {
        @if answers.len() > 1 && provisional == answers.len() {
            b { "Congestion control for multipath TCP: " (answers.len()) " main claims, none of them judged yet: quick runs are provisional." }
            " "
        } @else if answers.len() > 1 {
            b {
                "Congestion control for multipath TCP: of " (answers.len()) " main claims " (number(hold, "holds", "hold")) ", "
                (number(in_part, "holds", "hold")) " partly and " (number(not, "does", "do")) " not"
                @if open > 0 { "; " (number(open, "is", "are")) " undetermined" }
                @if provisional > 0 { "; " (number(provisional, "is", "are")) " provisional" }
                @if hold + in_part + not + open + provisional < answers.len() { "; the others were not run completely" }
                "."
            }
            " "
        }
    }
}

/// "1 holds", "2 hold".
fn number(n: usize, one: &str, several: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { several })
}

/// The sizes that were run, and what they mean.
fn sizes<'a>(plan: &'a Plan) -> Vec<(&'a str, Option<&'a str>)> {
    let meaning = |size: &str| Size::ALL.into_iter().find(|s| s.name() == size).map(Size::description);
    let papers =
        plan.papers.iter().chain(&plan.own).map(|p| (p.result.size.as_str(), meaning(&p.result.size)));
    let by_the_file = "durations and seeds as set in the study file";
    let studies = plan.studies.iter().map(|p| (p.result.size.as_str(), Some(by_the_file)));
    distinct(papers.chain(studies))
}

/// Version, machine and command.
fn facts(plan: &Plan) -> Markup {
    html! {
        dl.facts {
            dt { "Version" } dd { (plan.context.version) @if let Some(commit) = &plan.context.commit { ", commit " (commit) } }
            @if let Some(date) = &plan.context.date { dt { "Written on" } dd { (date) } }
            @if let Some(machine) = &plan.context.machine { dt { "Machine" } dd { (machine) } }
            dt { "Reproduce with" } dd { code { (plan.context.command) } }
        }
    }
}

/// The rows of the paper's own experiments, or of those beyond it; all of our own study are beyond any paper.
fn rows<'a>(paper: &'a PaperPlan, beyond: bool) -> impl Iterator<Item = &'a Row> {
    let is_beyond = |e: &ExperimentPlan| e.experiment.beyond && !anabranch_papers::is_own(&paper.result.name);
    let experiments = paper.experiments.iter().filter(move |e| is_beyond(e) == beyond);
    experiments.flat_map(|e| e.rows.iter().map(|(row, _)| *row))
}

/// Verdicts counted by paper: on what the papers published, and apart from it on what goes beyond them. Users' studies do not count
/// as papers' verdicts.
fn summary(plan: &Plan) -> Markup {
    let tables = [
        ("The papers' own experiments", "Paper", &plan.papers, false),
        ("Beyond the papers", "Paper", &plan.papers, true),
        ("Our own study", "Study", &plan.own, false),
        ("Studies and sweeps", "Study", &plan.studies, false),
        ("Beyond the studies' main experiments", "Study", &plan.studies, true),
    ];
    html! {
        h2 id="verdicts" { "Verdicts" }
        @for (title, kind, of, beyond) in tables {
            @let with_rows: Vec<_> = of.iter().filter(|paper| rows(paper, beyond).next().is_some()).collect();
            @if !with_rows.is_empty() { (counted(title, kind, &with_rows, beyond)) }
        }
    }
}

/// One of these tables.
fn counted(title: &str, kind: &str, papers: &[&PaperPlan], beyond: bool) -> Markup {
    let totals = verdict::counts(papers.iter().flat_map(|paper| rows(paper, beyond)));
    let shown = verdict::shown(totals);
    let is_published = papers.iter().all(|paper| paper.wording == Wording::Published);
    let wording = if is_published { Wording::Published } else { Wording::Claims };
    html! {
        h3 { (title) }
        (scroll(title, &html! {
            table.counts {
                thead {
                    tr {
                        (heads(&[kind, "Size"], &["Seeds", "Rows"]))
                        @for i in &shown { th.number scope="col" { (verdict::badge(verdict::ALL[*i], wording)) } }
                    }
                }
                tbody {
                    @for paper in papers {
                        @let counts = verdict::counts(rows(paper, beyond));
                        tr {
                            th scope="row" {
                                a href=(paper.file) { (paper.result.id) ". " (paper.result.title) }
                                div.quiet { (prose(&paper.result.citation)) }
                            }
                            td { (paper.result.size) }
                            td.number { (paper.result.seeds_of_rows()) }
                            td.number { (counts.iter().sum::<usize>()) }
                            @for i in &shown { td.number { (counts[*i]) } }
                        }
                    }
                }
                tfoot {
                    tr {
                        th scope="row" colspan="3" { "All" }
                        td.number { (totals.iter().sum::<usize>()) }
                        @for i in &shown { td.number { (totals[*i]) } }
                    }
                }
            }
        }))
    }
}

/// Links to the algorithms' pages.
fn algorithms(plan: &Plan) -> Markup {
    html! {
        h2 id="algorithms" { "Algorithms" }
        p {
            "Each algorithm has a page with its rules, our interpretations, and its behaviour in "
            a href=(plan::ALGORITHMS) { "the standard cases" } ", which compare all algorithms."
        }
        nav.siblings aria-label="Algorithms" {
            @for a in &plan.algorithms { a href=(a.file) title=(a.entry.title) { (a.entry.name) } }
        }
    }
}
