//! A figure: its panels drawn, and the values behind them linked.

use anabranch_study::Panel;
use maud::{Markup, PreEscaped, html};

use crate::{
    chart::chart,
    csv,
    plan::{FigurePlan, PaperPlan},
    prose::prose,
    site::Site,
};

/// Each of the simulator's figures with those from other backends' runs, "A-F5" with "A-F5@kernel", which follow it.
pub fn together<'a, 'b>(figures: &'a [FigurePlan<'b>]) -> impl Iterator<Item = &'a [FigurePlan<'b>]> {
    figures.chunk_by(|first, next| {
        let own = first.figure.id.split('@').next();
        next.figure.id.split_once('@').is_some_and(|(of, _)| Some(of) == own)
    })
}

/// Figures of the same from several backends, side by side.
pub fn figures(together: &[FigurePlan]) -> Markup {
    html! {
        @match together {
            [alone] => (figure(alone)),
            several => div.beside { @for f in several { (figure(f)) } },
        }
    }
}

/// The figure with its caption.
fn figure(plan: &FigurePlan) -> Markup {
    html! {
        figure id=(plan.anchor) {
            figcaption { span.id { (plan.figure.id) } " " (prose(&plan.figure.title)) }
            noscript { p.hint { "The charts are drawn by a script. Without it, the values are in the linked CSV files." } }
            div.panels.single[plan.panels.len() == 1] {
                @for (panel, data) in &plan.panels { (drawing(panel, data)) }
            }
            @if let Some(missing) = &plan.figure.missing { p.hint { (missing) "." } }
        }
    }
}

/// One plot, and where its values are.
pub fn drawing(panel: &Panel, data: &str) -> Markup {
    let chart = chart(panel);
    html! {
        div.panel {
            h4 { (prose(&panel.title)) }
            @match &chart {
                Some(chart) => {
                    div.chart role="figure" aria-label=(chart.description) data-name=(stem(data)) {
                        script type="application/json" { (inline(&chart.spec)) }
                    }
                },
                None => p.hint { "Nothing was recorded that could be drawn here." },
            }
            p.data {
                a href=(data) download { "Values (CSV)" }
                @for remark in chart.iter().flat_map(|c| &c.remarks) { " " (remark) }
            }
        }
    }
}

/// JSON that cannot end its script element: `<` is written as an escape.
fn inline(json: &serde_json::Value) -> PreEscaped<String> {
    PreEscaped(json.to_string().replace('<', "\\u003c"))
}

/// "data/x.csv" without folder and ending, for saved pictures.
fn stem(path: &str) -> &str {
    path.trim_start_matches("data/").trim_end_matches(".csv")
}

/// Adds the values of all figures of a paper.
pub fn add_data(paper: &PaperPlan, site: &mut Site) {
    let figures = paper.experiments.iter().flat_map(|e| &e.figures);
    for (panel, path) in figures.flat_map(|f| &f.panels) {
        site.add(path.as_str(), csv::panel(panel));
    }
}
