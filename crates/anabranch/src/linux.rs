//! Scenarios on Linux: the running kernel, or a stock Debian kernel in a virtual machine.

use crate::{Error, Runner};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_study::store::Record;
use anabranch_study::{Backend, Task, TaskError, Variant};
use anabranch_testbed::{Guest, Limits, RunOptions, TestbedError};
use miette::miette;
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

pub use anabranch_testbed::{SampleWriter, Traffic, declare_virtual_time};

/// The environment variable with the folder of guest images.
const IMAGES: &str = "ANABRANCH_GUESTS";

/// Changes with the results of runs on kernels, of which a store then keeps none.
const REVISION: &str = "steps-of-a-tenth";

/// The number of repetitions of an invalid run.
const REPEATS: u32 = 2;

static REPEATING: OnceLock<fn(&str)> = OnceLock::new();

/// Gives `to` a sentence whenever a run on the running kernel is repeated because it failed or was not valid. Only the first call
/// counts.
pub fn report_repeated_runs(to: fn(&str)) {
    let _ = REPEATING.set(to);
}

/// The running kernel: real sockets in network namespaces, links emulated in real time. Needs root.
pub static KERNEL: Runner = Runner {
    backend: &RUNNING,
    with_iperf3: Some(&Kernel(Traffic::Iperf3)),
    variant: Some(&COLUMN),
    is_ready: || anabranch_testbed::ready().map_err(|why| Error::Input(miette!("{why}"))),
};

static RUNNING: Kernel = Kernel(Traffic::Own);

static COLUMN: Variant = Variant::on(
    &RUNNING,
    "kernel",
    "Linux",
    "The same scenarios on the running Linux kernel: its own TCP and MPTCP, links emulated in real time by the simulator's model of them.",
    "The running kernel is left out: it cannot run any of these scenarios.",
);

const IN_A_GUEST: &str = "The same scenarios on a stock Debian kernel under QEMU, in virtual time: its own TCP and MPTCP, links emulated by the simulator's model of them.";
const NOT_IN_A_GUEST: &str = "The guest's kernel is left out: it cannot run any of these scenarios.";

macro_rules! guest {
    ($series:literal, $title:literal) => {{
        const NAME: &str = concat!("guest-", $series);
        static IMAGE: Image = Image { name: NAME, series: $series, made: OnceLock::new() };
        static OWN: InGuest = InGuest(&IMAGE, Traffic::Own);
        static COLUMN: Variant = Variant::on(&OWN, NAME, $title, IN_A_GUEST, NOT_IN_A_GUEST);
        Runner {
            backend: &OWN,
            with_iperf3: Some(&InGuest(&IMAGE, Traffic::Iperf3)),
            variant: Some(&COLUMN),
            is_ready: || Ok(IMAGE.guest().map(drop)?),
        }
    }};
}

/// Debian's Linux 6.12 under QEMU, in virtual time: slower, but reproducible.
pub static GUEST_6_12: Runner = guest!("6.12", "Linux 6.12");
/// Debian's Linux 6.1.
pub static GUEST_6_1: Runner = guest!("6.1", "Linux 6.1");
/// Debian's newest Linux.
pub static GUEST_NEWEST: Runner = guest!("newest", "newest Linux");

/// The running kernel, with this traffic.
pub struct Kernel(pub Traffic);

impl Backend for Kernel {
    fn name(&self) -> &str {
        "kernel"
    }

    /// Includes the kernel's release and the machine's identifier, because results differ between machines, and the revision of the
    /// testbed.
    fn identity(&self) -> String {
        let machine = std::fs::read_to_string("/etc/machine-id").unwrap_or_default();
        format!("kernel {} {} {REVISION}", anabranch_testbed::release(), machine.trim())
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        anabranch_testbed::check(scenario).err().map(|why| why.to_string())
    }

    fn is_in_real_time(&self) -> bool {
        true
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        let scenario = task.scenario("the task's scenario")?;
        let repeating = REPEATING.get().copied().unwrap_or(|_| {});
        let options = RunOptions { repeats: REPEATS, repeating, traffic: self.0, limits: Limits::USUAL };
        let run = anabranch_testbed::run(&scenario, task.seed_of_run(), &options, sink, keep_going);
        run.map_err(task_error)
    }
}

fn task_error(error: TestbedError) -> TaskError {
    match error {
        TestbedError::Interrupted { at, partial } => TaskError::Interrupted { at, partial },
        TestbedError::Failed(why) | TestbedError::Broken(why) => TaskError::Failed(why),
        refused => TaskError::Refused(refused.to_string()),
    }
}

/// The image of a series of kernels, with this program, which all runs share.
struct Image {
    name: &'static str,
    series: &'static str,
    made: OnceLock<Result<Guest, String>>,
}

impl Image {
    fn guest(&self) -> Result<&Guest, TaskError> {
        let make = || {
            let program =
                env::current_exe().map_err(|why| format!("cannot find this program's own file: {why}"))?;
            Guest::new(&images()?, self.series, &program).map_err(|why| why.to_string())
        };
        self.made.get_or_init(make).as_ref().map_err(|why| TaskError::Refused(why.clone()))
    }
}

/// A stock kernel under QEMU, with this traffic. It starts the calling program in the guest, which must be the `anabranch`
/// command.
pub struct InGuest(&'static Image, Traffic);

impl Backend for InGuest {
    fn name(&self) -> &str {
        self.0.name
    }

    /// Includes the release of the image's kernel, and the revision of the testbed in guests.
    fn identity(&self) -> String {
        let release = images().and_then(|images| {
            std::fs::read_to_string(images.join(self.0.series).join("release")).map_err(|why| why.to_string())
        });
        format!("{} {} {REVISION}", self.0.name, release.unwrap_or_default().trim())
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        anabranch_testbed::check_for_guest(scenario).err().map(|why| why.to_string())
    }

    fn packet_cost(&self) -> Option<f64> {
        // 2000 packets per second of a core, where the simulator has 1.5 million; measured: 1,300 to 4,500.
        Some(750.0)
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        let scenario = task.scenario("the task's scenario")?;
        let inside = serde_json::to_vec(&task.clone().on("kernel")).expect("a task is plain data");
        let guest = self.0.guest()?;
        let outcome = guest
            .run(&inside, &scenario, task.seed_of_run(), self.1, sink, keep_going)
            .map_err(task_error)?;
        let record: Record = serde_json::from_slice(&outcome)
            .map_err(|why| TaskError::Failed(format!("cannot read the guest's result: {why}")))?;
        Ok(record.summary)
    }
}

/// The folder in which `tools/guest-image.sh` puts images.
fn images() -> Result<PathBuf, String> {
    let folder = |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder(IMAGES)
        .or_else(|| {
            let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
            Some(cache?.join("anabranch/guests"))
        })
        .ok_or_else(|| format!("cannot locate the guest images: set {IMAGES} or HOME"))
}
