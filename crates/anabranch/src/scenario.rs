//! Reads and checks a scenario, with changes from the command line.

use crate::{Error, error::input_error, examples};
use anabranch_ideal::{COUPLED, Ideals};
use anabranch_record::{Summary, quoted, unescaped};
use anabranch_scenario::{Overrides as Changes, Source, split_flow_name};
use anabranch_study::{ScenarioFile, Setup, Task};
use miette::miette;
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The longest file, in bytes. It leaves room for more than ten thousand flows, and stops reading an endless device.
const LONGEST: u64 = 64_000_000;

/// A run that may need more memory, in bytes, needs `--yes`.
const MEMORY: u64 = 4_000_000_000;

/// The command that repeats a run with these changes from a copy of the scenario.
fn command(changes: &Changes, seed: u64) -> String {
    let mut command = format!("anabranch run scenario.toml --seed {seed}");
    let cc = changes.cc.iter().map(|cc| ("--cc", cc));
    let duration = changes.duration.iter().map(|duration| ("--duration", duration));
    let set = changes.set.iter().map(|set| ("--set", set));
    for (option, value) in cc.chain(duration).chain(set) {
        command += &format!(" {option} {}", quoted(value));
    }
    command
}

/// Refuses changes of which the later one replaces the earlier one.
fn refuse_repeated(changes: &Changes) -> Result<(), Error> {
    let of_cc = |cc: &String| {
        let key = split_flow_name(cc).0.map_or("cc".to_owned(), |flow| format!("flows.{flow}.cc"));
        (key, format!("--cc {}", quoted(cc)))
    };
    let of_set = |set: &String| {
        let key = set.split_once('=').map_or(&**set, |(key, _)| key);
        (key.trim().to_owned(), format!("--set {}", quoted(set)))
    };
    let mut known: Vec<(String, String)> = vec![];
    let all = changes.set.iter().map(of_set).chain(changes.cc.iter().map(of_cc));
    // A quoted name may have an equals sign.
    for (key, option) in all.filter(|(key, _)| !key.is_empty() && !key.contains(['"', '\''])) {
        if let Some((_, first)) = known.iter().find(|(other, _)| *other == key) {
            let message = format!("`{first}` and `{option}` set the same");
            return Err(input_error(message, Some("leave one of the two out")));
        }
        known.push((key, option));
    }
    Ok(())
}

fn changes_of(command: &str) -> Option<Changes> {
    let mut words = shlex::split(command)?.into_iter().map(unescaped).skip(3);
    let mut changes = Changes::default();
    while let Some(option) = words.next() {
        let value = words.next()?;
        match option.as_str() {
            "--seed" => changes.seed = Some(value.parse().ok()?),
            "--cc" => changes.cc.push(value),
            "--duration" => changes.duration = Some(value),
            "--set" => changes.set.push(value),
            _ => {}
        }
    }
    Some(changes)
}

/// A checked scenario: the [`anabranch_scenario::Scenario`] with its source text and its changes.
#[derive(Clone, Debug)]
pub struct Scenario {
    source: Source,
    files: Vec<PathBuf>,
    changes: Changes,
    checked: Arc<anabranch_scenario::Scenario>,
}

impl Deref for Scenario {
    type Target = anabranch_scenario::Scenario;

    fn deref(&self) -> &Self::Target {
        &self.checked
    }
}

impl Scenario {
    /// Reads a scenario file; `-` is standard input.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, Error> {
        Scenario::open_with(file, Changes::default())
    }

    /// The same, with changes.
    pub fn open_with(file: impl AsRef<Path>, changes: Changes) -> Result<Self, Error> {
        let file = file.as_ref();
        refuse_repeated(&changes)?;
        Scenario::of(read(file)?, file, changes)
    }

    /// Reads a scenario from text; diagnostics show `name`. Files that the scenario names are relative to that path.
    pub fn of_text(name: &str, text: &str, changes: Changes) -> Result<Self, Error> {
        Scenario::of(Source { name: name.into(), text: text.into() }, Path::new(name), changes)
    }

    fn of(source: Source, file: &Path, changes: Changes) -> Result<Self, Error> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut files = source.files(&changes, folder);
        files.extend(matches!(examples::named(file), Ok(None)).then(|| file.to_owned()));
        let source = source.with_files(&changes, folder).map_err(Error::input)?;
        let checked = anabranch_scenario::load(&source, &changes).map_err(Error::input)?;
        Ok(Scenario { source, files, changes, checked: checked.into() })
    }

    /// Returns the same scenario with another algorithm.
    pub fn with_cc(&self, cc: &str) -> Result<Self, Error> {
        self.changed(&[], Some(cc.to_owned()))
    }

    /// Returns the same scenario with further values, and with another algorithm if one is given.
    pub(crate) fn changed(&self, set: &[String], cc: Option<String>) -> Result<Self, Error> {
        let set = [&self.changes.set[..], set].concat();
        let changes = Changes { set, cc: cc.into_iter().collect(), ..self.changes.clone() };
        let checked = anabranch_scenario::load(&self.source, &changes).map_err(Error::input)?;
        Ok(Scenario { changes, checked: checked.into(), ..self.clone() })
    }

    /// The scenario of a record with the changes of the command in its first line. `None` if the two differ from the record's
    /// summary.
    pub(crate) fn of_record(folder: &Path, summary: &Summary) -> Option<Self> {
        let text = fs::read_to_string(folder.join("scenario.toml")).ok()?;
        let changes = changes_of(text.lines().next()?.strip_prefix("# As it was run: ")?)?;
        let scenario = Scenario::of_text("scenario.toml", &text, changes).ok()?;
        (scenario.hash == summary.scenario_hash).then_some(scenario)
    }

    /// Every file that was read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Its name in diagnostics.
    pub(crate) fn file(&self) -> &str {
        &self.source.name
    }

    /// The text of a self-contained copy, below the command that repeats this run.
    pub(crate) fn text_with_command(&self, seed: u64, options: &str, partial: Option<f64>) -> String {
        let command = command(&self.changes, seed) + options;
        let partial = partial.map(|s| format!("# Partial: interrupted at {s} s.\n")).unwrap_or_default();
        format!("# As it was run: {command}\n{partial}{}", self.source.text)
    }

    /// A task: one run as data, for the named backend.
    pub fn task(&self, backend: &str) -> Task {
        let Changes { set, cc, duration, .. } = &self.changes;
        let duration = duration.iter().map(|duration| format!("duration={duration}"));
        let set = set.iter().cloned().chain(duration);
        let task = set.fold(Task::new(self.source.text.as_str()).on(backend), Task::set);
        cc.iter().fold(task, Task::cc).seed(self.checked.seed).known(self.checked.clone())
    }

    /// The setup of a study's simulation, without a seed.
    pub(crate) fn setup(&self) -> Setup {
        let Source { name, text } = &self.source;
        let name: Arc<str> = name.as_str().into();
        let file = ScenarioFile { name: name.clone(), path: name, text: text.as_str().into() };
        let Changes { set, cc, duration, .. } = &self.changes;
        let set = set.iter().filter_map(|assignment| assignment.split_once('='));
        let duration = duration.iter().map(|duration| ("duration", duration.as_str()));
        let plain = match cc.first() {
            Some(cc) => Setup::new(cc, &file).cc(cc),
            None => Setup::new("", &file),
        };
        set.chain(duration).fold(plain, |setup, (key, value)| setup.set(key, value))
    }

    /// Computes fair shares and the equilibria of coupled algorithms. `queue` is the mean occupied fraction of a full link's
    /// buffer.
    pub fn ideal(&self, queue: f64) -> Ideals {
        Ideals::of(&self.checked, &COUPLED.map(|(name, _)| name), queue)
    }

    /// Checks that the simulator can build the scenario; does not run it.
    pub fn check(&self) -> Result<(), Error> {
        anabranch_sim::check(&self.checked).map_err(|why| Error::Input(miette!("{why}")))
    }
}

pub(crate) fn distinct_warnings<'a>(
    scenarios: impl Iterator<Item = &'a anabranch_scenario::Scenario>,
) -> Vec<String> {
    let mut known = HashSet::new();
    scenarios.flat_map(|scenario| scenario.warnings()).filter(|what| known.insert(what.clone())).collect()
}

/// Refuses runs that may need more than 4 GB of memory: `at_a_time` runs at once of the largest of the scenarios, each with
/// `samples` bytes of samples.
pub fn check_memory<'a>(
    scenarios: impl IntoIterator<Item = &'a anabranch_scenario::Scenario>,
    samples: u64,
    at_a_time: usize,
) -> Result<(), Error> {
    let largest = scenarios.into_iter().max_by_key(|scenario| anabranch_sim::memory(scenario));
    let Some(scenario) = largest else { return Ok(()) };
    let of_each = anabranch_sim::memory(scenario).saturating_add(samples);
    let bytes = of_each.saturating_mul(at_a_time as u64);
    if bytes <= MEMORY {
        return Ok(());
    }
    let many = if at_a_time > 1 { format!(", {at_a_time} runs at a time") } else { String::new() };
    let less = match samples > of_each / 2 {
        true => "increase record.interval, or draw fewer flows",
        false => "set tcp.receive_buffer of the flows, or shorter queues",
    };
    let help = format!("{less}; or add --yes if the machine has that much");
    let needed = crate::units::with_unit(bytes as f64, crate::units::BYTES);
    Err(input_error(format!("{} may need {needed} of memory{many}", scenario.name), Some(&help)))
}

/// Reads everything, up to one byte beyond the limit.
fn read_all(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1).read_to_end(&mut bytes).map(|_| bytes)
}

/// Reads a file of text, standard input for `-`, or an example for `example:NAME`.
pub fn read(file: &Path) -> Result<Source, Error> {
    if let Some(example) = examples::named(file)? {
        return example.source();
    }
    let (name, bytes) = if file == Path::new("-") {
        ("standard input".to_owned(), read_all(io::stdin()))
    } else {
        (file.display().to_string(), File::open(file).and_then(read_all))
    };
    let bytes = bytes.map_err(|e| Error::environment(format!("cannot read {name}"), &e))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::Input(miette!(
            "{name} is larger than {} MB, the limit of a scenario",
            LONGEST / 1_000_000
        )));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        input_error(format!("cannot read {name}: line {line} is not UTF-8"), Some("save the file as UTF-8"))
    })?;
    Ok(Source { name, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_line_and_is_read_back() {
        let set =
            ["links.a.rate=1 Mbit/s", "$web=lia", "name='it\\n is'\n", "flows=[\r\n{}\n]"].map(str::to_owned);
        let changes = Changes { set: set.to_vec(), seed: Some(1), ..Changes::default() };
        let command = command(&changes, 1);
        assert!(!command.contains(['\n', '\r']), "{command}");
        assert_eq!(changes_of(&command).unwrap().set, set);
    }
}
