//! `anabranch plot`: draws a record or the figures of a study.

use crate::interrupt;
use crate::output::print;
use crate::table::Table;
use anabranch::pictures::{Size, View};
use anabranch::{Drawable, Error, Plot, input_error};
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use std::path::PathBuf;

pub const EXAMPLES: &str = "\
Examples:
  anabranch plot out/run
  anabranch plot out/run --figure windows,rtt --out windows.pdf --size single
  anabranch plot out/lia out/olia --figure throughput --flows bonded --out both.svg
  anabranch plot out/lia-1 out/lia-2 out/lia-3 --figure windows --out mean.pdf --out mean.csv
  anabranch plot out/run --from '20 s' --to '40 s'
  anabranch plot out/run --figure windows,throughput,rtt --columns 2 --size 7x4in --out run.svg
  anabranch plot out/run --out run.html
  anabranch plot out/run --figure list
  anabranch plot out/papers/coupled-cubic.json --figure A-F5 --size double --columns 2 --same-y";

#[derive(Debug, Args)]
pub struct PlotArgs {
    /// Folders of `run --out`, or the result of a study: a file in `studies` or `papers` of its folder of results. Several runs are
    /// drawn in one figure; runs that differ in their seeds alone, as their mean, from three runs on with a 95 % interval, or with
    /// their transfers taken together.
    #[arg(value_name = "RUN|STUDY", required = true)]
    pub what: Vec<PathBuf>,
    /// The figures, separated by commas; `list` prints their names. A run has by default windows, throughput and queue. It
    /// also has rtt, sequence, shares, completions, slowdown, and the algorithm's internal variables by name, such as alpha.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub figure: Vec<String>,
    /// The flows of runs, separated by commas; `neighbour` stands for all flows neighbour/1, neighbour/2, …
    #[arg(long, value_name = "FLOW,…", value_delimiter = ',', value_parser = NonEmptyStringValueParser::new())]
    pub flows: Vec<String>,
    /// The first time of figures over time, such as '20 s'.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub from: Option<f64>,
    /// The last time of figures over time.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub to: Option<f64>,
    /// Logarithmic axes.
    #[arg(long, value_name = "AXES", num_args = 0..=1, require_equals = true, default_missing_value = "y", value_parser = ["x", "y", "xy"])]
    pub log: Option<String>,
    /// Give panels of one quantity the same vertical scale.
    #[arg(long)]
    pub same_y: bool,
    /// The file to write; the extension selects the format: .svg, .pdf, .png or .html, .csv for the values that the figure shows,
    /// .tex for pgfplots, or .mplstyle for the figure's colours, dashes and symbols in matplotlib.
    /// Repeat the option for several files.
    #[arg(long, value_name = "FILE", default_value = "plot.svg")]
    pub out: Vec<PathBuf>,
    /// Replace a file even if it is not a picture of anabranch.
    #[arg(long)]
    pub replace: bool,
    /// The size: screen; single (3.4 in, a column of a paper) or double (7 in), both with 8-point text; or a width or
    /// WIDTHxHEIGHT, such as 5x3in, 120mm or 800px. An HTML page adapts to its window instead.
    #[arg(long, default_value = "screen")]
    pub size: anabranch::pictures::Size,
    /// The size of text, in points.
    #[arg(long, value_name = "POINTS", value_parser = clap::value_parser!(u8).range(4..=72))]
    pub font: Option<u8>,
    /// A title above the figure. A study's figure has its own by default; --title '' removes it, and the title of a single panel.
    #[arg(long)]
    pub title: Option<String>,
    /// Where the legend is.
    #[arg(long, value_name = "PLACE", default_value = "below", value_parser = ["below", "none"])]
    pub legend: String,
    /// Panels per row; by default 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=12))]
    pub columns: Option<u8>,
}

pub fn plot(args: &PlotArgs) -> Result<(), Error> {
    if args.figure == ["list"] {
        let (names, shows): (Vec<_>, Vec<_>) = Drawable::open(&args.what)?.figures().into_iter().unzip();
        return print(&Table::new().text("figure", names).text("shows", shows).to_string());
    }
    if args.from.zip(args.to).is_some_and(|(from, to)| from >= to) {
        return Err(input_error("--from must be earlier than --to".to_owned(), None));
    }
    let columns = args.columns.map_or(1, usize::from);
    let size = args.font.map_or(args.size, |points| args.size.with_font(f64::from(points)));
    let log = args.log.as_deref().unwrap_or_default();
    let (log_x, log_y) = (log.contains('x'), log.contains('y'));
    let request = Plot {
        what: args.what.clone(),
        figures: args.figure.clone(),
        flows: args.flows.clone(),
        view: View { from_s: args.from, to_s: args.to, log_x, log_y, same_y: args.same_y },
        size: Size { columns, legend: args.legend == "below", ..size },
        heading: args.title.clone(),
        replace: args.replace,
    };
    interrupt::listen()?;
    let written = anabranch::plot(&request, &args.out, &interrupt::watch())?;
    let lines: Vec<String> = written.iter().map(|file| format!("Wrote {}", file.display())).collect();
    print(&lines.join("\n"))
}

fn seconds(text: &str) -> Result<f64, String> {
    anabranch::scenarios::time(text).map(|time| time.as_nanos() as f64 / 1e9)
}
