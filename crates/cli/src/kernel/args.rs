//! The command line of `anabranch kernel`.

use crate::shared_args::{interval, sample_format};
use anabranch::scenarios::time;
use anabranch::{SampleFormat, Time};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  anabranch kernel doctor
  anabranch kernel load lia
  anabranch kernel use lia --netns proxy
  anabranch kernel status
  anabranch kernel monitor
  anabranch kernel unload all

Algorithms stay loaded, and selected, until the machine restarts. At boot, the systemd unit
anabranch-kernel loads them all: `systemctl enable --now anabranch-kernel`. It selects none.
To select one for the host at boot, add to the unit (`systemctl edit anabranch-kernel`):
  [Service]
  ExecStartPost=/usr/bin/anabranch kernel use lia --host
with the path of the command as in the unit's ExecStart=.";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  anabranch kernel doctor
  anabranch kernel doctor --netns proxy
  anabranch kernel doctor --json

Exit status: 0 nothing is missing; 2 something is.";

const LOAD_EXAMPLES: &str = "\
Examples:
  anabranch kernel load lia olia
  anabranch kernel load all

An algorithm stays loaded until you unload it or the machine restarts. Sockets select it by its
name in the kernel: `anabranch kernel use` sets it for all new sockets of a network namespace, the
socket option TCP_CONGESTION for one socket.";

const UNLOAD_EXAMPLES: &str = "\
Examples:
  anabranch kernel unload lia
  anabranch kernel unload all";

const LIST_EXAMPLES: &str = "\
Examples:
  anabranch kernel list
  anabranch kernel list --json";

const STATUS_EXAMPLES: &str = "\
Examples:
  anabranch kernel status
  anabranch kernel status --cost 10
  anabranch kernel status --json";

const USE_EXAMPLES: &str = "\
Examples:
  anabranch kernel use lia --netns proxy
  anabranch kernel use coupled-cubic --netns 4711
  anabranch kernel use lia --host
  anabranch kernel use reno --netns proxy

The command sets the sysctl net.ipv4.tcp_congestion_control. It applies to sockets opened later,
until the machine restarts. Restart programs that listen: subflows that join connections of an
older listener may get the old algorithm. `anabranch kernel status` lists such listeners.";

const MONITOR_EXAMPLES: &str = "\
Examples:
  anabranch kernel monitor
  anabranch kernel monitor --cc lia --cc olia --netns proxy --port 443
  anabranch kernel monitor --once
  anabranch kernel monitor --json --interval '100 ms' --duration '10 s' > samples.jsonl
  anabranch kernel monitor --record out/kernel --format csv

Ends by q or Ctrl-C; a record is complete then. --json prints an object per sample and line.";

#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// Check whether this kernel supports the algorithms, and print how to install missing features.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(DoctorArgs),
    /// Load algorithms into the kernel, until they are unloaded.
    #[command(after_help = LOAD_EXAMPLES)]
    Load(NamesArgs),
    /// Unload algorithms; sockets that use one keep it until they close.
    #[command(after_help = UNLOAD_EXAMPLES)]
    Unload(NamesArgs),
    /// List the algorithms for the kernel and their state.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Show the use of the loaded algorithms, the occupancy of their tables, and their cost.
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StatusArgs),
    /// Set the algorithm of new sockets in a network namespace.
    #[command(after_help = USE_EXAMPLES)]
    Use(UseArgs),
    /// Watch the connections and subflows that use the algorithms, live.
    #[command(after_help = MONITOR_EXAMPLES)]
    Monitor(MonitorArgs),
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Check this network namespace: its name, a path, or the number of a process in it; by default this command's own.
    #[arg(long, value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub netns: Option<String>,
    /// Print a JSON array.
    #[arg(long)]
    pub json: bool,
}

/// Names of algorithms.
#[derive(Debug, Args)]
pub struct NamesArgs {
    /// The algorithms, by their names in `anabranch kernel list`; or `all`.
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Measure the cost of each program per call during this time, which slows all BPF programs a little.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub cost: Option<u64>,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct UseArgs {
    /// The algorithm, which is loaded if necessary; or an algorithm of the kernel, such as reno.
    pub name: String,
    /// The network namespace: its name, a path, or the number of a process in it; by default this command's own.
    #[arg(long, value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub netns: Option<String>,
    /// Allow a change of the host's own namespace.
    #[arg(long)]
    pub host: bool,
}

#[derive(Debug, Args)]
pub struct MonitorArgs {
    /// Time between samples, at least 10 ms.
    #[arg(long, value_name = "TIME", default_value = "1 s", value_parser = interval::<10>)]
    pub interval: Time,
    /// End after this time, such as '30 s'.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub duration: Option<Time>,
    /// Show only connections that use this algorithm; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub cc: Vec<String>,
    /// Show only connections in this network namespace: its name, a path, or the number of a process in it.
    #[arg(long, value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub netns: Option<String>,
    /// Show only connections with this local or remote port.
    #[arg(long)]
    pub port: Option<u16>,
    /// Print one sample as a plain table with a line per subflow, or with --json as one line.
    #[arg(long, conflicts_with_all = ["duration", "record"])]
    pub once: bool,
    /// Print each sample as a JSON object on its own line.
    #[arg(long)]
    pub json: bool,
    /// Write the samples and, at the end, the summary into this directory, as `anabranch run --out` does.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Replace an earlier record or run in `--record`.
    #[arg(long, requires = "record")]
    pub replace: bool,
    /// Format of the recorded samples.
    #[arg(long, value_parser = sample_format(), default_value = "parquet", requires = "record")]
    pub format: SampleFormat,
}
