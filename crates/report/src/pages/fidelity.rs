//! The simulator compared with another backend: differences for the same scenarios.

use crate::layout::{self, heads};
use crate::plan::{BackendPlan, PaperPlan};
use crate::prose::prose;
use anabranch_scenario::distinct_by;
use anabranch_study::{
    Cause, Difference, DifferenceStats, Estimate, Fidelity, Measure, VariantName, exceeds_ten_percent,
    overview,
};
use anabranch_study::{distinct_variants, format};
use maud::{Markup, html};
use std::collections::HashSet;

/// The number of scenarios up to which they start unfolded.
const FEW_SCENARIOS: usize = 1;

/// A summary of differences by kind with links, for the first page and for a study's page.
pub fn summary(papers: &[&PaperPlan], own_page: bool) -> Markup {
    html! {
        @for (i, column) in columns(papers).into_iter().enumerate() {
            @let scenarios = scenarios(papers, column);
            section id=[(i == 0).then_some("fidelity")] {
                h2 { "The simulator beside " (column.title) }
                p {
                    (prose(&column.meaning)) " "
                    "A difference is the simulator's value ÷ the other backend's value − 1; it is undefined if the other value is zero. A "
                    "difference that exceeds 10 % and its 95 % interval is attributed to the hosts if it disappears with " code { "hosts = \"linux\"" } ". "
                    "A scenario that several experiments use counts once. The floor is the effect of chance: the same quantile of the differences between the "
                    "two halves of the simulator's seeds, scaled to the number of seeds compared. A median at or below its floor is not "
                    "distinguishable from zero."
                }
                (by_kind(&scenarios))
                (places(papers, column, own_page))
            }
        }
    }
}

/// The backends, in order of first appearance.
pub fn columns<'a>(papers: &[&'a PaperPlan<'a>]) -> Vec<&'a VariantName> {
    let backends = papers.iter().flat_map(|paper| &paper.experiments).flat_map(|e| &e.backends);
    distinct_variants(backends.map(|backend| backend.column))
}

/// The scenarios that ran there, once for each command.
fn scenarios<'a>(papers: &[&'a PaperPlan<'a>], column: &VariantName) -> Vec<&'a Fidelity> {
    let mut known = HashSet::new();
    let all = papers.iter().flat_map(|paper| &paper.experiments).flat_map(|e| &e.backends);
    let there = all.filter(|backend| backend.column.id == column.id);
    there.flat_map(|backend| &backend.scenarios).copied().filter(|f| known.insert(&f.command)).collect()
}

fn by_kind(scenarios: &[&Fidelity]) -> Markup {
    let all = overview(scenarios.iter().copied());
    let has_hosts = all.iter().any(|of_kind| of_kind.linux_hosts.is_some());
    let of_columns = html! {
        (heads(&["Quantity"], &["Number", "Median |difference|", "90th percentile", "Within 10 %"]))
        @if has_hosts { (heads(&[], &["Linux-accurate hosts: median", "90th percentile", "Within 10 %"])) }
    };
    let lines = html! {
        @for of_kind in &all {
            tr {
                th scope="row" { (of_kind.kind.title()) }
                td.number { (of_kind.plain.count) }
                (amounts(Some(&of_kind.plain)))
                @if has_hosts { (amounts(of_kind.linux_hosts.as_ref())) }
            }
        }
    };
    let short = scenarios.iter().filter(|scenario| is_short(scenario)).count();
    html! {
        p {
            (scenarios.len()) @if scenarios.len() == 1 { " scenario" } @else { " scenarios" } " ran on both."
            @if short > 0 { " Of " (short) " only the seeds that both have count: other runs failed." }
        }
        (layout::table("Differences by kind", "flows", &of_columns, &lines))
    }
}

/// The cells of a kind's median and 90th percentile with their floors, and the fraction within 10 %.
fn amounts(amounts: Option<&DifferenceStats>) -> Markup {
    html! {
        @match amounts {
            Some(amounts) => {
                @for (i, amount) in amounts.quantiles.into_iter().enumerate() {
                    td.number {
                        (format!("{:.1} %", 100.0 * amount))
                        @if let Some(floor) = amounts.floor { div.quiet { (format!("floor {:.1} %", 100.0 * floor[i])) } }
                        @if i == 0 && amounts.is_chance() { div.quiet { "not distinguishable" } }
                    }
                }
                td.number { (format!("{:.0} %", 100.0 * amounts.within)) }
            }
            None => @for _ in 0..3 { td.number.quiet { "–" } }
        }
    }
}

/// Links to the tables: of each experiment, or of each study.
fn places(papers: &[&PaperPlan], column: &VariantName, own_page: bool) -> Markup {
    let experiments = papers.iter().flat_map(|paper| paper.experiments.iter().map(move |e| (paper, e)));
    let there = experiments.flat_map(|(paper, e)| e.backends.iter().map(move |backend| (paper, e, backend)));
    let there: Vec<_> = there.filter(|(_, _, backend)| backend.column.id == column.id).collect();
    html! {
        ul.sentences {
            @if own_page {
                @for (_, e, backend) in &there {
                    li {
                        a href={ (e.file) "#" (backend.anchor) } { b { (e.experiment.id) } " " (e.experiment.title) } ": "
                        (counted(backend.scenarios.iter().copied()))
                    }
                }
            } @else {
                @for (paper, _, _) in distinct_by(&there, |(paper, _, _)| &paper.file) {
                    @let of_paper = there.iter().filter(|(other, _, _)| other.file == paper.file);
                    li {
                        a href={ (paper.file) "#fidelity" } { (paper.result.id) ". " (paper.result.title) } ": "
                        (counted(of_paper.flat_map(|(_, _, backend)| backend.scenarios.iter().copied())))
                    }
                }
            }
        }
    }
}

/// "3 scenarios, 5 of 27 quantities beyond 10 %".
fn counted<'a>(scenarios: impl Iterator<Item = &'a Fidelity> + Clone) -> String {
    let quantities = || scenarios.clone().flat_map(|scenario| &scenario.quantities);
    let apart = quantities().filter(|q| q.relative.is_some_and(exceeds_ten_percent)).count();
    let scenarios = match scenarios.clone().count() {
        1 => "1 scenario".to_owned(),
        n => format!("{n} scenarios"),
    };
    format!("{scenarios}, {apart} of {} quantities beyond 10 %", quantities().count())
}

/// Whether a seed is missing on one of the two.
fn is_short(scenario: &Fidelity) -> bool {
    scenario.seeds < scenario.of_seeds
}

/// In an experiment's section: a table for each scenario.
pub fn section(backend: &BackendPlan) -> Markup {
    let few = backend.scenarios.len() <= FEW_SCENARIOS;
    html! {
        details.runs id=(backend.anchor) open[few] {
            summary {
                h3 { "The simulator beside " (backend.column.title) }
                span.quiet { " " (counted(backend.scenarios.iter().copied())) }
            }
            @for scenario in &backend.scenarios {
                div.run {
                    p {
                        (prose(&scenario.title))
                        @if is_short(scenario) { span.quiet { " " (scenario.seeds) " of " (scenario.of_seeds) " seeds, the ones that both have" } }
                    }
                    (table(scenario, backend.column))
                    p.hint { "On " (backend.column.title) ":" }
                    pre.command tabindex="0" { code { (scenario.command) } }
                }
            }
        }
    }
}

fn table(scenario: &Fidelity, column: &VariantName) -> Markup {
    let has_hosts = scenario.quantities.iter().any(|quantity| quantity.linux_hosts.is_some());
    let hosts = if has_hosts { &["Linux-accurate hosts"][..] } else { &[] };
    let of_columns = html! {
        (heads(&["Quantity", "Of"], &["Simulator"])) (heads(&[], hosts)) (heads(&[], &[&column.title]))
        (heads(&["Unit"], &["Difference"])) (heads(&[], hosts)) (heads(&["Beyond 10 %"], &[]))
    };
    let lines = html! { @for quantity in &scenario.quantities { (line(quantity, has_hosts)) } };
    let label = format!("{}: the simulator beside {}", scenario.title, column.title);
    layout::table(&label, "flows fidelity", &of_columns, &lines)
}

fn line(quantity: &Difference, has_hosts: bool) -> Markup {
    let (factor, unit) = unit(quantity.kind);
    let value = |estimate: &Estimate| format::of(&scaled(estimate, |x| x * factor));
    let hosts = quantity.linux_hosts.as_ref();
    html! {
        tr class=[(quantity.cause() != Cause::Near).then_some("apart")] {
            th scope="row" { (quantity.kind.title()) }
            td { (quantity.of) }
            td.number { (value(&quantity.simulated)) }
            @if has_hosts { td.number { (hosts.map_or("–".into(), |hosts| value(&hosts.simulated))) } }
            td.number { (value(&quantity.real)) }
            td { (unit) }
            td.number { (difference(quantity.relative, quantity.half_width)) }
            @if has_hosts {
                td.number { (hosts.map_or("–".into(), |hosts| difference(hosts.relative, hosts.half_width))) }
            }
            td {
                @match quantity.cause() {
                    Cause::Near => {}
                    Cause::Chance => span.quiet { "≠ within chance" }
                    Cause::LinuxHosts => span.verdict.partly { span.sign aria-hidden="true" { "≠" } " the hosts" }
                    Cause::Unexplained => span.verdict.not-reproduced { span.sign aria-hidden="true" { "≠" } " unexplained" }
                }
            }
        }
    }
}

/// In per cent: "+12.3 ± 0.4 %".
fn difference(relative: Option<f64>, half_width: Option<f64>) -> String {
    let Some(relative) = relative else { return "–".into() };
    let mean = match format!("{:+.1}", 100.0 * relative).as_str() {
        "+0.0" | "-0.0" => "0.0".into(),
        signed => signed.replace('-', "−"),
    };
    let interval = half_width.map(|half| format!(" ± {}", format::bounded(100.0 * half, 1)));
    format!("{mean}{} %", interval.unwrap_or_default())
}

/// A kind's display factor and unit.
pub fn unit(kind: Measure) -> (f64, &'static str) {
    match kind {
        Measure::Goodput => (1e-6, "Mbit/s"),
        Measure::Window => (1.0, "segments"),
        Measure::SmoothedRoundTrip | Measure::Completion => (1e3, "ms"),
        Measure::Loss => (1e2, "%"),
    }
}

/// An estimate in another unit.
pub fn scaled(estimate: &Estimate, scale: impl Fn(f64) -> f64) -> Estimate {
    Estimate {
        mean: scale(estimate.mean),
        half_width: estimate.half_width.map(&scale),
        values: estimate.values.iter().map(|value| scale(*value)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_a_sign_and_tenths() {
        assert_eq!(difference(Some(0.1234), Some(0.0456)), "+12.3 ± 4.6 %");
        assert_eq!(difference(Some(-0.5), Some(1e-5)), "−50.0 ± <\u{202f}0.1 %");
        assert_eq!(difference(Some(-1e-4), None), "0.0 %");
        assert_eq!(difference(Some(12.345), None), "+1234.5 %");
        assert_eq!(difference(None, None), "–");
    }
}
