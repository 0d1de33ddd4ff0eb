//! Pages without scripts, and in a browser that cannot decompress: every chart is there, and what cannot be opened says so.

use crate::browser::{LARGEST, is_whole, probed};
use crate::{chromium, fixture, written::report};
use anabranch_papers::standard::CASES;
use anabranch_report::page_of_charts;
use serde_json::Value;
use std::{fs, path::Path};

/// Width and height of each chart of a page, and the number of its marks.
const CHARTS: &str = "const charts = (page) => [...page.querySelectorAll('.chart > svg')].map((svg) => {
  const { width, height } = svg.getBoundingClientRect();
  return [width, height, svg.querySelectorAll('.series *').length];
});";

/// The visible content of a page once everything is loaded, in a frame that may run no script.
fn without_scripts(dir: &Path, page: &str) -> Option<Value> {
    let script = format!(
        "{CHARTS}
          page.querySelectorAll('details').forEach((details) => details.open = true);
          const seen = (of) => of.checkVisibility() ? of.textContent : '';
          say({{
            charts: charts(page),
            parts: [...page.querySelectorAll('details[data-part] > .part')].map(seen),
            search: page.querySelector('search')?.checkVisibility() ?? false,
          }});"
    );
    chromium::says_of(dir, &format!("sandbox=allow-same-origin src={page:?}"), &script)
}

/// This number of charts, none smaller than the small ones are, or empty.
fn are_drawn(charts: &Value, number: usize, page: &str) {
    let charts: Vec<[f64; 3]> = serde_json::from_value(charts.clone()).unwrap();
    assert_eq!(charts.len(), number, "{page}");
    let is_drawn = |[width, height, marks]: &[f64; 3]| *width >= 250.0 && *height >= 120.0 && *marks >= 1.0;
    assert!(charts.iter().all(is_drawn), "{page}: {charts:?}");
}

#[test]
fn without_scripts_every_chart_is_there() {
    let dir = report(&fixture::results(), &[]);
    for (page, charts) in [
        ("coupled-cubic-A-F2.html", 1),
        ("coupled-cubic-A-F6.html", 3),
        ("coupled-cubic-A-F7.html", 4),
        ("algorithm-lia.html", 2 * CASES.len()),
    ] {
        let Some(seen) = without_scripts(dir.path(), page) else { return };
        are_drawn(&seen["charts"], charts, page);
        assert_eq!(seen["search"], false, "{page}: a field that would do nothing");
        let parts = seen["parts"].as_array().unwrap();
        assert!(
            !parts.is_empty() && parts.iter().all(|part| part.as_str().unwrap().contains("JavaScript")),
            "{parts:?}"
        );
    }
}

#[test]
fn a_browser_that_cannot_decompress_says_so() {
    let dir = report(&fixture::results(), &[]);
    let path = dir.path().join("coupled-cubic-A-F6.html");
    let html = fs::read_to_string(&path).unwrap();
    fs::write(&path, html.replacen("<head>", "<head><script>delete window.DecompressionStream;</script>", 1))
        .unwrap();
    let script = format!(
        "{CHARTS}
          const values = page.querySelector('details.values');
          values.open = true;
          const search = page.querySelector('search input');
          search.value = 'lia';
          search.dispatchEvent(new Event('input'));
          while (!values.dataset.state || !page.querySelector('search li')) await pause();
          say({{ charts: charts(page), values: values.textContent, search: page.querySelector('search li').textContent }});"
    );
    let Some(seen) = chromium::says_of(dir.path(), "src=coupled-cubic-A-F6.html", &script) else { return };
    are_drawn(&seen["charts"], 3, "A-F6");
    for place in ["values", "search"] {
        assert!(seen[place].as_str().unwrap().contains("cannot decompress"), "{seen}");
    }
}

/// A figure that is one file has no script, and opens its tables without one, each in a row of its own. A line with a gap is drawn as such.
/// Charts stand beside each other.
#[test]
fn a_page_of_charts_needs_no_script() {
    let dir = tempfile::tempdir().unwrap();
    let results = fixture::results();
    let figures = results.iter().flat_map(|r| &r.experiments).flat_map(|e| &e.figures);
    let mut panels: Vec<_> = figures.flat_map(|f| f.panels.clone()).collect();
    for point in panels.iter_mut().filter_map(|p| p.series[0].points.get_mut(1)) {
        point.y = f64::NAN;
    }
    let page = page_of_charts("Own", "of a test", &panels).unwrap();
    assert!(!page.contains("<script"));
    assert_eq!(page.matches("<table>").count(), panels.len());
    fs::write(dir.path().join("own.html"), &page).unwrap();
    fs::write(dir.path().join("open.html"), page.replace("<details", "<details open")).unwrap();
    let Some(seen) = without_scripts(dir.path(), "own.html") else { return };
    are_drawn(&seen["charts"], panels.len(), "own");
    // The narrower page has no room for two.
    for (width, are_beside) in [(1000, false), (1280, true)] {
        let pages = ["own.html", "open.html"];
        let Some(said) = probed(dir.path(), &pages, width, 2 * LARGEST) else { return };
        let left = |chart: usize| said[0]["charts"][chart]["left"].as_f64().unwrap();
        assert_eq!(left(1) > left(0), are_beside, "{}", said[0]["charts"]);
        pages.iter().zip(&said).for_each(|(page, said)| is_whole(page, said));
        assert_eq!(said[1]["charts"].as_array().unwrap().len(), panels.len());
    }
}
