//! Results of other backends: their figures, and the differences from the simulator.

use super::figures::figure;
use super::runs::Runs;
use crate::fidelity::{Fidelity, LinuxHosts, attach_linux_hosts};
use crate::outcome::Outcome;
use crate::plan::experiments::{PlannedExperiment, VariantSetups};
use crate::plan::variant::LINUX_HOSTS;
use crate::result::Figure;
use crate::setup::distinct;
use std::collections::{BTreeSet, HashSet};

/// Each figure of the plan, from the simulator's runs and from each backend that ran all of them, with notes on backends that did
/// not.
pub(super) fn figures(
    planned: &PlannedExperiment,
    runs: &Runs<'_>,
    others: &[(&VariantSetups, Runs<'_>)],
) -> (Vec<Figure>, Vec<(&'static str, String)>) {
    let backends = others.iter().filter(|(changed, _)| changed.variant.is_of_backend());
    let (complete, partial): (Vec<_>, Vec<_>) =
        backends.partition(|(changed, _)| changed.setups.iter().all(|ran| *ran));
    let figures = planned.plan.figures.iter().flat_map(|plan| {
        let simulated = figure(plan, runs);
        // Measured runs have no samples over time.
        let drawn =
            complete.iter().filter(|(changed, _)| !changed.variant.is_measured() || !plan.needs_samples());
        let real = drawn.map(|(changed, runs)| on(changed, figure(plan, runs)));
        // Computed and published values do not depend on the backend.
        let real: Vec<Figure> = real.filter(|real| real.panels != simulated.panels).collect();
        std::iter::once(simulated).chain(real)
    });
    let not_drawn = partial.iter().filter(|_| !planned.plan.figures.is_empty()).map(|(changed, _)| {
        let scenarios: Vec<usize> = distinct(&planned.plan.setups).collect();
        let missing = scenarios.iter().filter(|i| !changed.setups[**i]).count();
        let all = scenarios.len();
        let why =
            if changed.variant.is_measured() { "have no measurement" } else { "cannot run on this backend" };
        (changed.variant.id, format!("Figures are omitted: {missing} of {all} scenarios {why}."))
    });
    (figures.collect(), not_drawn.collect())
}

/// Compares each simulation with the other backends, and with Linux-accurate hosts.
pub(super) fn fidelity(
    planned: &PlannedExperiment,
    outcomes: &[&[Result<Outcome, String>]],
) -> (Vec<Fidelity>, Vec<LinuxHosts>) {
    let (mut fidelity, mut hosts) = (vec![], vec![]);
    for (c, changed) in planned.variants.iter().enumerate() {
        let setups = planned.of_variant(&planned.setups, Some(c));
        let there = planned.of_variant(outcomes, Some(c));
        for i in distinct(&planned.plan.setups).filter(|i| changed.setups[*i]) {
            let command = setups[i].command(1);
            if changed.variant.is_of_backend() {
                let (title, id) = (&planned.setups[i].title, changed.variant.id);
                fidelity.extend(Fidelity::of(title, id, command, outcomes[i], there[i]));
            } else if changed.variant.id == LINUX_HOSTS.id {
                hosts.extend(LinuxHosts::of(command, there[i]));
            }
        }
    }
    attach_linux_hosts(&mut fidelity, &hosts);
    (fidelity, hosts)
}

/// The runs that failed, with the reason, each once.
pub(super) fn failed(runs: &Runs<'_>) -> Vec<String> {
    let each = runs.of.iter().copied().flatten().filter_map(|run| run.as_ref().err());
    let mut known = HashSet::new();
    each.filter(|why| known.insert(*why)).cloned().collect()
}

/// Notes on the kernels of a backend's runs.
pub(super) fn kernels(runs: &Runs<'_>) -> Vec<String> {
    let of_runs =
        || runs.of.iter().copied().flatten().flatten().filter_map(|run| run.summary.kernel.as_ref());
    let releases: BTreeSet<&str> = of_runs().map(|kernel| &*kernel.release).collect();
    let releases = Vec::from_iter(releases).join(", ");
    let skips = of_runs().any(|kernel| kernel.skips_programs == Some(true));
    let on = (!releases.is_empty()).then(|| format!("The kernel was {releases}."));
    let skipping = skips.then(|| {
        "This kernel skips some calls of eBPF programs. Do not trust its values of algorithms that run as eBPF programs."
            .to_owned()
    });
    on.into_iter().chain(skipping).collect()
}

/// A figure from another backend's runs.
fn on(changed: &VariantSetups, figure: Figure) -> Figure {
    let (id, title) =
        (format!("{}@{}", figure.id, changed.variant.id), format!("{}, on {}", figure.title, changed.title));
    Figure { id, title, ..figure }
}

#[cfg(test)]
mod tests {
    use super::LINUX_HOSTS;
    use crate::simulator::{FLOWS, Lossy, Simulator, study};
    use crate::{
        Backend, Backends, Experiment, Options, SimulationRuns, Task, Variant, Verdict, run_one,
        work_with_runs,
    };
    use anabranch_record::{KernelRun, NoSamples};

    /// It cannot run scenarios of three flows, and fails with one seed.
    static LOSSY: Lossy = Lossy {
        name: "elsewhere",
        kernel: || KernelRun { release: "9.9".into(), skips_programs: Some(true), ..KernelRun::default() },
        fails: Some(4),
        most_flows: 2,
    };

    static ELSEWHERE: Variant =
        Variant::on(&LOSSY, "there", "Elsewhere", "twice the loss", "Nothing runs there.");

    /// One to three flows on a link of random loss.
    const STUDY: &str = r#"
        title = "flows"
        size.default.seeds = 2
        [runs.of]
        scenario = "flows.toml"
        vary.n = { key = "flows.tcp.count", values = [COUNTS] }
        [[rows]]
        id = "{n}"
        of = 'utilisation("a")'
        [[rows]]
        id = "order"
        claim = "more flows fill the link"
        ascending = [ORDER]
        [[rows]]
        id = "computed"
        formula = "1"
        [[figures]]
        id = "F1"
        title = "Use"
        kind = "lines"
        x = "n"
        of = 'utilisation("a")'
        [[figures]]
        id = "F2"
        title = "Windows"
        kind = "time"
        at = { n = 1 }
        series = { first = 'cwnd("tcp/1", 1)' }
        [[figures]]
        id = "F3"
        title = "Law"
        kind = "lines"
        x = "n"
        of = "2 * n"
        "#;

    fn experiment(counts: &[u32]) -> (Experiment, Vec<SimulationRuns>) {
        of_seeds(2, counts)
    }

    fn of_seeds(seeds: u32, counts: &[u32]) -> (Experiment, Vec<SimulationRuns>) {
        let list = |of: &dyn Fn(&u32) -> String| counts.iter().map(of).collect::<Vec<_>>().join(", ");
        let text = STUDY
            .replace("COUNTS", &list(&u32::to_string))
            .replace("ORDER", &list(&|n| format!(r#"'at(n = {n}, utilisation("a"))'"#)));
        let study = study(&text, &[("flows.toml", FLOWS)]).unwrap_or_else(|e| panic!("{e}"));
        let beside = vec![&ELSEWHERE, &LINUX_HOSTS];
        let options = Options { beside, seeds: Some(seeds), ..Options::default() };
        let work = work_with_runs(&study, &options).unwrap();
        let backends = Backends(&[&Simulator, &LOSSY]);
        let (mut result, taken) = run_one(backends, work, &|_| (), &|| true).unwrap();
        (result.experiments.remove(0), taken)
    }

    fn figures(experiment: &Experiment) -> Vec<&str> {
        experiment.figures.iter().map(|figure| &*figure.id).collect()
    }

    fn rows_there(experiment: &Experiment) -> Vec<&str> {
        experiment.rows.iter().filter(|row| row.other("there").is_some()).map(|row| &*row.id).collect()
    }

    #[test]
    fn figures_from_both() {
        let (experiment, _) = experiment(&[1, 2]);
        assert_eq!(figures(&experiment), ["F1", "F1@there", "F2", "F2@there", "F3"]);
        let [here, there] = &experiment.figures[..2] else { panic!("two") };
        assert_eq!((&*here.title, &*there.title), ("Use", "Use, on Elsewhere"));
        assert!(experiment.variants[0].of_backend);
        assert_eq!(rows_there(&experiment), ["1", "2", "order"]);
        // The figure has what the row has.
        let use_of_two = experiment.rows[1].other("there").unwrap().measured.as_ref().unwrap().mean;
        assert_eq!(there.panels[0].series[0].points[1].y, use_of_two);
        assert_eq!(experiment.fidelity.len(), 2);
        let notes = &experiment.variants[0].notes;
        for said in ["The kernel was 9.9.", "This kernel skips some calls"] {
            assert!(notes.iter().any(|note| note.starts_with(said)), "{notes:?}");
        }
    }

    /// With the Linux-accurate host model the simulator has another value, from its own run; and the difference beside it belongs
    /// to that value.
    #[test]
    fn linux_hosts_stand_beside() {
        let (experiment, _) = experiment(&[1, 2]);
        assert_eq!(experiment.asked, ["there", "linux-hosts"]);
        assert_eq!(experiment.linux_hosts.len(), 2);
        assert!(experiment.rows[0].other("linux-hosts").is_some() && !experiment.variants[1].of_backend);
        let run = experiment.runs.iter().find(|run| run.variant.as_deref() == Some("linux-hosts")).unwrap();
        let task = Task::new(&*run.text).set("flows.tcp.count=1").set("hosts=linux");
        let goodput = |seed: u64| {
            let summary = Simulator.run(&task.clone().seed(seed), &mut NoSamples, &mut |_| true).unwrap();
            summary.flows[0].goodput_bps.unwrap()
        };
        let quantity = &experiment.fidelity[0].quantities[0];
        let hosts = quantity.linux_hosts.as_ref().unwrap();
        assert_eq!(hosts.simulated.values, [goodput(1), goodput(2)]);
        assert_ne!(hosts.simulated, quantity.simulated);
        let apart = hosts.simulated.mean / quantity.real.mean - 1.0;
        assert!((hosts.relative.unwrap() - apart).abs() < 1e-12);
    }

    /// A run that fails elsewhere takes its seed out there, and says so; the simulator's values have all.
    #[test]
    fn a_run_that_failed_is_left_out() {
        let (experiment, taken) = of_seeds(4, &[1, 2]);
        let values = |row: usize| {
            let row = &experiment.rows[row];
            [&row.measured, &row.other("there").unwrap().measured].map(|m| m.as_ref().unwrap().values.len())
        };
        assert_eq!((values(0), values(1)), ([4, 3], [4, 3]));
        let there = experiment.rows[0].other("there").unwrap();
        assert_eq!((there.verdict, &there.failure), (Verdict::NotJudged, &None));
        let failed = &experiment.variants[0].failed;
        assert_eq!(failed.len(), 2);
        assert!(failed[0].ends_with("Elsewhere, seed 4: the machine was busy"), "{failed:?}");
        assert!(experiment.fidelity.iter().all(|f| (f.seeds, f.of_seeds) == (3, 4)));
        assert_eq!(taken.iter().map(|taken| taken.summaries.len()).collect::<Vec<_>>(), [4, 3, 4, 3]);
    }

    /// A row and a figure never mix backends without saying so.
    #[test]
    fn where_not_all_can_run() {
        let (experiment, taken) = experiment(&[1, 2, 3]);
        assert_eq!(figures(&experiment), ["F1", "F2", "F3"]);
        let notes = &experiment.variants[0].notes;
        for said in [
            "2 of 6 runs cannot run on this backend: too many flows.",
            "Figures are omitted: 1 of 3 scenarios cannot run on this backend.",
        ] {
            assert!(notes.iter().any(|note| note == said), "{notes:?}");
        }
        assert_eq!(rows_there(&experiment), ["1", "2"]);
        assert_eq!(experiment.fidelity.len(), 2);
        let axes = taken.iter().map(|taken| taken.axes.iter().map(|(_, value)| &**value).collect::<Vec<_>>());
        let points = [["1", "sim"], ["1", "elsewhere"], ["2", "sim"], ["2", "elsewhere"], ["3", "sim"]];
        assert_eq!(axes.collect::<Vec<_>>(), points);
    }
}
