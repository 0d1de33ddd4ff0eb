//! An algorithm's page: rules, behaviour and rank.

use crate::bundle::Bundle;
use crate::layout::{heads, page, table};
use crate::pages::{case, equation::typeset};
use crate::plan::{self, AlgorithmPlan, Plan};
use crate::prose::prose;
use crate::site::Site;
use anabranch_cc::registry::{Entry, Kind, Param, Value};
use anabranch_papers::standard::{AlgorithmResult, CASES};
use anabranch_scenario::describe::kind;
use anabranch_study::format::number;
use maud::{Markup, html};

/// Adds the page and the values behind its figures.
pub fn add(plan: &Plan, algorithm: &AlgorithmPlan, site: &mut Site) {
    let entry = algorithm.entry;
    let body = html! {
        (siblings(plan, entry))
        h1 { (entry.title) }
        p.citation { (prose(entry.source)) }
        (facts(algorithm))
        (contents(algorithm))
        (rules(entry))
        (parameters(entry))
        @match algorithm.result {
            Some(result) => (behaviour(plan, algorithm, result, site)),
            None => (not_run(entry)),
        }
    };
    let title = format!("{} – Anabranch", entry.name);
    site.add(&algorithm.file, page(plan, &algorithm.file, &title, &body));
}

fn siblings(plan: &Plan, entry: &Entry) -> Markup {
    html! {
        nav.siblings aria-label="Algorithms" {
            @for other in &plan.algorithms {
                a href=(other.file) aria-current=[(other.entry.name == entry.name).then_some("page")] { (other.entry.name) }
            }
        }
    }
}

fn facts(algorithm: &AlgorithmPlan) -> Markup {
    let entry = algorithm.entry;
    html! {
        dl.facts {
            dt { "Name" } dd { code { (entry.name) } }
            dt { "Kind" }
            dd {
                (kind(entry))
                @if entry.kind == Kind::SinglePath { ": each subflow runs its own instance, as if it were alone" }
            }
            @if let Some(result) = algorithm.result {
                dt { "Standard cases" }
                dd { b { (result.size) } " size, seeds per case: " (result.seeds) ", version " (result.version) }
                dt { "Reproduce with" } dd { code { (result.command()) } }
            }
        }
    }
}

fn contents(algorithm: &AlgorithmPlan) -> Markup {
    html! {
        nav.contents id="contents" aria-label="On this page" {
            h2 { "On this page" }
            ol.columns {
                li { a href="#rules" { "Rules" } }
                li { a href="#parameters" { "Parameters and observables" } }
                @if let Some(result) = algorithm.result {
                    @for case in CASES.iter().filter(|c| result.case(&c.id).is_some()) {
                        li { a href={ "#" (case.id) } { (case.title) } }
                    }
                    li { a href="#place" { "Rank among the algorithms" } }
                }
            }
        }
    }
}

fn rules(entry: &Entry) -> Markup {
    html! {
        section id="rules" {
            h2 { "Rules" }
            ul.equations { @for equation in entry.equations { li { (typeset(equation)) } } }
            p.hint { "Symbols follow the source. If it does not define them, w is a congestion window in segments and T a round-trip time in seconds." }
            @if !entry.interpretations.is_empty() {
                h3 { "Our interpretation" }
                ul.sentences { @for text in entry.interpretations { li { (prose(text)) } } }
            }
        }
    }
}

fn parameters(entry: &Entry) -> Markup {
    html! {
        section id="parameters" {
            h2 { "Parameters" }
            (table("Parameters", "", &heads(&["Key", "Default", "May be", "Meaning"], &[]), &html! {
                @for param in entry.all_params() {
                    tr { th scope="row" { code { (param.name) } } td { (default(param)) } td { (param.allowed) } td { (prose(param.meaning)) } }
                }
            }))
            h2 { "Observables" }
            @if entry.observables.is_empty() {
                p.quiet { "This algorithm has no observables." }
            } @else {
                (table("Observables", "", &heads(&["Name", "Meaning"], &[]), &html! {
                    @for o in entry.observables { tr { th scope="row" { code { (o.name) } } td { (prose(o.meaning)) } } }
                }))
            }
        }
    }
}

fn default(param: &Param) -> String {
    match param.default {
        Value::Number(x) => number(x),
        Value::Flag(x) => x.to_string(),
        Value::Word(x) => x.to_owned(),
    }
}

fn behaviour(plan: &Plan, algorithm: &AlgorithmPlan, result: &AlgorithmResult, site: &mut Site) -> Markup {
    let cases: Vec<_> = CASES.iter().filter_map(|c| Some((c, result.case(&c.id)?))).collect();
    let mut parts = case::Parts {
        tables: Bundle::of(algorithm.part("values")),
        folded: Bundle::of(algorithm.part("folded")),
    };
    let body = html! {
        @for (case, of) in &cases { (case::section(algorithm, case, of, &mut parts, site)) }
        section.experiment id="place" {
            h2 { "Rank among the algorithms" }
            p {
                "The key figure of each case and its rank: the largest share or utilisation ranks first, and so does the shortest "
                "recovery. A large share is not a merit. "
                a href={ (plan::ALGORITHMS) "#reading" } { "How to read the key figures" } "."
            }
            (case::places(plan, &cases, result))
        }
    };
    parts.tables.finish(site);
    parts.folded.finish(site);
    body
}

fn not_run(entry: &Entry) -> Markup {
    html! {
        section id="not-run" {
            h2 { "In the standard cases" }
            p { "Not run yet. To run them and add the results to this report:" }
            pre.command tabindex="0" { code { "anabranch cc report " (entry.name) } }
            ul { @for case in CASES.iter() { li { (case.title) } } }
        }
    }
}
