//! Shrinks failures.

use crate::{Failure, Plan, check};

/// Removes events and parameters while the same rule stays violated, until no single event can be removed.
pub fn shrink(mut failure: Failure) -> Failure {
    let mut size = failure.plan.events.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut shorter = false;
        while at < failure.plan.events.len() {
            let mut plan = failure.plan.clone();
            plan.events.drain(at..(at + size).min(plan.events.len()));
            match still_fails(&failure, &plan) {
                Some(smaller) => (failure, shorter) = (smaller, true),
                None => at += size,
            }
        }
        if !shorter {
            size /= 2;
        }
    }
    for i in (0..failure.plan.given.len()).rev() {
        let mut plan = failure.plan.clone();
        plan.given.remove(i);
        failure = still_fails(&failure, &plan).unwrap_or(failure);
    }
    failure
}

fn still_fails(failure: &Failure, plan: &Plan) -> Option<Failure> {
    check(plan).err().filter(|other| other.broken.rule == failure.broken.rule)
}
