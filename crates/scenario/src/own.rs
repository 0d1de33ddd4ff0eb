//! Algorithms that a program adds to the registry while it runs, such as those written in Python.

use crate::stack;
use anabranch_cc::registry::Entry;
use anabranch_cc_fixed::registry;
use std::sync::{PoisonError, RwLock};

static OWN: RwLock<Vec<&'static Entry>> = RwLock::new(Vec::new());

/// Adds an algorithm, which scenarios may then name; with a known name, nothing happens. Lists of algorithms do not show it.
pub fn add_algorithm(entry: &'static Entry) {
    let mut own = OWN.write().unwrap_or_else(PoisonError::into_inner);
    if !own.iter().any(|known| known.name == entry.name) {
        own.push(entry);
    }
}

/// The algorithm of that name, of the registry, added, or of a QUIC stack.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    let own = || {
        let own = OWN.read().unwrap_or_else(PoisonError::into_inner);
        own.iter().find(|entry| entry.name == name).copied()
    };
    registry::find(name).or_else(own).or_else(|| stack::find(name))
}
