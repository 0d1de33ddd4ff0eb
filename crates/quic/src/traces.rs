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

/// The trace of one end of a connection.
pub(crate) struct Trace {
    destination: Mutex<Option<Destination>>,
    title: String,
    description: String,
    /// Time 0.
    origin: Instant,
}

impl Trace {
    /// Those of the sender and the receiver.
    pub(crate) fn both(
        scenario: &Scenario,
        f: usize,
        seed: u64,
        origin: Instant,
        open: OpenTrace<'_>,
    ) -> [Arc<Trace>; 2] {
        let version = env!("CARGO_PKG_VERSION");
        [true, false].map(|is_sender| {
            let (name, end) = (&scenario.flows[f].name, if is_sender { "sender" } else { "receiver" });
            Arc::new(Trace {
                destination: Mutex::new(Some(open(f, is_sender))),
                title: format!("anabranch {version}: {}", scenario.name),
                description: format!("{end} of flow {name}, seed {seed}; times from the start of the run"),
                origin,
            })
        })
    }
}

impl QlogFactory for Trace {
    fn for_connection(&self, _: Side, _: SocketAddr, _: ConnectionId, _: Instant) -> Option<QlogConfig> {
        let destination = self.destination.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let mut config = QlogConfig::new(destination);
        config
            .title(Some(self.title.clone()))
            .description(Some(self.description.clone()))
            .start_time(self.origin);
        Some(config)
    }
}
