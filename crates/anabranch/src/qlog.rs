//! Writes qlog traces of QUIC connections: a file for the sender and one for the receiver of each.

use crate::{Error, Scenario, earlier};
use anabranch_record::output::OutputFile;
use anabranch_scenario::{Flow, Transport};
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Near the start of each of our traces.
const TITLE: &[u8] = b"\"title\":\"anabranch ";

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

    /// Gives the traces of the connections that began their names. An error of one keeps no other from its name.
    pub(crate) fn finish(self, partial: bool) -> Result<Vec<PathBuf>, Error> {
        let traces = self.0.into_iter().flatten().flatten();
        let files: Vec<_> = traces.filter_map(|trace| lock(&trace.0).finish(partial).transpose()).collect();
        files.into_iter().collect()
    }
}

#[derive(Clone)]
struct Trace(Arc<Mutex<Part>>);

struct Part {
    path: PathBuf,
    /// Until the run ends, or an error.
    file: Option<BufWriter<OutputFile>>,
    /// Whether the connection did not begin.
    is_empty: bool,
    /// The first one. The stack does not stop at it.
    error: Option<io::Error>,
}

impl Part {
    fn finish(&mut self, partial: bool) -> Result<Option<PathBuf>, Error> {
        if let Some(error) = self.error.take() {
            return Err(cannot_write(&self.path, &error));
        }
        let Some(file) = self.file.take().filter(|_| !self.is_empty) else { return Ok(None) };
        let file = file.into_inner().map_err(|error| cannot_write(&self.path, error.error()))?;
        Ok(Some(if partial { file.finish_partial()? } else { file.finish()? }))
    }
}

fn lock(part: &Mutex<Part>) -> MutexGuard<'_, Part> {
    part.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Write for Trace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = &mut *lock(&self.0);
        part.is_empty = false;
        if let Some(Err(error)) = part.file.as_mut().map(|file| file.write_all(bytes)) {
            part.error = Some(error);
            part.file = None; // leaves the full disk to the record and to other traces
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn is_own(file: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(file)?.take(256).read_to_end(&mut start)?;
    Ok(start.windows(TITLE.len()).any(|part| part == TITLE))
}

fn cannot_write(path: &Path, error: &io::Error) -> Error {
    Error::environment(format!("cannot write the trace {}", path.display()), error)
}
