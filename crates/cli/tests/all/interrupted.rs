//! Ctrl-C once, twice at once, and again.

use anabranch_test_support::command::{TWO_PATHS, command, ended, has, one_line, scratch, signal, wait_for};
use rustix::process::Signal;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

pub const LONG: [&str; 4] = ["run", TWO_PATHS, "--duration", "1000000 s"];

/// A run without end, of which samples are there.
pub fn long_run(out: &Path, more: &[&str]) -> Child {
    let mut child = command().args(LONG).args(more).arg("--out").arg(out).spawn().unwrap();
    wait_for(&mut child, || private(out).join("subflows.parquet.partial").exists());
    child
}

/// Where new results are made.
pub fn private(out: &Path) -> PathBuf {
    out.with_file_name(format!(".{}.anabranch", out.file_name().unwrap().to_str().unwrap()))
}

/// `timeout -s INT` signals the command, and then its process group: one request. Before the end of the warm-up nothing was measured,
/// which is not a utilisation of 0.
#[test]
fn two_signals_at_once_are_one_request() {
    let (_dir, out) = scratch("out");
    let child = long_run(&out, &["--set", "warmup=900000 s"]);
    signal(&child, Signal::INT);
    sleep(Duration::from_millis(3));
    signal(&child, Signal::INT);
    let ended = ended(child).ended(130);
    has(&ended.stderr, ["the result is partial"]);
    assert!(out.join("summary.json").exists());
    let page = one_line(&ended.stdout);
    has(&page, ["before the end of its warm-up, so it has no means"]);
    let links = page.rsplit_once("utilisation").expect("the table of links").1;
    assert!(links.contains(" fibre – – – 0 0 0 dsl – – – "), "{links}");
}

/// A reader that does not read keeps the command from its orderly end.
#[test]
fn a_later_ctrl_c_ends_at_once_and_says_so() {
    let mut child = command().args(LONG).args(["--pcap", "/dev/stdout"]).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 4096]).unwrap();
    signal(&child, Signal::INT);
    for _ in 0..100 {
        sleep(Duration::from_millis(200));
        match child.try_wait().unwrap() {
            None => signal(&child, Signal::INT),
            Some(_) => {
                child.stdout = None; // bytes of a capture
                return has(&one_line(&ended(child).ended(130).stderr), ["interrupted again: ended at once"]);
            }
        }
    }
    child.kill().unwrap();
    panic!("it does not end");
}
