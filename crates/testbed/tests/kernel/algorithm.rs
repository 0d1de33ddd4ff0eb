//! Programs that are loaded for a run.

use anabranch_mptcp_bpf::{MPTCP_ENABLED, Verdict, doctor};
use anabranch_scenario::Scenario;
use anabranch_test_support::host::{takes_part, until};
use anabranch_test_support::is_listed;
use anabranch_testbed::algorithm::Algorithms;

/// Why the kernel takes no programs; MPTCP need not be switched on here.
fn lacking() -> Option<String> {
    let missing = |check: &anabranch_mptcp_bpf::Check| {
        check.verdict == Verdict::Missing && check.title != MPTCP_ENABLED
    };
    doctor().iter().find(|check| missing(check)).map(|check| format!("{}: {}", check.title, check.found))
}

/// Flows share a program, and all go with the run.
#[test]
fn programs_are_loaded_once_for_a_run() {
    let Some(()) = takes_part(lacking()) else { return };
    let flow = |cc| format!("[[flows]]\nname = \"{cc}\"\ncc = \"{cc}\"\npaths = [[\"l\"], [\"l\"]]\n");
    let flows = ["lia", "reno", "olia", "lia@kernel"].map(flow).concat();
    let head = "name = \"test\"\nduration = \"1 s\"\nlinks.l = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n";
    let scenario = format!("{head}{flows}").parse::<Scenario>().unwrap();

    let algorithms = Algorithms::load(&scenario.flows).unwrap();
    let names: Vec<String> = (0..4).map(|flow| algorithms.name(flow).to_owned()).collect();
    assert!(names.iter().all(|name| is_listed(name)), "{names:?}");
    assert!(names[0] == names[3] && names[0] != names[2] && names[1] == "reno", "{names:?}");
    let loaded: Vec<_> = algorithms.programs.iter().map(|program| program.entry().kernel_name).collect();
    assert_eq!(loaded, ["ab_lia", "ab_olia"]);
    assert_eq!([0, 1, 2, 3].map(|flow| algorithms.program_index(flow)), [Some(0), None, Some(1), Some(0)]);

    drop(algorithms);
    until("no program is left", || !is_listed(&names[0]) && !is_listed(&names[2]));
}
