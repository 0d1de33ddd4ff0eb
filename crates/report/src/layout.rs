//! The frame of every page: head, navigation, foot.

use crate::plan::{ALGORITHMS, PaperPlan, Plan};
use crate::{cite, search, visible};
use anabranch_study::Size;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Content that may be wider than the page: it scrolls separately, also by keyboard.
pub fn scroll(label: &str, wide: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label=(label) { (wide) } }
}

/// A table of that class, if any, below a row of heads.
pub fn table(label: &str, class: &str, heads: &Markup, lines: &Markup) -> Markup {
    let class = (!class.is_empty()).then_some(class);
    scroll(label, &html! { table class=[class] { thead { tr { (heads) } } tbody { (lines) } } })
}

/// The same with its label as a caption, too.
pub fn captioned(label: &str, class: &str, heads: &Markup, lines: &Markup) -> Markup {
    let caption = html! { caption { (label) } };
    scroll(label, &html! { table class=(class) { (caption) thead { tr { (heads) } } tbody { (lines) } } })
}

/// The headings of columns of text, and then of columns of numbers.
pub fn heads(of_text: &[&str], of_numbers: &[&str]) -> Markup {
    html! {
        @for head in of_text { th scope="col" { (head) } }
        @for head in of_numbers { th.number scope="col" { (head) } }
    }
}

/// The link to a part of the page that is `of` something.
pub fn permalink(anchor: &str, of: &str) -> Markup {
    html! { a.permalink href={ "#" (anchor) } aria-label={ "Link to " (of) } { "#" } }
}

/// The head of any page, with its `style`.
pub fn head(title: &str, style: &Markup) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) }
            (style)
            // An empty icon keeps browsers from requesting one.
            link rel="icon" href="data:,";
        }
    }
}

/// The whole page around its `body`; its `file` marks it in the navigation.
pub fn page(plan: &Plan, file: &str, title: &str, body: &Markup) -> String {
    let context = plan.context;
    visible::page(html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &html! { link rel="stylesheet" href="assets/report.css"; }))
            body {
                a.skip href="#main" { "Skip to the content" }
                header.site {
                    a.brand href="index.html" { "Anabranch" }
                    (navigation(plan, file))
                    // A script shows and fills it.
                    search hidden {
                        input type="search" placeholder="Search (press /)" aria-label="Search rows, experiments and algorithms" aria-keyshortcuts="/" data-part=(search::PART);
                        ul {}
                    }
                }
                main id="main" { (running(plan)) (body) }
                footer {
                    (cite::section(context, file, title))
                    p { "Written by Anabranch " (context.version) "." }
                }
                script src="assets/report.js" {}
            }
        }
    })
}

/// While the command is running, what is provisional. The page reloads itself.
fn running(plan: &Plan) -> Markup {
    if !plan.context.running {
        return html! {};
    }
    let quick = plan.papers.iter().chain(&plan.own).filter(|paper| paper.result.size == Size::Quick.name());
    let quick: Vec<&str> = quick.map(|paper| paper.result.id.as_str()).collect();
    html! {
        script { (PreEscaped("setTimeout(() => location.reload(), 60000)")) }
        p.running role="status" {
            b { "Provisional. " }
            code { (plan.context.command) } " was still running when this page was written. "
            @if !quick.is_empty() { "The quick size stands in for the results of: " (quick.join(", ")) ". " }
            "This page reloads every minute. If the command was interrupted, the same command resumes."
        }
    }
}

/// The page that simulates.
pub const LABORATORY: &str = "laboratory.html";

fn navigation(plan: &Plan, current: &str) -> Markup {
    fn pages<'a>(of: &'a [PaperPlan]) -> Vec<(&'a str, &'a str)> {
        of.iter().map(|p| (p.result.name.as_str(), p.file.as_str())).collect()
    }
    let mut algorithms = vec![("Algorithms", ALGORITHMS), ("Methods", "methods.html")];
    if plan.context.laboratory.is_some() {
        algorithms.push(("Laboratory", LABORATORY));
    }
    let groups = [
        ("", vec![("Overview", "index.html")]),
        ("Papers", pages(&plan.papers)),
        ("Our own study", pages(&plan.own)),
        ("Studies", pages(&plan.studies)),
        ("Advice", plan.advice.iter().map(|a| (a.advice.scenario.as_str(), a.file.as_str())).collect()),
        ("", algorithms),
    ];
    // An algorithm's page is found through the page of all.
    let is_algorithm = plan.algorithms.iter().any(|a| a.file == current);
    let current = if is_algorithm { ALGORITHMS } else { current };
    html! {
        nav aria-label="Pages" {
            @for (group, links) in groups {
                @if !group.is_empty() && !links.is_empty() { span.group { (group) } }
                @for (name, file) in links {
                    a href=(file) aria-current=[(file == current).then_some("page")] { (name) }
                }
            }
        }
    }
}
