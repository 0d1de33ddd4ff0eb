//! The kernel's algorithms, as `NAME@kernel` beside those of `multipath-cc`.

use crate::algorithm::Kernel;
use crate::group::Table;
use crate::shared::{self, Functions};
use anabranch_cc::registry::{self, Entry, Param};
use std::fmt;
use std::sync::LazyLock;

/// An algorithm of the kernel.
pub struct KernelEntry {
    /// Its C header, without `.h`.
    pub header: &'static str,
    /// The name that the kernel knows it by, such as `ab_lia`.
    pub kernel_name: &'static str,
    /// The reference in `multipath-cc`.
    pub reference: &'static Entry,
    /// As an algorithm for the simulator: its name is the reference's with `@kernel`.
    pub entry: Entry,
    pub(crate) functions: &'static Functions,
}

impl fmt::Debug for KernelEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kernel_name)
    }
}

impl PartialEq for KernelEntry {
    fn eq(&self, other: &Self) -> bool {
        self.kernel_name == other.kernel_name
    }
}

/// A parameter that the references lack.
const TOGETHER: Param = Param::flag(
    "together",
    true,
    "in congestion avoidance take half a window of acknowledgements as one, or a round where the algorithm acts once in it, as on Linux",
);

macro_rules! algorithms {
    ($($header:ident $name:literal $kernel_name:literal;)*) => {
        /// The tables that `native/algorithm.c` defines.
        mod tables {
            unsafe extern "C" {
                $(#[link_name = concat!("ab_native_", stringify!($header))]
                pub static $header: crate::shared::Functions;)*
            }
        }

        static ALL: LazyLock<Vec<KernelEntry>> = LazyLock::new(|| vec![$({
            fn functions() -> &'static Functions {
                // SAFETY: a constant table that the C side defines and never changes.
                unsafe { &tables::$header }
            }
            let reference = registry::find($name).expect("each algorithm of the kernel has a reference");
            KernelEntry {
                header: stringify!($header),
                kernel_name: $kernel_name,
                reference,
                functions: functions(),
                entry: Entry {
                    name: concat!($name, "@kernel"),
                    build: |params| Box::new(Kernel::new(functions(), params.flag(TOGETHER.name))),
                    interpretations: INTERPRETATIONS,
                    params: &[TOGETHER],
                    title: reference.title,
                    kind: reference.kind,
                    source: reference.source,
                    equations: reference.equations,
                    observables: reference.observables,
                },
            }
        }),*]);
    };
}

include!("list.rs");

const INTERPRETATIONS: &[&str] = &[
    "The integer arithmetic of the kernel's program, with the reference's default parameters; each header says its scales and errors.",
];

/// Every algorithm of the kernel.
pub fn all() -> &'static [KernelEntry] {
    &ALL
}

/// All that a scenario may name: the references (`lia`), their variants (`lia@v0`), then the kernel's
/// (`lia@kernel`).
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    let references = registry::ALL.iter().chain(registry::V0).copied();
    references.chain(all().iter().map(|k| &k.entry))
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

/// The visible state of a group's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its place in the table, from 0.
    pub index: usize,
    /// The socket's number.
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

    /// The rows in use of a group as it lies in the kernel's map, as of `now`, microseconds; `None` if `bytes` has
    /// another size.
    pub fn rows(&self, bytes: &[u8], now: u64) -> Option<Vec<Row>> {
        let table = Table::from_bytes(self.functions, bytes)?;
        let row = |r| {
            let view = table.view(r);
            let mut observables = vec![f64::NAN; self.entry.observables.len()];
            table.observe(r, now, &mut observables);
            Row {
                index: r,
                owner: view.owner,
                cwnd: view.cwnd,
                ssthresh: view.ssthresh,
                srtt_us: view.srtt,
                min_rtt_us: (view.min_rtt != shared::NO_RTT).then_some(view.min_rtt),
                observables,
            }
        };
        Some((0..shared::PATHS).map(row).filter(|row| row.owner != 0).collect())
    }

    /// A group with these rows as it lies in the kernel's map, for tests of what reads one. Each has data
    /// in flight, and the observables follow from the rest.
    pub fn bytes(&self, rows: &[Row]) -> Vec<u8> {
        let mut table = Table::new(self.functions);
        for row in rows {
            table.added(row.index, row.owner, row.cwnd, row.srtt_us);
            if let Some(rtt) = row.min_rtt_us {
                let rtt = shared::Samples::one(rtt);
                table.ack(
                    row.index,
                    None,
                    &shared::Ack { rtt, srtt: row.srtt_us, rto: u64::MAX / 2, ..Default::default() },
                );
            }
            table.set(row.index, row.cwnd, row.ssthresh);
        }
        table.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headers_have_the_references_observables() {
        for entry in all() {
            let (header, reference) =
                (entry.functions.observables as usize, entry.reference.observables.len());
            assert_eq!(header, reference, "{}", entry.kernel_name);
        }
    }

    /// The kernel's `TCP_CA_NAME_MAX` is 16, with the zero byte.
    #[test]
    fn names_fit_into_the_kernels() {
        assert!(all().iter().all(|entry| entry.kernel_name.len() < 16));
    }

    #[test]
    fn rows_read_what_the_c_side_wrote() {
        let row = |index, owner, cwnd, ssthresh, srtt_us, min_rtt_us| Row {
            index,
            owner,
            cwnd,
            ssthresh,
            srtt_us,
            min_rtt_us,
            observables: vec![],
        };
        let written =
            [row(0, 7, 10.5, f64::INFINITY, 0, None), row(8, u64::MAX, 1048576.0, 2.0, 100_000_000, Some(1))];
        for entry in all() {
            let bytes = entry.bytes(&written);
            assert_eq!(bytes.len(), entry.group_size());
            let mut read = entry.rows(&bytes, 0).unwrap();
            for row in &mut read {
                assert_eq!(std::mem::take(&mut row.observables).len(), entry.entry.observables.len());
            }
            assert_eq!(read, written, "{}", entry.kernel_name);
            assert_eq!(entry.rows(&bytes[1..], 0), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Rows change while they are copied, so that any of their bytes may be of another instant.
        #[test]
        fn any_bytes_are_read(seed in prop::collection::vec(any::<u8>(), 1..64)) {
            for entry in all() {
                let bytes: Vec<u8> = seed.iter().copied().cycle().take(entry.group_size()).collect();
                prop_assert!(entry.rows(&bytes, 0).unwrap().len() <= shared::PATHS);
            }
        }
    }
}
