//! What runs a scenario: the simulator, the running kernel, or another kernel in a virtual machine.

use crate::failure::Failure;
use crate::guest::Guests;
use crate::table::{PERCENT, TIME, with_unit};
use anabranch_net::Time;
use anabranch_papers::Simulator;
use anabranch_record::{KernelRun, Sink, Summary};
use anabranch_scenario::{Scenario, printable};
use anabranch_study::{Backend, Backends, Task, TaskError, Variant, variant};
use anabranch_testbed::{Limits, RunOptions, TestbedError, Traffic};
use clap::ValueEnum;
use miette::miette;

/// Who sends and receives on the running kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrafficName {
    /// Threads of the command, which check every byte.
    Own,
    /// iperf3, for flows that send in bulk without end.
    Iperf3,
}

impl From<TrafficName> for Traffic {
    fn from(name: TrafficName) -> Self {
        match name {
            TrafficName::Own => Traffic::Own,
            TrafficName::Iperf3 => Traffic::Iperf3,
        }
    }
}

/// What runs a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// The simulator.
    Sim,
    /// The running Linux kernel: real sockets in network namespaces, links emulated in real time. Needs root.
    Kernel,
    /// The same on Debian's Linux 6.12 under QEMU, in virtual time: slower, and each time the same.
    #[value(name = "guest-6.12", alias = "guest")]
    Guest612,
    /// The same on Debian's Linux 6.1.
    #[value(name = "guest-6.1")]
    Guest61,
    /// The same on the newest Linux that Debian has.
    #[value(name = "guest-newest")]
    GuestNewest,
}

impl BackendName {
    /// It.
    pub fn backend(self) -> &'static dyn Backend {
        match self {
            BackendName::Sim => &Simulator,
            BackendName::Kernel => &KERNEL,
            BackendName::Guest612 => &GUEST_6_12,
            BackendName::Guest61 => &GUEST_6_1,
            BackendName::GuestNewest => &GUEST_NEWEST,
        }
    }

    /// Its name in tasks.
    pub fn name(self) -> &'static str {
        self.backend().name()
    }

    /// As it stands on a command line, after a space; nothing for the simulator.
    pub fn option(self) -> String {
        match self {
            BackendName::Sim => String::new(),
            other => format!(" --backend {}", other.name()),
        }
    }

    /// Its column beside the simulator's.
    pub fn column(self) -> Option<&'static Variant> {
        match self {
            BackendName::Sim => None,
            BackendName::Kernel => Some(&COLUMN),
            BackendName::Guest612 => Some(&COLUMN_6_12),
            BackendName::Guest61 => Some(&COLUMN_6_1),
            BackendName::GuestNewest => Some(&COLUMN_NEWEST),
        }
    }
}

/// The columns beside the simulator's: the backend's, and beside that or where they are asked for that of Linux hosts.
pub fn beside(backend: BackendName, linux_hosts: bool) -> Vec<&'static Variant> {
    let hosts = (linux_hosts || backend != BackendName::Sim).then_some(&variant::LINUX_HOSTS);
    backend.column().into_iter().chain(hosts).collect()
}

/// The two options as they stand on a command line.
pub fn options(backend: BackendName, linux_hosts: bool) -> String {
    let hosts = if linux_hosts { " --linux-hosts" } else { "" };
    backend.option() + hosts
}

/// All of them.
pub fn all() -> Backends<'static> {
    static ALL: [&dyn Backend; 5] = [&Simulator, &KERNEL, &GUEST_6_12, &GUEST_6_1, &GUEST_NEWEST];
    Backends(&ALL)
}

/// An error where the backend can run nothing here: before a command does anything else.
pub fn ready(backend: BackendName) -> Result<(), Failure> {
    match backend {
        BackendName::Sim => Ok(()),
        BackendName::Kernel => anabranch_testbed::ready().map_err(|why| Failure::Input(miette!("{why}"))),
        BackendName::Guest612 => Ok(GUEST_6_12.ready()?),
        BackendName::Guest61 => Ok(GUEST_6_1.ready()?),
        BackendName::GuestNewest => Ok(GUEST_NEWEST.ready()?),
    }
}

/// An error where the backend cannot run the scenario of that file.
pub fn accepts(backend: BackendName, file: &str, scenario: &Scenario) -> Result<(), Failure> {
    match backend.backend().refuses(scenario) {
        Some(why) => Err(Failure::Input(miette!("{file} cannot be run on the {}: {why}", backend.name()))),
        None => Ok(()),
    }
}

/// An error where the backend can run none of the scenarios: a study beside it would have nothing of it.
pub fn accepts_any<'a>(
    backend: BackendName,
    scenarios: impl Iterator<Item = &'a Scenario>,
) -> Result<(), Failure> {
    let mut reasons = scenarios.map(|scenario| backend.backend().refuses(scenario));
    let first = reasons.next().flatten();
    match first.filter(|_| reasons.all(|why| why.is_some())) {
        Some(why) => {
            let name = backend.name();
            Err(Failure::Input(miette!("the {name} can run none of these scenarios: {why}")))
        }
        None => Ok(()),
    }
}

/// A backend with another traffic than its own.
pub struct WithTraffic(pub BackendName, pub Traffic);

impl Backend for WithTraffic {
    fn name(&self) -> &str {
        self.0.backend().name()
    }

    fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        match self.0 {
            BackendName::Sim => Simulator.run(task, sink, keep_going),
            BackendName::Kernel => Kernel(self.1).run(task, sink, keep_going),
            BackendName::Guest612 => GUEST_6_12.run_with(self.1, task, sink, keep_going),
            BackendName::Guest61 => GUEST_6_1.run_with(self.1, task, sink, keep_going),
            BackendName::GuestNewest => GUEST_NEWEST.run_with(self.1, task, sink, keep_going),
        }
    }
}

static KERNEL: Kernel = Kernel(Traffic::Own);

static COLUMN: Variant = Variant::on(
    &KERNEL,
    "kernel",
    "Linux",
    "The same scenarios on the running Linux kernel: its own TCP and MPTCP, links emulated in real time by the simulator's model of them.",
    "No column of the running kernel: it can run none of these scenarios.",
);

static GUEST_6_12: Guests = Guests::of("6.12", "guest-6.12");
static GUEST_6_1: Guests = Guests::of("6.1", "guest-6.1");
static GUEST_NEWEST: Guests = Guests::of("newest", "guest-newest");

const IN_A_GUEST: &str = "The same scenarios on a stock Debian kernel under QEMU, in virtual time: its own TCP and MPTCP, links emulated by the simulator's model of them.";
const NOT_IN_A_GUEST: &str = "No column of a guest's kernel: it can run none of these scenarios.";

static COLUMN_6_12: Variant =
    Variant::on(&GUEST_6_12, "guest-6.12", "Linux 6.12", IN_A_GUEST, NOT_IN_A_GUEST);
static COLUMN_6_1: Variant = Variant::on(&GUEST_6_1, "guest-6.1", "Linux 6.1", IN_A_GUEST, NOT_IN_A_GUEST);
static COLUMN_NEWEST: Variant =
    Variant::on(&GUEST_NEWEST, "guest-newest", "newest Linux", IN_A_GUEST, NOT_IN_A_GUEST);

/// How often a run is repeated whose links did not keep up.
const REPEATS: u32 = 2;

/// The running kernel, with this traffic.
pub struct Kernel(pub Traffic);

impl Backend for Kernel {
    fn name(&self) -> &str {
        "kernel"
    }

    /// With the kernel's release and the machine's own number: another machine has other results.
    fn identity(&self) -> String {
        let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        format!("kernel {} {}", anabranch_testbed::release(), machine.trim())
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        anabranch_testbed::check(scenario).err().map(|why| why.to_string())
    }

    fn is_in_real_time(&self) -> bool {
        true
    }

    fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        let scenario =
            task.scenario("the task's scenario").map_err(|why| TaskError::Refused(why.to_string()))?;
        let options = RunOptions { repeats: REPEATS, traffic: self.0, limits: Limits::USUAL };
        let run = anabranch_testbed::run(&scenario, task.seed_of_run(), &options, sink, keep_going);
        run.map_err(|error| match error {
            TestbedError::Interrupted { at, partial } => TaskError::Interrupted { at, partial },
            TestbedError::Failed(why) | TestbedError::Broken(why) => TaskError::Failed(why),
            refused => TaskError::Refused(refused.to_string()),
        })
    }
}

/// What a run on a kernel tells of itself, for people.
pub fn page(run: &KernelRun) -> String {
    let emulator = &run.emulator;
    let lateness = emulator.lateness_p99_s.map_or("unknown".into(), |late| with_unit(late, TIME));
    let mut page = format!(
        "On Linux {}; 99 % of the packets left the emulated links less than {lateness} late, by {} of a core{}\n",
        printable(&run.release),
        with_unit(emulator.cpu, PERCENT),
        if emulator.real_time_priority { "" } else { ", without real-time priority" }
    );
    if run.skips_programs == Some(true) {
        page += "This kernel leaves out some calls of eBPF programs (see `anabranch kernel doctor`).\n";
    }
    if run.invalid_attempts > 0 {
        page += &format!("Attempts before this one that were not valid: {}\n", run.invalid_attempts);
    }
    for why in &run.invalid {
        page += &format!("NOT VALID: {why}\n");
    }
    page
}
