//! The first screen: the claims with their verdicts, and the algorithms against the three goals.

use crate::goals::{self, COLUMNS, Cell, GOALS, Line, Neighbours};
use crate::layout::scroll;
use crate::plan::Plan;
use crate::{headline, verdict};
use anabranch_cc::registry::Kind;
use anabranch_study::Verdict;
use maud::{Markup, html};

/// Both, side by side where there is room.
pub fn section(plan: &Plan) -> Markup {
    let lines = goals::lines(plan);
    html! {
        div.answers {
            @if plan.papers_and_studies().next().is_some() {
                section id="claims" aria-label="Claims" {
                    h2 { "Do the claims hold?" }
                    @for paper in &plan.papers { (headline::line(paper, true)) }
                    @if !plan.own.is_empty() && !plan.papers.is_empty() { h3 { "Our own study" } }
                    @for study in plan.own.iter().chain(&plan.studies) { (headline::line(study, true)) }
                }
            }
            @if !lines.is_empty() { (matrix(&lines)) }
        }
    }
}

/// The goals of RFC 6356: a line for each algorithm.
fn matrix(lines: &[Line]) -> Markup {
    let shown: Vec<usize> =
        (0..COLUMNS.len()).filter(|i| lines.iter().any(|line| line.cells[*i].is_some())).collect();
    let (coupled, single): (Vec<&Line>, Vec<&Line>) =
        lines.iter().partition(|line| line.algorithm.entry.kind == Kind::Coupled);
    html! {
        section id="goals" aria-label="Goals" {
            h2 { "Which algorithms meet the goals of multipath congestion control?" }
            @if !coupled.is_empty() { (scroll("Algorithms and goals", &table(&coupled, &shown))) }
            @if !is_provisional(lines) { (advice(&coupled, &shown)) }
            p.hint {
                @if is_provisional(lines) { "Provisional: quick runs are not judged. " }
                "RFC 6356 states the goals. Columns Reno and CUBIC: standard cases with such neighbours. The number is the connection's rate "
                "÷ the rate of one single-path flow in its place: at least 0.95 on separate links (goal 1), at most 1.1 on a shared "
                "link (goal 2). ✓: the whole 95 % interval is within the limit; ≈: only the mean; ×: neither."
                @if shown.iter().any(|i| COLUMNS[*i].beside == Neighbours::Networks) {
                    " Column networks: the percentage of study E's networks, with CUBIC flows, in which the goal is met (goal 3: of those in which it applies): ✓ in all, ≈ in at least half."
                }
                @if lines.iter().any(|line| shown.iter().any(|i| line.cells[*i].is_none())) {
                    " –: not run."
                }
            }
            @if !single.is_empty() {
                details {
                    summary { (single.len()) " more: single-path algorithms, one instance per subflow" }
                    (scroll("Single-path algorithms and goals", &table(&single, &shown)))
                }
            }
        }
    }
}

fn table(lines: &[&Line], shown: &[usize]) -> Markup {
    let beside = |i: usize| match COLUMNS[i].beside {
        Neighbours::Reno => "Reno",
        Neighbours::Cubic => "CUBIC",
        Neighbours::Networks => "networks",
    };
    html! {
        table.goals {
            thead {
                tr {
                    td {}
                    @for (goal, name) in GOALS.iter().enumerate() {
                        @let n = shown.iter().filter(|i| COLUMNS[**i].goal == goal).count();
                        @if n > 0 { th scope="colgroup" colspan=(n) { (goal + 1) ". " (name) } }
                    }
                }
                tr { th scope="col" { "Algorithm" } @for i in shown { th scope="col" { (beside(*i)) } } }
            }
            tbody {
                @for line in lines {
                    tr {
                        th scope="row" { a href=(line.algorithm.file) title=(line.algorithm.entry.title) { (line.algorithm.entry.name) } }
                        @for i in shown { (cell(line.cells[*i].as_ref())) }
                    }
                }
            }
        }
    }
}

fn cell(cell: Option<&Cell>) -> Markup {
    html! {
        @match cell {
            None => td.none title="not run" { "–" },
            Some(cell) => td class=(verdict::class(cell.verdict)) {
                a href=(cell.href) title=(cell.says) {
                    @if cell.verdict != Verdict::Provisional { (verdict::sign(cell.verdict)) " " }
                    (cell.text)
                }
            },
        }
    }
}

/// Whether any of it is from quick runs.
fn is_provisional(lines: &[Line]) -> bool {
    let mut cells = lines.iter().flat_map(|line| line.cells.iter().flatten());
    cells.any(|cell| cell.verdict == Verdict::Provisional)
}

/// Which algorithms to use where, from the matrix.
fn advice(lines: &[&Line], shown: &[usize]) -> Markup {
    let here = |beside| shown.iter().any(|i| COLUMNS[*i].beside == beside);
    html! {
        ul.advice {
            @if here(Neighbours::Reno) { li { (case_advice(lines, Neighbours::Reno, "Neighbours run Reno")) } }
            @if here(Neighbours::Cubic) { li { (case_advice(lines, Neighbours::Cubic, "Neighbours run CUBIC")) } }
            @if here(Neighbours::Networks) { li { (cells_advice(lines)) } }
            @let misses = lines.iter().filter(|line| [Neighbours::Reno, Neighbours::Cubic].iter().all(|b| line.all(*b) == Some(Verdict::NotReproduced)));
            @let misses: Vec<&&Line> = misses.collect();
            @if !misses.is_empty() { li { b { "Misses goal 1 or 2 with both: " } (names(&misses)) "." } }
        }
    }
}

fn case_advice(lines: &[&Line], beside: Neighbours, head: &str) -> Markup {
    let with = |verdict| lines.iter().filter(|line| line.all(beside) == Some(verdict)).collect::<Vec<_>>();
    let (all, in_part) = (with(Verdict::Reproduced), with(Verdict::Partly));
    html! {
        b { (head) ": " }
        @if all.is_empty() { "no coupled algorithm meets goals 1 and 2 with its whole interval" } @else { (names(&all)) " " @if all.len() == 1 { "meets" } @else { "meet" } " goals 1 and 2" }
        @if !in_part.is_empty() { "; on average, so do " (names(&in_part)) }
        "."
    }
}

fn cells_advice(lines: &[&Line]) -> Markup {
    let best = lines.iter().filter_map(|line| line.least(Neighbours::Networks)).reduce(f64::max);
    let closest: Vec<&&Line> =
        lines.iter().filter(|line| best.is_some() && line.least(Neighbours::Networks) == best).collect();
    html! {
        b { "Varied networks with CUBIC: " }
        @if best == Some(1.0) { (names(&closest)) " " @if closest.len() == 1 { "meets" } @else { "meet" } " all three goals everywhere." }
        @else {
            "no algorithm meets all three goals everywhere; " (names(&closest)) @if closest.len() == 1 { " comes" } @else { " come" } " closest, with no goal met in fewer than "
            (goals::percent(best.unwrap_or(0.0))) " of the networks in which it applies."
        }
    }
}

fn names(lines: &[&&Line]) -> Markup {
    html! {
        @for (i, line) in lines.iter().enumerate() {
            @if i > 0 { ", " }
            a href=(line.algorithm.file) { (line.algorithm.entry.name) }
        }
    }
}
