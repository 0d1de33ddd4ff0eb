//! Charts on a page of their own: one file, which needs neither a network nor other files nor scripts.

use crate::layout::head;
use crate::multiples::multiples;
use crate::remarks::remarks;
use crate::svg::{ChartSize, inline, most};
use crate::table::table;
use crate::visible;
use anabranch_scenario::printable_line;
use anabranch_study::Panel;
use maud::{DOCTYPE, PreEscaped, html};

const CSS: &str = include_str!("../assets/report.css");

/// The page; `None` if no panel has a point to draw.
pub fn page_of_charts(title: &str, about: &str, panels: &[Panel]) -> Option<String> {
    let size = &ChartSize::REPORT;
    let panels = multiples(panels);
    let charts: Vec<_> = panels.iter().map(|panel| (panel, inline(panel, size, most(size)))).collect();
    let title = &*printable_line(title);
    if charts.iter().all(|(_, chart)| chart.is_none()) {
        return None;
    }
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(title, &html! { style { (PreEscaped(CSS)) } }))
            body {
                main id="main" {
                    h1 { (title) }
                    @for line in about.lines() { p { (printable_line(line)) } }
                    div.panels {
                        @for (panel, chart) in charts {
                            div.panel {
                                p.title { (panel.title) }
                                @match chart {
                                    Some(chart) => {
                                        div.chart tabindex="0" { (chart) }
                                        details.values { summary { "Values as a table" } (table(panel)) }
                                        @for remark in remarks(panel, most(size)) { p.hint { (remark) } }
                                    },
                                    None => p.hint { "There is no recorded value to draw here." },
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    Some(visible::page(page))
}
