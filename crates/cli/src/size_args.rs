//! The size of papers and studies.

use anabranch::Size;
use clap::Args;
use std::fmt;

/// The size and the number of seeds.
#[derive(Debug, Args)]
pub struct SizeArgs {
    /// Run in about a minute: two seeds, in coupling-cubic one. Durations of more than a minute, and those that the paper
    /// leaves open, shrink to a tenth.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Run for many hours: ten seeds, in coupling-cubic three. Durations that the paper leaves open are four times as long;
    /// coupling-cubic runs every network at the usual durations.
    #[arg(long)]
    pub full: bool,
    /// The number of seeds of a long run, instead of the size's own (by default five, in coupling-cubic one). Short runs have
    /// a multiple.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub seeds: Option<u32>,
}

impl SizeArgs {
    /// The size.
    pub fn size(&self) -> Size {
        match (self.quick, self.full) {
            (true, _) => Size::Quick,
            (_, true) => Size::Full,
            _ => Size::Default,
        }
    }
}

/// The options on a command line, after a space.
impl fmt::Display for SizeArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size() {
            Size::Default => {}
            size => write!(f, " --{}", size.name())?,
        }
        self.seeds.map_or(Ok(()), |seeds| write!(f, " --seeds {seeds}"))
    }
}
