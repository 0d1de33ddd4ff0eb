//! Runs with a backend of their own.

use super::*;
use crate::{Backends, TaskError, run_one};
use anabranch_record::{KeepGoing, Sink};
use anabranch_scenario::Scenario;

const STUDY: &str = r#"
    title = "Two backends"
    variants = ["tick"]

    [runs.beside]
    scenario = "beside.toml"
    backend = "{stack}"
    vary.stack = ["sim", "half"]

    [[rows]]
    id = "all.{stack}"
    what = "{stack}: all goodput"
    unit = "Mbit/s"
    of = 'goodput("mptcp") + goodput("tcp")'
"#;

/// The simulator, with links of half the rate, and scenarios of up to 10 s.
struct Half;

impl Backend for Half {
    fn name(&self) -> &str {
        "half"
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        (scenario.duration.as_secs_f64() > 10.0).then(|| "it is too long".into())
    }

    fn packet_cost(&self) -> Option<f64> {
        Some(3.0)
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        Simulator.run(&task.clone().set("links.a.rate=5 Mbit/s"), sink, keep_going)
    }
}

fn work_of(text: &str) -> crate::Work<StudyResult> {
    work(&study(text).unwrap(), &Options { seeds: Some(1), ..Options::default() }).unwrap()
}

/// The simulator's runs alone have the variant.
#[test]
fn runs_choose_their_backend() {
    let backends = Backends(&[&Simulator, &Half]);
    let mut work = work_of(STUDY);
    let before = work.simulations.seconds();
    work.simulations = work.simulations.on(backends).unwrap();
    assert!(work.simulations.need("half") && work.simulations.seconds() < before);
    // One of three runs, alone on a core, with three times the cost of a packet.
    let (all, of_half) = (work.simulations.seconds(), work.simulations.seconds_on(|name| name == "half"));
    let simulated = all * rayon::current_num_threads().min(3) as f64 - of_half;
    assert!((of_half / simulated - 1.5).abs() < 1e-9, "{of_half} and {simulated} s");
    let result = run_one(backends, work, &|_| (), &|| true).unwrap();
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    let mean = |id: &str| {
        let row = experiment.rows.iter().find(|row| row.id == id).unwrap();
        row.measured.as_ref().unwrap().mean
    };
    let ratio = mean("all.half") / mean("all.sim");
    assert!((0.48..0.52).contains(&ratio), "{ratio}");
    let commands: Vec<&str> = experiment.runs.iter().map(|run| &*run.command).collect();
    let of_half: Vec<_> = commands.iter().filter(|command| command.contains("--backend half")).collect();
    assert_eq!((commands.len(), of_half.len()), (3, 1), "{commands:?}");
}

#[test]
fn a_backend_that_cannot_run_them_is_an_error() {
    let refused =
        |study: &str, backends| work_of(study).simulations.on(Backends(backends)).err().unwrap_or_default();
    let unknown = refused(STUDY, &[&Simulator]);
    assert!(unknown.ends_with("half: unknown backend `half`; known: sim"), "{unknown}");
    let long = STUDY.replace("backend =", "duration = \"20 s\"\n    backend =");
    let long = refused(&long, &[&Simulator, &Half]);
    assert!(long.ends_with("half: `backend = \"half\"` cannot run it: it is too long"), "{long}");
}
