//! Samples of the selected sockets, as an iterator.

use super::{Filter, Monitor, Namespaces, Sample, Sampler};
use crate::{Coupling, Error, Look};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use std::time::{Duration, Instant};

/// The time between two looks for algorithms and network namespaces that are new or gone.
const LOOK: Duration = Duration::from_secs(1);

/// A source of samples. It notices algorithms that are loaded, and namespaces that are made, while it runs.
pub struct Watch {
    monitor: Monitor,
    sampler: Sampler,
    names: Namespaces,
    coupling: Coupling,
    look: Look,
    looked: Instant,
    /// The selected algorithms, by their names in the kernel; empty: all.
    only: Vec<&'static str>,
}

impl Watch {
    /// Begins to watch the sockets that `filter` takes.
    ///
    /// # Errors
    /// Without privileges, or where the kernel refuses a program.
    pub fn open(filter: Filter) -> Result<Self, Error> {
        let (monitor, only) = (Monitor::open()?, filter.algorithms.clone());
        let (sampler, names) = (Sampler::new(filter), Namespaces::now());
        let coupling = Coupling::open();
        let look = coupling.look();
        Ok(Watch { monitor, sampler, names, coupling, look, looked: Instant::now(), only })
    }

    /// The sockets as they are now.
    ///
    /// # Errors
    /// If the kernel's BTF cannot be read.
    pub fn sample(&mut self) -> Result<Sample, Error> {
        if self.looked.elapsed() >= LOOK {
            self.looked = Instant::now();
            self.monitor.look()?;
            self.names = Namespaces::now();
            self.look = self.coupling.look();
        }
        let sample = self.sampler.next(self.monitor.sample(), &self.names);
        Ok(Sample { coupling: self.look.clone(), ..sample })
    }

    /// The watched and selected algorithms, by their names in the kernel.
    pub fn algorithms(&self) -> Vec<&'static str> {
        self.entries().map(|entry| entry.kernel_name).collect()
    }

    /// Algorithms that are not watched, since another version loaded them.
    pub fn unreadable(&self) -> &[&'static KernelEntry] {
        self.monitor.unreadable()
    }

    /// The names of all observables that samples may have, those of algorithms included that are asked for by name and
    /// not loaded yet. A name may be there more than once.
    pub fn observables(&self) -> Vec<&'static str> {
        let named = registry::all().iter().filter(|entry| self.only.contains(&entry.kernel_name));
        self.entries().chain(named).flat_map(|entry| entry.entry.observables).map(|o| o.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static KernelEntry> {
        let asked = |entry: &&KernelEntry| self.only.is_empty() || self.only.contains(&entry.kernel_name);
        self.monitor.algorithms().into_iter().filter(asked)
    }
}
