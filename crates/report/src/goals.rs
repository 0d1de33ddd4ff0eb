//! Each algorithm against the three goals of RFC 6356 (Sec. 1): from the standard cases, and from the study "Coupling CUBIC".
//!
//! The limits are that study's, which were set before its first run. A standard case is judged by them as well: its share is
//! compared with what one single-path flow would have in the connection's place.

use crate::headline::least;
use crate::pages::fidelity::scaled;
use crate::plan::{ALGORITHMS, AlgorithmPlan, PaperPlan, Plan};
use anabranch_cc::registry::Entry;
use anabranch_study::format::{self, number, significant};
use anabranch_study::{Experiment, Mark, Rule, Size, Verdict};
use std::cmp::Reverse;

/// Goal 1: at least this fraction of a single-path flow's rate on the best path.
const THROUGHPUT: f64 = 0.95;
/// Goal 2: at most this multiple of a single-path flow's rate on a link.
const NO_HARM: f64 = 1.1;

/// The study of the goals in many networks.
const STUDY: &str = "coupling-cubic";

/// The goals, in the RFC's order.
pub const GOALS: [&str; 3] = ["Improve throughput", "Do no harm", "Balance congestion"];

/// One column: a goal with a kind of neighbours.
pub struct Column {
    /// Index in [`GOALS`].
    pub goal: usize,
    pub beside: Neighbours,
}

/// The neighbours, and where the goal was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Neighbours {
    /// Reno flows, in a standard case.
    Reno,
    /// CUBIC flows, in a standard case.
    Cubic,
    /// CUBIC flows, in the study's cells.
    Networks,
}

/// The columns in their order.
pub const COLUMNS: [Column; 7] = [
    Column { goal: 0, beside: Neighbours::Reno },
    Column { goal: 0, beside: Neighbours::Cubic },
    Column { goal: 0, beside: Neighbours::Networks },
    Column { goal: 1, beside: Neighbours::Reno },
    Column { goal: 1, beside: Neighbours::Cubic },
    Column { goal: 1, beside: Neighbours::Networks },
    Column { goal: 2, beside: Neighbours::Networks },
];

/// Whether an algorithm meets a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// As the limit's rule has it.
    pub verdict: Verdict,
    /// "1.32", or "88 %" of the cells.
    pub text: String,
    /// The same in a sentence.
    pub says: String,
    /// Where it is from.
    pub href: String,
    /// The fraction of networks in which it is met.
    pub met: f64,
}

/// An algorithm's line.
pub struct Line<'a> {
    pub algorithm: &'a AlgorithmPlan<'a>,
    /// In the order of [`COLUMNS`].
    pub cells: [Option<Cell>; COLUMNS.len()],
}

impl Line<'_> {
    /// By how many goals it misses, and how many it meets.
    fn place(&self) -> (usize, Reverse<usize>) {
        let count = |verdict| self.cells.iter().flatten().filter(|cell| cell.verdict == verdict).count();
        (count(Verdict::NotReproduced), Reverse(count(Verdict::Reproduced)))
    }

    /// The verdict on all goals with these neighbours.
    pub fn all(&self, beside: Neighbours) -> Option<Verdict> {
        least(self.beside(beside).map(|cell| Some(cell.verdict)))
    }

    /// The smallest fraction met among the goals with these neighbours.
    pub fn least(&self, beside: Neighbours) -> Option<f64> {
        self.beside(beside).map(|cell| cell.met).reduce(f64::min)
    }

    fn beside(&self, beside: Neighbours) -> impl Iterator<Item = &Cell> {
        let of = move |(column, cell)| if column == &beside { Option::as_ref(cell) } else { None };
        COLUMNS.iter().map(|column| &column.beside).zip(&self.cells).filter_map(of)
    }
}

/// Every algorithm with results: fewest missed goals first, then most met goals.
pub fn lines<'a>(plan: &'a Plan<'a>) -> Vec<Line<'a>> {
    let study = plan.papers_and_studies().find(|paper| paper.result.name == STUDY);
    let line = |algorithm: &'a AlgorithmPlan<'a>| Line {
        algorithm,
        cells: COLUMNS.map(|column| match column.beside {
            Neighbours::Reno => case(algorithm, column.goal, "reno"),
            Neighbours::Cubic => case(algorithm, column.goal, "cubic"),
            Neighbours::Networks => cells(study?, algorithm.entry, column.goal),
        }),
    };
    let mut lines: Vec<Line> = plan.algorithms.iter().map(line).collect();
    lines.retain(|line| line.cells.iter().any(Option::is_some));
    lines.sort_by_key(Line::place);
    lines
}

/// A goal in a standard case. On separate links, each with a neighbour, a single-path flow gets half a link: a share of 3/4 among
/// three connections. On a shared link it gets as much as its neighbour: a share of 1.
fn case(algorithm: &AlgorithmPlan, goal: usize, neighbour: &str) -> Option<Cell> {
    let (case, single, rule, limit) = match goal {
        0 => ("separate", 0.75, Rule::AtLeast(THROUGHPUT), format!("at least {THROUGHPUT}")),
        1 => ("shared", 1.0, Rule::AtMost(NO_HARM), format!("at most {NO_HARM}")),
        _ => return None,
    };
    let case = format!("{case}-{neighbour}");
    let share = &algorithm.result?.case(&case)?.key.as_ref()?.value;
    let ratio = scaled(share, |x| x / single);
    let is_quick = algorithm.result?.size == Size::Quick.name();
    let verdict = if is_quick { Verdict::Provisional } else { rule.judge(&ratio) };
    Some(Cell {
        verdict,
        text: format!("{:.2}", ratio.mean),
        says: format!(
            "{}: {} times the rate of one single-path flow in its place; the goal is {limit}",
            GOALS[goal],
            format::of(&ratio)
        ),
        href: format!("{ALGORITHMS}#{case}"),
        met: if verdict == Verdict::Reproduced { 1.0 } else { 0.0 },
    })
}

/// A goal in the study's networks, at all rates: reproduced if met in all of them, partly if in at least half.
fn cells(study: &PaperPlan, algorithm: &Entry, goal: usize) -> Option<Cell> {
    let nth = goal + 1;
    let (mut met, mut asked, mut href) = (0.0, 0.0, None);
    for plan in &study.experiments {
        let e = plan.experiment;
        let mean = |id: String| {
            e.rows.iter().find(|row| row.id == id).and_then(|row| row.measured.as_ref()).map(|m| m.mean)
        };
        let of_experiment = if goal == 2 { mean(format!("{}.applies", e.id)) } else { drawn(e, nth) };
        let Some((of, here)) = of_experiment.zip(mean(format!("{}.{}.goal{nth}", e.id, algorithm.name)))
        else {
            continue;
        };
        (met, asked) = (met + here, asked + of);
        let figure = plan.figures.iter().find(|f| f.figure.id == format!("{}.goal{nth}", e.id));
        href = href.or_else(|| Some(format!("{}#{}", plan.file, figure.map_or(&plan.anchor, |f| &f.anchor))));
    }
    let part = (asked > 0.0).then(|| met / asked)?;
    let percent = percent(part);
    let (networks, where_it_applies) = match goal {
        2 => (significant(asked, 3), " in which it applies"),
        _ => (asked, ""),
    };
    let (goal, networks, id) = (GOALS[goal], number(networks), &study.result.id);
    Some(Cell {
        verdict: match part {
            _ if study.result.is_provisional() => Verdict::Provisional,
            1.0.. => Verdict::Reproduced,
            0.5.. => Verdict::Partly,
            _ => Verdict::NotReproduced,
        },
        says: format!(
            "{goal}: met in {percent} of the {networks} networks of study {id}{where_it_applies}, among CUBIC flows"
        ),
        text: percent,
        href: href?,
        met: part,
    })
}

/// A fraction in whole percent; less than all is never 100 %.
pub fn percent(part: f64) -> String {
    let whole = (100.0 * part).round();
    format!("{} %", if part < 1.0 { whole.min(99.0) } else { whole })
}

/// The number of networks in a goal's tiles.
fn drawn(e: &Experiment, number: usize) -> Option<f64> {
    let figure = e.figures.iter().find(|figure| figure.id == format!("{}.goal{number}", e.id))?;
    let tiles = figure.panels.iter().filter(|panel| panel.mark == Mark::Tile).flat_map(|panel| &panel.series);
    tiles.map(|series| series.points.len()).max().map(|n| n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_rounded_but_all_is_all() {
        let parts = [16.0 / 18.0, 0.57, 0.999, 1.0, 0.0];
        assert_eq!(parts.map(percent), ["89 %", "57 %", "99 %", "100 %", "0 %"]);
    }
}
