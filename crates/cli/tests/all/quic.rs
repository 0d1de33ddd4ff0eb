//! `--backend noq`.

use anabranch_record::Summary;
use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, binary, command, names, outcome, root, scratch, signal,
};
use rustix::process::Signal;
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

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
    let (_folder, file) = scratch("run.pcapng");
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

/// The records of a trace: JSON text sequences (RFC 7464), and what the schema of qlog requires of them
/// (draft-ietf-quic-qlog-main-schema-13, sections 5 and 7; the events of draft-ietf-quic-qlog-quic-events-12).
fn records(file: &Path, vantage_point: &str) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let mut records = text.split_terminator('\n').map(|line| {
        let json = line.strip_prefix('\u{1e}').expect("a record separator");
        serde_json::from_str::<Value>(json).unwrap()
    });
    let head = records.next().unwrap();
    assert_eq!(head["file_schema"], "urn:ietf:params:qlog:file:sequential");
    assert!(head["serialization_format"].is_string()); // the stack's is of an earlier draft
    assert_eq!(head["trace"]["vantage_point"]["type"], vantage_point);
    let events: Vec<Value> = records.collect();
    let mut before = 0.0;
    for event in &events {
        let (time, name) = (event["time"].as_f64().unwrap(), event["name"].as_str().unwrap());
        assert!(time >= before && name.starts_with("quic:") && event["data"].is_object(), "{event}");
        before = time;
        if ["quic:packet_sent", "quic:packet_received"].contains(&name) {
            let header = &event["data"]["header"];
            assert!(header["packet_type"].is_string() && header["packet_number"].is_u64(), "{event}");
        }
    }
    events
}

/// The packets of such events: their path, number and time in seconds.
fn packets<'a>(events: &'a [Value], name: &'a str) -> impl Iterator<Item = (u64, u64, f64)> + 'a {
    events.iter().filter(move |event| event["name"] == name).filter_map(|event| {
        let header = &event["data"]["header"];
        let is_data = header["packet_type"] == "1RTT";
        let path = header["path_id"].as_u64().unwrap_or_default();
        is_data.then_some((path, header["packet_number"].as_u64()?, event["time"].as_f64()? / 1e3))
    })
}

/// Paths of 10 and 30 ms with little in their queues. Data moves to the second one.
const TWO_DELAYS: &str = r#"
    name = "two delays"
    duration = "3 s"
    links.a = { rate = "100 Mbit/s", delay = "10 ms" }
    links.b = { rate = "100 Mbit/s", delay = "30 ms" }
    flows = [{ name = "a / b", cc = "lia", paths = [["a"], ["b"]], events = [{ at = "1.5 s", path = 1, action = "backup" }], application = { kind = "on-off", on = "9 s", off = "1 s", rate = "3 Mbit/s" } }]
"#;

/// Traces are in virtual time: each packet arrives one delay of its path and its own transmission after it was sent. All bytes that the
/// receiver read are in its packets. Another run has the same bytes.
#[test]
fn qlog_traces_have_each_packet() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let folder = folder.path().join(name);
        let ended = anabranch_reading(
            TWO_DELAYS,
            ["run", "-", "--backend", "noq", "--json", "--qlog", folder.to_str().unwrap()],
        );
        assert_eq!(ended.status, 0, "{}", ended.stderr);
        let file = |end: &str| folder.join(format!("1-a___b-{end}.sqlog"));
        (Summary::from_json(&ended.stdout).unwrap(), [file("sender"), file("receiver")])
    };
    let (summary, files) = run("first");
    let (_, again) = run("second");
    for (file, again) in files.iter().zip(again) {
        assert!(fs::read(file).unwrap() == fs::read(again).unwrap(), "{} differs", file.display());
    }
    let [sender, receiver] = [(&files[0], "client"), (&files[1], "server")].map(|(f, at)| records(f, at));
    let sent: HashMap<_, _> =
        packets(&sender, "quic:packet_sent").map(|(path, number, at)| ((path, number), at)).collect();
    let mut arrived = [0; 2];
    for (path, number, at) in packets(&receiver, "quic:packet_received") {
        let took = at - sent[&(path, number)];
        // A packet takes up to 0.12 ms on the link, and few leave at once.
        let delay = [0.010, 0.030][path as usize];
        assert!((delay..delay + 0.0005).contains(&took), "packet {number} of path {path}: {took} s");
        arrived[path as usize] += 1;
    }
    assert!(arrived.iter().all(|&packets| packets > 500), "{arrived:?}");
    let frames = receiver.iter().filter(|event| event["name"] == "quic:packet_received");
    let bytes: u64 = frames
        .flat_map(|event| event["data"]["frames"].as_array().into_iter().flatten())
        .filter(|frame| frame["frame_type"] == "stream")
        .map(|frame| frame["raw"]["length"].as_u64().unwrap())
        .sum();
    assert_eq!(bytes, summary.flows[0].delivered_bytes);
}

/// Ctrl-C: the traces up to then have names that say so, beside whole ones, and end with a whole record.
#[test]
fn qlog_of_an_interrupted_run_is_partial() {
    let folder = tempfile::tempdir().unwrap();
    let qlog = ["--qlog", folder.path().to_str().unwrap()];
    anabranch_reading(ONE_PATH, [&["run", "-", "--backend", "noq"], &qlog[..]].concat()).ok();
    let whole = ["1-only-receiver.sqlog", "1-only-sender.sqlog"];
    let bytes = whole.map(|name| fs::read(folder.path().join(name)).unwrap());
    let scenario = folder.path().join("long.toml");
    fs::write(&scenario, ONE_PATH.replace("4 s", "1000000 s")).unwrap();
    let mut child = command();
    let mut child = child.arg("run").arg(&scenario).args(["--backend", "noq"]).args(qlog).spawn().unwrap();
    let begun = folder.path().join(".1-only-sender.sqlog.anabranch-new");
    let start = Instant::now();
    while begun.metadata().map_or(0, |file| file.len()) < 100_000 {
        assert_eq!(child.try_wait().unwrap(), None, "it ended early");
        if start.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("no trace: {:?}", names(folder.path()));
        }
        sleep(Duration::from_millis(2));
    }
    signal(&child, Signal::INT);
    let ended = outcome(&child.wait_with_output().unwrap());
    assert_eq!(ended.status, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("the result is partial"), "{}", ended.stderr);
    for (name, at) in [("1-only-sender.sqlog.partial", "client"), ("1-only-receiver.sqlog.partial", "server")]
    {
        assert!(ended.stdout.contains(name), "{}", ended.stdout);
        assert!(records(&folder.path().join(name), at).len() > 100);
    }
    assert!(bytes == whole.map(|name| fs::read(folder.path().join(name)).unwrap()));
    assert_eq!(names(folder.path()).len(), 5, "{:?}", names(folder.path()));
}

/// Two files for each connection are open at once. An error in creating them leaves nothing.
#[test]
fn qlog_of_more_connections_than_files_may_be_open_is_refused() {
    let (folder, scenario) = scratch("many.toml");
    fs::write(&scenario, ONE_PATH.replace("paths =", "count = 40, paths =")).unwrap();
    let traces = folder.path().join("traces");
    let run = "ulimit -n 64; exec \"$0\" run \"$1\" --backend noq --qlog \"$2\"";
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", run]).args([&binary(), &scenario, &traces]);
    let said = outcome(&shell.output().unwrap()).fails(2);
    assert!(said.contains("cannot write") && said.contains("raise the limit of open files"), "{said}");
    assert!(names(&traces).is_empty(), "{:?}", names(&traces));
}

#[test]
fn qlog_is_of_quic_and_keeps_files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let traces = folder.path().to_str().unwrap();
    let said = anabranch(["run", TWO_PATHS, "--qlog", traces]).fails(2);
    assert!(said.contains("`--qlog` does not work with `--backend sim` help: add --backend noq"), "{said}");
    let mine = folder.path().join("1-only-sender.sqlog");
    fs::write(&mine, "mine").unwrap();
    let run = |more: &[&str]| {
        let mut run = vec!["run", "-", "--backend", "noq"];
        if !more.contains(&"--qlog") {
            run.extend(["--qlog", traces]);
        }
        anabranch_reading(ONE_PATH, [&run[..], more].concat())
    };
    let said = run(&[]).fails(2);
    assert!(said.contains("this command did not write it") && said.contains("--replace"), "{said}");
    assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
    run(&["--replace"]).ok();
    let said = run(&[]).ok();
    assert!(said.contains("1-only-receiver.sqlog"), "{said}");
    // The record's folder is the record's alone.
    let record = folder.path().join("record");
    let said =
        run(&["--out", record.to_str().unwrap(), "--qlog", record.join("traces").to_str().unwrap()]).fails(2);
    assert!(said.contains("folder of `--out`") && !record.exists(), "{said}");
    let said = run(&["--set", "flows.only.transport=tcp"]).fails(2);
    assert!(said.contains("no flow is a QUIC connection"), "{said}");
}

/// A study's runs on `noq` are those of `run --backend noq`.
#[test]
fn a_study_runs_on_quic_beside_the_simulator() {
    let (folder, file) = scratch("stacks.toml");
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
