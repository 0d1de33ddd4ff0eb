//! The witness sees what it is there for.

use crate::support::kernel;
use crate::witness::{go_first, witnessed};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// A thread that goes before the witness takes a processor three times in ten.
#[test]
fn a_witness_sees_what_takes_its_processor() {
    if !kernel(&[]) {
        return;
    }
    let (_, quiet) = witnessed(|| sleep(Duration::from_millis(300)));
    let (_, taken) = witnessed(|| {
        scope(|scope| {
            scope.spawn(|| {
                let first = sched_getaffinity(None).unwrap();
                let cpu = (0..CpuSet::MAX_CPU).find(|cpu| first.is_set(*cpu)).unwrap();
                let mut own = CpuSet::new();
                own.set(cpu);
                sched_setaffinity(None, &own).unwrap();
                go_first();
                for _ in 0..6 {
                    let begin = Instant::now();
                    while begin.elapsed() < Duration::from_millis(30) {}
                    sleep(Duration::from_millis(20));
                }
            });
        });
    });
    let processors = sched_getaffinity(None).unwrap().count() as f64;
    assert!(taken > quiet && taken * processors > 0.3, "{quiet} and {taken}");
}
