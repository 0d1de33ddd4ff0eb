//! Executes a run: creates hosts, links and connections, and samples them until the end.

use crate::algorithm::Algorithms;
use crate::clock::Clock;
use crate::counters::counter;
use crate::device::dropped_packets;
use crate::emulator::{Emulator, EmulatorOptions};
use crate::observe::Observer;
use crate::pair::Pair;
use crate::recording::Recording;
use crate::stolen::Stolen;
use crate::summary::{self, End, Limits};
use crate::traffic::{Connection, Plan, Traffic};
use crate::{TestbedError, environment, express, realtime};
use anabranch_net::Time;
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_scenario::Scenario;
use std::time::Duration;

/// Time between two samples of the sockets, unless the scenario's samples are closer.
const SAMPLE_INTERVAL: Time = Time::from_millis(10);

/// The delay from the creation of the hosts to time 0, by which the threads of the connections, or iperf3, wait.
fn setup_time(flows: usize, traffic: Traffic) -> Duration {
    let of_flow = match traffic {
        Traffic::Own => Duration::from_millis(10),
        Traffic::Iperf3 => Duration::from_millis(500),
    };
    Duration::from_millis(50) + of_flow * flows as u32
}

/// Options of a run.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// The most repetitions of an invalid run.
    pub repeats: u32,
    /// Gets a sentence before each repetition.
    pub repeating: fn(&str),
    /// The source of the traffic.
    pub traffic: Traffic,
    /// The limits of a valid run.
    pub limits: Limits,
}

/// Runs a scenario on the running kernel, as root. Repeats the run if it is invalid or failed;
/// the summary's [`anabranch_record::KernelRun::invalid`] describes the last one. Samples go to `sink` at the end. `keep_going` is
/// called regularly with the time of the run.
///
/// # Errors
/// [`TestbedError`]; [`TestbedError::Failed`] if the last attempt failed.
pub fn run(
    scenario: &Scenario,
    seed: u64,
    options: &RunOptions,
    sink: &mut dyn Sink,
    keep_going: KeepGoing<'_>,
) -> Result<Summary, TestbedError> {
    express::check(scenario)?;
    environment::check(scenario, options.traffic)?;
    if options.traffic == Traffic::Iperf3 {
        express::check_for_iperf3(scenario)?;
    }
    let mut recording = Recording::new(scenario, sink.wants_samples());
    let ended = run_attempts(&format!("{}, seed {seed}", scenario.name), options, || {
        recording = Recording::new(scenario, sink.wants_samples());
        with_real_time_priority(|| {
            let attempt = Attempt::new(scenario, seed, options.traffic, sink.wants_packets());
            let attempt = attempt.map_err(|why| FailedAttempt { begun: false, why })?;
            attempt.run(options, &mut recording, keep_going).map_err(|why| FailedAttempt { begun: true, why })
        })
    });
    if matches!(ended, Ok(_) | Err(TestbedError::Interrupted { .. })) {
        recording.replay(sink);
    }
    ended
}

/// A failed or interrupted attempt.
struct FailedAttempt {
    /// Whether the run had started: hosts and connections were ready.
    begun: bool,
    why: TestbedError,
}

/// Makes attempts until one is valid, up to `options.repeats` repetitions. The cause of a failure, such as a short lack of memory,
/// may be gone in the next one.
fn run_attempts(
    run: &str,
    options: &RunOptions,
    mut attempt: impl FnMut() -> Result<Summary, FailedAttempt>,
) -> Result<Summary, TestbedError> {
    let repeats = options.repeats;
    let mut invalid_attempts = 0;
    loop {
        let is_last = invalid_attempts == repeats;
        let why = match attempt() {
            Ok(mut summary) => {
                let kernel = summary.kernel.get_or_insert_default();
                kernel.invalid_attempts = invalid_attempts;
                if kernel.invalid.is_empty() || is_last {
                    return Ok(summary);
                }
                kernel.invalid.join("; ")
            }
            Err(FailedAttempt { why: TestbedError::Interrupted { at, mut partial }, .. }) => {
                let kernel = partial.as_mut().and_then(|partial| partial.kernel.as_mut());
                kernel.into_iter().for_each(|kernel| kernel.invalid_attempts = invalid_attempts);
                return Err(TestbedError::Interrupted { at, partial });
            }
            Err(FailedAttempt { why, .. }) if !why.is_retryable() => return Err(why),
            // The setup failed, so a result of a run does not exist.
            Err(FailedAttempt { begun: false, why }) if is_last => return Err(why),
            Err(FailedAttempt { why, .. }) if is_last => {
                let attempts = repeats + 1;
                let why = format!("no valid run in {attempts} attempts; the last one failed: {why}");
                return Err(TestbedError::Failed(why));
            }
            Err(FailedAttempt { why, .. }) => why.to_string(),
        };
        invalid_attempts += 1;
        (options.repeating)(&format!(
            "{run}: attempt {invalid_attempts} of {} was not valid ({why}); the next one begins",
            repeats + 1
        ));
    }
}

/// Calls `f` in this thread with real-time priority if allowed, so that samples are on time on a busy machine.
fn with_real_time_priority<T>(f: impl FnOnce() -> T) -> T {
    let raised = realtime::raise(realtime::OBSERVER).is_ok();
    let done = f();
    if raised {
        // A thread that may raise its priority may lower it.
        let _ = realtime::lower();
    }
    done
}

/// An attempt: all objects of a run, ready to start.
struct Attempt<'a> {
    scenario: &'a Scenario,
    seed: u64,
    // In the order of their drop: a program must outlive the sockets that use it.
    connections: Vec<Connection>,
    emulator: Emulator,
    hosts: Vec<Pair>,
    algorithms: Algorithms,
    clock: Clock,
    /// The time at which everything was ready; zero if before time 0.
    start_delay: Time,
    /// The steal time at its start.
    stolen: Option<Stolen>,
}

impl<'a> Attempt<'a> {
    fn new(scenario: &'a Scenario, seed: u64, traffic: Traffic, capture: bool) -> Result<Self, TestbedError> {
        let stolen = Stolen::now();
        let algorithms = Algorithms::load(&scenario.flows)?;
        let (mut hosts, mut ends) = (vec![], vec![]);
        for flow in &scenario.flows {
            let (pair, of_flow) = Pair::new(&flow.paths, &flow.tcp)?;
            hosts.push(pair);
            ends.extend(of_flow);
        }
        let clock = Clock::starting_in(setup_time(hosts.len(), traffic));
        let options = EmulatorOptions::of_run(scenario, capture);
        let emulator = Emulator::start(&Emulator::links(scenario), seed, ends, clock, &options)?;
        let mut connections = vec![];
        for (f, open_at) in scenario.opening_times(seed).into_iter().enumerate() {
            let flow = &scenario.flows[f];
            let plan = Plan {
                flow,
                hosts: &hosts[f],
                congestion_control: algorithms.name(f),
                random: scenario.application_random(seed, f),
                clock,
                open_at,
                stop_at: if flow.stop < scenario.duration { flow.stop } else { Time::NEVER },
            };
            connections.push(Connection::start(&plan, traffic)?);
        }
        let start_delay = clock.now();
        Ok(Attempt { scenario, seed, connections, emulator, hosts, algorithms, clock, start_delay, stolen })
    }

    fn run(
        self,
        options: &RunOptions,
        recording: &mut Recording<'_>,
        keep_going: KeepGoing<'_>,
    ) -> Result<Summary, TestbedError> {
        let scenario = self.scenario;
        let interval = scenario.record_interval;
        let observation_interval = SAMPLE_INTERVAL.min(interval);
        let mut observer = Observer::new(scenario, &self.hosts)?;
        let (mut next_observation, mut next_sample, mut warm) = (Time::ZERO, Time::ZERO, None);
        let (mut interrupted, mut samples_late) = (None, Time::ZERO);
        while self.clock.now() < scenario.duration {
            std::thread::sleep(self.clock.until(next_observation.min(scenario.duration)));
            let now = self.clock.now();
            samples_late = samples_late.max(now.since(next_observation));
            if warm.is_none() && now >= scenario.warmup {
                warm = Some(self.emulator.snapshot()?);
            }
            observer.sample(now, &self.connections, &self.algorithms)?;
            if now >= next_sample && recording.wants_samples {
                recording.sample(now, &observer, self.emulator.snapshot()?);
            }
            while next_observation <= now {
                next_observation += observation_interval;
            }
            while next_sample <= now {
                next_sample += interval;
            }
            // An interruption by Ctrl-C is not a failure.
            if !keep_going(now) {
                interrupted = Some(now);
                break;
            }
            self.connections.iter().try_for_each(Connection::check)?;
        }
        let end = self.emulator.snapshot()?;
        let until = interrupted.unwrap_or(scenario.duration);
        observer.sample(self.clock.now(), &self.connections, &self.algorithms)?;
        for (f, connection) in self.connections.iter().enumerate() {
            recording.completed.extend(connection.take_completed().into_iter().map(|one| (f, one)));
        }
        let programs = !self.algorithms.programs.is_empty();
        let skips_programs = programs.then(|| anabranch_mptcp_bpf::skips_calls().ok()).flatten();
        let without_row = self.algorithms.refused();
        let Attempt { connections, emulator, hosts, start_delay, stolen: before, .. } = self;
        connections.into_iter().try_for_each(Connection::finish)?;
        let device_drops = sum_over(&hosts, dropped_packets)?;
        let memory_pressures = sum_over(&hosts, || counter("netstat", "TCPMemoryPressures"))?;
        let mut report = emulator.stop()?;
        recording.packets = std::mem::take(&mut report.packets);
        // Links carry packets until all connections are closed.
        recording.packets.retain(|packet| packet.at <= until);
        let end = End {
            until,
            warm: warm.unwrap_or_else(|| end.clone()),
            end,
            report,
            device_drops,
            memory_pressures,
            skips_programs,
            without_row,
            options: *options,
            samples_late,
            start_delay,
            stolen: Stolen::now().zip(before).and_then(|(now, before)| now.fraction_since(before)),
        };
        let summary = summary::of(scenario, self.seed, &observer, recording, &end);
        match interrupted {
            Some(at) => Err(TestbedError::Interrupted { at, partial: Some(Box::new(summary)) }),
            None => Ok(summary),
        }
    }
}

fn sum_over(hosts: &[Pair], count: fn() -> Result<u64, TestbedError>) -> Result<u64, TestbedError> {
    let each = hosts.iter().flat_map(|pair| [&pair.sender, &pair.receiver]);
    each.map(|host| host.run(count)?).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_record::KernelRun;
    use std::cell::RefCell;

    fn summary(invalid: &[&str]) -> Summary {
        let invalid = invalid.iter().map(|why| (*why).to_owned()).collect();
        Summary {
            scenario: "one".into(),
            seed: 1,
            duration_s: 1.0,
            kernel: Some(KernelRun { invalid, ..KernelRun::default() }),
            ..Summary::default()
        }
    }

    thread_local! {
        static NOTES: RefCell<Vec<String>> = const { RefCell::new(vec![]) };
    }

    fn no_memory(begun: bool) -> Result<Summary, FailedAttempt> {
        let why = std::io::Error::from_raw_os_error(libc::ENOBUFS);
        Err(FailedAttempt { begun, why: TestbedError::kernel("send")(why) })
    }

    /// The outcome of attempts that end so, in this order, and their number.
    fn of(attempts: Vec<Result<Summary, FailedAttempt>>) -> (Result<Summary, TestbedError>, usize) {
        let (all, mut left) = (attempts.len(), attempts.into_iter());
        let options = RunOptions {
            repeats: 2,
            repeating: |note| NOTES.with_borrow_mut(|notes| notes.push(note.to_owned())),
            traffic: Traffic::Own,
            limits: Limits::USUAL,
        };
        let ended = run_attempts("one, seed 1", &options, || left.next().unwrap());
        (ended, all - left.len())
    }

    #[test]
    fn failed_attempts_are_invalid() {
        let (ended, made) = of(vec![no_memory(true), Ok(summary(&["late"])), Ok(summary(&[]))]);
        assert_eq!((ended.unwrap().kernel.unwrap().invalid_attempts, made), (2, 3));
        let notes = NOTES.take();
        assert!(notes[0].starts_with("one, seed 1: attempt 1 of 3 was not valid (cannot send"), "{notes:?}");
        assert_eq!(notes[1..], ["one, seed 1: attempt 2 of 3 was not valid (late); the next one begins"]);
        let (ended, _) = of(vec![no_memory(true), no_memory(false), no_memory(true)]);
        let Err(TestbedError::Failed(why)) = ended else { panic!("{ended:?}") };
        assert!(why.starts_with("no valid run in 3 attempts") && why.contains("cannot send"), "{why}");
        let (ended, _) = of(vec![no_memory(true), no_memory(true), Ok(summary(&["late"]))]);
        assert_eq!(ended.unwrap().kernel.unwrap().invalid, ["late"]);
    }

    #[test]
    fn permanent_errors_are_not_retried() {
        let (ended, made) = of(vec![no_memory(false), no_memory(false), no_memory(false)]);
        assert!(matches!(ended, Err(TestbedError::Kernel { .. })), "{ended:?}");
        assert_eq!(made, 3);
        let defect = || Err(FailedAttempt { begun: true, why: TestbedError::Failed("byte 3".into()) });
        let (ended, made) = of(vec![defect(), Ok(summary(&[]))]);
        assert!(matches!(ended, Err(TestbedError::Failed(_))) && made == 1, "{ended:?}");
    }
}
