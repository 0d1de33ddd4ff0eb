//! Runs a scenario once.

use crate::pcap::{HostPackets, ObservedBackend, Packets};
use crate::plot::{self, PictureFile};
use crate::qlog::Traces;
use crate::quic::NOQ;
use crate::{Error, Runner, SIM, Scenario, Watch, check_memory, earlier};
use anabranch_plot::LineSink;
use anabranch_record::{RunDirectory, SampleFormat, Sink, Sinks, Summary};
use anabranch_scenario::Transport;
use anabranch_study::{Backend, TaskError};
use miette::miette;
use std::path::{Path, PathBuf};

/// Whether every packet in the backend's network can be captured.
fn shows_packets(backend: &str) -> bool {
    [SIM.name(), NOQ.name()].contains(&backend)
}

/// The absolute path without symbolic links and `..`. Its end need not exist.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.into());
    whole.canonicalize().unwrap_or_else(|_| {
        let above = whole.parent().map(resolved).unwrap_or_default();
        match whole.file_name() {
            Some(name) => above.join(name),
            None => above.parent().unwrap_or(&above).to_owned(),
        }
    })
}

/// Runs the scenario and writes its samples over time to `samples`. A cancelled run returns the summary up to then: see
/// [`Summary::partial_until_s`].
pub fn run(
    scenario: &Scenario,
    backend: &dyn Backend,
    samples: &mut dyn Sink,
    watch: &Watch<'_>,
) -> Result<Summary, Error> {
    match backend.run(&scenario.task(backend.name()), samples, &mut watch.keep_going()) {
        Err(TaskError::Interrupted { partial: Some(partial), .. }) => Ok(*partial),
        whole => Ok(whole?),
    }
}

/// The files that a run writes.
#[derive(Clone, Debug)]
pub struct Outputs {
    /// The folder of its record, and the format of the samples there.
    pub record: Option<(PathBuf, SampleFormat)>,
    /// The file of its picture.
    pub plot: Option<PathBuf>,
    /// The capture of its packets.
    pub packets: Option<Packets>,
    /// The folder of the qlog traces of its QUIC connections.
    pub traces: Option<PathBuf>,
    /// Whether to replace files of another run or of another kind.
    pub replace: bool,
}

/// A run that has ended. Its files are written, except the picture.
pub struct CompletedRun {
    /// The summary of the run.
    pub summary: Summary,
    /// The files, or the error in writing them.
    pub files: Result<Vec<PathBuf>, Error>,
    picture: Option<(PictureFile, LineSink)>,
}

impl Outputs {
    /// Checks before the run that the files can be written. With `lax`, the run may need more than 4 GB of memory.
    pub fn check(&self, scenario: &Scenario, runner: &Runner, lax: bool) -> Result<(), Error> {
        if !lax {
            check_memory([&**scenario], self.plot.as_ref().map_or(0, |_| LineSink::memory(scenario)), 1)?;
        }
        runner.accepts(scenario)?;
        if let Some(picture) = &self.plot {
            plot::format(picture)?;
            self.refuse_in_record("--plot", picture)?;
            plot::folder(picture)?;
            earlier::refuse_input_as_output("--plot", picture, scenario.files())?;
        }
        if let Some(traces) = &self.traces {
            self.check_traces(traces, scenario, runner)?;
        }
        let Some(packets) = &self.packets else { return Ok(()) };
        if !runner.is_kernel() && !shows_packets(runner.name()) {
            let name = runner.name();
            return Err(Error::Input(miette!("`--pcap` does not work with `--backend {name}`")));
        }
        if runner.is_kernel() && (!packets.links.is_empty() || packets.snap.is_some()) {
            let help = "leave them out: a capture on a kernel has the headers at the senders' hosts";
            let why = miette!(
                help = help,
                "`--links` and `--snap` work only with the simulator and with `--backend noq`"
            );
            return Err(Error::Input(why));
        }
        self.refuse_in_record("--pcap", &packets.file)?;
        earlier::refuse_input_as_output("--pcap", &packets.file, scenario.files())
    }

    /// Checks that the run has connections to trace.
    fn check_traces(&self, traces: &Path, scenario: &Scenario, runner: &Runner) -> Result<(), Error> {
        if runner.name() != NOQ.name() {
            let (name, help) = (runner.name(), "add --backend noq, which makes flows QUIC connections");
            return Err(Error::Input(miette!(help = help, "`--qlog` does not work with `--backend {name}`")));
        }
        if scenario.flows.iter().all(|flow| flow.transport != Transport::Backend) {
            return Err(Error::Input(miette!("`--qlog`: no flow is a QUIC connection")));
        }
        self.refuse_in_record("--qlog", traces)
    }

    /// Refuses to write into the folder of the record: a file of another kind there blocks the next record.
    fn refuse_in_record(&self, option: &str, path: &Path) -> Result<(), Error> {
        match &self.record {
            Some((record, _)) if resolved(path).starts_with(resolved(record)) => Err(Error::Input(miette!(
                help = "give a path outside that folder",
                "`{option}` cannot write into the folder of `--out`: only the record is there"
            ))),
            _ => Ok(()),
        }
    }

    /// Runs the scenario on `backend` and writes its files. `options` select the backend in the command that repeats the run.
    pub fn run(
        &self,
        scenario: &Scenario,
        backend: &dyn Backend,
        options: &str,
        watch: &Watch<'_>,
    ) -> Result<CompletedRun, Error> {
        let simulated = shows_packets(backend.name());
        let (captured, on_hosts) =
            (self.packets.as_ref().filter(|_| simulated), self.packets.as_ref().filter(|_| !simulated));
        let mut on_hosts =
            on_hosts.map(|wanted| HostPackets::new(wanted, scenario, self.replace)).transpose()?;
        let picture = self.plot.as_deref().map(|path| PictureFile::begin(path, self.replace)).transpose()?;
        let open = |(path, format): &(PathBuf, _)| RunDirectory::open(path, *format, &[], watch.note);
        let mut directory = self.record.as_ref().map(open).transpose()?;
        if let (Some((path, _)), Some(earlier)) =
            (&self.record, directory.as_ref().and_then(RunDirectory::earlier))
        {
            earlier::check_run(path, &earlier, scenario, self.replace, watch.note)?;
        }
        let traces = self.traces.as_ref().map(|folder| Traces::begin(folder, scenario, self.replace));
        let traces = traces.transpose()?;
        let observed = (captured.is_some() || traces.is_some()).then(|| {
            ObservedBackend::new(captured, traces, scenario, backend.name(), self.replace, watch.note)
        });
        let observed = observed.transpose()?;
        let mut lines = LineSink::default();
        let mut sinks: Vec<&mut dyn Sink> = vec![];
        sinks.extend(directory.as_mut().map(|directory| directory.sink()));
        if picture.is_some() {
            sinks.push(&mut lines);
        }
        sinks.extend(on_hosts.as_mut().map(|packets| packets.sink()));
        let backend = observed.as_ref().map_or(backend, |observed| observed as &dyn Backend);
        let summary = run(scenario, backend, &mut Sinks(sinks), watch)?;
        let text = scenario.text_with_command(summary.seed, options, summary.partial_until_s);
        let record = directory.map(|directory| directory.finish(&summary, Some(&text))).transpose();
        let partial = summary.partial_until_s.is_some();
        let packets = match (observed, on_hosts) {
            (Some(observed), _) => observed.finish(partial),
            (None, Some(packets)) => packets.finish(partial).map(|file| vec![file]),
            (None, None) => Ok(vec![]),
        };
        let files = record.map_err(Error::from).map(Option::unwrap_or_default).and_then(|mut files| {
            files.extend(packets?);
            Ok(files)
        });
        Ok(CompletedRun { summary, files, picture: picture.map(|picture| (picture, lines)) })
    }
}

impl CompletedRun {
    /// Draws the requested picture, if any, and returns its file. The picture of a cancelled run shows it up to then.
    pub fn draw(&mut self, scenario: &Scenario, watch: &Watch<'_>) -> Result<Option<PathBuf>, Error> {
        let Some((picture, lines)) = self.picture.take() else { return Ok(None) };
        picture.draw_run(scenario, &self.summary, lines, watch).map(Some)
    }
}
