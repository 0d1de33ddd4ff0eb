//! `anabranch kernel monitor`, with real MPTCP where the running kernel has it.

use anabranch_record::{Record, Summary};
use anabranch_test_support::algorithm::Algorithm;
use anabranch_test_support::command::{
    anabranch, binary, command, folder, has, is_ignored, names, outcome, scratch, signal, typed,
};
use anabranch_test_support::iperf::Iperf;
use anabranch_test_support::lab::{Bottleneck, Lab, client_address};
use anabranch_test_support::namespace::{Namespace, exchange};
use anabranch_test_support::{Kernel, TOOLS, skipped, ss, until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

/// 20 and 10 Mbit/s.
const PATHS: [Bottleneck; 2] =
    [Bottleneck { mbit_s: 20.0, queue: 60 }, Bottleneck { mbit_s: 10.0, queue: 40 }];

/// Killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Monitor {
    process: Running,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Monitor {
    fn start(args: &[&str]) -> Self {
        let mut process = Running(command().args(["kernel", "monitor"]).args(args).spawn().unwrap());
        let lines = BufReader::new(process.0.stdout.take().unwrap()).lines();
        Monitor { process, lines }
    }

    fn lines(&mut self, count: usize) -> Vec<String> {
        self.lines.by_ref().take(count).map(Result::unwrap).collect()
    }

    /// The rest of its lines; that signal must end it well.
    fn end_by(mut self, by: Signal) -> Vec<String> {
        signal(&self.process.0, by);
        let rest = self.lines(usize::MAX);
        let mut errors = String::new();
        self.process.0.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!((self.process.0.wait().unwrap().code(), &*errors), (Some(0), ""), "{by:?}");
        rest
    }
}

/// A sample's connection with the most data: iperf3 has one for control too.
fn data(sample: &Value) -> &Value {
    let bytes = |c: &&Value| c["subflows"][0]["acked_bytes"].as_u64();
    sample["connections"].as_array().unwrap().iter().max_by_key(bytes).unwrap()
}

/// Two subflows over two paths under LIA: as lines, as a table, and as a record that reads back.
#[test]
fn watches_and_records_mptcp() {
    let Some(_kernel) = Kernel::lock_with(TOOLS) else { return };
    let _algorithm = Algorithm::load("ab_lia");
    let lab = Lab::two_paths(PATHS);
    lab.set_congestion_control("ab_lia");
    let started = Instant::now();
    let _iperf = Iperf::start_on_both_paths(&lab, 5201, 500_000);
    let (_folder, record) = scratch("record");
    let here = ["--netns", &lab.client.name, "--cc", "lia", "--port", "5201"];
    let to = ["--json", "--interval", "100 ms", "--record", record.to_str().unwrap()];
    let before = ss::carried(&lab, 5201);
    let mut monitor = Monitor::start(&[&to[..], &here[..]].concat());
    let mut lines = monitor.lines(10);
    lines.extend(monitor.end_by(Signal::TERM));
    let after = ss::carried(&lab, 5201);
    let once = anabranch([&["kernel", "monitor", "--once"], &here[..]].concat()).ok();
    let tokens = lab.client.command("ss -HMtin dport = 5201");

    let samples: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let times: Vec<_> = samples.iter().map(|sample| sample["time_s"].as_f64().unwrap()).collect();
    // A sample may be late, and the next one be in time again.
    assert!(times[0] == 0.0 && times.is_sorted() && *times.last().unwrap() > 0.7, "{times:?}");
    let (first, last) = (data(&samples[0]), data(samples.last().unwrap()));
    assert_eq!((&last["cc"], &last["netns"]), (&"ab_lia".into(), &lab.client.name.as_str().into()));
    let token = last["connection"].as_str().unwrap();
    // Some versions of `ss` leave out leading zeros.
    let value = |text: &str| u32::from_str_radix(text, 16).unwrap();
    let hex = |rest: &str| rest.split(|c: char| !c.is_ascii_hexdigit()).next().map(value);
    let known = tokens.split("token:").skip(1).any(|rest| hex(rest) == Some(value(token)));
    assert!(first["connection"] == token && token.len() == 8 && known, "{token}: {tokens}");
    let number = |c: &Value, i: usize, name: &str| c["subflows"][i][name].as_f64().unwrap();
    let gained = |i, name| number(last, i, name) - number(first, i, name);
    let seconds = times[times.len() - 1];
    let mut paths = vec![];
    for i in 0..2 {
        let local = last["subflows"][i]["local"].as_str().unwrap();
        let path = [1, 2].into_iter().find(|path| local.starts_with(&format!("{}:", client_address(*path))));
        let path = path.unwrap_or_else(|| panic!("{local}"));
        paths.push(path);
        // Between what `ss` saw before and after; the first sample may be of before that, in a recovery.
        let (low, high) = (before[path - 1] as f64, after[path - 1] as f64);
        let seen = [first, last].map(|c| number(c, i, "acked_bytes"));
        assert!(seen[0] <= seen[1] && low <= seen[1] && seen[1] <= high, "{low} {seen:?} {high}");
        assert!(number(last, i, "cwnd_segments") >= 1.0);
        // Their queues are 36 ms and 48 ms.
        let (srtt, min) = (number(last, i, "srtt_s"), number(last, i, "min_rtt_s"));
        assert!(0.0 < min && min <= srtt && srtt < 10.0, "{min} {srtt}");
        assert!(number(last, i, "idle_s") < started.elapsed().as_secs_f64());
        let alpha = last["subflows"][i]["observables"]["alpha"].as_f64().unwrap();
        assert!(alpha > 0.0, "{alpha}");
    }
    paths.sort_unstable();
    assert_eq!(paths, [1, 2]);

    let row = once.lines().find(|row| row.contains(token) && row.contains(&client_address(2))).unwrap();
    assert!(row.starts_with("ab_lia ") && row.contains("alpha="), "{once}");

    // The record has the same.
    let Record { summary, samples: recorded } = Record::read(&record).unwrap();
    let flow = summary.flows.iter().find(|f| f.name == format!("ab_lia-{token}")).unwrap();
    assert_eq!((flow.cc.as_str(), summary.duration_s), ("ab_lia", seconds));
    let bytes = gained(0, "acked_bytes") + gained(1, "acked_bytes");
    assert_eq!(flow.delivered_bytes as f64, bytes);
    assert!((flow.goodput_bps.unwrap() * seconds - bytes * 8.0).abs() <= 1e-9 * bytes * 8.0);
    for (i, subflow) in flow.subflows.iter().enumerate() {
        assert_eq!(subflow.sent_segments as f64, gained(i, "sent_segments"));
        assert!(subflow.mean_srtt_s.is_some());
    }
    let all = recorded.flows.iter().flat_map(|flow| &flow.subflows);
    let rows: usize = all.map(|series| series.time_s.len()).sum();
    let subflows = |sample: &Value| -> usize {
        let all = sample["connections"].as_array().unwrap();
        all.iter().map(|c| c["subflows"].as_array().unwrap().len()).sum()
    };
    assert_eq!(rows, samples.iter().map(subflows).sum::<usize>());
    let (series, last) = (recorded.series(&flow.name, 0).unwrap(), &last["subflows"][0]);
    assert_eq!(series.cwnd_segments.last().copied(), last["cwnd_segments"].as_f64());
    let alpha = series.observable("alpha").unwrap();
    assert_eq!(alpha.last().copied(), last["observables"]["alpha"].as_f64());
    assert_eq!(series.delivered_bytes.last(), Some(&gained(0, "acked_bytes")));
    let [local, remote] = ["local", "remote"].map(|end| last[end].as_str().unwrap());
    assert_eq!(series.path, [format!("{local} → {remote}")]);
}

/// It ends by itself, and takes no sample that is due later.
#[test]
fn ends_when_it_is_to() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let args = ["kernel", "monitor", "--json", "--interval", "50 ms", "--duration", "200 ms"];
    let lines = anabranch(args).ok();
    assert!((1..=5).contains(&lines.lines().count()), "{lines}");
}

/// The first process of a container is not in the host's namespace.
#[test]
fn a_containers_namespace_is_not_the_hosts() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let namespace = Namespace::new();
    namespace.choose("ab_reno");
    let mut ends = namespace.connect();
    exchange(&mut ends);
    let name = namespace.name.as_str();
    let mut container = Command::new("unshare");
    container.args(["--pid", "--fork", "--kill-child", "--mount-proc"]).arg(binary());
    container.args(["kernel", "monitor", "--once", "--json", "--netns", name]);
    let seen = namespace.run(|| outcome(&mut container)).json();
    assert_eq!(seen["connections"][0]["netns"], name);
}

/// Whatever ends it politely leaves a whole record; Ctrl-C is how it is meant to end.
#[test]
fn an_interrupted_record_is_whole() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let out = tempfile::tempdir().unwrap();
    for (name, number) in [("int", Signal::INT), ("term", Signal::TERM), ("hup", Signal::HUP)] {
        if is_ignored(number) {
            skipped(&format!("SIG{} is ignored here, and so by the monitor", name.to_uppercase()));
            continue;
        }
        let record = out.path().join(name);
        let args = ["--record", record.to_str().unwrap(), "--format", "csv", "--interval", "50 ms"];
        let monitor = Monitor::start(&args);
        let private = out.path().join(format!(".{name}.anabranch"));
        until(|| private.join("subflows.csv.partial").exists(), "it records");
        let said = monitor.end_by(number).join("\n");
        has(&said, ["Wrote", "summary.json"]);
        let header = fs::read_to_string(record.join("subflows.csv")).unwrap();
        assert!(header.starts_with("time_s,flow,subflow,path,cwnd_segments,"), "{header}");
        Summary::read(&record.join("summary.json")).unwrap();
        assert!(!private.exists() && !names(&record).iter().any(|name| name.ends_with(".partial")));
    }
}

/// A disk that fills: the recording ends before it is full, keeps what it has, and says so.
#[test]
fn a_record_ends_before_the_disk_is_full() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let lab = Namespace::new();
    lab.choose("ab_reno");
    let mut connection = lab.connect();
    exchange(&mut connection);
    for format in ["csv", "parquet"] {
        let dir = folder();
        let record = "mount -t tmpfs -o size=96k tmpfs . && cd \"$PWD\" && { \"$0\" kernel monitor --record \"$PWD/out\" \
                      --interval '10 ms' --duration '60 s' --format \"$1\"; status=$?; cp -r \"$PWD/out\" \"$2\"; ls -A \"$PWD\"; exit $status; }";
        let (_kept, copy) = scratch("copy");
        let mut shell = Command::new("unshare");
        shell.args(["--mount", "sh", "-c", record]).arg(binary()).arg(format).arg(&copy);
        let ended = outcome(shell.current_dir(dir.path())).ended(2);
        assert!(ended.stdout.ends_with("\nout\n"), "{format}: {}", ended.stdout);
        has(&ended.message(), ["free on the disk: the recording ended after"]);
        let record = Record::read(&copy).unwrap();
        let until = record.summary.partial_until_s.unwrap();
        let times = &record.samples.flows[0].subflows[0].time_s;
        assert!(0.0 < until && until < 60.0 && times.last() == Some(&until), "{format}: {until} {times:?}");
    }
}

/// A recording cannot be repeated: a record stays, also one by the same command.
#[test]
fn an_earlier_record_stays_unless_it_may_be_replaced() {
    let Some(_kernel) = Kernel::lock() else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let (_folder, out) = scratch("record");
    let record = |more: &[&str]| {
        let args = ["kernel", "monitor", "--record", out.to_str().unwrap(), "--duration", "100 ms"];
        anabranch([&args[..], &["--interval", "50 ms"], more].concat())
    };
    record(&[]).ok();
    let summary = fs::read(out.join("summary.json")).unwrap();
    record(&[]).refused(["--replace"]);
    assert!(summary == fs::read(out.join("summary.json")).unwrap());
    record(&["--replace"]).notes(["this one replaces"]);
}

/// On a terminal of its own, which it gives back as it was.
#[test]
fn the_terminal_is_given_back() {
    let Some(_kernel) = Kernel::lock_with(&["script"]) else { return };
    let _algorithm = Algorithm::load("ab_reno");
    let binary = binary().display().to_string();
    for end in ["q", "\u{3}", "TERM"] {
        let inner =
            format!("stty rows 20 cols 100; stty -g; {binary} kernel monitor; echo status $?; stty -g");
        let mut script = Command::new("script");
        script.args(["-qec", &inner, "/dev/null"]).env("TERM", "xterm");
        let mut script = Running(script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
        let mut stdout = script.0.stdout.take().unwrap();
        let mut said = Vec::new();
        while !String::from_utf8_lossy(&said).contains("q quit") {
            let mut bytes = [0; 4096];
            let n = stdout.read(&mut bytes).unwrap();
            assert!(n > 0, "{}", String::from_utf8_lossy(&said));
            said.extend(&bytes[..n]);
        }
        if end == "TERM" {
            let monitor = child_of(child_of(script.0.id()).unwrap()).unwrap();
            kill_process(Pid::from_raw(monitor as i32).unwrap(), Signal::TERM).unwrap();
        } else {
            script.0.stdin.as_mut().unwrap().write_all(end.as_bytes()).unwrap();
        }
        stdout.read_to_end(&mut said).unwrap();
        script.0.wait().unwrap();
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
    let monitor = |options: &str| typed(&format!("kernel monitor {options}"));
    monitor("--once --cc ab_reno").refused(["ab_reno", "anabranch kernel load"]);
    let kernels = "reno is an algorithm of the kernel itself";
    monitor("--once --cc reno").refused([kernels, "--cc ab_reno"]);
    let _algorithm = Algorithm::load("ab_reno");
    monitor("").refused(["not a terminal", "--once"]);
    monitor("--once --cc lai").refused(["did you mean `lia`"]);
    monitor("--once --netns nowhere").refused(["there is no network namespace `nowhere`; "]);
    for interval in ["1", "1 ms", "1 day"] {
        monitor(&format!("--json --interval '{interval}'")).refused(["--interval"]);
    }
    // An empty table is a table.
    let table = monitor("--once --cc ab_reno --port 1").done();
    has(&table.stderr, ["no open connection with port 1 uses ab_reno"]);
    assert_eq!(table.stdout.lines().count(), 1, "{}", table.stdout);
}
