//! The examples in the command work without the repository.

use anabranch_test_support::command::{
    anabranch, binary, command, fits, folder, has, outcome, skipped, typed,
};
use std::fs;
use std::process::Command;

/// No file of the repository is needed to check them.
#[test]
fn every_example_is_valid() {
    let empty = folder();
    let mut counts = [0, 0];
    for example in anabranch(["examples", "--json"]).json().as_array().unwrap() {
        let (name, is_study) =
            (format!("example:{}", example["name"].as_str().unwrap()), example["study"] == true);
        let check: &[&str] = if is_study { &["study", "check"] } else { &["check"] };
        let page = outcome(command().args(check).arg(&name).current_dir(empty.path())).done().stdout;
        if !is_study {
            assert!(page.starts_with("OK"), "{name}: {page}");
            fits(&page);
        }
        counts[usize::from(is_study)] += 1;
    }
    assert!(counts[0] >= 12 && counts[1] > 0, "{counts:?}");
}

/// An example that names traces gives the run of its file, and so does its copy.
#[test]
fn an_example_is_its_file() {
    let folder = folder();
    let copy = folder.at("copy.toml");
    anabranch(["new", &copy, "--from", "mmwave-and-lte"]).ok();
    let run = |scenario: &str| anabranch(["run", scenario, "--duration", "12 s", "--json"]).json();
    let of_file = run("scenarios/mmwave-and-lte.toml");
    assert_eq!(run("example:mmwave-and-lte"), of_file);
    assert_eq!(run(&copy), of_file);
}

#[test]
fn a_new_scenario_replaces_no_file() {
    let folder = folder();
    let path = folder.at("mine.toml");
    has(&anabranch(["new", &path]).ok(), ["Wrote"]);
    let text = folder.read("mine.toml");
    // It has the file's name.
    has(&text, ["name = \"mine\""]);
    assert!(text.lines().filter(|line| line.contains('#')).count() > 15, "it is commented");
    anabranch(["new", &path]).refused(["exists"]);
    assert_eq!(folder.read("mine.toml"), text);
    anabranch(["new", "-"]).refused(["`-` is not possible here"]);
    anabranch(["new", &path, "--from", "none"]).refused(["unknown example `none`"]);
}

/// A study's copy comes with its scenario, so that it runs; a file of another content stays.
#[test]
fn a_copied_study_is_whole() {
    let folder = folder();
    let (study, scenario) = (folder.at("mine.toml"), folder.at("two-links.toml"));
    let new = ["new", &study, "--from", "buffer-and-delay"];
    assert_eq!(anabranch(new).ok().trim_end(), format!("Wrote {study} and {scenario}"));
    anabranch(["study", "check", &study]).ok();
    fs::remove_file(&study).unwrap();
    anabranch(new).ok();
    fs::remove_file(&study).unwrap();
    folder.write("two-links.toml", "name = \"own\"");
    anabranch(new).refused(["two-links.toml exists"]);
    assert_eq!(folder.read("two-links.toml"), "name = \"own\"");
    assert_eq!(folder.names(), ["two-links.toml"], "half a copy is none");
}

#[test]
fn a_sweep_and_a_study_of_examples() {
    let folder = folder();
    let out = folder.arg();
    has(&typed(&format!("study example:buffer-and-delay --quick --out {out}")).stdout, ["Report: "]);
    let sweep = "sweep example:two-paths --cc lia,olia";
    has(&typed(&format!("{sweep} --duration '12 s' --seeds 1 --out {out}")).stdout, ["Report: "]);
    assert!(fs::exists(folder.at("studies/two-paths.csv")).unwrap());
    typed(&format!("{sweep} --print-study")).refused(["anabranch new"]);
}

/// A disk that is full leaves no empty file, so that the same command works again.
#[test]
fn a_full_disk_leaves_nothing() {
    let folder = folder();
    let script = "mkdir disk && mount -t tmpfs -o size=8k tmpfs disk || exit 77; cd disk; head -c 9000 /dev/zero > fill 2>/dev/null; \
                  \"$0\" new mine.toml; echo status $?; ls";
    let args = ["--mount", "sh", "-c", script];
    let tried = outcome(Command::new("unshare").args(args).arg(binary()).current_dir(folder.path()));
    if !tried.stdout.contains("status") {
        return skipped("a small disk cannot be mounted here");
    }
    has(&tried.stdout, ["status 2"]);
    has(&tried.stderr, ["No space left on device"]);
    assert!(!tried.stdout.contains("mine.toml") && !folder.names().contains(&"mine.toml".to_owned()));
}
