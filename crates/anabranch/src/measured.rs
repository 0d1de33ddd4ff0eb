//! Measurements on Linux that ship with the papers, and the command that makes them.

use crate::campaign::on;
use crate::study::check_failed;
use crate::{Error, Runner, Watch, backends, counted};
use anabranch_cc::{Ack, Congestion, Signal};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_record::output::try_writing;
use anabranch_record::{Summary, replace};
use anabranch_scenario::Scenario;
use anabranch_study::measured::today;
use anabranch_study::{
    ByHash, Claim, Measurement, Measurements, Options, RunCache, RunId, Study, StudyError, Variant, Work,
    measuring, run_all,
};
use miette::miette;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// The shipped measurements of each backend in [`anabranch_papers::MEASURED`], as variants beside the simulator.
static VARIANTS: [Variant; 2] = [
    Variant::measured(
        "measured-guest-6.12",
        "The same scenarios on a stock Debian kernel under QEMU in virtual time, measured once and kept with the project: its own TCP and MPTCP, links emulated by the simulator's model of them.",
        || &shipped()[0],
    ),
    Variant::measured(
        "measured-kernel",
        "The same scenarios on a machine's Linux kernel, measured once and kept with the project: its own TCP and MPTCP, links emulated in real time by the simulator's model of them.",
        || &shipped()[1],
    ),
];

/// The shipped measurements of each backend.
pub fn shipped() -> &'static [Measurements; 2] {
    static ALL: LazyLock<[Measurements; 2]> = LazyLock::new(|| {
        let read = |(backend, file)| Measurements::read(file, backend, algorithms);
        anabranch_papers::MEASURED.map(|file| read(file).expect("a test reads the embedded files"))
    });
    &ALL
}

/// Those of this backend.
fn shipped_of(runner: &Runner) -> Option<&'static Measurements> {
    let known = anabranch_papers::MEASURED.iter().position(|(backend, _)| *backend == runner.name());
    known.map(|i| &shipped()[i])
}

/// The variants of shipped measurements to show beside the runs of `runner`, whose own replace measured ones.
pub fn measured_beside(runner: &Runner) -> impl Iterator<Item = &'static Variant> {
    let all = anabranch_papers::MEASURED.iter().zip(shipped()).zip(&VARIANTS);
    let shown = all.filter(move |((file, runs), _)| file.0 != runner.name() && !runs.is_empty());
    shown.map(|(_, variant)| variant)
}

/// Identifies the arithmetic of a scenario's algorithms in the kernel: each one's name, and a checksum of its windows over fixed
/// events. A kernel's own algorithms count as ours of the same name.
fn algorithms(scenario: &Scenario) -> String {
    static CHECKSUMS: LazyLock<HashMap<&str, String>> = LazyLock::new(|| {
        let each = registry::all().iter();
        each.map(|entry| (entry.reference.name, format!("{} {}", entry.kernel_name, checksum(entry))))
            .collect()
    });
    let names: BTreeSet<&str> = scenario.flows.iter().map(|flow| flow.cc.entry.name).collect();
    names.iter().filter_map(|name| Some(CHECKSUMS.get(name)?.as_str())).collect::<Vec<_>>().join(", ")
}

/// The sum of all windows of a connection with two paths, over acknowledgements, losses and timeouts.
fn checksum(entry: &KernelEntry) -> f64 {
    let mut group = entry.entry.group(&[]).expect("the defaults are valid");
    let rtts = [0.02, 0.1];
    rtts.iter().for_each(|rtt| _ = group.add_path(*rtt, 10.0));
    let mut sum = 0.0;
    for i in 1..=6000u32 {
        let (r, now) = (usize::from(i % 6 == 0), f64::from(i) * 1e-3);
        let cwnd = group.path(r).cwnd;
        let rtt = rtts[r] * (1.0 + cwnd / 100.0);
        let signal = if i % 2000 == 0 { Signal::Timeout } else { Signal::Loss };
        match i % 400 {
            0 | 3 => group.on_congestion(r, &Congestion { now, signal }),
            _ => group
                .on_ack(r, &Ack { in_flight: cwnd, round: (now / rtts[r]) as u64, ..Ack::of(now, 2.0, rtt) }),
        }
        sum += group.path(r).cwnd;
    }
    sum
}

/// Measures the studies' runs on a kernel, and adds each at once to its file in `folder`. Runs that the file has, of the same kernel's release,
/// scenario and algorithms, and with steps of the emulator as short as today's, are not repeated. To renew: only the scenarios that ship with a measurement, each with its seeds.
pub fn measure(
    studies: &[Arc<Study>],
    options: &Options,
    runner: &'static Runner,
    folder: &Path,
    renew: bool,
    watch: &Watch<'_>,
) -> Result<(), Error> {
    // Hours of runs must not end at a folder that takes no file.
    std::fs::create_dir_all(folder)
        .and_then(|()| try_writing(folder))
        .map_err(|why| Error::environment(format!("cannot write into {}", folder.display()), &why))?;
    let (work, scenarios) = planned(studies, options, runner, renew)?;
    let file = folder.join(format!("{}.jsonl.gz", runner.name()));
    let all = match std::fs::read(&file) {
        Ok(there) => Measurements::read(&there, runner.name(), algorithms),
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            Ok(Measurements::none(runner.name(), algorithms))
        }
        Err(why) => Err(why),
    };
    let all = all.map_err(|why| Error::environment(format!("cannot read {}", file.display()), &why))?;
    let cache = Cache { file: file.clone(), scenarios, all: Mutex::new((all, None)) };
    let runs: u64 = work.iter().map(|work| work.simulations.runs()).sum();
    let found: u64 = work.iter().map(|work| work.simulations.found(&cache)).sum();
    let hours: f64 = work.iter().map(|work| work.simulations.seconds()).sum::<f64>() / 3600.0;
    let there = file.display();
    (watch.note)(&format!("{}, about {hours:.2} h: {there} has {found}", counted(runs as usize, "run")));
    let (mut failed, progress) =
        (vec![], |p: anabranch_study::Progress<'_>| (watch.progress)(crate::Progress::Runs(p)));
    let keep_going = || !watch.cancel.is_cancelled() && !cache.has_failed();
    let ended =
        run_all(backends(), &work, Some(&cache), &progress, &keep_going, &mut |some| failed.extend(some));
    let (_, unwritten) = cache.all.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(why) = unwritten {
        return Err(Error::environment(format!("cannot add a run to {there}"), &why));
    }
    if let Err(StudyError::Interrupted) = ended {
        let why = miette!("interrupted: {there} has the runs so far; run the same command again to resume");
        return Err(Error::Interrupted(why));
    }
    ended?;
    check_failed(&failed)
}

/// Runs that are measured, which give their failures.
type Failures = Work<Vec<String>>;

/// The runs of studies on a kernel, and their scenarios.
fn planned(
    studies: &[Arc<Study>],
    options: &Options,
    runner: &'static Runner,
    renew: bool,
) -> Result<(Vec<Failures>, ByHash), Error> {
    let beside = runner.variant.into_iter().collect();
    let options = Options { beside, without_variants: true, ..options.clone() };
    // A scenario of several experiments is measured once.
    let planned = RefCell::new(HashSet::new());
    let again = |setup| {
        let setup = shipped_of(runner)?.again(setup)?;
        planned.borrow_mut().insert(setup.command(1)).then_some(setup)
    };
    let chosen = |setup| if renew { again(setup) } else { Some(setup) };
    // Experiments beyond a paper are measured only if chosen by name.
    let ids = |study: &Study| study.experiments.iter().map(|e| Some(e.ids[0].clone())).collect();
    let (mut work, mut scenarios) = (vec![], HashMap::new());
    for study in studies {
        let each = if renew && options.only.is_none() { ids(study) } else { vec![options.only.clone()] };
        for only in each {
            let options = Options { only, ..options.clone() };
            let (mut one, of_these) = match measuring(study, &options, &chosen) {
                Err(StudyError::NoExperiment { .. }) if studies.len() > 1 => continue,
                found => found?,
            };
            one.simulations = on(one.simulations)?;
            work.push(one);
            scenarios.extend(of_these);
        }
    }
    Ok((work, scenarios))
}

/// The file of measurements as a store of runs.
struct Cache {
    file: PathBuf,
    scenarios: ByHash,
    /// And the reason why a run is not among them.
    all: Mutex<(Measurements, Option<io::Error>)>,
}

impl Cache {
    fn locked(&self) -> MutexGuard<'_, (Measurements, Option<io::Error>)> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_failed(&self) -> bool {
        self.locked().1.is_some()
    }
}

impl RunCache for Cache {
    fn find(&self, run: RunId<'_>) -> Option<Summary> {
        let (_, scenario) = self.scenarios.get(run.scenario_hash)?;
        let (all, _) = &*self.locked();
        let found = all.find(run.scenario_hash, run.seed)?;
        // The backend's identity names the kernel's release.
        let same_kernel = run.backend.split(' ').any(|word| Some(word) == release(&found.summary));
        let is_current = same_kernel
            && found.algorithms == algorithms(scenario)
            && !has_longer_steps(&found.summary, scenario, run.backend);
        is_current.then(|| found.summary.clone())
    }

    fn keep(&self, _: Claim, summary: &Summary) {
        let (all, failed) = &mut *self.locked();
        let Some((setup, scenario)) = self.scenarios.get(&summary.scenario_hash) else {
            let why = format!("no planned scenario has the hash of the run: {}", summary.scenario_hash);
            failed.get_or_insert_with(|| io::Error::other(why));
            return;
        };
        let new = Measurement {
            command: setup.command(1),
            date: today(),
            algorithms: algorithms(scenario),
            summary: summary.clone(),
        };
        // A simulation's runs are all of one kernel.
        let is_current = |run: &Measurement| {
            let (there, here) = (&run.summary, &new.summary);
            there.scenario_hash == here.scenario_hash
                && run.algorithms == new.algorithms
                && release(there) == release(here)
        };
        all.retain(|run| run.command != new.command || is_current(run));
        all.add(new);
        *failed = failed.take().or(replace(&self.file, &all.to_file()).err());
    }
}

fn release(summary: &Summary) -> Option<&str> {
    summary.kernel.as_ref().map(|kernel| &*kernel.release)
}

/// Whether the run had longer steps of the emulator than it would have today; they change how flows share a link.
#[cfg(feature = "linux")]
fn has_longer_steps(run: &Summary, scenario: &Scenario, backend: &str) -> bool {
    let is_virtual = !backend.starts_with("kernel ");
    let today = anabranch_testbed::emulator::quantum_of(scenario, is_virtual).as_secs_f64();
    // Records of 0.2.0 do not have it; it was 100 µs.
    let then = run.kernel.as_ref().map_or(0.0, |kernel| kernel.emulator.quantum_s.unwrap_or(100e-6));
    then > today + 1e-9
}

/// Without Linux there are no runs to compare.
#[cfg(not(feature = "linux"))]
fn has_longer_steps(_: &Summary, _: &Scenario, _: &str) -> bool {
    false
}

#[cfg(test)]
mod book;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each algorithm has a checksum of its own, and repeats it.
    #[test]
    fn checksums_tell_algorithms_apart() {
        let all: BTreeSet<String> = registry::all().iter().map(|entry| checksum(entry).to_string()).collect();
        assert_eq!(all.len(), registry::all().len(), "{all:?}");
        assert!(registry::all().iter().all(|entry| all.contains(&checksum(entry).to_string())));
    }

    /// Before the first run, not after hours of them.
    #[test]
    fn a_folder_that_takes_no_file_is_refused() {
        let in_a_file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/linux"));
        let error =
            measure(&[], &Options::default(), &crate::SIM, in_a_file, false, &Watch::default()).unwrap_err();
        assert!(error.report().to_string().starts_with("cannot write into "), "{error:?}");
    }

    /// A run of a scenario that is not in the plan ends the measurement.
    #[test]
    fn a_run_that_is_not_kept_is_an_error() {
        let text = r#"
            name = "short"
            duration = "1 s"
            links.a = { rate = "1 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
        "#;
        let scenario = text.parse::<Scenario>().unwrap();
        let run = anabranch_sim::run(&scenario, 1, &mut anabranch_record::NoSamples, &mut |_| true).unwrap();
        let none = Measurements::none("kernel", algorithms);
        let cache =
            Cache { file: "missing".into(), scenarios: HashMap::new(), all: Mutex::new((none, None)) };
        assert!(!cache.has_failed());
        cache.keep(Claim::default(), &run.summary);
        assert!(cache.has_failed());
    }

    /// Steps of 100 µs, as in records of 0.2.0, are too long where a tenth of a packet's time is shorter.
    #[test]
    #[cfg(feature = "linux")]
    fn longer_steps_are_out_of_date() {
        let is_longer = |rate: &str, quantum_s: Option<f64>| {
            let text = format!(
                r#"
                name = "short"
                duration = "1 s"
                links.a = {{ rate = "{rate}", delay = "5 ms" }}
                flows = [{{ name = "tcp", cc = "reno", paths = [["a"]] }}]
                "#
            );
            let mut run = shipped()[0].all().next().unwrap().summary.clone();
            run.kernel.as_mut().unwrap().emulator.quantum_s = quantum_s;
            has_longer_steps(&run, &text.parse().unwrap(), "guest-6.12 6.12.1 revision")
        };
        assert!(!is_longer("12 Mbit/s", None));
        assert!(is_longer("60 Mbit/s", None));
        assert!(is_longer("60 Mbit/s", Some(30e-6)));
        assert!(!is_longer("60 Mbit/s", Some(20e-6)));
    }

    /// A measurement that no paper plans could not be renewed.
    #[test]
    #[cfg(feature = "linux")]
    fn every_shipped_run_can_be_renewed() {
        for (runner, _) in crate::RUNNERS {
            let Some(all) = shipped_of(runner) else { continue };
            let (work, _) = planned(anabranch_papers::all(), &Options::default(), runner, true).unwrap();
            let runs: u64 = work.iter().map(|work| work.simulations.runs()).sum();
            assert_eq!(runs, all.all().count() as u64, "{}", runner.name());
        }
    }

    /// The shipped file can be read, each run is healthy, and it is small.
    #[test]
    fn the_shipped_file() {
        assert!(anabranch_papers::MEASURED.iter().map(|(_, file)| file.len()).sum::<usize>() < 5_000_000);
        for run in shipped().iter().flat_map(Measurements::all) {
            let kernel = run.summary.kernel.as_ref().unwrap_or_else(|| panic!("{}: no kernel", run.command));
            assert_eq!(kernel.invalid, [""; 0], "{}", run.command);
            assert!(run.command.contains(" --backend ") && !kernel.machine.is_empty(), "{}", run.command);
        }
    }
}
