//! A paper's page.

use crate::layout::page;
use crate::pages::{assumptions, experiment, fidelity, figure};
use crate::plan::{ExperimentPlan, PaperPlan, Plan, names};
use crate::prose::{paragraphs, prose};
use crate::site::Site;
use crate::{csv, headline, verdict};
use anabranch_study::{Experiment, Verdict};
use maud::{Markup, html};

/// Adds the page, its experiments' pages, and the values behind its tables and figures.
pub fn add(plan: &Plan, paper: &PaperPlan, site: &mut Site) {
    let result = paper.result;
    let has_backends = !fidelity::columns(&[paper]).is_empty();
    let [mut own, mut beyond] = result.own_and_beyond();
    if anabranch_papers::is_own(&result.name) {
        own.append(&mut beyond);
    }
    let tally = |experiments: &[&Experiment]| {
        verdict::tally(verdict::counts(experiments.iter().flat_map(|e| &e.rows)), paper.wording)
    };
    let body = html! {
        h1 { (result.title) }
        p.citation { (prose(&result.citation)) }
        @if result.headline.is_some() { (headline::line(paper, false)) }
        // A user asks for the values first.
        @if paper.users && !paper.is_split() { (sections(paper, site)) }
        dl.facts {
            @if !own.is_empty() { dt { "Verdicts" } dd { (tally(&own)) } }
            @if !beyond.is_empty() { dt { "Beyond the " (paper.wording.work()) } dd { (tally(&beyond)) } }
            dt { "Size" } dd { b { (result.size) } ", seeds per row: " (result.seeds_of_rows()) }
            dt { "Version" }
            dd {
                (result.version)
                @if result.version != plan.context.version {
                    span.quiet { "; this report was written by version " (plan.context.version) }
                }
            }
            @if result.without_variants {
                dt { "Other assumptions" } dd { "left out; run the command without " code { "--no-variants" } " to include them" }
            }
            @if result.partial {
                dt { "Partial" } dd { "interrupted: incomplete experiments are missing" }
            }
            (algorithms(plan, paper))
            dt { "Reproduce with" } dd { @for command in commands(result) { div { code { (command) } } } }
            dt { "Data" }
            dd {
                a href=(paper.rows_csv) download { "all rows (CSV, compressed)" }
                @if has_backends {
                    ", " a href=(paper.backends_csv) download { "the simulator compared with other backends (CSV)" }
                }
            }
        }
        @if result.experiments.is_empty() { p.hint { "This result has no experiments: none was run." } }
        (contents(paper))
        @if !result.notes.is_empty() {
            section id="notes" { h2 { "Notes" } (paragraphs(&result.notes, &paper.links)) }
        }
        (assumptions::table(&[result], paper.wording))
        (fidelity::summary(&[paper], true))
        (errata(paper))
        @if !paper.users && !paper.is_split() { (sections(paper, site)) }
    };
    let title = format!("{} – Anabranch", result.title);
    site.add(&paper.file, page(plan, &paper.file, &title, &body));
    if paper.is_split() {
        for (i, e) in paper.experiments.iter().enumerate() {
            let around =
                [i.checked_sub(1).map(|before| &paper.experiments[before]), paper.experiments.get(i + 1)];
            let body = html! { (path(paper, around)) (experiment::section(e, paper, site)) };
            let title = format!("{} {} – Anabranch", e.experiment.id, e.experiment.title);
            site.add(&e.file, page(plan, &paper.file, &title, &body));
        }
    }
    site.add_gzip(&paper.rows_csv, &csv::rows(paper));
    if has_backends {
        site.add_gzip(&paper.backends_csv, &csv::backends(paper));
    }
    figure::add_data(paper, site);
}

/// Its experiments, on its own page.
fn sections(paper: &PaperPlan, site: &mut Site) -> Markup {
    html! { @for e in &paper.experiments { (experiment::section(e, paper, site)) } }
}

/// From an experiment's page to the study's, and to its neighbours.
fn path(paper: &PaperPlan, [before, after]: [Option<&ExperimentPlan>; 2]) -> Markup {
    html! {
        nav.path aria-label="Experiments" {
            h1 { a href={ (paper.file) "#contents" } { (paper.result.id) " " (paper.result.name) } }
            @if let Some(e) = before { a rel="prev" href=(e.file) title=(e.experiment.title) { "← " (e.experiment.id) } }
            @if let Some(e) = after { a rel="next" href=(e.file) title=(e.experiment.title) { (e.experiment.id) " →" } }
        }
    }
}

/// The pages of the algorithms that its runs and scenarios name.
fn algorithms(plan: &Plan, paper: &PaperPlan) -> Markup {
    let runs = || paper.experiments.iter().flat_map(|e| &e.experiment.runs);
    let used: Vec<_> = plan.algorithms.iter().filter(|a| runs().any(|run| names(run, a.entry))).collect();
    html! {
        @if !used.is_empty() {
            dt { "Algorithms" }
            dd { @for (i, a) in used.iter().enumerate() { @if i > 0 { ", " } a href=(a.file) title=(a.entry.title) { (a.entry.name) } } }
        }
    }
}

fn contents(paper: &PaperPlan) -> Markup {
    html! {
        nav.contents id="contents" aria-label="Contents" {
            h2 { "Contents" }
            ol {
                @if !paper.result.notes.is_empty() { li { a href="#notes" { "Notes" } } }
                @if !assumptions::columns(&[paper.result]).is_empty() { li { a href="#assumptions" { "Under other assumptions" } } }
                @if let [backend, ..] = fidelity::columns(&[paper])[..] {
                    li { a href="#fidelity" { "The simulator beside " (backend.title) } }
                }
                @if !paper.result.errata.is_empty() {
                    li { a href="#errata" { "Errata found" } span.quiet { " " (paper.result.errata.len()) } }
                }
                @for e in &paper.experiments {
                    li {
                        a href={ (e.file) "#" (e.anchor) } { b { (e.experiment.id) } " " (e.experiment.title) } " "
                        (verdict::strip(&e.file, e.rows.iter().filter(|(row, _)| row.verdict != Verdict::NotJudged), paper.wording))
                        @let rest = e.rows.iter().filter(|(row, _)| row.verdict == Verdict::NotJudged).count();
                        @if rest > 0 { " " span.quiet { (rest) " not judged" } }
                    }
                }
            }
        }
    }
}

fn errata(paper: &PaperPlan) -> Markup {
    html! {
        @if !paper.result.errata.is_empty() {
            section id="errata" {
                h2 { "Errata found" }
                p { "Mistakes and contradictions found in the paper's text:" }
                ol.errata { @for erratum in &paper.result.errata { li { (prose(erratum)) } } }
            }
        }
    }
}

fn commands(result: &anabranch_study::StudyResult) -> Vec<String> {
    match &result.command {
        None => anabranch_papers::commands(result),
        Some(command) => result.earlier_commands.iter().chain([command]).cloned().collect(),
    }
}
