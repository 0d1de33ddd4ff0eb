//! `--backend noq`.

use anabranch_record::Summary;
use anabranch_test_support::command::{TWO_PATHS, anabranch};

const SHORT: [&str; 4] = ["--set", "duration=4 s", "--set", "warmup=1 s"];

fn noq<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &["--backend", "noq"], &SHORT].concat()
}

#[test]
fn run_repeats_itself_and_compare_has_a_table() {
    let run = anabranch(noq(&["run", TWO_PATHS, "--seed", "5", "--json"])).ok();
    assert_eq!(run, anabranch(noq(&["run", TWO_PATHS, "--seed", "5", "--json"])).ok());
    let summary = Summary::from_json(&run).unwrap();
    assert!(summary.flows.iter().all(|flow| flow.goodput_bps > Some(1e5)), "{run}");
    let table = anabranch(noq(&["compare", TWO_PATHS, "--cc", "lia", "--cc", "olia", "--seeds", "2"])).ok();
    assert!(table.contains("lia") && table.contains("olia"), "{table}");
}

#[test]
fn a_key_of_tcp_is_refused() {
    let refused = anabranch(noq(&["run", TWO_PATHS, "--set", "hosts=linux"]));
    let said = refused.fails(2);
    assert!(said.contains("cannot be run with `--backend noq`: `flows.bonded.tcp.tso`"), "{said}");
    assert!(said.contains("remove it, and `hosts`"), "{said}");
}

/// Every key of a flow of TCP works beside QUIC, and a file with such flows runs on the simulator.
#[test]
fn tcp_runs_beside_quic() {
    let tcp =
        ["--set", "flows.neighbour.transport=tcp", "--set", "flows.neighbour.tcp.min_rto=1 s", "--json"];
    let beside = Summary::from_json(&anabranch(noq(&[&["run", TWO_PATHS][..], &tcp].concat())).ok()).unwrap();
    assert!(beside.flows.iter().all(|flow| flow.goodput_bps > Some(1e5)), "{beside:?}");
    let own = anabranch([&["run", TWO_PATHS][..], &SHORT, &tcp].concat()).ok();
    assert_ne!(Summary::from_json(&own).unwrap().flows, beside.flows);
}

#[test]
fn a_controller_of_the_stack_is_of_quic_alone() {
    let said = anabranch(["run", TWO_PATHS, "--cc", "noq:cubic"]).fails(2);
    assert!(said.contains("noq:cubic is a controller of a QUIC stack"), "{said}");
}

#[test]
fn quic_is_not_measured_as_linux() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let said = anabranch(["paper", "D", "--quick", "--backend", "noq", "--measure", folder]).fails(2);
    assert!(said.contains("`--measure` measures on Linux, not on `noq`"), "{said}");
}
