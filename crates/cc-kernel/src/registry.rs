//! The kernel's algorithms, as `NAME@kernel` beside those of `anabranch-cc`.

use crate::algorithm::Kernel;
use crate::group::Table;
use crate::native::{self, Functions};
use anabranch_cc::registry::{self, Entry};
use std::sync::LazyLock;

/// An algorithm of the kernel.
pub struct KernelEntry {
    /// The name that the kernel knows it by, such as `ab_lia`.
    pub kernel_name: &'static str,
    /// The reference in `anabranch-cc`.
    pub reference: &'static Entry,
    /// As an algorithm for the simulator: its name is the reference's with `@kernel`.
    pub entry: Entry,
    functions: &'static Functions,
}

/// `kernel!(reference's name, name in the kernel, C table)`.
macro_rules! kernel {
    ($name:literal, $kernel_name:literal, $functions:ident) => {{
        fn functions() -> &'static Functions {
            // SAFETY: a constant table that the C side defines and never changes.
            unsafe { &native::$functions }
        }
        let reference = registry::find($name).expect("each algorithm of the kernel has a reference");
        KernelEntry {
            kernel_name: $kernel_name,
            reference,
            functions: functions(),
            entry: Entry {
                name: concat!($name, "@kernel"),
                title: reference.title,
                kind: reference.kind,
                source: reference.source,
                equations: reference.equations,
                readings: &[
                    "The integer arithmetic of the kernel's program, with the reference's default parameters; each header says its scales and errors.",
                ],
                params: &[],
                observables: reference.observables,
                build: |_| Box::new(Kernel::new(functions())),
            },
        }
    }};
}

static ALL: LazyLock<Vec<KernelEntry>> = LazyLock::new(|| {
    vec![
        kernel!("reno", "ab_reno", ab_native_reno),
        kernel!("lia", "ab_lia", ab_native_lia),
        kernel!("vegas", "ab_vegas", ab_native_vegas),
        kernel!("wvegas", "ab_wvegas", ab_native_wvegas),
        kernel!("cubic", "ab_cubic", ab_native_cubic),
    ]
});

/// Every algorithm of the kernel.
pub fn all() -> &'static [KernelEntry] {
    &ALL
}

/// All that a scenario may name: the references (`lia`), then the kernel's (`lia@kernel`).
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    registry::ALL.iter().copied().chain(all().iter().map(|k| &k.entry))
}

/// The algorithm that a scenario calls `name`.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}

/// The algorithm of the kernel that is called `name`: by its reference (`lia`), in the kernel (`ab_lia`),
/// or in a scenario (`lia@kernel`).
pub fn find_kernel(name: &str) -> Option<&'static KernelEntry> {
    all().iter().find(|k| [k.reference.name, k.kernel_name, k.entry.name].contains(&name))
}

/// What a row of a group shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The socket's cookie.
    pub owner: u64,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments; infinite until the first congestion.
    pub ssthresh: f64,
    /// Smoothed round-trip time, microseconds; 0 before the first sample.
    pub srtt_us: u32,
    /// Smallest round-trip time, microseconds; `None` before the first sample.
    pub min_rtt_us: Option<u32>,
    /// The observables that the entry lists, NaN where one has no value.
    pub observables: Vec<f64>,
}

impl KernelEntry {
    /// The size of a `struct ab_group` of this algorithm: a value of its map in the kernel, in bytes.
    pub fn group_size(&self) -> usize {
        self.functions.group_size as usize
    }

    /// The rows in use of a group as it lies in the kernel's map; `None` where `bytes` has another size.
    pub fn rows(&self, bytes: &[u8]) -> Option<Vec<Row>> {
        let table = Table::from_bytes(self.functions, bytes)?;
        let row = |r| {
            let view = table.view(r);
            let mut observables = vec![f64::NAN; self.entry.observables.len()];
            table.observe(r, &mut observables);
            Row {
                owner: view.owner,
                cwnd: view.cwnd,
                ssthresh: view.ssthresh,
                srtt_us: view.srtt,
                min_rtt_us: (view.min_rtt != native::NO_RTT).then_some(view.min_rtt),
                observables,
            }
        };
        Some((0..native::PATHS).map(row).filter(|row| row.owner != 0).collect())
    }
}
