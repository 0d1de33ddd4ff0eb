//! The same command gives the same bytes: whatever the threads, the folder, and the processor that runs it.

use anabranch_test_support::command::{
    SHORT, anabranch, binary, command, content, outcome, root, short, skipped,
};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn threads_do_not_matter() {
    let with = |jobs: &str| {
        let options = ["--cc", "lia,coupled-cubic,cubic", "--seeds", "3", "--json", "--jobs", jobs];
        anabranch(short("compare", &options)).ok()
    };
    let one = with("1");
    for jobs in ["2", "3", "7"] {
        assert_eq!(with(jobs), one, "{jobs} jobs");
    }
}

#[test]
fn folders_and_processors_do_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    let scenario = root().join(SHORT[0]).canonicalize().unwrap();
    let run = |mut command: Command, here: &Path, out: &Path| {
        command.arg("run").arg(&scenario).args(&SHORT[1..]).arg("--out").arg(out);
        outcome(command.current_dir(here).stdin(Stdio::null()))
    };
    let first = dir.path().join("first");
    run(command(), &root(), &first).ok();
    let second = dir.path().join("elsewhere/second");
    run(command(), dir.path(), &second).ok();
    assert!(content(&first) == content(&second));
    for processor in ["0", "1"] {
        let mut pinned = Command::new("taskset");
        pinned.args(["--cpu-list", processor]).arg(binary());
        let can = Command::new("taskset").args(["--cpu-list", processor, "true"]).status();
        if !can.is_ok_and(|status| status.success()) {
            skipped("taskset cannot choose a processor");
            continue;
        }
        let out = dir.path().join(processor);
        run(pinned, dir.path(), &out).ok();
        assert!(content(&first) == content(&out), "processor {processor}");
    }
}
