//! A user's study, by itself.

use crate::fixture;
use crate::written::{files, files_of, study};
use anabranch_study::*;

/// Its values come first: algorithms by parameter, then claims and figures; rows that claim nothing are folded.
#[test]
fn a_study_begins_with_its_values() {
    let paper = fixture::results().remove(0);
    let mut experiments = paper.experiments.iter().filter(|e| e.id == "A-F2").cloned().collect::<Vec<_>>();
    experiments[0].rows = vec![paper.experiments[0].rows[0].clone(), paper.experiments[3].rows[2].clone()];
    let mine = StudyResult { name: "mine".into(), experiments, ..paper };
    let files = files_of(&[], &[mine]);
    let page = study(&files, "mine");
    let at = |what: &str| page.find(what).unwrap_or_else(|| panic!("{what}: {page}"));
    let order = [
        "<table class=\"pivot\">",
        "<table class=\"rows\">",
        "<figure",
        "<details class=\"runs\"",
        "<dl class=\"facts\">",
    ];
    let places = order.map(at);
    assert!(places.is_sorted(), "{places:?}");
    // Ours at 7 of the 25 losses, and not what was published.
    assert!(page.contains("<th scope=\"colgroup\" colspan=\"7\">Loss probability</th>"), "{page}");
    assert_eq!(page.matches("<table class=\"pivot\">").count(), 1);
}

/// Beside users' studies alone, other algorithms have no page.
#[test]
fn algorithms_that_were_not_run_have_no_page() {
    let results = fixture::results();
    let pages = |files: std::collections::BTreeMap<String, String>| {
        let of = |name: &&String| name.starts_with("algorithm-") && name.ends_with(".html");
        files.keys().filter(of).cloned().collect::<Vec<_>>()
    };
    assert_eq!(
        pages(files_of(&[], &results)),
        ["algorithm-coupled-cubic.html", "algorithm-lia.html", "algorithm-reno.html"]
    );
    assert!(pages(files(&results)).len() > 20);
}
