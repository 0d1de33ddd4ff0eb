//! What another backend gave beside the simulator: its figures, and how far the two are apart.

use super::{Changed, Planned, distinct};
use crate::plan::Runs;
use crate::{Fidelity, Figure, Outcome};
use std::collections::BTreeSet;

impl Planned {
    /// Each figure of the plan, from the simulator's runs and then from those of each backend that ran all of them; and what is
    /// said of a backend that did not.
    pub(super) fn figures(
        &self,
        runs: &Runs<'_>,
        others: &[(&Changed, Runs<'_>)],
    ) -> (Vec<Figure>, Vec<String>) {
        let backends = || others.iter().filter(|(changed, _)| changed.column.is_of_backend());
        let (complete, partial): (Vec<_>, Vec<_>) =
            backends().partition(|(changed, _)| changed.is_complete());
        let figures = self.plan.figures.iter().flat_map(|draw| {
            let simulated = draw(runs);
            let real = complete.iter().map(|(changed, runs)| on(changed, draw(runs)));
            // What is computed or published alone is the same everywhere.
            let real: Vec<Figure> = real.filter(|real| real.panels != simulated.panels).collect();
            std::iter::once(simulated).chain(real)
        });
        let not_drawn = partial.iter().filter(|_| !self.plan.figures.is_empty()).map(|(changed, _)| {
            let scenarios: Vec<usize> = distinct(&self.setups[..self.plan.setups.len()]).collect();
            let missing = scenarios.iter().filter(|i| !changed.setups[**i]).count();
            let (title, all) = (changed.column.title, scenarios.len());
            format!("Figures are not drawn for {title}: {missing} of {all} scenarios cannot run there.")
        });
        (figures.collect(), not_drawn.collect())
    }

    /// Each simulation beside the same one on the backends that columns are of.
    pub(super) fn fidelity(&self, outcomes: &[&[Result<Outcome, String>]]) -> Vec<Fidelity> {
        let n = self.plan.setups.len();
        let on_backends =
            self.columns.iter().enumerate().filter(|(_, changed)| changed.column.is_of_backend());
        let all = on_backends.flat_map(|(c, changed)| {
            let same = distinct(&self.setups[..n]).filter(|i| changed.setups[*i]);
            same.filter_map(move |i| {
                let other = n * (c + 1) + i;
                let command = self.setups[other].command(1);
                Fidelity::of(&self.setups[i].title, changed.column.id, command, outcomes[i], outcomes[other])
            })
        });
        all.collect()
    }
}

/// On which kernels a column's runs were made, and what speaks against these.
pub(super) fn kernels(changed: &Changed, runs: &Runs<'_>) -> Vec<String> {
    let title = changed.column.title;
    let of_runs =
        || runs.of.iter().copied().flatten().flatten().filter_map(|run| run.summary.kernel.as_ref());
    let releases: BTreeSet<&str> = of_runs().map(|kernel| &*kernel.release).collect();
    let releases = Vec::from_iter(releases).join(", ");
    let skips = of_runs().any(|kernel| kernel.skips_programs == Some(true));
    let on = (!releases.is_empty()).then(|| format!("{title}: the kernel was {releases}."));
    let skipping = skips.then(|| {
        format!("{title}: this kernel leaves out some calls of eBPF programs. Values of algorithms that are such programs are not to be trusted there.")
    });
    on.into_iter().chain(skipping).collect()
}

impl Changed {
    /// Whether it changes every simulation, so that nothing of the default is among its runs.
    fn is_complete(&self) -> bool {
        self.setups.iter().all(|changed| *changed)
    }
}

/// A figure from runs on a column's backend.
fn on(changed: &Changed, figure: Figure) -> Figure {
    let column = changed.column;
    Figure {
        id: format!("{}@{}", figure.id, column.id),
        title: format!("{}, on {}", figure.title, column.title),
        ..figure
    }
}

#[cfg(test)]
mod tests {
    use crate::task::TaskError;
    use crate::{
        Backend, Backends, Column, Experiment, Options, Simulator, Taken, Task, run_all_on, work_with_runs,
    };
    use anabranch_net::Time;
    use anabranch_record::{KernelRun, Sink, Summary};
    use anabranch_scenario::Scenario;

    /// The simulator with twice the loss, which cannot run scenarios of three flows.
    struct Elsewhere;

    impl Backend for Elsewhere {
        fn name(&self) -> &str {
            "elsewhere"
        }

        fn refuses(&self, scenario: &Scenario) -> Option<String> {
            (scenario.flows.len() > 2).then(|| "three flows".into())
        }

        fn run(
            &self,
            task: &Task,
            sink: &mut dyn Sink,
            keep_going: &mut dyn FnMut(Time) -> bool,
        ) -> Result<Summary, TaskError> {
            let summary = Simulator.run(&task.clone().set("links.a.loss.rate=0.02"), sink, keep_going)?;
            let kernel =
                KernelRun { release: "9.9".into(), skips_programs: Some(true), ..KernelRun::default() };
            Ok(Summary { kernel: Some(kernel), ..summary })
        }
    }

    static ELSEWHERE: Column =
        Column::on(&Elsewhere, "there", "Elsewhere", "twice the loss", "Nothing runs there.");

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

    fn experiment(counts: &[u32]) -> (Experiment, Vec<Taken>) {
        let folder = tempfile::tempdir().unwrap();
        let scenario = r#"
            name = "flows"
            duration = "3 s"
            links.a = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 1e-2 } }
            flows = [{ name = "tcp", cc = "reno", paths = [["a"]] }]
        "#;
        std::fs::write(folder.path().join("flows.toml"), scenario).unwrap();
        let list = |of: &dyn Fn(&u32) -> String| counts.iter().map(of).collect::<Vec<_>>().join(", ");
        let text = STUDY
            .replace("COUNTS", &list(&u32::to_string))
            .replace("ORDER", &list(&|n| format!(r#"'at(n = {n}, utilisation("a"))'"#)));
        let study =
            crate::file::load("flows.toml", &text, folder.path(), &[]).unwrap_or_else(|e| panic!("{e}"));
        let options = Options { beside: vec![&ELSEWHERE], ..Options::default() };
        let (work, mut result) = ([work_with_runs(&study, &options).unwrap()], None);
        let backends: [&dyn Backend; 2] = [&Simulator, &Elsewhere];
        run_all_on(Backends(&backends), &work, None, &|_| (), &|| true, &mut |done| result = Some(done))
            .unwrap();
        let (mut result, taken) = result.unwrap();
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
        assert!(experiment.columns[0].of_backend);
        assert_eq!(rows_there(&experiment), ["1", "2", "order"]);
        // The figure has what the row has.
        let use_of_two = experiment.rows[1].other("there").unwrap().measured.as_ref().unwrap().mean;
        assert_eq!(there.panels[0].series[0].points[1].y, use_of_two);
        assert_eq!(experiment.fidelity.len(), 2);
        for said in ["Elsewhere: the kernel was 9.9.", "Elsewhere: this kernel leaves out some calls"] {
            assert!(experiment.notes.iter().any(|note| note.starts_with(said)), "{:?}", experiment.notes);
        }
    }

    /// A row and a figure never mix backends without saying so.
    #[test]
    fn where_not_all_can_run() {
        let (experiment, taken) = experiment(&[1, 2, 3]);
        assert_eq!(figures(&experiment), ["F1", "F2", "F3"]);
        let said = "Figures are not drawn for Elsewhere: 1 of 3 scenarios cannot run there.";
        assert!(experiment.notes.iter().any(|note| note == said), "{:?}", experiment.notes);
        assert_eq!(rows_there(&experiment), ["1", "2"]);
        assert_eq!(experiment.fidelity.len(), 2);
        let axes = taken.iter().map(|taken| taken.axes.iter().map(|(_, value)| &**value).collect::<Vec<_>>());
        let points = [["1", "sim"], ["1", "elsewhere"], ["2", "sim"], ["2", "elsewhere"], ["3", "sim"]];
        assert_eq!(axes.collect::<Vec<_>>(), points);
    }
}
