//! Checks whether the emulator on this machine can carry a scenario's load. It measures its capacity once per process.

use crate::clock::Clock;
use crate::emulator::{Emulator, EmulatorOptions};
use crate::pair::{HEADERS, Pair, RECEIVER, sender_address};
use crate::{Host, TestbedError};
use anabranch_net::{LinkSpec, Loss, QueueLimit, Time};
use anabranch_scenario::{Application, Flow, Path, Scenario, Tcp};
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Packets per second that every machine carries, without a measurement: 600 Mbit/s in full packets.
const ALWAYS: f64 = 50_000.0;

/// The largest window that a receiver on Linux offers: 5/8 of the largest buffer, see [`crate::pair`].
const MOST_WINDOW: u64 = 640 << 20;

/// Length and number of measurements, of which the best counts. In total they take well below 0.3 s.
const LENGTH: Duration = Duration::from_millis(40);
const TRIES: usize = 3;
/// A measurement with fewer packets is discarded.
const LEAST: u64 = 200;

/// Refuses a scenario with a load clearly above this machine's capacity.
pub(crate) fn check(scenario: &Scenario) -> Result<(), TestbedError> {
    static HERE: OnceLock<f64> = OnceLock::new();
    let (required_load, name) = required_load(scenario);
    if required_load <= ALWAYS {
        return Ok(());
    }
    let measured = match HERE.get() {
        Some(capacity) => Some(*capacity),
        None => measure()?.map(|capacity| *HERE.get_or_init(|| capacity)),
    };
    // Without a CPU for the sender, the measurement fails and every scenario is accepted.
    measured.map_or(Ok(()), |capacity| verdict(required_load, name, capacity))
}

fn verdict(required_load: f64, link: &str, capacity: f64) -> Result<(), TestbedError> {
    if required_load <= capacity {
        return Ok(());
    }
    let key = format!("links.{link}.rate");
    let why = format!(
        "the links carry {required_load:.0} packets per second in total, more than the {capacity:.0} of this machine's emulator: use lower rates or larger \
         packets, or the simulator"
    );
    Err(TestbedError::Inexpressible { key, why })
}

/// The packets per second in the network at the busiest time, and the busiest link then.
fn required_load(scenario: &Scenario) -> (f64, &str) {
    let starts = scenario.flows.iter().map(|flow| flow.start);
    let each = starts.map(|time| required_load_at(scenario, time)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (packets, link) = each.expect("a scenario has flows");
    (packets, &scenario.links[link].name)
}

/// The same at a given time. Bulk flows without random loss fill their paths one after another, limited by the remaining rate
/// of the links and by the window. So a link never counts more than its rate, however many flows share it.
fn required_load_at(scenario: &Scenario, time: Time) -> (f64, usize) {
    let mut room: Vec<f64> = scenario.links.iter().map(|link| least_rate(&link.spec)).collect();
    let mut each = vec![0.0_f64; scenario.links.len()];
    let mut packets = 0.0;
    let there = |flow: &&Flow| {
        flow.application == (Application::Bulk { bytes: None }) && flow.start <= time && time < flow.stop
    };
    for flow in scenario.flows.iter().filter(there) {
        let bits = f64::from((u32::from(flow.tcp.mss) + HEADERS) * 8);
        let losses = |path: &&Path| path.links.iter().any(|link| loses(&scenario.links[*link].spec));
        let paths: Vec<&Path> = flow.paths.iter().filter(|path| !path.backup && !losses(path)).collect();
        // Divides the connection's window among its paths by their rates.
        let rate = |path: &&Path| path.links.iter().map(|link| room[*link]).fold(f64::INFINITY, f64::min);
        let window_bits = flow.tcp.receive_buffer.min(MOST_WINDOW) as f64 * 8.0;
        let in_flight: f64 = paths.iter().map(|path| rate(path) * round_trip_s(scenario, path)).sum();
        let part = (window_bits / in_flight).min(1.0);
        for path in paths {
            let rate = path.links.iter().map(|link| room[*link]).fold(f64::INFINITY, f64::min) * part;
            path.links.iter().for_each(|link| {
                room[*link] -= rate;
                each[*link] += rate / bits;
            });
            packets += rate / bits;
        }
    }
    let most = (0..each.len()).max_by(|a, b| each[*a].total_cmp(&each[*b])).expect("a scenario has links");
    (packets, most)
}

/// The round-trip time without queues and serialisation, from the forward links.
fn round_trip_s(scenario: &Scenario, path: &Path) -> f64 {
    2.0 * path.links.iter().map(|link| scenario.links[*link].spec.delay.as_secs_f64()).sum::<f64>()
}

fn loses(spec: &LinkSpec) -> bool {
    let traced = spec.trace.as_ref().is_some_and(|trace| trace.sets_loss());
    traced || spec.loss != Loss::None || spec.changes.iter().any(|change| change.loss.is_some())
}

/// A link's lowest rate over time, or a trace's mean, in bits per second.
fn least_rate(spec: &LinkSpec) -> f64 {
    spec.changes.iter().filter_map(|change| change.rate_bps).fold(spec.rate_bps, f64::min)
}

/// The packets that the emulator moves per second of its own CPU time, including the hosts' work on them. Other work on the
/// machine hardly affects it. `None` if too few packets arrived. They are UDP packets without acknowledgements. TCP reaches a
/// good half of this rate, so a higher load is clearly too much.
fn measure() -> Result<Option<f64>, TestbedError> {
    let all = (0..TRIES).map(|_| measure_once()).collect::<Result<Vec<_>, _>>()?;
    Ok(all.into_iter().flatten().reduce(f64::max))
}

fn measure_once() -> Result<Option<f64>, TestbedError> {
    let tcp = Tcp::default();
    let path = Path { links: vec![0], return_links: vec![], backup: false };
    let (hosts, ends) = Pair::new(std::slice::from_ref(&path), &tcp)?;
    let link = LinkSpec::new(1e12, Time::ZERO, QueueLimit::Packets(u64::MAX));
    let clock = Clock::starting_in(Duration::ZERO);
    let emulator = Emulator::start(&[link], 1, ends, clock, &EmulatorOptions::default())?;
    let socket = |host: &Host, address| {
        host.run(|| UdpSocket::bind(address))?.map_err(TestbedError::kernel("open a socket"))
    };
    let _receiver = socket(&hosts.receiver, RECEIVER)?;
    let sender = socket(&hosts.sender, SocketAddrV4::new(sender_address(0), 0))?;
    let (end, packet) = (Instant::now() + LENGTH, vec![0; tcp.mss.into()]);
    while Instant::now() < end {
        // A packet dropped before the link does not count.
        let _ = sender.send_to(&packet, RECEIVER);
    }
    let report = emulator.stop()?;
    let delivered = report.end.links[0].0.delivered;
    Ok((delivered >= LEAST).then(|| delivered as f64 / report.health.cpu.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a flow of these keys.
    fn scenario(flow: &str) -> Scenario {
        let links = r#"
            links.a = { rate = "3 Gbit/s", delay = "1 ms" }
            links.b = { rate = "1.2 Gbit/s", delay = "1 ms" }
            links.c = { rate = "9 Gbit/s", delay = "1 ms", loss = { model = "bernoulli", rate = 0.01 } }
            links.d = { rate = "400 Gbit/s", delay = "100 ms" }
        "#;
        let head = "name = \"t\"\nduration = \"1 s\"\n";
        let text = format!("{head}{links}flows = [{{ name = \"f\", cc = \"lia\", {flow} }}]");
        text.parse().unwrap_or_else(|e| panic!("{e:?}"))
    }

    /// Full packets of 1500 bytes: 1.2 Gbit/s are 100,000 of them.
    #[test]
    fn required_loads_of_scenarios() {
        for (flow, packets) in [
            (r#"paths = [["b"]]"#, 100e3),
            // One behind the other: the narrower decides. Side by side: both.
            (r#"paths = [["a", "b"]]"#, 100e3),
            (r#"paths = [["a"], ["b"]]"#, 350e3),
            // Flows that share a link share its rate.
            (r#"count = 3, paths = [["b"]]"#, 100e3),
            (r#"tcp.mss = 698, paths = [["b"]]"#, 200e3),
            // Paths that share a wide link share its rate.
            (r#"paths = [["a"], ["a", "b"]]"#, 250e3),
            // Flows that are never there together.
            (
                r#"stop = "0.5 s", paths = [["a"]] }, { name = "g", cc = "lia", start = "0.5 s", paths = [["b"]]"#,
                250e3,
            ),
            // A window in a round trip of 2 ms: 400 Mbit/s.
            (r#"tcp.receive_buffer = "100 kB", paths = [["b"]]"#, 400e6 / 12e3),
            // 640 MiB in 200 ms: the window of Linux, 26.8 Gbit/s.
            (r#"paths = [["d"]]"#, 640.0 * 1048576.0 / 0.2 / 1500.0),
            // Nobody knows what these take: losses, and an end decide.
            (r#"paths = [["c"]]"#, 0.0),
            (r#"application = { kind = "bulk", size = "1 MB" }, paths = [["b"]]"#, 0.0),
        ] {
            let scenario = scenario(flow);
            let (required_load, _) = required_load(&scenario);
            assert!((required_load - packets).abs() < 1.0, "{required_load} of {flow}");
        }
    }

    #[test]
    fn the_refusal_gives_load_and_capacity() {
        assert!(verdict(199e3, "a", 200e3).is_ok());
        let why = verdict(201e3, "a", 200e3).unwrap_err().to_string();
        assert!(why.contains("links.a.rate") && why.contains("201000") && why.contains("200000"), "{why}");
    }
}
