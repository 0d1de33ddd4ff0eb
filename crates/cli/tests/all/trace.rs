//! Scenarios whose links follow traces, by the commands that read them, from another folder.

use anabranch_record::Summary;
use anabranch_test_support::command::{anabranch, anabranch_reading};
use serde_json::json;
use std::fs;
use std::path::Path;

const TRACED: &str = r#"name = "traced"
duration = "4 s"
warmup = "1 s"

[links.lte]
trace = { file = "traces/lte.csv", start = "0 s" }
delay = "20 ms"
queue = "100 packets"

[links.cell]
trace = "traces/cell.down"
delay = "30 ms"
queue = "60 packets"

[[flows]]
name = "both"
cc = "lia"
paths = [["lte"], ["cell"]]
"#;

/// The scenario with its traces in a folder of their own.
fn traced(folder: &Path) -> String {
    fs::create_dir(folder.join("traces")).unwrap();
    fs::write(folder.join("traces/lte.csv"), "time (s),rate (Mbit/s)\n0,10\n1,20\n2.5,0\n2.6,5\n").unwrap();
    fs::write(folder.join("traces/half.csv"), "time (s),rate (Mbit/s)\n0,5\n1,10\n2.5,0\n2.6,2.5\n").unwrap();
    let cell: String = (1..=1000).map(|ms| format!("{ms}\n")).collect();
    fs::write(folder.join("traces/cell.down"), cell).unwrap();
    fs::write(folder.join("traced.toml"), TRACED).unwrap();
    folder.join("traced.toml").to_str().unwrap().to_owned()
}

#[test]
fn every_command_reads_the_traces() {
    let folder = tempfile::tempdir().unwrap();
    let file = traced(folder.path());
    let run = anabranch(["run", &file, "--json"]).json();
    // An opportunity each millisecond: 1500 bytes of which 1428 are payload.
    let goodput = run["flows"][0]["subflows"][1]["goodput_bps"].as_f64().unwrap();
    assert!((goodput / (1428.0 * 8e3) - 1.0).abs() < 0.01, "{goodput}");

    let compared = anabranch(["compare", &file, "--cc", "lia", "--seeds", "1", "--json"]).json();
    assert_eq!(compared[0]["scenario_hash"], run["scenario_hash"]);
    assert_eq!(compared[0]["flows"], run["flows"]);
    assert!(anabranch(["check", &file]).ok().contains("12 Mbit/s (trace, mean)"));
    let ideal = anabranch(["ideal", &file]).ok();
    assert!(
        ideal.contains("cell follows a trace: treated as a link with its mean rate, 12.000 Mbit/s"),
        "{ideal}"
    );

    // The kept text of a run needs no other files.
    let (out, kept) = (folder.path().join("out"), tempfile::tempdir().unwrap());
    anabranch(["run", &file, "--out", out.to_str().unwrap()]).ok();
    fs::copy(out.join("scenario.toml"), kept.path().join("kept.toml")).unwrap();
    let again = anabranch(["run", kept.path().join("kept.toml").to_str().unwrap(), "--json"]).json();
    assert_eq!(again, run);
}

/// An axis or `--set` may name other traces, and a study file stands beside its scenario.
#[test]
fn studies_have_the_traces() {
    let folder = tempfile::tempdir().unwrap();
    let file = traced(folder.path());
    let halved = anabranch(["run", &file, "--json", "--set", "links.lte.trace.file=traces/half.csv"]).json();
    let hash = halved["scenario_hash"].as_str().unwrap();
    let vary =
        ["sweep", &file, "--seeds", "1", "--vary", "links.lte.trace.file=traces/lte.csv,traces/half.csv"];
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let study = anabranch(vary.into_iter().chain(["--print-study"])).ok();
    fs::write(out("mine.toml"), study).unwrap();
    let (swept, studied) = (out("swept"), out("studied"));
    assert_eq!(anabranch(vary.into_iter().chain(["--out", &swept])).status, 0);
    assert_eq!(anabranch(["study", &out("mine.toml"), "--seeds", "1", "--out", &studied]).status, 0);
    for result in [format!("{swept}/studies/traced.csv"), format!("{studied}/studies/mine.csv")] {
        let rows = fs::read_to_string(&result).unwrap();
        assert!(rows.contains("half.csv") && rows.contains(hash), "{rows}");
    }
}

/// A task's text is all there is to it: it names no file of the machine that makes the run.
#[test]
fn a_task_has_the_traces_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (traced(folder.path()), folder.path().join("out"));
    let run = anabranch(["run", &file, "--json", "--out", out.to_str().unwrap()]).stdout;
    let text = fs::read_to_string(out.join("scenario.toml")).unwrap();
    let line = anabranch_reading(&json!({"scenario": text, "seed": 1}).to_string(), ["task"]).ok();
    let compact = serde_json::to_string(&Summary::from_json(&run).unwrap()).unwrap();
    assert!(line.contains(&compact), "{line}\n{compact}");
    let without = json!({"scenario": TRACED, "seed": 1}).to_string();
    let said = anabranch_reading(&without, ["task"]).fails(2);
    assert!(said.contains("the scenario has no file `traces/lte.csv`"), "{said}");
}

#[test]
fn mistakes_end_with_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let file = traced(folder.path());
    fs::write(folder.path().join("traces/lte.csv"), "time (s),rate (Mbit/s)\n0,10\n1,-20\n").unwrap();
    let out = folder.path().join("out");
    for command in
        [&["run", "--out", out.to_str().unwrap()][..], &["compare", "--cc", "lia"], &["check"], &["ideal"]]
    {
        let said = anabranch(command.iter().copied().chain([&*file])).fails(2);
        assert!(said.contains("traces/lte.csv:3:3") && said.contains("a rate is 0 or from"), "{said}");
    }
    fs::remove_file(folder.path().join("traces/lte.csv")).unwrap();
    let said = anabranch(["run", &file]).fails(2);
    assert!(said.contains("cannot read `traces/lte.csv`") && said.contains("traced.toml:6:"), "{said}");
    assert!(!out.exists());
}
