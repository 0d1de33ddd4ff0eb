//! Reads a packet capture into a record.

use crate::{Error, Watch, earlier, error::input_error};
use anabranch_capture::{ReadError, ReadOptions, read, trace};
use anabranch_net::Time;
use anabranch_record::{NoSamples, RunDirectory, SampleFormat, Sink, Summary};
use miette::miette;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Options for reading a capture.
#[derive(Clone, Debug)]
pub struct CaptureOptions {
    /// Time between samples.
    pub interval: Time,
    /// Whether to include TCP connections without MPTCP.
    pub tcp: bool,
    /// The folder of its record, and the format of the samples there.
    pub record: Option<(PathBuf, SampleFormat)>,
    /// Whether to replace the record of a run or of another capture.
    pub replace: bool,
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions { interval: Time::from_millis(100), tcp: false, record: None, replace: false }
    }
}

/// Reads a capture of tcpdump, dumpcap or Wireshark. Returns the summary of its MPTCP connections, and the record's files or
/// the error in writing them.
pub fn capture(
    file: &Path,
    options: &CaptureOptions,
    watch: &Watch<'_>,
) -> Result<(Summary, Result<Vec<PathBuf>, Error>), Error> {
    let (name, file) = open_capture(file)?;
    let open = |(path, format): &(PathBuf, _)| RunDirectory::open(path, *format, &[], watch.note);
    let mut directory = options.record.as_ref().map(open).transpose()?;
    let mut of_this_file = None;
    if let (Some((path, _)), Some(earlier)) =
        (&options.record, directory.as_ref().and_then(RunDirectory::earlier))
    {
        let same = earlier.capture.as_ref().is_some_and(|read| {
            let interval = Time::from_nanos((read.interval_s * 1e9).round() as u64);
            let made = (&*earlier.scenario, &*earlier.version, read.tcp, interval);
            made == (&*name, env!("CARGO_PKG_VERSION"), options.tcp, options.interval)
        });
        match same {
            true => of_this_file = Some((path, earlier)),
            false => earlier::check(path, &earlier, options.replace, watch.note)?,
        }
    }
    let sink: &mut dyn Sink = match &mut directory {
        Some(directory) => directory.sink(),
        None => &mut NoSamples,
    };
    let how = ReadOptions { name: name.clone(), interval: options.interval.as_nanos(), tcp: options.tcp };
    let summary = read(file, &how, sink, &mut || !watch.cancel.is_cancelled());
    let summary = summary.map_err(|error| cannot_read(&name, &error))?;
    if summary.capture.as_ref().is_some_and(|read| read.cut_off) {
        (watch.note)(&format!("{name} ends within a packet; this last packet is left out"));
    }
    // The file may have changed since.
    if let Some((path, earlier)) = of_this_file.filter(|(_, earlier)| earlier.to_json() != summary.to_json())
    {
        earlier::check_changed(path, &earlier, options.replace, watch.note)?;
    }
    let files = directory.map(|directory| directory.finish(&summary, None)).transpose();
    Ok((summary, files.map(Option::unwrap_or_default).map_err(Error::from)))
}

/// The trace of a capture, as text: a line per segment.
pub fn capture_trace(file: &Path) -> Result<String, Error> {
    let (name, file) = open_capture(file)?;
    trace(file).map_err(|error| cannot_read(&name, &error))
}

fn open_capture(path: &Path) -> Result<(String, File), Error> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| Error::environment(format!("cannot read {name}"), &error))?;
    if file.metadata().is_ok_and(|file| file.is_dir()) {
        return Err(Error::Input(miette!("{name} is a directory, not a capture")));
    }
    Ok((name, file))
}

fn cannot_read(name: &str, error: &ReadError) -> Error {
    match error {
        ReadError::Interrupted => Error::Interrupted(miette!("interrupted; nothing was written")),
        error => input_error(format!("{name}: {error}"), error.help()),
    }
}
