//! `anabranch paper`.

use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::StudyResult;
use anabranch_test_support::command::{anabranch, fits, one_line};
use std::fs;

#[test]
fn an_experiment_leaves_results_and_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let page = anabranch(["paper", "all", "--quick", "--only", "a-t4", "--seeds", "2", "--out", out]).ok();
    fits(page.replace(out, "OUT").as_str());
    assert!(page.contains("A-T4") && page.contains("report/index.html"), "{page}");
    let json = fs::read_to_string(dir.path().join("papers/coupled-cubic.json")).unwrap();
    let result: StudyResult = serde_json::from_str(&json).unwrap();
    assert_eq!((&*result.id, &*result.size, result.seeds), ("A", "quick", 2));
    assert_eq!(result.experiments.len(), 1);
    assert!(!result.experiments[0].rows.is_empty());
    let index = fs::read_to_string(dir.path().join("report/index.html")).unwrap();
    assert!(index.contains("href=\"coupled-cubic.html\""));
    assert!(fs::read_to_string(dir.path().join("report/coupled-cubic.html")).unwrap().contains("A-T4"));
}

#[test]
fn an_unknown_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let stderr = anabranch(["paper", "all", "--only", "Z-1", "--out", out]).fails(2);
    assert!(stderr.contains("A has no experiment `Z-1`") && stderr.contains("B-T1"), "{stderr}");
    assert!(!dir.path().join("report").exists());
}

#[test]
fn the_list_names_what_can_be_asked_for() {
    let page = anabranch(["paper", "list"]).ok();
    fits(&page);
    for paper in anabranch_papers::all() {
        assert!(page.contains(&format!("{}, {}: ", paper.id, paper.name)), "{page}");
        for definition in &paper.experiments {
            assert!(definition.ids.iter().all(|id| page.contains(id)), "{}: {page}", definition.id());
        }
    }
}

/// The files on disk after two commands: both experiments if they were made alike, else the later one, with a note.
#[test]
fn results_made_alike_are_joined() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let paper = |only: &str, seeds: &[&str]| {
        let args = ["paper", "A", "--quick", "--no-variants", "--only", only, "--out", out, "--seeds"];
        anabranch([&args[..], seeds].concat())
    };
    let ids = || {
        let json = fs::read_to_string(dir.path().join("papers/coupled-cubic.json")).unwrap();
        let result: StudyResult = serde_json::from_str(&json).unwrap();
        result.experiments.into_iter().map(|e| e.id).collect::<Vec<_>>()
    };
    paper("A-T4", &["1"]).ok();
    paper("A-T2", &["1"]).ok();
    assert_eq!(ids(), ["A-T2", "A-T4"], "in the paper's order");
    paper("A-T4", &["1"]).ok();
    assert_eq!(ids(), ["A-T2", "A-T4"], "run again, not doubled");

    let refused = paper("A-T4", &["2"]).fails(2);
    assert!(refused.contains("A-T2, A-T4 (quick size, seeds 1"), "{refused}");
    assert!(refused.contains("--replace"), "{refused}");
    assert_eq!(ids(), ["A-T2", "A-T4"]);
    let other = paper("A-T4", &["2", "--replace"]);
    assert_eq!(other.status, 0);
    let words = one_line(&other.stderr);
    let said = "Note: coupled-cubic: A-T4 (quick size, seeds 2, version";
    assert!(words.starts_with(said) && words.contains("replaces A-T2, A-T4 (quick size, seeds 1"), "{words}");
    assert_eq!(ids(), ["A-T4"]);
}

/// An algorithm's standard cases: a result, a page, and a note on results made with other options.
#[test]
fn an_algorithm_leaves_its_standard_cases_and_a_page() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let page = anabranch(["cc", "report", "lia", "--quick", "--seeds", "1", "--out", out]).ok();
    fits(page.replace(out, "OUT").as_str());
    assert!(page.contains("lia (quick size; seeds: 1)"), "{page}");
    assert!(page.contains("Unequal round-trip times"), "{page}");
    let json = fs::read_to_string(dir.path().join("algorithms/lia.json")).unwrap();
    let result: AlgorithmResult = serde_json::from_str(&json).unwrap();
    assert_eq!((&*result.algorithm, &*result.size, result.seeds), ("lia", "quick", 1));
    let html = fs::read_to_string(dir.path().join("report/algorithm-lia.html")).unwrap();
    assert!(html.contains("anabranch cc report lia --quick --seeds 1"));
    assert!(
        fs::read_to_string(dir.path().join("report/algorithms.html")).unwrap().contains("algorithm-lia.html")
    );

    let other = anabranch(["cc", "report", "reno", "--quick", "--out", out, "--json"]);
    assert_eq!(other.status, 0);
    assert!(other.stderr.starts_with("Note: lia"), "{}", other.stderr);
    let array: Vec<AlgorithmResult> = serde_json::from_str(&other.stdout).unwrap();
    assert_eq!(array[0].algorithm, "reno");

    // More seeds take the place of fewer, not the reverse.
    let more = anabranch(["cc", "report", "lia", "--quick", "--seeds", "2", "--out", out]);
    assert_eq!(more.status, 0, "{}", more.stderr);
    let refused = anabranch(["cc", "report", "lia", "--quick", "--seeds", "1", "--out", out]).fails(2);
    assert!(refused.contains("lia: the standard cases (quick size, seeds 2"), "{refused}");
}
