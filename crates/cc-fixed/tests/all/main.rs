//! The integer arithmetic of the kernel beside the reference in `f64`, and at its limits.

mod arithmetic;
mod book;
mod by_hand;
mod extremes;
mod hystart;
mod idle;
mod lockstep;
mod observables;
mod port;
mod together;

use anabranch_cc::Group;
use anabranch_cc::registry::ParamValue;
use anabranch_cc_fixed::registry;

/// A connection under the algorithm `name`. One of the kernel's learns of each acknowledgement at once, and not of half a
/// window together.
fn step_by_step(name: &str) -> Group {
    let entry = registry::find(name).unwrap();
    let given = entry.params.iter().any(|param| param.name == "together");
    let given: Vec<_> = given.then(|| ("together".to_owned(), ParamValue::Flag(false))).into_iter().collect();
    entry.group(&given).unwrap()
}

/// The observable `name` of path `r`.
fn see(group: &Group, algorithm: &str, r: usize, name: &str) -> f64 {
    let observables = registry::find(algorithm).unwrap().observables;
    let mut out = vec![f64::NAN; observables.len()];
    group.observe(r, &mut out);
    out[observables.iter().position(|o| o.name == name).unwrap()]
}
