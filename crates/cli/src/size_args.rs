//! How much of papers and studies is run.

use anabranch_study::Size;
use clap::Args;
use std::fmt;

/// How much is run.
#[derive(Debug, Args)]
pub struct SizeArgs {
    /// In about a minute: two seeds, in coupling-cubic one; durations of more than a minute, and those of our own choice,
    /// cut to a tenth.
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Ten seeds, durations of our own choice four times as long; in coupling-cubic three seeds, and every network at the
    /// usual durations: many hours.
    #[arg(long)]
    pub full: bool,
    /// How many seeds of a long run, instead of the size's own number (by default five, in coupling-cubic one); short
    /// runs have a multiple.
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

/// As they stand on a command line, after a space.
impl fmt::Display for SizeArgs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.size() {
            Size::Default => {}
            size => write!(f, " --{}", size.name())?,
        }
        self.seeds.map_or(Ok(()), |seeds| write!(f, " --seeds {seeds}"))
    }
}
