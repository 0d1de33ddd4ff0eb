//! The same scenarios with Linux-accurate hosts in the simulator: differences that the host model explains.

use super::{Difference, Fidelity, Measure, each, of_flows, ratio};
use crate::outcome::Outcome;
use crate::stats::Estimate;
use anabranch_record::Summary;
use serde::{Deserialize, Serialize};

/// The setting that selects Linux-accurate hosts.
pub const LINUX_HOSTS_SET: &str = "hosts=linux";

/// A scenario in the simulator with `hosts = "linux"`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinuxHosts {
    /// The command that runs it.
    pub command: String,
    /// The comparable quantities.
    pub quantities: Vec<Simulated>,
}

/// A quantity of one scenario in the simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Simulated {
    /// Which.
    pub kind: Measure,
    /// As `Difference::of`.
    pub of: String,
    /// Its value, in the kind's unit.
    pub simulated: Estimate,
}

/// A [`Difference`] with Linux-accurate hosts in the simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WithLinuxHosts {
    /// The simulator's value with these hosts, over all of its seeds.
    pub simulated: Estimate,
    /// As [`Difference::relative`].
    pub relative: Option<f64>,
    /// As [`Difference::half_width`].
    pub half_width: Option<f64>,
}

impl LinuxHosts {
    /// From the runs of a scenario with these hosts, one per seed. `None` if all failed.
    pub(crate) fn of(command: String, runs: &[Result<Outcome, String>]) -> Option<LinuxHosts> {
        let runs: Vec<&Summary> = runs.iter().flatten().map(|run| &run.summary).collect();
        let quantities = of_flows(&runs.first()?.flows).filter_map(|(kind, of, value)| {
            each(&runs, &value).map(|simulated| Simulated { kind, of, simulated })
        });
        Some(LinuxHosts { command, quantities: quantities.collect() })
    }

    /// Whether that comparison is of this scenario: their commands differ only in the backend.
    fn is_of(&self, there: &Fidelity) -> bool {
        let same = there.command.rsplit_once(" --backend ");
        same.is_some_and(|(same, _)| self.command == format!("{same} --set {LINUX_HOSTS_SET} --seed 1"))
    }
}

/// Adds to each difference its value with Linux-accurate hosts, if simulated.
pub(crate) fn attach_linux_hosts(fidelity: &mut [Fidelity], hosts: &[LinuxHosts]) {
    for there in fidelity {
        let Some(hosts) = hosts.iter().find(|hosts| hosts.is_of(there)) else { continue };
        for quantity in &mut there.quantities {
            let same = |s: &&Simulated| s.kind == quantity.kind && s.of == quantity.of;
            quantity.linux_hosts = hosts.quantities.iter().find(same).map(|here| {
                let (relative, half_width) = ratio(&here.simulated, &quantity.real);
                WithLinuxHosts { simulated: here.simulated.clone(), relative, half_width }
            });
        }
    }
}

/// The cause of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// At most 10 %, or unknown.
    Near,
    /// More than 10 %, but within its 95 % interval or without an interval.
    Chance,
    /// Significant, but not with Linux-accurate hosts.
    LinuxHosts,
    /// Significant, also with Linux-accurate hosts if simulated.
    Unexplained,
}

impl Difference {
    /// The cause of this difference.
    pub fn cause(&self) -> Cause {
        let here = is_significant(self.relative, self.half_width);
        match &self.linux_hosts {
            Some(hosts) if is_significant(hosts.relative, hosts.half_width) => Cause::Unexplained,
            Some(_) if here => Cause::LinuxHosts,
            None if here => Cause::Unexplained,
            _ if self.relative.is_some_and(exceeds_ten_percent) => Cause::Chance,
            _ => Cause::Near,
        }
    }
}

/// Larger differences are marked.
const NOTABLE: f64 = 0.10;

/// Whether a difference is more than 10 %.
pub fn exceeds_ten_percent(relative: f64) -> bool {
    relative.abs() > NOTABLE
}

/// Whether a difference is more than 10 %, and more than its 95 % interval.
pub fn is_significant(relative: Option<f64>, half_width: Option<f64>) -> bool {
    let both = relative.zip(half_width);
    both.is_some_and(|(relative, half)| exceeds_ten_percent(relative) && relative.abs() > half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, half_width: f64) -> Estimate {
        Estimate { mean, half_width: Some(half_width), values: vec![mean] }
    }

    fn there(simulated: f64, half_width: f64) -> Fidelity {
        let (simulated, real) = (estimate(simulated, half_width), estimate(10.0, 0.1));
        Fidelity {
            command: "anabranch run a.toml --set 'name=x --backend y' --backend kernel --seed 1".into(),
            quantities: vec![Difference::of(Measure::Goodput, "tcp".into(), simulated, real)],
            ..Fidelity::default()
        }
    }

    fn hosts(simulated: f64, half_width: f64) -> LinuxHosts {
        let (kind, of) = (Measure::Goodput, "tcp".to_owned());
        LinuxHosts {
            command: "anabranch run a.toml --set 'name=x --backend y' --set hosts=linux --seed 1".into(),
            quantities: vec![Simulated { kind, of, simulated: estimate(simulated, half_width) }],
        }
    }

    /// By hand: 12 and 10.5 beside 10 are 20 % and 5 % apart.
    #[test]
    fn what_a_difference_is_put_down_to() {
        let cause = |here: Fidelity, hosts: &[LinuxHosts]| {
            let mut all = [here];
            attach_linux_hosts(&mut all, hosts);
            all[0].quantities[0].cause()
        };
        assert_eq!(cause(there(10.5, 0.1), &[]), Cause::Near);
        assert_eq!(cause(there(12.0, 0.1), &[]), Cause::Unexplained);
        assert_eq!(cause(there(12.0, 0.1), &[hosts(10.5, 0.1)]), Cause::LinuxHosts);
        assert_eq!(cause(there(12.0, 0.1), &[hosts(12.0, 0.1)]), Cause::Unexplained);
        assert_eq!(cause(there(10.5, 0.1), &[hosts(8.0, 0.1)]), Cause::Unexplained);
        assert_eq!(cause(there(12.0, 4.0), &[hosts(12.0, 4.0)]), Cause::Chance);
        let mut all = [there(12.0, 0.1)];
        attach_linux_hosts(&mut all, &[hosts(10.5, 0.1)]);
        let found = all[0].quantities[0].linux_hosts.as_ref().unwrap();
        assert!((found.relative.unwrap() - 0.05).abs() < 1e-12);
        // Another scenario's are not taken.
        let other = LinuxHosts {
            command: "anabranch run b.toml --set hosts=linux --seed 1".into(),
            ..hosts(10.5, 0.1)
        };
        assert_eq!(cause(there(12.0, 0.1), &[other]), Cause::Unexplained);
    }
}
