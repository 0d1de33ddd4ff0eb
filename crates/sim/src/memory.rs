//! An estimate of the memory of a run, from the data that can be in flight at once.

use crate::pool::MAX_OPEN;
use anabranch_net::{Discipline, LinkSpec, Loss, QueueLimit};
use anabranch_scenario::{Application, Connections, Flow, Path, Scenario, Scheduler};
use std::collections::BTreeSet;

/// Bytes per unacknowledged segment: it is on the sender's scoreboard, its packet and an ACK are in pipes, and the
/// receiver may hold it, or has taken it early; each in a ring or queue that doubles as it grows.
const PER_SEGMENT: f64 = 256.0;
/// Bytes for a subflow, its histograms and meters included.
const PER_SUBFLOW: f64 = 8192.0;
/// Bytes for a link.
const PER_LINK: f64 = 4096.0;
/// Bytes per flow queue of FQ-CoDel, rounded up to a power of two of queues.
const PER_QUEUE: f64 = 128.0;
/// Bytes per transfer that waits on a shared connection, in a queue that doubles as it grows.
const PER_WAITING: f64 = 72.0;
/// Round trips of a short transfer, including its handshake and some losses.
const ROUND_TRIPS: f64 = 10.0;
/// Seconds until a lost handshake packet is retransmitted.
const HANDSHAKE_AGAIN: f64 = 1.0;
/// Ratio of the maximum to the mean number of concurrent transfers.
const MARGIN: f64 = 4.0;
/// The load above which transfers are assumed to pile up.
const PILES_UP: f64 = 0.95;
/// Bytes for a hop of a path, in the scenario and in the network.
const PER_HOP: f64 = 32.0;

/// An upper estimate of the memory for a run without samples, in bytes.
///
/// A subflow's data in flight fits its path's queues and delays, twice if all of it was lost and not yet detected. It is at
/// most the data acknowledged before (RFC 5681, section 3.1: the window grows by the acknowledged amount), and at most
/// the receive window per connection. All flows together have at most what the links hold.
pub fn memory(scenario: &Scenario) -> u64 {
    let seconds = scenario.duration.as_secs_f64();
    let packets = || scenario.flows.iter().map(|flow| f64::from(flow.tcp.mss) + 52.0);
    let largest = packets().fold(1500.0, f64::max);
    let holds: Vec<f64> = scenario.links.iter().map(|link| holds(&link.spec, seconds, largest)).collect();
    let (mut asked, mut initial, mut waiting, mut subflows, mut hops) = (0.0, 0.0, 0.0, 0, 0);
    for (f, flow) in scenario.flows.iter().enumerate() {
        let segment = f64::from(flow.tcp.mss) + 52.0;
        let window = flow.tcp.receive_buffer as f64 / f64::from(flow.tcp.mss);
        let of_path = |links: &[usize]| {
            let rates = links.iter().map(|link| scenario.links[*link].spec.highest_rate_bps());
            let carried = rates.fold(f64::INFINITY, f64::min) * seconds / 8.0;
            links.iter().map(|link| 2.0 * holds[*link]).sum::<f64>().min(carried) / segment
        };
        let paths = flow.paths.iter().map(|path| of_path(&path.links) + f64::from(flow.tcp.initial_window));
        let transfers = under_way(scenario, f, &holds);
        let connections = match flow.application {
            Application::Arrivals { connections: Connections::New, .. } => {
                1 + transfers.min(MAX_OPEN as f64) as usize
            }
            _ => {
                waiting += transfers; // on their shared connection
                1
            }
        };
        asked += connections as f64
            * match flow.scheduler {
                Scheduler::Redundant => paths.map(|path| path.min(window)).sum(),
                _ => paths.sum::<f64>().min(window),
            };
        initial += connections as f64 * f64::from(flow.tcp.initial_window) * flow.paths.len() as f64;
        subflows += connections * flow.paths.len();
        hops += connections
            * flow.paths.iter().map(|path| path.links.len() + path.return_links.len()).sum::<usize>();
    }
    // The smallest full segment, for an upper bound.
    let segment = packets().fold(1500.0, f64::min);
    let held: f64 = holds.iter().map(|bytes| 2.0 * bytes / segment).sum();
    let segments = asked.min(held + initial);
    let queues = |kept: Discipline| match kept.flow_queues() {
        0 => 0.0,
        queues => f64::from(queues.next_power_of_two()),
    };
    let queues: f64 = scenario.links.iter().map(|link| queues(link.spec.discipline)).sum();
    let rest = subflows as f64 * PER_SUBFLOW
        + hops as f64 * PER_HOP
        + waiting * PER_WAITING
        + holds.len() as f64 * PER_LINK
        + queues * PER_QUEUE;
    (segments * PER_SEGMENT + rest) as u64
}

/// The most concurrent transfers of flow `f`: all that arrive, or a multiple of the mean with evenly shared links, each with
/// its round trips (Little's law, and M/G/1 with processor sharing).
fn under_way(scenario: &Scenario, f: usize, holds: &[f64]) -> f64 {
    let flow = &scenario.flows[f];
    let Application::Arrivals { interval, count, .. } = &flow.application else { return 0.0 };
    let expected = flow.stop.since(flow.start).as_secs_f64() / interval.mean();
    let all = (expected + 4.0 * expected.sqrt()).min(count.unwrap_or(u64::MAX) as f64);
    let used: BTreeSet<usize> = links(flow).collect();
    let beside = |other: &&Flow| links(other).any(|link| used.contains(&link));
    let others = scenario.flows.iter().enumerate().filter(|(_, other)| beside(other));
    let loads = others.map(|(other, _)| scenario.load(other));
    let (mut load, mut endless) = (0.0, 0.0);
    for other in loads {
        match other {
            Some(part) => load += part,
            None => endless += 1.0,
        }
    }
    // With losses, or rates below the initial ones, they may take any time.
    let varies = |link: usize| {
        let LinkSpec { changes, trace, loss, .. } = &scenario.links[link].spec;
        !changes.is_empty() || trace.is_some() || *loss != Loss::None
    };
    if load > PILES_UP || used.iter().any(|link| varies(*link)) {
        return all;
    }
    // Round trips through full queues.
    let round_trip = |path: usize| {
        let queues =
            links_of(&flow.paths[path]).map(|link| holds[link] * 8.0 / scenario.links[link].spec.rate_bps);
        scenario.base_rtt(f, path).as_secs_f64() + queues.sum::<f64>()
    };
    let longest = (0..flow.paths.len()).map(round_trip).fold(0.0, f64::max);
    let latency = ROUND_TRIPS * longest + HANDSHAKE_AGAIN;
    let own = scenario.load(f).unwrap_or_default();
    let mean = latency / interval.mean() + own * (1.0 + endless) / (1.0 - load);
    (MARGIN * (mean + mean.sqrt())).min(all)
}

fn links(flow: &Flow) -> impl Iterator<Item = usize> {
    flow.paths.iter().flat_map(links_of)
}

fn links_of(path: &Path) -> impl Iterator<Item = usize> {
    path.links.iter().chain(&path.return_links).copied()
}

/// Bytes in a link's queue and in flight, for packets of at most `largest` bytes.
fn holds(link: &LinkSpec, seconds: f64, largest: f64) -> f64 {
    let queue = match link.queue {
        QueueLimit::Packets(packets) => packets as f64 * largest,
        QueueLimit::Bytes(bytes) => bytes as f64,
    };
    let traced = link.trace.iter().filter_map(|trace| trace.max_delay());
    let delays = link.changes.iter().filter_map(|change| change.delay).chain(traced);
    let delays = delays.map(|delay| delay.as_secs_f64());
    let jitter = (link.jitter.up_to + link.jitter.reorder_delay + link.tick).as_secs_f64();
    let delay = (delays.fold(link.delay.as_secs_f64(), f64::max) + jitter).min(seconds);
    queue + link.highest_rate_bps() * delay / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory of a flow for a minute over a link with these keys.
    fn of_flow(link: &str, flow: &str) -> u64 {
        let text = format!(
            "name = \"test\"\nduration = \"60 s\"\nlinks.a = {{ rate = \"50 Mbit/s\", delay = \"10 ms\"{link} }}\n\
             [[flows]]\nname = \"web\"\ncc = \"reno\"\npaths = [[\"a\"]]\n{flow}\n"
        );
        memory(&text.parse().unwrap())
    }

    fn of_arrivals(keys: &str) -> u64 {
        of_flow("", &format!("application = {{ kind = \"arrivals\", {keys} }}"))
    }

    /// Transfers that complete are not open, unless they arrive faster than that.
    #[test]
    fn connections_are_those_that_may_be_open_at_once() {
        let [half, most, over] = [0.5, 0.9, 1.5].map(|load| {
            let interval = 1e5 * 8.0 / 50e6 / load;
            of_arrivals(&format!("size = \"100 kB\", interval = \"{interval} s\""))
        });
        assert!(half < most && most < 20_000_000, "{half}, {most}");
        // 5625 of them at least.
        assert!(over > 5625 * 8192, "{over}");
        assert!(over < 10_000 * 8192, "{over}");
    }

    #[test]
    fn what_waits_on_a_shared_connection_is_counted() {
        let of = |interval: &str| {
            of_arrivals(&format!("size = \"100 B\", interval = \"{interval}\", connections = \"one\""))
        };
        // 80 Mbit/s over 50 Mbit/s: of six million.
        assert!(of("10 us") - of("1 s") > 6_000_000 * 72);
    }

    /// A flow queue has two lists' ends and a state of CoDel, and its place in the tournament: 65,536 of them are some
    /// megabytes, where a plain link is some kilobytes.
    #[test]
    fn flow_queues_are_counted() {
        let fair = of_flow(", aqm = { kind = \"fq-codel\", queues = 65536 }", "");
        assert_eq!(fair - of_flow("", ""), 65536 * 128);
    }
}
