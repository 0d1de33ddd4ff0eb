//! Whether the machine gave its processors to what ran. A hypervisor takes them away for tens of milliseconds at a time; what
//! is measured in real time meanwhile is the hypervisor's doing. A witness is a thread with real-time priority on each
//! processor, which measures how much later than asked it wakes.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// The time for which each witness sleeps.
const LOOK: Duration = Duration::from_millis(1);
/// A witness that wakes so much later was kept from its processor: as late as one in a hundred packets of a run may be.
const LATE: Duration = Duration::from_millis(1);
/// An attempt is starved in which a processor stood still for more than this share of the time,
const SHARE: f64 = 0.005;
/// or for longer than this at once: a run's links may be 20 ms late.
const LONGEST: Duration = Duration::from_millis(10);
/// A test fails after this number of failed attempts that were not starved: other processes' work makes an attempt fail now and then.
const FAILURES: usize = 5;
/// A test judges nothing when attempts that were starved are more than others that failed by this number.
const STARVED: usize = 3;

/// Makes attempts until one holds. Where the machine stood still so often that their failures say nothing, it says so on
/// standard error, and the test has judged only what the attempt asserts itself.
///
/// # Panics
/// The attempts fail, and the machine did not stand still.
pub fn held(mut attempt: impl FnMut() -> Result<(), String>) {
    let (mut failures, mut starved) = (Vec::new(), Vec::new());
    while failures.len() < FAILURES {
        let (held, still) = witnessed(&mut attempt);
        let Err(why) = held else { return };
        say(&format!("an attempt has failed: {why} ({still:?})"));
        if still.starves() {
            starved.push(why)
        } else {
            failures.push(why)
        }
        if starved.len() == STARVED + failures.len() {
            return say(&format!("not judged, the machine's processors stood still: {starved:?}"));
        }
    }
    panic!("{failures:?}, on a machine that gave its processors");
}

/// Past the harness, which keeps to itself what a passing test prints.
pub fn say(what: &str) {
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(io::stderr(), "{name}: {what}");
}

/// Whether a number is what it must be.
pub fn within(what: &str, is: f64, must_be: Range<f64>) -> Result<(), String> {
    if must_be.contains(&is) { Ok(()) } else { Err(format!("{what}: {is:.4}, and not of {must_be:?}")) }
}

/// How long processors stood still while something ran.
#[derive(Clone, Copy, Debug, Default)]
pub struct Still {
    /// Of the processor that did so most, the share of the time.
    pub share: f64,
    /// The longest time at once.
    pub longest: Duration,
}

impl Still {
    /// Whether what was measured in real time says nothing.
    pub fn starves(self) -> bool {
        self.share > SHARE || self.longest > LONGEST
    }
}

/// Runs it, and returns with what it returns how long processors stood still.
pub fn witnessed<T>(run: impl FnOnce() -> T) -> (T, Still) {
    let all = sched_getaffinity(None).unwrap();
    let (over, begin) = (AtomicBool::new(false), Instant::now());
    scope(|scope| {
        let processors = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu));
        let witnesses: Vec<_> = processors
            .map(|cpu| {
                let over = &over;
                scope.spawn(move || stood_still(cpu, over))
            })
            .collect();
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        over.store(true, Ordering::Relaxed);
        let seen = witnesses.into_iter().map(|witness| witness.join().unwrap());
        let still = seen.fold(Still::default(), |most, (sum, longest)| Still {
            share: most.share.max(sum.as_secs_f64() / begin.elapsed().as_secs_f64()),
            longest: most.longest.max(longest),
        });
        (ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), still)
    })
}

/// How long this processor was kept from a witness until it is over, and the longest time at once; nothing where the process has no
/// right to real-time priority.
fn stood_still(cpu: usize, over: &AtomicBool) -> (Duration, Duration) {
    let (mut sum, mut longest) = Default::default();
    if let Err(why) = stay_on(cpu).and_then(|()| go_first()) {
        say(&format!("no witness: {why}"));
        return (sum, longest);
    }
    while !over.load(Ordering::Relaxed) {
        let due = Instant::now() + LOOK;
        sleep(LOOK);
        let late = due.elapsed();
        if late > LATE {
            sum += late;
            longest = longest.max(late);
        }
    }
    (sum, longest)
}

/// Keeps the calling thread on that processor.
pub fn stay_on(cpu: usize) -> io::Result<()> {
    let mut only = CpuSet::new();
    only.set(cpu);
    Ok(sched_setaffinity(None, &only)?)
}

/// Gives the calling thread a priority above all of the testbed's, whose highest is 2.
pub fn go_first() -> io::Result<()> {
    anabranch_testbed::realtime::raise(3)
}
