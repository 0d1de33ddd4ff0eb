//! A study's main claim and its verdict, in the simulator and on other backends.

use crate::{plan::PaperPlan, prose::prose, verdict};
use anabranch_study::{
    Estimate, Headline, Row, StudyResult, VariantName, Verdict, Wording, distinct_variants, format,
    name_and_day,
};
use maud::{Markup, html};

/// Further reasons are only counted.
const MOST_REASONS: usize = 2;

/// The largest number of runs whose values are listed.
const MOST_RUNS: usize = 5;

/// More values are stacked: side by side, their names would not fit.
const MOST_BESIDE: usize = 3;
/// The longest bar's width in its cell, in percent: its value follows it.
const LONGEST: f64 = 45.0;
/// The same with more than three columns.
const LONGEST_OF_MANY: f64 = 20.0;

/// A source's values for the names of [`Headline::values`].
struct ValueLine<'a> {
    /// "published", "simulator", or a backend's.
    name: &'a str,
    class: &'static str,
    /// In the order of the names.
    values: Vec<Option<f64>>,
    /// The verdict on the claim, if this is ours.
    verdict: Option<Verdict>,
}

/// The verdict on a claim of several rows: the worst one. Rows that were not run are `None` and leave no verdict, unless another
/// row refutes the claim.
pub fn least(verdicts: impl IntoIterator<Item = Option<Verdict>>) -> Option<Verdict> {
    let order = |v: &Verdict| match v {
        Verdict::Reproduced => 0,
        Verdict::Partly => 1,
        Verdict::NotJudged => 2,
        Verdict::Provisional => 3,
        Verdict::Undetermined => 4,
        Verdict::NotReproduced => 5,
        Verdict::Failed => 6,
    };
    let verdicts: Vec<Option<Verdict>> = verdicts.into_iter().collect();
    let worst = verdicts.iter().flatten().copied().max_by_key(order);
    let refuted = matches!(worst, Some(Verdict::NotReproduced | Verdict::Failed));
    worst.filter(|_| refuted || verdicts.iter().all(Option::is_some))
}

/// Sign and words for a claim.
pub fn badge(verdict: Option<Verdict>) -> Markup {
    let words = match verdict {
        None => "not run completely",
        Some(Verdict::Failed) => "could not be measured",
        Some(verdict) => Wording::Claims.label(verdict),
    };
    verdict::signed(verdict.unwrap_or(Verdict::NotJudged), words)
}

/// The verdict on a study's headline; `None` unless all of its rows were run.
pub fn answer(result: &StudyResult) -> Option<Verdict> {
    let headline = result.headline.as_ref()?;
    least(headline.judged.iter().map(|id| find(result, id).map(|row| row.verdict)))
}

fn find<'a>(result: &'a StudyResult, id: &str) -> Option<&'a Row> {
    result.experiments.iter().flat_map(|e| &e.rows).find(|row| is_called(row, id))
}

/// A study's identifiers differ in more than their case.
fn is_called(row: &Row, id: &str) -> bool {
    row.id.to_lowercase() == id.to_lowercase()
}

/// The claim, its verdict and its values; for a study without a headline, the count of its verdicts.
pub fn line(plan: &PaperPlan, linked: bool) -> Markup {
    let result = plan.result;
    let Some(headline) = &result.headline else {
        return html! {
            div.claim {
                p.study { (name(plan, linked)) }
                @let rows = || result.experiments.iter().flat_map(|e| &e.rows);
                @if plan.users && rows().all(|row| row.verdict == Verdict::NotJudged) { p.quiet { (rows().count()) " values, no claims" } }
                @else { (verdict::tally(verdict::counts(rows()), plan.wording)) }
            }
        };
    };
    let sources = sources(result, headline);
    html! {
        div.claim {
            div {
                p.study { (badge(answer(result))) " " (name(plan, linked)) }
                p { (prose(&headline.claim)) "." }
                (reasons(result, headline))
                (judged(plan))
                @for other in sources.iter().filter(|s| s.class == "backend") {
                    p.quiet { "On " (other.name) ": " (badge(other.verdict)) }
                }
            }
            @if sources.iter().any(|s| s.class != "published" && s.values.iter().any(Option::is_some)) { (bars(result, headline, &sources)) }
        }
    }
}

/// The count of verdicts, of the study's own experiments if it has any.
fn judged(plan: &PaperPlan) -> Markup {
    let result = plan.result;
    let [own, beyond] = result.own_and_beyond();
    let of = if own.is_empty() { beyond } else { own };
    let counts = verdict::counts(of.iter().flat_map(|e| &e.rows));
    let counted = || verdict::ALL.into_iter().zip(counts).filter(|&(v, n)| v != Verdict::NotJudged && n > 0);
    html! {
        @if result.is_provisional() {
            p.reason { "Quick runs give " (counted().map(|(_, n)| n).sum::<usize>()) " values, and no verdicts." }
        } @else if counted().next().is_some() {
            p.reason {
                "Verdicts on all " (counted().map(|(_, n)| n).sum::<usize>()) " judged values: "
                @for (i, (v, n)) in counted().enumerate() {
                    @if i > 0 { ", " }
                    span class={ "verdict " (verdict::class(v)) } { (verdict::sign(v)) " " (n) " " (plan.wording.label(v)) }
                }
            }
        }
    }
}

/// The judged rows that keep a claim from holding.
fn reasons(result: &StudyResult, headline: &Headline) -> Markup {
    let judged = headline.judged.iter().filter_map(|id| find(result, id));
    let missed: Vec<&Row> =
        judged.filter(|row| !matches!(row.verdict, Verdict::Reproduced | Verdict::Provisional)).collect();
    let value = |row: &Row| match &row.measured {
        // The values of few runs are clearer than a very wide interval.
        Some(m) if m.values.len() <= MOST_RUNS && m.half_width.is_some_and(|half| half > m.mean.abs()) => {
            let runs = m.values.iter().map(|value| short(*value)).collect::<Vec<_>>().join(", ");
            format!("{} ({runs} in {} runs)", short(m.mean), m.values.len())
        }
        Some(m) => format::brief(m),
        None => {
            let each = row.compared.iter().map(|(name, m)| format!("{name} {}", format::brief(m)));
            each.collect::<Vec<_>>().join(", ")
        }
    };
    html! {
        @for row in missed.iter().take(MOST_REASONS) {
            p.reason { (verdict::sign(row.verdict)) " " (prose(&row.what)) ": " (value(row)) }
        }
        @if missed.len() > MOST_REASONS { p.reason { "and " (missed.len() - MOST_REASONS) " more" } }
    }
}

fn name(plan: &PaperPlan, linked: bool) -> Markup {
    let result = plan.result;
    html! {
        @if linked { a href=(plan.file) title=(result.name) { b { (result.id) ". " } (prose(&result.title)) } }
        @else { b { (result.id) } " " (result.name) }
    }
}

/// The values by source, if there are any.
fn sources<'a>(result: &'a StudyResult, headline: &Headline) -> Vec<ValueLine<'a>> {
    let rows: Vec<Option<&Row>> = headline.values.iter().map(|(_, id)| find(result, id)).collect();
    let judged = || headline.judged.iter().map(|id| find(result, id));
    let values = |value: &dyn Fn(&Row) -> Option<f64>| -> Vec<Option<f64>> {
        rows.iter().map(|row| value(row.as_ref()?).filter(|v| v.is_finite())).collect()
    };
    let mean = |e: &Option<Estimate>| e.as_ref().map(|e| e.mean);
    let source = |name, class, values, verdict| ValueLine { name, class, values, verdict };
    let mut sources = vec![
        source("published", "published", values(&|row| row.published.value()), None),
        source("simulator", "ours", values(&|row| mean(&row.measured)), answer(result)),
    ];
    for column in backends(result, headline) {
        let values = values(&|row| row.other(&column.id).and_then(|other| mean(&other.measured)));
        let verdict = least(judged().map(|row| Some(row?.other(&column.id)?.verdict)));
        sources.push(source(&column.title, "backend", values, verdict));
    }
    sources.retain(|source| source.verdict.is_some() || source.values.iter().any(Option::is_some));
    sources
}

/// The backends of the experiments that have its rows.
fn backends<'a>(result: &'a StudyResult, headline: &Headline) -> Vec<&'a VariantName> {
    let rows = || headline.judged.iter().chain(headline.values.iter().map(|(_, id)| id));
    let experiments =
        result.experiments.iter().filter(|e| e.rows.iter().any(|row| rows().any(|id| is_called(row, id))));
    distinct_variants(experiments.flat_map(|e| &e.variants).filter(|column| column.of_backend))
}

/// A table whose values are drawn as bars on one scale.
fn bars(result: &StudyResult, headline: &Headline, sources: &[ValueLine]) -> Markup {
    let all = sources.iter().flat_map(|source| &source.values).flatten();
    let largest = all.copied().fold(0.0, f64::max);
    let unit =
        headline.values.iter().find_map(|(_, id)| find(result, id)).map_or("", |row| row.unit.as_str());
    let tall = headline.values.len() > MOST_BESIDE;
    let longest = if tall && sources.len() > 3 { LONGEST_OF_MANY } else { LONGEST };
    let width = |value: f64| if largest > 0.0 { (longest * value.max(0.0) / largest).round() } else { 0.0 };
    let bar = |value: &Option<f64>| {
        html! {
            @match value {
                Some(value) => { span.bar style={ "width:" (width(*value)) "%" } {} (short(*value)) },
                None => "–",
            }
        }
    };
    let names = || headline.values.iter().map(|(name, _)| prose(name));
    html! {
        table.bars.roomy[tall && sources.len() < 3] {
            @if tall {
                thead { tr { (corner(unit)) @for source in sources { th scope="col" { (without_day(source.name)) } } } }
                tbody {
                    @for (i, name) in names().enumerate() {
                        tr { th scope="row" { (name) } @for source in sources { td class=(source.class) { (bar(&source.values[i])) } } }
                    }
                }
            } @else {
                thead { tr { (corner(unit)) @for name in names() { th scope="col" { (name) } } } }
                tbody {
                    @for source in sources {
                        tr class=(source.class) { th scope="row" { (without_day(source.name)) } @for value in &source.values { td { (bar(value)) } } }
                    }
                }
            }
        }
    }
}

/// The name of measured runs without their last day, which the verdict beside the table has and narrow columns would break.
fn without_day(name: &str) -> &str {
    name_and_day(name).0
}

/// Three significant digits.
fn short(value: f64) -> String {
    format::number(format::significant(value, 3))
}

/// The unit above the names; no heading without one.
fn corner(unit: &str) -> Markup {
    html! { @if unit.is_empty() { td {} } @else { th scope="col" { (unit) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_study::Experiment;

    #[test]
    fn rows_are_found_in_any_case() {
        let rows = vec![Row { id: "G.1".into(), ..Row::default() }];
        let experiments = vec![Experiment { rows, ..Experiment::default() }];
        let result = StudyResult { experiments, ..StudyResult::default() };
        assert!(find(&result, "g.1").is_some() && find(&result, "g.2").is_none());
    }

    #[test]
    fn a_claim_holds_as_far_as_its_weakest_row() {
        use Verdict::{Failed, NotJudged, NotReproduced, Partly, Reproduced, Undetermined};
        for (verdicts, expected) in [
            (&[Reproduced, Reproduced][..], Some(Reproduced)),
            (&[Reproduced, Partly], Some(Partly)),
            (&[Partly, NotReproduced, Reproduced], Some(NotReproduced)),
            (&[NotReproduced, Failed], Some(Failed)),
            (&[Reproduced, Undetermined], Some(Undetermined)),
            (&[Undetermined, NotReproduced], Some(NotReproduced)),
            (&[NotJudged, Reproduced], Some(NotJudged)),
            (&[], None),
        ] {
            assert_eq!(least(verdicts.iter().copied().map(Some)), expected, "{verdicts:?}");
        }
        // A row that was not run may refute it.
        assert_eq!(least([Some(Reproduced), None]), None);
        assert_eq!(least([Some(NotReproduced), None]), Some(NotReproduced));
    }
}
