//! Completion times of transfers alone in an idle network, simulated once per size. An undisturbed transfer takes exactly this
//! time if `variation` is zero and no link has random loss, jitter, RED, PIE or a change after 0 s.

use crate::End;
use anabranch_net::{Jitter, Loss, Time};
use anabranch_scenario::{Application, Connections, Draw, Flow, NamedLink, RandomDelay, Scenario, Variation};
use std::collections::HashMap;

/// The most sizes stored.
const MOST_KNOWN: usize = 1 << 16;
/// By this time all paths of a shared connection have joined.
const JOINED: Time = Time::from_millis(60_000);

#[derive(Clone, Default)]
pub(crate) struct LoneRuns {
    /// The scenario of each flow's lone runs, once needed.
    networks: HashMap<usize, Scenario>,
    /// The ends of the lone runs that were simulated, by flow and bytes.
    known: HashMap<(usize, u64), End>,
}

impl LoneRuns {
    /// The end of the lone run of a transfer of `bytes` of flow `f`, if it was simulated.
    pub(crate) fn known(&self, f: usize, bytes: u64) -> Option<End> {
        self.known.get(&(f, bytes)).copied()
    }

    /// Stores the end of a lone run.
    pub(crate) fn remember(&mut self, f: usize, bytes: u64, end: End) {
        if self.known.len() == MOST_KNOWN {
            self.known.clear();
        }
        self.known.insert((f, bytes), end);
    }

    pub(crate) fn scenario(&mut self, of: &Scenario, f: usize, bytes: u64) -> &Scenario {
        let alone = self.networks.entry(f).or_insert_with(|| idle_network(of, f));
        if let Application::Arrivals { size, .. } = &mut alone.flows[0].application {
            *size = Draw::Constant(bytes as f64);
        }
        alone
    }
}

/// Flow `f` alone with one transfer, over its links as at 0 s, up and without randomness.
fn idle_network(of: &Scenario, f: usize) -> Scenario {
    let mut flow: Flow = of.flows[f].clone();
    let (mut new, mut links) = (HashMap::new(), Vec::new());
    for path in &mut flow.paths {
        for link in path.links.iter_mut().chain(&mut path.return_links) {
            *link = *new.entry(*link).or_insert_with_key(|old| {
                links.push(of.links[*old].clone());
                links.len() - 1
            });
        }
    }
    for NamedLink { spec, .. } in &mut links {
        spec.loss = Loss::None;
        spec.jitter = Jitter::default();
        spec.changes.retain(|change| change.at == Time::ZERO);
        for change in &mut spec.changes {
            (change.loss, change.up) = (None, None);
        }
        spec.trace = None;
    }
    let shared = matches!(flow.application, Application::Arrivals { connections: Connections::One, .. });
    let wait = if shared { JOINED } else { Time::ZERO };
    if let Application::Arrivals { interval, count, .. } = &mut flow.application {
        *interval = Draw::Constant(wait.as_secs_f64());
        *count = Some(1);
    }
    let duration = of.duration + wait;
    Scenario {
        duration,
        warmup: Time::ZERO,
        links,
        flows: vec![Flow { start: Time::ZERO, stop: duration, events: vec![], ..flow }],
        record_interval: duration,
        variation: Variation {
            start_offset: RandomDelay::UpTo(Time::ZERO),
            host_jitter: RandomDelay::UpTo(Time::ZERO),
        },
        ..of.clone()
    }
}
