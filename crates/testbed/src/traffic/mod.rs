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
use shared::{Failure, Shared};
use source::Source;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// The size of MPTCP's DSS option in a segment, in bytes.
const DSS: u16 = 20;

/// The time limit for iperf3 to listen.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// Starts the threads of both ends. The receiver listens when this returns.
    pub fn start(plan: Plan<'_>) -> Result<Self, TestbedError> {
        let Plan { flow, hosts, .. } = plan;
        let multipath = flow.is_multipath();
        let shared = Shared::new(plan.clock, multipath).map_err(TestbedError::kernel("make an eventfd"))?;
        let shared = Arc::new(shared);
        let asks = matches!(flow.application, Application::RequestResponse { .. });
        let listener = hosts.receiver.run(|| socket::listener(RECEIVER, multipath))?;
        let receiver = Receiver {
            shared: shared.clone(),
            listener: listener.map_err(TestbedError::kernel(format!("listen at {RECEIVER}")))?,
            client: Client::new(flow.application.clone(), plan.random.clone()),
            asks,
            stop_at: plan.stop_at,
        };
        let mss = flow.tcp.mss - if multipath { DSS } else { 0 };
        let sender = Sender {
            shared: shared.clone(),
            membership: hosts.sender.run(|| Membership::new(flow))??,
            source: Source::new(flow.application.clone(), plan.random.clone(), mss),
            congestion_control: plan.congestion_control.to_owned(),
            multipath,
            serves: asks,
            open_at: plan.open_at,
            stop_at: plan.stop_at,
        };
        let mut connection = Connection { shared, threads: Vec::new() };
        connection.spawn(&hosts.receiver, "receiver", &plan, || receiver.run())?;
        connection.spawn(&hosts.sender, "sender", &plan, || sender.run())?;
        Ok(connection)
    }

    /// The same with unmodified iperf3, which runs under `mptcpize` for MPTCP. Received bytes are not checked.
    ///
    /// # Errors
    /// If the application is not endless bulk, a program is missing, or the kernel refuses a step.
    pub fn start_iperf3(plan: Plan<'_>) -> Result<Self, TestbedError> {
        let Plan { flow, hosts, open_at, stop_at, .. } = plan;
        if flow.application != (Application::Bulk { bytes: None }) {
            let key = format!("flows.{}.application", flow.name);
            return Err(TestbedError::Inexpressible {
                key,
                why: "iperf3 supports only bulk without a size".into(),
            });
        }
        let multipath = flow.is_multipath();
        let shared = Shared::new(plan.clock, multipath).map_err(TestbedError::kernel("make an eventfd"))?;
        let shared = Arc::new(shared);
        let mut membership = hosts.sender.run(|| Membership::new(flow))??;
        let congestion_control = plan.congestion_control.to_owned();
        let client = iperf3::Client { congestion_control, multipath, open_at, stop_at };
        let (listens, is_ready) = mpsc::sync_channel(1);
        let mut connection = Connection { shared: shared.clone(), threads: Vec::new() };
        let receiver = shared.clone();
        connection.spawn(&hosts.receiver, "receiver", &plan, move || {
            iperf3::receive(&receiver, multipath, &listens)
        })?;
        // Fails if the receiver has ended; its failure gives the reason.
        if is_ready.recv_timeout(PATIENCE).is_err() {
            connection.finish()?;
            return Err(TestbedError::Broken("iperf3 does not listen".into()));
        }
        connection
            .spawn(&hosts.sender, "sender", &plan, move || iperf3::send(&shared, &mut membership, &client))?;
        Ok(connection)
    }

    fn spawn(
        &mut self,
        host: &Host,
        end: &'static str,
        plan: &Plan<'_>,
        run: impl FnOnce() -> Result<(), TestbedError> + Send + 'static,
    ) -> Result<(), TestbedError> {
        let (shared, name) = (self.shared.clone(), plan.flow.name.clone());
        let thread = host.spawn(end, move || {
            // Without the privilege, the run continues. Its health reports the lateness of samples, which have the same
            // priority.
            let _ = realtime::raise(realtime::TRAFFIC);
            if let Err(e) = run() {
                let said = format!("flow {name}, {end}: {e}");
                let is_defect = matches!(e, TestbedError::Failed(_));
                let why = if is_defect { Failure::Defect(said) } else { Failure::Broken(said) };
                let _ = shared.failure.set(why);
            }
        })?;
        self.threads.push(thread);
        Ok(())
    }

    /// Bytes that the receiver has read, in order and checked.
    pub fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Acquire)
    }

    /// The latest state at the sender; `None` before the connection exists.
    pub fn sender(&self) -> Result<Option<Observed>, TestbedError> {
        self.shared
            .sender
            .observe()
            .map_err(TestbedError::kernel("read the state of the sender's connection"))
    }

    /// The same at the receiver.
    pub fn receiver(&self) -> Result<Option<Observed>, TestbedError> {
        self.shared
            .receiver
            .observe()
            .map_err(TestbedError::kernel("read the state of the receiver's connection"))
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
        match self.shared.failure.get() {
            None => Ok(()),
            Some(Failure::Broken(why)) => Err(TestbedError::Broken(why.clone())),
            Some(Failure::Defect(why)) => Err(TestbedError::Failed(why.clone())),
        }
    }

    /// Ends the connection by resets, and joins both threads.
    pub fn finish(mut self) -> Result<(), TestbedError> {
        self.end();
        self.check()
    }

    fn end(&mut self) {
        if self.shared.end().is_err() {
            return; // the threads cannot be woken, so they cannot be waited for
        }
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                let _ = self.shared.failure.set(Failure::Defect("a traffic thread panicked".into()));
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.end();
    }
}
