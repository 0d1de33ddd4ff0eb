//! The examples in the command work without the repository.

use anabranch_test_support::command::{anabranch, command, root, scratch, skipped, words};
use serde_json::Value;
use std::fs;

fn names(studies: bool) -> Vec<String> {
    let all = anabranch(["examples", "--json"]).json();
    let of_kind = all.as_array().unwrap().iter().filter(|example| example["study"] == studies);
    of_kind.map(|example| format!("example:{}", example["name"].as_str().unwrap())).collect()
}

#[test]
fn every_example_is_valid() {
    let empty = tempfile::tempdir().unwrap();
    let (scenarios, studies) = (names(false), names(true));
    assert!(scenarios.len() >= 12 && !studies.is_empty());
    for (name, check) in scenarios
        .iter()
        .map(|name| (name, &["check"][..]))
        .chain(studies.iter().map(|name| (name, &["study", "check"][..])))
    {
        let output = command().args(check).arg(name).current_dir(&empty).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// An example that names traces gives the run of its file, and so does its copy.
#[test]
fn an_example_is_its_file() {
    let (_folder, copy) = scratch("copy.toml");
    let copy = copy.to_str().unwrap();
    anabranch(["new", copy, "--from", "mmwave-and-lte"]).ok();
    let file = root().join("scenarios/mmwave-and-lte.toml");
    let run =
        |scenario: &str| -> Value { anabranch(["run", scenario, "--duration", "12 s", "--json"]).json() };
    let of_file = run(file.to_str().unwrap());
    assert_eq!(run("example:mmwave-and-lte"), of_file);
    assert_eq!(run(copy), of_file);
}

#[test]
fn a_new_scenario_replaces_no_file() {
    let (_folder, file) = scratch("mine.toml");
    let path = file.to_str().unwrap();
    assert!(anabranch(["new", path]).ok().contains("Wrote"));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("name = \"mine\""), "it has the file's name");
    assert!(text.lines().filter(|line| line.contains('#')).count() > 15, "it is commented");
    assert!(anabranch(["new", path]).fails(2).contains("exists"));
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert!(anabranch(["new", path, "--from", "none"]).fails(2).contains("unknown example `none`"));
}

/// A study's copy comes with its scenario, so that it runs; a file of another content stays.
#[test]
fn a_copied_study_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [study, scenario] = ["mine.toml", "two-links.toml"].map(|name| folder.path().join(name));
    let new = ["new", study.to_str().unwrap(), "--from", "buffer-and-delay"];
    let wrote = format!("Wrote {} and {}", study.display(), scenario.display());
    assert_eq!(anabranch(new).ok().trim_end(), wrote);
    anabranch(["study", "check", study.to_str().unwrap()]).ok();
    fs::remove_file(&study).unwrap();
    anabranch(new).ok();
    fs::remove_file(&study).unwrap();
    fs::write(&scenario, "name = \"own\"").unwrap();
    assert!(anabranch(new).fails(2).contains("two-links.toml exists"));
    assert_eq!(fs::read_to_string(&scenario).unwrap(), "name = \"own\"");
    assert!(!study.exists(), "half a copy is none");
}

#[test]
fn a_sweep_and_a_study_of_examples() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    let studied = anabranch(["study", "example:buffer-and-delay", "--quick", "--out", out]);
    assert!(studied.stdout.contains("Report: "), "{}", studied.stderr);
    let sweep = "sweep example:two-paths --cc lia,olia --duration '12 s' --seeds 1 --out";
    let swept = anabranch(words(&format!("{sweep} '{out}'")));
    assert!(swept.stdout.contains("Report: "), "{}", swept.stderr);
    assert!(fs::exists(format!("{out}/studies/two-paths.csv")).unwrap());
    let printed = anabranch(["sweep", "example:two-paths", "--cc", "lia,olia", "--print-study"]).fails(2);
    assert!(printed.contains("anabranch new"), "{printed}");
}

/// A disk that is full leaves no empty file, so that the same command works again.
#[test]
fn a_full_disk_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let script = "mkdir disk && mount -t tmpfs -o size=8k tmpfs disk || exit 77; cd disk; head -c 9000 /dev/zero > fill 2>/dev/null; \
                  \"$0\" new mine.toml; echo status $?; ls";
    let mut tried = std::process::Command::new("unshare");
    tried.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_anabranch")]);
    let output = tried.current_dir(&folder).output().unwrap();
    if !String::from_utf8_lossy(&output.stdout).contains("status") {
        return skipped("a small disk cannot be mounted here");
    }
    let (shown, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(shown.contains("status 2") && said.contains("No space left on device"), "{shown}{said}");
    assert!(!folder.path().join("mine.toml").exists() && !shown.contains("mine.toml"), "{shown}");
}
