//! Backends that run the kernel's on a stock Debian kernel, in a virtual machine: in virtual time, without root.

use anabranch_net::Time;
use anabranch_record::{Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_study::store::Record;
use anabranch_study::{Backend, Task, TaskError};
use anabranch_testbed::{Guest, TestbedError, Traffic};
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The folder of images, in the environment.
const IMAGES: &str = "ANABRANCH_GUESTS";

/// A guest of a series of kernels.
pub struct Guests {
    name: &'static str,
    series: &'static str,
    /// The image with this program, for all runs.
    made: OnceLock<Result<Guest, String>>,
}

impl Guests {
    /// Those of a series, as a backend of that name.
    pub const fn of(series: &'static str, name: &'static str) -> Self {
        Guests { name, series, made: OnceLock::new() }
    }

    /// An error where there is no image, or no QEMU.
    pub fn ready(&self) -> Result<(), TaskError> {
        self.guest().map(drop)
    }

    fn guest(&self) -> Result<&Guest, TaskError> {
        let make = || {
            let program = env::current_exe().map_err(|why| format!("this program cannot be found: {why}"))?;
            Guest::new(&images()?, self.series, &program).map_err(|why| why.to_string())
        };
        self.made.get_or_init(make).as_ref().map_err(|why| TaskError::Refused(why.clone()))
    }
}

impl Backend for Guests {
    fn name(&self) -> &str {
        self.name
    }

    /// With the release of its image.
    fn identity(&self) -> String {
        let release = images().and_then(|images| {
            std::fs::read_to_string(images.join(self.series).join("release")).map_err(|why| why.to_string())
        });
        format!("{} {}", self.name, release.unwrap_or_default().trim())
    }

    fn refuses(&self, scenario: &Scenario) -> Option<String> {
        anabranch_testbed::check_for_guest(scenario).err().map(|why| why.to_string())
    }

    fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        self.run_with(Traffic::Own, task, sink, keep_going)
    }
}

impl Guests {
    /// With this traffic.
    pub fn run_with(
        &self,
        traffic: Traffic,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        let scenario =
            task.scenario("the task's scenario").map_err(|why| TaskError::Refused(why.to_string()))?;
        let inside = serde_json::to_vec(&task.clone().on("kernel")).expect("a task is plain data");
        let outcome = self.guest()?.run(&inside, &scenario, task.seed_of_run(), traffic, sink, keep_going);
        let outcome = outcome.map_err(|error| match error {
            TestbedError::Interrupted { at, partial } => TaskError::Interrupted { at, partial },
            TestbedError::Failed(why) | TestbedError::Broken(why) => TaskError::Failed(why),
            refused => TaskError::Refused(refused.to_string()),
        })?;
        let record: Record = serde_json::from_slice(&outcome)
            .map_err(|why| TaskError::Failed(format!("a guest's outcome cannot be read: {why}")))?;
        Ok(record.summary)
    }
}

/// Where `tools/guest-image.sh` puts images.
fn images() -> Result<PathBuf, String> {
    let folder = |variable| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    folder(IMAGES)
        .or_else(|| {
            let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
            Some(cache?.join("anabranch/guests"))
        })
        .ok_or_else(|| format!("no folder of guests' images: neither {IMAGES} nor HOME is set"))
}
