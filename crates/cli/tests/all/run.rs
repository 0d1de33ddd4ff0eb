//! `anabranch run`: what it prints and writes.

use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, command, fits, kept, names, one_line, root, scratch, short,
    signal,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command};

fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "`{key}` is missing in {value}");
    }
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn the_shape_of_the_json() {
    let run = anabranch(short("run", &["--json"])).json();
    has(&run, &["scenario", "seed", "version", "duration_s", "flows", "links", "jain"]);
    assert_eq!(run["scenario"], "two paths and a neighbour");
    assert_eq!(run["seed"], "1");
    assert_eq!(run["duration_s"], json!(6.0));
    assert_eq!(run["scenario_hash"].as_str().unwrap().len(), 64);
    let flows = run["flows"].as_array().unwrap();
    let named: Vec<_> = flows.iter().map(|f| &f["name"]).collect();
    assert_eq!(named, ["bonded", "neighbour/1", "neighbour/2"]);
    for flow in flows {
        has(flow, &["name", "cc", "goodput_bps", "retransmitted_segments", "subflows"]);
        for subflow in flow["subflows"].as_array().unwrap() {
            has(subflow, &["path", "goodput_bps", "mean_cwnd_segments", "mean_rtt_s", "loss_rate"]);
        }
    }
    assert_eq!(flows[0]["subflows"][0]["path"], json!(["fibre"]));
    assert_eq!(flows[0]["subflows"][1]["path"], json!(["dsl"]));
    for link in run["links"].as_array().unwrap() {
        has(link, &["name", "utilisation", "mean_queue_bytes", "mean_queue_delay_s"]);
        has(link, &["drops", "early_drops", "marks", "losses"]);
        assert!((0.0..=1.0).contains(&number(&link["utilisation"])), "{link}");
    }
}

#[test]
fn the_values_agree_with_each_other() {
    let run = anabranch(short("run", &["--json"])).json();
    let goodputs: Vec<_> =
        run["flows"].as_array().unwrap().iter().map(|f| number(&f["goodput_bps"])).collect();
    let (sum, squares) = goodputs.iter().fold((0.0, 0.0), |(s, q), x| (s + x, q + x * x));
    let jain = sum * sum / (3.0 * squares);
    assert!((number(&run["jain"]) - jain).abs() < 1e-9);
    // Payload of a full packet on dsl is at most 1448 of 1500 bytes, at 100 Mbit/s. The queue of 100
    // packets may have been full when means begin.
    let on_dsl = number(&run["flows"][0]["subflows"][1]["goodput_bps"]) + goodputs[1] + goodputs[2];
    let queue = 100.0 * 1500.0 * 8.0 / 4.0;
    assert!(on_dsl <= (100e6 + queue) * 1448.0 / 1500.0, "{on_dsl}");
    // An RTT is at least the propagation delay there and back.
    assert!(number(&run["flows"][0]["subflows"][0]["mean_rtt_s"]) >= 0.1);
    assert!(number(&run["flows"][1]["subflows"][0]["mean_rtt_s"]) >= 0.02);
    // One packet in a thousand is lost on the fibre.
    let rate = number(&run["flows"][0]["subflows"][0]["loss_rate"]);
    assert!((3e-4..3e-3).contains(&rate), "{rate}");
}

#[test]
fn deterministic() {
    let once = anabranch(short("run", &["--json"])).ok();
    assert_eq!(anabranch(short("run", &["--json"])).ok(), once);
    assert_ne!(anabranch(short("run", &["--json", "--seed", "2"])).json()["flows"], {
        let once: Value = serde_json::from_str(&once).unwrap();
        once["flows"].clone()
    });
}

#[test]
fn seeds_are_text_of_any_size() {
    let run = anabranch(short("run", &["--json", "--seed", "18446744073709551615"])).json();
    assert_eq!(run["seed"], "18446744073709551615");
}

#[test]
fn cc_replaces_the_multipath_flows_or_the_one_named() {
    let algorithms = |options: &[&str]| {
        let run = anabranch(short("run", &[&["--json"], options].concat())).json();
        let flows = run["flows"].as_array().unwrap().clone();
        flows.iter().map(|f| f["cc"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(algorithms(&[]), ["coupled-cubic", "reno", "reno"]);
    assert_eq!(algorithms(&["--cc", "lia"]), ["lia", "reno", "reno"]);
    assert_eq!(algorithms(&["--cc", "neighbour=cubic"]), ["coupled-cubic", "cubic", "cubic"]);
    assert_eq!(algorithms(&["--cc", "neighbour/2=cubic", "--cc", "bonded=lia"]), ["lia", "reno", "cubic"]);
}

#[test]
fn set_replaces_a_value() {
    let run = |options: &[&str]| anabranch(short("run", &[&["--json"], options].concat())).json();
    let slow = run(&["--set", "links.dsl.rate=\"10 Mbit/s\""]);
    assert!(number(&slow["flows"][1]["goodput_bps"]) < 10e6);
    assert_ne!(slow["scenario_hash"], run(&[])["scenario_hash"]);
    // Connections that open at the end have delivered nothing, and their means do not exist.
    let late = run(&["--set", "flows.neighbour.start=5.999 s"]);
    assert_eq!(late["flows"][1]["goodput_bps"], json!(0.0));
    assert_eq!(late["flows"][1]["subflows"][0]["mean_rtt_s"], Value::Null);
}

/// `--linux-hosts` is the scenario's `hosts`, in each seed and algorithm, and in the command that repeats the run.
#[test]
fn linux_hosts() {
    let set = anabranch(short("run", &["--json", "--set", "hosts=\"linux\""])).json();
    let (_dir, out) = scratch("run");
    let run = anabranch(short("run", &["--json", "--linux-hosts", "--out", out.to_str().unwrap()])).json();
    assert_eq!(run, set);
    let plain = anabranch(short("run", &["--json"])).json();
    assert_ne!(run["flows"], plain["flows"]);
    let text = fs::read_to_string(out.join("scenario.toml")).unwrap();
    assert!(text.lines().next().unwrap().contains("hosts=linux"), "{text}");
    let compared = ["--cc", "coupled-cubic,lia", "--seeds", "1", "--json", "--linux-hosts"];
    let compared = anabranch(short("compare", &compared)).json();
    assert_eq!(compared[0]["flows"], run["flows"]);
    assert_eq!(compared[1], {
        let set = ["--cc", "lia", "--seeds", "1", "--json", "--set", "hosts=\"linux\""];
        anabranch(short("compare", &set)).json()[0].clone()
    });
}

#[test]
fn standard_input() {
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let args = ["run", "-", "--duration", "2 s", "--set", "warmup=1 s", "--json"];
    let from_input = anabranch_reading(&text, args).ok();
    let args = ["run", TWO_PATHS, "--duration", "2 s", "--set", "warmup=1 s", "--json"];
    assert_eq!(from_input, anabranch(args).ok());
}

#[test]
fn a_directory_holds_all_of_a_run() {
    let (_dir, out) = scratch("new/run");
    let path = out.to_str().unwrap();
    let printed = anabranch(short("run", &["--json", "--cc", "lia", "--seed", "7", "--out", path])).ok();
    assert_eq!(
        names(&out),
        [".anabranch", "links.parquet", "scenario.toml", "subflows.parquet", "summary.json"]
    );
    assert_eq!(fs::read_to_string(out.join("summary.json")).unwrap(), printed);

    let file = fs::File::open(out.join("subflows.parquet")).unwrap();
    let rows: Vec<_> =
        SerializedFileReader::new(file).unwrap().get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert!(!rows.is_empty());
    assert!(rows.iter().any(|r| r.to_string().contains("flow: \"neighbour/2\"")), "{}", rows[0]);

    // The first line of the scenario is the command that repeats the run.
    let scenario = fs::read_to_string(out.join("scenario.toml")).unwrap();
    let again = scenario.lines().next().unwrap().strip_prefix("# As it was run: anabranch ").unwrap();
    let again = format!("'{}' {again} --json", env!("CARGO_BIN_EXE_anabranch"));
    let again = Command::new("sh").args(["-c", &again]).current_dir(&out).output().unwrap();
    assert_eq!(String::from_utf8(again.stdout).unwrap(), printed);

    // Another run leaves nothing of this one.
    let again = anabranch(short("run", &["--json", "--replace", "--out", path, "--format", "csv"]));
    assert!(again.status == 0 && again.stderr.contains("seed 7"), "{}", again.stderr);
    assert_eq!(names(&out), [".anabranch", "links.csv", "scenario.toml", "subflows.csv", "summary.json"]);
    let samples = fs::read_to_string(out.join("subflows.csv")).unwrap();
    let header = "time_s,flow,subflow,path,cwnd_segments,ssthresh_segments,srtt_s,in_flight_segments,sent_bytes,\
                  delivered_bytes,lost_segments,retransmitted_segments,";
    assert!(samples.starts_with(header), "{samples:.200}");
}

/// The names of observables are columns beside the fixed ones.
#[test]
fn observables_have_names_of_their_own() {
    let fixed = "time_s flow subflow path cwnd_segments ssthresh_segments srtt_s in_flight_segments sent_bytes \
                 delivered_bytes lost_segments retransmitted_segments";
    for observable in anabranch_cc::registry::ALL.iter().flat_map(|e| e.observables) {
        assert!(!fixed.split(' ').any(|column| column == observable.name), "{}", observable.name);
    }
}

#[test]
fn tables_fit() {
    let page = anabranch(short("run", &[])).ok();
    fits(&page);
    for part in ["bonded", "neighbour/2", "fibre", "Jain's index", "goodput (Mbit/s)", "seed 1"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains('\x1b'), "colours in what is no terminal");

    let name =
        "a-flow-with-a-name-that-is-much-longer-than-anybody-would-like-to-read-in-a-table-or-anywhere";
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let text = text.replace("bonded", name).replace("fibre", &format!("link-{name}"));
    fits(&anabranch_reading(&text, ["run", "-", "--duration", "2 s", "--set", "warmup=0 s"]).ok());
}

#[test]
fn responses_have_a_table() {
    let run = |options: &[&str]| {
        anabranch([&["run", "scenarios/short-flows.toml", "--duration", "10 s"], options].concat())
    };
    let page = run(&[]).ok();
    assert!(page.contains("mean completion"), "{page}");
    fits(&page);
    let dir = tempfile::tempdir().unwrap();
    let json = run(&["--json", "--out", dir.path().to_str().unwrap(), "--format", "csv"]).json();
    let count = number(&json["flows"][0]["completion"]["count"]);
    assert!(count > 0.0);
    let rows = fs::read_to_string(dir.path().join("completions.csv")).unwrap();
    assert!(rows.starts_with("time_s,flow,bytes,completion_s,start_s,slowdown,times_alone\n"));
    assert!(rows.lines().filter(|l| l.contains(",web/1,")).count() >= count as usize);
}

/// A row for each transfer, which the summary counts; in a page by size, in a comparison beside the others.
#[test]
fn transfers_have_a_table_and_a_slowdown() {
    let run = |options: &[&str]| {
        anabranch([&["run", "scenarios/web-workload.toml", "--duration", "8 s"], options].concat())
    };
    let page = run(&[]).ok();
    assert!(page.contains("slowdown") && page.contains("unfinished") && page.contains("to 100 kB"), "{page}");
    fits(&page);
    let (dir, out) = scratch("run");
    let json = run(&["--json", "--out", out.to_str().unwrap(), "--format", "csv"]).json();
    let flow = &json["flows"][0];
    let transfers = &flow["transfers"];
    let completed = number(&flow["completion"]["count"]);
    assert_eq!(number(&transfers["started"]), completed + number(&transfers["unfinished"]));
    assert!(number(&transfers["slowdown"]["p50"]) >= 0.9, "{transfers}");
    let rows = fs::read_to_string(out.join("completions.csv")).unwrap();
    let started: Vec<f64> =
        rows.lines().skip(1).map(|r| r.split(',').nth(4).unwrap().parse().unwrap()).collect();
    assert_eq!(started.iter().filter(|start| **start >= 5.0).count(), completed as usize);
    assert!(rows.lines().skip(1).all(|row| !row.ends_with(',')), "each has both ratios");
    assert_eq!(run(&["--json"]).json(), json);

    let picture = dir.path().join("slowdown.svg");
    let [out, picture] = [&out, &picture].map(|path| path.to_str().unwrap());
    anabranch(["plot", out, "--figure", "slowdown,completions", "--out", picture]).ok();
    let load = ["--set", "flows.web.application.load=0.3", "--set", "flows.web.application.connections=one"];
    let shared = run(&[&["--json"][..], &load].concat()).json();
    assert!(number(&shared["flows"][0]["transfers"]["offered_bps"]) < 0.45 * 80e6);
    let compared = ["compare", "scenarios/web-workload.toml", "--cc", "lia,coupled-cubic", "--seeds", "2"];
    let page = anabranch([&compared[..], &["--duration", "8 s"]].concat()).ok();
    assert!(page.contains("completion") && page.contains("slowdown"), "{page}");
    fits(&page);
}

/// A mistake in a file of sizes is reported with its line, and nothing is written.
#[test]
fn a_mistake_in_a_file_of_sizes() {
    let dir = tempfile::tempdir().unwrap();
    let text = fs::read_to_string(root().join("scenarios/web-workload.toml")).unwrap();
    let scenario = dir.path().join("web.toml");
    fs::write(&scenario, text.replace("sizes/web.csv", "sizes.csv")).unwrap();
    fs::write(dir.path().join("sizes.csv"), "size (kB),CDF\n1,0.5\n10,0.9\n").unwrap();
    let (scenario, out) = (scenario.to_str().unwrap(), dir.path().join("out"));
    let outcome = anabranch(["run", scenario, "--out", out.to_str().unwrap()]);
    assert_eq!(outcome.status, 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("sizes.csv:3:1") && outcome.stderr.contains("the CDF ends at 0.9"));
    assert!(!out.exists());
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for args in [short("run", &[]), vec!["cc", "show", "coupled-cubic"], vec!["schema"]] {
        let mut child = command().args(&args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

/// Interrupts `child` once it is `ready`: what it printed, and what it said on stderr.
fn interrupted_when(mut child: Child, ready: impl Fn() -> bool) -> (String, String) {
    while !ready() {
        assert_eq!(child.try_wait().unwrap(), None, "ended early");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    (String::from_utf8(output.stdout).unwrap(), stderr)
}

/// The values of a column of numbers.
fn column(file: &Path, name: &str) -> Vec<f64> {
    let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    let value = |row: parquet::record::Row| {
        let field = row.get_column_iter().find(|(column, _)| *column == name).unwrap().1.clone();
        match field {
            parquet::record::Field::Double(x) => x,
            other => panic!("{other} is not a number"),
        }
    };
    rows.map(value).collect()
}

/// Ctrl-C ends a long run, which says how far it got and leaves a record that can be read and says that it is partial.
#[test]
fn interrupted() {
    let (dir, out) = scratch("run");
    let args = ["run", TWO_PATHS, "--duration", "1000000 s", "--set", "warmup=\"0 s\"", "--out"];
    let child = command().args(args).arg(&out).spawn().unwrap();
    let begun = dir.path().join(".run.anabranch/subflows.parquet.partial");
    let (stdout, stderr) = interrupted_when(child, || begun.exists());
    assert!(stderr.contains("interrupted at") && stderr.contains("1000000 s"), "{stderr}");
    assert!(stdout.lines().next().unwrap().contains("interrupted at"), "{stdout}");

    assert_eq!(names(dir.path()), ["run"]);
    assert_eq!(
        names(&out),
        [".anabranch", "links.parquet", "scenario.toml", "subflows.parquet", "summary.json"]
    );
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let summary: Value = serde_json::from_str(&read("summary.json")).unwrap();
    let until = summary["partial_until_s"].as_f64().unwrap();
    assert!(until > 0.0 && until < 1e6);
    assert!(stderr.contains(&format!("{until} s")), "{stderr}");
    assert!(read("scenario.toml").contains(&format!("# Partial: interrupted at {until} s.\n")));
    // Samples every 100 ms, of three subflows, up to there.
    let times = column(&out.join("subflows.parquet"), "time_s");
    let last = times.last().unwrap();
    assert!(*last <= until && *last > until - 0.2, "{last} of {until}");
    // Goodput counts what was delivered by then, of a flow that starts at once.
    let flow = &summary["flows"][0];
    let bits = number(&flow["delivered_bytes"]) * 8.0;
    assert!(bits > 0.0 && (number(&flow["goodput_bps"]) / (bits / until) - 1.0).abs() < 1e-9);
}

/// A command whose stderr is a terminal, interrupted when that shows how fast it is and what is left: what was shown, and how
/// it ended.
fn interrupted_on_a_terminal(args: &[&str]) -> (String, std::process::Output) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use std::io::Read;
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = fs::OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    rustix::termios::tcsetwinsize(
        &slave,
        rustix::termios::Winsize { ws_row: 24, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 },
    )
    .unwrap();
    let child = command().args(args).env("TERM", "xterm").stderr(slave).spawn().unwrap();
    let (mut shown, mut part, mut terminal) = (String::new(), [0; 4096], fs::File::from(master));
    while !(shown.contains("simulated s/s") && shown.contains("left")) {
        let n = terminal.read(&mut part).unwrap();
        shown += &String::from_utf8_lossy(&part[..n]);
    }
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    (shown, output)
}

/// On a terminal a long run shows how much of it is done, how fast it is and how long it will take.
#[test]
fn progress_on_a_terminal() {
    let (shown, output) = interrupted_on_a_terminal(&["run", TWO_PATHS, "--duration", "1000000 s"]);
    assert_eq!(output.status.code(), Some(130));
    assert!(shown.contains("% of the simulated time"), "{shown:?}");
}

/// Ctrl-C leaves of a comparison the runs that were complete, and what there was of those that were not.
#[test]
fn an_interrupted_comparison() {
    let args =
        ["compare", TWO_PATHS, "--duration", "1000000 s", "--cc", "lia,olia", "--seeds", "2", "--json"];
    let (_, output) = interrupted_on_a_terminal(&args);
    assert_eq!(output.status.code(), Some(130));
    let runs: Value = serde_json::from_slice(&output.stdout).unwrap();
    let runs = runs.as_array().unwrap();
    // One for each core, of the first seed as far as it goes.
    assert!(!runs.is_empty() && runs.len() <= 4, "{runs:?}");
    assert_eq!((runs[0]["cc"].as_str(), runs[0]["seed"].as_str()), (Some("lia"), Some("1")));
    for run in runs {
        let until = run["partial_until_s"].as_f64().unwrap();
        assert!(until > 0.0 && until < 1e6, "{until}");
    }
}

/// Ctrl-C in a reproduction: it says what is complete, and leaves the report as it was.
#[test]
fn an_interrupted_reproduction() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let (_, output) = interrupted_on_a_terminal(&["paper", "all", "--full", "--out", out]);
    assert_eq!(output.status.code(), Some(130));
    assert!(!dir.path().join("report").exists());
}

/// After Ctrl-C, the same command resumes, gives the result of an uninterrupted run, and leaves nothing behind.
#[test]
fn an_interrupted_experiment_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let paper = |out: &str| {
        let args = ["paper", "coupling-cubic", "--only", "E-10", "--quick", "--seeds", "1", "--out"];
        let mut paper = command();
        paper.args(args).arg(dir.path().join(out));
        paper
    };
    let store = |out: &str| dir.path().join(out).join("store");
    let runs = || kept(&store("parts"));
    let (_, stderr) = interrupted_when(paper("parts").spawn().unwrap(), || runs() >= 2);
    assert!(stderr.contains("resume"), "{stderr}");

    let (made, output) = (runs(), paper("parts").output().unwrap());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains(&format!("{made} runs of an earlier command")), "{made}: {stderr}");
    assert!(!store("parts").exists());

    let output = paper("whole").output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    let result = |out: &str| fs::read(dir.path().join(out).join("papers/coupling-cubic.json")).unwrap();
    assert!(result("parts") == result("whole"));
}

/// The quick size is reported first, as provisional, and that report survives the first Ctrl-C.
#[test]
fn a_provisional_report_survives() {
    let (dir, report) = scratch("report/index.html");
    let is_provisional = || fs::read_to_string(&report).is_ok_and(|page| page.contains("Provisional. "));
    let mut paper = command();
    paper.args(["paper", "B", "--no-variants", "--quick-first", "--out"]).arg(dir.path());
    let (_, stderr) = interrupted_when(paper.spawn().unwrap(), is_provisional);
    assert!(stderr.contains("resume"), "{stderr}");
    assert!(is_provisional() && dir.path().join("store").exists());
}

/// Where stderr is not a terminal, a long command says at intervals how far it is, of one run and of many.
#[test]
fn progress_in_lines() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    let long_run = ["run", TWO_PATHS, "--duration", "1000000 s"];
    let paper = ["paper", "E", "--only", "E-10", "--out", out];
    for (args, said) in [(&long_run[..], "% of the simulated time"), (&paper, " runs")] {
        let mut child = command().args(args).env("ANABRANCH_PROGRESS_SECONDS", "0.01").spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut lines = [String::new(), String::new()];
        lines.iter_mut().for_each(|line| _ = stderr.read_line(line).unwrap());
        signal(&child, Signal::INT);
        std::io::copy(&mut stderr, &mut std::io::sink()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        for line in lines {
            assert!(line.starts_with("0 s: 0"), "{line}");
            assert!(line.contains(said), "{line}");
            assert!(line.contains(" % of the "), "{line}");
        }
    }
}

/// Runs of another build are noted and stay. With a file in the store's place, the command continues without a store.
#[test]
fn runs_of_another_build_stay() {
    let dir = tempfile::tempdir().unwrap();
    let paper = |out: &str| {
        let args = ["paper", "B", "--only", "B-D", "--quick", "--seeds", "1", "--out"];
        let outcome =
            anabranch(args.iter().map(std::ffi::OsStr::new).chain([dir.path().join(out).as_os_str()]));
        assert_eq!(outcome.status, 0, "{}", outcome.stderr);
        one_line(&outcome.stderr)
    };
    let folder = dir.path().join("out/store").join("0f".repeat(32));
    fs::create_dir_all(&folder).unwrap();
    let other = folder.join("runs.jsonl");
    fs::write(&other, "{}\n").unwrap();
    let said = paper("out");
    assert!(said.contains("1 run of 3 B"), "{said}");
    assert_eq!(fs::read_to_string(&other).unwrap(), "{}\n");

    fs::create_dir(dir.path().join("no")).unwrap();
    fs::write(dir.path().join("no/store"), "mine").unwrap();
    let said = paper("no");
    assert!(said.contains("without a store of runs, an interrupted command cannot resume"), "{said}");
    assert_eq!(fs::read_to_string(dir.path().join("no/store")).unwrap(), "mine");
}
