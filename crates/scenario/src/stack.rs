//! Controllers that a QUIC stack has itself. Scenarios may name them; only the backend of that stack runs them.

use anabranch_cc::registry::{self, Entry, Kind};

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
        // Never driven: any algorithm will do where one is needed.
        build: |params| (registry::find("reno").expect("Reno is listed").build)(params),
    }
}

pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}
