//! `anabranch plot`: draws a record or the figures of a study.

use crate::interrupt;
use crate::output::print;
use crate::table::Table;
use anabranch::{Drawable, Error};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  anabranch plot out/run
  anabranch plot out/run --figure windows,rtt --out windows.png --size single
  anabranch plot out/run --figure alpha --out alpha.svg
  anabranch plot out/run --figure windows,throughput,queue,rtt --columns 2 --size 7x4in --out run.svg
  anabranch plot out/run --out run.html
  anabranch plot out/run --figure list
  anabranch plot out/papers/coupled-cubic.json --figure A-F5 --out a-f5.svg --size double --columns 2";

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// A folder of `run --out`, or the result of a study: a file in `studies` or `papers` of its folder of results.
    #[arg(value_name = "RUN|STUDY")]
    pub what: PathBuf,
    /// The figures, separated by commas; `list` prints their names. A run has by default windows, throughput and queue. It
    /// also has rtt, sequence, shares, completions, slowdown, and the algorithm's internal variables by name, such as alpha.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub figure: Vec<String>,
    /// The file to write; the extension selects the format: .svg, .png or .html.
    #[arg(long, value_name = "FILE", default_value = "plot.svg")]
    pub out: PathBuf,
    /// Replace the file even if it is not a picture of anabranch.
    #[arg(long)]
    pub replace: bool,
    /// The size: screen; single (3.4 in, a column of a paper) or double (7 in), both with 8-point text; or a width or
    /// WIDTHxHEIGHT, such as 5x3in, 120mm or 800px. An HTML page adapts to its window instead.
    #[arg(long, default_value = "screen")]
    pub size: anabranch_plot::Size,
    /// Panels per row; by default 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    pub columns: Option<u8>,
}

/// `anabranch plot`.
pub fn plot(args: &PlotArgs) -> Result<(), Error> {
    if args.figure == ["list"] {
        let (names, shows): (Vec<_>, Vec<_>) = Drawable::open(&args.what)?.figures().into_iter().unzip();
        return print(&Table::new().text("figure", names).text("shows", shows).to_string());
    }
    let mut size = args.size;
    size.columns = args.columns.map_or(1, usize::from);
    interrupt::listen()?;
    let watch = interrupt::watch();
    let picture = anabranch::plot(&args.what, &args.figure, size, &args.out, args.replace, &watch)?;
    print(&format!("Wrote {}", picture.display()))
}
