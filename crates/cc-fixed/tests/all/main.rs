//! The integer arithmetic of the kernel beside the reference in `f64`, and at its limits.

extern crate anabranch_cc as multipath_cc; // as the helpers of its own tests call it

mod arithmetic;
mod book;
mod by_hand;
#[path = "../../../cc/tests/all/common/mod.rs"]
mod common;
mod extremes;
mod hystart;
mod idle;
mod lockstep;
mod observables;
mod port;
mod together;

use anabranch_cc_fixed::registry::find; // where the helpers look for algorithms
use common::{Tested, group};

/// A connection under the algorithm `name`. One of the kernel's learns of each acknowledgement at once, and not of half a
/// window together.
fn step_by_step(name: &str) -> Tested {
    group(&if name.ends_with("@kernel") { format!("{name} together=false") } else { name.to_owned() })
}
