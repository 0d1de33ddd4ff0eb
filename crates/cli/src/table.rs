//! Tables as wide as the terminal, built column by column; a column of quantities shares one unit, named in its heading.

use anabranch::records::{Quantity, Unit, View};
use anabranch::scenarios::printable;
use anabranch::studies::format::{decimals, plain, plain_estimate};
use anabranch::studies::{Estimate, estimate};
use anabranch::units::{BYTES, PERCENT, PLAIN, RATE, TIME, Units, choose};
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, TableStyle, Width};
use std::io::stdout;
use terminal_size::terminal_size_of;
use textwrap::core::display_width;

/// The maximum width of prose, and of tables where no terminal is, in characters.
pub const WIDTH: usize = 100;

/// The least width of a table, on a narrow terminal, too.
const NARROWEST: usize = 60;

/// The maximum width of tables: the terminal's.
fn width() -> usize {
    terminal_size_of(stdout()).map_or(WIDTH, |(width, _)| usize::from(width.0).max(NARROWEST))
}

/// The space on both sides of a cell, and between columns.
const PADDING: usize = 2;
const GAP: usize = 1;

/// A line below the headings.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// The cell of a missing value.
const NOTHING: &str = "–";

/// A table under construction. All columns have as many cells as the first.
#[derive(Default)]
pub struct Table(Vec<Column>);

struct Column {
    heading: String,
    cells: Vec<String>,
    alignment: CellAlignment,
    /// Whether cells may break between words.
    breaks: bool,
}

impl Table {
    pub fn new() -> Self {
        Table::default()
    }

    pub fn text<S: Into<String>>(mut self, heading: &str, cells: impl IntoIterator<Item = S>) -> Self {
        // Escaped before the layout, because escapes are wider.
        let cells = cells.into_iter().map(|cell| printable(&cell.into())).collect();
        let (heading, alignment) = (heading.to_owned(), CellAlignment::Left);
        self.0.push(Column { heading, cells, alignment, breaks: true });
        self
    }

    /// Adds a column of names, which do not break where the table has room for them.
    pub fn names<S: Into<String>>(mut self, heading: &str, cells: impl IntoIterator<Item = S>) -> Self {
        self = self.text(heading, cells);
        self.0.last_mut().into_iter().for_each(|column| column.breaks = false);
        self
    }

    pub fn count(self, heading: &str, cells: impl IntoIterator<Item = u64>) -> Self {
        self.right(heading.to_owned(), cells.into_iter().map(|n| n.to_string()).collect())
    }

    /// Adds a column of quantities with a heading that names their unit.
    pub fn quantity(self, heading: &str, units: Units, cells: impl IntoIterator<Item = Option<f64>>) -> Self {
        let values: Vec<_> = cells.into_iter().collect();
        let (factor, unit) = choose(units, values.iter().flatten().copied());
        let show = |x: &Option<f64>| x.map_or(NOTHING.to_owned(), |x| cell(x / factor, unit));
        self.right(titled(heading, unit), values.iter().map(show).collect())
    }

    /// Adds a view's columns of these subflows or links, without the means if they have none.
    pub fn view<'s, S: 's>(
        mut self,
        view: View,
        all: &[Quantity<S>],
        rows: impl IntoIterator<Item = &'s S> + Clone,
        has_means: bool,
    ) -> Self {
        for quantity in all.iter().filter(|q| q.shown.contains(&view)) {
            let cells = rows.clone().into_iter().map(quantity.read);
            self = match quantity.unit {
                Unit::Count => self.count(quantity.heading, cells.map(|n| n.unwrap_or_default() as u64)),
                unit => self.quantity(quantity.heading, units(unit), cells.map(|x| x.filter(|_| has_means))),
            };
        }
        self
    }

    /// Adds columns of quantities that share one unit, and returns the unit.
    pub fn quantities<'a>(
        mut self,
        units: Units,
        columns: impl IntoIterator<Item = (&'a str, Vec<Option<f64>>)>,
    ) -> (Self, &'static str) {
        let columns: Vec<_> = columns.into_iter().collect();
        let values = || columns.iter().flat_map(|(_, cells)| cells).flatten().copied();
        let (factor, unit) = choose(units, values());
        // What a solver leaves of 0.
        let least = 1e-9 * values().map(f64::abs).fold(0.0, f64::max);
        let cleaned = |x: f64| if x.abs() < least { 0.0 } else { x };
        let show = |x: Option<f64>| x.map_or(NOTHING.to_owned(), |x| cell(cleaned(x) / factor, unit));
        for (heading, cells) in columns {
            self = self.right(heading.to_owned(), cells.into_iter().map(show).collect());
        }
        (self, unit)
    }

    /// Adds a column of means with the half-widths of their 95 % intervals.
    pub fn estimates(self, heading: &str, units: Units, cells: impl IntoIterator<Item = Spread>) -> Self {
        let cells: Vec<_> = cells.into_iter().collect();
        self.estimates_in(heading, choose(units, cells.iter().filter_map(Spread::mean)), cells)
    }

    /// The same in a unit, given with its factor.
    pub fn estimates_in(self, heading: &str, (factor, unit): (f64, &str), cells: Vec<Spread>) -> Self {
        self.right(titled(heading, unit), cells.iter().map(|e| e.show(factor)).collect())
    }

    /// Adds a column of counts: a single value, or one that all seeds share, is a whole number.
    pub fn counts(self, heading: &str, cells: impl IntoIterator<Item = Spread>) -> Self {
        self.right(heading.to_owned(), cells.into_iter().map(|cell| cell.count()).collect())
    }

    /// Adds a column of ratios with three decimals, which are enough beside goals of 1.
    pub fn ratios(self, heading: &str, cells: impl IntoIterator<Item = Spread>) -> Self {
        self.right(heading.to_owned(), cells.into_iter().map(|cell| cell.ratio()).collect())
    }

    fn right(mut self, heading: String, cells: Vec<String>) -> Self {
        self.0.push(Column { heading, cells, alignment: CellAlignment::Right, breaks: false });
        self
    }

    /// The least width of each column, so that lines break between words only. `None` if the words are too long, or if nothing
    /// needs to break.
    fn least(&self, most: usize) -> Option<Vec<usize>> {
        let total = |widths: &[usize]| widths.iter().map(|width| width + PADDING + GAP).sum::<usize>() - GAP;
        let (least, whole): (Vec<usize>, Vec<usize>) = self.0.iter().map(|c| (c.least(), c.most())).unzip();
        (!least.is_empty() && total(&whole) > most && total(&least) <= most).then_some(least)
    }

    /// The lines of the table, which is at most that wide.
    fn lines(&self, most: usize) -> Vec<String> {
        let mut table = comfy_table::Table::new();
        table.load_style(STYLE);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(most as u16);
        table.set_header(self.0.iter().map(|c| &c.heading));
        for row in 0..self.0.first().map_or(0, |c| c.cells.len()) {
            table.add_row(self.0.iter().map(|c| &c.cells[row]));
        }
        for (column, ours) in table.column_iter_mut().zip(&self.0) {
            column.set_cell_alignment(ours.alignment);
        }
        for (column, least) in table.column_iter_mut().zip(self.least(most).into_iter().flatten()) {
            let least = Width::Fixed((least + PADDING) as u16);
            column.set_constraint(ColumnConstraint::LowerBoundary(least));
        }
        table.lines().map(|line| line.trim_end().to_owned()).collect()
    }
}

impl Column {
    /// The width of its longest word. Numbers with their intervals do not break.
    fn least(&self) -> usize {
        let words = |text: &str| text.split_whitespace().map(display_width).max().unwrap_or(0);
        let cell = |text: &String| if self.breaks { words(text) } else { display_width(text) };
        self.cells.iter().map(cell).chain([words(&self.heading)]).max().unwrap_or(0).max(1)
    }

    /// The width of its longest cell.
    fn most(&self) -> usize {
        self.cells.iter().chain([&self.heading]).map(|text| display_width(text)).max().unwrap_or(0)
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.lines(width()).iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// The values of several seeds.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread {
    /// At least one seed has no value.
    Missing,
    /// A single seed, without an interval.
    Single(f64),
    /// Every seed gave the same value: an interval of zero width would mislead.
    Same(f64),
    /// The mean and half the width of its 95 % interval (Student's t).
    Interval(f64, f64),
}

impl Spread {
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Self {
        let Some(values) = values.into_iter().collect::<Option<Vec<f64>>>() else { return Spread::Missing };
        match estimate(values) {
            Some(Estimate { mean, half_width: Some(half), .. }) => Spread::Interval(mean, half),
            Some(Estimate { mean, values, .. }) if values.len() == 1 => Spread::Single(mean),
            Some(Estimate { mean, .. }) => Spread::Same(mean),
            None => Spread::Missing,
        }
    }

    /// The mean; `None` if a value is missing.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Spread::Missing => None,
            Spread::Single(x) | Spread::Same(x) | Spread::Interval(x, _) => Some(*x),
        }
    }

    fn count(&self) -> String {
        self.with(|n| format!("{n:.0}"), plain_estimate)
    }

    fn ratio(&self) -> String {
        let estimate = |x, half| match half {
            ..5e-4 => format!("{x:.3} ± <0.001"),
            ..0.1 => format!("{x:.3} ± {half:.3}"),
            _ => plain_estimate(x, half),
        };
        self.with(|x| format!("{x:.3}"), estimate)
    }

    fn show(&self, factor: f64) -> String {
        self.with(|x| plain(x / factor), |x, half| plain_estimate(x / factor, half / factor))
    }

    fn with(&self, number: impl Fn(f64) -> String, estimate: impl Fn(f64, f64) -> String) -> String {
        match *self {
            Spread::Missing => NOTHING.to_owned(),
            Spread::Single(x) => number(x),
            Spread::Same(x) => number(x) + " ± 0",
            Spread::Interval(x, half) => estimate(x, half),
        }
    }
}

impl From<Option<&Estimate>> for Spread {
    fn from(estimate: Option<&Estimate>) -> Self {
        match estimate {
            None => Spread::Missing,
            Some(Estimate { mean, half_width: Some(half), .. }) => Spread::Interval(*mean, *half),
            Some(Estimate { mean, .. }) => Spread::Single(*mean),
        }
    }
}

/// The units in which a quantity is shown.
pub fn units(unit: Unit) -> Units {
    match unit {
        Unit::Rate => RATE,
        Unit::Time => TIME,
        Unit::Fraction => PERCENT,
        Unit::Bytes => BYTES,
        Unit::Segments | Unit::Count => PLAIN,
    }
}

/// A number in a column of that unit. Small percentages, such as loss rates, have two digits and no power of ten.
fn cell(x: f64, unit: &str) -> String {
    let small = x != 0.0 && x.abs() < 1e-3;
    if unit == "%" && small { format!("{x:.*}", decimals(x, 2)) } else { plain(x) }
}

/// Prose below the maximum width, with these indents of its first line and of the others.
pub fn paragraph(first: &str, rest: &str, text: &str) -> String {
    let options = textwrap::Options::new(WIDTH).initial_indent(first).subsequent_indent(rest);
    textwrap::fill(text, options) + "\n"
}

pub fn titled(heading: &str, unit: &str) -> String {
    if unit.is_empty() { heading.to_owned() } else { format!("{heading} ({unit})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_has_one_unit() {
        let table = Table::new().quantity("goodput", RATE, [Some(5e5), None, Some(2e7)]).to_string();
        assert!(table.contains("goodput (Mbit/s)"), "{table}");
        assert!(table.contains("0.5000") && table.contains("20.00") && table.contains(NOTHING), "{table}");
    }

    #[test]
    fn small_percentages_have_two_digits() {
        let table = Table::new().quantity("loss rate", PERCENT, [4.925e-4, 9.715e-7, 0.0, 0.12].map(Some));
        assert_eq!(table.0[0].cells, ["0.04925", "0.000097", "0", "12.00"]);
    }

    #[test]
    fn spreads() {
        // By hand: mean 2, s = 1, t(2; 0.975) = 4.303, so 4.303 / √3 = 2.484.
        let spread = Spread::of([1.0, 2.0, 3.0].map(Some));
        assert_eq!(spread.show(1.0), "2.0 ± 2.5");
        assert_eq!(Spread::of([0.1; 3].map(Some)), Spread::Same(0.1));
        assert_eq!(Spread::of([Some(2.0)]).show(1.0), "2.000");
        assert_eq!(Spread::of([Some(2.0), Some(2.0)]).show(1.0), "2.000 ± 0");
        assert_eq!(Spread::of([Some(2.0), Some(2.0)]).count(), "2 ± 0");
        assert_eq!(Spread::of([Some(12345.0)]).count(), "12345");
        assert_eq!(Spread::of([Some(2.0), None]), Spread::Missing);
    }

    #[test]
    fn ratios_have_three_decimals() {
        let shown = |mean, half| Spread::Interval(mean, half).ratio();
        assert_eq!(shown(0.999829, 0.000011), "1.000 ± <0.001");
        assert_eq!(
            (shown(1.2093, 0.0131), shown(1.19, 0.172)),
            ("1.209 ± 0.013".into(), "1.19 ± 0.17".into())
        );
    }

    #[test]
    fn a_result_of_equal_values_has_no_interval() {
        let equal = Estimate { mean: 3.4, half_width: None, values: vec![3.4, 3.4] };
        assert_eq!(Spread::from(Some(&equal)).show(1.0), "3.400");
        let unequal = Estimate { mean: 2.0, half_width: Some(2.484), values: vec![1.0, 2.0, 3.0] };
        assert_eq!(Spread::from(Some(&unequal)), Spread::Interval(2.0, 2.484));
    }

    /// The text of the table, if no line is wider than that.
    fn fitted(table: &Table, most: usize) -> String {
        let lines = table.lines(most);
        assert!(lines.iter().all(|line| display_width(line) <= most), "{lines:#?}");
        lines.join("\n")
    }

    /// Lines break between words, and inside one only if the words alone are too long.
    #[test]
    fn names_do_not_break() {
        let name = "a-very-long-name".repeat(2);
        let title = "a title of many words ".repeat(5);
        let table =
            Table::new().text("flow", [&name]).text("", [&title]).text("cc", [&name]).count("n", [u64::MAX]);
        let text = fitted(&table, WIDTH);
        assert_eq!(text.matches(&name).count(), 2, "{text}");
        let name = name.repeat(4);
        fitted(&Table::new().text("flow", [&name]).text("cc", [&name]), WIDTH);
    }

    /// A name of several words keeps its line, and a heading breaks in its place.
    #[test]
    fn names_of_several_words_do_not_break() {
        let headings = ["retransmitted segments", "mean smoothed round-trip time", "mean congestion window"];
        let table = Table::new().names("subflow", ["the bonded connection: fibre"]);
        let table = headings.iter().fold(table, |table, heading| table.text(heading, ["14.20 ± 0.15"]));
        let text = fitted(&table, 90);
        assert!(text.contains("the bonded connection: fibre"), "{text}");
    }

    #[test]
    fn a_wide_terminal_is_used() {
        let table = Table::new().text("words", ["word ".repeat(28)]).text("name", ["a-very-long-name"]);
        let lines = |most| table.lines(most).len() - 2;
        assert_eq!((lines(170), lines(100)), (1, 2));
        for most in [40, 60, 100, 170] {
            let text = fitted(&table, most);
            assert!(text.contains("a-very-long-name"), "{text}");
        }
    }

    /// 10⁻¹³⁵ beside 10 is what a solver leaves of 0.
    #[test]
    fn solver_noise_is_zero() {
        let (table, _) = Table::new().quantities(PLAIN, [("a", vec![Some(10.0), Some(9.9e-135), Some(0.5)])]);
        assert_eq!(table.0[0].cells, ["10.00", "0", "0.5000"]);
    }
}
