//! `anabranch run`: runs a scenario once.

use crate::output::{list_files, note, print, print_json};
use crate::pages::run::page;
use crate::progress::Progress;
use crate::shared_args::{ScenarioArgs, TrafficName, backend, sample_format};
use crate::{interrupt, output};
use anabranch::studies::task::trusted;
use anabranch::{CompletedRun, Error, Outputs, Packets, Runner, SampleFormat, Scenario};
use clap::builder::NonEmptyStringValueParser;
use clap::{ArgGroup, Args};
use miette::miette;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  anabranch run example:two-paths
  anabranch run example:two-paths --cc lia --seed 7 --duration '30 s'
  anabranch run example:two-paths --cc bonded=lia --cc neighbour=cubic
  anabranch run example:two-paths --cc '{name=\"lia\", count=\"acks\"}'
  anabranch run example:two-paths --set links.dsl.rate='50 Mbit/s'
  anabranch run example:two-paths --set flows.bonded.start='5 s'
  anabranch run example:two-paths --out out/run --format csv
  anabranch run example:two-paths --duration '12 s' --pcap run.pcapng
  anabranch run example:two-paths --backend noq --duration '12 s' --qlog traces
  anabranch run example:two-paths --plot
  anabranch run example:two-paths --plot=windows.svg
  anabranch run - --json < scenario.toml
  anabranch run example:two-paths --backend kernel
  anabranch run example:two-paths --linux-hosts";

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("outputs").args(["out", "plot", "pcap", "qlog"]).multiple(true)))]
pub struct RunArgs {
    #[command(flatten)]
    pub scenario: ScenarioArgs,
    /// Algorithm of the multipath flows, or of the named flow: a name, or a table with parameters.
    #[arg(long, value_name = "[FLOW=]CC", value_parser = NonEmptyStringValueParser::new())]
    pub cc: Vec<String>,
    /// Write the summary, the samples, and the scenario with the command that repeats the run into this directory.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace in `--out` a run of another scenario, seed or version, and replace files of another kind that `--plot`, `--pcap`
    /// and `--qlog` name.
    #[arg(long, requires = "outputs")]
    pub replace: bool,
    /// Format of the samples.
    #[arg(long, value_parser = sample_format(), default_value = "parquet", requires = "out")]
    pub format: SampleFormat,
    /// Draw windows, throughput and queues over time into this file, by default a web page, and open it if a display
    /// exists. The extension selects the format: .html, .svg, .pdf or .png.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "plot.html")]
    pub plot: Option<PathBuf>,
    /// The backend that runs it.
    #[arg(long, value_parser = backend(), default_value = "sim")]
    pub backend: &'static Runner,
    /// Simulate with the Linux-accurate host model, as `--set hosts=linux` does.
    #[arg(long)]
    pub linux_hosts: bool,
    /// The traffic generator on a kernel, including a guest's.
    #[arg(long, value_enum, default_value_t = TrafficName::Own)]
    pub traffic: TrafficName,
    /// Write the packets of the run at the senders' hosts into this file, as pcapng for Wireshark.
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
    /// Capture instead at the entrances of these links, before their queues; separated by commas.
    #[arg(long, value_name = "LINK,…", requires = "pcap", value_delimiter = ',')]
    pub links: Vec<String>,
    /// Bytes to keep of each packet, 0 for all; by default the headers, because the payload is zeros, and with QUIC all.
    #[arg(long, value_name = "BYTES", requires = "pcap")]
    pub snap: Option<u32>,
    /// Write qlog traces into this directory: of each QUIC connection of `--backend noq` one of the sender and one of the receiver.
    #[arg(long, value_name = "DIR")]
    pub qlog: Option<PathBuf>,
    /// Run even if it may need more than 4 GB of memory.
    #[arg(long)]
    pub yes: bool,
    /// Print the summary as one JSON object.
    #[arg(long)]
    pub json: bool,
}

pub fn run(args: RunArgs) -> Result<(), Error> {
    let runner = args.backend;
    let scenario = args.scenario.open(args.cc, args.linux_hosts)?;
    let (backend, traffic) = match (args.traffic, runner.with_iperf3) {
        (TrafficName::Own, _) => (runner.backend, ""),
        (TrafficName::Iperf3, Some(backend)) => (backend, " --traffic iperf3"),
        _ => return Err(Error::input(miette!("`--traffic` works only with `--backend kernel` and guests"))),
    };
    let (links, snap) = (args.links, args.snap);
    let outputs = Outputs {
        record: args.out.map(|out| (out, args.format)),
        plot: args.plot,
        packets: args.pcap.map(|file| Packets { file, links, snap }),
        traces: args.qlog,
        replace: args.replace,
    };
    outputs.check(&scenario, runner, args.yes)?;
    runner.ready()?;
    interrupt::listen()?;
    let options = runner.options(false) + traffic;
    let mut made = outputs.run(&scenario, backend, &options, &Progress::over(scenario.duration).watch())?;
    match args.json {
        true => print_json(&made.summary)?,
        false => print(&format!(
            "{}\n{}",
            page(&made.summary, &scenario),
            list_files(made.files.iter().flatten())
        ))?,
    }
    std::mem::replace(&mut made.files, Ok(vec![]))?;
    draw(&mut made, &scenario, args.json)?;
    let Some(s) = made.summary.partial_until_s else { return Ok(trusted(made.summary).map(drop)?) };
    let all = scenario.duration;
    Err(Error::Interrupted(miette!("interrupted at {s} s of {all}: the result is partial")))
}

/// Draws the picture that `--plot` asks for, and opens it.
fn draw(made: &mut CompletedRun, scenario: &Scenario, json: bool) -> Result<(), Error> {
    match made.draw(scenario, &interrupt::watch()) {
        // The interruption is the more important message.
        Err(_) if made.summary.partial_until_s.is_some() => {
            note("the run was interrupted, so its picture is missing");
        }
        Err(why) => return Err(why),
        Ok(None) => {}
        Ok(Some(picture)) => {
            match json {
                true => note(&format!("wrote {}", picture.display())),
                false => print(&format!("Wrote {}", picture.display()))?,
            }
            output::open(&picture);
        }
    }
    Ok(())
}
