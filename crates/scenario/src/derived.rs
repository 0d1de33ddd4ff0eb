//! Values derived from a scenario.

use crate::capacity::{capacity_bps, used_paths};
use crate::model::{Application, RandomDelay, Scenario};
use crate::resolve::longest_base_rtts;
use anabranch_net::Time;

/// Header bytes of a data packet: IPv4, TCP and its timestamps option.
pub(crate) const HEADERS: u64 = 52;

impl Scenario {
    /// The links' keys in the file; links of one `count` share a key.
    pub fn link_keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.links.iter().map(|link| link.key.as_str()).collect();
        keys.dedup();
        keys
    }

    /// The load of a flow's arrivals: payload rate ÷ total capacity of its regular paths (of all paths if all are backup), at
    /// the links' rates in the file. `None` for other applications.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn load(&self, flow: usize) -> Option<f64> {
        let flow = &self.flows[flow];
        match &flow.application {
            Application::Arrivals { size, interval, .. } => {
                Some(size.mean() * 8.0 / interval.mean() / capacity_bps(&flow.paths, &self.links))
            }
            _ => None,
        }
    }

    /// The ideal time of a transfer of a flow, in seconds: bits ÷ total capacity of its regular paths (of all paths if all are
    /// backup), at the links' rates in the file, + the shortest base RTT of these paths.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn ideal_completion_s(&self, flow: usize, bytes: u64) -> f64 {
        let paths = &self.flows[flow].paths;
        let base_rtts = used_paths(paths).map(|path| path.base_rtt(|link| self.links[link].spec.delay));
        let rtt = base_rtts.min().unwrap_or(Time::ZERO);
        bytes as f64 * 8.0 / capacity_bps(paths, &self.links) + rtt.as_secs_f64()
    }

    /// The round-trip propagation delay of a path, before any change of its links.
    ///
    /// # Panics
    /// If there is no such flow or path; they are indices into [`Scenario::flows`] and its paths.
    pub fn base_rtt(&self, flow: usize, path: usize) -> Time {
        self.flows[flow].paths[path].base_rtt(|link| self.links[link].spec.delay)
    }

    /// For each link the longest base RTT of the paths that cross it, in either direction; for an unused link, twice its
    /// delay. "1 BDP" in the file means the link's rate times this.
    pub fn longest_base_rtts(&self) -> Vec<Time> {
        let delays: Vec<Time> = self.links.iter().map(|link| link.spec.delay).collect();
        longest_base_rtts(&self.flows, &delays)
    }

    /// The bound of the random offset of a flow's start: [`crate::Variation::start_offset`] as a time.
    /// `Auto` is the longest base RTT of its paths.
    ///
    /// # Panics
    /// If there is no such flow.
    pub fn start_offset(&self, flow: usize) -> Time {
        match self.variation.start_offset {
            RandomDelay::UpTo(time) => time,
            RandomDelay::Auto => {
                let paths = 0..self.flows[flow].paths.len();
                paths.map(|path| self.base_rtt(flow, path)).max().unwrap_or(Time::ZERO)
            }
        }
    }

    /// The bound of the random delay of a path's ACKs: [`crate::Variation::host_jitter`] as a time.
    /// `Auto` is the transmission time of a full packet on the path's slowest link.
    ///
    /// # Panics
    /// If there is no such flow or path.
    pub fn host_jitter(&self, flow: usize, path: usize) -> Time {
        match self.variation.host_jitter {
            RandomDelay::UpTo(time) => time,
            RandomDelay::Auto => {
                let flow = &self.flows[flow];
                let rates = flow.paths[path].links.iter().map(|&link| self.links[link].spec.rate_bps);
                let packet_bits = 8 * (u64::from(flow.tcp.mss) + HEADERS);
                Time::from_secs_f64(packet_bits as f64 / rates.fold(f64::INFINITY, f64::min))
            }
        }
    }
}
