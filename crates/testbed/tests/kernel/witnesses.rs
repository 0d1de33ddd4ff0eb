//! The witness sees what it is there for.

use anabranch_test_support::host::kernel;
use anabranch_test_support::witness::{go_first, stay_on, witnessed};
use rustix::thread::{CpuSet, sched_getaffinity};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

/// A thread of the witness's priority, for which the witness waits, takes a processor for 9 ms three times: short enough that the
/// links of tests beside this one were too late.
#[test]
fn a_witness_sees_what_takes_its_processor() {
    let Some(()) = kernel(&[]) else { return };
    let take = || {
        let all = sched_getaffinity(None).unwrap();
        stay_on((0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu)).unwrap()).unwrap();
        if go_first().is_err() {
            return false;
        }
        for _ in 0..3 {
            sleep(Duration::from_millis(20));
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_millis(9) {}
        }
        true
    };
    let (may, still) = witnessed(|| scope(|scope| scope.spawn(take).join().unwrap()));
    // The witness sleeps for a millisecond when the processor is taken.
    let seen = still.longest >= Duration::from_millis(7) && still.share > 0.05;
    assert!(seen || !may, "{still:?}");
}
