//! A figure: its panels drawn, and the values behind them linked.

use crate::bundle::Bundle;
use crate::chart::{MOST_POINTS, VisibleData};
use crate::csv;
use crate::multiples::multiples;
use crate::plan::{FigurePlan, PaperPlan};
use crate::prose::prose;
use crate::remarks::remarks;
use crate::scales::{STEPS, nice};
use crate::site::Site;
use crate::svg::{ChartSize, inline, most_in_page};
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
        let drawn = same().filter_map(|panel| Some(VisibleData::of(panel, MOST_POINTS)?.y_domain));
        let domain = drawn.reduce(|(low, high), (a, b)| (low.min(a), high.max(b)));
        let domain = domain.map(|limits| nice(&all[0][i].y, limits, STEPS));
        all.iter_mut().for_each(|panels| panels[i].y.domain = domain);
    }
    all
}

/// The figure with its caption, its panels drawn as these.
fn figure(plan: &FigurePlan, drawn: Vec<Panel>, site: &mut Site) -> Markup {
    let mut tables = Bundle::of(plan.part.clone());
    let facets = facets(&drawn.iter().collect::<Vec<_>>());
    let n = multiples(&drawn).len();
    let figure = html! {
        figure id=(plan.anchor) {
            figcaption { span.id { (plan.figure.id) } " " (prose(&plan.figure.title)) }
            div.panels.single[n == 1].facets[facets.is_some()] {
                @for (i, (panel, (_, data))) in drawn.iter().zip(&plan.panels).enumerate() {
                    @match &facets {
                        Some(facets) => (charts(&facets[i], data, &ChartSize::FACET, &mut tables)),
                        None => (charts(panel, data, &ChartSize::REPORT, &mut tables)),
                    }
                }
            }
            @if let Some(missing) = &plan.figure.missing { p.hint { (missing) "." } }
        }
    };
    tables.finish(site);
    figure
}

/// Panels beyond which they are small and have one scale.
const MANY_PANELS: usize = 6;

/// Many panels of one quantity as small ones with the same vertical axis, so that they can be compared.
fn facets(panels: &[&Panel]) -> Option<Vec<Panel>> {
    let first = panels.first()?;
    let alike = |panel: &&Panel| {
        panel.mark == first.mark && panel.y.title == first.y.title && panel.y.log == first.y.log
    };
    if panels.len() < MANY_PANELS || first.mark == Mark::Tile || !panels.iter().all(alike) {
        return None;
    }
    let mut ends = panels.iter().flat_map(|panel| {
        let points = panel.series.iter().flat_map(|s| &s.points);
        let own = points.flat_map(|p| [p.y - p.half_width.unwrap_or(0.0), p.y + p.half_width.unwrap_or(0.0)]);
        own.chain(panel.y.domain.into_iter().flat_map(|(low, high)| [low, high])).collect::<Vec<_>>()
    });
    let first_end = ends.find(|y| y.is_finite())?;
    let finite = ends.filter(|y| y.is_finite() && (!first.y.log || *y > 0.0));
    let domain = finite.fold((first_end, first_end), |(low, high), y| (low.min(y), high.max(y)));
    let mut facets: Vec<Panel> = panels.iter().map(|panel| (*panel).clone()).collect();
    facets.iter_mut().for_each(|panel| panel.y.domain = Some(domain));
    Some(facets)
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
                a href=(data) download { (kind(data)) }
                @for remark in remarks { " " (remark) }
            }
        }
    }
}

/// The text of a link to values.
fn kind(path: &str) -> &'static str {
    if path.ends_with(".gz") { "Values (CSV, compressed)" } else { "Values (CSV)" }
}

/// Adds the values of all figures of a paper.
pub fn add_data(paper: &PaperPlan, site: &mut Site) {
    let figures = paper.experiments.iter().flat_map(|e| &e.figures);
    for (panel, path) in figures.flat_map(|f| &f.panels) {
        let values = csv::panel(panel);
        if path.ends_with(".gz") { site.add_gzip(path, &values) } else { site.add(path.as_str(), values) }
    }
}
