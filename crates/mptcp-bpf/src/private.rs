//! An algorithm under a private name, unloaded with its process.

use crate::instance::{self, VARIABLES};
use crate::layout::Layout;
use crate::load::{open, ops, read_counters, with_messages};
use crate::monitor::decode;
use crate::pins::CONNECTIONS;
use crate::table::{self, ROOM};
use crate::{Connection, Counters, Error, Registration, messages};
use anabranch_cc_fixed::registry::KernelEntry;
use libbpf_rs::{Link, MapCore, MapHandle, MapType, Object, OpenObject};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::process;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// An algorithm that this process loads for itself. It does not affect the pinned instance of the algorithm or those of other
/// processes.
///
/// Its name, such as `ab1f3c_2a`, contains the PID and a number that is unique in the process. Any socket may select it by
/// that name ([`Private::name`]). It is unregistered on drop and at the end of the process. Sockets that use it keep it until
/// they close.
///
/// Before Linux 6.4, a registration outlives a killed process. There, the next process that loads a private algorithm removes
/// those of dead processes. A process of another PID namespace may appear dead: its sockets keep their algorithm, but new
/// sockets cannot select it.
pub struct Private {
    name: String,
    entry: &'static KernelEntry,
    registered: Registered,
    connections: MapHandle,
    counters: MapHandle,
}

/// The object that keeps it registered.
enum Registered {
    Link(Link),
    Map(MapHandle),
}

/// The most connections at once. A read of the table visits this many buckets without yielding the CPU; 65536 take a
/// millisecond.
const MOST_CONNECTIONS: u32 = 4096;

/// The size of a name in bytes, including the final zero (`TCP_CA_NAME_MAX`).
const NAME: usize = 16;

/// The next number in a name. It starts at an arbitrary value, because processes in two PID namespaces may have the same PID.
static NEXT: LazyLock<AtomicU32> =
    LazyLock::new(|| AtomicU32::new(clock_gettime(ClockId::Monotonic).tv_nsec as u32));

impl Private {
    /// Loads an algorithm under a new name.
    ///
    /// # Errors
    /// Without privileges, or if the kernel rejects a program.
    pub fn load(entry: &'static KernelEntry) -> Result<Self, Error> {
        Self::load_as(entry, Registration::of_this_kernel()?)
    }

    /// Loads it with this kind of registration, which the kernel must support.
    pub fn load_as(entry: &'static KernelEntry, registration: Registration) -> Result<Self, Error> {
        messages::listen();
        if registration == Registration::Map {
            remove_orphans()?;
        }
        let name = next_name();
        let mut object = open(entry, registration, |object| {
            rename(object, entry, &name)?;
            let table = object.maps_mut().find(|map| map.name() == CONNECTIONS);
            let mut table = table.ok_or(Error::Layout("compiled object"))?;
            table.set_max_entries(MOST_CONNECTIONS).map_err(Error::bpf("limit a map"))
        })?;
        let map = |end| map(&object, end);
        let (connections, counters) = (map(CONNECTIONS)?, map(VARIABLES)?);
        let registered = register(&mut object, registration).map_err(with_messages)?;
        Ok(Private { name, entry, registered, connections, counters })
    }

    /// Its name in the kernel, for `TCP_CONGESTION`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The algorithm.
    pub fn entry(&self) -> &'static KernelEntry {
        self.entry
    }

    /// The current connections, ordered by key. Subflows continue during the read, so values of one row may be a few
    /// acknowledgements apart.
    pub fn connections(&self) -> Vec<Connection> {
        let mut room = ROOM;
        let decode = |key: &[u8], value: &[u8]| decode::connection(self.entry, key, value);
        let mut connections = table::read(&self.connections, &mut room, decode);
        connections.sort_by_key(|connection| connection.key);
        connections
    }

    /// The counters of its programs.
    pub fn counters(&self) -> Result<Counters, Error> {
        read_counters(&self.counters)
    }
}

impl Drop for Private {
    /// Takes effect at once since Linux 6.11; before that, a link ends soon after its descriptor.
    fn drop(&mut self) {
        let _ = match &self.registered {
            Registered::Link(link) => link.detach(),
            Registered::Map(map) => map.delete(&0u32.to_ne_bytes()),
        };
    }
}

/// Registers the algorithm until the returned value is dropped.
fn register(object: &mut Object, registration: Registration) -> Result<Registered, Error> {
    let failed = || Error::bpf("register");
    let mut ops = ops(object)?;
    let handle = MapHandle::try_from(&ops).map_err(failed())?;
    let mut link = ops.attach_struct_ops().map_err(failed())?;
    Ok(match registration {
        Registration::Link => Registered::Link(link),
        Registration::Map => {
            // The descriptor belongs to the object, which closes it.
            link.disconnect();
            Registered::Map(handle)
        }
    })
}

/// The object's map with this suffix in its name.
fn map(object: &Object, end: &str) -> Result<MapHandle, Error> {
    let map = object.maps().find(|map| map.name().to_string_lossy().ends_with(end));
    MapHandle::try_from(&map.ok_or(Error::Layout("compiled object"))?).map_err(Error::bpf("open a map"))
}

fn rename(object: &mut OpenObject, entry: &KernelEntry, name: &str) -> Result<(), Error> {
    let unknown = || Error::Layout("compiled object");
    let mut ops = object.maps_mut().find(|map| map.map_type() == MapType::StructOps).ok_or_else(unknown)?;
    let functions = ops.initial_value_mut().ok_or_else(unknown)?;
    let known = padded(entry.kernel_name);
    let at = functions.windows(NAME).position(|bytes| bytes == known).ok_or_else(unknown)?;
    functions[at..at + NAME].copy_from_slice(&padded(name));
    Ok(())
}

/// The name as stored in a `tcp_congestion_ops`.
fn padded(name: &str) -> [u8; NAME] {
    let mut bytes = [0; NAME];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes
}

/// An unused name of this process: `ab`, the PID (22 bits), `_`, and 24 further bits.
fn next_name() -> String {
    format!("ab{:x}_{:x}", process::id(), NEXT.fetch_add(1, Relaxed) & 0xff_ffff)
}

/// Whether the name is one that a process loads an algorithm under for itself, such as `ab1f3c_2a`.
pub fn is_private_name(name: &str) -> bool {
    owner(name.as_bytes()).is_some()
}

/// The PID in a private name.
fn owner(name: &[u8]) -> Option<u32> {
    let (process, number) = std::str::from_utf8(name).ok()?.strip_prefix("ab")?.split_once('_')?;
    u32::from_str_radix(number, 16).ok()?;
    u32::from_str_radix(process, 16).ok()
}

/// Unregisters the private algorithms of killed processes.
fn remove_orphans() -> Result<(), Error> {
    let layout = Layout::get()?;
    for ops in instance::maps(layout) {
        let owner = instance::name(&ops.value, layout).and_then(owner);
        if owner.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // Fails if a link registers it, or if it is not registered any longer.
            let _ = ops.map.delete(&0u32.to_ne_bytes());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_cc_fixed::registry;

    #[test]
    fn names_say_their_process_and_no_algorithm_has_one() {
        let names = [next_name(), next_name()];
        assert_ne!(names[0], names[1]);
        for name in names {
            assert!(name.len() < NAME, "{name}");
            assert_eq!(owner(name.as_bytes()), Some(process::id()));
        }
        assert!(registry::all().iter().all(|entry| owner(entry.kernel_name.as_bytes()).is_none()));
        assert_eq!(owner(b"abc_x"), None, "another module's");
        // The largest that Linux allows: PID_MAX_LIMIT is 2^22.
        assert_eq!("ab3fffff_ffffff".len(), NAME - 1);
        assert_eq!(owner(b"ab3fffff_ffffff"), Some(0x3f_ffff));
    }
}
