//! A figure: its panels drawn, and the values behind them linked.

use crate::chart::{Chart, MOST_POINTS, VisibleData, chart, drawable_points};
use crate::multiples::multiples;
use crate::plan::{FigurePlan, PaperPlan};
use crate::prose::prose;
use crate::scales::{STEPS, nice};
use crate::site::Site;
use crate::svg::{self, ChartSize};
use crate::{csv, steps};
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
    let mut charts = Charts::new(&plan.part);
    let facets = facets(&drawn.iter().collect::<Vec<_>>());
    let n = multiples(&drawn).len();
    html! {
        figure id=(plan.anchor) {
            figcaption { span.id { (plan.figure.id) } " " (prose(&plan.figure.title)) }
            div.panels.single[n == 1].facets[facets.is_some()] {
                @for (i, (panel, (_, data))) in drawn.iter().zip(&plan.panels).enumerate() {
                    @match &facets {
                        Some(facets) => (charts.with_picture(&facets[i], data, &ChartSize::FACET, site)),
                        None => (charts.with_picture(panel, data, &ChartSize::REPORT, site)),
                    }
                }
            }
            @if let Some(missing) = &plan.figure.missing { p.hint { (missing) "." } }
        }
        (charts.finish(site))
    }
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

/// The specifications of a fragment's charts.
pub struct Charts<'a> {
    part: &'a str,
    specs: Vec<serde_json::Value>,
}

impl<'a> Charts<'a> {
    /// For the fragment of that path: "data/coupled-cubic-A-F5.js".
    pub fn new(part: &'a str) -> Self {
        Charts { part, specs: vec![] }
    }

    /// One plot, with a picture of it that stands there until a script draws it, and without scripts.
    pub fn with_picture(&mut self, panel: &Panel, data: &str, look: &ChartSize, site: &mut Site) -> Markup {
        html! { @for one in multiples(std::slice::from_ref(panel)) { (self.pictured(&one, data, look, site)) } }
    }

    fn pictured(&mut self, panel: &Panel, data: &str, look: &ChartSize, site: &mut Site) -> Markup {
        let mut names = (1..).map(|n| match n {
            1 => format!("data/{}.svg", stem(data)),
            n => format!("data/{}-{n}.svg", stem(data)),
        });
        let path = names.find(|path| !site.has(path)).expect("numbers do not end");
        let picture = svg::picture(&coarse(panel), look);
        let there = picture.is_some().then_some(path.as_str());
        let drawing = self.plot(panel, data, there);
        if let Some(picture) = picture {
            site.add(path, picture);
        }
        drawing
    }

    /// One plot, and where its values are.
    pub fn drawing(&mut self, panel: &Panel, data: &str) -> Markup {
        html! { @for one in multiples(std::slice::from_ref(panel)) { (self.plot(&one, data, None)) } }
    }

    fn plot(&mut self, panel: &Panel, data: &str, picture: Option<&str>) -> Markup {
        let Some(Chart { spec, description, remarks }) = chart(panel) else {
            return html! {
                div.panel {
                    p.title { (prose(&panel.title)) }
                    p.hint { "There is no recorded value to draw here." }
                    p.data { a href=(data) download { (kind(data)) } }
                }
            };
        };
        let number = self.specs.len();
        self.specs.push(spec);
        html! {
            div.panel {
                p.title { (prose(&panel.title)) }
                div.chart role="figure" aria-label=(description) data-part=(self.part) data-panel=(number) data-name=(stem(data)) {
                    @match picture {
                        Some(picture) => img src=(picture) alt="" loading="lazy";,
                        None => noscript { p.hint { "This chart needs JavaScript. The CSV file below has the values." } },
                    }
                }
                p.data {
                    a href=(data) download { (kind(data)) }
                    @for remark in &remarks { " " (remark) }
                }
            }
        }
    }

    /// Writes the fragment.
    pub fn finish(mut self, site: &mut Site) -> Markup {
        self.specs.iter_mut().for_each(steps::pack);
        if !self.specs.is_empty() {
            site.add_part(self.part, &serde_json::Value::from(self.specs).to_string());
        }
        html! {}
    }
}

/// Points of a series in a picture, which is not compressed: a lowest and a highest for every thirteen pixels.
const POINTS_OF_PICTURE: usize = 80;

/// The panel with as many points as a picture has. A point for each label stays.
fn coarse(panel: &Panel) -> Panel {
    let mut coarse = panel.clone();
    if panel.mark == Mark::Line {
        for series in &mut coarse.series {
            let few = drawable_points(panel, series, POINTS_OF_PICTURE);
            series.points = few.into_iter().cloned().collect();
        }
    }
    coarse
}

/// The text of a link to values.
fn kind(path: &str) -> &'static str {
    if path.ends_with(".gz") { "Values (CSV, compressed)" } else { "Values (CSV)" }
}

/// "data/x.csv" without folder and ending, for saved pictures.
fn stem(path: &str) -> &str {
    path.trim_start_matches("data/").trim_end_matches(".gz").trim_end_matches(".csv")
}

/// Adds the values of all figures of a paper.
pub fn add_data(paper: &PaperPlan, site: &mut Site) {
    let figures = paper.experiments.iter().flat_map(|e| &e.figures);
    for (panel, path) in figures.flat_map(|f| &f.panels) {
        let values = csv::panel(panel);
        if path.ends_with(".gz") { site.add_gzip(path, &values) } else { site.add(path.as_str(), values) }
    }
}
