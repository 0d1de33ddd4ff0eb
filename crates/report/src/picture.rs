//! Charts on a page of their own: one file, which needs neither a network nor other files.

use crate::chart::chart;
use crate::layout::head;
use crate::multiples::multiples;
use crate::site::VEGA;
use crate::svg::{ChartSize, inline};
use crate::visible::visible;
use anabranch_scenario::printable_line;
use anabranch_study::Panel;
use maud::{DOCTYPE, PreEscaped, html};

const CSS: &str = include_str!("../assets/report.css");
const LICENCES: &str = include_str!("../assets/vendor/LICENSES.txt");
const SCRIPT: &str = include_str!("../assets/report.js");

/// The page; nothing where no panel has a point that could be drawn. Without scripts it shows the drawings as they are.
pub fn page_of_charts(title: &str, about: &str, panels: &[Panel]) -> Option<String> {
    let panels = multiples(panels);
    let panels: Vec<_> = panels.iter().map(visible).collect();
    let charts: Vec<_> = panels.iter().map(|panel| (panel, chart(panel))).collect();
    let (title, about) = (&*printable_line(title), printable_line(about));
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
                    p { (about) }
                    @for (i, (panel, chart)) in charts.iter().enumerate() {
                        div.panel {
                            p.title { (panel.title) }
                            @match chart {
                                Some(chart) => {
                                    div.chart role="figure" aria-label=(chart.description) data-name={ "figure-" (i + 1) } {
                                        script type="application/json" { (script(&chart.spec.to_string())) }
                                        noscript { @if let Some(drawing) = inline(panel, &ChartSize::REPORT) { (drawing) } }
                                    }
                                    @for remark in &chart.remarks { p.hint { (remark) } }
                                },
                                None => p.hint { "There is no recorded value to draw here." },
                            }
                        }
                    }
                }
                footer {
                    details { summary { "Charts are drawn by Vega, Vega-Lite and Vega-Embed: licences" } pre tabindex="0" { (LICENCES) } }
                }
                @for text in VEGA.into_iter().chain([SCRIPT]) { script { (PreEscaped(text)) } }
            }
        }
    };
    Some(page.into_string())
}

/// JSON that cannot end its script element: `<` is written as an escape.
fn script(json: &str) -> PreEscaped<String> {
    PreEscaped(json.replace('<', "\\u003c"))
}
