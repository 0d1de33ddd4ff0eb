//! Which verdicts a report words, and how.

use crate::algorithms::{page, report};
use crate::fixture;
use crate::written::{between, files, files_of, pages, study};
use anabranch_study::*;
use std::collections::BTreeMap;

const JUDGED: [&str; 4] = ["reproduced", "partly", "not-reproduced", "undetermined"];

/// Two seeds of a short run judge nothing: neither rows, counts and tiles nor the first screen.
#[test]
fn quick_results_have_no_verdicts() {
    let mut results = fixture::results();
    for result in &mut results {
        result.size = "quick".into();
        let judged = vec![result.experiments[0].rows[0].id.clone()];
        result.headline = Some(Headline { claim: "It holds".into(), judged, values: vec![] });
    }
    let quick = files(&results);
    for (name, html) in pages(&quick).filter(|(name, _)| *name != "methods.html") {
        for class in JUDGED {
            assert!(!html.contains(&format!("class=\"verdict {class}\"")), "{name}: {class}");
            assert!(!html.contains(&format!("<tr class=\"{class}")), "{name}: {class}");
        }
        assert!(!html.contains("reaches partly"), "{name}");
    }
    let index = &quick["index.html"];
    assert!(index.contains("2 main claims, none of them judged yet"), "{index}");
    let rows = study(&quick, "coupled-cubic");
    assert!(rows.contains("class=\"verdict provisional\"") && rows.contains("class=\"verdict not-judged\""));
    assert!(study(&files(&fixture::results()), "coupled-cubic").contains("class=\"verdict reproduced\""));
    // All but the verdicts is as in the result.
    let values = |files: &BTreeMap<String, String>| -> Vec<Vec<String>> {
        let mut rows = csv::Reader::from_reader(files["data/coupled-cubic-rows.csv.gz"].as_bytes());
        rows.records().map(|row| row.unwrap().iter().take(12).map(str::to_owned).collect()).collect()
    };
    assert_eq!(values(&quick), values(&files(&fixture::results())));
}

/// Nor do the algorithms' goals.
#[test]
fn quick_cases_meet_no_goals() {
    let goals = |size: &str| {
        let mut algorithms = fixture::algorithms();
        algorithms.iter_mut().for_each(|result| result.size = size.into());
        let index = page(report(&algorithms).path(), "index.html");
        between(&index, "<section id=\"goals\"", "</section>")[0].to_owned()
    };
    let judged = |html: &str| JUDGED.iter().any(|class| html.contains(&format!("<td class=\"{class}\">")));
    assert!(judged(&goals("default")) && goals("default").contains("class=\"advice\""));
    assert!(!judged(&goals("quick")) && !goals("quick").contains("class=\"advice\""));
}

/// The project's own study is listed apart from the papers, and nobody published what it claims.
#[test]
fn an_own_study_is_no_paper() {
    let [paper, other] = &fixture::results()[..] else { panic!("two papers") };
    let headline = |id: &str| Headline { claim: "It holds".into(), judged: vec![id.into()], values: vec![] };
    let paper = StudyResult { headline: Some(headline(&paper.experiments[0].rows[0].id)), ..paper.clone() };
    let second = StudyResult { name: "wcompound".into(), id: "C".into(), ..paper.clone() };
    let mut own = StudyResult { name: "coupling-cubic".into(), id: "E".into(), ..other.clone() };
    own.headline = Some(headline(&own.experiments[0].rows[0].id));
    for row in own.experiments.iter_mut().flat_map(|e| &mut e.rows) {
        row.published = Published::Claim("a bound".into());
    }
    let files = files(&[paper, second, own]);
    let index = &files["index.html"];
    assert!(index.contains("of 2 main claims"), "{index}");
    let groups = between(index, "<span class=\"group\">", "<span");
    assert!(groups[0].starts_with("Papers") && !groups[0].contains("coupling-cubic.html"), "{groups:?}");
    assert!(
        groups[1].starts_with("Our own study") && groups[1].contains("coupling-cubic.html"),
        "{groups:?}"
    );
    let page = study(&files, "coupling-cubic");
    let text = page.split("<main").nth(1).unwrap();
    let said: Vec<&str> = between(text, "<span class=\"verdict ", "</span></").into_iter().collect();
    assert!(said.iter().any(|badge| badge.ends_with("does not hold")), "{said:?}");
    for badge in between(text, "aria-hidden=\"true\">", "</td>") {
        assert!(!badge.contains("> reproduced<") && !badge.contains("not reproduced"), "{badge}");
    }
    assert!(text.contains("holds within 10 %") && !text.contains(">Published<"), "{text}");
    let csv = &files["data/coupling-cubic-rows.csv.gz"];
    assert!(csv.contains(",does not hold,") && !csv.contains("reproduced"), "{csv}");
}

/// A sweep claims and publishes nothing; a user's study of published values reproduces them.
#[test]
fn users_studies_are_worded_by_what_they_compare_with() {
    let published = fixture::results().remove(1);
    let mut claims = StudyResult { name: "claims".into(), ..published.clone() };
    for row in claims.experiments.iter_mut().flat_map(|e| &mut e.rows) {
        row.published = Published::Claim("a bound".into());
    }
    let files = files_of(&[], &[published, claims]);
    assert!(files["data/kato-lia-rows.csv.gz"].contains(",not reproduced,"));
    assert!(files["data/claims-rows.csv.gz"].contains(",does not hold,"));
}
