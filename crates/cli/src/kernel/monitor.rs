//! `anabranch kernel monitor`: a live view of the sockets that use our algorithms in the kernel.

mod columns;
mod json;
mod plain;
mod screen;
mod terminal;

use super::args::MonitorArgs;
use super::needs::{find, require_privileges};
use super::users::note_uncoupled;
use crate::interrupt;
use crate::output::{is_closed, list_files, note, print};
use anabranch::algorithms::kernel_registry::KernelEntry;
use anabranch::kernel::{Filter, Namespace, Recorder, Sample, Watch};
use anabranch::records::RunDirectory;
use anabranch::studies::format::significant;
use anabranch::units::{BYTES, with_unit};
use anabranch::{Error, Time, check_record};
use miette::miette;
use screen::Screen;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use terminal::Terminal;

pub fn monitor(args: &MonitorArgs) -> Result<(), Error> {
    let mut watch = watch(args)?;
    if args.once {
        return show_once(args, &mut watch);
    }
    let on_screen = !args.json && std::io::stdout().is_terminal();
    if !on_screen && !args.json && args.record.is_none() {
        let help = "add --once, --json or --record";
        return Err(Error::Input(miette!(help = help, "standard output is not a terminal")));
    }
    interrupt::listen_to_the_end()?;
    let record = args.record.as_ref().map(|path| Record::open(path, args, watch.observables()));
    let mut record = record.transpose()?;
    let into = args.record.as_ref().map(|path| format!("recording into {}", path.display()));
    let screen = || Ok::<_, Error>((Terminal::open()?, Screen::new(into.unwrap_or_default())));
    let mut screen = on_screen.then(screen).transpose()?;
    let shown = show(args, &mut watch, &mut record, &mut screen);
    drop(screen);
    let Some(record) = record else { return shown };
    let finished = record.finish();
    shown?;
    let (files, at_s, too_few) = finished?;
    if !args.json {
        print(&list_files(&files))?;
    }
    let Some(free) = too_few else { return Ok(()) };
    let help = "free some space, or give a folder of another disk; a new record begins with new counters";
    Err(Error::Input(miette!(
        help = help,
        "only {} are free on the disk: the recording ended after {at_s:.1} s, and the record has all samples until then",
        with_unit(significant(free as f64, 3), BYTES)
    )))
}

fn show_once(args: &MonitorArgs, watch: &mut Watch) -> Result<(), Error> {
    let sample = watch.sample()?;
    if args.json {
        return print(&json_line(&sample));
    }
    note_uncoupled(&sample.coupling);
    if sample.connections.is_empty() {
        note(&nothing(args));
    }
    print(&plain::table(&sample))
}

/// That no socket is shown, and which were asked for.
fn nothing(args: &MonitorArgs) -> String {
    let port = args.port.map(|port| format!(" with port {port}"));
    let netns = args.netns.as_ref().map(|netns| format!(" in {netns}"));
    let cc = (!args.cc.is_empty()).then(|| args.cc.join(" or "));
    format!(
        "no open connection{}{} uses {}",
        port.unwrap_or_default(),
        netns.unwrap_or_default(),
        cc.unwrap_or_else(|| "an algorithm of anabranch".to_owned())
    )
}

/// A record that is being written into a directory.
struct Record {
    recorder: Recorder,
    directory: RunDirectory,
    /// The free bytes of the disk, if they are too few.
    too_few: Option<u64>,
}

impl Record {
    fn open(path: &Path, args: &MonitorArgs, observables: Vec<&'static str>) -> Result<Self, Error> {
        let mut directory = RunDirectory::open(path, args.format, &observables, note)?;
        if let Some(earlier) = directory.earlier() {
            // A live recording cannot be repeated.
            check_record(path, &earlier, args.replace, note)?;
        }
        Ok(Record { recorder: Recorder::begin(directory.sink()), directory, too_few: None })
    }

    fn add(&mut self, sample: &Sample) {
        self.recorder.add(sample, self.directory.sink());
        self.too_few = self.directory.must_end(self.recorder.subflows());
    }

    /// Completes the record. Returns its files, the time of its last sample in seconds and, if the disk has too little room, the free bytes.
    fn finish(self) -> Result<(Vec<PathBuf>, f64, Option<u64>), Error> {
        let mut summary = self.recorder.summary();
        summary.partial_until_s = self.too_few.map(|_| summary.duration_s);
        Ok((self.directory.finish(&summary, None)?, summary.duration_s, self.too_few))
    }
}

/// Takes samples until the user ends it or the duration is over.
fn show(
    args: &MonitorArgs,
    watch: &mut Watch,
    record: &mut Option<Record>,
    screen: &mut Option<(Terminal, Screen)>,
) -> Result<(), Error> {
    let start = Instant::now();
    let of = |time: Time| Duration::from_nanos(time.as_nanos());
    let mut due = start;
    loop {
        let sample = watch.sample()?;
        if let Some(record) = record {
            record.add(&sample);
            if record.too_few.is_some() {
                return Ok(());
            }
        }
        // Skips samples that are late.
        due = (due + of(args.interval)).max(Instant::now());
        let last = args.duration.is_some_and(|duration| due > start + of(duration));
        let ended = match screen {
            None => {
                if args.json {
                    print(&json_line(&sample))?;
                }
                if !last {
                    interrupt::wait(due);
                }
                interrupt::requested() || is_closed()
            }
            Some((terminal, screen)) => {
                screen.show(sample, watch.algorithms());
                terminal.show(screen, due)?
            }
        };
        if last || ended {
            return Ok(());
        }
    }
}

fn json_line(sample: &Sample) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    json::line(sample, now.unwrap_or_default().as_secs_f64())
}

/// Finds an algorithm of ours; a name of the kernel's own, such as cubic, does not stand for ours.
fn ours(name: &str) -> Result<&'static KernelEntry, Error> {
    let entry = find(name, &[])?;
    if entry.kernel_name == name || !anabranch::kernel::available()?.iter().any(|own| own == name) {
        return Ok(entry);
    }
    let ours = entry.kernel_name;
    Err(Error::Input(miette!(
        help = format!("write --cc {ours} for anabranch's"),
        "{name} is an algorithm of the kernel itself, which the monitor does not show"
    )))
}

/// Opens the watch that the command line describes; at least one of its algorithms is loaded.
fn watch(args: &MonitorArgs) -> Result<Watch, Error> {
    require_privileges()?;
    let netns = args.netns.as_deref().map(|name| Namespace::find(name)?.inode()).transpose()?;
    let algorithms: Vec<_> =
        args.cc.iter().map(|name| Ok(ours(name)?.kernel_name)).collect::<Result<_, Error>>()?;
    let watch = Watch::open(Filter { algorithms: algorithms.clone(), netns, port: args.port })?;
    let others: Vec<_> = watch.unreadable().iter().map(|entry| entry.kernel_name).collect();
    if !others.is_empty() {
        let names = others.join(", ");
        note(&format!("{names}: loaded by another version of anabranch and not shown; load it again"));
    }
    if watch.algorithms().is_empty() {
        return Err(Error::Input(if args.cc.is_empty() {
            let help = "load one, for example with `anabranch kernel load lia`";
            miette!(help = help, "no algorithm of anabranch is loaded")
        } else {
            let help = format!("`anabranch kernel load {}`", algorithms.join(" "));
            miette!(help = help, "not loaded: {}", algorithms.join(", "))
        }));
    }
    Ok(watch)
}
