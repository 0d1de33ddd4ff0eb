//! Runs the simulations of several studies from one queue, so that no core idles at the end of each study.

mod cost;
pub(crate) mod lock;
mod simulations;
pub mod store;

pub use simulations::{PendingRun, Simulations};

use crate::error::StudyError;
use crate::outcome::Outcome;
use crate::task::{Backends, TaskError};
use anabranch_net::Time;
use lock::lock;
use simulations::Simulation;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use store::RunCache;

/// The state of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Completed simulations, here or in other processes, without those stored before the start.
    pub done: usize,
    /// All of them.
    pub total: usize,
    /// Simulated time that has passed in all of them.
    pub simulated: Time,
    /// The fraction of work done, 0 to 1, by packets carried rather than simulated time.
    pub part: f64,
    /// The identifier of the last reporting simulation's experiment or standard case.
    pub experiment: &'a str,
    /// Its title.
    pub label: &'a str,
}

/// The interval at which an idle worker checks for other processes' results.
const PAUSE: Duration = Duration::from_millis(50);

/// Simulations to run, and a function from their outcomes to a `T`.
pub struct Work<T> {
    /// The simulations.
    pub simulations: Simulations,
    /// The function of their outcomes.
    pub conclude: Conclude<T>,
}

impl<T> Work<T> {
    /// Converts the result to another type.
    pub fn map<U>(self, turn: impl Fn(T) -> U + Send + Sync + 'static) -> Work<U>
    where
        T: 'static,
    {
        let conclude = self.conclude;
        Work { simulations: self.simulations, conclude: Box::new(move |s, o| conclude(s, o).map(&turn)) }
    }

    /// Its result so far.
    fn result(&self, open: &mut OpenWork) -> Option<T> {
        let outcomes = std::mem::take(&mut open.outcomes).into_iter();
        let outcomes: Vec<_> = outcomes.map(|seeds| seeds.into_iter().collect()).collect();
        (self.conclude)(&self.simulations, &outcomes)
    }
}

/// From each simulation's outcomes, `None` if a seed is missing, to the result; `None` if no experiment is complete.
pub type Conclude<T> = Box<dyn Fn(&Simulations, &[Option<Outcomes>]) -> Option<T> + Send + Sync>;

/// The outcomes of one simulation, by seed.
pub type Outcomes = Vec<Result<Outcome, String>>;

/// A run in the queue.
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

/// Moves a job to the front if it would outlast all later jobs, so that no core idles at the end.
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

    /// Adds a run's outcome; returns whether it was the last one.
    fn put(&mut self, job: &Job, outcome: Result<Outcome, String>) -> bool {
        self.outcomes[job.run.simulation][job.run.seed as usize - 1] = Some(outcome);
        self.missing -= 1;
        self.missing == 0
    }
}

/// The runs left for this process and, at the end, those that another process was making at the last check, marked. A worker without
/// work may end: the others have every remaining run.
type Queue = Mutex<VecDeque<(Job, bool)>>;

/// Reorders results into the order of the work.
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

/// Runs all `work` that is not `kept` on these backends, on all cores. Runs that another process is making come last: this
/// process uses their outcomes, or makes them if that process ends without. Runs in real time follow all others, one at a time.
/// `finished` receives each result in order.
///
/// The results do not depend on the number of threads. A failed simulation fails only its rows. Several threads call `progress`.
///
/// # Errors
/// [`StudyError::Interrupted`] if `keep_going` returned false; `finished` then receives the complete experiments, marked as
/// partial.
pub fn run_all<T: Send>(
    backends: Backends<'_>,
    work: &[Work<T>],
    kept: Option<&dyn RunCache>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    keep_going: &(dyn Fn() -> bool + Sync),
    finished: &mut (dyn FnMut(T) + Send),
) -> Result<(), StudyError> {
    // One work after the other, for early results and short-lived samples; the longest runs of each first.
    let jobs = work.iter().map(|w| w.simulations.all()).enumerate();
    let mut jobs: Vec<Job> =
        jobs.flat_map(|(work, runs)| runs.into_iter().map(move |run| Job { work, run })).collect();
    let mut open: Vec<OpenWork> = work.iter().map(OpenWork::of).collect();
    jobs.retain(|job| {
        let found = job.simulation(work).find(job.run.seed, kept);
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
    let queue = |jobs: Vec<Job>| Mutex::new(jobs.into_iter().map(|job| (job, false)).collect());
    let together = queue(together);
    rayon::broadcast(|_| campaign.work_off(&together));
    campaign.work_off(&queue(alone));
    campaign.end()
}

/// Runs one work alone and returns its result: see [`run_all`].
///
/// # Errors
/// [`StudyError::Interrupted`] if `keep_going` returned false.
pub fn run_one<T: Send>(
    backends: Backends<'_>,
    work: Work<T>,
    progress: &(dyn Fn(Progress<'_>) + Sync),
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<T, StudyError> {
    let mut result = None;
    run_all(backends, &[work], None, progress, keep_going, &mut |finished| result = Some(finished))?;
    result.ok_or(StudyError::Interrupted)
}

/// Work in progress, and its extent.
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
        // Not in the condition of the loop, which would hold the lock.
        let next = || lock(queue).pop_front();
        while let Some((job, again)) = next() {
            // A short run may end before its first call.
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
            lock(queue).extend(elsewhere.map(|job| (job, true)));
        }
    }

    /// Passes on the results of interrupted work.
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

/// A worker thread's current run.
struct Worker<'a, 'c, T> {
    campaign: &'a Campaign<'c, T>,
    simulation: &'a Simulation,
    job: Job,
    /// The run's progress so far.
    reached: Time,
}

impl<T: Send> Worker<'_, '_, T> {
    /// Returns the job if another process is making that run.
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
                Err(format!("{}, seed {}: {error}", simulation.setup.title, simulation.seed(job.run.seed)))
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

    /// Records the run's progress; returns whether to continue.
    fn advance(&mut self, now: Time) -> bool {
        let (campaign, whole) = (self.campaign, self.simulation.scenario.duration.as_secs_f64());
        let packets = |until: Time| (self.job.run.cost * until.as_secs_f64() / whole) as u64;
        campaign.simulated.fetch_add(now.since(self.reached).as_nanos(), Ordering::Relaxed);
        campaign.carried.fetch_add(packets(now).saturating_sub(packets(self.reached)), Ordering::Relaxed);
        // A repeated run in real time starts from zero.
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
            label: &self.simulation.setup.title,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::{ONE_LINK, Simulator};
    use crate::{Backend, Setup, Task};
    use anabranch_record::{KeepGoing, Sink, Summary};

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
            keep_going: KeepGoing<'_>,
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
        let file = crate::ScenarioFile::named("a", ONE_LINK);
        let setups = [Setup::new("simulated", &file), Setup::new("real", &file).on(&InRealTime::default())];
        let simulations = Simulations::of([("test", &setups[..])], 6).unwrap();
        assert_eq!(simulations.runs(), 12);
        let counted = |_: &Simulations, outcomes: &[Option<Outcomes>]| {
            Some(outcomes.iter().flatten().flatten().filter(|outcome| outcome.is_ok()).count())
        };
        let work = Work { simulations, conclude: Box::new(counted) };
        let real = InRealTime::default();
        let complete = run_one(Backends(&[&Simulator, &real]), work, &|_| (), &|| true).unwrap();
        assert_eq!((complete, real.most.into_inner()), (12, 1));
    }
}
