//! Whether the machine gave its processors to what ran. A hypervisor takes them away for tens of milliseconds at a time; what
//! is measured in real time meanwhile is the hypervisor's doing.

#![allow(unsafe_code)]

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// Each processor's witness looks at the clock so often.
const LOOK: Duration = Duration::from_millis(1);
/// A witness that comes so much too late was kept from its processor: the kernel's own work takes less.
const LATE: Duration = Duration::from_millis(2);
/// The share of time that the processors may have stood still, as a mean of all.
const STILL: f64 = 0.005;
/// A test fails when so many attempts did on a machine that gave its processors: other processes' work makes an attempt fail
/// now and then.
const FAILURES: usize = 6;
/// A test judges nothing when the machine kept its processors from so many attempts.
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
        match held {
            Ok(()) => return,
            Err(why) if still > STILL => starved.push(format!("{why} (stood still {:.1} %)", still * 100.0)),
            Err(why) => failures.push(why),
        }
        if starved.len() == STARVED {
            // Past the harness, which keeps to itself what a passing test prints.
            let name = std::thread::current().name().unwrap_or_default().to_owned();
            let _ = writeln!(
                io::stderr(),
                "not judged: {name}: the machine's processors stood still: {starved:?}"
            );
            return;
        }
    }
    panic!("{failures:?}, on a machine that gave its processors");
}

/// Whether a number is what it must be.
pub fn within(what: &str, is: f64, must_be: Range<f64>) -> Result<(), String> {
    if must_be.contains(&is) { Ok(()) } else { Err(format!("{what}: {is:.4}, and not of {must_be:?}")) }
}

/// Runs it, and returns with what it returns the share of the time in which processors stood still.
pub fn witnessed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let all = sched_getaffinity(None).unwrap();
    let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu)).collect();
    let (over, begin) = (AtomicBool::new(false), Instant::now());
    scope(|scope| {
        let witnesses: Vec<_> =
            processors.iter().map(|cpu| scope.spawn(|| stood_still(*cpu, &over))).collect();
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        over.store(true, Ordering::Relaxed);
        let still: Duration = witnesses.into_iter().map(|witness| witness.join().unwrap()).sum();
        let share = still.as_secs_f64() / processors.len() as f64 / begin.elapsed().as_secs_f64();
        (ran.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), share)
    })
}

/// How long this processor was kept from a thread that goes before all of the testbed's, until it is over.
fn stood_still(cpu: usize, over: &AtomicBool) -> Duration {
    let mut own = CpuSet::new();
    own.set(cpu);
    sched_setaffinity(None, &own).unwrap();
    go_first();
    let mut still = Duration::ZERO;
    while !over.load(Ordering::Relaxed) {
        let due = Instant::now() + LOOK;
        sleep(LOOK);
        let late = due.elapsed();
        if late > LATE {
            still += late;
        }
    }
    still
}

/// Goes before all of the testbed's threads.
pub fn go_first() {
    // The emulator has 2.
    let parameters = libc::sched_param { sched_priority: 3 };
    // SAFETY: 0 is the calling thread, and the kernel reads the parameters while they live.
    let done = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) };
    assert_eq!(done, 0, "{}", io::Error::last_os_error());
}
