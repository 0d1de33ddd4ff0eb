//! Writes qlog traces of QUIC connections: a file for the sender and one for the receiver of each.

use crate::{Error, Scenario, earlier};
use anabranch_record::output::OutputFile;
use anabranch_scenario::{Flow, Transport};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What stands near the start of each trace of ours.
const TITLE: &[u8] = b"\"title\":\"anabranch ";

/// The traces of a run.
pub(crate) struct Traces(Vec<Option<[Trace; 2]>>);

impl Traces {
    /// Creates their files in `folder`.
    pub(crate) fn begin(folder: &Path, scenario: &Scenario, replace: bool) -> Result<Self, Error> {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
        let of_flow = |(f, flow): (usize, &Flow)| {
            let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' };
            let name: String = flow.name.chars().map(plain).collect();
            let trace = |end: &str| {
                let path = folder.join(format!("{}-{name}-{end}.sqlog", f + 1));
                earlier::refuse_input_as_output("--qlog", &path, scenario.files())?;
                let file = OutputFile::create(&path, (!replace).then_some(is_own))?;
                let file = Some(BufWriter::new(file));
                Ok::<_, Error>(Trace(Arc::new(Mutex::new(Part { path, file, is_empty: true, error: None }))))
            };
            (flow.transport == Transport::Backend)
                .then(|| Ok([trace("sender")?, trace("receiver")?]))
                .transpose()
        };
        Ok(Traces(scenario.flows.iter().enumerate().map(of_flow).collect::<Result<_, Error>>()?))
    }

    /// The destination of the trace of flow `f`'s sender or receiver.
    #[cfg_attr(not(feature = "quic"), expect(dead_code))]
    pub(crate) fn open(&self, f: usize, is_sender: bool) -> Box<dyn Write + Send + Sync> {
        let [sender, receiver] = self.0[f].as_ref().expect("a flow of QUIC");
        Box::new(if is_sender { sender.clone() } else { receiver.clone() })
    }

    /// Gives the traces of the connections that began their names.
    pub(crate) fn finish(self, partial: bool) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        for Trace(part) in self.0.into_iter().flatten().flatten() {
            let mut part = lock(&part);
            let Some(mut file) = part.file.take().filter(|_| !part.is_empty) else { continue };
            let flushed = file.flush();
            part.error.take().map_or(flushed, Err).map_err(|error| cannot_write(&part.path, &error))?;
            let file = file.into_inner().map_err(|error| cannot_write(&part.path, error.error()))?;
            files.push(if partial { file.finish_partial()? } else { file.finish()? });
        }
        Ok(files)
    }
}

/// A trace that is written.
#[derive(Clone)]
struct Trace(Arc<Mutex<Part>>);

struct Part {
    path: PathBuf,
    /// Until the run ends.
    file: Option<BufWriter<OutputFile>>,
    /// Whether the connection did not begin.
    is_empty: bool,
    /// The first one. The stack does not stop at it.
    error: Option<io::Error>,
}

fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for Trace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = &mut *lock(&self.0);
        part.is_empty = false;
        if let (Some(file), None) = (&mut part.file, &part.error)
            && let Err(error) = file.write_all(bytes)
        {
            part.error = Some(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether a file is a trace of ours.
fn is_own(file: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(file)?.take(256).read_to_end(&mut start)?;
    Ok(start.windows(TITLE.len()).any(|part| part == TITLE))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::environment(format!("cannot write the trace {}", path.display()), error)
}
