//! Merges a new result with an earlier one of the same study.

use super::described;
use crate::fidelity::attach_linux_hosts;
use crate::plan::variant::MEASURED;
use crate::plan::{Definition, Study};
use crate::result::{Experiment, Figure, Row, StudyResult, VariantName};
use crate::size;
use std::time::SystemTime;

/// The result to write, and messages on what was lost. The earlier result was written at that time.
pub(super) fn merge(
    study: &Study,
    old: Option<(StudyResult, SystemTime)>,
    mut new: StudyResult,
) -> (StudyResult, Vec<String>) {
    let Some((old, written)) = old else { return (new, vec![]) };
    let made =
        |r: &StudyResult| (r.size.clone(), r.seeds, r.version.clone(), r.hash.clone(), r.without_variants);
    let alike = made(&old) == made(&new);
    if !alike && new.partial {
        let notice =
            format!("{}: keeping {}, because {} is incomplete", study.name, described(&old), described(&new));
        return (old, vec![notice]);
    }
    let mut notices = vec![];
    if !alike {
        notices.push(format!("{}: {} replaces {}", study.name, described(&new), described(&old)));
    }
    let mut has_earlier = false;
    for experiment in &mut new.experiments {
        let Some(earlier) = old.experiments.iter().find(|e| e.id == experiment.id) else { continue };
        let (kept, lost) = keep_backends(experiment, earlier, &origin(&old, written));
        has_earlier |= kept;
        notices.extend(lost.map(|lost| format!("{}: {lost}", study.name)));
    }
    if alike {
        let run_again: Vec<String> = new.experiments.iter().map(|e| e.id.clone()).collect();
        let stays: Vec<_> = old.experiments.iter().filter(|e| !run_again.contains(&e.id)).cloned().collect();
        has_earlier |= !stays.is_empty();
        new.experiments.extend(stays);
        let is_missing = |d: &&Definition| !new.experiments.iter().any(|e| e.id == d.id());
        let mut missing = study.experiments.iter().filter(is_missing);
        let is_partial = |d: &Definition| !d.plan(size::named(&new.size)).on_request;
        new.partial = (new.partial || old.partial) && missing.any(is_partial);
        new.experiments.sort_by_key(|e| study.experiments.iter().position(|d| d.id() == e.id));
    }
    if has_earlier {
        let all = old.earlier_commands.into_iter().chain(old.command);
        new.earlier_commands = all.filter(|command| Some(command) != new.command.as_ref()).collect();
        new.earlier_commands.dedup();
    }
    (new, notices)
}

/// Keeps the requested variants that only the earlier result has, if the simulator's values are unchanged. Returns whether it
/// kept any, and what was lost.
fn keep_backends(new: &mut Experiment, old: &Experiment, origin: &str) -> (bool, Option<String>) {
    // Old results do not record the requested variants.
    let asked = |variant: &VariantName| variant.of_backend || old.asked.contains(&variant.id);
    // Each command takes the measured runs anew.
    let missing = |variant: &&VariantName| {
        asked(variant) && !variant.id.starts_with(MEASURED) && !new.asked.contains(&variant.id)
    };
    let variants: Vec<VariantName> = old.variants.iter().filter(missing).cloned().collect();
    if variants.is_empty() {
        return (false, None);
    }
    if !simulates_the_same(new, old) {
        let titles: Vec<&str> = variants.iter().map(|variant| &*variant.title).collect();
        let lost = format!(
            "{}: dropped the earlier values of {}, because the simulator's values have changed",
            new.id,
            titles.join(" and ")
        );
        return (false, Some(lost));
    }
    for mut variant in variants {
        if !variant.notes.iter().any(|note| note.starts_with(KEPT)) {
            variant.notes.push(format!("{KEPT} {origin}."));
        }
        let id = variant.id.clone();
        // Backends precede sensitivity variants.
        let at = new.variants.iter().filter(|variant| variant.of_backend).count();
        new.variants.insert(at, variant);
        for row in &mut new.rows {
            let there = old.rows.iter().find(|earlier| earlier.id == row.id).and_then(|row| row.other(&id));
            row.others.extend(there.cloned());
        }
        for figure in &old.figures {
            let own = figure.id.split_once('@').filter(|(_, variant)| *variant == id);
            let Some((of, _)) = own else { continue };
            let beside = |known: &Figure| known.id.split('@').next() == Some(of);
            if let Some(last) = new.figures.iter().rposition(beside) {
                new.figures.insert(last + 1, figure.clone());
            }
        }
        new.runs.extend(old.runs.iter().filter(|run| run.variant.as_ref() == Some(&id)).cloned());
        new.fidelity.extend(old.fidelity.iter().filter(|fidelity| fidelity.variant == id).cloned());
        new.asked.push(id);
    }
    if new.linux_hosts.is_empty() {
        new.linux_hosts.clone_from(&old.linux_hosts);
    }
    attach_linux_hosts(&mut new.fidelity, &new.linux_hosts);
    (true, None)
}

/// The beginning of the note on a variant's origin.
const KEPT: &str = "Kept from";

fn origin(old: &StudyResult, written: SystemTime) -> String {
    let at = chrono::DateTime::<chrono::Utc>::from(written).format("%-d %B %Y, %H:%M UTC");
    format!("the result of {at}, by version {}", old.version)
}

/// Whether both have the same scenarios, and the simulator gave the same values.
fn simulates_the_same(new: &Experiment, old: &Experiment) -> bool {
    let values = |e: &Experiment| -> Vec<_> {
        let of = |row: &Row| {
            (row.id.clone(), row.measured.clone(), row.compared.clone(), row.interpretations.clone())
        };
        e.rows.iter().map(of).collect()
    };
    let of_default = |e: &Experiment| -> Vec<_> {
        let own = e.runs.iter().filter(|run| run.variant.is_none());
        own.map(|run| (run.command.clone(), run.text.clone())).collect()
    };
    values(new) == values(old) && of_default(new) == of_default(old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Difference, Estimate, Fidelity, Figure, LinuxHosts, Measure, Other, Run, Simulated};

    fn estimate(mean: f64) -> Option<Estimate> {
        Some(Estimate { mean, half_width: None, values: vec![mean] })
    }

    fn run(variant: Option<&str>) -> Run {
        let backend = variant.map(|variant| format!(" --backend {variant}")).unwrap_or_default();
        let command = format!("anabranch run one.toml{backend} --seed 1");
        Run { command, variant: variant.map(Into::into), ..Run::default() }
    }

    fn figure(id: &str) -> Figure {
        Figure { id: id.into(), ..Figure::default() }
    }

    /// A row of that value in the simulator, and of 7 on each backend.
    fn result(simulated: f64, backends: &[&str]) -> StudyResult {
        let variant = |id: &&str| VariantName {
            id: (*id).into(),
            title: format!("Linux ({id})"),
            of_backend: true,
            notes: vec!["The kernel was 9.9.".into()],
            ..VariantName::default()
        };
        let assumed = VariantName { of_backend: false, ..variant(&"tick") };
        let other = |id: &&str| Other { variant: (*id).into(), measured: estimate(7.0), ..Other::default() };
        let others = backends.iter().map(other).collect();
        let row = Row { id: "Z-1.a".into(), measured: estimate(simulated), others, ..Row::default() };
        let fidelity = |id: &&str| Fidelity { variant: (*id).into(), ..Fidelity::default() };
        let figures = backends.iter().map(|id| figure(&format!("F1@{id}")));
        let experiment = Experiment {
            id: "Z-1".into(),
            variants: backends.iter().map(variant).chain([assumed]).collect(),
            asked: backends.iter().map(|id| (*id).to_owned()).collect(),
            rows: vec![row],
            figures: [figure("F1")].into_iter().chain(figures).chain([figure("F2")]).collect(),
            runs: [None].into_iter().chain(backends.iter().map(|id| Some(*id))).map(run).collect(),
            fidelity: backends.iter().map(fidelity).collect(),
            ..Experiment::default()
        };
        StudyResult {
            name: "z".into(),
            version: "1".into(),
            command: Some(format!("study z {}", backends.join(" "))),
            experiments: vec![experiment],
            ..StudyResult::default()
        }
    }

    const TEXT: &str = "title = \"\"\n[[experiments]]\nids = [\"Z-1\"]\ntitle = \"\"\n\
                        [[experiments]]\nids = [\"Z-2\"]\ntitle = \"\"\n";

    fn merged(old: StudyResult, new: StudyResult) -> (StudyResult, Vec<String>) {
        let study = crate::file::embedded("z.toml", TEXT, &[], &[]).unwrap();
        merge(&study, Some((old, SystemTime::UNIX_EPOCH)), new)
    }

    /// Everything of a backend stays that a later command did not ask for, and the page says since when it is there.
    #[test]
    fn the_values_of_a_backend_are_kept() {
        let (both, notices) = merged(result(3.0, &["kernel"]), result(3.0, &[]));
        assert_eq!(notices, [""; 0]);
        let mut expected = result(3.0, &["kernel"]);
        let kept = "Kept from the result of 1 January 1970, 00:00 UTC, by version 1.";
        expected.experiments[0].variants[0].notes.push(kept.into());
        expected.command = Some("study z ".into());
        expected.earlier_commands = vec!["study z kernel".into()];
        assert_eq!(both, expected);
        // Once more it is the same, and what is run anew takes its place.
        assert_eq!(merged(both.clone(), result(3.0, &[])).0, both);
        assert_eq!(merged(both.clone(), result(3.0, &["kernel"])), (result(3.0, &["kernel"]), vec![]));
        let (two, _) = merged(both, result(3.0, &["guest"]));
        let ids: Vec<&str> = two.experiments[0].variants.iter().map(|variant| &*variant.id).collect();
        assert_eq!(ids, ["guest", "kernel", "tick"]);
        let figures: Vec<&str> = two.experiments[0].figures.iter().map(|figure| &*figure.id).collect();
        assert_eq!(figures, ["F1", "F1@guest", "F1@kernel", "F2"]);
    }

    /// A result with a kernel's values can get values of the Linux-accurate host model later, and the reverse.
    #[test]
    fn linux_hosts_and_a_backend_meet_in_either_order() {
        let with_hosts = |mut result: StudyResult| {
            let experiment = &mut result.experiments[0];
            experiment.asked.push("linux-hosts".into());
            let variant =
                VariantName { id: "linux-hosts".into(), of_backend: false, ..experiment.variants[0].clone() };
            experiment.variants.push(variant);
            let simulated = estimate(8.0).unwrap();
            let quantities = vec![Simulated { kind: Measure::Goodput, of: "tcp".into(), simulated }];
            let command = "anabranch run one.toml --set hosts=linux --seed 1".into();
            experiment.linux_hosts = vec![LinuxHosts { command, quantities }];
            result
        };
        let of_kernel = || {
            let mut result = result(3.0, &["kernel"]);
            let fidelity = &mut result.experiments[0].fidelity[0];
            fidelity.command = "anabranch run one.toml --backend kernel --seed 1".into();
            let [simulated, real] = [12.0, 10.0].map(|mean| estimate(mean).unwrap());
            fidelity.quantities = vec![Difference::of(Measure::Goodput, "tcp".into(), simulated, real)];
            result
        };
        let apart = |result: &StudyResult| {
            let quantity = &result.experiments[0].fidelity[0].quantities[0];
            quantity.linux_hosts.as_ref().and_then(|hosts| hosts.relative)
        };
        let hosts_later = merged(of_kernel(), with_hosts(result(3.0, &[]))).0;
        let kernel_later = merged(with_hosts(result(3.0, &[])), of_kernel()).0;
        for both in [&hosts_later, &kernel_later] {
            assert!((apart(both).unwrap() + 0.2).abs() < 1e-12, "{:?}", apart(both));
            let mut asked = both.experiments[0].asked.clone();
            asked.sort();
            assert_eq!(asked, ["kernel", "linux-hosts"]);
        }
        // They stay when neither is asked for.
        assert_eq!(apart(&merged(hosts_later, result(3.0, &[])).0), apart(&kernel_later));
    }

    /// The interrupted command's successor completes it, without what runs only on request.
    #[test]
    fn a_complete_result_ends_a_partial_one() {
        let of = |partial| StudyResult { partial, ..result(3.0, &[]) };
        for (rest, is_partial) in [("", true), ("on_request = true\n", false)] {
            let study = crate::file::embedded("z.toml", &format!("{TEXT}{rest}"), &[], &[]).unwrap();
            let old = Some((of(true), SystemTime::UNIX_EPOCH));
            assert_eq!(merge(&study, old, of(false)).0.partial, is_partial, "{rest}");
        }
    }

    /// Linux is not shown beside a simulator that gave something else.
    #[test]
    fn dropped_values_of_a_backend_are_reported() {
        let (new, notices) = merged(result(3.0, &["kernel"]), result(4.0, &[]));
        assert_eq!(new, result(4.0, &[]));
        let said = "z: Z-1: dropped the earlier values of Linux (kernel), because the simulator's values have changed";
        assert_eq!(notices, [said]);
        let another = StudyResult { version: "2".into(), ..result(3.0, &[]) };
        let (new, notices) = merged(result(3.0, &["kernel"]), another);
        assert_eq!((new.experiments[0].variants.len(), notices.len()), (2, 1), "{notices:?}");
        assert!(notices[0].contains("replaces"), "{notices:?}");
    }
}
