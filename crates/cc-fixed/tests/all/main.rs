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

use anabranch_cc_model::Tested;

/// A group of an algorithm, whose parameters may follow its name.
fn group(algorithm: &str) -> Tested {
    Tested::new(anabranch_cc_fixed::registry::find, algorithm)
}

/// A connection under the algorithm `name`. One of the kernel's learns of each acknowledgement at once, and not of half a
/// window together.
fn step_by_step(name: &str) -> Tested {
    group(&if name.ends_with("@kernel") { format!("{name} together=false") } else { name.to_owned() })
}
