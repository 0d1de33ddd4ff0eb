//! Drawings without a script: read as XML, and their places turned back into values by the ticks beside them.

use crate::fixture;
use crate::report::HOSTILE;
use crate::written::reading;
use anabranch_report::page_of_charts;
use anabranch_report::svg::{ChartSize, document, inline, margin};
use anabranch_study::{Axis, Mark, Panel, Point, Series};
use roxmltree::{Document, Node};

fn panel(mark: Mark, log: bool, series: Vec<Series>) -> Panel {
    let axes = [Axis::new("time (s)", false), Axis::new("window", log)];
    fixture::panel("a & b", axes, mark, series)
}

fn series(name: &str, published: bool, values: &[(f64, f64)]) -> Series {
    let points = values.iter().map(|&(x, y)| Point::at(x, y)).collect();
    Series { name: name.into(), published, points }
}

fn of_class<'a>(svg: &'a Document, class: &'static str) -> Vec<Node<'a, 'a>> {
    svg.descendants().filter(|n| n.attribute("class") == Some(class)).collect()
}

/// The places of a path of straight lines, each relative to the one before it.
fn pairs(path: &str) -> Vec<(f64, f64)> {
    let apart = path.strip_prefix('M').unwrap().trim_end_matches('Z').replace('l', " ").replace('-', " -");
    let steps: Vec<f64> = apart.split_whitespace().map(|n| n.parse().unwrap()).collect();
    let along = |at: &mut (f64, f64), step: &[f64]| {
        *at = (at.0 + step[0], at.1 + step[1]);
        Some(*at)
    };
    steps.chunks(2).scan((0.0, 0.0), along).collect()
}

/// As a file.
fn drawn(panel: &Panel) -> String {
    document("", std::slice::from_ref(panel), 1, &ChartSize::REPORT).unwrap()
}

/// An element of a page, a file and a page of charts.
#[test]
fn drawings_spell_control_characters_out() {
    for mark in [Mark::Line, Mark::Bar, Mark::Box, Mark::Tile] {
        let points = [1.0, 2.0].map(|y| Point::bar(&format!("{y}{HOSTILE}"), y)).to_vec();
        let axes = [None, Some((1.0, 4.0))].map(|domain| fixture::axis(HOSTILE, false, domain));
        let series = vec![Series { name: HOSTILE.into(), published: false, points }];
        let bad = fixture::panel(HOSTILE, axes, mark, series);
        let look = ChartSize { titled: true, ..ChartSize::REPORT };
        let file = document("", std::slice::from_ref(&bad), 1, &look).unwrap();
        for text in [&file, &inline(&bad, &look, 100).unwrap().into_string()] {
            Document::parse(text).unwrap_or_else(|e| panic!("{mark:?}: {e}"));
            assert!(!text.contains(['\u{9b}', '\u{202e}']));
        }
        assert!(file.contains("\\u{202e}\\u{2066}"));
        let page = page_of_charts(HOSTILE, HOSTILE, &[bad]).unwrap();
        assert!(!page.contains(['\u{1b}', '\0', '\u{9b}', '\u{202e}']) && !page.contains("\\u001b"));
    }
}

#[test]
fn lines_have_the_values_of_their_series() {
    let values: Vec<(f64, f64)> =
        (0..200).map(|i| (f64::from(i) * 0.3, 40.0 + 30.0 * (f64::from(i) * 0.1).sin())).collect();
    let ours =
        panel(Mark::Line, false, vec![series("LIA", false, &values), series("LIA", true, &values[..100])]);
    let look = ChartSize { titled: true, ..ChartSize::REPORT };
    let text = document("", &[ours], 1, &look).unwrap();
    let svg = Document::parse(&text).unwrap();
    let lines = of_class(&svg, "line");
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].attribute("stroke-dasharray"), None);
    assert!(lines[1].attribute("stroke-dasharray").is_some());
    let colour = |line: &Node| line.parent().unwrap().attribute("stroke").unwrap().to_owned();
    assert_eq!(colour(&lines[0]), colour(&lines[1]));
    let (x, y) = (reading(&svg, "middle", "x"), reading(&svg, "end", "y"));
    let drawn = pairs(lines[0].attribute("d").unwrap());
    assert_eq!(drawn.len(), values.len());
    for ((px, py), (vx, vy)) in drawn.into_iter().zip(values) {
        // A place is exact to a tenth of a pixel, of which there are 500 across for 60 s.
        assert!((x(px) - vx).abs() < 0.05 && (y(py) - vy).abs() < 0.1, "{} {vx}, {} {vy}", x(px), y(py));
    }
    assert!(text.contains("a &amp; b"));
}

/// A file is of black on white; what a page takes in is of the page's colour.
#[test]
fn pages_have_their_own_colour() {
    let ours = panel(Mark::Point, false, vec![series("x", false, &[(1.0, 2.0), (2.0, 3.0)])]);
    let inline = inline(&ours, &ChartSize::REPORT, 100).unwrap().into_string();
    assert!(inline.contains("currentColor") && !inline.contains("#ffffff"));
    assert!(drawn(&ours).contains("#ffffff"));
}

#[test]
fn bars_stand_on_zero_and_reach_their_values() {
    let bar = |label: &str, y| Point { half_width: Some(1.0), ..Point::bar(label, y) };
    let points = |a, b| vec![bar("<none>", a), bar("some", b)];
    let each = |name: &str, a, b| Series { name: name.into(), published: false, points: points(a, b) };
    let text = drawn(&panel(Mark::Bar, false, vec![each("a", 10.0, 20.0), each("b", 5.0, 2.5)]));
    let svg = Document::parse(&text).unwrap();
    let y = reading(&svg, "end", "y");
    let bars = svg.descendants().filter(|n| n.tag_name().name() == "rect" && n.attribute("x").is_some());
    let heights: Vec<f64> = bars
        .map(|rect| {
            let at = |name| rect.attribute(name).unwrap().parse::<f64>().unwrap();
            assert!(y(at("y") + at("height")).abs() < 0.1);
            y(at("y"))
        })
        .collect();
    for (drawn, value) in heights.iter().zip([10.0, 20.0, 5.0, 2.5]) {
        assert!((drawn - value).abs() < 0.1, "{drawn} {value}");
    }
    assert_eq!(heights.len(), 4);
}

#[test]
fn every_mark_is_drawn_whatever_the_values() {
    let odd = [(0.0, 3.0), (1.0, f64::NAN), (2.0, 1e-7), (3.0, 5e9), (4.0, -1.0), (f64::INFINITY, 1.0)];
    let mut of = series("</svg>\"'& <x>", false, &odd);
    of.points.iter_mut().for_each(|p| (p.half_width, p.label) = (Some(f64::INFINITY), Some("l".into())));
    for mark in [Mark::Line, Mark::Point, Mark::Bar, Mark::Box, Mark::Tile] {
        for log in [false, true] {
            let text = drawn(&panel(mark, log, vec![of.clone()]));
            let svg = Document::parse(&text).unwrap_or_else(|e| panic!("{mark:?}: {e}\n{text}"));
            assert!(!of_class(&svg, "series").is_empty(), "{mark:?}");
            assert!(!text.contains("NaN") && !text.contains("inf"), "{mark:?} {log}: {text}");
        }
        let nothing = panel(mark, false, vec![series("x", false, &[(1.0, f64::NAN)])]);
        assert_eq!(document("", std::slice::from_ref(&nothing), 1, &ChartSize::REPORT), None);
        assert!(inline(&nothing, &ChartSize::REPORT, 100).is_none());
    }
}

/// A hundred thousand samples are a line of some kilobytes that keeps its peak.
#[test]
fn long_lines_are_short_files() {
    let mut values: Vec<(f64, f64)> = (0..100_000).map(|i| (f64::from(i), f64::from(i % 50))).collect();
    values[33_333].1 = 500.0;
    let long = panel(Mark::Line, false, vec![series("x", false, &values)]);
    let text = drawn(&long);
    assert!(text.len() < 12_000, "{}", text.len());
    let svg = Document::parse(&text).unwrap();
    let y = reading(&svg, "end", "y");
    let drawn = pairs(of_class(&svg, "line")[0].attribute("d").unwrap());
    assert!((drawn.iter().map(|(_, at)| y(*at)).fold(0.0, f64::max) - 500.0).abs() < 1.5);
    let taller = ChartSize { plot_height: 400.0, ..ChartSize::REPORT };
    assert_eq!(margin(&long, &taller).unwrap().round(), margin(&long, &ChartSize::REPORT).unwrap().round());
}

/// Where a line has no value it is two lines, and the gap is not a point without a place.
#[test]
fn lines_have_gaps() {
    let points: Vec<_> =
        (0..3000).map(|i| (f64::from(i), if i == 1000 || i == 1002 { f64::NAN } else { 5.0 })).collect();
    let text = drawn(&panel(Mark::Line, false, vec![series("x", false, &points)]));
    let svg = Document::parse(&text).unwrap();
    let drawn = of_class(&svg, "line")[0].attribute("d").unwrap();
    let starts: Vec<f64> =
        drawn.split('M').skip(1).map(|s| s.split(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(starts.len(), 3, "{drawn}");
    assert!(starts.is_sorted_by(|a, b| a < b) && !drawn.contains("NaN"));
    let alone = drawn.split('M').nth(2).unwrap();
    assert!(alone.ends_with("l1.5 0") || alone.ends_with("l1.6 0"), "a dot: {alone}");
}

/// Symbols at the ends of an axis, also those moved aside for their intervals.
#[test]
fn symbols_stay_inside_the_frame() {
    let with = |name: &str, more: f64| {
        let point = |x: f64| Point { half_width: Some(0.5), ..Point::at(x, x + more) };
        Series { name: name.into(), published: false, points: [1.0, 2.0, 4.0].map(point).to_vec() }
    };
    let ours = panel(Mark::Line, false, vec![with("a", 0.0), with("b", 1.0), with("c", 2.0)]);
    let look = ChartSize { width: 326.4, font: 10.7, legend: false, ..ChartSize::REPORT };
    let text = document("", &[ours], 1, &look).unwrap();
    let svg = Document::parse(&text).unwrap();
    let number =
        |text: &str| text.split(['M', 'a', ' ']).find(|n| !n.is_empty()).unwrap().parse::<f64>().unwrap();
    // Down the left axis, and along the lower one.
    let axes = svg.descendants().find(|n| n.attribute("stroke-opacity") == Some("0.5")).unwrap();
    let axes = axes.attribute("d").unwrap();
    let (left, right) = (number(axes), number(axes.split('H').nth(1).unwrap()));
    let symbols = |series: usize| -> Vec<String> {
        let paths = of_class(&svg, "series")[series].children().filter(|n| n.tag_name().name() == "g");
        paths.flat_map(|g| g.children()).map(|n| n.attribute("d").unwrap().to_owned()).collect()
    };
    // The first series has circles, which begin at their left; the last has triangles.
    let (first, last) = (number(&symbols(0)[0]), pairs(&symbols(2)[2]));
    let outermost = last.iter().map(|(x, _)| *x).fold(0.0, f64::max);
    assert!(first >= left && first < left + 10.0, "{first} {left}");
    assert!(outermost <= right && outermost > right - 20.0, "{outermost} {right}");
}

/// A name is whole in the legend, in lines that fit; below an axis it is shortened, and of fifty names some are left out.
#[test]
fn long_names_stay_inside() {
    let look = ChartSize { width: 326.4, font: 10.7, ..ChartSize::REPORT };
    let texts = |svg: &Document, of: &dyn Fn(&Node) -> bool| -> Vec<(String, f64, f64)> {
        let texts = svg.descendants().filter(|n| n.has_tag_name("text") && of(n));
        let number = |n: &Node, name| n.attribute(name).unwrap().parse::<f64>().unwrap();
        texts.map(|n| (n.text().unwrap().to_owned(), number(&n, "x"), number(&n, "y"))).collect()
    };
    let width = |text: &str| 0.56 * look.font * text.chars().count() as f64;
    let (left, down) = (35f64.to_radians().cos(), 35f64.to_radians().sin());
    for n in [3, 50] {
        let name = |i: usize| format!("{i}-{}", "name-of-a-flow".repeat(9));
        let points = (0..n).map(|i| Point::bar(&name(i), 1.0)).collect();
        let bars = panel(Mark::Bar, false, vec![Series { name: name(n), published: false, points }]);
        let text = document("", &[bars], 1, &look).unwrap();
        let svg = Document::parse(&text).unwrap();
        let in_legend = |n: &Node| n.ancestors().any(|a| a.attribute("class") == Some("legend"));
        let legend = texts(&svg, &in_legend);
        assert_eq!(legend.iter().map(|(text, ..)| &**text).collect::<String>(), name(n));
        assert!(legend.iter().all(|(text, x, _)| x + width(text) <= look.width), "{legend:?}");
        let below = texts(&svg, &|n| n.attribute("transform").is_some_and(|t| t.contains("rotate(-35")));
        assert!(below.len() >= n.min(10), "{below:?}");
        let top = legend[0].2;
        for (text, x, y) in &below {
            assert!(x - width(text) * left >= 0.0 && y + width(text) * down <= top, "{text} at {x}");
        }
        assert!(below.windows(2).all(|pair| (pair[1].1 - pair[0].1) * down >= look.font), "{below:?}");
    }
}
