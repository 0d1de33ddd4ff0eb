//! A backend with its options.

use crate::{Error, Scenario};
use anabranch_papers::Simulator;
use anabranch_study::{Backend, Variant, variant};
use miette::miette;
use std::fmt;

/// A backend that runs scenarios, with its options: the simulator, a Linux kernel of [`crate::linux`], or the QUIC stack.
pub struct Runner {
    /// The backend.
    pub backend: &'static dyn Backend,
    /// The same backend with iperf3 as the traffic; only Linux kernels have it.
    pub with_iperf3: Option<&'static dyn Backend>,
    /// Its values beside the simulator's, in sweeps, studies and papers. Without it, the backend is for `run` and `compare` alone.
    pub(crate) variant: Option<&'static Variant>,
    pub(crate) is_ready: fn() -> Result<(), Error>,
}

/// The simulator.
pub static SIM: Runner = Runner::of(&Simulator);

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Runner {
    /// A backend that is always ready, without options.
    pub(crate) const fn of(backend: &'static dyn Backend) -> Self {
        Runner { backend, with_iperf3: None, variant: None, is_ready: || Ok(()) }
    }

    /// The backend's name in tasks.
    pub fn name(&self) -> &'static str {
        self.backend.name()
    }

    /// Whether it is a Linux kernel.
    pub fn is_kernel(&self) -> bool {
        self.with_iperf3.is_some()
    }

    /// The options that select it and `--linux-hosts` on a command line, each after a space; none for the simulator.
    pub fn options(&self, linux_hosts: bool) -> String {
        let is_default = self.name() == SIM.name();
        let backend = if is_default { String::new() } else { format!(" --backend {}", self.name()) };
        backend + if linux_hosts { " --linux-hosts" } else { "" }
    }

    /// The sensitivity variants to run beside the default: the backend's own, and the Linux-accurate host model, which
    /// `linux_hosts` or a Linux kernel adds.
    pub fn variants(&self, linux_hosts: bool) -> Vec<&'static Variant> {
        let hosts = (linux_hosts || self.is_kernel()).then_some(&variant::LINUX_HOSTS);
        self.variant.into_iter().chain(hosts).collect()
    }

    /// Checks that the backend works on this machine.
    pub fn ready(&self) -> Result<(), Error> {
        (self.is_ready)()
    }

    /// Checks that the backend can run the scenario.
    pub fn accepts(&self, scenario: &Scenario) -> Result<(), Error> {
        let Some(why) = self.backend.refuses(scenario) else { return Ok(()) };
        let (file, name) = (scenario.file(), self.name());
        Err(Error::Input(miette!("{file} cannot be run with `--backend {name}`: {why}")))
    }

    /// Checks that the backend can stand beside the simulator, and run at least one of the scenarios.
    pub(crate) fn accepts_any<'a>(
        &self,
        scenarios: impl Iterator<Item = &'a anabranch_scenario::Scenario>,
    ) -> Result<(), Error> {
        let name = self.name();
        if self.variant.is_none() && name != SIM.name() {
            self.ready()?;
            return Err(Error::Input(miette!("`--backend {name}` works only with `run` and `compare`")));
        }
        let mut reasons = scenarios.map(|scenario| self.backend.refuses(scenario));
        let first = reasons.next().flatten();
        let Some(why) = first.filter(|_| reasons.all(|why| why.is_some())) else { return Ok(()) };
        Err(Error::Input(miette!("`--backend {name}` cannot run any of these scenarios: {why}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Changes, Outputs, Packets, RUNNERS};
    use anabranch_record::{KeepGoing, Sink, Summary};
    use anabranch_study::{Task, TaskError};

    struct Plain;

    impl Backend for Plain {
        fn name(&self) -> &str {
            "plain"
        }

        fn run(&self, _: &Task, _: &mut dyn Sink, _: KeepGoing<'_>) -> Result<Summary, TaskError> {
            Err(TaskError::Failed("not called".into()))
        }
    }

    #[test]
    fn a_backend_without_a_column_is_for_single_runs() {
        static PLAIN: Runner = Runner::of(&Plain);
        let why = |refused: Result<(), Error>| match refused {
            Err(Error::Input(why)) => why.to_string(),
            other => panic!("{other:?}"),
        };
        let refused = PLAIN.accepts_any(std::iter::empty());
        assert_eq!(why(refused), "`--backend plain` works only with `run` and `compare`");
        assert!(SIM.accepts_any(std::iter::empty()).is_ok());
        let text = "name = \"t\"\nduration = \"1 s\"\nlinks.a = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
                    flows = [{ name = \"f\", cc = \"reno\", paths = [[\"a\"]] }]";
        let scenario = Scenario::of_text("t", text, Changes::default()).unwrap();
        let packets = Some(Packets { file: "t.pcapng".into(), links: vec![], snap: None });
        let outputs = Outputs { record: None, plot: None, packets, traces: None, replace: false };
        let refused = outputs.check(&scenario, &PLAIN, false);
        assert_eq!(why(refused), "`--pcap` does not work with `--backend plain`");
        assert!(outputs.check(&scenario, &SIM, false).is_ok());
    }

    #[test]
    fn only_a_kernel_adds_the_linux_hosts() {
        for (runner, _) in RUNNERS {
            let has =
                |asked| runner.variants(asked).iter().any(|variant| variant.id == variant::LINUX_HOSTS.id);
            let is_kernel = ["kernel", "guest"].iter().any(|kind| runner.name().starts_with(kind));
            assert_eq!((has(false), has(true)), (is_kernel, true), "{runner:?}");
        }
    }
}
