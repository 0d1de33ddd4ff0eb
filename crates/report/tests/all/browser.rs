//! The report in a real browser, where there is one.

use crate::{chromium, fixture, written::report};
use anabranch_papers::standard::CASES;
use anabranch_study::{Published, StudyResult, Verdict, format};
use serde_json::Value;
use std::{fs, path::Path};

/// The most elements that a page begins with.
const MOST_ELEMENTS: u64 = 5000;
/// The largest page, in bytes.
pub const LARGEST: u64 = 1 << 20;

/// Notes the errors of a page, and its content.
const PROBE: &str = r#"<script>
const errors = [];
addEventListener("error", (event) => errors.push(String(event.message)));
const logged = console.error;
console.error = (...what) => { errors.push(what.join(" ")); logged(...what); };
const elements = new Promise((resolve) => addEventListener("DOMContentLoaded", () => resolve(document.querySelectorAll("*").length)));
addEventListener("load", async () => {
  const beyond = (of) => of.checkVisibility() && of.scrollWidth > of.clientWidth + 1;
  const wide = [...document.querySelectorAll(innerWidth > 600 ? ".scroll, .chart, main, th, td" : "main")].filter(beyond);
  const first = [...document.querySelectorAll("table.rows > tbody > tr:not(.why) > :is(td:first-child, th)")];
  parent.postMessage({
    width: innerWidth,
    errors,
    elements: await elements,
    charts: [...document.querySelectorAll(".chart")].map((chart) => ({
      marks: chart.querySelectorAll("svg .series > *").length,
      text: chart.innerHTML.includes("NaN") ? "NaN" : "",
      left: chart.getBoundingClientRect().left,
      scale: chart.firstChild.getBoundingClientRect().width / chart.firstChild.viewBox.baseVal.width,
    })),
    clipped: wide.map((of) => of.ariaLabel ?? of.textContent),
    page: document.documentElement.scrollWidth,
    // Each cell must be drawn as one.
    odd: [...document.querySelectorAll("td, th")].filter((of) => getComputedStyle(of).display !== "table-cell").map((of) => of.textContent),
    hidden: first.filter((of) => of.getBoundingClientRect().left > innerWidth - 40).map((of) => of.textContent),
  }, "*");
});
</script>"#;

/// The pages' reports on themselves in windows of that width; nothing where there is no Chromium.
pub fn probed(dir: &Path, pages: &[&str], width: u32, largest: u64) -> Option<Vec<Value>> {
    for page in pages {
        let path = dir.join(page);
        assert!(fs::metadata(&path).unwrap().len() <= largest, "{page}");
        let html = fs::read_to_string(&path).unwrap();
        if !html.contains(PROBE) {
            fs::write(&path, html.replacen("<head>", &format!("<head>{PROBE}"), 1)).unwrap();
        }
    }
    let frame = |page: &&str| {
        format!(
            "<iframe src={page:?} style='position:absolute;top:0;left:0;border:0;width:{width}px;height:1000px'></iframe>"
        )
    };
    let frames: String = pages.iter().map(frame).collect();
    let gather = format!(
        "<script>const said = {{}};
        addEventListener('message', (event) => {{
          const frames = [...document.querySelectorAll('iframe')];
          said[frames.findIndex((frame) => frame.contentWindow === event.source)] = event.data;
          if (Object.keys(said).length === {}) say(Object.values(said));
        }});</script>",
        pages.len()
    );
    let said = chromium::says(dir, &format!("{gather}{frames}"))?;
    Some(said.as_array().unwrap().clone())
}

/// Every chart is drawn, without an error, on a page of bounded size that is as wide as its window.
pub fn is_whole(page: &str, said: &Value) {
    assert_eq!(said["errors"], serde_json::json!([]), "{page}");
    assert!(said["elements"].as_u64().unwrap() <= MOST_ELEMENTS, "{page}: {}", said["elements"]);
    for chart in said["charts"].as_array().unwrap() {
        assert_eq!(chart["text"], "", "{page}: {chart}");
        assert!(chart["marks"].as_u64().unwrap() > 0, "{page}: {chart}");
        // Text of 11 pixels stays readable, on a telephone, too.
        assert!(chart["scale"].as_f64().unwrap() >= 0.84, "{page}: {chart}");
    }
    assert_eq!(said["clipped"], serde_json::json!([]), "{page}");
    assert_eq!(said["page"], said["width"], "{page}");
    assert_eq!(said["hidden"], serde_json::json!([]), "{page}");
    assert_eq!(said["odd"], serde_json::json!([]), "{page}");
}

/// Draws those pages of a report, with this number of charts.
fn draws_all(papers: &[StudyResult], pages: &[(&str, usize)], width: u32) {
    let dir = report(papers, &[]);
    let names: Vec<&str> = pages.iter().map(|(page, _)| *page).collect();
    let Some(said) = probed(dir.path(), &names, width, LARGEST) else { return };
    for ((page, charts), said) in pages.iter().zip(&said) {
        is_whole(page, said);
        assert_eq!(said["charts"].as_array().unwrap().len(), *charts, "{page}");
    }
}

const PAGES: [(&str, usize); 6] = [
    ("index.html", 0),
    ("coupled-cubic.html", 0),
    ("coupled-cubic-A-F2.html", 1),
    ("coupled-cubic-A-F6.html", 3),
    ("coupled-cubic-A-F7.html", 4),
    ("kato-lia.html", 0),
];

/// With Linux and three assumptions beside the simulator tables fit the page, too. On a telephone tables scroll by themselves, and
/// verdict and name stay in sight. Of an algorithm's observables the charts come when they are opened.
#[test]
fn charts_are_drawn_and_tables_fit() {
    let beside = [("index.html", 0), ("coupled-cubic-A-F2.html", 2), ("kato-lia.html", 0)];
    let narrow = [("index.html", 0), ("coupled-cubic-A-F7.html", 4), ("kato-lia.html", 0)];
    draws_all(&fixture::results(), &PAGES, 1280);
    draws_all(&fixture::beside_linux_and_assumptions(), &beside, 1280);
    draws_all(&fixture::beside_linux(), &narrow, 390);
    draws_all(&[], &[("algorithm-lia.html", 2 * CASES.len())], 1280);
}

/// What the search finds stays on the screen, below a navigation that wraps; `/` leads to its field. It finds what texts call by another
/// name, and rows by what they belong to.
#[test]
fn search_results_stay_on_the_screen() {
    const WIDTHS: [u32; 6] = [390, 768, 1024, 1280, 1440, 1920];
    let named = |name: &str| StudyResult { name: name.into(), ..fixture::results().remove(1) };
    let papers = anabranch_papers::headings().map(|heading| named(&heading.name)).collect::<Vec<_>>();
    let studies = ["two-paths-and-a-neighbour", "buffer-and-delay", "my-sweep"].map(named);
    let dir = report(&papers, &studies);
    let frame = |width: &u32| {
        format!(
            "<iframe src=index.html style='border:0;width:{width}px;height:900px;display:block'></iframe>"
        )
    };
    let frames: String = WIDTHS.iter().map(frame).collect();
    let script = "<script>addEventListener('load', async () => {
      const said = [];
      for (const { contentWindow: w, contentDocument: d } of document.querySelectorAll('iframe')) {
        d.body.dispatchEvent(new w.KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
        const field = d.querySelector('search input');
        const found = {};
        for (const words of ['bufferbloat', 'BALIA buffer', 'reno', 'constructor']) {
          d.querySelector('search ul').replaceChildren();
          field.value = words;
          field.dispatchEvent(new w.Event('input'));
          while (!d.querySelector('search li')) await new Promise((resolve) => setTimeout(resolve, 5));
          const off = [...d.querySelectorAll('header, header *')].filter((of) => {
            const { left, right, width } = of.getBoundingClientRect();
            return width > 0 && !of.matches('.skip') && (left < 0 || right > w.innerWidth);
          });
          found[words] = { links: d.querySelectorAll('search li a').length, off: off.map((of) => of.outerHTML.slice(0, 80)) };
        }
        said.push({ width: w.innerWidth, page: d.documentElement.scrollWidth, focused: d.activeElement === field, found });
      }
      say(said);
    });</script>";
    let Some(said) = chromium::says(dir.path(), &(frames + script)) else { return };
    for (said, width) in said.as_array().unwrap().iter().zip(WIDTHS) {
        assert_eq!((&said["width"], &said["page"]), (&width.into(), &width.into()));
        assert_eq!(said["focused"], true, "{width}");
        for (words, finds) in
            [("bufferbloat", true), ("BALIA buffer", true), ("reno", true), ("constructor", false)]
        {
            let found = &said["found"][words];
            assert_eq!(found["links"].as_u64().unwrap() > 0, finds, "{width}, {words}: {found}");
            assert_eq!(found["off"], serde_json::json!([]), "{width}, {words}");
        }
    }
}

/// Folded content has its charts once it is opened, and their tables once these are.
#[test]
fn what_is_opened_has_its_charts() {
    let dir = report(&[], &[]);
    let script = "const opened = page.querySelectorAll('details.observables')[1];
          opened.open = true;
          while (!opened.querySelector('.chart svg')) await pause();
          const values = opened.querySelector('details.values');
          values.open = true;
          while (!values.dataset.state) await pause();
          const rows = [...values.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent));
          say({ lines: opened.querySelectorAll('.chart .line').length, rows });";
    let Some(said) = chromium::says_of(dir.path(), "src=algorithm-lia.html", script) else { return };
    let observables = &fixture::algorithms()[0].cases[1].observables;
    assert_eq!(said["lines"], observables.iter().map(|o| o.traces.len()).sum::<usize>());
    // Of a hundred values the ends, and the highest and lowest of each stretch.
    let rows: Vec<[String; 3]> = serde_json::from_value(said["rows"].clone()).unwrap();
    let trace = &observables[0].traces[0];
    let of_first: Vec<_> = rows.iter().filter(|row| row[0] == rows[0][0]).collect();
    let text = |value: f64| format::exact(format::significant(value, 6));
    for (row, i) in [(of_first[0], 0), (of_first[of_first.len() - 1], trace.values.len() - 1)] {
        assert_eq!(row[1..], [text(trace.time_s[i]), text(trace.values[i])]);
    }
    let (low, high) = trace.values.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
    assert!([low, high].iter().all(|y| of_first.iter().any(|row| row[2] == text(*y))), "{rows:?}");
}

/// Where the pointer is on an entry of the legend, other series fade; published values and intervals stay with ours.
#[test]
fn the_legend_shows_one_series() {
    let dir = report(&fixture::results(), &[]);
    // A script cannot move the pointer: a class stands in for it.
    let css = include_str!("../../assets/report.css").replace(":hover", ".pointed");
    let css = serde_json::json!(format!("{css}.series {{ transition: none !important; }}"));
    // Lines of several families; bars of one, with their intervals.
    for (page, families, of_first) in [("coupled-cubic-A-F2.html", 2, 2), ("coupled-cubic-A-F7.html", 1, 3)] {
        let script = format!(
            "page.head.append(Object.assign(page.createElement('style'), {{ textContent: {css} }}));
              const svg = page.querySelector('.chart svg');
              svg.querySelector('.legend [data-series=\"0\"]').classList.add('pointed');
              say([...svg.querySelectorAll('.series')].map((of) => [of.dataset.series, getComputedStyle(of).opacity]));"
        );
        let Some(said) = chromium::says_of(dir.path(), &format!("src={page}"), &script) else { return };
        let said = said.as_array().unwrap();
        assert_eq!(said.iter().filter(|of| of[0] == "0").count(), of_first, "{page}: {said:?}");
        assert_eq!(said.iter().any(|of| of[0] == "1"), families > 1, "{page}: {said:?}");
        for of in said {
            assert_eq!(of[1] == "1", of[0] == "0", "{page}: {of}");
        }
    }
}

/// Of another version, without experiments, from one seed, with values that are not numbers: pages say so and stay whole.
#[test]
fn results_with_little_in_them() {
    let mut results = fixture::results();
    results[0].version = "0.0.1".into();
    for e in &mut results[0].experiments {
        for estimate in e.rows.iter_mut().filter_map(|row| row.measured.as_mut()) {
            estimate.values.truncate(1);
            estimate.half_width = None;
        }
        for (i, panel) in e.figures.iter_mut().flat_map(|f| &mut f.panels).enumerate() {
            // Of the second panel every value, of the others some.
            let points = panel.series.iter_mut().flat_map(|series| &mut series.points);
            points.step_by(if i == 1 { 1 } else { 7 }).for_each(|point| point.y = f64::NAN);
        }
    }
    results[1].experiments.clear();
    results[1].partial = true;
    let dir = report(&results, &[]);
    let pages = ["index.html", "coupled-cubic.html", "coupled-cubic-A-F6.html", "kato-lia.html"];
    let texts = pages.map(|page| fs::read_to_string(dir.path().join(page)).unwrap());
    assert!(texts.iter().all(|text| !text.contains("NaN")));
    assert!(texts[1].contains("this report was written by version"), "another version");
    assert!(texts[2].contains("There is no recorded value to draw here"));
    assert!(texts[3].contains("This result has no experiments") && texts[3].contains("interrupted"));
    let Some(said) = probed(dir.path(), &pages, 1280, LARGEST) else { return };
    pages.iter().zip(&said).for_each(|(page, said)| is_whole(page, said));
    assert_eq!(said[2]["charts"].as_array().unwrap().len(), 2, "the third has nothing that could be drawn");
}

/// Series and labels that would be code or markup if anything took them for it.
#[test]
fn charts_with_hostile_names_are_drawn() {
    let mut results = fixture::results();
    for e in &mut results[0].experiments {
        for panel in e.figures.iter_mut().flat_map(|f| &mut f.panels) {
            panel.x.title = "a\"b'c\\d</script>{signal}".into();
            for series in &mut panel.series {
                series.name = format!("</script>'\"[x].y\\ {}", series.name);
            }
        }
        for row in &mut e.rows {
            row.published = Published::Nothing;
            row.verdict = Verdict::NotJudged;
        }
    }
    draws_all(&results, &PAGES[2..5], 1280);
}
