//! `--backend guest-6.12`: a stock kernel in a virtual machine.

use crate::common::{Outcome, TWO_PATHS, anabranch, anabranch_reading, command, outcome, skipped};
use serde_json::{Value, json};
use std::thread;

const TWO_SUBFLOWS: &str = r#"
    name = "two subflows"
    duration = "3 s"
    warmup = "1 s"
    links.a = { rate = "4 Mbit/s", delay = "20 ms", queue = "3 BDP" }
    links.b = { rate = "2 Mbit/s", delay = "20 ms", queue = "3 BDP" }
    flows = [{ name = "tested", cc = "lia", paths = [["a"], ["b"]] }]
"#;

/// Both subflows of an MPTCP connection fill their links under our program, on a kernel that is not the running one; and a second
/// machine beside the first does the same to the last byte.
#[test]
fn two_machines_give_the_same_outcome() {
    let task = json!({"scenario": TWO_SUBFLOWS, "seed": 1, "backend": "guest-6.12"}).to_string();
    let run = || anabranch_reading(&task, ["task"]);
    let (first, second): (Outcome, Outcome) = thread::scope(|scope| {
        let other = scope.spawn(run);
        (run(), other.join().unwrap())
    });
    if first.status == 2
        && ["no image of a guest", "is not installed"].iter().any(|why| first.stderr.contains(why))
    {
        return skipped(&first.stderr);
    }
    let first = first.ok();
    let summary = &serde_json::from_str::<Value>(&first).unwrap()["summary"];
    assert!(summary["kernel"]["release"].as_str().unwrap().starts_with("6.12."), "{summary}");
    assert_eq!(summary["kernel"]["invalid"], json!([]));
    // Nothing that the command does beside holds the links up: not its looks, each 10 ms, at connections and programs' tables.
    let late = &summary["kernel"]["emulator"]["lateness_p99_s"];
    assert!(late.as_f64().unwrap() < 300e-6, "{late}");
    let subflows = summary["flows"][0]["subflows"].as_array().unwrap();
    for (subflow, rate) in subflows.iter().zip([4e6, 2e6]) {
        let goodput = subflow["goodput_bps"].as_f64().unwrap();
        // Of 1500 bytes 1428 are payload, and a queue of 3 BDP is not empty while a window recovers from being halved.
        assert!((0.85 * rate..0.97 * rate).contains(&goodput), "{goodput} of {rate}");
    }
    assert_eq!(subflows.len(), 2);
    assert_eq!(second.ok(), first);
}

/// What is missing is told, with what makes it.
#[test]
fn without_an_image() {
    let folder = tempfile::tempdir().unwrap();
    let run = command()
        .args(["run", TWO_PATHS, "--backend", "guest-6.1", "--json"])
        .env("ANABRANCH_GUESTS", folder.path())
        .output();
    let stderr = outcome(&run.unwrap()).fails(2);
    assert!(stderr.contains("tools/guest-image.sh 6.1"), "{stderr}");
    let out = folder.path().join("out");
    let studies = [
        &["paper", "B", "--only", "B-T2", "--quick"][..],
        &["study", "studies/buffer-and-delay.toml", "--quick"],
        &["sweep", TWO_PATHS, "--cc", "lia"],
    ];
    for study in studies {
        let mut run = command();
        run.args(study).args(["--backend", "guest-6.1", "--out"]).arg(&out);
        let stderr = outcome(&run.env("ANABRANCH_GUESTS", folder.path()).output().unwrap()).fails(2);
        assert!(stderr.contains("tools/guest-image.sh 6.1") && !out.exists(), "{stderr}");
    }
    let stderr = anabranch(["run", TWO_PATHS, "--backend", "guest", "--out", out.to_str().unwrap()]).fails(2);
    assert!(stderr.contains("no samples over time") && !out.exists(), "{stderr}");
}
