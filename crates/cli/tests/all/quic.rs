//! `--backend noq`.

use anabranch_record::Summary;
use anabranch_test_support::command::{
    Outcome, TWO_PATHS, anabranch, anabranch_reading, binary, command, folder, has, interrupted_when,
    of_output, outcome, root, skipped, typed,
};
use serde_json::Value;
use std::collections::HashMap;
use std::fs;
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
    has(&table, ["lia", "olia"]);
}

#[test]
fn what_is_of_quic_or_of_tcp_alone_is_refused() {
    let of_tcp = ["cannot be run with `--backend noq`: `flows.bonded.tcp.tso`", "remove it, and `hosts`"];
    for (line, said) in [
        (&*format!("run {TWO_PATHS} --set hosts=linux --backend noq"), &of_tcp[..]),
        (&*format!("run {TWO_PATHS} --cc noq:cubic"), &["noq:cubic is a controller of a QUIC stack"]),
        ("paper D --quick --backend noq --measure x", &["`--measure` measures on Linux, not on `noq`"]),
    ] {
        typed(line).refused(said);
    }
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

/// About 1300 packets.
const ONE_PATH: &str = r#"
    name = "one path"
    duration = "4 s"
    links.a = { rate = "4 Mbit/s", delay = "10 ms", queue = "20 packets" }
    flows = [{ name = "only", cc = "reno", paths = [["a"]] }]
"#;

fn one_path(more: &[&str]) -> Outcome {
    anabranch_reading(ONE_PATH, [&["run", "-", "--backend", "noq"], more].concat())
}

/// tshark decrypts what both ends sent on a connection with one path, and finds all stream bytes that the receiver read.
#[test]
fn tshark_decrypts_a_capture() {
    let folder = folder();
    let path = folder.at("run.pcapng");
    let delivered = one_path(&["--pcap", &path, "--json"]).done().stdout;
    let delivered = Summary::from_json(&delivered).unwrap().flows[0].delivered_bytes;
    let fields = |filter: &str, fields: &[&str]| -> Option<Vec<String>> {
        let mut tshark = Command::new("tshark");
        tshark.args(["-o", "udp.check_checksum:TRUE", "-r", &path, "-T", "fields", "-Y", filter]);
        fields.iter().for_each(|field| _ = tshark.args(["-e", field]));
        let output = tshark.output();
        let output = output.inspect_err(|why| skipped(&format!("tshark does not start ({why})"))).ok()?;
        Some(of_output(&output).done().stdout.lines().map(str::to_owned).collect())
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
fn records(text: &str, vantage_point: &str) -> Vec<Value> {
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
    let folder = folder();
    let run = |name: &str| {
        let args = ["run", "-", "--backend", "noq", "--json", "--qlog", &folder.at(name)];
        let ended = anabranch_reading(TWO_DELAYS, args).done();
        let traces = ["sender", "receiver"].map(|end| folder.read(&format!("{name}/1-a___b-{end}.sqlog")));
        (Summary::from_json(&ended.stdout).unwrap(), traces)
    };
    let (summary, traces) = run("first");
    assert!(traces == run("second").1, "the traces differ");
    let (sender, receiver) = (records(&traces[0], "client"), records(&traces[1], "server"));
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
    let folder = folder();
    let qlog = ["--qlog", folder.arg()];
    one_path(&qlog).ok();
    let whole = || ["1-only-receiver.sqlog", "1-only-sender.sqlog"].map(|name| folder.read(name));
    let before = whole();
    let scenario = folder.write("long.toml", ONE_PATH.replace("4 s", "1000000 s"));
    let child = command().args(["run", &scenario, "--backend", "noq"]).args(qlog).spawn().unwrap();
    let begun = folder.path().join(".1-only-sender.sqlog.anabranch-new");
    let ended = interrupted_when(child, || begun.metadata().is_ok_and(|file| file.len() >= 100_000));
    has(&ended.stderr, ["the result is partial"]);
    for (name, at) in [("1-only-sender.sqlog.partial", "client"), ("1-only-receiver.sqlog.partial", "server")]
    {
        has(&ended.stdout, [name]);
        assert!(records(&folder.read(name), at).len() > 100);
    }
    assert!(before == whole());
    assert_eq!(folder.names().len(), 5, "{:?}", folder.names());
}

/// Two files for each connection are open at once. An error in creating them leaves nothing.
#[test]
fn qlog_of_more_connections_than_files_may_be_open_is_refused() {
    let folder = folder();
    let scenario = folder.write("many.toml", ONE_PATH.replace("paths =", "count = 40, paths ="));
    let run = "ulimit -n 64; exec \"$0\" run \"$1\" --backend noq --qlog \"$2\"";
    outcome(Command::new("sh").args(["-c", run]).arg(binary()).args([&scenario, &folder.at("traces")]))
        .refused(["cannot write", "raise the limit of open files"]);
    assert_eq!(fs::read_dir(folder.at("traces")).unwrap().count(), 0);
}

#[test]
fn qlog_is_of_quic_and_keeps_files_of_others() {
    let folder = folder();
    let traces = folder.arg();
    let help = "`--qlog` does not work with `--backend sim` help: add --backend noq";
    anabranch(["run", TWO_PATHS, "--qlog", traces]).refused([help]);
    let run = |more: &[&str]| one_path(&[&["--qlog", traces], more].concat());
    folder.write("1-only-sender.sqlog", "mine");
    run(&[]).refused(["this command did not write it", "--replace"]);
    assert_eq!(folder.read("1-only-sender.sqlog"), "mine");
    run(&["--replace"]).ok();
    has(&run(&[]).ok(), ["1-only-receiver.sqlog"]);
    // The record's folder is the record's alone.
    one_path(&["--out", &folder.at("record"), "--qlog", &folder.at("record/traces")])
        .refused(["folder of `--out`"]);
    assert!(!folder.path().join("record").exists());
    run(&["--set", "flows.only.transport=tcp"]).refused(["no flow is a QUIC connection"]);
}

/// A study's runs on `noq` are those of `run --backend noq`.
#[test]
fn a_study_runs_on_quic_beside_the_simulator() {
    let folder = folder();
    fs::copy(root().join(TWO_PATHS), folder.at("two-paths.toml")).unwrap();
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
    let file = folder.write("stacks.toml", study);
    let result = anabranch(["study", &file, "--out", &folder.at("out"), "--json"]).json();
    for (row, backend) in ["sim", "noq"].iter().enumerate() {
        let run = anabranch([&["run", TWO_PATHS, "--backend", backend, "--json"][..], &SHORT].concat()).ok();
        let goodput = Summary::from_json(&run).unwrap().flows[0].goodput_bps.unwrap() / 1e6;
        let of_study = &result["experiments"][0]["rows"][row]["measured"]["mean"];
        assert_eq!(of_study.as_f64(), Some(goodput), "{backend}");
    }
    folder.write("stacks.toml", study.replace("\"noq\"]", "\"qon\"]"));
    anabranch(["study", "check", &file]).refused(["unknown backend `qon`; known: sim, kernel"]);
}
