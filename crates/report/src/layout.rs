//! The frame of every page: head, navigation, foot.

use maud::{DOCTYPE, Markup, html};

use crate::plan::{ALGORITHMS, PaperPlan, Plan};
use crate::{search, visible};

/// A page's place in the report.
pub struct Page<'a> {
    /// Its file, which marks it in the navigation.
    pub file: &'a str,
    /// Its title in the browser.
    pub title: &'a str,
}

/// Content that may be wider than the page: it scrolls separately, also by keyboard.
pub fn scroll(label: &str, wide: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (wide) } }
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

/// The whole page around its `body`.
pub fn page(plan: &Plan, page: &Page, body: &Markup) -> String {
    let context = plan.context;
    visible::page(html! {
        (DOCTYPE)
        html lang="en" {
            (head(page.title, &html! { link rel="stylesheet" href="assets/report.css"; }))
            body {
                a.skip href="#main" { "Skip to the content" }
                header.site {
                    a.brand href="index.html" { "Anabranch" }
                    (navigation(plan, page.file))
                    // A script shows and fills it.
                    search hidden {
                        input type="search" placeholder="Search rows, experiments, algorithms" aria-label="Search" data-part=(search::PART);
                        ul {}
                    }
                }
                main id="main" { (body) }
                footer {
                    p {
                        "Written by Anabranch " (context.version) ". Charts are drawn by Vega, Vega-Lite and Vega-Embed ("
                        a href="assets/vendor/LICENSES.txt" { "licences" } ")."
                    }
                }
                script src="assets/report.js" {}
            }
        }
    })
}

/// The page that simulates.
pub const LABORATORY: &str = "laboratory.html";

/// Links to every page, in groups.
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
        ("Studies", pages(&plan.studies)),
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
