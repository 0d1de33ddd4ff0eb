//! The running kernel does what the simulator does, where a link does something exact, but for the listed differences.

use crate::cases::{Aspect, Cases, Trace};
use anabranch_test_support::Kernel;
use anabranch_test_support::witness::say;

/// Real time disturbs a run now and then.
const ATTEMPTS: usize = 3;
/// The cases that need no long run.
const QUICK: [&str; 6] =
    ["no-loss", "one-loss", "short-loss", "tail-three", "whole-window", "mptcp-one-loss"];

#[test]
fn the_running_kernel_sends_as_simulated() {
    let Some(_kernel) = Kernel::lock() else { return };
    let cases = Cases::read().cases;
    for name in QUICK {
        let case = cases.iter().find(|case| case.name == name).expect(name);
        let folder = tempfile::tempdir().unwrap();
        let simulated =
            case.trace("sim", folder.path()).unwrap_or_else(|why| panic!("{name}: {}", why.stderr));
        let simulated = Trace::read(&simulated.0);
        let (mut unlisted, mut judged) = (vec![], false);
        for _ in 0..ATTEMPTS {
            let folder = tempfile::tempdir().unwrap();
            let Ok((text, _)) = case.trace("kernel", folder.path()) else { continue };
            judged = true;
            unlisted = simulated.differences(&Trace::read(&text));
            unlisted.retain(|(aspect, _)| !case.differs.contains_key(aspect));
            if unlisted.is_empty() {
                break;
            }
        }
        // On a busy machine the gaps are its own.
        let (times, others): (Vec<_>, Vec<_>) =
            unlisted.into_iter().partition(|(aspect, _)| *aspect == Aspect::Times);
        assert!(others.is_empty(), "{name}: {others:?}");
        if !times.is_empty() {
            say(&format!("{name}: the times are not judged, {times:?}"));
        }
        if !judged {
            say(&format!("{name}: not judged, no valid run"));
        }
    }
}
