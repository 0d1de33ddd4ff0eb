//! An algorithm that is loaded as long as a test needs it.

use anabranch_cc_kernel::registry::{self, KernelEntry};
use anabranch_kernel::{Counters, Loaded, load, loaded, unload};
use libbpf_rs::{MapCore, MapFlags};

/// Freshly loaded: by another build it may have been loaded before. Unloaded in the end.
pub struct Algorithm {
    pub entry: &'static KernelEntry,
    loaded: Loaded,
}

impl Algorithm {
    pub fn load(name: &str) -> Self {
        let entry = registry::find_kernel(name).unwrap_or_else(|| panic!("no {name}"));
        unload(entry).unwrap();
        load(entry).unwrap();
        let loaded =
            loaded().unwrap().into_iter().find(|l| l.entry.kernel_name == entry.kernel_name).unwrap();
        Algorithm { entry, loaded }
    }

    pub fn counters(&self) -> Counters {
        self.loaded.counters().unwrap()
    }

    /// How many rows each connection has, of all that the map holds.
    pub fn connections(&self) -> Vec<usize> {
        let map = self.loaded.connections().unwrap();
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
