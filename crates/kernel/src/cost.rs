//! What the programs cost: the kernel's statistics of their run time.

use crate::{Error, Instance, instances};
use std::collections::HashMap;
use std::os::fd::{FromRawFd, OwnedFd};
use std::thread::sleep;
use std::time::Duration;

/// What a program cost while it was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The algorithm's name in the kernel.
    pub algorithm: &'static str,
    /// The program, such as `ab_cong_avoid`.
    pub program: String,
    /// How often it ran.
    pub calls: u64,
    /// How long, ns.
    pub time: u64,
}

/// Lets the kernel measure run times while it lives: two readings of the clock per call.
struct Statistics {
    _descriptor: OwnedFd,
}

impl Statistics {
    fn enable() -> Result<Self, Error> {
        // SAFETY: a system call without pointers.
        #[allow(unsafe_code)]
        let descriptor = unsafe { libbpf_sys::bpf_enable_stats(libbpf_sys::BPF_STATS_RUN_TIME) };
        if descriptor < 0 {
            let error = libbpf_rs::Error::from_raw_os_error(-descriptor);
            return Err(Error::bpf("enable the kernel's BPF statistics")(error));
        }
        // SAFETY: the kernel has just given it to us, and nobody else has it.
        #[allow(unsafe_code)]
        let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok(Statistics { _descriptor: descriptor })
    }
}

/// Measures every program of ours for so long.
///
/// # Errors
/// Without privileges.
pub fn measure(duration: Duration) -> Result<Vec<Cost>, Error> {
    let _statistics = Statistics::enable()?;
    let programs = |instances: Vec<Instance>| {
        instances.into_iter().flat_map(|i| i.programs.into_iter().map(move |p| (i.entry.kernel_name, p)))
    };
    let before: HashMap<u32, _> =
        programs(instances()?).map(|(_, p)| (p.id, (p.run_cnt, p.run_time_ns))).collect();
    sleep(duration);
    let costs = programs(instances()?).map(|(algorithm, program)| {
        let (calls, time) = before.get(&program.id).copied().unwrap_or_default();
        Cost {
            algorithm,
            program: program.name.to_string_lossy().into_owned(),
            calls: program.run_cnt.saturating_sub(calls),
            time: program.run_time_ns.saturating_sub(time),
        }
    });
    Ok(costs.collect())
}
