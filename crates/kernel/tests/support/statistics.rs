//! How long the programs of an algorithm ran.

use anabranch_kernel::Instance;
use std::collections::BTreeMap;
use std::os::fd::{FromRawFd, OwnedFd};

/// Calls and nanoseconds of each program, by the function of `tcp_congestion_ops` that it is.
pub struct Statistics(BTreeMap<String, (u64, u64)>);

impl Statistics {
    /// The kernel measures as long as this is kept: nothing of it lasts, unlike the sysctl.
    #[allow(unsafe_code)]
    pub fn enable() -> OwnedFd {
        // SAFETY: the call takes a number and gives a descriptor that is nobody else's, or less than 0.
        let fd = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
        assert!(fd >= 0, "the kernel does not measure BPF programs: {fd}");
        // SAFETY: see above.
        unsafe { OwnedFd::from_raw_fd(fd) }
    }

    /// Since the algorithm was loaded.
    pub fn of(instance: &Instance) -> Self {
        let programs = instance.programs.iter().map(|program| {
            let name = program.name.to_string_lossy().trim_start_matches("ab_").to_owned();
            (name, (program.run_cnt, program.run_time_ns))
        });
        Statistics(programs.collect())
    }

    pub fn since(&self, before: &Self) -> Self {
        let less = |(name, (calls, time)): (&String, &(u64, u64))| {
            let (calls_before, time_before) = before.0.get(name).copied().unwrap_or_default();
            (name.clone(), (calls - calls_before, time - time_before))
        };
        Statistics(self.0.iter().map(less).collect())
    }

    /// Nanoseconds per call of a function; not a number without calls.
    pub fn per_call(&self, function: &str) -> f64 {
        self.0.get(function).map_or(f64::NAN, |(calls, time)| *time as f64 / *calls as f64)
    }

    /// Nanoseconds of all of them per acknowledgement that measured something.
    pub fn per_ack(&self) -> f64 {
        let time: u64 = self.0.values().map(|(_, time)| time).sum();
        time as f64 / self.0["pkts_acked"].0 as f64
    }
}
