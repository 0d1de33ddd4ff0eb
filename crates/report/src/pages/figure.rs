//! A figure: its panels drawn, and the values behind them linked.

use crate::bundle::Bundle;
use crate::csv;
use crate::multiples::multiples;
use crate::plan::{FigurePlan, PaperPlan};
use crate::prose::prose;
use crate::remarks::remarks;
use crate::site::Site;
use crate::svg::{ChartSize, inline, most_in_page, y_limits};
use crate::table::table;
use anabranch_study::{Mark, Panel};
use maud::{Markup, html};

/// Each of the simulator's figures with those from other backends' runs, "A-F5" with "A-F5@kernel", which follow it.
pub fn together<'a, 'b>(figures: &'a [FigurePlan<'b>]) -> impl Iterator<Item = &'a [FigurePlan<'b>]> {
    figures.chunk_by(|first, next| {
        let own = first.figure.id.split('@').next();
        next.figure.id.split_once('@').is_some_and(|(of, _)| Some(of) == own)
    })
}

/// Figures of the same from several backends, side by side.
pub fn figures(together: &[FigurePlan], site: &mut Site) -> Markup {
    html! {
        @match together {
            [alone] => (figure(alone, panels(alone), site)),
            several => div.beside { @for (f, panels) in several.iter().zip(alike(several)) { (figure(f, panels, site)) } },
        }
    }
}

fn panels(plan: &FigurePlan) -> Vec<Panel> {
    plan.panels.iter().map(|(panel, _)| (*panel).clone()).collect()
}

/// The panels of each figure. Where the paper has no limits they have the same vertical axis in all, so that they can be compared.
fn alike(figures: &[FigurePlan]) -> Vec<Vec<Panel>> {
    let mut all: Vec<Vec<Panel>> = figures.iter().map(panels).collect();
    for i in 0..all[0].len() {
        let same = || all.iter().filter_map(|panels| panels.get(i));
        if same().count() < all.len()
            || same().any(|panel| panel.mark == Mark::Tile || panel.y.domain.is_some())
        {
            continue;
        }
        let domain = together_on_y(same());
        all.iter_mut().for_each(|panels| panels[i].y.domain = domain);
    }
    all
}

/// The vertical limits that all of these panels need.
fn together_on_y<'a>(panels: impl Iterator<Item = &'a Panel>) -> Option<(f64, f64)> {
    panels.filter_map(y_limits).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

/// The figure with its caption, its panels drawn as these.
fn figure(plan: &FigurePlan, mut drawn: Vec<Panel>, site: &mut Site) -> Markup {
    let mut tables = Bundle::of(plan.part.clone());
    let are_small = give_one_scale(&mut drawn);
    let size = if are_small { ChartSize::FACET } else { ChartSize::REPORT };
    let n = multiples(&drawn).len();
    let figure = html! {
        figure id=(plan.anchor) {
            figcaption { span.id { (plan.figure.id) } " " (prose(&plan.figure.title)) }
            div.panels.single[n == 1].facets[are_small] {
                @for (panel, (_, data)) in drawn.iter().zip(&plan.panels) { (charts(panel, data, &size, &mut tables)) }
            }
            @if let Some(missing) = &plan.figure.missing { p.hint { (missing) "." } }
        }
    };
    tables.finish(site);
    figure
}

/// Panels beyond which they are small and have one scale.
const MANY_PANELS: usize = 6;

/// Gives many panels of one quantity the same vertical axis, so that they can be compared. Returns whether they have it.
fn give_one_scale(panels: &mut [Panel]) -> bool {
    let of = |panel: &Panel| (panel.mark, panel.y.log, panel.y.title.clone());
    let is_alike = panels.windows(2).all(|pair| of(&pair[0]) == of(&pair[1]));
    if panels.len() < MANY_PANELS || panels[0].mark == Mark::Tile || !is_alike {
        return false;
    }
    let Some(domain) = together_on_y(panels.iter()) else { return false };
    panels.iter_mut().for_each(|panel| panel.y.domain = Some(domain));
    true
}

/// A panel's plots, each with its values as a table, which is one of `tables`, and a link to the file `data` of all values.
pub fn charts(panel: &Panel, data: &str, size: &ChartSize, tables: &mut Bundle) -> Markup {
    html! { @for one in multiples(std::slice::from_ref(panel)) { (chart(&one, data, size, tables)) } }
}

fn chart(panel: &Panel, data: &str, size: &ChartSize, tables: &mut Bundle) -> Markup {
    let drawing = inline(panel, size, most_in_page(size));
    let remarks = drawing.as_ref().map(|_| remarks(panel, most_in_page(size))).unwrap_or_default();
    html! {
        div.panel {
            p.title { (prose(&panel.title)) }
            @match drawing {
                Some(drawing) => {
                    div.chart tabindex="0" { (drawing) }
                    (tables.folded("values", &html! { "Values as a table" }, table(panel), "Loading the table needs JavaScript. The CSV file has all values."))
                }
                None => p.hint { "There is no recorded value to draw here." },
            }
            p.data {
                a href=(data) download { (if data.ends_with(".gz") { "Values (CSV, compressed)" } else { "Values (CSV)" }) }
                @for remark in remarks { " " (remark) }
            }
        }
    }
}

/// Adds the values of all figures of a paper.
pub fn add_data(paper: &PaperPlan, site: &mut Site) {
    let figures = paper.experiments.iter().flat_map(|e| &e.figures);
    for (panel, path) in figures.flat_map(|f| &f.panels) {
        let values = csv::panel(panel);
        if path.ends_with(".gz") { site.add_gzip(path, &values) } else { site.add(path.as_str(), values) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Point, Series};

    /// A panel whose values begin near zero has an axis from zero, and so have those beside it.
    #[test]
    fn small_panels_give_one_scale() {
        let panel = |low: f64| {
            let points = vec![Point::at(0.0, low), Point::at(1.0, 20.0)];
            let series = vec![Series { points, ..Series::default() }];
            Panel { y: Axis::new("ms", false), series, ..Panel::default() }
        };
        let mut panels = [5.0, 15.0, 15.0, 16.0, 17.0, 18.0].map(panel);
        assert!(give_one_scale(&mut panels));
        assert!(panels.iter().all(|panel| y_limits(panel) == Some((0.0, 20.0))));
    }
}
