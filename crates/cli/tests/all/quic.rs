//! `--backend noq`.

use anabranch_record::Summary;
use anabranch_test_support::command::{TWO_PATHS, anabranch};

const SHORT: [&str; 4] = ["--set", "duration=4 s", "--set", "warmup=1 s"];

fn noq<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &["--backend", "noq"], &SHORT].concat()
}

/// By a command and as a task: the same summary.
#[test]
fn run_and_task_are_the_same_run() {
    let run = anabranch(noq(&["run", TWO_PATHS, "--seed", "5", "--json"])).ok();
    assert_eq!(run, anabranch(noq(&["run", TWO_PATHS, "--seed", "5", "--json"])).ok());
    let summary = Summary::from_json(&run).unwrap();
    assert!(summary.flows.iter().all(|flow| flow.goodput_bps > Some(1e5)), "{run}");
    let table = anabranch(noq(&["compare", TWO_PATHS, "--cc", "lia", "--cc", "olia", "--runs", "2"])).ok();
    assert!(table.contains("lia") && table.contains("olia"), "{table}");
}

#[test]
fn a_key_of_tcp_is_refused() {
    let refused = anabranch(noq(&["run", TWO_PATHS, "--set", "hosts=linux"]));
    let said = refused.fails(2);
    assert!(said.contains("scheduler") && said.contains("remove the key"), "{said}");
}
