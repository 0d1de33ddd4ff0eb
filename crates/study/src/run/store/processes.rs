//! Several processes on one store: they divide the runs, and whoever is killed loses nothing for the others.

use super::Store;
use super::tests::run;
use crate::simulator::{ONE_LINK, Simulator};
use crate::{Backends, Outcomes, RunCache, ScenarioFile, Setup, Simulations, Work, run_all};
use anabranch_record::Summary;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

const SEEDS: u32 = 30;

fn setup() -> Setup {
    Setup::new("random loss", &ScenarioFile::named("loss.toml", ONE_LINK)).set("duration", "8 s")
}

/// The summaries of all seeds.
fn study(store: Option<&dyn RunCache>) -> String {
    let setups = [setup()];
    let simulations = Simulations::of([("test", &setups[..])], SEEDS).unwrap();
    let conclude = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
        let all = outcomes[0].iter().flatten().map(|outcome| outcome.as_ref().unwrap().summary.to_json());
        Some(all.collect::<String>())
    };
    let work = [Work { simulations, conclude: Box::new(conclude) }];
    let mut result = String::new();
    run_all(Backends(&[&Simulator]), &work, store, &|_| (), &|| true, &mut |all: String| result = all)
        .unwrap();
    result
}

/// The other processes of the tests below are this one, which the environment instructs: `run` runs the study and leaves its result
/// beside the number of runs that it made; `hold` claims two runs and never ends.
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
        .args(["--exact", "run::store::processes::worker", "--nocapture"])
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
