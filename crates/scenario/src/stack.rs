//! Controllers that a QUIC stack has itself. Scenarios may name them; only the backend of that stack runs them.

use anabranch_cc::registry::{Entry, Kind};
use anabranch_cc::{Ack, Algorithm, Congestion, Path};

/// All of them.
pub(crate) static ENTRIES: [Entry; 3] = [
    entry("noq:newreno", "NewReno of the QUIC stack noq"),
    entry("noq:cubic", "CUBIC of the QUIC stack noq"),
    entry("noq:bbr3", "BBRv3 of the QUIC stack noq"),
];

const fn entry(name: &'static str, title: &'static str) -> Entry {
    Entry {
        name,
        title,
        kind: Kind::SinglePath,
        source: "https://github.com/n0-computer/noq",
        equations: &[],
        interpretations: &[],
        params: &[],
        observables: &[],
        build: |_| Box::new(OfStack),
    }
}

/// Stands for such a controller where an algorithm is needed, and is never driven.
#[derive(Clone)]
struct OfStack;

impl Algorithm for OfStack {
    fn acked(&mut self, _: &mut [Path], _: usize, _: &Ack) {}
    fn congestion(&mut self, _: &mut [Path], _: usize, _: &Congestion) {}

    fn copy(&self) -> Option<Box<dyn Algorithm>> {
        Some(Box::new(OfStack))
    }
}

pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

/// Whether it is such a controller.
pub(crate) fn has(entry: &Entry) -> bool {
    find(entry.name).is_some()
}
