//! Panels as pgfplots draws them, for figures in the style of a LaTeX document.

use crate::chart::{VisibleData, drawn_ends, ends, is_gap, labelled};
use crate::scales::{STEPS, nice, ticks};
use crate::style::{COLOURS, DOTTED, HOLLOW, SOLID, SeriesStyle, THEORY, is_theory, styles};
use crate::svg::{ASLANT_MOST, ChartSize, shortened, stride, text_width};
use crate::visible::visible;
use anabranch_study::format::significant;
use anabranch_study::{Mark, Panel, Point};

/// TeX's points of a CSS pixel.
const PT: f64 = 72.27 / 96.0;
/// Points of a line, whose coordinates TeX keeps in its memory.
const MOST_POINTS: usize = 400;
/// Digits of a coordinate.
const DIGITS: usize = 6;
/// Coordinates in a line of the file.
const PER_LINE: usize = 6;

/// The pictures of all panels, `columns` of them beside each other, each of the size of `size`, for a document that loads pgfplots.
/// `None` if no panel has a point to draw; boxes and tiles are left out.
pub fn tex(title: &str, panels: &[Panel], columns: usize, size: &ChartSize) -> Option<String> {
    let pictures: Vec<String> = panels.iter().filter_map(|panel| picture(&visible(panel), size)).collect();
    let rows: Vec<String> = pictures.chunks(columns.max(1)).map(|row| row.join("%\n\\quad\n")).collect();
    if rows.is_empty() {
        return None;
    }
    let colours = COLOURS.iter().enumerate();
    let colours = colours
        .map(|(i, hex)| format!("\\definecolor{{{}}}{{HTML}}{{{}}}\n", colour(i), hex[1..].to_uppercase()));
    let title = match escaped(title) {
        title if title.is_empty() => title,
        title => format!("\\noindent\\textbf{{{title}}}\\par\\medskip\n"),
    };
    Some(format!(
        "% \\input this file. The document needs \\usepackage{{pgfplots}} and \\pgfplotsset{{compat=1.18}}.\n{}{title}\\noindent\n{}",
        colours.collect::<String>(),
        rows.join("\n\\par\\medskip\\noindent\n")
    ))
}

/// Whether [`tex()`] draws this panel.
pub fn in_tex(panel: &Panel) -> bool {
    matches!(panel.mark, Mark::Line | Mark::Point | Mark::Bar)
}

fn colour(i: usize) -> String {
    format!("anabranch{}", i % COLOURS.len() + 1)
}

fn picture(panel: &Panel, size: &ChartSize) -> Option<String> {
    if !in_tex(panel) {
        return None;
    }
    let drawn = VisibleData::of(panel, MOST_POINTS)?;
    let of = Picture { panel, drawn, styles: styles(&panel.series), size };
    let points = size.font * 0.75;
    let font = format!("\\fontsize{{{points}}}{{{}}}\\selectfont", significant(1.2 * points, 3));
    let (options, plots, legend) = (of.options().join(",\n  "), of.plots(), of.legend());
    Some(format!(
        "\\begin{{tikzpicture}}[font={font}]\n\\begin{{axis}}[\n  {options}]\n{plots}{legend}\\end{{axis}}\n\\end{{tikzpicture}}"
    ))
}

struct Picture<'a> {
    panel: &'a Panel,
    drawn: VisibleData<'a>,
    styles: Vec<SeriesStyle>,
    size: &'a ChartSize,
}

impl Picture<'_> {
    fn options(&self) -> Vec<String> {
        let Picture { panel, drawn, size, .. } = self;
        let pt = |pixels: f64| format!("{}pt", significant(pixels * PT, 4));
        let inner = 0.77 * size.width;
        let mut options = vec![
            format!("scale only axis, width={}, height={}", pt(inner), pt(size.plot_height)),
            format!("xlabel={{{}}}", escaped(&panel.x.title)),
            format!("ylabel={{{}}}", escaped(&panel.y.title)),
            format!("ylabel style={{text width={}, align=center}}", pt(size.plot_height + 3.0 * size.font)),
            "axis lines=left, axis line style={-}, tick align=outside, grid=major, grid style={black!10}"
                .to_owned(),
            "unbounded coords=jump, scaled ticks=false".to_owned(),
        ];
        if size.titled && !panel.title.is_empty() {
            options.push(format!(
                "title={{{}}}, title style={{font=\\bfseries, text width={}, align=left}}",
                escaped(&panel.title),
                pt(inner)
            ));
        }
        let modes = [("x", panel.x.log && !labelled(panel)), ("y", panel.y.log)];
        options.extend(modes.iter().filter(|(_, log)| *log).map(|(axis, _)| format!("{axis}mode=log")));
        let y = self.limits();
        options.push(format!("ymin={}, ymax={}", number(y.0), number(y.1)));
        let mut below = 3.5;
        if labelled(panel) {
            let labels = self.drawn.labels();
            let label = |i: usize| shortened(labels[i], ASLANT_MOST * size.font, size.font);
            let widest = (0..labels.len()).map(|i| label(i).chars().count()).max().unwrap_or(0) as f64;
            let band = inner / labels.len() as f64;
            let aslant = text_width(&"x".repeat(widest as usize + 2), size.font) > band;
            let shown = (0..labels.len()).step_by(if aslant { stride(band, size.font) } else { 1 });
            let (ticks, names): (Vec<String>, Vec<String>) =
                shown.map(|i| (i.to_string(), format!("{{{}}}", escaped(&label(i))))).unzip();
            let width = 0.8 * inner / (labels.len() * panel.series.len().max(1)) as f64;
            options.push(format!("ybar=0pt, bar width={}, enlarge x limits={{abs=0.5}}", pt(width)));
            options.push(format!("xtick={{{}}}, xticklabels={{{}}}", ticks.join(","), names.join(",")));
            if aslant {
                options.push("x tick label style={rotate=35, anchor=north east, inner sep=1pt}".to_owned());
                below += 0.35 * widest;
            }
        } else {
            options.push(format!("xmin={}, xmax={}", number(drawn.x_domain.0), number(drawn.x_domain.1)));
            if panel.x.log {
                // Those of pgfplots are powers of ten, of which the axis may have one.
                let (at, labels): (Vec<_>, Vec<_>) = ticks(&panel.x, drawn.x_domain, STEPS)
                    .into_iter()
                    .map(|(at, label)| (number(at), format!("{{{}}}", escaped(&label))))
                    .unzip();
                options.push(format!("xtick={{{}}}, xticklabels={{{}}}", at.join(","), labels.join(",")));
            }
        }
        if size.legend {
            let widest = self.styles.iter().map(|of| text_width(&of.name, size.font)).fold(0.0, f64::max);
            let columns = (size.width / (widest + 4.0 * size.font)).floor().clamp(1.0, 6.0);
            options.push(format!(
                "legend style={{at={{(0.5,0)}}, anchor=north, yshift=-{below}em, draw=none, legend columns={columns}, /tikz/every even column/.append style={{column sep=0.8em}}}}, legend cell align=left"
            ));
        }
        options
    }

    fn plots(&self) -> String {
        let labels = self.drawn.labels();
        let mut out = String::new();
        for (points, own) in
            self.drawn.series.iter().zip(&self.styles).filter(|(points, _)| !points.is_empty())
        {
            let place = |p: &Point| match labelled(self.panel) {
                true => {
                    labels.iter().position(|l| *l == p.label.as_deref().unwrap_or("")).unwrap_or(0) as f64
                }
                false => p.x,
            };
            let with_interval = points.iter().any(|p| ends(self.panel, p).is_some());
            let is_band = self.panel.mark == Mark::Line && !self.drawn.few;
            if with_interval && is_band {
                out += &self.band(own, points);
            }
            let bars = with_interval && !is_band;
            let coordinate = |p: &&Point| {
                let y = if is_gap(self.panel, p) { "nan".to_owned() } else { number(p.y) };
                let interval = if bars { self.interval(p) } else { String::new() };
                format!("({},{y}){interval}", number(place(p)))
            };
            let coordinates: Vec<String> = points.iter().map(coordinate).collect();
            let (options, lines) = (self.options_of(own, bars), in_lines(&coordinates));
            out += &format!("\\addplot[{options}] coordinates {{\n  {lines}\n}};\n");
            if self.size.legend && !is_theory(own, &self.styles) {
                out += &format!("\\addlegendentry{{{}}}\n", escaped(&own.name));
            }
        }
        out
    }

    fn limits(&self) -> (f64, f64) {
        nice(&self.panel.y, self.drawn.y_domain, STEPS)
    }

    /// A point's, as distances up and down.
    fn interval(&self, p: &Point) -> String {
        let ends = drawn_ends(self.panel, p, self.limits()).filter(|_| !is_gap(self.panel, p));
        let Some([low, high]) = ends else { return " +- (0,0)".to_owned() };
        match (number(high - p.y), number(p.y - low)) {
            (up, down) if up == down => format!(" +- (0,{up})"),
            (up, down) => format!(" += (0,{up}) -= (0,{down})"),
        }
    }

    /// The area of a line's intervals.
    fn band(&self, style: &SeriesStyle, points: &[&Point]) -> String {
        let ends = |p: &&Point| Some((p.x, drawn_ends(self.panel, p, self.limits())?));
        let own: Vec<_> = points.iter().filter_map(ends).collect();
        let end = |x: f64, y: f64| format!("({},{})", number(x), number(y));
        let upper = own.iter().map(|(x, [_, high])| end(*x, *high));
        let around: Vec<String> = upper.chain(own.iter().rev().map(|(x, [low, _])| end(*x, *low))).collect();
        let (fill, lines) = (colour(style.family), in_lines(&around));
        format!(
            "\\addplot[draw=none, fill={fill}, fill opacity=0.15, forget plot] coordinates {{\n  {lines}\n}} -- cycle;\n"
        )
    }

    fn options_of(&self, style: &SeriesStyle, bars: bool) -> String {
        let Picture { panel, drawn, .. } = self;
        let own = colour(style.family);
        let fill = match &*style.fill {
            HOLLOW => "none".to_owned(),
            full if full == style.stroke => own.clone(),
            _ => format!("{own}!40"),
        };
        let mut options = vec![format!("color={own}")];
        match panel.mark {
            Mark::Bar => options.push(format!("fill={fill}, area legend")),
            _ => {
                let dashes = match (panel.mark, style.dashes) {
                    (Mark::Point, _) => "only marks".to_owned(),
                    (_, SOLID) => "solid".to_owned(),
                    (_, [on, off]) => format!("dash pattern=on {}pt off {}pt", on * 0.75, off * 0.75),
                };
                options.push(format!("line width=1pt, {dashes}"));
                let is_marked = drawn.few || panel.mark == Mark::Point;
                options.push(match style.shape.tex {
                    (shape, turn) if is_marked => {
                        let fill = if fill == "none" { "white" } else { &fill };
                        format!("mark={shape}, mark size=1.8pt, mark options={{solid, fill={fill}{turn}}}")
                    }
                    _ => "mark=none".to_owned(),
                });
            }
        }
        if bars {
            options.push("error bars/.cd, y dir=both, y explicit".to_owned());
        }
        if is_theory(style, &self.styles) {
            options.insert(0, "forget plot".to_owned());
        }
        options.join(", ")
    }

    /// The entry that all theories share.
    fn legend(&self) -> String {
        if !self.styles.iter().any(|own| is_theory(own, &self.styles)) || !self.size.legend {
            return String::new();
        }
        let [on, off] = DOTTED.map(|length| length * 0.75);
        let image = match self.panel.mark {
            Mark::Bar => "area legend, black, fill=none".to_owned(),
            _ => format!("line legend, black, dash pattern=on {on}pt off {off}pt"),
        };
        format!("\\addlegendimage{{{image}}}\n\\addlegendentry{{{}}}\n", THEORY.trim_start())
    }
}

/// Coordinates, a few in each line of the file.
fn in_lines(coordinates: &[String]) -> String {
    coordinates.chunks(PER_LINE).map(|line| line.join(" ")).collect::<Vec<_>>().join("\n  ")
}

fn number(x: f64) -> String {
    significant(x, DIGITS).to_string()
}

/// A text in which nothing is a command of TeX, and all of it is in pdfTeX's usual fonts.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\\' => "\\textbackslash{}".to_owned(),
            '~' => "\\textasciitilde{}".to_owned(),
            '^' => "\\textasciicircum{}".to_owned(),
            '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{c}"),
            '<' => "\\textless{}".to_owned(),
            '>' => "\\textgreater{}".to_owned(),
            '\u{202f}' | '\u{a0}' => "\\,".to_owned(),
            // These and Latin-1 are in the fonts.
            '–' | '—' | '…' | '‘' | '’' | '“' | '”' => c.to_string(),
            _ if c <= '\u{ff}' => c.to_string(),
            _ => in_mathematics(c).map_or("?".to_owned(), |symbol| format!("${symbol}$")),
        })
        .collect()
}

/// Symbols, each before its command.
const SYMBOLS: &str = r"
    − -  ≥ \ge  ≤ \le  ≈ \approx  ≠ \ne  ∝ \propto  ∞ \infty  √ \surd  ∂ \partial  ℓ \ell
    → \to  ← \gets  ↑ \uparrow  ↓ \downarrow
    α \alpha  β \beta  γ \gamma  δ \delta  ε \varepsilon  ζ \zeta  η \eta  θ \theta  λ \lambda  μ \mu  ξ \xi
    π \pi  ρ \rho  σ \sigma  τ \tau  φ \varphi  ω \omega  Δ \Delta  Π \Pi  Σ \Sigma  Ω \Omega";
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋";

/// Of a character beyond Latin-1: a symbol, or a raised or lowered digit or sign.
fn in_mathematics(c: char) -> Option<String> {
    let of = |digits: &str| digits.chars().zip("0123456789+-".chars()).find(|(known, _)| *known == c);
    let mut words = SYMBOLS.split_whitespace().skip_while(|word| !word.starts_with(c)).skip(1);
    let raised = || of(RAISED).map(|(_, digit)| format!("^{digit}"));
    let lowered = || of(LOWERED).map(|(_, digit)| format!("_{digit}"));
    words.next().map(str::to_owned).or_else(raised).or_else(lowered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::{Axis, Series};

    fn panel(mark: Mark, n: usize) -> Panel {
        let point = |i: usize| {
            let half_width = (n < 9).then_some(0.5);
            Point { x: i as f64, half_width, ..Point::bar(&format!("{i} %"), i as f64 / 4.0) }
        };
        let points: Vec<Point> = (1..=n).map(point).collect();
        let theory = Series { name: "a_b in theory".into(), published: false, points: points[..1].to_vec() };
        let series = vec![Series { name: "a_b".into(), published: false, points }, theory];
        let [x, y] = ["time (s)", "Mbit/s"].map(|title| Axis::new(title, false));
        Panel { title: "50 % & more".into(), x, y, mark, series }
    }

    fn drawn(panel: Panel) -> String {
        tex("", &[panel], 1, &ChartSize { titled: true, ..ChartSize::REPORT }).unwrap()
    }

    /// The values are those of the panel, and TeX reads texts as text.
    #[test]
    fn points_have_their_values_and_the_style() {
        let text = drawn(panel(Mark::Line, 3));
        for said in [
            "(1,0.25) += (0,0.5) -= (0,0.25) (2,0.5) +- (0,0.5) (3,0.75) +- (0,0.5)",
            "title={50 \\% \\& more}",
            "\\addlegendentry{a\\_b}",
            "color=anabranch1, line width=1pt, solid, mark=*",
            "\\definecolor{anabranch1}{HTML}{0072B2}",
        ] {
            assert!(text.contains(said), "{said}: {text}");
        }
        assert_eq!(text.matches("\\addlegendentry{in theory}").count(), 1);
        assert_eq!(text.matches("\\addplot").count(), 2);
    }

    #[test]
    fn long_lines_have_no_symbols_and_fit_tex() {
        let text = drawn(panel(Mark::Line, 100_000));
        assert!(text.contains("mark=none") && text.len() < 20_000, "{}", text.len());
    }

    /// 0.25 ± 0.5 has no lower end on a logarithmic axis, which begins at 0.1 here.
    #[test]
    fn intervals_end_at_a_logarithmic_axis() {
        let mut logarithmic = panel(Mark::Line, 3);
        logarithmic.y.log = true;
        let text = drawn(logarithmic);
        assert!(text.contains("(1,0.25) += (0,0.5) -= (0,0.15)"), "{text}");
    }

    #[test]
    fn a_gap_has_no_interval_and_a_logarithmic_axis_its_ticks() {
        let mut panel = panel(Mark::Line, 3);
        panel.series[0].points[1].y = f64::NAN;
        panel.x.log = true;
        let text = drawn(panel);
        assert!(text.contains("(2,nan) +- (0,0)") && !text.contains("NaN"), "{text}");
        assert!(text.contains("xtick={1,2}, xticklabels={{1},{2}}"), "{text}");
    }

    #[test]
    fn bars_have_their_labels() {
        let text = drawn(panel(Mark::Bar, 2));
        assert!(text.contains("xtick={0,1}, xticklabels={{1 \\%},{2 \\%}}"), "{text}");
        assert!(text.contains("(0,0.25) +- (0,0.5) (1,0.5)"), "{text}");
        assert!(text.contains("\\addlegendimage{area legend, black, fill=none}"), "{text}");
    }

    /// Names of a capture's flows, of axes, and of algorithms of one's own.
    #[test]
    fn pdftex_reads_each_character() {
        let table = [
            ("10.0.0.1:5201 → 10.0.0.2:443", "10.0.0.1:5201 $\\to$ 10.0.0.2:443"),
            ("3 × 10⁻⁴", "3 × 10$^-$$^4$"),
            ("λ₀ and Δτ (µs)", "$\\lambda$$_0$ and $\\Delta$$\\tau$ (µs)"),
            ("√(2 ÷ p) ≥ −1 …", "$\\surd$(2 ÷ p) $\\ge$ $-$1 …"),
            ("链路 ż", "?? ?"),
        ];
        for (name, tex) in table {
            assert_eq!(escaped(name), tex);
        }
    }

    #[test]
    fn boxes_and_tiles_are_not_drawn() {
        assert_eq!(tex("", &[panel(Mark::Box, 3)], 1, &ChartSize::REPORT), None);
        assert!(!in_tex(&panel(Mark::Tile, 3)));
    }
}
