//! Scenarios whose links follow traces, by the commands that read them, from another folder.

use anabranch_record::Summary;
use anabranch_test_support::command::{Folder, anabranch, anabranch_reading, folder, has, typed};
use serde_json::json;
use std::fs;

const TRACED: &str = r#"name = "traced"
duration = "4 s"
warmup = "1 s"
links.lte = { trace = { file = "traces/lte.csv", start = "0 s" }, delay = "20 ms", queue = "100 packets" }
links.cell = { trace = "traces/cell.down", delay = "30 ms", queue = "60 packets" }
flows = [{ name = "both", cc = "lia", paths = [["lte"], ["cell"]] }]
"#;

/// A folder with the scenario, whose traces are in a folder of their own, and the scenario's path.
fn traced() -> (Folder, String) {
    let folder = folder();
    fs::create_dir(folder.at("traces")).unwrap();
    folder.write("traces/lte.csv", "time (s),rate (Mbit/s)\n0,10\n1,20\n2.5,0\n2.6,5\n");
    folder.write("traces/half.csv", "time (s),rate (Mbit/s)\n0,5\n1,10\n2.5,0\n2.6,2.5\n");
    folder.write("traces/cell.down", (1..=1000).map(|ms| format!("{ms}\n")).collect::<String>());
    let file = folder.write("traced.toml", TRACED);
    (folder, file)
}

#[test]
fn every_command_reads_the_traces() {
    let (folder, file) = traced();
    let run = anabranch(["run", &file, "--json"]).json();
    // An opportunity each millisecond: 1500 bytes of which 1428 are payload.
    let goodput = run["flows"][0]["subflows"][1]["goodput_bps"].as_f64().unwrap();
    assert!((goodput / (1428.0 * 8e3) - 1.0).abs() < 0.01, "{goodput}");

    let compared = anabranch(["compare", &file, "--cc", "lia", "--seeds", "1", "--json"]).json();
    assert_eq!(compared[0]["scenario_hash"], run["scenario_hash"]);
    assert_eq!(compared[0]["flows"], run["flows"]);
    has(&anabranch(["check", &file]).ok(), ["12 Mbit/s (trace, mean)"]);
    let ideal = anabranch(["ideal", &file]).ok();
    has(&ideal, ["cell follows a trace: treated as a link with its mean rate, 12.000 Mbit/s"]);

    // The kept text of a run needs no other files.
    anabranch(["run", &file, "--out", &folder.at("out")]).ok();
    let elsewhere = self::folder();
    let kept = elsewhere.write("kept.toml", folder.read("out/scenario.toml"));
    assert_eq!(anabranch(["run", &kept, "--json"]).json(), run);
}

/// An axis or `--set` may name other traces, and a study file stands beside its scenario.
#[test]
fn studies_have_the_traces() {
    let (folder, file) = traced();
    let halved = anabranch(["run", &file, "--json", "--set", "links.lte.trace.file=traces/half.csv"]).json();
    let vary =
        ["sweep", &file, "--seeds", "1", "--vary", "links.lte.trace.file=traces/lte.csv,traces/half.csv"];
    let mine = folder.write("mine.toml", anabranch(vary.into_iter().chain(["--print-study"])).ok());
    anabranch(vary.into_iter().chain(["--out", &folder.at("swept")])).done();
    anabranch(["study", &mine, "--seeds", "1", "--out", &folder.at("studied")]).done();
    for result in ["swept/studies/traced.csv", "studied/studies/mine.csv"] {
        has(&folder.read(result), ["half.csv", halved["scenario_hash"].as_str().unwrap()]);
    }
}

/// A task's text is all there is to it: it names no file of the machine that makes the run.
#[test]
fn a_task_has_the_traces_or_is_refused() {
    let (folder, file) = traced();
    let run = anabranch(["run", &file, "--json", "--out", &folder.at("out")]).stdout;
    let task = |text: &str| anabranch_reading(&json!({"scenario": text, "seed": 1}).to_string(), ["task"]);
    let line = task(&folder.read("out/scenario.toml")).ok();
    has(&line, [serde_json::to_string(&Summary::from_json(&run).unwrap()).unwrap()]);
    task(TRACED).refused(["the scenario has no file `traces/lte.csv`"]);
}

#[test]
fn mistakes_end_with_status_2() {
    let (folder, file) = traced();
    folder.write("traces/lte.csv", "time (s),rate (Mbit/s)\n0,10\n1,-20\n");
    let out = folder.at("out");
    for command in [&*format!("run --out {out}"), "compare --cc lia", "check", "ideal"] {
        typed(&format!("{command} {file}")).refused(["traces/lte.csv:3:3", "a rate is 0 or from"]);
    }
    fs::remove_file(folder.at("traces/lte.csv")).unwrap();
    anabranch(["run", &file]).refused(["cannot read `traces/lte.csv`", "traced.toml:4:"]);
    assert!(!fs::exists(out).unwrap());
}
