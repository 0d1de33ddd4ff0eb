//! `anabranch kernel monitor`, with real MPTCP where the running kernel has it.

#[path = "common/mod.rs"]
mod cli;
#[path = "../../kernel/tests/common/mod.rs"]
mod common;
#[path = "../../kernel/tests/support/mod.rs"]
mod support;

use anabranch_record::Summary;
use cli::{anabranch, command};
use common::Kernel;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;
use support::algorithm::Algorithm;
use support::iperf::{Iperf, Options};
use support::lab::{Bottleneck, Lab, client_address};
use support::{TOOLS, within};

/// 20 and 10 Mbit/s.
const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 20.0, queue: 60 }, Bottleneck { mbit_s: 10.0, queue: 40 }];

fn start(args: &[&str]) -> Child {
    let mut command = command();
    command.args(["kernel", "monitor"]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Two subflows over two paths under LIA: as lines, as a table, and as a record that reads back.
#[test]
fn watches_and_records_mptcp() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let lab = Lab::two_paths(PATHS);
    lab.set_congestion_control("ab_lia");
    let options = Options { mptcp: true, port: 5201, seconds: 7, omit: 0, congestion_control: None };
    let iperf = Iperf::start(&lab, &options);
    let out = tempfile::tempdir().unwrap();
    let record = out.path().join("record");
    let here = ["--netns", &lab.client.name, "--cc", "lia", "--port", "5201"];
    sleep(Duration::from_secs(1));
    let lines = anabranch(
        [
            &["kernel", "monitor", "--json", "--interval", "250 ms", "--duration", "3 s", "--record"],
            &[record.to_str().unwrap()][..],
            &here,
        ]
        .concat(),
    )
    .ok();
    let once = anabranch([&["kernel", "monitor", "--once"], &here[..]].concat()).ok();
    let tokens = lab.client.command("ss -HMtin dport = 5201");
    iperf.done();

    // At 0, 0.25, … 3 s.
    let samples: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!((10..=13).contains(&samples.len()), "{}", samples.len());
    // iperf3 has a connection for control too.
    let data = |sample: &Value| -> Value {
        let all = sample["connections"].as_array().unwrap();
        let bytes = |c: &Value| c["subflows"][0]["acked_bytes"].as_u64();
        all.iter().max_by_key(|c| bytes(c)).unwrap().clone()
    };
    let (first, last) = (data(&samples[0]), data(samples.last().unwrap()));
    assert_eq!((&last["cc"], &last["netns"]), (&"ab_lia".into(), &lab.client.name.as_str().into()));
    let token = last["connection"].as_str().unwrap();
    assert!(tokens.contains(&format!("token:{token} ")), "{token}: {tokens}");
    let number = |c: &Value, i: usize, name: &str| c["subflows"][i][name].as_f64().unwrap();
    let seconds = samples.last().unwrap()["time_s"].as_f64().unwrap();
    let mut sources = vec![];
    for i in 0..2 {
        let local = last["subflows"][i]["local"].as_str().unwrap();
        sources.push(local.rsplit_once(':').unwrap().0.to_owned());
        // Less than the bottleneck lets through, and not nothing.
        let rate = (number(&last, i, "acked_bytes") - number(&first, i, "acked_bytes")) * 8.0 / seconds;
        assert!((5e5..22e6).contains(&rate), "{local}: {rate} bit/s");
        assert!(number(&last, i, "cwnd_segments") >= 1.0);
        let (srtt, min) = (number(&last, i, "srtt_s"), number(&last, i, "min_rtt_s"));
        assert!(0.0 < min && min <= srtt && srtt < 0.2, "{min} {srtt}");
        assert!(number(&last, i, "idle_s") < 1.0);
        let alpha = last["subflows"][i]["observables"]["alpha"].as_f64().unwrap();
        assert!(alpha > 0.0, "{alpha}");
    }
    sources.sort();
    assert_eq!(sources, [1, 2].map(client_address));

    let row = once.lines().find(|row| row.contains(token) && row.contains(&client_address(2))).unwrap();
    assert!(row.starts_with("ab_lia ") && row.contains("alpha="), "{once}");

    // The record has the same.
    let summary = Summary::read(&record.join("summary.json")).unwrap();
    let flow = summary.flows.iter().find(|f| f.name == format!("ab_lia-{token}")).unwrap();
    assert_eq!((flow.cc.as_str(), summary.duration_s), ("ab_lia", seconds));
    let gained: f64 =
        (0..2).map(|i| number(&last, i, "acked_bytes") - number(&first, i, "acked_bytes")).sum();
    assert_eq!(flow.delivered_bytes as f64, gained);
    assert!((flow.goodput_bps.unwrap() / (gained * 8.0 / seconds) - 1.0).abs() < 1e-9);
    assert!(flow.subflows.iter().all(|s| s.mean_rtt_s.is_some() && s.sent_segments > 100), "{flow:?}");
    let reader = SerializedFileReader::new(File::open(record.join("subflows.parquet")).unwrap()).unwrap();
    let rows: Vec<Value> = reader.get_row_iter(None).unwrap().map(|row| json(&row.unwrap())).collect();
    let subflows = |sample: &Value| -> usize {
        let all = sample["connections"].as_array().unwrap();
        all.iter().map(|c| c["subflows"].as_array().unwrap().len()).sum()
    };
    assert_eq!(rows.len(), samples.iter().map(subflows).sum::<usize>());
    let row = rows.iter().rfind(|row| row["flow"] == flow.name.as_str() && row["subflow"] == 1).unwrap();
    assert_eq!(row["cwnd_segments"], last["subflows"][0]["cwnd_segments"]);
    assert_eq!(row["alpha"], last["subflows"][0]["observables"]["alpha"]);
    assert_eq!(
        row["delivered_bytes"].as_f64().unwrap(),
        flow.subflows[0].goodput_bps.unwrap() * seconds / 8.0
    );
    let (local, remote) = (&last["subflows"][0]["local"], &last["subflows"][0]["remote"]);
    assert_eq!(row["path"], format!("{} → {}", local.as_str().unwrap(), remote.as_str().unwrap()));
}

/// A row of Parquet as an object.
fn json(row: &Row) -> Value {
    let value = |field: &Field| match field {
        Field::Str(text) => Value::from(text.as_str()),
        Field::Double(x) => Value::from(*x),
        Field::Long(n) => Value::from(*n),
        Field::Null => Value::Null,
        other => panic!("{other:?}"),
    };
    row.get_column_iter().map(|(name, field)| (name.clone(), value(field))).collect()
}

/// Whatever ends it politely leaves a whole record; Ctrl-C is how it is meant to end.
#[test]
fn an_interrupted_record_is_whole() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let out = tempfile::tempdir().unwrap();
    for (name, number) in [("int", Signal::INT), ("term", Signal::TERM), ("hup", Signal::HUP)] {
        if is_ignored(number) {
            common::skipped(&format!("SIG{} is ignored here, and so by the monitor", name.to_uppercase()));
            continue;
        }
        let record = out.path().join(name);
        let args = ["--record", record.to_str().unwrap(), "--format", "csv", "--interval", "50 ms"];
        let child = start(&args);
        within(Duration::from_secs(20), || record.join("subflows.csv.partial").exists(), "it records");
        sleep(Duration::from_millis(200));
        signal(&child, number);
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(said.contains("Wrote") && said.contains("summary.json"), "{said}");
        let header = fs::read_to_string(record.join("subflows.csv")).unwrap();
        assert!(header.starts_with("time_s,flow,subflow,path,cwnd_segments,"), "{header}");
        assert!(Summary::read(&record.join("summary.json")).unwrap().duration_s > 0.1);
        assert!(!has_partial(&record));
    }
}

/// Whether this process ignores the signal, as one that a script started in the background does SIGINT.
fn is_ignored(signal: Signal) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

fn has_partial(directory: &Path) -> bool {
    let files = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path());
    files.into_iter().any(|file| file.extension().is_some_and(|e| e == "partial"))
}

/// On a terminal of its own, which it gives back as it was.
#[test]
fn the_terminal_is_given_back() {
    let Some(_kernel) = Kernel::lock_with(&["script"]) else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let binary = command().get_program().to_str().unwrap().to_owned();
    for end in ["q", "\u{3}", "TERM"] {
        let inner =
            format!("stty rows 20 cols 100; stty -g; {binary} kernel monitor; echo status $?; stty -g");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &inner, "/dev/null"]).env("TERM", "xterm");
        let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut said = Vec::new();
        while !String::from_utf8_lossy(&said).contains("q quit") {
            let mut bytes = [0; 4096];
            let n = stdout.read(&mut bytes).unwrap();
            assert!(n > 0, "{}", String::from_utf8_lossy(&said));
            said.extend(&bytes[..n]);
        }
        if end == "TERM" {
            let monitor = child_of(child_of(child.id()).unwrap()).unwrap();
            kill_process(Pid::from_raw(monitor as i32).unwrap(), Signal::TERM).unwrap();
        } else {
            child.stdin.as_mut().unwrap().write_all(end.as_bytes()).unwrap();
        }
        stdout.read_to_end(&mut said).unwrap();
        child.wait().unwrap();
        let said = String::from_utf8(said).unwrap();
        let (before, rest) = said.split_once("\u{1b}[?1049h").unwrap_or_else(|| panic!("{end}: {said:?}"));
        let (screen, after) = rest.split_once("\u{1b}[?1049l").unwrap_or_else(|| panic!("{end}: {said:?}"));
        assert!(screen.contains("q quit"), "{end}: {screen:?}");
        assert!(after.starts_with("\u{1b}[?25h") && after.contains("status 0"), "{end}: {after:?}");
        // The terminal's settings, as stty prints them.
        assert_eq!(before.lines().next(), after.lines().last(), "{end}");
    }
}

/// The first process that this one started.
fn child_of(pid: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

#[test]
fn what_cannot_be_watched() {
    let Some(_kernel) = Kernel::lock() else { return };
    anabranch(["kernel", "unload", "reno"]).ok();
    let said = anabranch(["kernel", "monitor", "--once", "--cc", "reno"]).fails(2);
    assert!(said.contains("ab_reno") && said.contains("anabranch kernel load"), "{said}");
    let _algorithm = Algorithm::load("ab_reno");
    let said = anabranch(["kernel", "monitor"]).fails(2);
    assert!(said.contains("not a terminal") && said.contains("--once"), "{said}");
    let said = anabranch(["kernel", "monitor", "--once", "--cc", "lai"]).fails(2);
    assert!(said.contains("did you mean `lia`"), "{said}");
    let said = anabranch(["kernel", "monitor", "--once", "--netns", "ab-none"]).fails(2);
    assert!(said.contains("/run/netns/ab-none"), "{said}");
    for interval in ["1", "1 ms", "1 day"] {
        let said = anabranch(["kernel", "monitor", "--json", "--interval", interval]).fails(2);
        assert!(said.contains("--interval"), "{said}");
    }
    // An empty table is a table.
    let table = anabranch(["kernel", "monitor", "--once", "--cc", "reno", "--port", "1"]).ok();
    assert_eq!(table.lines().count(), 1, "{table}");
}
