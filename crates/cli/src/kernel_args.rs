//! The command line of `anabranch kernel`.

use crate::kernel_monitor::{self, MonitorArgs};
use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

/// Those of `kernel`.
pub const EXAMPLES: &str = "\
Examples:
  anabranch kernel doctor
  anabranch kernel load lia
  anabranch kernel use lia --netns proxy
  anabranch kernel status
  anabranch kernel monitor
  anabranch kernel unload all";

const DOCTOR_EXAMPLES: &str = "\
Examples:
  anabranch kernel doctor
  anabranch kernel doctor --json

Exit status: 0 nothing is missing; 2 something is.";

const LOAD_EXAMPLES: &str = "\
Examples:
  anabranch kernel load lia olia
  anabranch kernel load all

What is loaded stays until it is unloaded or the machine restarts. Sockets choose it by its name in
the kernel: all new ones of a network namespace by `anabranch kernel use`, one alone by the socket
option TCP_CONGESTION.";

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

The choice is the sysctl net.ipv4.tcp_congestion_control. It holds for sockets opened from then on,
and is gone when the machine restarts.";

/// Arguments of `kernel`.
#[derive(Debug, Args)]
pub struct KernelArgs {
    #[command(subcommand)]
    pub command: KernelCommand,
}

/// What to do with the kernel.
#[derive(Debug, Subcommand)]
pub enum KernelCommand {
    /// Tell whether the kernel can take the algorithms, and how to get what is missing.
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Load algorithms into the kernel, where they stay.
    #[command(after_help = LOAD_EXAMPLES)]
    Load(NamesArgs),
    /// Unload algorithms; sockets that use one keep it until they are closed.
    #[command(after_help = UNLOAD_EXAMPLES)]
    Unload(NamesArgs),
    /// List the algorithms for the kernel, and which are loaded.
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// Print a JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Tell how the loaded algorithms are used, how full their tables are, and what they cost.
    #[command(after_help = STATUS_EXAMPLES)]
    Status(StatusArgs),
    /// Let new sockets of a network namespace use an algorithm.
    #[command(after_help = USE_EXAMPLES)]
    Use(UseArgs),
    /// Watch the connections and subflows that use the algorithms, live.
    #[command(after_help = kernel_monitor::EXAMPLES)]
    Monitor(MonitorArgs),
}

/// Algorithms.
#[derive(Debug, Args)]
pub struct NamesArgs {
    /// The algorithms, by the names of `anabranch kernel list`; or `all`.
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
}

/// Arguments of `kernel status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Measure for so long what each program costs per call; meanwhile all BPF programs are a little slower.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub cost: Option<u64>,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `kernel use`.
#[derive(Debug, Args)]
pub struct UseArgs {
    /// The algorithm, which is loaded if it is not; or another that the kernel has, such as reno.
    pub name: String,
    /// The network namespace: its name, a path, or the number of a process in it; this command's own if not
    /// given.
    #[arg(long, value_name = "NAMESPACE", value_parser = NonEmptyStringValueParser::new())]
    pub netns: Option<String>,
    /// Allow it to be the machine's own namespace.
    #[arg(long)]
    pub host: bool,
}
