//! qlog traces of connections, which the stack writes.

use anabranch_scenario::Scenario;
use noq_proto::{ConnectionId, QlogConfig, QlogFactory, Side};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Opens the destination of a trace: of this flow, by its index, and of the sender or the receiver.
pub type OpenTrace<'a> = &'a dyn Fn(usize, bool) -> Destination;

/// Where a trace goes. The stack writes on after an error.
pub type Destination = Box<dyn Write + Send + Sync>;

/// The trace of one end of a connection; `None` once the stack has it.
pub(crate) struct Trace(Mutex<Option<QlogConfig>>);

impl Trace {
    /// Those of the sender and the receiver. Time 0 is `origin`.
    pub(crate) fn both(
        scenario: &Scenario,
        f: usize,
        seed: u64,
        origin: Instant,
        open: OpenTrace<'_>,
    ) -> [Arc<Trace>; 2] {
        let version = env!("CARGO_PKG_VERSION");
        [(true, "sender"), (false, "receiver")].map(|(is_sender, end)| {
            let name = &scenario.flows[f].name;
            let mut config = QlogConfig::new(open(f, is_sender));
            config
                .title(Some(format!("anabranch {version}: {}", scenario.name)))
                .description(Some(format!(
                    "{end} of flow {name}, seed {seed}; times from the start of the run"
                )))
                .start_time(origin);
            Arc::new(Trace(Mutex::new(Some(config))))
        })
    }
}

impl QlogFactory for Trace {
    fn for_connection(&self, _: Side, _: SocketAddr, _: ConnectionId, _: Instant) -> Option<QlogConfig> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
