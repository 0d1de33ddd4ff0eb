//! The values of a drawing as a table, for readers who do not see it.

use crate::boxes::{NAMES, five_numbers, groups};
use crate::chart::{MOST_POINTS, drawable_points, ends, is_gap, labelled, value};
use crate::scales::drawable;
use crate::style::{SeriesStyle, styles};
use anabranch_study::{Mark, Panel};
use maud::{Markup, html};

/// The most values of a line: the lowest and highest of each stretch.
const MOST: usize = 24;

/// A line for each point, or for each box.
pub fn table(panel: &Panel) -> Markup {
    let styles = styles(&panel.series);
    let place = match labelled(panel) || panel.mark == Mark::Tile {
        true if panel.x.title.is_empty() => "place",
        _ => panel.x.title.as_str(),
    };
    let quantity = panel.y.title.as_str();
    let (heads, lines) = match panel.mark {
        Mark::Box => ([&["series", place, "values"], &NAMES[..]].concat(), boxes(panel, &styles)),
        _ => (vec!["series", place, quantity, "lower end", "upper end"], points(panel, &styles)),
    };
    // Without intervals the last columns have no value.
    let used = heads.len().min(lines.iter().map(Vec::len).max().unwrap_or(0));
    let is_cut = panel.mark == Mark::Line && panel.series.iter().any(|series| series.points.len() > MOST);
    html! {
        div.scroll tabindex="0" role="group" aria-label={ "Values: " (panel.title) } {
            table {
                caption { (panel.title) @if is_cut { " (of long lines the lowest and the highest value of each stretch)" } }
                thead { tr { @for head in &heads[..used] { th scope="col" { (head) } } } }
                tbody {
                    @for line in &lines {
                        tr { @for i in 0..used { td.number[i > 1] { (line.get(i).map_or("–", String::as_str)) } } }
                    }
                }
            }
        }
    }
}

/// Series, place, value, and the ends of its interval if there is one.
fn points(panel: &Panel, styles: &[SeriesStyle]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (series, style) in panel.series.iter().zip(styles) {
        let most = if panel.mark == Mark::Line { MOST } else { MOST_POINTS };
        let shown = drawable_points(panel, series, most);
        for point in shown.into_iter().filter(|point| !is_gap(panel, point)) {
            let place = point.label.clone().unwrap_or_else(|| value(point.x));
            let mut line = vec![style.name.clone(), place, value(point.y)];
            line.extend(ends(panel, point).into_iter().flatten().map(value));
            lines.push(line);
        }
    }
    lines
}

/// Series, place, number of values, and the five numbers.
fn boxes(panel: &Panel, styles: &[SeriesStyle]) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (series, style) in panel.series.iter().zip(styles) {
        for (label, mut values) in groups(series) {
            values.retain(|y| drawable(&panel.y, *y));
            let Some(numbers) = five_numbers(&values) else { continue };
            let mut line = vec![style.name.clone(), label.to_owned(), values.len().to_string()];
            line.extend(numbers.map(value));
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use anabranch_study::{Axis, Point, Series};

    fn panel(mark: Mark, points: Vec<Point>) -> Panel {
        let [x, y] = ["RTT (ms)", "rate"].map(|title| Axis::new(title, false));
        let series = vec![Series { name: "LIA".into(), published: true, points }];
        Panel { x, y, mark, series, ..Panel::default() }
    }

    /// The cells of each line that are not empty.
    pub(crate) fn cells(table: &Markup) -> Vec<Vec<String>> {
        let lines = table.0.split("<tr>").skip(1).map(|line| {
            let cells = line.split("</t").filter_map(|cell| Some(cell.rsplit_once('>')?.1.to_owned()));
            cells.filter(|cell| !cell.is_empty()).collect()
        });
        lines.collect()
    }

    /// 1, 2 and 9: the quartiles 1.5 and 5.5 by hand.
    #[test]
    fn a_line_for_each_box() {
        let panel = panel(Mark::Box, [9.0, 1.0, 2.0].map(|y| Point::bar("S1", y)).into());
        assert_eq!(cells(&table(&panel))[1], ["LIA (published)", "S1", "3", "1", "1.5", "2", "5.5", "9"]);
    }

    #[test]
    fn a_long_line_has_its_extremes() {
        let points = (0..1000).map(|i| Point::at(f64::from(i), f64::from(i % 7)));
        let lines = cells(&table(&panel(Mark::Line, points.collect())));
        assert!((16..=25).contains(&lines.len()), "{}", lines.len());
    }
}
