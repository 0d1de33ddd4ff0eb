//! `--backend kernel`: the scenario of the simulator on the running kernel.

use anabranch::linux::KERNEL;
use anabranch::{Options, Summary, Watch};
use anabranch_study::{Measurement, Measurements, prediction};
use anabranch_test_support::Kernel;
use anabranch_test_support::command::{
    Outcome, anabranch, anabranch_reading, binary, folder, has, outcome, typed,
};
use anabranch_test_support::witness::say;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SCENARIO: &str = r#"
    name = "two paths"
    duration = "3 s"
    warmup = "1 s"
    links.a = { rate = "20 Mbit/s", delay = "5 ms", queue = "1 BDP" }
    links.b = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [{ name = "mptcp", cc = "lia", paths = [["a"], ["b"]] }]
"#;

fn run(arguments: &[&str]) -> Outcome {
    anabranch_reading(SCENARIO, [&["run", "-", "--backend", "kernel"], arguments].concat())
}

/// The number of times a command whose runs came too late is repeated: each has made three attempts of its own.
const REPEATS: usize = 3;

/// A command's outcome; `None` if each time no run of it was valid because the machine's processors stood still meanwhile. The
/// runs measure that themselves, to the millisecond, and the command must report it.
fn judged(mut command: impl FnMut() -> Outcome) -> Option<Outcome> {
    for _ in 0..REPEATS {
        let outcome = command();
        let said = outcome.message();
        let of_time = [" ms late", "stood still", "(steal)", "the last one failed"];
        // Notes on earlier attempts come before it.
        let last = said.rsplit_once("no valid run in").map(|(_, why)| why);
        if !last.is_some_and(|why| of_time.iter().any(|reason| why.contains(reason))) {
            return Some(outcome);
        }
        assert_eq!(outcome.status, 1, "{said}");
        say(&format!("repeated: {said}"));
    }
    say("not judged, the machine's processors stood still each time");
    None
}

/// The record is the simulator's, with what the kernel adds; its page says on what it ran.
#[test]
fn a_run_on_the_kernel() {
    let Some(_kernel) = Kernel::lock() else { return };
    let Some(ended) = judged(|| run(&["--json"])) else { return };
    let json = ended.without_repeats().json();
    let flow = &json["flows"][0];
    let goodput = flow["goodput_bps"].as_f64().unwrap();
    assert!((15e6..29e6).contains(&goodput), "{json}");
    assert_eq!(flow["subflows"].as_array().unwrap().len(), 2);
    assert!(json["kernel"]["paths"][0]["segments"].as_u64().unwrap() > 1000, "{json}");
    // A tenth of 1500 bytes at 20 Mbit/s.
    assert_eq!(json["kernel"]["emulator"]["quantum_s"], 6e-5);
    let Some(ended) = judged(|| run(&["--cc", "mptcp=reno@kernel"])) else { return };
    has(&ended.without_repeats().ok(), ["On Linux ", "reno@kernel"]);
}

/// Hosts send until all is closed, but what comes after the run is not in its record either.
#[test]
fn a_capture_ends_with_the_run() {
    let Some(_kernel) = Kernel::lock() else { return };
    let dir = folder();
    let file = dir.at("run.pcapng");
    let pcap = ["--pcap", &file];
    let Some(ended) = judged(|| run(&pcap)) else { return };
    ended.done();
    let read = anabranch(["capture", pcap[1], "--json"]).json();
    let lasts = read["duration_s"].as_f64().unwrap();
    assert!((2.5..=3.0).contains(&lasts), "{lasts} s");
}

/// A sweep has both backends as an axis, and reports their differences.
#[test]
fn a_sweep_beside_the_simulator() {
    let Some(_kernel) = Kernel::lock() else { return };
    let dir = folder();
    let (file, out) = (dir.write("two.toml", SCENARIO), dir.at("out"));
    let sweep = |more: &str| {
        let vary = "--vary 'links.a.delay=5 ms,15 ms'";
        typed(&format!("sweep {file} {vary} --seeds 2 --backend kernel --out {out} {more}"))
    };
    let Some(page) = judged(|| sweep("")) else { return };
    page.done();
    let table = dir.read("out/studies/two.csv");
    let of = |backend: &str| table.lines().filter(|line| line.split(',').any(|cell| cell == backend)).count();
    assert_eq!((of("sim"), of("kernel")), (4, 4), "{table}");
    // Runs on the kernel are kept too: this takes less than eight seconds more.
    let again = sweep("--json");
    // With the Linux-accurate host model, the simulator has four more.
    has(&again.stderr, ["reused 12 runs of an earlier command"]);
    let result: Value = serde_json::from_str(&again.stdout).unwrap();
    let fidelity = result["experiments"][0]["fidelity"].as_array().unwrap();
    assert_eq!(fidelity.len(), 2);
    assert!(fidelity.iter().all(|scenario| scenario["quantities"][0]["linux_hosts"]["relative"].is_f64()));
}

/// Measured runs are kept, are not repeated, and are found again: a further run is within the 99.9 % prediction interval of theirs, or within 1 % of
/// their mean. Without losses, runs of a few seconds agree to a millionth, but one that starts 10 ms late on a busy machine loses 0.3 %.
/// So are those of three shipped scenarios.
#[test]
fn measurements() {
    let Some(_kernel) = Kernel::lock() else { return };
    let dir = folder();
    dir.write("two.toml", SCENARIO.replace("lia", "reno").replace(", [\"b\"]]", "]"));
    let study = "title = \"one\"\n[runs.of]\nscenario = \"two.toml\"\n[[rows]]\nid = \"1\"\nof = 'goodput(\"mptcp\")'\n";
    let study = anabranch::open_study(dir.write("one.toml", study).as_ref(), &[]).unwrap();
    let measure = |seeds| {
        let options = Options { seeds: Some(seeds), ..Options::default() };
        let study = std::slice::from_ref(&study);
        let ended = anabranch::measure(study, &options, &KERNEL, dir.path(), false, &Watch::default());
        let (status, stderr) =
            ended.map_or_else(|why| (1, format!("{:?}", why.report())), |()| (0, String::new()));
        Outcome { status, stdout: String::new(), stderr }
    };
    let file = || {
        let file = fs::read(dir.at("kernel.jsonl.gz")).unwrap();
        let all = Measurements::read(&file, "kernel", |_| String::new()).unwrap();
        all.all().cloned().collect::<Vec<_>>()
    };
    let Some(measured) = judged(|| measure(3)) else { return };
    measured.done();
    assert_eq!(file().len(), 3);
    let (begin, first) = (Instant::now(), file());
    measure(3).ok();
    assert!(begin.elapsed() < Duration::from_secs(2) && file() == first);
    let mut shipped: BTreeMap<&str, Vec<Measurement>> = BTreeMap::new();
    for run in anabranch::shipped().iter().flat_map(Measurements::all) {
        if run.command.contains(" --backend kernel") && run.summary.duration_s <= 10.0 {
            shipped.entry(&run.summary.scenario_hash).or_default().push(run.clone());
        }
    }
    let often = shipped.into_values().filter(|runs| runs.len() >= 8).take(3);
    let all: Vec<_> = std::iter::once(first).chain(often).collect();
    assert_eq!(all.len(), 4, "the shipped file has three scenarios of 10 s at most with eight runs or more");
    for known in all {
        let goodput = |summary: &Summary| summary.flows[0].goodput_bps.unwrap();
        // Goodputs are above 0, so the logarithms have the interval.
        let goodputs: Vec<f64> = known.iter().map(|run| goodput(&run.summary).ln()).collect();
        let Some((low, high)) = prediction(&goodputs, 0.999) else { continue };
        let mean = goodputs.iter().sum::<f64>() / goodputs.len() as f64;
        let (low, high) = (low.min(mean - 0.01), high.max(mean + 0.01));
        let (command, _) = known[0].command.rsplit_once(" --seed ").expect("a seed");
        let command = format!("{command} --seed 97 --json");
        let Some(again) = judged(|| typed(command.trim_start_matches("anabranch "))) else { continue };
        let again = again.without_repeats().json();
        assert_eq!(
            again["scenario_hash"], *known[0].summary.scenario_hash,
            "{command}: the stored runs are out of date"
        );
        let there = again["flows"][0]["goodput_bps"].as_f64().unwrap().ln();
        assert!((low..=high).contains(&there), "{command}: {there}, measured {goodputs:?}");
    }
}

/// A disk that is full at the end of a run: the measurements are printed, and nothing half-written stays.
#[test]
fn a_full_disk() {
    let Some(_kernel) = Kernel::lock() else { return };
    let dir = folder();
    dir.write("two.toml", SCENARIO);
    fs::create_dir(dir.at("disk")).unwrap();
    // In a mount namespace of its own: enough room to begin, and not for a sample every 10 ms.
    let run = "mount -t tmpfs -o size=80k tmpfs disk && { \"$0\" run two.toml --backend kernel --format csv \
               --set record.interval='10 ms' --out disk/out; status=$?; echo left:; ls -A disk; exit $status; }";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", run]).arg(binary()).current_dir(dir.path());
    let Some(ended) = judged(|| outcome(&mut command)) else { return };
    let ended = ended.ended(2);
    has(&ended.stderr, ["No space left on device"]);
    has(&ended.stdout, ["On Linux"]);
    assert!(ended.stdout.ends_with("left:\n"), "{}", ended.stdout);
}

#[test]
fn what_the_kernel_cannot_do() {
    for (key, value) in [("flows.mptcp.scheduler", "redundant"), ("flows.mptcp.cc", "highspeed")] {
        run(&["--set", &format!("{key}={value}")]).refused([key]);
    }
    // A rate that flows would fill and nobody can emulate: before anything runs, whatever the command.
    let dir = folder();
    let out = format!("--out {}", dir.at("out"));
    let fast = "scenarios/long-fat.toml --set 'links.pipe.rate=400 Gbit/s' --backend kernel";
    for command in [
        format!("run {fast} {out}"),
        format!("compare {fast} --cc bulk=reno,bulk=cubic"),
        format!("sweep {fast} --cc bulk=reno {out}"),
    ] {
        typed(&command).refused(["links.pipe.rate", "packets per second"]);
    }
    assert_eq!(dir.names(), [""; 0]);
}

/// A copy of the command that all users can run: they may not enter the folder that the project is in.
pub fn for_all_users(dir: &Path) -> PathBuf {
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    let copy = dir.join("anabranch");
    // By a process of its own: a file that a thread here writes is busy as long as another thread's child has it open, too.
    let done = Command::new("cp").arg(binary()).arg(&copy).status().unwrap();
    assert!(done.success());
    copy
}

/// It as `nobody`, or as whoever runs the tests without being root.
pub fn unprivileged(copy: &Path) -> Command {
    let mut command = Command::new(copy);
    command.current_dir(copy.parent().unwrap());
    if rustix::process::geteuid().is_root() {
        command.uid(65534).gid(65534);
    }
    command
}

#[test]
fn without_privileges() {
    let dir = folder();
    dir.write("two.toml", SCENARIO);
    let mut run = unprivileged(&for_all_users(dir.path()));
    outcome(run.args(["run", "two.toml", "--backend", "kernel"])).refused(["need root"]);
}
