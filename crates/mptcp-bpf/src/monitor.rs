//! Monitors the sockets that use the algorithms.

mod connection;
pub(crate) mod decode;
#[doc(hidden)]
pub mod example;
mod filter;
mod meter;
mod namespaces;
mod recorder;
mod sample;
mod watch;

pub use connection::{Connection, Key, Subflow};
pub use filter::Filter;
pub use namespaces::Namespaces;
pub use recorder::Recorder;
pub use sample::{Sample, Sampler, Watched, WatchedSubflow};
pub use watch::Watch;

use crate::table::{self, ROOM};
use crate::{Error, Pins, instances};
use anabranch_cc_fixed::registry::KernelEntry;
use libbpf_rs::{MapCore, MapHandle};
use rustix::time::{ClockId, clock_gettime};

/// Reads the state of sockets from the tables of the programs.
pub struct Monitor {
    tables: Vec<Table>,
    unreadable: Vec<&'static KernelEntry>,
}

/// The table of connections of an algorithm in the kernel.
struct Table {
    entry: &'static KernelEntry,
    /// The id of the struct_ops map: it changes when an algorithm is loaded again.
    map_id: u32,
    connections: MapHandle,
    /// The number of connections that a read has room for.
    room: u32,
}

/// All connections at one instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The time of the snapshot, in microseconds of the monotonic clock.
    pub at_us: u64,
    /// Ordered by algorithm and key.
    pub connections: Vec<Connection>,
}

impl Monitor {
    /// Opens every algorithm in the kernel, including unloaded ones that are still in use.
    pub fn open() -> Result<Self, Error> {
        // Fails without privileges. The search for algorithms would only return an empty list.
        Pins::find()?;
        let mut monitor = Monitor { tables: Vec::new(), unreadable: Vec::new() };
        monitor.update()?;
        Ok(monitor)
    }

    /// Updates the list of algorithms.
    pub fn update(&mut self) -> Result<(), Error> {
        let mut known = std::mem::take(&mut self.tables);
        self.unreadable.clear();
        for instance in instances()? {
            if let Some(i) = known.iter().position(|table| table.map_id == instance.map_id) {
                self.tables.push(known.swap_remove(i));
                continue;
            }
            // It was removed since it was listed.
            let Some(connections) = instance.connections() else { continue };
            let (entry, map_id) = (instance.entry, instance.map_id);
            let sizes = (connections.key_size() as usize, connections.value_size() as usize);
            if sizes == (decode::KEY, decode::size(entry)) {
                self.tables.push(Table { entry, map_id, connections, room: ROOM });
            } else {
                self.unreadable.push(entry);
            }
        }
        Ok(())
    }

    /// The watched algorithms.
    pub fn algorithms(&self) -> Vec<&'static KernelEntry> {
        self.tables.iter().map(|table| table.entry).collect()
    }

    /// Algorithms that another version loaded, with tables of another layout.
    pub fn unreadable(&self) -> &[&'static KernelEntry] {
        &self.unreadable
    }

    /// Takes a snapshot of every connection. Subflows continue during the read, so values of one row may be a few
    /// acknowledgements apart.
    pub fn sample(&mut self) -> Snapshot {
        let mut connections: Vec<_> = self.tables.iter_mut().flat_map(Table::read).collect();
        connections.sort_by_key(|c| (c.entry.kernel_name, c.key));
        let now = clock_gettime(ClockId::Monotonic);
        Snapshot { at_us: now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000, connections }
    }
}

impl Table {
    fn read(&mut self) -> Vec<Connection> {
        table::read(&self.connections, &mut self.room, |key, value| {
            decode::connection(self.entry, key, value)
        })
    }
}
