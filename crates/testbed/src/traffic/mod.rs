//! Applications at both ends of a connection: a thread at each, in its host.

mod client;
mod iperf3;
mod membership;
mod pattern;
mod receiver;
mod sender;
mod shared;
mod source;

pub use client::Completed;
pub use shared::Observed;

use crate::clock::Clock;
use crate::pair::{Pair, RECEIVER};
use crate::{Host, TestbedError, realtime, socket};
use anabranch_net::{Random, Time};
use anabranch_scenario::{Application, Flow};
use client::Client;
use membership::Membership;
use receiver::Receiver;
use sender::Sender;
use shared::Shared;
use source::Source;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The size of MPTCP's DSS option in a segment, in bytes.
const DSS: u16 = 20;

/// The time limit for iperf3 to listen.
const PATIENCE: Duration = Duration::from_secs(10);

/// The source of the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Threads of this process; they check every byte.
    Own,
    /// `iperf3`, for bulk flows without a size.
    Iperf3,
}

impl Traffic {
    /// Its name in records and on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Traffic::Own => "own",
            Traffic::Iperf3 => "iperf3",
        }
    }
}

/// The plan of a connection.
pub struct Plan<'a> {
    /// The flow.
    pub flow: &'a Flow,
    /// Its hosts, with devices, addresses and routes.
    pub hosts: &'a Pair,
    /// The name of the congestion control in the kernel.
    pub congestion_control: &'a str,
    /// The application's random numbers.
    pub random: Random,
    /// The run's clock.
    pub clock: Clock,
    /// The time of its opening.
    pub open_at: Time,
    /// The time at which the application stops; [`Time::NEVER`] for the end of the run.
    pub stop_at: Time,
}

/// A connection with its application.
pub struct Connection {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Connection {
    /// Starts the threads of both ends. The receiver listens when this returns. With [`Traffic::Iperf3`] they run unmodified
    /// iperf3, under `mptcpize` for MPTCP, and received bytes are not checked.
    ///
    /// # Errors
    /// If a program is missing, or the kernel refuses a step.
    pub fn start(plan: &Plan<'_>, traffic: Traffic) -> Result<Self, TestbedError> {
        let shared = Shared::new(plan.clock, plan.flow.is_multipath());
        let shared = Arc::new(shared.map_err(TestbedError::kernel("make an eventfd"))?);
        let membership = plan.hosts.sender.run(|| Membership::new(plan.flow))??;
        let mut connection = Connection { shared, threads: Vec::new() };
        match traffic {
            Traffic::Own => connection.start_own(plan, membership)?,
            Traffic::Iperf3 => connection.start_iperf3(plan, membership)?,
        }
        Ok(connection)
    }

    fn start_own(&mut self, plan: &Plan<'_>, membership: Membership) -> Result<(), TestbedError> {
        let Plan { flow, hosts, open_at, stop_at, .. } = *plan;
        let multipath = flow.is_multipath();
        let listener = hosts.receiver.run(|| socket::listener(RECEIVER, multipath))?;
        let receiver = Receiver {
            shared: self.shared.clone(),
            listener: listener.map_err(TestbedError::kernel(format!("listen at {RECEIVER}")))?,
            client: Client::new(flow.application.clone(), plan.random.clone()),
            stop_at,
        };
        let mss = flow.tcp.mss - if multipath { DSS } else { 0 };
        let sender = Sender {
            shared: self.shared.clone(),
            membership,
            source: Source::new(flow.application.clone(), plan.random.clone(), mss),
            congestion_control: plan.congestion_control.to_owned(),
            multipath,
            serves: matches!(flow.application, Application::RequestResponse { .. }),
            open_at,
            stop_at,
        };
        self.spawn(&hosts.receiver, "receiver", plan, || receiver.run())?;
        self.spawn(&hosts.sender, "sender", plan, || sender.run())
    }

    fn start_iperf3(&mut self, plan: &Plan<'_>, mut membership: Membership) -> Result<(), TestbedError> {
        let Plan { flow, hosts, open_at, stop_at, .. } = *plan;
        let multipath = flow.is_multipath();
        let congestion_control = plan.congestion_control.to_owned();
        let client = iperf3::Client { congestion_control, multipath, open_at, stop_at };
        let (listens, is_ready) = mpsc::sync_channel(1);
        let [receiver, sender] = [self.shared.clone(), self.shared.clone()];
        self.spawn(&hosts.receiver, "receiver", plan, move || {
            iperf3::receive(&receiver, multipath, &listens)
        })?;
        // Fails if the receiver has ended; its failure gives the reason.
        if is_ready.recv_timeout(PATIENCE).is_err() {
            self.end();
            self.check()?;
            return Err(TestbedError::Broken("iperf3 does not listen".into()));
        }
        self.spawn(&hosts.sender, "sender", plan, move || iperf3::send(&sender, &mut membership, &client))
    }

    fn spawn(
        &mut self,
        host: &Host,
        end: &'static str,
        plan: &Plan<'_>,
        run: impl FnOnce() -> Result<(), TestbedError> + Send + 'static,
    ) -> Result<(), TestbedError> {
        let (shared, name) = (self.shared.clone(), plan.flow.name.clone());
        let apply = move || {
            // Without the privilege, the run continues. Its health reports the lateness of samples, which have the same
            // priority.
            let _ = realtime::raise(realtime::TRAFFIC);
            if let Err(e) = run() {
                let kind = match e {
                    TestbedError::Failed(_) => TestbedError::Failed,
                    _ => TestbedError::Broken,
                };
                let _ = shared.failure.set((kind, format!("flow {name}, {end}: {e}")));
            }
        };
        // A thread inherits the namespace of the thread that starts it.
        let thread = host.run(|| thread::Builder::new().name(end.to_owned()).spawn(apply))?;
        self.threads.push(thread.map_err(TestbedError::kernel("start a thread"))?);
        Ok(())
    }

    /// Bytes that the receiver has read, in order and checked.
    pub fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Acquire)
    }

    /// The latest state at the sender; `None` before the connection exists.
    pub fn sender(&self) -> Result<Option<Observed>, TestbedError> {
        let observed = self.shared.sender.observe();
        observed.map_err(TestbedError::kernel("read the state of the sender's connection"))
    }

    /// The same at the receiver.
    pub fn receiver(&self) -> Result<Option<Observed>, TestbedError> {
        let observed = self.shared.receiver.observe();
        observed.map_err(TestbedError::kernel("read the state of the receiver's connection"))
    }

    /// The responses completed since the last call.
    pub fn take_completed(&self) -> Vec<Completed> {
        std::mem::take(&mut *self.shared.completed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The time at which the receiver had read all data, if the application has ended.
    pub fn finished(&self) -> Option<Time> {
        self.shared.finished.get().copied()
    }

    /// Returns the failure of either end, if any.
    ///
    /// # Errors
    /// If bytes arrived that were not sent, or the kernel refused a step.
    pub fn check(&self) -> Result<(), TestbedError> {
        self.shared.failure.get().map_or(Ok(()), |(kind, why)| Err(kind(why.clone())))
    }

    /// Ends the connection by resets, and joins both threads.
    pub fn finish(mut self) -> Result<(), TestbedError> {
        self.end();
        self.check()
    }

    fn end(&mut self) {
        self.shared.end();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                let why = "a traffic thread panicked".to_owned();
                let _ = self.shared.failure.set((TestbedError::Failed, why));
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}
