//! What runs a scenario.

use crate::{Error, Scenario};
use anabranch_papers::Simulator;
use anabranch_study::{Backend, Backends, Variant, variant};
use miette::miette;

/// What runs a scenario: the simulator, or a Linux kernel of [`crate::linux`].
pub struct On {
    /// It.
    pub backend: &'static dyn Backend,
    /// It with iperf3 as the traffic, where that can be.
    pub with_iperf3: Option<&'static dyn Backend>,
    pub(crate) column: Option<&'static Variant>,
    pub(crate) is_ready: fn() -> Result<(), Error>,
}

/// The simulator.
pub static SIM: On = On { backend: &Simulator, with_iperf3: None, column: None, is_ready: || Ok(()) };

static ALL: &[&dyn Backend] = &[
    &Simulator,
    #[cfg(feature = "linux")]
    &crate::linux::RUNNING,
    #[cfg(feature = "linux")]
    &crate::linux::IN_6_12,
    #[cfg(feature = "linux")]
    &crate::linux::IN_6_1,
    #[cfg(feature = "linux")]
    &crate::linux::IN_NEWEST,
];

/// All that there are here.
pub fn backends() -> Backends<'static> {
    Backends(ALL)
}

impl On {
    /// Its name in tasks.
    pub fn name(&self) -> &'static str {
        self.backend.name()
    }

    /// As it stands on a command line, after a space; nothing for the simulator.
    pub fn option(&self) -> String {
        self.column.map_or(String::new(), |_| format!(" --backend {}", self.name()))
    }

    /// The columns beside the simulator's: its own, and beside that or where they are asked for that of Linux hosts.
    pub fn beside(&self, linux_hosts: bool) -> Vec<&'static Variant> {
        let hosts = (linux_hosts || self.column.is_some()).then_some(&variant::LINUX_HOSTS);
        self.column.into_iter().chain(hosts).collect()
    }

    /// An error where it can run nothing here.
    pub fn ready(&self) -> Result<(), Error> {
        (self.is_ready)()
    }

    /// An error where it cannot run the scenario.
    pub fn accepts(&self, scenario: &Scenario) -> Result<(), Error> {
        match self.backend.refuses(scenario) {
            Some(why) => {
                let (file, name) = (scenario.file(), self.name());
                Err(Error::Input(miette!("{file} cannot be run on the {name}: {why}")))
            }
            None => Ok(()),
        }
    }

    /// An error where it can run none of the scenarios: a study beside it would have nothing of it.
    pub(crate) fn accepts_any<'a>(
        &self,
        scenarios: impl Iterator<Item = &'a anabranch_scenario::Scenario>,
    ) -> Result<(), Error> {
        let mut reasons = scenarios.map(|scenario| self.backend.refuses(scenario));
        let first = reasons.next().flatten();
        match first.filter(|_| reasons.all(|why| why.is_some())) {
            Some(why) => {
                let name = self.name();
                Err(Error::Input(miette!("the {name} can run none of these scenarios: {why}")))
            }
            None => Ok(()),
        }
    }
}
