//! Each row of the book's table of renamed options, keys and fields works under both names.

use anabranch_record::{CaptureRead, KernelRun};
use anabranch_study::StudyResult;
use anabranch_test_support::command::{Folder, Outcome, anabranch, folder, one_line, root};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fs;

/// A study with a variant and an interpretation, beside its scenario.
const STUDY: &str = r#"
title = "Renamed"
variants = ["tick"]
runs.link.scenario = "one-link.toml"
runs.slow = { scenario = "one-link.toml", set = { "links.a.rate" = "5 Mbit/s" } }

[[rows]]
id = "goodput"
what = "goodput"
unit = "Mbit/s"
runs = "link"
of = 'goodput("tcp")'
claim = "the link is full"
rule = "at least 8"
interpretations = [{ what = "a slow link", runs = "slow" }]
"#;

const SCENARIO: &str = r#"
name = "one link"
duration = "2 s"
links.a = { rate = "10 Mbit/s", delay = "10 ms" }
flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
"#;

fn run(folder: &Folder, study: &str, more: &[&str]) -> Outcome {
    let file = folder.write("renamed.toml", study);
    folder.write("one-link.toml", SCENARIO);
    let args = ["study", &file, "--seeds", "2", "--json", "--replace", "--out", &folder.at("out")];
    anabranch(args.iter().chain(more))
}

/// The result of a study, without the hash of its file and the command.
fn found(outcome: &Outcome) -> StudyResult {
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let result: StudyResult = serde_json::from_str(&outcome.stdout).unwrap();
    StudyResult { hash: None, command: None, earlier_commands: vec![], ..result }
}

fn says(outcome: &Outcome, old: &str, new: &str) -> bool {
    let note = format!("`{old}` is now called `{new}`; the old name works until version 0.3.0");
    one_line(&outcome.stderr).matches(&note).count() == 1
}

fn rename(value: Value, from: &str, to: &str) -> Value {
    let named = |key: String| if key == from { to.to_owned() } else { key };
    match value {
        Value::Object(fields) => {
            let all = fields.into_iter().map(|(key, value)| (named(key), rename(value, from, to)));
            Value::Object(all.collect::<Map<_, _>>())
        }
        Value::Array(all) => all.into_iter().map(|value| rename(value, from, to)).collect(),
        other => other,
    }
}

/// Both names give the same value; neither is ignored.
fn is_read<T: Serialize + DeserializeOwned + PartialEq>(value: &T, old: &str, new: &str) -> bool {
    let written = serde_json::to_value(value).unwrap();
    let before = rename(written.clone(), new, old);
    let without = rename(written.clone(), new, "unknown");
    let read = |json: Value| serde_json::from_value::<T>(json).ok();
    let [written_again, from_old, from_neither] = [written.clone(), before.clone(), without].map(read);
    before != written
        && written_again.as_ref() == Some(value)
        && from_old.as_ref() == Some(value)
        && from_neither.as_ref() != Some(value)
}

#[test]
fn every_old_name_works() {
    let page = fs::read_to_string(root().join("docs/src/versions.md")).unwrap();
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [place, old, new] = cells[..] else { return None };
        (!["renamed", "---"].contains(&place)).then_some((
            place,
            old.trim_matches('`'),
            new.trim_matches('`'),
        ))
    });
    let folder = folder();
    let now = run(&folder, STUDY, &[]);
    let (result, silent) = (found(&now), !now.stderr.contains("is now called"));
    let without = run(&folder, STUDY, &["--no-variants"]);
    let bare = found(&without);
    let kernel = KernelRun { samples_late_max_s: 0.5, impossible_samples: 3, ..KernelRun::default() };
    let capture = CaptureRead { unmatched_joins: 2, ..CaptureRead::default() };
    assert!(silent && bare.without_variants && !result.without_variants);
    assert!(result.experiments[0].variants.len() == 1 && bare.experiments[0].variants.is_empty());
    assert_eq!(result.experiments[0].rows[0].interpretations.len(), 1);

    let mut checked = 0;
    for (place, old, new) in rows {
        let works = match place {
            "option of `study`" => {
                let before = run(&folder, STUDY, &[old]);
                new == "--no-variants" && says(&before, old, new) && found(&before) == bare
            }
            "option of `paper`" => {
                let refused = |option| anabranch(["paper", "A", "--only", "A-F0", option]);
                let (before, now) = (refused(old), refused(new));
                let same = one_line(&before.stderr).ends_with(&one_line(&now.stderr));
                says(&before, old, new) && !says(&now, old, new) && same && before.status == 2
            }
            "key of a study, or of one of its experiments" | "key of a row in a study" => {
                let before = run(&folder, &STUDY.replace(&format!("{new} ="), &format!("{old} =")), &[]);
                says(&before, old, new) && found(&before) == result
            }
            "field of a study's result" if old == "without_columns" => is_read(&bare, old, new),
            "field of a study's result" => is_read(&result, old, new),
            "field of `kernel` in `summary.json`" => is_read(&kernel, old, new),
            "field of `capture` in `summary.json`" => is_read(&capture, old, new),
            // The package's tests try these.
            "argument of Python's `Study.run`" => true,
            _ => panic!("no check for `{place}`"),
        };
        assert!(works, "{place}: {old}, now {new}");
        checked += 1;
    }
    assert_eq!(checked, 12);
}
