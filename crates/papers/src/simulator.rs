//! The simulator as a backend of studies.

use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_sim::{End, Run, SimError};
use anabranch_study::task::SIM;
use anabranch_study::{Backend, Backends, Task, TaskError};

/// The version of what runs give, on whatever backend: the store keeps outcomes under it. Whoever changes what a run gives raises it.
pub const RESULTS_VERSION: &str = "9";

/// The simulator, in this process.
pub struct Simulator;

impl Backend for Simulator {
    fn name(&self) -> &str {
        SIM
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        let scenario = task.scenario("the task's scenario")?;
        ended(anabranch_sim::run(&scenario, task.seed_of_run(), sink, keep_going))
    }
}

/// The summary of a run that was not cancelled.
///
/// # Errors
/// [`TaskError::Interrupted`] where it was, and what the simulator's own errors are of a task.
pub fn ended(run: Result<Run, SimError>) -> Result<Summary, TaskError> {
    match run {
        Ok(Run { summary, end: End::Cancelled(at) }) => {
            Err(TaskError::Interrupted { at, partial: Some(Box::new(summary)) })
        }
        Ok(Run { summary, end: End::Reached | End::Completed(_) }) => Ok(summary),
        Err(error) => Err(task_error(&error)),
    }
}

/// What an error of the simulator is of a task: a defect, or a scenario that it cannot run.
pub fn task_error(error: &SimError) -> TaskError {
    match error {
        SimError::Corrupt { .. }
        | SimError::Livelock { .. }
        | SimError::TooManyOpen { .. }
        | SimError::Endpoints { .. } => TaskError::Failed(error.to_string()),
        _ => TaskError::Refused(error.to_string()),
    }
}

/// The simulator alone.
pub const SIMULATOR: Backends<'static> = Backends(&[&Simulator]);

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::NoSamples;
    use anabranch_study::{RunId, store::Key};

    /// Two paths, and a neighbour on one of them.
    const SCENARIO: &str = r#"
        name = "version"
        duration = "4 s"
        warmup = "1 s"
        links.a = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
        links.b = { rate = "5 Mbit/s", delay = "20 ms", queue = "1 BDP", loss = { model = "bernoulli", rate = 1e-3 } }
        flows = [
            { name = "tested", cc = "lia", paths = [["a"], ["b"]] },
            { name = "tcp", cc = "cubic", paths = [["a"]] },
        ]
    "#;

    /// The change of that scenario, and the beginning of the SHA-256 of [`RESULTS_VERSION`] and the run's summary.
    const SUMMARIES: [(&[&str], &str); 6] = [
        (&[], "e2e602ab7138866c"),
        (&["hosts=linux", "flows.tested.cc=lia@kernel"], "27ef19237c25fbab"),
        (&["links.a.aqm=codel", "flows.tested.cc=olia"], "49a97c30ab9a0072"),
        (&["links.a.aqm=fq-codel", "flows.tested.cc=balia@v0", "flows.tcp.cc=bbr"], "2f2b6084c924f3db"),
        (&["links.a.aqm=pie", "flows.tested.cc=wvegas", "flows.tcp.cc=compound"], "758ec2e6e03ac4fa"),
        (
            &["links.a.aqm=red", "hosts=linux", "flows.tested.cc=coupled-cubic", "flows.tcp.cc=reno"],
            "c30414f5b5f01824",
        ),
    ];

    /// Each kind of host, algorithm and queue: what a store has is what a run gives.
    #[test]
    fn results_have_a_new_version_where_they_change() {
        let hashes = SUMMARIES.map(|(set, _)| {
            let task = set.iter().fold(Task::new(SCENARIO), |task, assignment| task.set(*assignment));
            let summary = Simulator.run(&task, &mut NoSamples, &mut |_| true).unwrap();
            let summary = Summary { version: String::new(), ..summary };
            let run = RunId { scenario_hash: &summary.to_json(), seed: 1, backend: SIM };
            Key::of(RESULTS_VERSION, run).to_string()[..16].to_owned()
        });
        let known = SUMMARIES.map(|(_, known)| known);
        assert_eq!(hashes, known, "results change: raise RESULTS_VERSION, and write the new hashes here");
    }
}
