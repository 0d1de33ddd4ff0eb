//! `anabranch paper`.

use anabranch_papers::standard::AlgorithmResult;
use anabranch_study::StudyResult;
use anabranch_test_support::command::{anabranch, fits, folder, has, typed};

#[test]
fn an_experiment_leaves_results_and_a_report() {
    let dir = folder();
    let out = dir.arg();
    let page = typed(&format!("paper all --quick --only a-t4 --seeds 2 --out {out}")).ok();
    fits(&page.replace(out, "OUT"));
    has(&page, ["A-T4", "report/index.html"]);
    let result: StudyResult = dir.json("papers/coupled-cubic.json");
    assert_eq!((&*result.id, &*result.size, result.seeds), ("A", "quick", 2));
    assert_eq!(result.experiments.len(), 1);
    assert!(!result.experiments[0].rows.is_empty());
    has(&dir.read("report/index.html"), ["href=\"coupled-cubic.html\""]);
    has(&dir.read("report/coupled-cubic.html"), ["A-T4"]);
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
    let dir = folder();
    let paper = |only: &str, seeds: &str| {
        let out = dir.arg();
        typed(&format!("paper A --quick --no-variants --only {only} --out {out} --seeds {seeds}"))
    };
    let ids = || {
        let result: StudyResult = dir.json("papers/coupled-cubic.json");
        result.experiments.into_iter().map(|e| e.id).collect::<Vec<_>>()
    };
    paper("A-T4", "1").ok();
    paper("A-T2", "1").ok();
    assert_eq!(ids(), ["A-T2", "A-T4"], "in the paper's order");
    paper("A-T4", "1").ok();
    assert_eq!(ids(), ["A-T2", "A-T4"], "run again, not doubled");

    paper("A-T4", "2").refused(["A-T2, A-T4 (quick size, seeds 1", "--replace"]);
    assert_eq!(ids(), ["A-T2", "A-T4"]);
    let said = paper("A-T4", "2 --replace").notes(["replaces A-T2, A-T4 (quick size, seeds 1"]);
    assert!(said.starts_with("Note: coupled-cubic: A-T4 (quick size, seeds 2, version"), "{said}");
    assert_eq!(ids(), ["A-T4"]);
}

/// An algorithm's standard cases: a result, a page, and a note on results made with other options.
#[test]
fn an_algorithm_leaves_its_standard_cases_and_a_page() {
    let dir = folder();
    let out = dir.arg();
    let report = |options: &str| typed(&format!("cc report {options} --quick --out {out}"));
    let page = report("lia --seeds 1").ok();
    fits(&page.replace(out, "OUT"));
    has(&page, ["lia (quick size; seeds: 1)", "Unequal round-trip times"]);
    let result: AlgorithmResult = dir.json("algorithms/lia.json");
    assert_eq!((&*result.algorithm, &*result.size, result.seeds), ("lia", "quick", 1));
    has(&dir.read("report/algorithm-lia.html"), ["anabranch cc report lia --quick --seeds 1"]);
    has(&dir.read("report/algorithms.html"), ["algorithm-lia.html"]);

    let other = report("reno --json").done();
    assert!(other.stderr.starts_with("Note: lia"), "{}", other.stderr);
    let array: Vec<AlgorithmResult> = serde_json::from_str(&other.stdout).unwrap();
    assert_eq!(array[0].algorithm, "reno");

    // More seeds take the place of fewer, not the reverse.
    report("lia --seeds 2").done();
    report("lia --seeds 1").refused(["lia: the standard cases (quick size, seeds 2"]);
}
