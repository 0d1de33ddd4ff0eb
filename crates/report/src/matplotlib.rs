//! A style sheet of matplotlib: size, text, colours, dashes and symbols of a figure.

use crate::chart::{MOST_POINTS, VisibleData};
use crate::style::{DOTTED, HOLLOW, SOLID, Style};
use crate::svg::{ChartSize, margin};
use anabranch_scenario::printable_line;
use anabranch_study::{Mark, Panel};

/// CSS pixels of an inch, and points.
const INCH: f64 = 96.0;
const POINT: f64 = INCH / 72.0;

/// Lines that are drawn in the order of the series look as in the drawing of that panel; of several panels, that with the most series.
/// `None` if none has a point to draw.
pub fn style_sheet(panels: &[Panel], look: &ChartSize) -> Option<String> {
    let drawn = panels.iter().filter_map(|panel| Some((panel, VisibleData::of(panel, MOST_POINTS)?)));
    // The first one of those with the most.
    let (panel, drawn) = drawn.reduce(|a, b| if b.0.series.len() > a.0.series.len() { b } else { a })?;
    let style = Style::new(&panel.series);
    let height = look.plot_height + margin(panel, look)?;
    let list = |values: Vec<String>| values.iter().map(|v| format!("'{v}'")).collect::<Vec<_>>().join(", ");
    // A # begins a comment.
    let bare = |colour: &str| colour.trim_start_matches('#').to_owned();
    let mut cycle =
        vec![format!("cycler('color', [{}])", list(style.strokes.iter().map(|c| bare(c)).collect()))];
    let dash = |dashes: &[f64; 2]| match *dashes {
        SOLID => "-",
        DOTTED => ":",
        _ => "--",
    };
    if panel.mark == Mark::Line {
        let dashes = style.dashes.iter().map(|d| dash(d).to_owned()).collect();
        cycle.push(format!("cycler('linestyle', [{}])", list(dashes)));
    }
    if panel.mark == Mark::Point || (panel.mark == Mark::Line && drawn.few) {
        let symbols = style.shapes.iter().map(|shape| symbol(shape).to_string()).collect();
        let fills = style.fills.iter().zip(&style.strokes);
        let inside = fills.map(|(fill, stroke)| if fill == HOLLOW { "none".into() } else { bare(stroke) });
        cycle.push(format!("cycler('marker', [{}])", list(symbols)));
        cycle.push(format!("cycler('markerfacecolor', [{}])", list(inside.collect())));
    }
    let names: String = style.names.iter().map(|name| format!("#   {}\n", printable_line(name))).collect();
    let (width, height, font) = (look.width / INCH, height / INCH, look.font / POINT);
    let cycle = cycle.join(" + ");
    Some(format!(
        "# For plt.style.use. The lines' colours, dashes and symbols are those of these series, in this order:
{names}axes.prop_cycle: {cycle}
figure.figsize: {width:.2}, {height:.2}
figure.constrained_layout.use: True
font.size: {font}
axes.titlesize: medium
axes.titlelocation: left
legend.fontsize: medium
legend.frameon: False
lines.linewidth: 1.2
lines.markersize: 4
axes.grid: True
grid.alpha: 0.2
axes.spines.top: False
axes.spines.right: False
pdf.fonttype: 42
"
    ))
}

fn symbol(shape: &str) -> char {
    match shape {
        "square" => 's',
        "triangle-up" => '^',
        "diamond" => 'D',
        "triangle-down" => 'v',
        "cross" => 'P',
        "triangle-right" => '>',
        _ => 'o',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::THEORY;
    use anabranch_study::{Axis, Point, Series};

    fn panel(mark: Mark, names: &[(&str, bool)]) -> Panel {
        let axis = || Axis { title: String::new(), log: false, domain: None };
        let points = [1.0, 2.0].map(|x| Point { x, y: x, half_width: None, label: None }).to_vec();
        let one = |&(name, published): &(&str, bool)| Series {
            name: name.into(),
            published,
            points: points.clone(),
        };
        Panel { title: String::new(), x: axis(), y: axis(), mark, series: names.iter().map(one).collect() }
    }

    #[test]
    fn lines_have_the_look_of_the_drawing() {
        let theory = format!("LIA{THEORY}");
        let few = panel(Mark::Line, &[("LIA", false), (&theory, false), ("OLIA", true)]);
        let sheet = style_sheet(&[panel(Mark::Bar, &[("x", false)]), few], &ChartSize::REPORT).unwrap();
        let cycle = "axes.prop_cycle: cycler('color', ['0072b2', '0072b2', 'd55e00']) + cycler('linestyle', ['-', ':', '--']) \
                     + cycler('marker', ['o', 'o', 's']) + cycler('markerfacecolor', ['0072b2', 'none', 'none'])\n";
        assert!(sheet.contains(cycle), "{sheet}");
        assert!(sheet.contains("#   OLIA (published)\n"), "{sheet}");
        assert_eq!(style_sheet(&[panel(Mark::Line, &[])], &ChartSize::REPORT), None);
    }
}
