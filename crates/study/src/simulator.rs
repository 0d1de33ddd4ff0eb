//! The simulator, for the tests of this crate.

use crate::file::{FileError, embedded};
use crate::task::{Backend, Backends, SIM, Task, TaskError};
use crate::{Options, ScenarioFile, Study, StudyResult, Work};
use anabranch_record::{KeepGoing, KernelRun, Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_sim::{End, Run};
use std::sync::Arc;

/// A flow alone on a link with random losses, for two seconds.
pub const ONE_LINK: &str = r#"
    name = "one link"
    duration = "2 s"
    warmup = "1 s"
    links.a = { rate = "10 Mbit/s", delay = "5 ms", loss = { model = "bernoulli", rate = 1e-3 } }
    flows = [{ name = "tested", cc = "reno", paths = [["a"]] }]
"#;

/// Two subflows and a flow on one link.
pub const BESIDE: &str = r#"
    name = "beside"
    duration = "4 s"
    warmup = "1 s"
    links.a = { rate = "10 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [
        { name = "mptcp", cc = "lia", paths = [["a"], ["a"]] },
        { name = "tcp", cc = "reno", paths = [["a"]] },
    ]
"#;

/// A flow, or several, on a link with more random losses.
pub const FLOWS: &str = r#"
    name = "flows"
    duration = "3 s"
    links.a = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 1e-2 } }
    flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
"#;

pub struct Simulator;

impl Backend for Simulator {
    fn name(&self) -> &str {
        SIM
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        let scenario = task.scenario("the task's scenario")?;
        let run = anabranch_sim::run(&scenario, task.seed_of_run(), sink, keep_going);
        let Run { summary, end } = run.map_err(|why| TaskError::Refused(why.to_string()))?;
        match end {
            End::Cancelled(at) => Err(TaskError::Interrupted { at, partial: Some(Box::new(summary)) }),
            End::Reached | End::Completed(_) => Ok(summary),
        }
    }
}

/// The simulator with twice the loss of `links.a`, as if it were a kernel.
pub struct Lossy {
    pub name: &'static str,
    pub kernel: fn() -> KernelRun,
    /// A seed that fails.
    pub fails: Option<u64>,
    /// The most flows of a scenario that it can run.
    pub most_flows: usize,
}

impl Backend for Lossy {
    fn name(&self) -> &str {
        self.name
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        (scenario.flows.len() > self.most_flows).then(|| "too many flows".into())
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        if Some(task.seed_of_run()) == self.fails {
            return Err(TaskError::Failed("the machine was busy".into()));
        }
        let summary = Simulator.run(&task.clone().set("links.a.loss.rate=0.02"), sink, keep_going)?;
        let scenario_hash = task.scenario("a test")?.hash.clone();
        Ok(Summary { kernel: Some((self.kernel)()), scenario_hash, ..summary })
    }
}

/// The study of a text, with scenarios by their names.
pub fn study(text: &str, scenarios: &[(&str, &str)]) -> Result<Arc<Study>, FileError> {
    let files: Vec<_> = scenarios.iter().map(|(name, text)| ScenarioFile::named(name, text)).collect();
    embedded("my.toml", text, &files, &[]).map(Arc::new)
}

/// The result of some work.
pub fn made<T: Send>(work: Work<T>) -> T {
    crate::run_one(Backends(&[&Simulator]), work, &|_| (), &|| true).unwrap()
}

/// A study's result.
pub fn run(study: &Arc<Study>, options: &Options) -> StudyResult {
    made(crate::work(study, options).unwrap())
}
