//! A simulation: a scenario with changes.

use crate::task::{Backend, SIM, Task};
use anabranch_record::{Summary, quoted};
use anabranch_scenario::{Scenario, ScenarioError};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::Arc;

/// A scenario file, embedded or read. All points of a study share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioFile {
    /// Its name in results.
    pub name: Arc<str>,
    /// Its path as commands name it.
    pub path: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

impl ScenarioFile {
    /// A text whose name is also its path.
    pub fn named(name: &str, text: &str) -> Self {
        ScenarioFile { name: name.into(), path: name.into(), text: text.into() }
    }
}

/// A run that was measured on Linux.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The command of its simulation, with seed 1.
    pub command: String,
    /// The day, in UTC.
    pub date: String,
    /// The arithmetic of its algorithms: see [`Measurements`](crate::Measurements).
    pub algorithms: String,
    /// Means and totals, with the scenario's hash, the kernel's release, the machine and the testbed's health.
    pub summary: Summary,
}

/// The runs whose samples over time are kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Samples {
    None,
    /// The first seed's run, for figures over time.
    First,
    /// All runs, for rows about instants.
    All,
}

impl Samples {
    /// Whether to keep those of the `n`-th seed's run, counted from 1.
    pub fn of(self, n: u32) -> bool {
        self == Samples::All || self == Samples::First && n == 1
    }
}

/// A scenario with changes, over several seeds. Equal ones are simulated once per study.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Its description.
    pub title: String,
    /// The scenario's file.
    pub file: ScenarioFile,
    pub(crate) backend: Arc<str>,
    pub(crate) identity: Arc<str>,
    pub(crate) cc: Option<String>,
    pub(crate) set: Vec<(String, String)>,
    /// A factor for the number of seeds, for short runs, which vary more and cost less.
    pub(crate) repeats: u32,
    /// The largest number of seeds, for costly runs that no row judges.
    pub(crate) at_most: u32,
    pub(crate) one_in: u32,
    pub(crate) samples: Samples,
    /// Measured runs, which take the place of new ones.
    pub(crate) measured: Option<Arc<[Measurement]>>,
}

impl Setup {
    /// The scenario as its file has it.
    pub fn new(title: impl Into<String>, file: &ScenarioFile) -> Self {
        Setup {
            title: title.into(),
            file: file.clone(),
            backend: SIM.into(),
            identity: SIM.into(),
            cc: None,
            set: Vec::new(),
            repeats: 1,
            at_most: u32::MAX,
            one_in: 1,
            samples: Samples::None,
            measured: None,
        }
    }

    /// The multipath flows' algorithm: `--cc`.
    pub fn cc(self, name: &str) -> Self {
        Setup { cc: Some(name.into()), ..self }
    }

    /// Selects another backend than the simulator: `--backend`.
    pub fn on(self, backend: &dyn Backend) -> Self {
        Setup { backend: backend.name().into(), identity: backend.identity().into(), ..self }
    }

    /// A key's value: `--set KEY=VALUE`.
    pub fn set(mut self, key: &str, value: impl Into<String>) -> Self {
        self.set.push((key.into(), value.into()));
        self
    }

    /// With this number of seeds, whatever a long simulation has.
    pub(crate) fn exactly(self, seeds: u32) -> Self {
        Setup { repeats: seeds, at_most: seeds, one_in: 1, ..self }
    }

    /// The number of its runs if a long simulation has `seeds`.
    pub fn seeds(&self, seeds: u32) -> u32 {
        seeds.saturating_mul(self.repeats).min(self.at_most).div_ceil(self.one_in)
    }

    /// The scenario with its changes.
    pub fn scenario(&self) -> Result<Scenario, ScenarioError> {
        let scenario = self.task().scenario(&self.file.path)?;
        Ok(Arc::unwrap_or_clone(scenario))
    }

    /// The first problem of its scenario, if any.
    pub(crate) fn problem(&self) -> Option<String> {
        self.scenario().err().map(|why| first(&why))
    }

    /// The task of its run with seed 1.
    pub fn task(&self) -> Task {
        let set = self.set.iter().map(|(key, value)| format!("{key}={value}"));
        let task = set.fold(Task::new(self.file.text.clone()).on(&self.backend), Task::set);
        self.cc.iter().fold(task, Task::cc)
    }

    /// The command that runs it with that seed.
    pub fn command(&self, seed: u64) -> String {
        let mut command = format!("anabranch run {}", quoted(&self.file.path));
        if let Some(cc) = &self.cc {
            command += &format!(" --cc {}", quoted(cc));
        }
        for (i, (key, value)) in self.set.iter().enumerate() {
            if self.set[i + 1..].iter().any(|(later, _)| later == key) {
                continue; // replaced
            }
            command += &format!(" --set {}", quoted(&format!("{key}={value}")));
        }
        if *self.backend != *SIM {
            command += &format!(" --backend {}", self.backend);
        }
        command + &format!(" --seed {seed}")
    }
}

/// Indices of distinct setups.
pub(crate) fn distinct(setups: &[Setup]) -> impl Iterator<Item = usize> {
    let mut known = HashSet::new();
    (0..setups.len()).filter(move |i| known.insert(setups[*i].command(1)))
}

/// The first problem, which often causes the others.
pub(crate) fn first(why: &ScenarioError) -> String {
    let first = why.problems().first();
    first.map_or_else(|| why.to_string(), |problem| format!("{problem}, in `{}`", problem.text()))
}

/// A time for a scenario, in milliseconds at most.
pub(crate) fn seconds(s: f64) -> String {
    format!("{} s", (s * 1e3).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A report's commands can be pasted into a shell, so each key is in them once, with its last value. A variant has a part of the seeds that the setup would have.
    #[test]
    fn its_command_is_quoted_for_a_shell() {
        let file = ScenarioFile { name: "a.toml".into(), path: "sp ace/a.toml".into(), text: "".into() };
        let setup = Setup::new("", &file).cc("{ name = \"lia\" }").set("tcp.mss", "900");
        let setup = setup.set("name", "it's").set("tcp.mss", "500");
        let words = r#"anabranch run 'sp ace/a.toml' --cc '{ name = "lia" }' --set 'name=it'\''s' --set tcp.mss=500 --seed 7"#;
        assert_eq!(setup.command(7), words);
        assert_eq!(Setup { repeats: 4, at_most: 3, one_in: 2, ..setup }.seeds(5), 2);
    }
}
