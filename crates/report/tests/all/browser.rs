//! The report in a real browser, where there is one.

use crate::fixture;
use std::{env, fs, path::Path, process::Command};

use anabranch_papers::standard::CASES;
use anabranch_report::{Results, write};
use anabranch_study::{Published, StudyResult, Verdict};

/// The page after its scripts have run; nothing where there is no Chromium.
fn rendered(page: &Path) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--window-size=1280,1000",
        "--virtual-time-budget=60000",
        "--dump-dom",
    ];
    let output = Command::new(env::var("CHROMIUM").unwrap_or("chromium".into()))
        .args(flags)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .inspect_err(|error| eprintln!("skipped: chromium does not start ({error})"))
        .ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}

fn draws_all(results: &[StudyResult], page: &str, expected: usize) {
    let dir = tempfile::tempdir().unwrap();
    let results = Results { papers: results, algorithms: &fixture::algorithms(), ..Results::default() };
    write(dir.path(), &results, &fixture::context()).unwrap();
    let written = fs::read_to_string(dir.path().join(page)).unwrap();
    let charts = written.matches("<div class=\"chart\"").count();
    assert_eq!(charts, expected);
    let Some(dom) = rendered(&dir.path().join(page)) else { return };
    assert!(!dom.contains("could not be drawn"), "{}", dom.split("could not be drawn").nth(1).unwrap());
    assert_eq!(dom.matches("data-state=\"drawn\"").count(), charts);
    let drawings: Vec<&str> = dom.split("class=\"marks\"").skip(1).collect();
    assert_eq!(drawings.len(), charts);
    for drawing in drawings {
        let drawing = drawing.split("</svg>").next().unwrap();
        let marks = ["mark-line", "mark-symbol", "mark-rect"].map(|m| drawing.matches(m).count());
        assert!(marks.iter().sum::<usize>() > 0);
        assert!(!drawing.contains("NaN"));
    }
}

/// Two charts for each standard case; the folded ones of observables wait until they are opened.
#[test]
fn an_algorithms_charts_are_drawn() {
    let dir = tempfile::tempdir().unwrap();
    let results = Results { algorithms: &fixture::algorithms(), ..Results::default() };
    write(dir.path(), &results, &fixture::context()).unwrap();
    let Some(dom) = rendered(&dir.path().join("algorithm-lia.html")) else { return };
    assert!(!dom.contains("could not be drawn"));
    assert_eq!(dom.matches("data-state=\"drawn\"").count(), 2 * CASES.len());
    assert_eq!(dom.matches("class=\"chart\"").count(), 3 * CASES.len());
    assert!(!dom.contains("NaN"));
}

#[test]
fn charts_are_drawn() {
    draws_all(&fixture::results(), "coupled-cubic.html", 8);
    draws_all(&fixture::beside_linux(), "coupled-cubic.html", 9);
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
    draws_all(&results, "coupled-cubic.html", 8);
}

/// What in a page is wider than its place, a line each.
const CLIPPED: &str = r#"<script>addEventListener("load", () => {
    const wide = [...document.querySelectorAll(".scroll, main, th, td")].filter(e => e.scrollWidth > e.clientWidth + 1);
    document.body.dataset.clipped = `${innerWidth}: ` + wide.map(e => e.ariaLabel ?? e.textContent).join("; ");
})</script>"#;

/// In a window of 1280 px, with Linux and three assumptions beside the simulator.
#[test]
fn tables_fit_the_page() {
    let dir = tempfile::tempdir().unwrap();
    let papers = fixture::beside_linux_and_assumptions();
    write(dir.path(), &Results { papers: &papers, ..Results::default() }, &fixture::context()).unwrap();
    for page in ["index.html", "coupled-cubic.html", "kato-lia.html"] {
        let page = dir.path().join(page);
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, text + CLIPPED).unwrap();
        let Some(dom) = rendered(&page) else { return };
        let clipped = dom.split("data-clipped=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(clipped, "1280: ", "{}", page.display());
    }
}
