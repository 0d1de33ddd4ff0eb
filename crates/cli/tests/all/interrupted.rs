//! Ctrl-C once, twice at once, and again.

use anabranch_test_support::command::{TWO_PATHS, command, one_line, outcome, scratch, signal};
use rustix::process::Signal;
use std::io::Read;
use std::path::Path;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

const LONG: [&str; 4] = ["run", TWO_PATHS, "--duration", "1000000 s"];

/// A run without end, of which samples are there.
fn long_run(out: &Path) -> Child {
    let mut child =
        command().args(LONG).args(["--set", "warmup=900000 s", "--out"]).arg(out).spawn().unwrap();
    let sampled = out.with_file_name(".out.anabranch").join("subflows.parquet.partial");
    for _ in 0..20_000 {
        if sampled.exists() {
            return child;
        }
        assert_eq!(child.try_wait().unwrap(), None, "ended early");
        sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    panic!("no samples after {:?}", child.wait_with_output());
}

/// `timeout -s INT` signals the command, and then its process group: one request. Before the end of the warm-up nothing was measured,
/// which is not a utilisation of 0.
#[test]
fn two_signals_at_once_are_one_request() {
    let (_dir, out) = scratch("out");
    let child = long_run(&out);
    signal(&child, Signal::INT);
    sleep(Duration::from_millis(3));
    signal(&child, Signal::INT);
    let ended = outcome(&child.wait_with_output().unwrap());
    assert_eq!(ended.status, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("the result is partial") && out.join("summary.json").exists());
    let page = one_line(&ended.stdout);
    assert!(page.contains("before the end of its warm-up, so it has no means"), "{page}");
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
            Some(status) => {
                assert_eq!(status.code(), Some(130));
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                assert!(one_line(&said).contains("interrupted again: ended at once"), "{said}");
                return;
            }
        }
    }
    child.kill().unwrap();
    panic!("it does not end");
}
