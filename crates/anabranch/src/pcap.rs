//! The packets of a simulated run as a capture.

use crate::Error;
use crate::error::told;
use crate::units::{BYTES, with_unit};
use anabranch_capture::{BackgroundCapture, Capture, Options, is_own};
use anabranch_net::Time;
use anabranch_record::output::{Notify, OutputFile};
use anabranch_record::{Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_study::task::SIM;
use anabranch_study::{Backend, Task, TaskError};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A packet with all of its payload.
const WHOLE: u32 = 262_144;

/// The packets of a run that are wanted.
#[derive(Clone, Debug)]
pub struct Packets {
    /// The file that they go to, as pcapng.
    pub file: PathBuf,
    /// What enters these links, before their queues; what the senders' hosts see where none is named.
    pub links: Vec<String>,
    /// So many bytes of each packet, 0 for all; the headers by default.
    pub snap: Option<u32>,
}

/// Where a capture goes.
enum Target {
    /// A file that is there when it is whole.
    Whole(OutputFile),
    /// A pipe or device.
    Stream(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Whole(file) => file.write(bytes),
            Target::Stream(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Whole(file) => file.flush(),
            Target::Stream(file) => file.flush(),
        }
    }
}

/// The simulator, with a capture of what it simulates.
pub struct Captured {
    capture: Mutex<BackgroundCapture<Target>>,
    path: PathBuf,
}

impl Captured {
    /// Begins the capture.
    pub fn new(wanted: &Packets, scenario: &Scenario, replace: bool, note: Notify) -> Result<Self, Error> {
        let path = &wanted.file;
        let links = wanted.links.iter().map(|name| link(scenario, name)).collect::<Result<_, _>>()?;
        let snap = match wanted.snap {
            Some(0) => WHOLE,
            Some(bytes) => bytes,
            None => Options::default().snap,
        };
        let options = Options { links, snap };
        let target = target(path, replace)?;
        let begin = || BackgroundCapture::new(Capture::new(scenario, scenario.seed, &options, target)?);
        let capture = begin().map_err(|error| cannot_write(path, &error))?;
        let most = with_unit(options.most_bytes(scenario), BYTES);
        note(&format!("{} may become about {most} large", path.display()));
        Ok(Captured { capture: Mutex::new(capture), path: path.clone() })
    }

    /// Ends it; the file that it wrote. That of a part of a run has another name: nothing in a capture says that it is one.
    pub fn finish(self, partial: bool) -> Result<PathBuf, Error> {
        let Captured { capture, path } = self;
        let capture = capture.into_inner().expect("nothing panicked");
        let cannot = |error| cannot_write(&path, &error);
        match capture.finish().map_err(cannot)? {
            Target::Whole(file) if partial => Ok(file.finish_partial()?),
            Target::Whole(file) => Ok(file.finish()?),
            Target::Stream(mut file) => file.flush().map_err(cannot).map(|()| path.clone()),
        }
    }
}

impl Backend for Captured {
    fn name(&self) -> &str {
        SIM
    }

    fn run(
        &self,
        task: &Task,
        sink: &mut dyn Sink,
        keep_going: &mut dyn FnMut(Time) -> bool,
    ) -> Result<Summary, TaskError> {
        let scenario =
            task.scenario("the task's scenario").map_err(|why| TaskError::Refused(why.to_string()))?;
        let capture = &mut *self.capture.lock().expect("nothing panicked");
        let seed = task.seed_of_run();
        anabranch_papers::ended(anabranch_sim::run_captured(&scenario, seed, sink, capture, keep_going))
    }
}

fn link(scenario: &Scenario, name: &str) -> Result<usize, Error> {
    scenario.links.iter().position(|link| link.name == name).ok_or_else(|| {
        let known: Vec<&str> = scenario.links.iter().map(|link| &*link.name).collect();
        let help = format!("its links are: {}", known.join(", "));
        told(format!("`--links`: the scenario has no link `{name}`"), Some(&help))
    })
}

fn target(path: &Path, replace: bool) -> Result<Target, Error> {
    if path.metadata().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        let stream = OpenOptions::new().write(true).open(path);
        return stream.map(Target::Stream).map_err(|error| cannot_write(path, &error));
    }
    Ok(Target::Whole(OutputFile::create(path, (!replace).then_some(is_own))?))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::environment(format!("cannot write the capture {}", path.display()), error)
}
