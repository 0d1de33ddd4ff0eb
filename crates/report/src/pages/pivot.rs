//! A study's values at a glance: algorithms down, the parameter across, taken from its figures.

use crate::{layout::scroll, plan::ExperimentPlan, prose::prose};
use anabranch_cc::registry;
use anabranch_study::{Estimate, Mark, Panel, Point, Series, format};
use maud::{Markup, html};

/// More columns do not fit; a figure has them.
const MOST_COLUMNS: usize = 16;

/// A table for each panel whose values fit into one.
pub fn tables(plan: &ExperimentPlan) -> Markup {
    let figures = plan.figures.iter().map(|figure| figure.figure);
    html! {
        @for figure in figures {
            @for panel in &figure.panels {
                @if let Some(pivot) = Pivot::of(panel) { (pivot.table(&title(&figure.title, &panel.title))) }
            }
        }
    }
}

/// A figure's title with its panel's, unless one says it all.
fn title(figure: &str, panel: &str) -> String {
    match (figure, panel) {
        (figure, "") => figure.to_owned(),
        ("", panel) => panel.to_owned(),
        (figure, panel) if figure == panel => figure.to_owned(),
        (figure, panel) => format!("{figure}: {panel}"),
    }
}

/// Values by line and column.
struct Pivot {
    /// What the columns are: "links.*.queue (BDP)".
    columns_are: String,
    /// The values' title and unit.
    value: String,
    columns: Vec<String>,
    lines: Vec<(String, Vec<Option<Estimate>>)>,
}

impl Pivot {
    fn of(panel: &Panel) -> Option<Pivot> {
        let column_of: fn(&Point) -> String = match panel.mark {
            Mark::Line | Mark::Point => |point| format::exact(point.x),
            Mark::Bar => |point| point.label.clone().unwrap_or_default(),
            Mark::Box | Mark::Tile => return None,
        };
        let mut columns: Vec<(f64, String)> = Vec::new();
        for point in panel.series.iter().filter(|s| !s.published).flat_map(|s| &s.points) {
            let column = column_of(point);
            if columns.len() <= MOST_COLUMNS && !columns.iter().any(|(_, known)| *known == column) {
                columns.push((point.x, column));
            }
        }
        if columns.is_empty() || columns.len() > MOST_COLUMNS {
            return None;
        }
        if panel.mark != Mark::Bar {
            columns.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        }
        let value = |series: &Series, column: &String| {
            let point = series.points.iter().find(|point| column_of(point) == *column)?;
            Some(Estimate { mean: point.y, half_width: point.half_width, values: vec![] })
        };
        let columns: Vec<String> = columns.into_iter().map(|(_, column)| column).collect();
        let own = panel.series.iter().filter(|series| !series.published);
        let lines: Vec<(String, Vec<_>)> =
            own.map(|s| (s.name.clone(), columns.iter().map(|column| value(s, column)).collect())).collect();
        let (columns_are, value) = (panel.x.title.clone(), panel.y.title.clone());
        let pivot = Pivot { columns_are, value, columns, lines };
        let alone = pivot.lines.len() == 1;
        let turned =
            pivot.columns.iter().all(|column| is_algorithm(column)) || alone && panel.mark == Mark::Bar;
        Some(if turned { pivot.transposed() } else { pivot })
    }

    fn transposed(self) -> Pivot {
        let column = |i: usize| self.lines.iter().map(|(_, values)| values[i].clone()).collect();
        let lines = self.columns.iter().enumerate().map(|(i, name)| (name.clone(), column(i))).collect();
        let columns = self.lines.iter().map(|(name, _)| name.clone()).collect();
        Pivot { lines, columns, ..self }
    }

    /// A single seed has no interval.
    fn has_intervals(&self) -> bool {
        self.lines.iter().flat_map(|(_, values)| values).flatten().any(|value| value.half_width.is_some())
    }

    fn table(&self, caption: &str) -> Markup {
        let lines_are = if self.lines.iter().all(|(name, _)| is_algorithm(name)) { "Algorithm" } else { "" };
        scroll(
            caption,
            &html! {
                table.pivot {
                    caption {
                        // A sweep's figures are named after their values.
                        @if self.value.starts_with(caption) { b { (prose(&self.value)) } }
                        @else { b { (prose(caption)) } @if !self.value.is_empty() { " – " (prose(&self.value)) } }
                        @if self.has_intervals() { ", with 95 % intervals" }
                    }
                    thead {
                        @if !self.columns_are.is_empty() {
                            tr { td {} th scope="colgroup" colspan=(self.columns.len()) { (prose(&self.columns_are)) } }
                        }
                        tr { th scope="col" { (lines_are) } @for column in &self.columns { th.number scope="col" { (prose(column)) } } }
                    }
                    tbody {
                        @for (name, values) in &self.lines {
                            tr {
                                th scope="row" { (prose(name)) }
                                @for value in values { td.number { @if let Some(value) = value { (format::of(value)) } @else { "–" } } }
                            }
                        }
                    }
                }
            },
        )
    }
}

/// Whether it is an algorithm of the registry, or one with parameters.
fn is_algorithm(name: &str) -> bool {
    let is = |known: &str| known.eq_ignore_ascii_case(name);
    name.starts_with("{ name")
        || name.starts_with("{name")
        || registry::ALL.iter().any(|e| is(e.name) || is(e.title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::cells;
    use anabranch_study::Axis;

    /// Place, label and value.
    type Value = (f64, &'static str, f64);

    fn panel(mark: Mark, x: &str, series: &[(&str, &[Value])]) -> Panel {
        let point = |&(x, label, y): &Value| Point { x, half_width: Some(0.5), ..Point::bar(label, y) };
        let series = series.iter().map(|(name, points)| Series {
            name: (*name).into(),
            published: false,
            points: points.iter().map(point).collect(),
        });
        let [x, y] = [x, "goodput of mptcp (Mbit/s)"].map(|title| Axis::new(title, false));
        Panel { x, y, mark, series: series.collect(), ..Panel::default() }
    }

    #[test]
    fn algorithms_down_and_the_parameter_across() {
        let values = [(0.5, "", 8.0), (2.0, "", 9.0)];
        let mut lines = panel(Mark::Line, "links.*.queue (BDP)", &[("lia", &values), ("olia", &values[1..])]);
        let cells = |panel: &Panel| cells(&Pivot::of(panel).unwrap().table("F1"));
        let table = cells(&lines);
        assert_eq!(table[0], ["links.*.queue (BDP)"]);
        assert_eq!(table[1], ["Algorithm", "0.5", "2"]);
        assert_eq!(table[2], ["lia", "8.00 ± 0.50", "9.00 ± 0.50"]);
        assert_eq!(table[3], ["olia", "–", "9.00 ± 0.50"]);
        let says_intervals =
            |lines: &Panel| Pivot::of(lines).unwrap().table("F1").into_string().contains("95 % intervals");
        assert!(says_intervals(&lines));
        lines.series.iter_mut().flat_map(|s| &mut s.points).for_each(|p| p.half_width = None);
        assert!(!says_intervals(&lines));
        // Named values: the algorithms stand on the horizontal axis of bars.
        let bars = [(0.0, "lia", 8.0), (0.0, "olia", 9.0)];
        let table = cells(&panel(Mark::Bar, "", &[("fifo", &bars), ("codel", &bars)]));
        assert_eq!(table[0], ["Algorithm", "fifo", "codel"]);
        assert_eq!(table[2], ["olia", "9.00 ± 0.50", "9.00 ± 0.50"]);
    }

    #[test]
    fn what_has_too_many_columns_stays_a_figure() {
        let over_time: Vec<Value> = (0..100).map(|i| (f64::from(i), "", 1.0)).collect();
        assert!(Pivot::of(&panel(Mark::Line, "time (s)", &[("lia", &over_time)])).is_none());
        assert!(Pivot::of(&panel(Mark::Tile, "", &[("lia", &over_time[..2])])).is_none());
    }
}
