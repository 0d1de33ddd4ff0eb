//! `--backend noq`.

use anabranch_record::Summary;
use anabranch_test_support::command::{TWO_PATHS, anabranch, anabranch_reading, root};
use std::process::Command;

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

/// About 1300 packets.
const ONE_PATH: &str = r#"
    name = "one path"
    duration = "4 s"
    links.a = { rate = "4 Mbit/s", delay = "10 ms", queue = "20 packets" }
    flows = [{ name = "only", cc = "reno", paths = [["a"]] }]
"#;

/// tshark decrypts what both ends sent on a connection with one path, and finds all stream bytes that the receiver read.
#[test]
fn tshark_decrypts_a_capture() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.pcapng");
    let path = file.to_str().unwrap();
    let ended = anabranch_reading(ONE_PATH, ["run", "-", "--backend", "noq", "--pcap", path, "--json"]);
    assert_eq!(ended.status, 0, "{}", ended.stderr);
    let delivered = Summary::from_json(&ended.stdout).unwrap().flows[0].delivered_bytes;
    let fields = |filter: &str, fields: &[&str]| -> Option<Vec<String>> {
        let mut tshark = Command::new("tshark");
        tshark.args(["-o", "udp.check_checksum:TRUE", "-r", path, "-T", "fields", "-Y", filter]);
        fields.iter().for_each(|field| _ = tshark.args(["-e", field]));
        let output = match tshark.output() {
            Ok(output) => output,
            Err(error) => {
                eprintln!("skipped: tshark does not start ({error})");
                return None;
            }
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect())
    };
    let wrong = "udp.checksum.status == 0 || ip.checksum.status == 0 || quic.decryption_failed";
    let Some(wrong) = fields(wrong, &["frame.number"]) else { return };
    assert!(wrong.is_empty(), "{wrong:?}");
    let offsets = fields("ip.src == 10.1.0.1 && quic.stream.offset", &["quic.stream.offset"]).unwrap();
    let last = offsets.iter().filter_map(|line| line.split(',').next_back()?.parse::<u64>().ok()).max();
    assert!(last > Some(delivered - 3000), "{last:?} of {delivered}");
    let acks = fields("ip.dst == 10.1.0.1 && quic.frame_type == 2", &["frame.number"]).unwrap();
    assert!(acks.len() > 100, "{acks:?}");
}

/// A study's runs on `noq` are those of `run --backend noq`.
#[test]
fn a_study_runs_on_quic_beside_the_simulator() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.toml");
    std::fs::copy(root().join(TWO_PATHS), folder.path().join("two-paths.toml")).unwrap();
    let study = r#"
        title = "Stacks"
        size.default.seeds = 1
        runs.stacks = { scenario = "two-paths.toml", duration = "4 s", warmup = "1 s", backend = "{stack}", vary.stack = ["sim", "noq"] }
        [[rows]]
        id = "rate.{stack}"
        what = "{stack}"
        unit = "Mbit/s"
        of = 'goodput("bonded")'
    "#;
    std::fs::write(&file, study).unwrap();
    let out = folder.path().join("out");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let result = anabranch(["study", file, "--out", out, "--json"]).ok();
    let result: serde_json::Value = serde_json::from_str(&result).unwrap();
    for (row, backend) in ["sim", "noq"].iter().enumerate() {
        let run = anabranch([&["run", TWO_PATHS, "--backend", backend, "--json"][..], &SHORT].concat()).ok();
        let goodput = Summary::from_json(&run).unwrap().flows[0].goodput_bps.unwrap() / 1e6;
        let of_study = &result["experiments"][0]["rows"][row]["measured"]["mean"];
        assert_eq!(of_study.as_f64(), Some(goodput), "{backend}");
    }
    std::fs::write(file, study.replace("\"noq\"]", "\"qon\"]")).unwrap();
    let said = anabranch(["study", "check", file]).fails(2);
    assert!(said.contains("unknown backend `qon`; known: sim, kernel"), "{said}");
}
