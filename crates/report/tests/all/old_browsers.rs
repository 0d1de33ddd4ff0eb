//! Pages without scripts, in a browser that cannot decompress, and of results that have little in them: a picture or a
//! message, never an empty box.

use crate::{chromium, fixture};
use anabranch_report::{Results, page_of_charts, write};
use anabranch_study::StudyResult;
use serde_json::Value;
use std::{fs, path::Path};

/// The content of each chart of a page: its picture's width, its drawing, the readable message.
const CHARTS: &str = "const charts = (page) => [...page.querySelectorAll('.chart')].map((chart) => ({
  picture: chart.querySelector('img')?.naturalWidth ?? 0,
  drawn: chart.querySelectorAll(':scope svg').length,
  says: [...chart.querySelectorAll('.hint')].map((hint) => hint.textContent).join(),
}));";

/// A report in a folder.
fn report(papers: &[StudyResult]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let results = Results { papers, algorithms: &fixture::algorithms(), ..Results::default() };
    write(dir.path(), &results, &fixture::context()).unwrap();
    dir
}

/// The visible content of a page once everything is loaded, in a frame that may run no script.
fn without_scripts(dir: &Path, page: &str) -> Option<Value> {
    let frame = format!(
        "<iframe sandbox=allow-same-origin src={page:?} style='width:1280px;height:1000px'></iframe>
        <script>{CHARTS}
        addEventListener('load', () => {{
          const page = document.querySelector('iframe').contentDocument;
          page.querySelectorAll('details').forEach((details) => details.open = true);
          const seen = (of) => of.checkVisibility() ? of.textContent : '';
          say({{
            charts: charts(page),
            parts: [...page.querySelectorAll('details[data-part] > .part')].map(seen),
            search: page.querySelector('search')?.checkVisibility() ?? false,
          }});
        }});</script>"
    );
    chromium::says(dir, &frame)
}

#[test]
fn without_scripts_figures_are_pictures() {
    let dir = report(&fixture::results());
    for (page, charts) in
        [("coupled-cubic-A-F2.html", 1), ("coupled-cubic-A-F6.html", 3), ("coupled-cubic-A-F7.html", 4)]
    {
        let Some(seen) = without_scripts(dir.path(), page) else { return };
        let of = seen["charts"].as_array().unwrap();
        assert_eq!(of.len(), charts, "{page}");
        assert!(of.iter().all(|chart| chart["picture"].as_u64().unwrap() >= 300), "{page}: {of:?}");
        assert_eq!(seen["search"], false, "{page}: a field that would do nothing");
    }
}

/// Each case has its windows; what has no picture says where its values are, and what cannot be opened says so.
#[test]
fn without_scripts_an_algorithm_has_its_windows() {
    let dir = report(&[]);
    let Some(seen) = without_scripts(dir.path(), "algorithm-lia.html") else { return };
    let charts = seen["charts"].as_array().unwrap();
    let pictures = charts.iter().filter(|chart| chart["picture"] != 0).count();
    assert_eq!(pictures, anabranch_papers::standard::CASES.len());
    let empty = |chart: &&Value| chart["picture"] == 0 && !chart["says"].as_str().unwrap().contains("CSV");
    assert_eq!(charts.iter().filter(empty).count(), 0, "{charts:?}");
    let parts = seen["parts"].as_array().unwrap();
    assert!(
        !parts.is_empty() && parts.iter().all(|part| part.as_str().unwrap().contains("JavaScript")),
        "{parts:?}"
    );
}

#[test]
fn a_browser_that_cannot_decompress_shows_pictures() {
    let dir = report(&fixture::results());
    let path = dir.path().join("coupled-cubic-A-F6.html");
    let html = fs::read_to_string(&path).unwrap();
    fs::write(&path, html.replacen("<head>", "<head><script>delete window.DecompressionStream;</script>", 1))
        .unwrap();
    let frame = format!(
        "<iframe src=coupled-cubic-A-F6.html style='width:1280px;height:1000px'></iframe>
        <script>{CHARTS}
        addEventListener('load', async () => {{
          const page = document.querySelector('iframe').contentDocument;
          const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
          for (const chart of page.querySelectorAll('.chart')) {{
            chart.scrollIntoView();
            while (chart.dataset.state !== 'failed' || !chart.querySelector('img').complete) await pause();
          }}
          const search = page.querySelector('search input');
          search.value = 'lia';
          search.dispatchEvent(new Event('input'));
          while (!page.querySelector('search li')) await pause();
          say({{ charts: charts(page), search: page.querySelector('search li').textContent }});
        }});</script>"
    );
    let Some(seen) = chromium::says(dir.path(), &frame) else { return };
    let charts = seen["charts"].as_array().unwrap();
    assert_eq!(charts.len(), 3);
    for chart in charts {
        assert!(chart["picture"].as_u64().unwrap() >= 300 && chart["drawn"] == 0, "{chart}");
        assert!(chart["says"].as_str().unwrap().contains("cannot decompress"), "{chart}");
    }
    assert!(seen["search"].as_str().unwrap().contains("cannot decompress"), "{seen}");
}

/// A figure that is one file has its pictures in it.
#[test]
fn a_page_of_charts_has_pictures_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let results = fixture::results();
    let figures = results[0].experiments.iter().flat_map(|e| &e.figures);
    let panels: Vec<_> = figures.flat_map(|f| f.panels.clone()).collect();
    fs::write(dir.path().join("own.html"), page_of_charts("Own", "of a test", &panels).unwrap()).unwrap();
    let Some(seen) = without_scripts(dir.path(), "own.html") else { return };
    let charts = seen["charts"].as_array().unwrap();
    assert_eq!(charts.len(), panels.len());
    assert!(charts.iter().all(|chart| chart["drawn"] != 0), "{charts:?}");
}
