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
mod options;
mod standstill;
mod store;
mod wire;

pub use counts::{PathCounts, SendingBehaviour, Tally};
pub use engine::{Report, Snapshot};
pub use headers::SeenPacket;
pub use health::Health;
pub(crate) use options::bottlenecks_bps;
pub use options::{EmulatorOptions, quantum_of};

use crate::TestbedError;
use crate::clock::Clock;
use crate::device::Tun;
use anabranch_net::LinkSpec;
use anabranch_scenario::{Path, Scenario};
use counts::Watch;
use engine::{Engine, Request};
use network::{Network, Route, routes};
use rustix::event::{EventfdFlags, eventfd};
use standstill::Reach;
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

/// A running emulator. It ends when dropped.
#[derive(Debug)]
pub struct Emulator {
    /// `None` when it must end.
    requests: Option<Sender<Request>>,
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
        let reach = |ends: &Ends| Reach::new(links, &ends.path, ends.sender.mtu);
        let watches = ends.iter().map(|ends| Watch::new(reach(ends))).collect();
        let tuns = ends.into_iter().flat_map(|ends| [ends.sender, ends.receiver]).collect();
        let (requests, receiver) = channel();
        let start = || {
            let waker = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
            let engine = Engine::new(network, watches, tuns, clock, options, waker.clone(), receiver)?;
            let thread = std::thread::Builder::new().name("emulator".into()).spawn(|| engine.run())?;
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
