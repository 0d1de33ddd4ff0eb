//! `anabranch paper`.

mod common;

use anabranch_papers::PaperResult;
use common::{anabranch, fits};
use std::fs;

#[test]
fn an_experiment_leaves_results_and_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let page = anabranch(["paper", "all", "--quick", "--only", "a-t4", "--seeds", "2", "--out", out]).ok();
    fits(page.replace(out, "OUT").as_str());
    assert!(page.contains("A-T4") && page.contains("report/index.html"), "{page}");
    let json = fs::read_to_string(dir.path().join("papers/coupled-cubic.json")).unwrap();
    let result: PaperResult = serde_json::from_str(&json).unwrap();
    assert_eq!((&*result.id, &*result.size, result.seeds), ("A", "quick", 2));
    assert_eq!(result.experiments.len(), 1);
    assert!(!result.experiments[0].rows.is_empty());
    let index = fs::read_to_string(dir.path().join("report/index.html")).unwrap();
    assert!(index.contains("A-T4"));
}

#[test]
fn an_unknown_experiment() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let stderr = anabranch(["paper", "all", "--only", "Z-1", "--out", out]).fails(2);
    assert!(stderr.contains("no experiment `Z-1` in A") && stderr.contains("B-T1"), "{stderr}");
    assert!(!dir.path().join("report").exists());
}
