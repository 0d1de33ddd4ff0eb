//! `anabranch capture`: reads a packet capture and summarises its connections.

use crate::interrupt;
use crate::output::{list_files, print, print_json};
use crate::pages::capture::page;
use crate::shared_args::{interval, sample_format};
use anabranch::{CaptureOptions, Error, SampleFormat, Time};
use clap::Args;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  sudo tcpdump -i any -s 128 -w run.pcap tcp port 5001
  anabranch capture run.pcap
  anabranch capture run.pcap --out out/capture
  anabranch capture run.pcap --json

Capture at the sender's host: only there the capture shows full round-trip times and all
retransmissions.";

#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// The capture of tcpdump, dumpcap or Wireshark, as pcap or pcapng.
    pub file: PathBuf,
    /// Write the summary and the samples into this directory, as `run --out` does.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace a record in `--out` of a run, of another capture, or of another `--interval` or `--tcp`.
    #[arg(long, requires = "out")]
    pub replace: bool,
    /// Format of the samples.
    #[arg(long, value_parser = sample_format(), default_value = "parquet", requires = "out")]
    pub format: SampleFormat,
    /// Time between samples, at least 1 ms.
    #[arg(long, value_name = "TIME", default_value = "100 ms", value_parser = interval::<1>)]
    pub interval: Time,
    /// Include TCP connections without MPTCP.
    #[arg(long)]
    pub tcp: bool,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
    /// Print a line per segment instead: what was sent first and again, and what was acknowledged.
    #[arg(long, conflicts_with_all = ["out", "json", "tcp", "interval"])]
    pub trace: bool,
}

pub fn capture(args: CaptureArgs) -> Result<(), Error> {
    interrupt::listen()?;
    if args.trace {
        return print(anabranch::capture_trace(&args.file)?.trim_end());
    }
    let CaptureArgs { interval, tcp, replace, .. } = args;
    let record = args.out.map(|out| (out, args.format));
    let options = CaptureOptions { interval, tcp, record, replace };
    let (summary, files) = anabranch::capture(&args.file, &options, &interrupt::watch())?;
    match args.json {
        true => print_json(&summary)?,
        false => print(&format!("{}\n{}", page(&summary), list_files(files.iter().flatten())))?,
    }
    files.map(drop)
}
