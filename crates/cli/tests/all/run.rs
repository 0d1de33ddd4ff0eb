//! `anabranch run`: what it prints and writes.

use crate::interrupted::{LONG, long_run};
use anabranch_record::{Record, SubflowSeries};
use anabranch_test_support::command::{
    Outcome, TWO_PATHS, anabranch, anabranch_reading, binary, command, ended, fits, folder, has,
    interrupted_when, kept, names, outcome, root, scratch, short, signal, typed,
};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::process::Command;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The tests of records have the names of all fields. The values agree with each other.
#[test]
fn the_json() {
    let run = anabranch(short("run", &["--json", "--seed", "18446744073709551615"])).json();
    assert_eq!(run["scenario"], "two paths and a neighbour");
    assert_eq!(run["seed"], "18446744073709551615");
    assert_eq!(run["duration_s"], json!(6.0));
    assert_eq!(run["scenario_hash"].as_str().unwrap().len(), 64);
    let flows = run["flows"].as_array().unwrap();
    let named: Vec<_> = flows.iter().map(|f| &f["name"]).collect();
    assert_eq!(named, ["bonded", "neighbour/1", "neighbour/2"]);
    assert_eq!(flows[0]["subflows"][0]["path"], json!(["fibre"]));
    assert_eq!(flows[0]["subflows"][1]["path"], json!(["dsl"]));

    let goodputs = [0, 1, 2].map(|i| number(&run["flows"][i]["goodput_bps"]));
    let squares: f64 = goodputs.iter().map(|x| x * x).sum();
    let jain = goodputs.iter().sum::<f64>().powi(2) / (3.0 * squares);
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
fn cc_replaces_the_multipath_flows_or_the_one_named() {
    let algorithms = |options: &[&str]| {
        let run = anabranch(short("run", &[&["--json"], options].concat())).json();
        [0, 1, 2].map(|i| run["flows"][i]["cc"].clone())
    };
    assert_eq!(algorithms(&["--cc", "lia"]), ["lia", "reno", "reno"]);
    assert_eq!(algorithms(&["--cc", "neighbour/2=cubic", "--cc", "bonded=lia"]), ["lia", "reno", "cubic"]);
}

/// Connections that open at the end have delivered nothing, and their means do not exist.
#[test]
fn set_replaces_a_value() {
    let late = anabranch(short("run", &["--json", "--set", "flows.neighbour.start=5.999 s"])).json();
    assert_eq!(late["flows"][1]["goodput_bps"], json!(0.0));
    assert_eq!(late["flows"][1]["subflows"][0]["mean_rtt_s"], Value::Null);
}

/// `--linux-hosts` is the scenario's `hosts`, in each seed and algorithm, and in the command that repeats the run.
#[test]
fn linux_hosts() {
    let set = anabranch(short("run", &["--json", "--set", "hosts=\"linux\""])).json();
    let folder = folder();
    let run = anabranch(short("run", &["--json", "--linux-hosts", "--out", &folder.at("run")])).json();
    assert_eq!(run, set);
    let plain = anabranch(short("run", &["--json"])).json();
    assert_ne!(run["flows"], plain["flows"]);
    has(folder.read("run/scenario.toml").lines().next().unwrap(), ["hosts=linux"]);
    let compared = |cc, hosts: &[&str]| {
        anabranch(short("compare", &[&["--seeds", "1", "--json", "--cc", cc], hosts].concat())).json()
    };
    let both = compared("coupled-cubic,lia", &["--linux-hosts"]);
    assert_eq!(both[0]["flows"], run["flows"]);
    assert_eq!(both[1], compared("lia", &["--set", "hosts=\"linux\""])[0]);
}

#[test]
fn standard_input() {
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let args = |file| ["run", file, "--duration", "2 s", "--set", "warmup=1 s", "--json"];
    assert_eq!(anabranch_reading(&text, args("-")).ok(), anabranch(args(TWO_PATHS)).ok());
}

#[test]
fn a_directory_holds_all_of_a_run() {
    let folder = folder();
    let out = folder.at("new/run");
    let printed = anabranch(short("run", &["--json", "--cc", "lia", "--seed", "7", "--out", &out])).ok();
    assert_eq!(
        names(out.as_ref()),
        [".anabranch", "links.parquet", "scenario.toml", "subflows.parquet", "summary.json"]
    );
    assert_eq!(folder.read("new/run/summary.json"), printed);

    let record = Record::read(out.as_ref()).unwrap();
    assert!(record.samples.series("neighbour/2", 0).is_some());

    // The first line of the scenario is the command that repeats the run.
    let scenario = folder.read("new/run/scenario.toml");
    let again = scenario.lines().next().unwrap().strip_prefix("# As it was run: anabranch ").unwrap();
    let again = format!("'{}' {again} --json", binary().display());
    let again = outcome(Command::new("sh").args(["-c", &again]).current_dir(&out));
    assert_eq!(again.stdout, printed);

    // Another run leaves nothing of this one.
    anabranch(short("run", &["--json", "--replace", "--out", &out, "--format", "csv"])).notes(["seed 7"]);
    let csv = [".anabranch", "links.csv", "scenario.toml", "subflows.csv", "summary.json"];
    assert_eq!(names(out.as_ref()), csv);
    let header = "time_s,flow,subflow,path,cwnd_segments,ssthresh_segments,srtt_s,in_flight_segments,sent_bytes,\
                  delivered_bytes,lost_segments,retransmitted_segments,";
    assert!(folder.read("new/run/subflows.csv").starts_with(header));
}

/// The names of observables are columns beside the fixed ones.
#[test]
fn observables_have_names_of_their_own() {
    let columns = SubflowSeries::COLUMNS.iter().map(|column| column.name);
    let fixed: Vec<&str> = columns.chain(["time_s", "flow", "subflow", "path"]).collect();
    for observable in anabranch_cc::registry::ALL.iter().flat_map(|e| e.observables) {
        assert!(!fixed.contains(&observable.name), "{}", observable.name);
    }
}

#[test]
fn tables_fit() {
    let page = anabranch(short("run", &[])).ok();
    fits(&page);
    has(&page, ["bonded", "neighbour/2", "fibre", "Jain's index", "goodput (Mbit/s)", "seed 1"]);
    assert!(!page.contains('\x1b'), "colours in what is no terminal");

    let name =
        "a-flow-with-a-name-that-is-much-longer-than-anybody-would-like-to-read-in-a-table-or-anywhere";
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let text = text.replace("bonded", name).replace("fibre", &format!("link-{name}"));
    fits(&anabranch_reading(&text, ["run", "-", "--duration", "2 s", "--set", "warmup=0 s"]).ok());
}

#[test]
fn responses_have_a_table() {
    let folder = folder();
    let run = |options: &str| typed(&format!("run scenarios/short-flows.toml --duration '10 s' {options}"));
    let page = run("").ok();
    has(&page, ["mean completion"]);
    fits(&page);
    let json = run(&format!("--json --format csv --out {}", folder.arg())).json();
    let count = number(&json["flows"][0]["completion"]["count"]);
    assert!(count > 0.0);
    let rows = folder.read("completions.csv");
    assert!(rows.starts_with("time_s,flow,bytes,completion_s,start_s,slowdown,times_alone\n"));
    assert!(rows.lines().filter(|l| l.contains(",web/1,")).count() >= count as usize);
}

/// A row for each transfer, which the summary counts; in a page by size, in a comparison beside the others.
#[test]
fn transfers_have_a_table_and_a_slowdown() {
    let folder = folder();
    let with = |command: &str, options: &str| {
        typed(&format!("{command} scenarios/web-workload.toml --duration '8 s' {options}"))
    };
    let page = with("run", "").ok();
    has(&page, ["slowdown", "unfinished", "to 100 kB"]);
    fits(&page);
    let json = with("run", &format!("--json --format csv --out {}", folder.at("run"))).json();
    let flow = &json["flows"][0];
    let transfers = &flow["transfers"];
    let completed = number(&flow["completion"]["count"]);
    assert_eq!(number(&transfers["started"]), completed + number(&transfers["unfinished"]));
    assert!(number(&transfers["slowdown"]["p50"]) >= 0.9, "{transfers}");
    let rows = folder.read("run/completions.csv");
    let started: Vec<f64> =
        rows.lines().skip(1).map(|r| r.split(',').nth(4).unwrap().parse().unwrap()).collect();
    assert_eq!(started.iter().filter(|start| **start >= 5.0).count(), completed as usize);
    assert!(rows.lines().skip(1).all(|row| !row.ends_with(',')), "each has both ratios");

    let (record, picture) = (folder.at("run"), folder.at("slowdown.svg"));
    anabranch(["plot", &record, "--figure", "slowdown,completions", "--out", &picture]).ok();
    let page = with("compare", "--cc lia,coupled-cubic --seeds 2").ok();
    has(&page, ["completion", "slowdown"]);
    fits(&page);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    for args in [short("run", &[]), vec!["cc", "show", "coupled-cubic"], vec!["schema"]] {
        let mut child = command().args(&args).spawn().unwrap();
        drop(child.stdout.take());
        ended(child).ok();
    }
}

/// Ctrl-C ends a long run, which says how far it got and leaves a record that can be read and says that it is partial.
#[test]
fn interrupted() {
    let (dir, out) = scratch("run");
    let Outcome { stdout, stderr, .. } =
        interrupted_when(long_run(&out, &["--set", "warmup=\"0 s\""]), || true);
    has(&stderr, ["interrupted at", "1000000 s"]);
    has(stdout.lines().next().unwrap(), ["interrupted at"]);

    assert_eq!(names(dir.path()), ["run"]);
    assert_eq!(
        names(&out),
        [".anabranch", "links.parquet", "scenario.toml", "subflows.parquet", "summary.json"]
    );
    let Record { summary, samples } = Record::read(&out).unwrap();
    let until = summary.partial_until_s.unwrap();
    assert!(until > 0.0 && until < 1e6);
    has(&stderr, [format!("{until} s")]);
    let scenario = fs::read_to_string(out.join("scenario.toml")).unwrap();
    has(&scenario, [format!("# Partial: interrupted at {until} s.\n")]);
    // Samples every 100 ms, of four subflows, up to there.
    let subflows: Vec<_> = samples.flows.iter().flat_map(|flow| &flow.subflows).collect();
    assert_eq!(subflows.len(), 4);
    for subflow in subflows {
        let last = *subflow.time_s.last().unwrap();
        assert!(last <= until && last > until - 0.2, "{last} of {until}");
    }
    // Goodput counts what was delivered by then, of a flow that starts at once.
    let flow = &summary.flows[0];
    let bits = flow.delivered_bytes as f64 * 8.0;
    assert!(bits > 0.0 && (flow.goodput_bps.unwrap() / (bits / until) - 1.0).abs() < 1e-9);
}

/// A command whose stderr is a terminal, interrupted when that shows how fast it is and what is left: what was shown, and what it
/// printed.
fn interrupted_on_a_terminal(args: &[&str]) -> (String, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    tcsetwinsize(&slave, Winsize { ws_row: 24, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let child = command().args(args).env("TERM", "xterm").stderr(slave).spawn().unwrap();
    let (mut shown, mut part, mut terminal) = (String::new(), [0; 4096], File::from(master));
    while !(shown.contains("simulated s/s") && shown.contains("left")) {
        let n = terminal.read(&mut part).unwrap();
        shown += &String::from_utf8_lossy(&part[..n]);
    }
    signal(&child, Signal::INT);
    (shown, ended(child).ended(130).stdout)
}

/// On a terminal a long run shows how much of it is done, how fast it is and how long it will take.
#[test]
fn progress_on_a_terminal() {
    has(&interrupted_on_a_terminal(&LONG).0, ["% of the simulated time"]);
}

/// Ctrl-C leaves of a comparison the runs that were complete, and what there was of those that were not.
#[test]
fn an_interrupted_comparison() {
    let args =
        ["compare", TWO_PATHS, "--duration", "1000000 s", "--cc", "lia,olia", "--seeds", "2", "--json"];
    let runs: Vec<Value> = serde_json::from_str(&interrupted_on_a_terminal(&args).1).unwrap();
    // One for each core, of the first seed as far as it goes.
    assert!(!runs.is_empty() && runs.len() <= 4, "{runs:?}");
    assert_eq!((runs[0]["cc"].as_str(), runs[0]["seed"].as_str()), (Some("lia"), Some("1")));
    for run in runs {
        let until = run["partial_until_s"].as_f64().unwrap();
        assert!(until > 0.0 && until < 1e6, "{until}");
    }
}

/// After Ctrl-C, which leaves the report as it was, the same command resumes, gives the result of an uninterrupted run, and leaves
/// nothing behind.
#[test]
fn an_interrupted_experiment_resumes() {
    let dir = folder();
    let paper = |out: &str| {
        let args = ["paper", "coupling-cubic", "--only", "E-10", "--quick", "--seeds", "1", "--out"];
        command().args(args).arg(dir.at(out)).spawn().unwrap()
    };
    let store = dir.path().join("parts/store");
    has(&interrupted_when(paper("parts"), || kept(&store) >= 2).stderr, ["resume"]);

    let made = kept(&store);
    assert!(!dir.path().join("parts/report").exists());
    ended(paper("parts")).notes([format!("{made} runs of an earlier command")]);
    assert!(!store.exists());

    ended(paper("whole")).ok();
    assert!(dir.read("parts/papers/coupling-cubic.json") == dir.read("whole/papers/coupling-cubic.json"));
}

/// The quick size is reported first, as provisional, and that report survives the first Ctrl-C.
#[test]
fn a_provisional_report_survives() {
    let (dir, report) = scratch("report/index.html");
    let is_provisional = || fs::read_to_string(&report).is_ok_and(|page| page.contains("Provisional. "));
    let mut paper = command();
    paper.args(["paper", "B", "--no-variants", "--quick-first", "--out"]).arg(dir.path());
    has(&interrupted_when(paper.spawn().unwrap(), is_provisional).stderr, ["resume"]);
    assert!(is_provisional() && dir.path().join("store").exists());
}

/// Where stderr is not a terminal, a long command says at intervals how far it is, of one run and of many.
#[test]
fn progress_in_lines() {
    let dir = folder();
    let paper = ["paper", "E", "--only", "E-10", "--out", dir.arg()];
    for (args, said) in [(&LONG[..], "% of the simulated time"), (&paper, " runs")] {
        let mut child = command().args(args).env("ANABRANCH_PROGRESS_SECONDS", "0.01").spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut lines = [String::new(), String::new()];
        lines.iter_mut().for_each(|line| _ = stderr.read_line(line).unwrap());
        signal(&child, Signal::INT);
        std::io::copy(&mut stderr, &mut std::io::sink()).unwrap();
        ended(child).ended(130);
        for line in lines {
            let (seconds, rest) = line.split_once(" s: ").unwrap_or_default();
            assert!(seconds.parse::<u32>().is_ok() && rest.starts_with('0'), "{line}");
            has(&line, [said, " % of the "]);
        }
    }
}

/// Runs of another build are noted and stay. With a file in the store's place, the command continues without a store.
#[test]
fn runs_of_another_build_stay() {
    let dir = folder();
    let paper = |out: &str| typed(&format!("paper B --only B-D --quick --seeds 1 --out {}", dir.at(out)));
    let other = format!("out/store/{}", "0f".repeat(32));
    fs::create_dir_all(dir.at(&other)).unwrap();
    let other = format!("{other}/runs.jsonl");
    dir.write(&other, "{}\n");
    paper("out").notes(["1 run of 3 B"]);
    assert_eq!(dir.read(&other), "{}\n");

    fs::create_dir(dir.at("no")).unwrap();
    dir.write("no/store", "mine");
    paper("no").notes(["without a store of runs, an interrupted command cannot resume"]);
    assert_eq!(dir.read("no/store"), "mine");
}
