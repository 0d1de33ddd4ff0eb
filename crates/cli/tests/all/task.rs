//! `anabranch task`.

use anabranch_record::Summary;
use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, command, ended, has, outcome, root, signal,
};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write, copy, sink};
use std::process::{Command, Stdio};

fn scenario() -> String {
    fs::read_to_string(root().join(TWO_PATHS)).unwrap()
}

/// The summary has the bytes of `run --json`, and the key those of the store: any process may make the run.
#[test]
fn a_task_is_a_run() {
    let set = ["duration=3 s", "warmup=1 s", "links.dsl.rate=5 Mbit/s"];
    let task = json!({"scenario": scenario(), "set": set, "cc": ["olia"], "seed": 7, "backend": "sim"});
    let line = anabranch_reading(&task.to_string(), ["task"]).ok();
    assert_eq!(line.lines().count(), 1);
    let sets = set.iter().flat_map(|set| ["--set", set]);
    let run =
        anabranch(["run", TWO_PATHS, "--cc", "olia", "--seed", "7", "--json"].into_iter().chain(sets)).ok();
    let compact = serde_json::to_string(&Summary::from_json(&run).unwrap()).unwrap();
    assert!(line.ends_with(&format!(",\"summary\":{compact}}}\n")), "{line}\n{compact}");

    let made: Value = serde_json::from_str(&line).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (version, hash) = (text(&made["version"]), text(&made["summary"]["scenario_hash"]));
    let sum = |input: &str| {
        let args = ["-c", "printf %s \"$0\" | sha256sum", input];
        outcome(Command::new("sh").args(args)).ok()[..64].to_owned()
    };
    assert_eq!(text(&made["key"]), sum(&format!("{version}\n{hash}\n7\nsim\n")));
    // A seed as text, what may be missing missing.
    let task = json!({"scenario": scenario(), "set": ["duration=1 s", "warmup=0 s"], "seed": "18446744073709551615"});
    let made = anabranch_reading(&task.to_string(), ["task"]).json();
    assert_eq!(made["summary"]["seed"], "18446744073709551615");
}

#[test]
fn invalid_tasks_are_refused() {
    let with = |more: &str| format!("{{\"scenario\": {}, \"seed\": 1{more}}}", Value::from(scenario()));
    for (task, said) in [
        (String::new(), "is not a task: EOF"),
        ("name = \"toml\"".into(), "is not a task: expected"),
        ("{\"seed\": 1}".into(), "missing field `scenario`"),
        (with(", \"cores\": 2"), "unknown field `cores`, expected one of"),
        (with(", \"seed\": 2"), "duplicate field `seed`"),
        (with(", \"backend\": \"ns3\""), "unknown backend `ns3`; known: sim, kernel"),
        (with(", \"cc\": [\"liar\"]"), "did you mean `lia`"),
        (with(", \"set\": [\"links.dsl.rate=fast\"]"), "links.dsl.rate=fast"),
        (with(", \"set\": [\"links.none.rate=5 Mbit/s\"]"), "none"),
        (with("} {"), "trailing characters"),
    ] {
        anabranch_reading(&task, ["task"]).refused([said]);
    }
}

/// Ctrl-C ends it without an outcome.
#[test]
fn an_interrupted_task() {
    let task = json!({"scenario": scenario(), "set": ["duration=1000000 s", "warmup=0 s"], "seed": 1});
    let mut task_command = command();
    task_command.arg("task").env("ANABRANCH_PROGRESS_SECONDS", "0.001").stdin(Stdio::piped());
    let mut child = task_command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(task.to_string().as_bytes()).unwrap();
    // Its first word of progress: it is at work.
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    has(&line, ["% of the simulated time"]);
    signal(&child, Signal::INT);
    copy(&mut stderr, &mut sink()).unwrap();
    assert_eq!(ended(child).ended(130).stdout, "");
}
