//! Several processes on one store: they divide the runs, and whoever is killed loses nothing for the others.

use anabranch_record::Summary;
use anabranch_study::{Kept, Outcomes, RunId, ScenarioFile, Setup, Simulations, Store, Work, run_all};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

const SCENARIO: &str = r#"
    name = "random loss"
    duration = "4 s"
    warmup = "1 s"
    links.a = { rate = "20 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 1e-3 } }
    flows = [{ name = "tested", cc = "reno", paths = [["a"]] }]
"#;
const SEEDS: u32 = 30;

fn setup() -> Setup {
    let file =
        ScenarioFile { name: "loss.toml".into(), path: "loss.toml".into(), text: SCENARIO.to_owned().into() };
    Setup::new("random loss", &file)
}

fn run(scenario_hash: &str, seed: u64) -> RunId<'_> {
    RunId { scenario_hash, seed, backend: "sim" }
}

/// The summaries of all seeds.
fn study(store: Option<&dyn Kept>) -> String {
    let setups = [setup()];
    let simulations = Simulations::of([("test", &setups[..])], SEEDS).unwrap();
    let conclude = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
        let all = outcomes[0].iter().flatten().map(|outcome| outcome.as_ref().unwrap().summary.to_json());
        Some(all.collect::<String>())
    };
    let work = [Work { simulations, conclude: Box::new(conclude) }];
    let mut result = String::new();
    run_all(&work, store, &|_| (), &|| true, &mut |all: String| result = all).unwrap();
    result
}

/// The other processes of the tests below are this one, told in the environment to do something and how: `run` runs the study
/// and leaves its result beside the number of runs that it made; `hold` claims two runs and never ends.
#[test]
fn worker() {
    let (Ok(what), Ok(dir)) = (env::var("STORE_WORKER"), env::var("STORE_DIR")) else { return };
    let store = Store::open(Path::new(&dir).join("store"), "v1").unwrap();
    let hash = setup().scenario().unwrap().hash;
    let claims: Vec<_> = match what.as_str() {
        "hold" => [2, 3].map(|seed| store.claim(run(&hash, seed)).unwrap()).into(),
        _ => vec![],
    };
    println!("\nready");
    std::io::stdin().lock().read_line(&mut String::new()).unwrap();
    if !claims.is_empty() {
        std::thread::sleep(Duration::from_secs(3600));
    }
    let result = study(Some(&store));
    fs::write(Path::new(&dir).join(what), format!("{}\n{result}", store.kept())).unwrap();
    // The test's own report would go into a pipe that nobody reads any more.
    std::process::exit(0);
}

/// A worker that has come to its `ready`.
fn ready(what: &str, dir: &Path) -> Child {
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["--exact", "store::worker", "--nocapture"])
        .env("STORE_WORKER", what)
        .env("STORE_DIR", dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "ready"));
    child
}

fn go(child: &mut Child) {
    child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
}

/// How many runs a worker made, and its result.
fn result(what: &str, dir: &Path) -> (u32, String) {
    let text = fs::read_to_string(dir.join(what)).unwrap();
    let (made, result) = text.split_once('\n').unwrap();
    (made.parse().unwrap(), result.to_owned())
}

fn outcomes(dir: &Path) -> usize {
    fs::read_to_string(dir.join("store/v1/runs.jsonl")).map_or(0, |lines| lines.lines().count())
}

/// Two processes make every run once between them, and have the same result as one without a store.
#[test]
fn two_processes_divide_the_runs() {
    let dir = tempfile::tempdir().unwrap();
    let mut workers = ["one", "two"].map(|what| ready(what, dir.path()));
    workers.iter_mut().for_each(go);
    workers.iter_mut().for_each(|worker| assert!(worker.wait().unwrap().success()));
    let [(one, first), (two, second)] = ["one", "two"].map(|what| result(what, dir.path()));
    assert!(one > 0 && two > 0 && one + two == SEEDS, "{one} and {two}");
    let alone = study(None);
    assert!(first == alone && second == alone);
    let text = alone.split_inclusive("\n}\n").map(|text| Summary::from_json(text).unwrap().seed);
    assert_eq!(text.collect::<Vec<_>>(), (1..=SEEDS.into()).collect::<Vec<_>>());
    assert_eq!(outcomes(dir.path()), SEEDS as usize);
}

/// Runs that another process has claimed are waited for; when it is killed, they are made here.
#[test]
fn the_runs_of_a_killed_process_are_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let mut hold = ready("hold", dir.path());
    go(&mut hold);
    let mut run = ready("run", dir.path());
    go(&mut run);
    while outcomes(dir.path()) < SEEDS as usize - 2 {
        assert!(run.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    assert!(run.try_wait().unwrap().is_none(), "the other two are waited for");
    assert_eq!(outcomes(dir.path()), SEEDS as usize - 2);
    hold.kill().unwrap();
    hold.wait().unwrap();
    assert!(run.wait().unwrap().success());
    let (made, all) = result("run", dir.path());
    assert!(made == SEEDS && all == study(None));
    assert_eq!(outcomes(dir.path()), SEEDS as usize);
}

/// What a store costs: 10,000 outcomes kept and found, against runs of 20 ms each.
#[test]
#[ignore = "a measurement: cargo test --release -p anabranch-study --test all store::cost -- --ignored --nocapture"]
fn cost() {
    const RUNS: u64 = 10_000;
    let dir = tempfile::tempdir().unwrap();
    // Two flows, three subflows, two links.
    let file =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/two-paths-and-a-neighbour.toml");
    let text = fs::read_to_string(file).unwrap();
    let file = ScenarioFile { name: "two.toml".into(), path: "two.toml".into(), text: text.into() };
    let scenario = Setup::new("two paths", &file).lasting(1.0, 0.1).scenario().unwrap();
    let summary =
        anabranch_sim::run(&scenario, 1, &mut anabranch_record::NoSamples, &mut |_| true).unwrap().summary;
    let cpu = || {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let fields: Vec<f64> =
            stat.rsplit(')').next().unwrap().split_whitespace().filter_map(|f| f.parse().ok()).collect();
        // User and system time, in hundredths of a second; the process's state before them is no number.
        (fields[10] + fields[11]) / 100.0
    };
    let mut per_run = 0.0;
    for (what, find) in [("kept", false), ("found", true)] {
        let store = Store::open(dir.path(), "v1").unwrap();
        let (begin, clock) = (cpu(), std::time::Instant::now());
        for seed in 0..RUNS {
            assert_eq!(store.find(run(&summary.scenario_hash, seed)).is_some(), find);
            if !find {
                let claim = store.claim(run(&summary.scenario_hash, seed)).unwrap();
                assert!(store.find(run(&summary.scenario_hash, seed)).is_none());
                store.keep(claim, &Summary { seed, ..summary.clone() });
            }
        }
        let each = (cpu() - begin) / RUNS as f64;
        println!(
            "{what}: {:.0} µs of CPU each, {:.0} µs by the clock",
            each * 1e6,
            clock.elapsed().as_secs_f64() / RUNS as f64 * 1e6
        );
        per_run += each;
    }
    println!("a record has {} bytes", summary.to_json().len());
    assert!(per_run < 0.1 * 20e-3, "{per_run} s per run");
}
