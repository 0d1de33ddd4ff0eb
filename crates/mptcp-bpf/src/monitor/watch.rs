//! Samples of the selected sockets, as an iterator.

use super::{Filter, Monitor, Namespaces, Sample, Sampler};
use crate::{Coupling, CouplingReport, Error};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use std::time::{Duration, Instant};

/// The interval between two updates of the lists of algorithms and network namespaces.
const INTERVAL: Duration = Duration::from_secs(1);

/// A source of samples. It follows changes of the loaded algorithms and namespaces.
pub struct Watch {
    monitor: Monitor,
    sampler: Sampler,
    names: Namespaces,
    coupling: Coupling,
    report: CouplingReport,
    checked_at: Instant,
}

impl Watch {
    /// Starts to watch the sockets that `filter` matches.
    ///
    /// # Errors
    /// Without privileges, or if the kernel rejects a program.
    pub fn open(filter: Filter) -> Result<Self, Error> {
        let (monitor, sampler, names) = (Monitor::open()?, Sampler::new(filter), Namespaces::current());
        let coupling = Coupling::open();
        let report = coupling.check();
        Ok(Watch { monitor, sampler, names, coupling, report, checked_at: Instant::now() })
    }

    /// Takes a sample.
    pub fn sample(&mut self) -> Result<Sample, Error> {
        if self.checked_at.elapsed() >= INTERVAL {
            self.checked_at = Instant::now();
            self.monitor.update()?;
            self.names = Namespaces::current();
            self.report = self.coupling.check();
        }
        let sample = self.sampler.next(self.monitor.sample(), &self.names);
        Ok(Sample { coupling: self.report.clone(), ..sample })
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
        let selected = &self.sampler.filter.algorithms;
        let named = registry::all().iter().filter(|entry| selected.contains(&entry.kernel_name));
        self.entries().chain(named).flat_map(|entry| entry.entry.observables).map(|o| o.name).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &'static KernelEntry> {
        self.monitor.algorithms().into_iter().filter(|entry| self.sampler.filter.selects(entry.kernel_name))
    }
}
