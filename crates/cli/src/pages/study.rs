//! Formats the results of papers and studies.

use crate::table::{Table, WIDTH};
use anabranch::studies::format::{plain, plain_estimate};
use anabranch::studies::{
    Estimate, Experiment, Published, Row, VariantName, Verdict, Wording, distinct_variants,
};
use anabranch::{StudyResult, counted};

fn rows(result: &StudyResult) -> impl Iterator<Item = &Row> {
    result.experiments.iter().flat_map(|e| &e.rows)
}

pub fn verdicts(result: &StudyResult) -> String {
    let (result, wording) = (&*result.shown(), anabranch::papers::wording(result));
    let [mut own, mut beyond] = result.own_and_beyond();
    if anabranch::papers::is_own(&result.name) {
        own.append(&mut beyond);
    }
    let beyond_title = format!("beyond the {}", wording.work());
    let parts = [(own, "experiment"), (beyond, &*beyond_title)].into_iter();
    let parts = parts.filter(|(experiments, _)| !experiments.is_empty());
    let tables: Vec<String> =
        parts.map(|(of, title)| verdict_table(&of, title, wording).to_string()).collect();
    let (size, seeds) = (&result.size, result.seeds_of_rows());
    let partial = if result.partial { "; partial: interrupted" } else { "" };
    let heading = format!("{}: {} ({size} size; seeds: {seeds}{partial})", result.name, result.title);
    let open = rows(result).filter(|row| row.is_open()).count();
    let open = match open {
        0 => String::new(),
        n => format!(
            "In {} these seeds do not decide: the interval includes another verdict.\n",
            counted(n, "row")
        ),
    };
    let tables = tables.join("\n");
    format!("{}\n{tables}{open}{}", textwrap::fill(&heading, WIDTH), variant_table(result, wording))
}

/// Counts the verdicts of each experiment and, for several, their sum.
fn verdict_table(experiments: &[&Experiment], title: &str, wording: Wording) -> Table {
    let several = experiments.len() > 1;
    let ids = experiments.iter().map(|e| e.id.as_str()).chain(several.then_some("all"));
    let titles = experiments.iter().map(|e| e.title.as_str()).chain(several.then_some(""));
    let each = |verdict: Verdict| {
        let count = move |e: &&Experiment| e.rows.iter().filter(|r| r.verdict == verdict).count() as u64;
        let all = several.then(|| experiments.iter().map(count).sum());
        experiments.iter().map(count).chain(all)
    };
    let judged = judged(experiments.iter().flat_map(|e| &e.rows));
    [judged, vec![Verdict::NotJudged, Verdict::Failed]]
        .concat()
        .into_iter()
        .fold(Table::new().text("", ids).text(title, titles), |table, verdict| {
            table.count(head(verdict, wording), each(verdict))
        })
}

/// The verdicts that rows may have: the quick size has none.
fn judged<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<Verdict> {
    match rows.into_iter().any(|row| row.verdict == Verdict::Provisional) {
        true => vec![Verdict::Provisional],
        false => vec![Verdict::Reproduced, Verdict::Partly, Verdict::NotReproduced, Verdict::Undetermined],
    }
}

/// A verdict as the head of a column.
fn head(verdict: Verdict, wording: Wording) -> &'static str {
    match (wording, verdict) {
        (_, Verdict::NotReproduced) => "not",
        (Wording::Claims, Verdict::Partly) => "partly",
        _ => wording.label(verdict),
    }
}

/// The verdicts of the paper's own rows, by default and under each sensitivity variant; empty without variants.
fn variant_table(result: &StudyResult, wording: Wording) -> String {
    let own = result.experiments.iter().filter(|e| !e.beyond);
    let columns = distinct_variants(own.flat_map(|e| &e.variants));
    if columns.is_empty() {
        return String::new();
    }
    let own: Vec<&Row> = result.own_rows().map(|(_, row)| row).collect();
    let all: Vec<Option<&VariantName>> = std::iter::once(None).chain(columns.into_iter().map(Some)).collect();
    let other = |row: &Row, column: Option<&VariantName>| {
        column.and_then(|column| row.other(&column.id)).map(|other| other.verdict)
    };
    let count_all = |matches: &dyn Fn(&Row, Option<&VariantName>) -> bool| -> Vec<u64> {
        let count =
            |column: &Option<&VariantName>| own.iter().filter(|row| matches(row, *column)).count() as u64;
        all.iter().map(count).collect()
    };
    // A row that did not run on another backend has no verdict there.
    let under = |row: &Row, column: Option<&VariantName>| {
        other(row, column).or((!column.is_some_and(|column| column.of_backend)).then_some(row.verdict))
    };
    let each = |verdict: Verdict| count_all(&|row, column| under(row, column) == Some(verdict));
    let table = Table::new()
        .text("own rows", all.iter().map(|column| column.map_or("default", |column| &*column.title)))
        .count("changed", count_all(&|row, column| other(row, column).is_some()));
    let verdicts = [judged(own.iter().copied()), vec![Verdict::Failed]].concat();
    let table =
        verdicts.into_iter().fold(table, |table, verdict| table.count(head(verdict, wording), each(verdict)));
    format!("\n{table}")
}

pub fn verdicts_and_rows(result: &StudyResult) -> String {
    let (result, wording) = (&*result.shown(), anabranch::papers::wording(result));
    let rows: Vec<&Row> = rows(result).collect();
    let ours = |row: &&Row| match (&row.measured, &row.compared[..]) {
        (Some(ours), _) => with_interval(ours, &row.unit),
        (None, []) => "–".to_owned(),
        (None, all) => {
            let each = all.iter().map(|(name, ours)| format!("{name} {}", with_interval(ours, &row.unit)));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    let published = |row: &&Row| match &row.published {
        Published::Value(value) | Published::Derived { value, .. } => {
            format!("{} {}", plain(*value), row.unit)
        }
        Published::Claim(claim) => claim.clone(),
        Published::Nothing => "–".into(),
    };
    let name = |verdict: &Verdict| match (wording, verdict) {
        (Wording::Published, Verdict::NotReproduced) => "not",
        _ => wording.label(*verdict),
    };
    let verdict = |row: &&Row| match &row.crosses[..] {
        [] => name(&row.verdict).to_owned(),
        reached => {
            let reached: Vec<&str> = reached.iter().map(name).collect();
            format!("{} (interval reaches {})", name(&row.verdict), reached.join(", "))
        }
    };
    let table = Table::new()
        .text("row", rows.iter().map(|row| row.id.as_str()))
        .text(if wording == Wording::Published { "published" } else { "claim" }, rows.iter().map(published))
        .text("ours", rows.iter().map(ours))
        .text("verdict", rows.iter().map(verdict));
    format!("{}\n{table}", verdicts(result))
}

/// Formats a mean and the half-width of its interval, with the unit.
fn with_interval(ours: &Estimate, unit: &str) -> String {
    let value = ours.half_width.map_or_else(|| plain(ours.mean), |half| plain_estimate(ours.mean, half));
    format!("{value} {unit}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(id: &str, beyond: bool, verdicts: &[Verdict]) -> Experiment {
        let row = |verdict: &Verdict| Row {
            id: id.into(),
            published: Published::Value(1.0),
            verdict: *verdict,
            ..Row::default()
        };
        Experiment {
            id: id.into(),
            title: "two words".into(),
            beyond,
            rows: verdicts.iter().map(row).collect(),
            ..Experiment::default()
        }
    }

    /// A claim that one value is the highest has no value of its own: the terminal shows those that it compares.
    #[test]
    fn an_order_shows_what_it_compares() {
        let mut highest = experiment("X-1", false, &[Verdict::NotReproduced]);
        let value = |mean: f64, half_width| Estimate { mean, half_width, values: vec![mean; 2] };
        highest.rows[0].published = Published::Claim("OLIA is the highest".into());
        highest.rows[0].unit = "Mbit/s".into();
        highest.rows[0].compared =
            vec![("LIA".into(), value(52.5, Some(1.5))), ("OLIA".into(), value(40.0, None))];
        let result = StudyResult { name: "x".into(), experiments: vec![highest], ..StudyResult::default() };
        let page = verdicts_and_rows(&result);
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("OLIA is the highest LIA 52.5 ± 1.5 Mbit/s, OLIA 40.00 Mbit/s"), "{page}");
        assert!(!page.contains('–'), "a dash would mean that nothing was measured: {page}");
    }

    /// Experiments beyond the paper have a separate table, and each table has its own sum.
    #[test]
    fn experiments_beyond_the_paper_have_their_own_table() {
        use Verdict::{NotReproduced, Partly, Reproduced};
        let experiments = [
            experiment("X-1", false, &[Reproduced, Reproduced, Partly]),
            experiment("X-A", true, &[NotReproduced]),
            experiment("X-2", false, &[Reproduced]),
        ];
        let [own, beyond]: [Vec<&Experiment>; 2] =
            [false, true].map(|b| experiments.iter().filter(|e| e.beyond == b).collect());
        let cells = |table: Table| -> Vec<Vec<String>> {
            let line = |line: &str| line.split_whitespace().map(str::to_owned).collect();
            table.to_string().lines().skip(2).map(line).collect()
        };
        let own = cells(verdict_table(&own, "experiment", Wording::Published));
        assert_eq!(own[2], ["all", "3", "1", "0", "0", "0", "0"]);
        let beyond = cells(verdict_table(&beyond, "beyond the paper", Wording::Published));
        assert_eq!((beyond.len(), &*beyond[0].join(" ")), (1, "X-A two words 0 0 1 0 0 0"));
    }
}
