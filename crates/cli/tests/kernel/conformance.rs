//! The running kernel does what the simulator does, where a link does something exact, but for the first differences of its stored
//! traces.

use crate::cases::{Aspect, Case, Cases, KERNELS, Trace};
use anabranch_test_support::Kernel;
use anabranch_test_support::witness::say;
use std::fs;

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
        let simulated = Trace::read(&case.must_trace("sim", folder.path()).0);
        let (mut unlisted, mut judged) = (vec![], false);
        for _ in 0..ATTEMPTS {
            let folder = tempfile::tempdir().unwrap();
            let Ok((text, release)) = case.trace("kernel", folder.path()) else { continue };
            let found = simulated.differences(&Trace::read(&text));
            let Some(stored) = stored_of(case, &release) else {
                say(&format!("{name}: no stored trace is of Linux {release}, which differs so: {found:?}"));
                judged = true;
                break;
            };
            let listed = simulated.differences(&stored);
            unlisted = found.into_iter().filter(|found| !listed.iter().any(|l| is_same(l, found))).collect();
            judged = true;
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

/// The stored trace of a case on a kernel of the same series: 6.12 of 6.12.117.
fn stored_of(case: &Case, release: &str) -> Option<Trace> {
    let series = |release: &str| release.split(['.', '-']).take(2).collect::<Vec<_>>().join(".");
    KERNELS.iter().find_map(|kernel| {
        let text = fs::read_to_string(case.stored(kernel)).unwrap();
        let stored = text.strip_prefix("# Linux ").expect("the kernel");
        (series(stored) == series(release)).then(|| Trace::read(&text))
    })
}

/// Whether both are the same first difference. Of a time, the segment is compared: real time varies.
fn is_same(listed: &(Aspect, String), found: &(Aspect, String)) -> bool {
    let text = |(aspect, first): &(Aspect, String)| match aspect {
        Aspect::Times => first.rsplit_once(": ").map_or(first.clone(), |(place, _)| place.to_owned()),
        _ => first.clone(),
    };
    listed.0 == found.0 && text(listed) == text(found)
}
