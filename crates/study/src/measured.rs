//! Runs that were measured on Linux once and are kept with the project: reports show their values beside the simulator's.

use crate::setup::{Measurement, Samples, Setup, distinct};
use anabranch_scenario::{Scenario, ScenarioError};
use flate2::{Compression, GzBuilder, read::GzDecoder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};

/// All measured runs.
pub struct Measurements {
    /// By the scenario's hash, sorted by seed.
    runs: BTreeMap<String, Vec<Measurement>>,
    /// The backend, as commands name it.
    backend: &'static str,
    /// Identifies the arithmetic of a scenario's algorithms on Linux.
    algorithms: fn(&Scenario) -> String,
}

impl Measurements {
    /// Reads the runs of a backend, lines of JSON that gzip compressed. `algorithms` identifies the arithmetic of a scenario's algorithms: a
    /// measurement with another one is out of date.
    ///
    /// # Errors
    /// If the content is damaged.
    pub fn read(file: &[u8], backend: &'static str, algorithms: fn(&Scenario) -> String) -> io::Result<Self> {
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text)?;
        let mut all = Measurements::none(backend, algorithms);
        for line in text.lines() {
            all.add(serde_json::from_str(line)?);
        }
        Ok(all)
    }

    /// Without any run.
    pub fn none(backend: &'static str, algorithms: fn(&Scenario) -> String) -> Self {
        Measurements { runs: BTreeMap::new(), backend, algorithms }
    }

    /// The content of its file: the same bytes for the same runs.
    pub fn to_file(&self) -> Vec<u8> {
        let mut file = GzBuilder::new().write(Vec::new(), Compression::best());
        for run in self.all() {
            serde_json::to_writer(&mut file, run).expect("plain data, into memory");
            file.write_all(b"\n").expect("into memory");
        }
        file.finish().expect("into memory")
    }

    /// Every run, by scenario and seed.
    pub fn all(&self) -> impl Iterator<Item = &Measurement> {
        self.runs.values().flatten()
    }

    /// The run of a scenario with that hash and seed.
    pub fn find(&self, scenario_hash: &str, seed: u64) -> Option<&Measurement> {
        self.runs.get(scenario_hash)?.iter().find(|run| run.summary.seed == seed)
    }

    /// The simulation with as many seeds as its runs here, whether they are current or not; `None` without any.
    pub fn again(&self, setup: Setup) -> Option<Setup> {
        let command = setup.command(1);
        let runs = self.all().filter(|run| run.command == command).count();
        (runs > 0).then(|| setup.exactly(u32::try_from(runs).expect("a file has fewer runs")))
    }

    /// Adds a run in place of an earlier one.
    pub fn add(&mut self, run: Measurement) {
        let seeds = self.runs.entry(run.summary.scenario_hash.clone()).or_default();
        seeds.retain(|known| known.summary.seed != run.summary.seed);
        let at = seeds.partition_point(|known| known.summary.seed < run.summary.seed);
        seeds.insert(at, run);
    }

    /// Keeps only the runs that `is_current` accepts.
    pub fn retain(&mut self, is_current: impl Fn(&Measurement) -> bool) {
        self.runs.values_mut().for_each(|seeds| seeds.retain(&is_current));
        self.runs.retain(|_, seeds| !seeds.is_empty());
    }

    /// The simulation with its measured runs, which have no samples over time, in place of simulated ones; `None` without any.
    pub(crate) fn of(&self, setup: &Setup) -> Result<Option<Setup>, ScenarioError> {
        if self.runs.is_empty() {
            return Ok(None);
        }
        let scenario = setup.scenario()?;
        let algorithms = (self.algorithms)(&scenario);
        let seeds = self.runs.get(&scenario.hash).into_iter().flatten();
        let current: Vec<_> = seeds.filter(|run| run.algorithms == algorithms).cloned().collect();
        let n = u32::try_from(current.len()).expect("a file has fewer runs");
        let with = |measured| Setup { measured: Some(measured), at_most: n, ..self.on_backend(setup) };
        Ok((n > 0).then(|| with(current.into())))
    }

    fn on_backend(&self, setup: &Setup) -> Setup {
        Setup { backend: self.backend.into(), samples: Samples::None, ..setup.clone() }
    }

    /// Whether there is no run.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Sentences on simulations without a measured value, one for each reason.
    pub(crate) fn missing(&self, setups: &[Setup], measured: &[bool]) -> Vec<String> {
        let all: Vec<usize> = distinct(setups).collect();
        let of_reason =
            |is: &dyn Fn(&Setup) -> bool| all.iter().filter(|i| !measured[**i] && is(&setups[**i])).count();
        let commands: BTreeSet<&str> = self.all().map(|run| &*run.command).collect();
        let known = |setup: &Setup| commands.contains(&*self.on_backend(setup).command(1));
        let reasons = [
            ("not measured", of_reason(&|s| !known(s))),
            ("out of date, because the scenario or an algorithm changed", of_reason(&known)),
        ];
        let sentence = |(why, n): (&str, usize)| {
            format!("Linux ({}), {why}: {n} of {} scenarios.", self.backend, all.len())
        };
        reasons.into_iter().filter(|(_, n)| *n > 0).map(sentence).collect()
    }
}

/// "Linux 6.18, measured 2026-11-26", by the last day of all measured runs of these simulations, and a sentence on their days and machines.
pub(crate) fn title(setups: &[Setup]) -> (String, String) {
    let runs = || setups.iter().filter_map(|setup| setup.measured.as_deref()).flatten();
    let releases: BTreeSet<String> =
        runs().filter_map(|run| Some(series(&run.summary.kernel.as_ref()?.release))).collect();
    let dates: BTreeSet<&str> = runs().map(|run| &*run.date).collect();
    let (first, last) =
        (dates.first().copied().unwrap_or_default(), dates.last().copied().unwrap_or_default());
    let days = if first == last { first.to_owned() } else { format!("{first} to {last}") };
    let machines: BTreeSet<&str> =
        runs().filter_map(|run| Some(&*run.summary.kernel.as_ref()?.machine)).collect();
    let list = |all: BTreeSet<&str>| Vec::from_iter(all).join(" and ");
    let title = format!("Linux {}, measured {last}", list(releases.iter().map(|r| &**r).collect()));
    (title, format!("Measured {days} on {}.", list(machines)))
}

/// "6.18" of "6.18.3-cloud".
fn series(release: &str) -> String {
    let mut numbers = release.splitn(3, ['.', '-']);
    [numbers.next(), numbers.next()].into_iter().flatten().collect::<Vec<_>>().join(".")
}

/// The day in UTC.
pub fn today() -> String {
    chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now()).format("%Y-%m-%d").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{self, FLOWS, Lossy, Simulator, made, run};
    use crate::{Backends, Options, Other, RunCache, StudyResult, Variant, measuring, run_all, run_one};
    use anabranch_record::{KernelRun, Summary};
    use std::sync::{Arc, LazyLock, Mutex};

    static LOSSY: Lossy = Lossy {
        name: "kernel",
        kernel: || KernelRun {
            release: "6.18.3-here".into(),
            machine: "a test's machine".into(),
            ..KernelRun::default()
        },
        fails: None,
        most_flows: usize::MAX,
    };

    static KERNEL: Variant = Variant::on(&LOSSY, "kernel", "Linux", "twice the loss", "Nothing runs there.");
    static BESIDE: Variant = Variant::measured("measured-kernel", "measured with twice the loss", || &ALL);
    static CHANGED: Variant = Variant::measured("measured-kernel", "by another algorithm", || &OTHER);
    static ALL: LazyLock<Measurements> = LazyLock::new(|| measured(|_| "v1".into()));
    static OTHER: LazyLock<Measurements> = LazyLock::new(|| measured(|_| "v2".into()));

    const STUDY: &str = r#"
        title = "flows"
        size.default.seeds = 3
        [runs.of]
        scenario = "flows.toml"
        vary.n = { key = "flows.tcp.count", values = [1, 2] }
        [[rows]]
        id = "{n}"
        of = 'utilisation("a")'
        published = 0.97
        [[rows]]
        id = "late-{n}"
        of = 'cwnd_from("tcp/1", 1, 2)'
        [[figures]]
        id = "F1"
        title = "Windows"
        kind = "time"
        at = { n = 1 }
        series = { first = 'cwnd("tcp/1", 1)' }
        [[figures]]
        id = "F2"
        title = "Use"
        kind = "lines"
        x = "n"
        of = 'utilisation("a")'
        [[figures]]
        id = "F3"
        title = "Late windows"
        kind = "lines"
        x = "n"
        of = 'cwnd_from("tcp/1", 1, 2)'
        "#;

    fn study(delay: &str) -> Arc<crate::Study> {
        let text = FLOWS.replace("10 ms", delay);
        simulator::study(STUDY, &[("flows.toml", &text)]).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Two seeds of the study's runs, kept in a file and read again.
    fn measured(algorithms: fn(&Scenario) -> String) -> Measurements {
        struct All(Mutex<Vec<Summary>>);
        impl RunCache for All {
            fn find(&self, _: crate::RunId<'_>) -> Option<Summary> {
                None
            }
            fn keep(&self, _: crate::Claim, summary: &Summary) {
                self.0.lock().unwrap().push(summary.clone());
            }
        }
        let options = Options { beside: vec![&KERNEL], seeds: Some(2), ..Options::default() };
        let (work, scenarios) = measuring(&study("10 ms"), &options, &Some).unwrap();
        assert_eq!(work.simulations.runs(), 4);
        let cache = All(Mutex::default());
        let mut failed = vec![];
        run_all(Backends(&[&Simulator, &LOSSY]), &[work], Some(&cache), &|_| (), &|| true, &mut |some| {
            failed.extend(some)
        })
        .unwrap();
        assert_eq!(failed, [""; 0]);
        let mut all = Measurements::none("kernel", algorithms);
        for (summary, day) in cache.0.into_inner().unwrap().into_iter().zip(1..) {
            let command = scenarios[&summary.scenario_hash].0.command(1);
            let date = format!("2026-11-0{day}");
            all.add(Measurement { command, date, algorithms: "v1".into(), summary });
        }
        let again = Measurements::read(&all.to_file(), "kernel", algorithms).unwrap();
        assert_eq!(again.all().collect::<Vec<_>>(), all.all().collect::<Vec<_>>());
        again
    }

    fn beside(variant: &'static Variant, delay: &str) -> StudyResult {
        run(&study(delay), &Options { beside: vec![variant], ..Options::default() })
    }

    /// Measured values are those that the backend itself gives, and no run is made for them. What needs samples over time has none,
    /// which takes no value from the scenario's other rows.
    #[test]
    fn measured_values_stand_beside() {
        let result = beside(&BESIDE, "10 ms");
        let experiment = &result.experiments[0];
        let column = &experiment.variants[0];
        assert_eq!(column.title, "Linux 6.18, measured 2026-11-04");
        let over_time = "Rows without a value, as measured runs have no samples over time: 2.";
        let measured = "Measured 2026-11-01 to 2026-11-04 on a test's machine.";
        assert_eq!(column.notes, ["The kernel was 6.18.3-here.", measured, over_time]);
        let figures: Vec<&str> = experiment.figures.iter().map(|figure| &*figure.id).collect();
        assert_eq!(figures, ["F1", "F2", "F2@measured-kernel", "F3"]);
        let commands: Vec<&str> = experiment.runs.iter().map(|run| &*run.command).collect();
        assert!(commands[2].contains(" --backend kernel "), "{commands:?}");
        assert!(experiment.asked.is_empty() && experiment.fidelity.len() == 2);
        let (own, late) = experiment.rows.split_at(2);
        assert!(late.iter().all(|row| row.others.is_empty() && row.measured.is_some()));
        let there: Vec<&Other> = own.iter().map(|row| &row.others[0]).collect();
        let options = Options { beside: vec![&KERNEL], seeds: Some(2), ..Options::default() };
        let work = crate::work(&study("10 ms"), &options).unwrap();
        let same = run_one(Backends(&[&Simulator, &LOSSY]), work, &|_| (), &|| true).unwrap();
        for (there, row) in there.iter().zip(&same.experiments[0].rows) {
            assert_eq!(there.measured, row.others[0].measured);
            assert_eq!(there.verdict, row.others[0].verdict);
            assert_eq!(there.measured.as_ref().unwrap().values.len(), 2);
        }
    }

    /// A scenario or an algorithm that has changed loses its value, and the experiment says so.
    #[test]
    fn what_has_changed_loses_its_value() {
        for (variant, delay) in [(&BESIDE, "11 ms"), (&CHANGED, "10 ms")] {
            let result = beside(variant, delay);
            let experiment = &result.experiments[0];
            assert!(
                experiment.variants.is_empty() && experiment.rows.iter().all(|row| row.others.is_empty())
            );
            let said = "Linux (kernel), out of date, because the scenario or an algorithm changed: 2 of 2 scenarios.";
            assert_eq!(experiment.notes, [said]);
        }
        let none: StudyResult = made(crate::work(&study("10 ms"), &Options::default()).unwrap());
        assert!(none.experiments[0].notes.is_empty());
    }

    #[test]
    fn the_same_runs_are_the_same_bytes() {
        let (mut all, file) = (Measurements::none("kernel", |_| String::new()), ALL.to_file());
        let mut backwards: Vec<Measurement> = ALL.all().cloned().collect();
        backwards.reverse();
        backwards.into_iter().for_each(|run| all.add(run));
        assert_eq!(all.to_file(), file);
        all.retain(|run| run.summary.seed == 2);
        assert_eq!(all.all().map(|run| run.summary.seed).collect::<Vec<_>>(), [2, 2]);
        assert!(Measurements::read(b"torn", "kernel", |_| String::new()).is_err());
    }
}
