//! `--backend guest-6.12`: a stock kernel in a virtual machine.

use anabranch_record::Record;
use anabranch_test_support::command::{Outcome, TWO_PATHS, anabranch, command, folder, outcome, skipped};
use serde_json::{Value, json};
use std::{fs, thread};

const TWO_SUBFLOWS: &str = r#"
    name = "two subflows"
    duration = "3 s"
    warmup = "1 s"
    links.a = { rate = "20 Mbit/s", delay = "20 ms", queue = "3 BDP" }
    links.b = { rate = "2 Mbit/s", delay = "20 ms", queue = "3 BDP" }
    flows = [{ name = "tested", cc = "lia", paths = [["a"], ["b"]] }]
"#;

/// Both subflows of an MPTCP connection fill their links under our program, on a kernel that is not the running one; and a second
/// machine beside the first does the same to the last byte.
#[test]
fn two_machines_give_the_same_outcome() {
    let folder = folder();
    let file = folder.write("two.toml", TWO_SUBFLOWS);
    let run = |out| anabranch(["run", &file, "--json", "--backend", "guest-6.12", "--out", &folder.at(out)]);
    let (first, second): (Outcome, Outcome) = thread::scope(|scope| {
        let other = scope.spawn(|| run("second"));
        (run("first"), other.join().unwrap())
    });
    let Some(first) = is_there(first) else { return };
    let first = first.ok();
    assert_eq!(second.ok(), first);
    let summary: Value = serde_json::from_str(&first).unwrap();
    assert!(summary["kernel"]["release"].as_str().unwrap().starts_with("6.12."), "{summary}");
    assert_eq!(summary["kernel"]["invalid"], json!([]));
    // A tenth of a packet's time, in virtual time only.
    assert_eq!(summary["kernel"]["emulator"]["quantum_s"], json!(60e-6));
    // Nothing that the command does beside holds the links up: not its looks, each 10 ms, at connections and programs' tables.
    let late = &summary["kernel"]["emulator"]["lateness_p99_s"];
    assert!(late.as_f64().unwrap() < 300e-6, "{late}");

    for file in ["subflows.parquet", "links.parquet"] {
        let [one, other] = ["first", "second"].map(|out| fs::read(folder.at(out) + "/" + file).unwrap());
        assert!(one == other, "{file}");
    }
    samples_have_what_the_summary_has(&Record::read(folder.at("first").as_ref()).unwrap());
}

/// Samples over time leave the machine as those of the running kernel do: subflows' and links'.
fn samples_have_what_the_summary_has(Record { summary, samples }: &Record) {
    // One in 100 ms.
    let rows: usize = samples.links.iter().map(|link| link.time_s.len()).sum();
    assert!(rows >= 2 * 29, "{rows}");
    let subflows = &summary.flows[0].subflows;
    assert_eq!((samples.flows[0].subflows.len(), subflows.len()), (2, 2));
    for ((own, summary), rate) in samples.flows[0].subflows.iter().zip(subflows).zip([20e6, 2e6]) {
        // LIA's α is beside them.
        assert!(own.observable("alpha").is_some());
        assert!(own.time_s.len() >= 28, "{}", own.time_s.len());
        let at = |time: f64| own.time_s.iter().position(|at| *at >= time).unwrap_or(own.time_s.len() - 1);
        let [first, last] = [1.0, 3.0].map(|time| own.delivered_bytes[at(time)]);
        let (goodput, by_samples) = (summary.goodput_bps.unwrap(), (last - first) * 8.0 / 2.0);
        // The samples before and after are up to 0.1 s away.
        assert!((by_samples / goodput - 1.0).abs() < 0.1, "{by_samples} of {goodput}");
        // Of 1500 bytes 1428 are payload, and a queue of 3 BDP is not empty while a window recovers from being halved.
        assert!((0.85 * rate..0.97 * rate).contains(&goodput), "{goodput} of {rate}");
    }
}

/// A missing image is reported, with the command that makes it.
#[test]
fn without_an_image() {
    let folder = folder();
    for args in [
        &["run", TWO_PATHS, "--json"][..],
        &["paper", "B", "--only", "B-T2", "--quick"],
        &["study", "studies/examples/buffer-and-delay.toml", "--quick"],
        &["sweep", TWO_PATHS, "--cc", "lia"],
    ] {
        let mut run = command();
        run.args(args).args(["--backend", "guest-6.1", "--out", &folder.at("out")]);
        outcome(run.env("ANABRANCH_GUESTS", folder.path())).refused(["tools/guest-image.sh 6.1"]);
        assert_eq!(folder.names(), [""; 0]);
    }
}

/// CUBIC's window does not grow in a pause. Linux 7.1 and later report its end by a function of its own.
#[test]
fn a_pause_does_not_grow_the_window() {
    const PAUSE: &str = r#"
        name = "pause"
        duration = "7 s"
        links.a = { rate = "50 Mbit/s", delay = "20 ms", queue = "6 BDP", loss = { model = "listed", packets = [1200] } }
        [[flows]]
        name = "tested"
        cc = "linked-cubic"
        paths = [["a"]]
        tcp = { slow_start_after_idle = false }
        application = { kind = "on-off", on = "2 s", off = "4 s" }
    "#;
    let folder = folder();
    let file = folder.write("pause.toml", PAUSE);
    for kernel in ["guest-6.12", "guest-newest"] {
        let out = folder.at(kernel);
        let Some(run) = is_there(anabranch(["run", &file, "--json", "--backend", kernel, "--out", &out]))
        else {
            continue;
        };
        assert_eq!(run.status, 0, "{}", run.stderr);
        let samples = Record::read(out.as_ref()).unwrap().samples;
        let subflow = &samples.flows[0].subflows[0];
        let at = |time: f64| subflow.cwnd_segments[subflow.time_s.iter().position(|at| *at >= time).unwrap()];
        // Sending takes up to 0.5 s of the pause, and resumes at 6 s.
        let (before, after) = (at(3.0), at(6.4));
        assert!((1.0..1.06).contains(&(after / before)), "{kernel}: {before} to {after}");
    }
}

/// The guest has this machine's iperf3.
#[test]
fn iperf3_in_a_guest() {
    let folder = folder();
    let file = folder.write("two.toml", TWO_SUBFLOWS);
    let run = is_there(anabranch(["run", &file, "--json", "--backend", "guest", "--traffic", "iperf3"]));
    let Some(run) = run else { return };
    // iperf3 begins late, which is said, and makes the run one that is not valid.
    let summary: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {}", run.stderr));
    assert_eq!(summary["kernel"]["traffic"], "iperf3");
    let goodput = summary["flows"][0]["goodput_bps"].as_f64().unwrap();
    // Data that came out of order in the first second is delivered after it: up to a queue more than the links carry.
    assert!((0.85 * 22e6..1.03 * 22e6).contains(&goodput), "{goodput}");
}

/// Without QEMU, an image or iperf3 there is nothing to test.
fn is_there(run: Outcome) -> Option<Outcome> {
    let missing = ["no guest image", "is not installed"].iter().any(|why| run.stderr.contains(why));
    if run.status == 2 && missing {
        skipped(&run.stderr);
        return None;
    }
    Some(run)
}
