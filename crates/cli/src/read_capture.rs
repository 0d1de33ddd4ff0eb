//! `anabranch capture`: a capture of real packets as a record.

use crate::earlier;
use crate::failure::Failure;
use crate::format::Format;
use crate::interrupt;
use crate::output::{note, print, print_text_of_json};
use crate::run::wrote;
use crate::table::{LOSS, PLAIN, RATE, Table};
use anabranch_capture::{ReadError, ReadOptions, read};
use anabranch_net::Time;
use anabranch_record::{CaptureRead, Fallback, FallbackSign, NoSamples, RunDirectory, Sink, Summary, View};
use anabranch_scenario::printable;
use clap::Args;
use miette::{MietteDiagnostic, miette};
use std::fs::File;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  sudo tcpdump -i any -s 128 -w run.pcap tcp port 5001
  anabranch capture run.pcap
  anabranch capture run.pcap --out out/capture --interval '10 ms'
  anabranch capture run.pcap --json

A capture at the sender's host tells most: there the round-trip time is whole, and what is sent again is seen.";

/// Arguments of `capture`.
#[derive(Debug, Args)]
pub struct ReadArgs {
    /// A capture of tcpdump, dumpcap or Wireshark, pcap or pcapng.
    pub file: PathBuf,
    /// Write into this directory the summary and the samples, as `run --out` does.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace what `--out` has of a run, of another capture or by another `--interval` or `--tcp`; without this, it stays.
    #[arg(long, requires = "out")]
    pub replace: bool,
    /// Format of the samples.
    #[arg(long, value_enum, default_value_t = Format::Parquet, requires = "out")]
    pub format: Format,
    /// Time between samples, 1 ms at least.
    #[arg(long, value_name = "TIME", default_value = "100 ms", value_parser = interval)]
    pub interval: Time,
    /// TCP connections without MPTCP, too.
    #[arg(long)]
    pub tcp: bool,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
}

fn interval(text: &str) -> Result<Time, String> {
    let interval = anabranch_scenario::time(text)?;
    let shortest = Time::from_millis(1);
    if interval < shortest { Err(format!("`{text}` is less than {shortest}")) } else { Ok(interval) }
}

/// `anabranch capture`.
pub fn capture(args: &ReadArgs) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let file = File::open(&args.file)
        .map_err(|error| Failure::environment(format!("cannot read {name}"), &error))?;
    if file.metadata().is_ok_and(|file| file.is_dir()) {
        return Err(Failure::Input(miette!("{name} is a directory, and no capture")));
    }
    interrupt::listen()?;
    let open = |path| RunDirectory::open(path, args.format.into(), &[], note);
    let mut directory = args.out.as_deref().map(open).transpose()?;
    let mut of_this_file = None;
    if let (Some(path), Some(earlier)) = (&args.out, directory.as_ref().and_then(RunDirectory::earlier)) {
        let same = earlier.capture.as_ref().is_some_and(|read| {
            let made = (&*earlier.scenario, &*earlier.version, read.tcp, seconds(read.interval_s));
            made == (&*name, env!("CARGO_PKG_VERSION"), args.tcp, args.interval)
        });
        earlier::check(path, &earlier, same, args.replace)?;
        of_this_file = same.then_some((path, earlier));
    }
    let sink: &mut dyn Sink = match &mut directory {
        Some(directory) => directory.sink(),
        None => &mut NoSamples,
    };
    let options = ReadOptions { name: name.clone(), interval: args.interval.as_nanos(), tcp: args.tcp };
    let summary =
        read(file, &options, sink, &mut |_| !interrupt::requested()).map_err(|error| told(&name, &error))?;
    if summary.capture.as_ref().is_some_and(|read| read.cut_off) {
        note(&format!("{name} is cut off within its last packet, which is left out"));
    }
    // The file may have other packets than it had.
    if let Some((path, earlier)) = of_this_file.filter(|(_, earlier)| earlier.to_json() != summary.to_json())
    {
        earlier::check_changed(path, &earlier, args.replace)?;
    }
    let files = directory.map(|directory| directory.finish(&summary, None)).transpose();
    if args.json {
        print_text_of_json(&summary.to_json())?;
    } else {
        let wrote = wrote(files.iter().flatten().flatten());
        print(&format!("{}\n{wrote}", page(&summary)))?;
    }
    files?;
    Ok(())
}

/// A time as a record has it.
fn seconds(s: f64) -> Time {
    Time::from_nanos((s * 1e9).round() as u64)
}

fn told(name: &str, error: &ReadError) -> Failure {
    if matches!(error, ReadError::Interrupted) {
        return Failure::Interrupted(miette!("interrupted; nothing of it is kept"));
    }
    let told = MietteDiagnostic::new(format!("{name}: {error}"));
    Failure::Input(match error.help() {
        Some(help) => told.with_help(help).into(),
        None => told.into(),
    })
}

fn page(s: &Summary) -> String {
    let mut page = format!("{}: {} s", printable(&s.scenario), s.duration_s);
    let read = s.capture.clone().unwrap_or_default();
    page += &format!(", {} packets", read.packets);
    if read.others > 0 {
        page += &format!(", of which {} are not TCP or cut off", read.others);
    }
    page += "\n";
    if read.joins_of_strangers > 0 {
        page += &format!(
            "{} joined a connection whose beginning is not in the capture: these are left out without --tcp.\n",
            read.joins_of_strangers
        );
    }
    if read.refused > 0 {
        page += &format!("{} asked for MPTCP and got TCP: only --tcp shows them.\n", read.refused);
    }
    for Fallback { flow, at_s, sign } in &read.fallbacks {
        let sign = match sign {
            FallbackSign::NoOptions => "packets without MPTCP's options",
            FallbackSign::Fail => "MP_FAIL",
            FallbackSign::InfiniteMapping => "an infinite mapping",
        };
        page += &format!("{flow} fell back to TCP at {at_s:.3} s: {sign}.\n");
    }
    for table in [flows(s), subflows(s, &read)] {
        page += &format!("\n{table}");
    }
    page
}

fn flows(s: &Summary) -> Table {
    Table::new()
        .count("", 1..=s.flows.len() as u64)
        .text("connection", s.flows.iter().map(|f| &f.name))
        .quantity("goodput", RATE, s.flows.iter().map(|f| f.goodput_bps))
        .count("bytes", s.flows.iter().map(|f| f.delivered_bytes))
        .count("retransmitted segments", s.flows.iter().map(|f| f.retransmitted_segments))
        .count("reinjected segments", s.flows.iter().map(|f| f.reinjected_segments))
}

fn subflows(s: &Summary, read: &CaptureRead) -> Table {
    let all =
        || (1..).zip(&s.flows).flat_map(|(f, flow)| flow.subflows.iter().map(move |subflow| (f, subflow)));
    Table::new()
        .count("", all().map(|(f, _)| f))
        .text("path", all().map(|(_, subflow)| subflow.path.join("+")))
        .subflows(View::Capture, &all().map(|(_, subflow)| subflow).collect::<Vec<_>>())
        .quantity("again", LOSS, all().map(|(_, subflow)| subflow.loss_rate))
        .quantity("segments", PLAIN, read.paths.iter().map(|p| p.mean_burst_segments))
        .quantity("per ACK", PLAIN, read.paths.iter().map(|p| p.mean_segments_per_ack))
}
