//! The algorithms' pages: one for each of the registry, with what is known and what was run.

use crate::fixture;
use crate::written::{attributes, between, report_in, text_of};
use anabranch_cc::registry::ALL;
use anabranch_papers::standard::{AlgorithmResult, CASES};
use anabranch_report::{Results, typeset};
use std::{fs, path::Path};
use tempfile::TempDir;

pub fn report(algorithms: &[AlgorithmResult]) -> TempDir {
    let results = Results { papers: &fixture::results(), algorithms, ..Results::default() };
    report_in(&fixture::context(), &results)
}

pub fn page(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).unwrap()
}

/// As a page has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Whatever is registered has a page, run or not.
#[test]
fn every_registered_algorithm_has_a_page() {
    let dir = report(&fixture::algorithms());
    let all = page(dir.path(), "algorithms.html");
    for entry in ALL {
        let file = format!("algorithm-{}.html", entry.name);
        let html = page(dir.path(), &file);
        assert!(html.contains(&escaped(entry.title)), "{}", entry.name);
        assert!(html.contains(&format!("<code>{}</code>", entry.name)), "{}", entry.name);
        let rules = between(&html, "<ul class=\"equations\">", "</ul>")[0];
        let shown = between(rules, "<li>", "</li>");
        let expected = entry.equations.iter().map(|equation| escaped(&typeset(equation)));
        assert_eq!(shown, expected.collect::<Vec<_>>(), "{}", entry.name);
        if entry.name == "lia" {
            assert!(rules.starts_with("<li>α = Σ w · max(w/T²) / (Σ w/T)²</li>"), "{rules}");
        }
        for param in entry.all_params() {
            assert!(html.contains(&format!("<code>{}</code>", param.name)), "{}: {}", entry.name, param.name);
        }
        for observable in entry.observables {
            assert!(html.contains(&format!("<code>{}</code>", observable.name)), "{}", entry.name);
        }
        for case in CASES.iter() {
            assert!(html.contains(&escaped(&case.title)), "{}: {}", entry.name, case.id);
        }
        let run = ["lia", "reno"].contains(&entry.name);
        assert_eq!(html.contains("id=\"not-run\""), !run, "{}", entry.name);
        assert_eq!(html.contains("id=\"place\""), run, "{}", entry.name);
        assert!(all.contains(&format!("href=\"{file}\"")), "{}", entry.name);
    }
}

/// A case's section has its numbers, by hand from the fixture, and its data file a column for each line.
#[test]
fn cases_show_what_was_measured() {
    let dir = report(&fixture::algorithms());
    let html = page(dir.path(), "algorithm-reno.html");
    let pieces: Vec<String> =
        serde_json::from_str(&text_of(&dir.path().join("data/algorithm-reno-folded.js"))).unwrap();
    for (i, case) in CASES.iter().enumerate() {
        let start = format!("<section class=\"experiment\" id=\"{}\"", case.id);
        let section = between(&html, &start, "</section>")[0];
        assert!(section.contains("9.50 ± 0.28"), "{}: the goodput", case.id);
        assert_eq!(section.matches("class=\"chart\"").count(), 2, "windows and rates");
        // Behind the tables of both charts.
        let [observables, run] = [2, 3].map(|which| {
            let piece = attributes(section, "data-piece")[which];
            pieces[piece.parse::<usize>().unwrap()].as_str()
        });
        assert_eq!(observables.matches("class=\"chart\"").count(), 1);
        assert!(
            observables.contains(&format!("href=\"data/algorithm-reno-{}.csv.gz\"", case.id)),
            "{}",
            case.id
        );
        assert!(run.contains(&format!("standard/{}.toml --cc tested=reno --seed 1", case.id)), "{}", case.id);
        assert_eq!(
            section.contains("at least 1.310 ± 0.039"),
            !case.id.contains("one") && section.contains("Recovery")
        );
        let csv = text_of(&dir.path().join(format!("data/algorithm-reno-{}.csv.gz", case.id)));
        assert_eq!(csv.lines().count(), 101);
        assert!(csv.starts_with("time (s),reno cwnd (segments),neighbour (reno) cwnd (segments),reno goodput (Mbit/s),reno alpha\r\n"));
        // 1 + 0.2/10 of each.
        let line = csv.split("\r\n").find_map(|line| line.strip_prefix("0.2,40.8,61.2,8.16,"));
        let own: f64 = line.unwrap().parse().unwrap();
        assert!((own - 1.02 * fixture::alpha(i)).abs() < 1e-6, "{}: {own}", case.id);
    }
}

/// Results of another size, other seeds or another version stay out of comparisons, and the matrix says what they are.
#[test]
fn results_made_otherwise_are_not_compared() {
    let mut results = fixture::algorithms();
    let third = AlgorithmResult { algorithm: "cubic".into(), ..results[0].clone() };
    results.push(third);
    let among = |dir: &Path, name: &str| {
        let html = page(dir, &format!("algorithm-{name}.html"));
        let place = html.split("id=\"place\"").nth(1).unwrap().to_owned();
        [3, 2, 1].map(|of| place.matches(&format!(" of {of}</td>")).count())
    };
    let cases = CASES.len();
    assert_eq!(among(report(&results).path(), "lia"), [cases, 0, 0]);
    results[1].seeds = 2;
    let dir = report(&results);
    assert_eq!(among(dir.path(), "lia"), [0, cases, 0]);
    assert_eq!(among(dir.path(), "reno"), [0, 0, cases]);
    assert!(page(dir.path(), "algorithms.html").contains("default size, 2 seeds"));
}

/// The command of the matrix has the size and the seeds of most results.
#[test]
fn the_matrix_can_be_repeated() {
    let mut results = fixture::algorithms();
    for result in &mut results {
        (result.size, result.seeds) = ("quick".into(), 7);
    }
    let html = page(report(&results).path(), "algorithms.html");
    assert!(html.contains("<code>anabranch cc report --quick --seeds 7</code>"));
}

/// A paper's page links to the algorithms of its runs: the fixture's have `--cc coupled-cubic` and flows of their own.
#[test]
fn papers_link_to_their_algorithms() {
    let dir = report(&[]);
    assert!(page(dir.path(), "coupled-cubic.html").contains("href=\"algorithm-coupled-cubic.html\""));
    assert!(page(dir.path(), "index.html").contains("href=\"algorithm-lia.html\""));
}
