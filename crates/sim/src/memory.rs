//! How much memory a run may need, by what can be under way at once.

use crate::pool::MOST_OPEN;
use anabranch_net::{Discipline, LinkSpec, QueueLimit};
use anabranch_scenario::{Application, Connections, Flow, Scenario, Scheduler};

/// Bytes for a segment that is sent and not yet acknowledged: it is on the sender's scoreboard, its packet and an
/// acknowledgement are in pipes, and the receiver may hold it; each in a ring or queue that doubles as it grows.
const PER_SEGMENT: f64 = 256.0;
/// Bytes for a subflow, its histograms and meters included.
const PER_SUBFLOW: f64 = 8192.0;
/// Bytes for a link.
const PER_LINK: f64 = 4096.0;
/// Bytes for each of a link's queues under FQ-CoDel, of which there are a power of two.
const PER_QUEUE: f64 = 128.0;
/// Bytes for a hop of a path, in the scenario and in the network.
const PER_HOP: f64 = 32.0;

/// An upper estimate of the memory for a run without samples, in bytes.
///
/// A subflow's data under way fits its path's queues and delays, and again as much where all of that was lost and not yet
/// noticed; it has no more than was acknowledged before (RFC 5681, section 3.1: the window grows by the acknowledged amount),
/// and a connection no more than the receiver's window. All together have no more than the links hold.
pub fn memory(scenario: &Scenario) -> u64 {
    let seconds = scenario.duration.as_secs_f64();
    let packets = || scenario.flows.iter().map(|flow| f64::from(flow.tcp.mss) + 52.0);
    let largest = packets().fold(1500.0, f64::max);
    let holds: Vec<f64> = scenario.links.iter().map(|link| holds(&link.spec, seconds, largest)).collect();
    let (mut asked, mut initial, mut subflows, mut hops) = (0.0, 0.0, 0, 0);
    for flow in &scenario.flows {
        let segment = f64::from(flow.tcp.mss) + 52.0;
        let window = flow.tcp.receive_buffer as f64 / f64::from(flow.tcp.mss);
        let of_path = |links: &[usize]| {
            let rates = links.iter().map(|link| rate(&scenario.links[*link].spec));
            let carried = rates.fold(f64::INFINITY, f64::min) * seconds / 8.0;
            links.iter().map(|link| 2.0 * holds[*link]).sum::<f64>().min(carried) / segment
        };
        let paths = flow.paths.iter().map(|path| of_path(&path.links) + f64::from(flow.tcp.initial_window));
        let connections = connections(flow);
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
    // The smallest full segment, so that it is an upper bound.
    let segment = packets().fold(1500.0, f64::min);
    let held: f64 = holds.iter().map(|bytes| 2.0 * bytes / segment).sum();
    let segments = asked.min(held + initial);
    let queues: f64 = scenario.links.iter().map(|link| queues(&link.spec)).sum();
    let rest = subflows as f64 * PER_SUBFLOW
        + hops as f64 * PER_HOP
        + holds.len() as f64 * PER_LINK
        + queues * PER_QUEUE;
    (segments * PER_SEGMENT + rest) as u64
}

/// Connections of a flow that may be open at once.
fn connections(flow: &Flow) -> usize {
    match &flow.application {
        Application::Arrivals { interval, count, connections: Connections::New, .. } => {
            let expected = flow.stop.since(flow.start).as_secs_f64() / interval.mean();
            let most = (expected + 4.0 * expected.sqrt()).min(count.unwrap_or(u64::MAX) as f64);
            1 + most.min(MOST_OPEN as f64) as usize
        }
        _ => 1,
    }
}

/// The queues that a link is divided into.
fn queues(link: &LinkSpec) -> f64 {
    match &link.discipline {
        Discipline::FqCoDel(fq) => f64::from(fq.queues.next_power_of_two()),
        _ => 0.0,
    }
}

/// The greatest rate that a link has, in bits per second.
fn rate(link: &LinkSpec) -> f64 {
    let traced = link.trace.as_ref().map_or(0.0, |trace| trace.greatest_rate_bps());
    link.changes.iter().filter_map(|change| change.rate_bps).fold(link.rate_bps.max(traced), f64::max)
}

/// Bytes that a link holds, waiting and on the way, where a packet has at most so many.
fn holds(link: &LinkSpec, seconds: f64, largest: f64) -> f64 {
    let queue = match link.queue {
        QueueLimit::Packets(packets) => packets as f64 * largest,
        QueueLimit::Bytes(bytes) => bytes as f64,
    };
    let traced = link.trace.iter().filter_map(|trace| trace.longest_delay());
    let delays = link.changes.iter().filter_map(|change| change.delay).chain(traced);
    let delays = delays.map(|delay| delay.as_secs_f64());
    let jitter = (link.jitter.up_to + link.jitter.reorder_delay + link.tick).as_secs_f64();
    let delay = (delays.fold(link.delay.as_secs_f64(), f64::max) + jitter).min(seconds);
    queue + rate(link) * delay / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_scenario::{Overrides, Source, load};

    /// A flow queue has two lists' ends and a state of CoDel, and its place in the tournament: 65,536 of them are some
    /// megabytes, where a plain link is some kilobytes.
    #[test]
    fn flow_queues_are_counted() {
        let memory_of = |aqm: &str| {
            let text = format!(
                "name = \"test\"\nduration = \"1 s\"\n[links.a]\nrate = \"1 Mbit/s\"\ndelay = \"10 ms\"\n{aqm}\n\
                 [[flows]]\nname = \"one\"\ncc = \"reno\"\npaths = [[\"a\"]]\n"
            );
            let source = Source { name: "test.toml".into(), text };
            memory(&load(&source, &Overrides::default()).unwrap())
        };
        let fair = memory_of("aqm = { kind = \"fq-codel\", queues = 65536 }");
        assert_eq!(fair - memory_of(""), 65536 * 128);
    }
}
