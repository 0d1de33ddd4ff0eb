//! Samples of the selected sockets, as an iterator.

use super::{Filter, Monitor, Namespaces, Sample, Sampler};
use crate::{Coupling, Error, Look};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use std::time::{Duration, Instant};

/// The interval between two updates of the lists of algorithms and network namespaces.
const LOOK: Duration = Duration::from_secs(1);

/// A source of samples. It follows changes of the loaded algorithms and namespaces.
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
    /// Starts to watch the sockets that `filter` matches.
    ///
    /// # Errors
    /// Without privileges, or if the kernel rejects a program.
    pub fn open(filter: Filter) -> Result<Self, Error> {
        let (monitor, only) = (Monitor::open()?, filter.algorithms.clone());
        let (sampler, names) = (Sampler::new(filter), Namespaces::now());
        let coupling = Coupling::open();
        let look = coupling.look();
        Ok(Watch { monitor, sampler, names, coupling, look, looked: Instant::now(), only })
    }

    /// Takes a sample.
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

    /// Algorithms that another version loaded, which cannot be watched.
    pub fn unreadable(&self) -> &[&'static KernelEntry] {
        self.monitor.unreadable()
    }

    /// The names of all observables that samples may have. They include selected algorithms that are not loaded yet. Names
    /// may repeat.
    pub fn observables(&self) -> Vec<&'static str> {
        let named = registry::all().iter().filter(|entry| self.only.contains(&entry.kernel_name));
        self.entries().chain(named).flat_map(|entry| entry.entry.observables).map(|o| o.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static KernelEntry> {
        let asked = |entry: &&KernelEntry| self.only.is_empty() || self.only.contains(&entry.kernel_name);
        self.monitor.algorithms().into_iter().filter(asked)
    }
}
