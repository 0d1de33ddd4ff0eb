//! Writes the packets of a simulated run as a capture, and its QUIC connections as traces.

use crate::Error;
use crate::error::input_error;
use crate::qlog::Traces;
use crate::quic::NOQ;
use crate::units::{BYTES, with_unit};
use anabranch_capture::{BackgroundCapture, Capture, HostCapture, Options, is_own};
use anabranch_record::output::{Notify, OutputFile};
use anabranch_record::{KeepGoing, Sink, Summary};
use anabranch_scenario::Scenario;
use anabranch_sim::tap::Tap;
use anabranch_study::task::SIM;
use anabranch_study::{Backend, Task, TaskError};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// The snap length that keeps all of a packet's payload, in bytes.
const WHOLE: u32 = 262_144;

/// The packets of a run to capture.
#[derive(Clone, Debug)]
pub struct Packets {
    /// The pcapng file to write.
    pub file: PathBuf,
    /// The links to capture at, before their queues; if empty, the capture is at the senders' hosts. On a kernel it must be.
    pub links: Vec<String>,
    /// Bytes to keep of each packet, 0 for all; by default the headers, and on a kernel always; with QUIC all.
    pub snap: Option<u32>,
}

/// The file that receives a capture.
enum Target {
    /// A regular file, which appears under its name when it is complete.
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

type Begun = (Mutex<BackgroundCapture<Target>>, PathBuf);

/// The simulator, or the QUIC stack in it, with a capture or traces of what it simulates.
pub struct ObservedBackend {
    capture: Option<Begun>,
    traces: Option<Traces>,
    is_quic: bool,
}

impl ObservedBackend {
    /// Starts the capture and the traces.
    pub fn new(
        packets: Option<&Packets>,
        traces: Option<Traces>,
        scenario: &Scenario,
        backend: &str,
        replace: bool,
        note: Notify,
    ) -> Result<Self, Error> {
        let is_quic = backend == NOQ.name();
        let capture = packets.map(|wanted| begin(wanted, scenario, is_quic, replace, note));
        Ok(ObservedBackend { capture: capture.transpose()?, traces, is_quic })
    }

    /// Ends the capture and the traces, and returns their files. Those of an interrupted run have other names, because the
    /// formats cannot mark them as partial.
    pub fn finish(self, partial: bool) -> Result<Vec<PathBuf>, Error> {
        let traces = self.traces.map(|traces| traces.finish(partial)).transpose();
        let capture = self.capture.map(|(capture, path)| {
            complete(capture.into_inner().expect("nothing panicked").finish(), path, partial)
        });
        // Both have ended, so that an error of one does not keep the other from its name.
        let mut files = traces?.unwrap_or_default();
        files.extend(capture.transpose()?);
        Ok(files)
    }
}

fn begin(
    wanted: &Packets,
    scenario: &Scenario,
    is_quic: bool,
    replace: bool,
    note: Notify,
) -> Result<Begun, Error> {
    let path = &wanted.file;
    let links = wanted.links.iter().map(|name| link(scenario, name)).collect::<Result<_, _>>()?;
    let snap = match wanted.snap {
        Some(0) => WHOLE,
        Some(bytes) => bytes,
        None if is_quic => WHOLE,
        None => Options::default().snap,
    };
    let options = Options { links, snap };
    let target = target(path, replace)?;
    let begin = || BackgroundCapture::new(Capture::new(scenario, scenario.seed, &options, target)?);
    let capture = begin().map_err(|error| cannot_write(path, &error))?;
    let most = with_unit(options.most_bytes(scenario), BYTES);
    note(&format!("{} may grow to about {most}", path.display()));
    Ok((Mutex::new(capture), path.clone()))
}

/// The capture of a run on a kernel. It takes the packets after the run.
pub struct HostPackets {
    capture: HostCapture<Target>,
    path: PathBuf,
}

impl HostPackets {
    /// Starts the capture.
    pub fn new(wanted: &Packets, scenario: &Scenario, replace: bool) -> Result<Self, Error> {
        let path = wanted.file.clone();
        let capture = HostCapture::new(scenario, target(&path, replace)?);
        Ok(HostPackets { capture: capture.map_err(|error| cannot_write(&path, &error))?, path })
    }

    /// Where the packets go.
    pub fn sink(&mut self) -> &mut dyn Sink {
        &mut self.capture
    }

    /// As [`ObservedBackend::finish`].
    pub fn finish(self, partial: bool) -> Result<PathBuf, Error> {
        complete(self.capture.finish(), self.path, partial)
    }
}

/// Gives the file of an ended capture its name.
fn complete(ended: io::Result<Target>, path: PathBuf, partial: bool) -> Result<PathBuf, Error> {
    let cannot = |error| cannot_write(&path, &error);
    match ended.map_err(cannot)? {
        Target::Whole(file) if partial => Ok(file.finish_partial()?),
        Target::Whole(file) => Ok(file.finish()?),
        Target::Stream(mut file) => file.flush().map_err(cannot).map(|()| path.clone()),
    }
}

impl Backend for ObservedBackend {
    fn name(&self) -> &str {
        if self.is_quic { NOQ.name() } else { SIM }
    }

    fn run(&self, task: &Task, sink: &mut dyn Sink, keep_going: KeepGoing<'_>) -> Result<Summary, TaskError> {
        let mut capture = self.capture.as_ref().map(|(began, _)| began.lock().expect("nothing panicked"));
        let packets = capture.as_mut().map(|capture| &mut **capture as &mut dyn Tap);
        if self.is_quic {
            return crate::quic::run(task, sink, packets, self.traces.as_ref(), keep_going);
        }
        let (scenario, seed) = (task.scenario("the task's scenario")?, task.seed_of_run());
        anabranch_papers::ended(anabranch_sim::run_with(&scenario, seed, sink, None, packets, keep_going))
    }
}

fn link(scenario: &Scenario, name: &str) -> Result<usize, Error> {
    scenario.links.iter().position(|link| link.name == name).ok_or_else(|| {
        let known: Vec<&str> = scenario.links.iter().map(|link| &*link.name).collect();
        let help = format!("known: {}", known.join(", "));
        input_error(format!("`--links`: unknown link `{name}`"), Some(&help))
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
