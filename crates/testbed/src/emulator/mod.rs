//! The emulator: one thread that moves packets between the hosts' devices through the link models of `anabranch-net`.
//!
//! The thread runs the simulator's link models on the run's clock. A packet's outcome depends only on the instant at which it
//! was read. If the thread wakes late, it delivers packets late, and [`Health`] records the lateness. Following links still
//! see the packet at its due time.

mod counts;
mod engine;
mod headers;
mod health;
mod network;
mod standstill;
mod store;
mod wire;

pub use counts::{PathCounts, SendingBehaviour, Tally};
pub use engine::{Report, Snapshot};
pub use headers::SeenPacket;
pub use health::Health;

use crate::clock::Clock;
use crate::device::Tun;
use crate::virtual_time::is_virtual_time;
use crate::{TestbedError, realtime};
use anabranch_net::{LinkSpec, Time};
use anabranch_scenario::{Path, Scenario};
use counts::Watch;
use engine::{Engine, Request};
use network::{Network, Route};
use rustix::event::{EventfdFlags, eventfd};
use standstill::Reach;
use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

/// A path between two hosts: its devices and links.
#[derive(Debug)]
pub struct Ends {
    /// The sender's device.
    pub sender: Tun,
    /// The receiver's device.
    pub receiver: Tun,
    /// The links, as in a scenario.
    pub path: Path,
}

/// The limits of the quantum. A packet takes the emulator and its receiver some 10 µs in a guest.
const LEAST_QUANTUM: Time = Time::from_nanos(10_000);
const MOST_QUANTUM: Time = Time::from_nanos(100_000);
const FULL_PACKET_BITS: f64 = 12_000.0;
/// The total rate of bottlenecks up to which short quanta leave enough of the processor in real time. 300 Mbit/s take 60 % of a
/// core.
const REAL_TIME_BPS: f64 = 300e6;

/// Options of the emulator.
#[derive(Clone, Debug)]
pub struct EmulatorOptions {
    /// Packets that are due within this time of each other may be delivered together, as a network card with interrupt
    /// moderation does. A packet after a pause is not delayed.
    ///
    /// A wake-up of the thread costs 10 µs in a virtual machine, so in real time wake-ups would dominate the cost of fast links
    /// without this option.
    pub quantum: Time,
    /// Whether to keep the headers of all packets at the senders' hosts.
    pub capture: bool,
}

impl Default for EmulatorOptions {
    fn default() -> Self {
        EmulatorOptions { quantum: MOST_QUANTUM, capture: false }
    }
}

impl EmulatorOptions {
    /// The options of a run.
    pub(crate) fn of_run(scenario: &Scenario, capture: bool) -> Self {
        let bottlenecks_bps = bottlenecks_bps(scenario, LinkSpec::highest_rate_bps, |_| true);
        EmulatorOptions { quantum: quantum(&bottlenecks_bps, is_virtual_time()), capture }
    }
}

/// A tenth of the time of 1500 bytes on the fastest bottleneck, within the limits, because steps longer than a packet change
/// how flows share a link.
fn quantum(bottlenecks_bps: &[f64], is_virtual: bool) -> Time {
    if !is_virtual && bottlenecks_bps.iter().sum::<f64>() > REAL_TIME_BPS {
        return MOST_QUANTUM;
    }
    let fastest = bottlenecks_bps.iter().copied().fold(0.0, f64::max);
    Time::from_secs_f64(FULL_PACKET_BITS / fastest / 10.0).clamp(LEAST_QUANTUM, MOST_QUANTUM)
}

/// The rate of each path's slowest link; links of several paths count once, and paths over links for which `counts` is false do
/// not count.
pub(crate) fn bottlenecks_bps(
    scenario: &Scenario,
    rate: impl Fn(&LinkSpec) -> f64,
    counts: impl Fn(&LinkSpec) -> bool,
) -> Vec<f64> {
    let spec = |link: &usize| &scenario.links[*link].spec;
    let rate = |link: &usize| rate(spec(link));
    let paths = scenario.flows.iter().flat_map(|flow| &flow.paths);
    let counting = paths.filter(|path| path.links.iter().all(|link| counts(spec(link))));
    let slowest = counting.filter_map(|path| path.links.iter().min_by(|a, b| rate(a).total_cmp(&rate(b))));
    slowest.collect::<BTreeSet<_>>().into_iter().map(rate).collect()
}

/// A running emulator. It ends when dropped.
#[derive(Debug)]
pub struct Emulator {
    /// `None` when it must end.
    requests: Option<Sender<Request>>,
    /// Wakes the thread.
    waker: Arc<OwnedFd>,
    thread: Option<JoinHandle<io::Result<Report>>>,
}

impl Emulator {
    /// Starts the thread. The random processes of `links` are the simulator's for this seed.
    pub fn start(
        links: &[LinkSpec],
        seed: u64,
        ends: Vec<Ends>,
        clock: Clock,
        options: &EmulatorOptions,
    ) -> Result<Self, TestbedError> {
        let routes: Vec<Route> = ends.iter().flat_map(|ends| routes(links, &ends.path)).collect();
        let network = Network::new(links, seed, &routes);
        let reach = |ends: &Ends| Reach::new(links, &ends.path, ends.sender.mtu());
        let watches = ends.iter().map(|ends| Watch::new(reach(ends))).collect();
        let tuns = ends.into_iter().flat_map(|ends| [ends.sender, ends.receiver]).collect();
        let (requests, receiver) = channel();
        let start = || {
            let waker = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
            let engine = Engine::new(network, watches, tuns, clock, options, waker.clone(), receiver)?;
            let run = || engine.run(realtime::raise(realtime::EMULATOR).is_ok());
            let thread = std::thread::Builder::new().name("emulator".into()).spawn(run)?;
            Ok::<_, io::Error>(Emulator { requests: Some(requests), waker, thread: Some(thread) })
        };
        start().map_err(TestbedError::kernel("start the emulator"))
    }

    /// The links of a scenario, for [`Emulator::start`].
    pub fn links(scenario: &Scenario) -> Vec<LinkSpec> {
        scenario.links.iter().map(|link| link.spec.clone()).collect()
    }

    /// The state of links and paths now.
    ///
    /// # Errors
    /// The emulator has ended.
    pub fn snapshot(&self) -> Result<Snapshot, TestbedError> {
        let (sender, receiver) = channel();
        if let Some(requests) = &self.requests {
            let _ = requests.send(sender);
            self.wake();
        }
        receiver.recv().map_err(|_| TestbedError::Failed("the emulator ended early".into()))
    }

    /// Ends the emulator.
    ///
    /// # Errors
    /// The emulator failed earlier.
    pub fn stop(mut self) -> Result<Report, TestbedError> {
        match self.end() {
            Some(Ok(report)) => report.map_err(TestbedError::kernel("emulate links")),
            _ => Err(TestbedError::Failed("the emulator panicked".into())),
        }
    }

    fn end(&mut self) -> Option<std::thread::Result<io::Result<Report>>> {
        self.requests = None;
        self.wake();
        self.thread.take().map(JoinHandle::join)
    }

    fn wake(&self) {
        // Fails only if the counter is full; then the thread wakes anyway.
        let _ = rustix::io::write(&*self.waker, &1u64.to_ne_bytes());
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.end();
    }
}

/// The routes of a path's two devices. Without reverse links in the scenario, the way back has the delay of the forward links.
fn routes(links: &[LinkSpec], path: &Path) -> [Route; 2] {
    let mut back = Route { delay: Time::ZERO, links: path.return_links.clone() };
    if back.links.is_empty() {
        back.delay = path.links.iter().fold(Time::ZERO, |sum, link| sum + links[*link].delay);
    }
    [Route { delay: Time::ZERO, links: path.links.clone() }, back]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantum_is_a_tenth_of_a_packet() {
        let of = |megabits: f64| quantum(&[megabits * 1e6, 5e6], true).as_nanos();
        assert_eq!([0.0, 10.0, 60.0, 150.0, 1e12].map(of), [100_000, 100_000, 20_000, 10_000, 10_000]);
        let in_real_time = |megabits: f64| quantum(&[60e6, megabits * 1e6], false).as_nanos();
        assert_eq!([10.0, 240.0, 241.0].map(in_real_time), [20_000, 10_000, 100_000]);
    }

    /// Neither the widest link nor the narrowest path counts, and of a link the highest rate.
    #[test]
    fn bottlenecks_count_once() {
        let text = "name = \"t\"\nduration = \"1 s\"\n\
                    links.slow = { rate = \"5 Mbit/s\", delay = \"1 ms\" }\n\
                    links.fast = { rate = \"5 Mbit/s\", delay = \"1 ms\", changes = [{ at = \"0.5 s\", rate = \"50 Mbit/s\" }] }\n\
                    links.wide = { rate = \"1 Gbit/s\", delay = \"1 ms\" }\n\
                    flows = [{ name = \"f\", cc = \"lia\", paths = [[\"slow\"], [\"wide\", \"fast\"], [\"fast\"]] }]";
        let bottlenecks = bottlenecks_bps(&text.parse().unwrap(), LinkSpec::highest_rate_bps, |_| true);
        assert_eq!(bottlenecks, [5e6, 50e6]);
    }
}
