//! Estimates of the cost of runs, for their order and for progress.

use crate::outcome::PACKET_BITS;
use anabranch_cc::response::Cubic;
use anabranch_scenario::Scenario;

/// Packets that one core simulates per second, roughly.
const PACKETS_PER_SECOND: f64 = 1.5e6;

/// The approximate time for this many packets on `cores` cores, in seconds.
pub(crate) fn seconds(packets: f64, cores: usize) -> f64 {
    packets / PACKETS_PER_SECOND / cores as f64
}

/// The cost of a run in real time: the packets that a core simulates in that time.
pub(crate) fn in_real_time(scenario: &Scenario) -> f64 {
    scenario.duration.as_secs_f64() * PACKETS_PER_SECOND
}

/// The approximate number of packets that a scenario's links carry in a run. A link's rate, and its paths' bottlenecks, receive
/// buffers and losses limit it.
pub(crate) fn packets(scenario: &Scenario) -> f64 {
    let links = &scenario.links;
    let mut offered = vec![0.0; links.len()];
    for (f, flow) in scenario.flows.iter().enumerate() {
        for (p, path) in flow.paths.iter().enumerate() {
            let rate = path_rate_bps(scenario, f, p);
            path.links.iter().for_each(|link| offered[*link] += rate);
        }
    }
    let carried: f64 = links.iter().zip(offered).map(|(link, offered)| link.spec.rate_bps.min(offered)).sum();
    carried / PACKET_BITS * scenario.duration.as_secs_f64()
}

/// The largest rate of a path, in bit/s. CUBIC stands for all algorithms: few are faster under random loss.
fn path_rate_bps(scenario: &Scenario, flow: usize, path: usize) -> f64 {
    let links = || scenario.flows[flow].paths[path].links.iter().map(|link| &scenario.links[*link].spec);
    let narrowest = links().map(|spec| spec.rate_bps).fold(f64::INFINITY, f64::min);
    let rtt = scenario.base_rtt(flow, path).as_secs_f64();
    let arrives: f64 = links().map(|spec| 1.0 - spec.loss.mean_rate()).product();
    let buffer = scenario.flows[flow].tcp.receive_buffer as f64 * 8.0;
    let response = Cubic::new(0.4, 0.7).mean(1.0 - arrives, rtt) * PACKET_BITS;
    // Without an RTT, windows impose no limit.
    narrowest.min(if rtt > 0.0 { buffer.min(response) / rtt } else { f64::INFINITY })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Task;

    /// A flow on a link of 10 Gbit/s and 100 ms, with this loss and receive buffer, for 100 s.
    fn scenario(loss: &str, buffer: &str) -> Scenario {
        let text = format!(
            "name = 'x'\nduration = '100 s'\n[links.l]\nrate = '10 Gbit/s'\ndelay = '50 ms'\nqueue = '1 BDP'\n\
             loss = {loss}\n[[flows]]\nname = 'tcp'\ncc = 'reno'\npaths = [['l']]\ntcp = {{ receive_buffer = '{buffer}' }}\n"
        );
        Task::new(&*text).scenario("x.toml").unwrap().as_ref().clone()
    }

    /// By hand: link `a` carries its 100 Mbit/s, the wide detour what its path's `a` lets through, `idle` nothing.
    #[test]
    fn a_wide_link_costs_what_it_carries() {
        let text = r#"
            name = "detour"
            duration = "12 s"
            warmup = "1 s"
            links.a = { rate = "100 Mbit/s", delay = "10 ms" }
            links.detour = { rate = "10 Gbit/s", delay = "10 ms" }
            links.idle = { rate = "1 Gbit/s", delay = "10 ms" }
            flows = [{ name = "tested", cc = "lia", paths = [["a"], ["detour", "a"]] }]
        "#;
        let cost = packets(&Task::new(text).scenario("detour.toml").unwrap());
        assert!((cost / (200e6 * 12.0 / 12e3) - 1.0).abs() < 1e-12, "{cost}");
    }

    #[test]
    fn rate_buffer_and_loss_bound_it() {
        let none = "{ model = 'bernoulli', rate = 0.0 }";
        // 10 Gbit/s for 100 s in packets of 1500 bytes.
        let rate = packets(&scenario(none, "1000000000 B"));
        assert!((rate - 1e12 / 12e3).abs() < 1.0, "{rate}");
        // 1 MB for each of 1000 round trips.
        let buffer = packets(&scenario(none, "1000000 B"));
        assert!((buffer - 1e9 * 8.0 / 12e3).abs() < 1.0, "{buffer}");
        // RFC 9438, Table 2: 0.4 has a mean window of 187 segments at 1e-4 and 100 ms.
        let loss = packets(&scenario("{ model = 'bernoulli', rate = 1e-4 }", "1000000000 B"));
        assert!((loss / 1000.0 - 187.0).abs() < 1.0, "{loss}");
    }
}
