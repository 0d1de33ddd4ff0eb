//! Simulations of several studies in one queue, so that no core waits at the end of each for its last run.

mod cost;
mod simulations;
pub mod store;

pub use simulations::{PendingRun, Simulations};

use crate::error::StudyError;
use crate::outcome::Outcome;
use crate::task::{Backends, TaskError};
use anabranch_net::Time;
use simulations::Simulation;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::RunCache;

/// The state of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Simulations that have ended, here or in another process; what was kept at the beginning does not count.
    pub done: usize,
    /// All of them.
    pub total: usize,
    /// Simulated time that has passed in all of them.
    pub simulated: Time,
    /// The part of the work that is done, 0 to 1: by the packets that links carry, not by simulated time.
    pub part: f64,
    /// What the one that was last heard of belongs to: an experiment's identifier, or a standard case's.
    pub experiment: &'a str,
    /// What it is.
    pub label: &'a str,
}

/// How long a worker waits that has nothing to do but what other processes are doing.
const PAUSE: Duration = Duration::from_millis(50);

/// Simulations to be run, and what is made of them: a `T`.
pub struct Work<T> {
    /// The simulations.
    pub simulations: Simulations,
    /// The use of their outcomes.
    pub conclude: Conclude<T>,
}

impl<T: 'static> Work<T> {
    /// The same, its result turned into another type.
    pub fn map<U>(self, turn: impl Fn(T) -> U + Send + Sync + 'static) -> Work<U> {
        let conclude = self.conclude;
        Work { simulations: self.simulations, conclude: Box::new(move |s, o| conclude(s, o).map(&turn)) }
    }
}

impl<T> Work<T> {
    fn result(&self, open: &mut OpenWork) -> Option<T> {
        (self.conclude)(&self.simulations, &open.take())
    }
}

/// From each simulation's outcomes, none where a seed is missing, to the result; none where nothing is complete.
pub type Conclude<T> = Box<dyn Fn(&Simulations, &[Option<Outcomes>]) -> Option<T> + Send + Sync>;

/// What the seeds of one simulation gave.
pub type Outcomes = Vec<Result<Outcome, String>>;

/// A run of one of several pieces of work.
#[derive(Clone, Copy)]
struct Job {
    work: usize,
    run: PendingRun,
}

impl Job {
    fn simulation<T>(self, work: &[Work<T>]) -> &Simulation {
        &work[self.work].simulations.each[self.run.simulation]
    }
}

/// What would outlast all that follows it goes before the shorter ones, to the front, so that at the end no core waits for
/// another.
fn outlasting_first(jobs: Vec<Job>, cores: usize) -> Vec<Job> {
    let mut behind = 0.0;
    let mut outlasts: Vec<bool> = Vec::with_capacity(jobs.len());
    for job in jobs.iter().rev() {
        outlasts.push(job.run.cost * cores as f64 > behind);
        behind += job.run.cost;
    }
    let mut shortest = f64::INFINITY;
    let (first, rest): (Vec<_>, Vec<_>) =
        jobs.into_iter().zip(outlasts.into_iter().rev()).partition(|(job, outlasts)| {
            let outlasts = *outlasts && job.run.cost > shortest;
            shortest = shortest.min(job.run.cost);
            outlasts
        });
    first.into_iter().chain(rest).map(|(job, _)| job).collect()
}

/// A piece of work under way.
#[derive(Default)]
struct OpenWork {
    outcomes: Vec<Vec<Option<Result<Outcome, String>>>>,
    missing: usize,
}

impl OpenWork {
    fn of<T>(work: &Work<T>) -> OpenWork {
        let each = &work.simulations.each;
        OpenWork {
            outcomes: each.iter().map(|s| vec![None; s.seeds as usize]).collect(),
            missing: each.iter().map(|s| s.seeds as usize).sum(),
        }
    }

    /// Notes what a run gave; says whether it was the last one.
    fn put(&mut self, job: &Job, outcome: Result<Outcome, String>) -> bool {
        self.outcomes[job.run.simulation][job.run.seed as usize - 1] = Some(outcome);
        self.missing -= 1;
        self.missing == 0
    }

    /// What there is of it.
    fn take(&mut self) -> Vec<Option<Outcomes>> {
        std::mem::take(&mut self.outcomes).into_iter().map(|seeds| seeds.into_iter().collect()).collect()
    }
}

/// What is to be run: by this process, and at the end what other processes have begun meanwhile. A worker that finds nothing may
/// end: each run that is left is in the hands of another worker.
struct Queue(Mutex<(VecDeque<Job>, VecDeque<Job>)>);

impl Queue {
    fn of(jobs: Vec<Job>) -> Self {
        Queue(Mutex::new((jobs.into(), VecDeque::new())))
    }

    /// The next run, and whether another process was making it when it was looked at last.
    fn next(&self) -> Option<(Job, bool)> {
        let (first, left) = &mut *lock(&self.0);
        let first = first.pop_front().map(|job| (job, false));
        first.or_else(|| left.pop_front().map(|job| (job, true)))
    }

    /// Another process is making that run: it is left for last.
    fn leave(&self, job: Job) {
        lock(&self.0).1.push_back(job);
    }
}

/// Results in the order of the work, whatever the order in which they come.
struct InOrder<'a, T> {
    waiting: Vec<Option<Option<T>>>,
    next: usize,
    finished: &'a mut (dyn FnMut(T) + Send),
}

impl<T> InOrder<'_, T> {
    fn put(&mut self, i: usize, result: Option<T>) {
        self.waiting[i] = Some(result);
        while let Some(result) = self.waiting.get_mut(self.next).and_then(Option::take) {
            self.next += 1;
            result.into_iter().for_each(|result| (self.finished)(result));
        }
    }
}

/// Runs all of `work` on these backends and on all cores, but for what is `kept`. A run that another process is making is left for
/// last: its outcome is used, or it is made here should that process end without. Runs in real time are made when all others are
/// done, one after the other. Each result goes to `finished` when it and those before it are there.
///
/// The results do not depend on the number of threads. A simulation that fails makes its rows
/// failed; the others are judged all the same. `progress` is called from several threads.
///
/// # Errors
/// [`StudyError::Interrupted`] where `keep_going` said no: then `finished` gets of studies the experiments that were complete,
/// marked as partial.
pub fn run_all<T: Send>(
    backends: Backends<'_>,
    work: &[Work<T>],
    kept: Option<&dyn RunCache>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    keep_going: &(dyn Fn() -> bool + Sync),
    finished: &mut (dyn FnMut(T) + Send),
) -> Result<(), StudyError> {
    // Work by work, so that results are there early and their samples are not kept long, and the longest runs of each first.
    let jobs = work.iter().map(|w| w.simulations.all()).enumerate();
    let mut jobs: Vec<Job> =
        jobs.flat_map(|(work, runs)| runs.into_iter().map(move |run| Job { work, run })).collect();
    let mut open: Vec<OpenWork> = work.iter().map(OpenWork::of).collect();
    jobs.retain(|job| {
        let found = kept.and_then(|kept| job.simulation(work).find(job.run.seed, kept));
        found.map(|outcome| open[job.work].put(job, Ok(outcome))).is_none()
    });
    let jobs = outlasting_first(jobs, rayon::current_num_threads());
    let mut results = InOrder { waiting: work.iter().map(|_| None).collect(), next: 0, finished };
    for (i, open) in open.iter_mut().enumerate().filter(|(_, open)| open.missing == 0) {
        results.put(i, work[i].result(open));
    }
    let campaign = Campaign {
        backends,
        work,
        kept,
        progress,
        keep_going,
        total: jobs.len(),
        whole: jobs.iter().map(|job| job.run.cost).sum(),
        done: AtomicUsize::new(0),
        stopped: AtomicBool::new(false),
        simulated: AtomicU64::new(0),
        carried: AtomicU64::new(0),
        open: open.into_iter().map(Mutex::new).collect(),
        results: Mutex::new(results),
    };
    let (alone, together) = jobs.into_iter().partition(|job| campaign.is_in_real_time(job));
    let (alone, together) = (Queue::of(alone), Queue::of(together));
    rayon::broadcast(|_| campaign.work_off(&together));
    campaign.work_off(&alone);
    campaign.end()
}

/// Work under way, and how far it is.
struct Campaign<'a, T> {
    backends: Backends<'a>,
    work: &'a [Work<T>],
    kept: Option<&'a dyn RunCache>,
    progress: &'a (dyn Fn(Progress<'_>) + Sync),
    keep_going: &'a (dyn Fn() -> bool + Sync),
    total: usize,
    /// The cost of all jobs, in packets.
    whole: f64,
    done: AtomicUsize,
    stopped: AtomicBool,
    /// Nanoseconds.
    simulated: AtomicU64,
    /// Packets.
    carried: AtomicU64,
    open: Vec<Mutex<OpenWork>>,
    results: Mutex<InOrder<'a, T>>,
}

impl<T: Send> Campaign<'_, T> {
    fn is_in_real_time(&self, job: &Job) -> bool {
        let backend = self.backends.find(job.simulation(self.work).task.backend());
        backend.is_ok_and(|backend| backend.is_in_real_time())
    }

    fn work_off(&self, queue: &Queue) {
        while let Some((job, again)) = queue.next() {
            // A short run may end before it asks.
            if !(self.keep_going)() {
                self.stopped.store(true, Ordering::Relaxed);
                return;
            }
            let worker =
                Worker { campaign: self, simulation: job.simulation(self.work), job, reached: Time::ZERO };
            let elsewhere = worker.run();
            if again && elsewhere.is_some() {
                std::thread::sleep(PAUSE);
            }
            elsewhere.into_iter().for_each(|job| queue.leave(job));
        }
    }

    /// Gives what there is of work that was interrupted.
    fn end(self) -> Result<(), StudyError> {
        let mut results = self.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (i, open) in self.open.iter().enumerate() {
            if results.next <= i && results.waiting[i].is_none() {
                results.put(i, self.work[i].result(&mut lock(open)));
            }
        }
        if self.stopped.into_inner() { Err(StudyError::Interrupted) } else { Ok(()) }
    }
}

/// Who makes a run.
struct Worker<'a, 'c, T> {
    campaign: &'a Campaign<'c, T>,
    simulation: &'a Simulation,
    job: Job,
    /// How far the run has come.
    reached: Time,
}

impl<T: Send> Worker<'_, '_, T> {
    /// Gives the job back where another process is making that run.
    fn run(mut self) -> Option<Job> {
        let Worker { campaign, simulation, job, .. } = self;
        let outcome = match simulation
            .run(job.run.seed, campaign.kept, campaign.backends, &mut |now| self.advance(now))
        {
            Ok(Some(outcome)) => Ok(outcome),
            Ok(None) => {
                self.report();
                return Some(job);
            }
            Err(TaskError::Interrupted { .. }) => {
                campaign.stopped.store(true, Ordering::Relaxed);
                return None;
            }
            Err(error) => {
                Err(format!("{}, seed {}: {error}", simulation.title, simulation.seed(job.run.seed)))
            }
        };
        campaign.done.fetch_add(1, Ordering::Relaxed);
        self.advance(simulation.scenario.duration);
        let mut open = lock(&campaign.open[job.work]);
        if open.put(&job, outcome) {
            let mut whole = std::mem::take(&mut *open);
            drop(open);
            let result = campaign.work[job.work].result(&mut whole);
            lock(&campaign.results).put(job.work, result);
        }
        None
    }

    /// Notes how far the run is, and says whether it is to go on.
    fn advance(&mut self, now: Time) -> bool {
        let (campaign, whole) = (self.campaign, self.simulation.scenario.duration.as_secs_f64());
        let packets = |until: Time| (self.job.run.cost * until.as_secs_f64() / whole) as u64;
        campaign.simulated.fetch_add(now.since(self.reached).as_nanos(), Ordering::Relaxed);
        campaign.carried.fetch_add(packets(now).saturating_sub(packets(self.reached)), Ordering::Relaxed);
        // A run in real time that is made again begins anew.
        self.reached = self.reached.max(now);
        self.report();
        (campaign.keep_going)()
    }

    fn report(&self) {
        let campaign = self.campaign;
        (campaign.progress)(Progress {
            done: campaign.done.load(Ordering::Relaxed),
            total: campaign.total,
            simulated: Time::from_nanos(campaign.simulated.load(Ordering::Relaxed)),
            part: (campaign.carried.load(Ordering::Relaxed) as f64 / campaign.whole).min(1.0),
            experiment: &self.simulation.experiment,
            label: &self.simulation.title,
        });
    }
}

/// A panic of another thread ends the program anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Simulator;
    use crate::{Backend, Setup, Task};
    use anabranch_record::{Sink, Summary};

    fn costs(costs: &[f64], cores: usize) -> Vec<f64> {
        let job = |cost: &f64| Job { work: 0, run: PendingRun { simulation: 0, seed: 1, cost: *cost } };
        outlasting_first(costs.iter().map(job).collect(), cores).iter().map(|job| job.run.cost).collect()
    }

    /// With two cores more than half of what is behind them: 9 of 6 and the last 2, before which there are shorter ones.
    /// Those that are alike keep their order.
    #[test]
    fn what_outlasts_the_rest_goes_first() {
        assert_eq!(costs(&[3.0, 5.0, 9.0, 2.0, 1.0, 1.0, 2.0], 2), [9.0, 2.0, 3.0, 5.0, 2.0, 1.0, 1.0]);
        assert_eq!(costs(&[1.0; 5], 1), [1.0; 5]);
        assert_eq!(costs(&[], 4), [0.0; 0]);
    }

    /// A long run at the end of the list does not keep the others waiting: no more than for an ordinary one, of at most 11.
    #[test]
    fn no_core_waits_long() {
        let mut jobs: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i * 37 % 11)).collect();
        jobs.push(40.0);
        for cores in [2, 4, 8] {
            let mut busy = vec![0.0f64; cores];
            for cost in costs(&jobs, cores) {
                let first = busy.iter_mut().min_by(|a, b| a.total_cmp(b)).unwrap();
                *first += cost;
            }
            let end = busy.iter().copied().fold(0.0, f64::max);
            let work: f64 = busy.iter().sum();
            assert!(end - work / cores as f64 <= 11.0, "{cores}: {busy:?}");
        }
    }

    /// The simulator under another name, in real time: it counts how many runs there are at once.
    #[derive(Default)]
    struct InRealTime {
        at_once: AtomicUsize,
        most: AtomicUsize,
    }

    impl Backend for InRealTime {
        fn name(&self) -> &str {
            "kernel"
        }

        fn is_in_real_time(&self) -> bool {
            true
        }

        fn run(
            &self,
            task: &Task,
            sink: &mut dyn Sink,
            keep_going: &mut dyn FnMut(Time) -> bool,
        ) -> Result<Summary, TaskError> {
            let now = self.at_once.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            let summary = Simulator.run(task, sink, keep_going);
            self.at_once.fetch_sub(1, Ordering::SeqCst);
            summary
        }
    }

    /// Runs of one scenario on two backends are two simulations; those in real time are made one after the other.
    #[test]
    fn runs_in_real_time_are_made_alone() {
        let text = r#"
            name = "one link"
            duration = "2 s"
            links.a = { rate = "10 Mbit/s", delay = "5 ms" }
            flows = [{ name = "tested", cc = "reno", paths = [["a"]] }]
        "#;
        let file = crate::ScenarioFile { name: "a".into(), path: "a".into(), text: text.into() };
        let setups = [Setup::new("simulated", &file), Setup::new("real", &file).on(&InRealTime::default())];
        let simulations = Simulations::of([("test", &setups[..])], 6).unwrap();
        assert_eq!(simulations.runs(), 12);
        let counted = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
            Some(outcomes.iter().flatten().flatten().filter(|outcome| outcome.is_ok()).count())
        };
        let work = [Work { simulations, conclude: Box::new(counted) }];
        let (real, mut complete) = (InRealTime::default(), 0);
        let backends: [&dyn Backend; 2] = [&Simulator, &real];
        run_all(Backends(&backends), &work, None, &|_| (), &|| true, &mut |n| complete = n).unwrap();
        assert_eq!((complete, real.most.into_inner()), (12, 1));
    }
}
