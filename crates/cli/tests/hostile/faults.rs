//! Calls of the system that fail, and ends at any of them: what was there before stays whole, or what is new is whole.

use anabranch_test_support::command::{TWO_PATHS, command, content, skipped, typed, words};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const EACCES: i32 = 13;
/// Not an error, but the end.
const KILL: i32 = 0;

/// Builds the preloaded library; `None` without a C compiler.
fn preload(into: &Path) -> Option<PathBuf> {
    let library = into.join("faults.so");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/faults.c");
    let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).status();
    built.is_ok_and(|status| status.success()).then_some(library)
}

/// A command in which the `at`-th change of files at `out` or beside it fails.
fn faulty(line: &str, out: &Path, library: &Path, fault: i32, at: u64) -> Command {
    let mut command = command();
    command.args(words(line)).arg(out);
    command.env("LD_PRELOAD", library).env("FAULT_IN", out.file_name().unwrap());
    command.env("FAULT_AT", at.to_string()).env("FAULT", fault.to_string());
    command
}

/// The command without faults.
fn whole(line: &str, out: &Path) {
    typed(&format!("{line} '{}'", out.display())).done();
}

/// How it may have ended.
fn assert_reported(output: &Output, fault: i32, at: u64) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "fault {fault} at {at}: {said}");
    match output.status.code() {
        None => assert_eq!(fault, KILL, "at {at}: {said}"),
        Some(0) => {}
        Some(2) => assert!(said.contains("cannot") || said.contains("lost"), "fault {fault} at {at}: {said}"),
        other => panic!("fault {fault} at {at}: status {other:?}: {said}"),
    }
}

/// A short run.
fn of_seed(seed: &str) -> String {
    let run = format!("run {TWO_PATHS} --duration '300 ms' --set 'warmup=0 s' --format csv --seed {seed}");
    run + " --replace --out"
}

/// The files of two runs, before and after.
fn old_and_new(dir: &Path) -> [BTreeMap<PathBuf, Vec<u8>>; 2] {
    ["1", "2"].map(|seed| {
        let out = dir.join(seed);
        whole(&of_seed(seed), &out);
        content(&out)
    })
}

#[test]
fn a_run_leaves_the_former_result_or_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let Some(library) = preload(dir.path()) else { return skipped("no C compiler") };
    let ([old, new], out) = (old_and_new(dir.path()), dir.path().join("faulty"));
    let (mut summaries, mut done) = (0, BTreeMap::new());
    for _ in 0..crate::times().min(40) {
        for fault in [ENOSPC, EIO, EACCES, KILL] {
            for at in 1.. {
                // The leftovers of a kill beside it stay: the next command must cope.
                if !out.exists() || content(&out) != old {
                    let _ = fs::remove_dir_all(&out);
                    whole(&of_seed("1"), &out);
                }
                let output = faulty(&of_seed("2"), &out, &library, fault, at).output().unwrap();
                assert_reported(&output, fault, at);
                let found = content(&out);
                assert!(found == old || found == new, "fault {fault} at {at}: {:?}", found.keys());
                *done.entry(fault).or_insert(0) += 1;
                if output.status.success() {
                    assert_eq!(found, new);
                    break;
                }
                summaries += u32::from(fault == ENOSPC && !output.stdout.is_empty());
                assert!(at < 1000);
            }
        }
    }
    eprintln!("faults in a run, by error: {done:?}");
    // Most calls come after the simulation began, and then its summary is printed all the same.
    assert!(summaries > 5, "{summaries}");
}

/// Where names cannot be exchanged there is an instant without either name: the former result is in a folder beside, from
/// which the next command takes it.
#[test]
fn without_an_exchange_of_names_nothing_is_lost_either() {
    let dir = tempfile::tempdir().unwrap();
    let Some(library) = preload(dir.path()) else { return skipped("no C compiler") };
    let ([old, new], out) = (old_and_new(dir.path()), dir.path().join("faulty"));
    let former = dir.path().join(".faulty.anabranch-former");
    let without_exchange = |at: u64| {
        let mut command = faulty(&of_seed("2"), &out, &library, KILL, at);
        let output = command.env("FAULT_NO_EXCHANGE", "1").output().unwrap();
        assert_ne!(output.status.code(), Some(77), "seccomp");
        output
    };
    let (mut between, mut both) = (0, 0);
    for at in 1.. {
        whole(&of_seed("1"), &out);
        assert_eq!((content(&out), former.exists()), (old.clone(), false), "after {at}");
        let output = without_exchange(at);
        assert_reported(&output, KILL, at);
        match out.exists() {
            true => assert!(content(&out) == old || content(&out) == new, "{at}"),
            false => assert_eq!(content(&former), old, "{at}"),
        }
        between += u32::from(!out.exists());
        both += u32::from(out.exists() && former.exists());
        if output.status.success() {
            assert_eq!(content(&out), new);
            break;
        }
    }
    assert!(between > 0 && both > 0, "{between} and {both}");
}

#[test]
fn a_paper_leaves_the_former_results_or_the_new_ones() {
    let dir = tempfile::tempdir().unwrap();
    let Some(library) = preload(dir.path()) else { return skipped("no C compiler") };
    let of_seeds = |n| format!("paper all --quick --only B-D --seeds {n} --replace --out");
    let (former, new) = (dir.path().join("old"), dir.path().join("new"));
    whole(&of_seeds("1"), &former);
    whole(&of_seeds("2"), &new);
    // Apart: each is replaced as a whole, one after the other.
    let parts = |out: &Path| (content(&out.join("papers")), content(&out.join("report")));
    let (old, new) = (parts(&former), parts(&new));
    // Some of the calls with every test, more of them where there is time: each would take an hour.
    let (stride, mut done) = (61_u64.div_ceil(crate::times()).max(7) as usize, 0);
    for fault in [ENOSPC, KILL] {
        for at in (1..).step_by(stride) {
            let out = dir.path().join(format!("faulty-{fault}-{at}"));
            assert!(Command::new("cp").arg("-a").args([&former, &out]).status().unwrap().success());
            let output = faulty(&of_seeds("2"), &out, &library, fault, at).output().unwrap();
            assert_reported(&output, fault, at);
            // Half-written files have other names.
            let mut found = parts(&out);
            found.0.retain(|file, _| file.extension().is_some_and(|e| e == "json"));
            assert!(found.0 == old.0 || found.0 == new.0, "fault {fault} at {at}: papers");
            assert!(found.1 == old.1 || found.1 == new.1, "fault {fault} at {at}: report");
            fs::remove_dir_all(&out).unwrap();
            done += 1;
            if output.status.success() {
                break;
            }
        }
    }
    eprintln!("faults in a paper: {done}, at every {stride}th call");
}
