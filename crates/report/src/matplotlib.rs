//! A style sheet of matplotlib: size, text, colours, dashes and symbols of a figure.

use crate::chart::{MOST_POINTS, VisibleData};
use crate::style::{DOTTED, HOLLOW, SOLID, SeriesStyle, styles};
use crate::svg::{ChartSize, margin};
use anabranch_scenario::printable_line;
use anabranch_study::{Mark, Panel};

/// CSS pixels of an inch, and points.
const INCH: f64 = 96.0;
const POINT: f64 = INCH / 72.0;

/// Lines that are drawn in the order of the series look as in the drawing of that panel; of several panels, that with the most series.
/// `None` if none has a point to draw.
pub fn style_sheet(panels: &[Panel], size: &ChartSize) -> Option<String> {
    let drawn = panels.iter().filter_map(|panel| Some((panel, VisibleData::of(panel, MOST_POINTS)?)));
    // The first one of those with the most.
    let (panel, drawn) = drawn.reduce(|a, b| if b.0.series.len() > a.0.series.len() { b } else { a })?;
    let styles = styles(&panel.series);
    let height = size.plot_height + margin(panel, size)?;
    let list = |of: &dyn Fn(&SeriesStyle) -> String| {
        styles.iter().map(|style| format!("'{}'", of(style))).collect::<Vec<_>>().join(", ")
    };
    // A # begins a comment.
    let bare = |colour: &str| colour.trim_start_matches('#').to_owned();
    let mut cycle = vec![format!("cycler('color', [{}])", list(&|style| bare(style.stroke)))];
    let dashes = |style: &SeriesStyle| match style.dashes {
        SOLID => "-".to_owned(),
        DOTTED => ":".to_owned(),
        _ => "--".to_owned(),
    };
    if panel.mark == Mark::Line {
        cycle.push(format!("cycler('linestyle', [{}])", list(&dashes)));
    }
    if panel.mark == Mark::Point || (panel.mark == Mark::Line && drawn.few) {
        let inside =
            |style: &SeriesStyle| if style.fill == HOLLOW { "none".into() } else { bare(style.stroke) };
        cycle.push(format!("cycler('marker', [{}])", list(&|style| style.shape.matplotlib.into())));
        cycle.push(format!("cycler('markerfacecolor', [{}])", list(&inside)));
    }
    let names: String = styles.iter().map(|style| format!("#   {}\n", printable_line(&style.name))).collect();
    let (width, height, font) = (size.width / INCH, height / INCH, size.font / POINT);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::THEORY;
    use anabranch_study::{Point, Series};

    fn panel(mark: Mark, names: &[(&str, bool)]) -> Panel {
        let points = [1.0, 2.0].map(|x| Point::at(x, x)).to_vec();
        let one = |&(name, published): &(&str, bool)| Series {
            name: name.into(),
            published,
            points: points.clone(),
        };
        Panel { mark, series: names.iter().map(one).collect(), ..Panel::default() }
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
