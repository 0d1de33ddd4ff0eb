//! An algorithm that is loaded as long as a test needs it.

use crate::kernel::instance;
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Counters, Instance, Load, load, skips_calls, unload};
use libbpf_rs::{MapCore, MapFlags};
use std::sync::OnceLock;

/// Whether the kernel leaves calls of programs out: reading all its types takes a while.
static SKIPS: OnceLock<bool> = OnceLock::new();

/// Freshly loaded: by another build it may have been loaded before. Unloaded in the end.
pub struct Algorithm {
    pub entry: &'static KernelEntry,
    pub instance: Instance,
}

impl Algorithm {
    pub fn load(name: &str) -> Self {
        let entry = registry::find_kernel(name).unwrap_or_else(|| panic!("no {name}"));
        unload(entry).unwrap();
        load(entry).unwrap();
        Algorithm { entry, instance: instance(entry) }
    }

    pub fn counters(&self) -> Counters {
        self.instance.counters().unwrap()
    }

    /// Whether no socket and no row is left. Where the kernel leaves calls of programs out, a row whose socket was not released is
    /// freed as its operator would free it, by loading once more, and a socket without a row does not matter; elsewhere there must
    /// be neither.
    pub fn is_clean(&self) -> bool {
        let skips = *SKIPS.get_or_init(|| skips_calls().unwrap());
        if skips && let Load::Freed(rows) = load(self.entry).unwrap() {
            println!("{}: {rows} rows freed whose release the kernel left out", self.entry.kernel_name);
        }
        self.connections().is_empty() && (skips || self.counters().sockets == 0)
    }

    /// How many rows each connection has, of all that the map holds.
    pub fn connections(&self) -> Vec<usize> {
        let map = self.instance.connections().unwrap();
        let rows = |key: Vec<u8>| {
            let value = map.lookup(&key, MapFlags::ANY).unwrap()?;
            Some(self.entry.rows(&value[..self.entry.group_size()], 0).unwrap().len())
        };
        map.keys().filter_map(rows).collect()
    }
}

impl Drop for Algorithm {
    fn drop(&mut self) {
        let _ = unload(self.entry);
    }
}
