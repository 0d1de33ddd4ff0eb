//! A run as data, and the backends that run it: any process gives the same bytes.

use crate::key::{Key, RunId};
use anabranch_net::Time;
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_scenario::{Overrides, Scenario, ScenarioError, Source};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::sync::{Arc, OnceLock};

/// The simulator's name as a backend.
pub const SIM: &str = "sim";

/// A scenario's text with changes, a seed, and a backend.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// TOML; shared by the tasks of a study.
    scenario: Arc<str>,
    /// Keys' values, later ones winning: `links.a.rate=5 Mbit/s`.
    #[serde(default)]
    set: Vec<String>,
    /// Algorithms, of the multipath flows or of a flow that is named: `lia`, `neighbour=cubic`.
    #[serde(default)]
    cc: Vec<String>,
    /// Written as text, since JSON numbers may lack 64 bits; also read as a number.
    #[serde(serialize_with = "anabranch_record::seed::serialize", deserialize_with = "seed")]
    seed: u64,
    #[serde(default = "sim")]
    backend: String,
    /// The scenario as it was read, so that many seeds read it once.
    #[serde(skip)]
    read: OnceLock<Arc<Scenario>>,
}

impl Task {
    /// A scenario's text as it is, on the simulator, with seed 1.
    pub fn new(scenario: impl Into<Arc<str>>) -> Self {
        Task {
            scenario: scenario.into(),
            set: vec![],
            cc: vec![],
            seed: 1,
            backend: sim(),
            read: OnceLock::new(),
        }
    }

    /// With a key's value: `links.a.rate=5 Mbit/s`.
    pub fn set(mut self, assignment: impl Into<String>) -> Self {
        self.set.push(assignment.into());
        Task { read: OnceLock::new(), ..self }
    }

    /// With an algorithm: `lia`, `neighbour=cubic`.
    pub fn cc(mut self, algorithm: impl Into<String>) -> Self {
        self.cc.push(algorithm.into());
        Task { read: OnceLock::new(), ..self }
    }

    /// With its scenario, read before from the same text with the same changes.
    pub fn known(self, scenario: Arc<Scenario>) -> Self {
        Task { read: scenario.into(), ..self }
    }

    /// With another seed.
    pub fn seed(self, seed: u64) -> Self {
        Task { seed, ..self }
    }

    /// For another backend than the simulator.
    pub fn on(self, backend: &str) -> Self {
        Task { backend: backend.into(), ..self }
    }

    /// The run's seed.
    pub fn seed_of_run(&self) -> u64 {
        self.seed
    }

    /// The backend that runs it.
    pub fn backend(&self) -> &str {
        &self.backend
    }

    /// The scenario with its changes; diagnostics call its text `name`.
    pub fn scenario(&self, name: &str) -> Result<Arc<Scenario>, ScenarioError> {
        if let Some(read) = self.read.get() {
            return Ok(read.clone());
        }
        let mut overrides = Overrides::default();
        self.set.iter().for_each(|assignment| _ = overrides.set(assignment));
        self.cc.iter().for_each(|algorithm| _ = overrides.cc(algorithm));
        let source = Source { name: name.into(), text: self.scenario.as_ref().into() };
        let scenario = anabranch_scenario::load(&source, &overrides)?;
        Ok(self.read.get_or_init(|| scenario.into()).clone())
    }

    /// Its key among results of that version.
    pub fn key(&self, version: &str) -> Result<Key, ScenarioError> {
        let scenario = self.scenario("the task's scenario")?;
        let run = RunId { scenario_hash: &scenario.hash, seed: self.seed, backend: &self.backend };
        Ok(Key::of(version, run))
    }
}

fn sim() -> String {
    SIM.into()
}

/// A number, or its decimal text.
fn seed<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`seed` must be a whole number from 0 to 18446744073709551615")]
    enum Seed {
        Number(u64),
        Text(String),
    }
    match Seed::deserialize(from)? {
        Seed::Number(seed) => Ok(seed),
        Seed::Text(text) => {
            text.parse().map_err(|why| D::Error::custom(format!("`seed` is \"{text}\": {why}")))
        }
    }
}

/// A task's failure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// `keep_going` returned false.
    #[error("interrupted at {at}")]
    Interrupted {
        /// At that simulated time.
        at: Time,
        /// The summary up to then; `None` before the run began.
        partial: Option<Box<Summary>>,
    },
    /// The backend cannot run the task.
    #[error("{0}")]
    Refused(String),
    /// The run itself failed: a defect.
    #[error("{0}")]
    Failed(String),
}

impl From<ScenarioError> for TaskError {
    fn from(why: ScenarioError) -> Self {
        TaskError::Refused(why.to_string())
    }
}

/// Returns the summary if it is valid.
///
/// # Errors
/// [`TaskError::Failed`] with the reasons why a run on a kernel is invalid.
pub fn trusted(summary: Summary) -> Result<Summary, TaskError> {
    match &summary.kernel {
        Some(kernel) if !kernel.invalid.is_empty() => {
            let (attempts, why) = (kernel.invalid_attempts + 1, kernel.invalid.join("; "));
            Err(TaskError::Failed(format!("no valid run in {attempts} attempts: {why}")))
        }
        _ => Ok(summary),
    }
}

/// A runner of tasks.
pub trait Backend: Sync {
    /// Its name in tasks.
    fn name(&self) -> &str;

    /// Its identity in stores, which distinguishes backends of the same name on different machines.
    fn identity(&self) -> String {
        self.name().to_owned()
    }

    /// Why it cannot run a scenario, if it cannot.
    fn refuses(&self, _scenario: &Scenario) -> Option<String> {
        None
    }

    /// The cost of a packet that a link carries, in the simulator's; `None` if a run takes about the scenario's time.
    fn packet_cost(&self) -> Option<f64> {
        None
    }

    /// Whether its runs are in real time and need the machine alone.
    fn is_in_real_time(&self) -> bool {
        false
    }

    /// Runs a task and writes samples into `sink`. Calls `keep_going` regularly with the run's time; false stops it.
    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError>;
}

/// Several backends; the first is the default.
#[derive(Clone, Copy)]
pub struct Backends<'a>(pub &'a [&'a dyn Backend]);

impl<'a> Backends<'a> {
    /// The one of that name.
    pub fn find(&self, name: &str) -> Result<&'a dyn Backend, TaskError> {
        let found = self.0.iter().find(|backend| backend.name() == name);
        found.copied().ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().map(|backend| backend.name()).collect();
            TaskError::Refused(format!("unknown backend `{name}`; known: {}", known.join(", ")))
        })
    }

    /// Runs a task on its backend: see [`Backend::run`].
    pub fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: KeepGoing<'_>,
    ) -> Result<Summary, TaskError> {
        self.find(&task.backend)?.run(task, sink, keep_going)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{ONE_LINK, Simulator};
    use anabranch_record::NoSamples;

    fn run(task: &Task) -> Result<Summary, TaskError> {
        Simulator.run(task, &mut NoSamples, &mut |_| true)
    }

    /// A task that another process reads is the same: the same key, the same outcome.
    #[test]
    fn as_data_it_is_the_same() {
        let task = Task::new(ONE_LINK).set("links.a.rate=5 Mbit/s").cc("tested=cubic").seed(u64::MAX);
        let json = serde_json::to_string(&task).unwrap();
        let read: Task = serde_json::from_str(&json).unwrap();
        assert_eq!(read.key("v1").unwrap(), task.key("v1").unwrap());
        let summary = run(&task).unwrap();
        assert_eq!(run(&read).unwrap(), summary);
        assert_eq!((summary.seed, &*summary.flows[0].cc), (u64::MAX, "cubic"));
        assert!(summary.flows[0].goodput_bps.unwrap() < 5e6);
    }

    /// Changes of a run change its key; the notation of the task does not.
    #[test]
    fn its_key_is_that_of_the_run() {
        let key = |task: &Task| task.key("v1").unwrap();
        let task = Task::new(ONE_LINK);
        let another_program = task.key("v2").unwrap();
        let same = [Task::new(ONE_LINK.replace("5 ms", "0.005 s")), task.clone().set("duration=2 s").seed(1)];
        same.iter().for_each(|same| assert_eq!(key(same), key(&task)));
        let others = [
            key(&task.clone().seed(2)),
            key(&task.clone().set("links.a.rate=9 Mbit/s")),
            key(&task.clone().cc("tested=cubic")),
            key(&Task { backend: "kernel".into(), ..task.clone() }),
            another_program,
        ];
        let distinct: std::collections::BTreeSet<_> = others.into_iter().chain([key(&task)]).collect();
        assert_eq!(distinct.len(), 6);
    }

    #[test]
    fn what_is_no_task_is_refused() {
        for (json, said) in [
            (r#"{"scenario": ""}"#, "missing field `seed`"),
            (r#"{"scenario": "", "seed": -1}"#, "`seed` must be a whole number"),
            (r#"{"scenario": "", "seed": "1.5"}"#, "`seed` is \"1.5\": invalid digit"),
        ] {
            let why = serde_json::from_str::<Task>(json).unwrap_err().to_string();
            assert!(why.contains(said), "{json}: {why}");
        }
        assert!(matches!(run(&Task::new("name = 1")), Err(TaskError::Refused(_))));
    }
}
