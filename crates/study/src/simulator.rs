//! The simulator, for the tests of this crate.

use crate::task::{Backend, Backends, SIM, Task, TaskError};
use crate::{Options, Study, StudyResult, Work};
use anabranch_record::{KeepGoing, Sink, Summary};
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

/// The result of some work.
pub fn made<T: Send>(work: Work<T>) -> T {
    crate::run_one(Backends(&[&Simulator]), work, &|_| (), &|| true).unwrap()
}

/// A study's result.
pub fn run(study: &Arc<Study>, options: &Options) -> StudyResult {
    made(crate::work(study, options).unwrap())
}
