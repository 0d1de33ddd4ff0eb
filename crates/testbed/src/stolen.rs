//! Steal time: CPU time that the hypervisor withheld from this virtual machine, the usual reason for late links.

use std::fs;

/// Time of all CPUs since the machine started, in ticks: steal time and total.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stolen {
    stolen: u64,
    all: u64,
}

impl Stolen {
    /// `None` if the kernel does not report it.
    pub(crate) fn now() -> Option<Stolen> {
        Stolen::read(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The first line has user, nice, system, idle, iowait, irq, softirq and steal; user and nice already include the guests'
    /// times that follow (proc_stat(5)).
    fn read(table: &str) -> Option<Stolen> {
        let times = table.lines().next()?.strip_prefix("cpu ")?.split_whitespace().take(8);
        let times: Vec<u64> = times.map(|time| time.parse().ok()).collect::<Option<_>>()?;
        Some(Stolen { stolen: *times.get(7)?, all: times.iter().sum() })
    }

    /// The fraction of steal time since `then`.
    pub(crate) fn fraction_since(self, then: Stolen) -> Option<f64> {
        let all = self.all.checked_sub(then.all).filter(|all| *all > 0)?;
        Some(self.stolen.saturating_sub(then.stolen) as f64 / all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_time_is_a_fraction() {
        let then = Stolen::read("cpu  100 10 40 800 5 0 5 40 30 0\ncpu0 1 1 1 1\n").unwrap();
        assert_eq!(then, Stolen { stolen: 40, all: 1000 });
        let now = Stolen::read("cpu  150 10 60 900 5 0 5 70 60 0\n").unwrap();
        assert_eq!(now.fraction_since(then), Some(0.15));
        assert_eq!(then.fraction_since(then), None);
        assert_eq!(Stolen::read("cpu  100 10 40 800 5\n"), None, "a kernel before 2.6.11");
        assert!(Stolen::now().is_some());
    }
}
