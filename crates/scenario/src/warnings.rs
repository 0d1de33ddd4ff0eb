//! What is valid in a scenario, and probably not meant.

use crate::derived::HEADERS;
use crate::distinct::distinct;
use crate::model::{Flow, Path, Scenario};
use anabranch_cc::registry::{ALL, Kind};
use anabranch_net::LinkSpec;
use std::collections::BTreeSet;

/// The largest packet of Ethernet without jumbo frames, in bytes.
const MTU: u64 = 1500;
/// A lower rate is a mistake in the unit, in bit/s.
const LOWEST_RATE: f64 = 1e3;

impl Scenario {
    /// What is valid, and probably not meant; connections and links of one `count` are reported once.
    pub fn warnings(&self) -> Vec<String> {
        let links = self.links.iter().flat_map(|link| of_link(&link.spec).map(|what| (&link.key, what)));
        let flows = self.flows.iter().enumerate();
        let flows =
            flows.flat_map(|(i, flow)| self.of_flow(i, flow).into_iter().map(|what| (&flow.key, what)));
        distinct(links.chain(flows).map(|(key, what)| format!("{key}: {what}")))
    }

    fn of_flow(&self, index: usize, flow: &Flow) -> Vec<String> {
        let mut found = Vec::new();
        if flow.is_multipath() && flow.paths.iter().all(|path| path.backup) {
            found.push("every path is a backup, so all are used: leave one regular".to_owned());
        }
        if let Some(why) = self.coupled_alone(flow) {
            found.push(why);
        }
        if let Some(link) = flow.paths.iter().find_map(twice) {
            found.push(format!("a path crosses {} twice, which halves its capacity", self.links[link].name));
        }
        if flow.stop <= self.warmup && flow.stop < self.duration {
            found.push(format!(
                "it stops at {}, before means begin at {}: nothing of it is measured",
                flow.stop, self.warmup
            ));
        }
        let needed = self.bdp_bytes(index, flow);
        if (flow.tcp.receive_buffer as f64) < needed {
            found.push(format!(
                "tcp.receive_buffer of {} B is less than the bandwidth-delay product of its paths, {needed:.0} B: it limits the flow",
                flow.tcp.receive_buffer
            ));
        }
        let packet = u64::from(flow.tcp.mss) + HEADERS;
        if packet > MTU {
            found.push(format!(
                "tcp.mss of {} makes packets of {packet} B: links with an MTU of {MTU} B, as most have, do not carry them",
                flow.tcp.mss
            ));
        }
        found
    }

    /// A coupled algorithm over one path: perhaps brackets are missing.
    fn coupled_alone(&self, flow: &Flow) -> Option<String> {
        let [path] = &flow.paths[..] else { return None };
        let name = flow.cc.entry.name;
        // `independent` uses one path only, and what a user adds may be for any number.
        let is_ours = ALL.iter().any(|known| known.name == name) && name != "independent";
        if flow.cc.entry.kind != Kind::Coupled || !is_ours {
            return None;
        }
        let links =
            path.links.iter().map(|link| format!("[{:?}]", self.links[*link].name)).collect::<Vec<_>>();
        Some(match &links[..] {
            [_] => format!("it runs {name}, a coupled algorithm, over a single path, so nothing is coupled"),
            several => format!(
                "it runs {name}, a coupled algorithm, over one path of {} links: for a subflow over each write paths = [{}]",
                several.len(),
                several.join(", ")
            ),
        })
    }

    /// The sum of the paths' rates × the longest base RTT, in bytes.
    fn bdp_bytes(&self, index: usize, flow: &Flow) -> f64 {
        let rate = |path: &Path| {
            path.links.iter().map(|link| self.links[*link].spec.rate_bps).fold(f64::INFINITY, f64::min)
        };
        let rates: f64 = flow.paths.iter().map(rate).sum();
        let rtts = (0..flow.paths.len()).map(|path| self.base_rtt(index, path).as_secs_f64());
        rates * rtts.fold(0.0, f64::max) / 8.0
    }
}

fn of_link(spec: &LinkSpec) -> Option<String> {
    let rate = spec.rate_bps;
    if rate < LOWEST_RATE {
        return Some(format!("its rate is {rate} bit/s, below 1 kbit/s: did you mean {rate} Mbit/s?"));
    }
    (spec.loss.mean_rate() >= 1.0)
        .then(|| "it loses every packet: a loss rate is a fraction, so 1 % is 0.01".to_owned())
}

/// The first link that the path crosses twice in one direction.
fn twice(path: &Path) -> Option<usize> {
    [&path.links, &path.return_links].into_iter().find_map(|links| {
        let mut seen = BTreeSet::new();
        links.iter().copied().find(|link| !seen.insert(*link))
    })
}
