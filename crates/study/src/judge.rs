//! Turns outcomes of runs into rows with verdicts, and figures.

mod backends;
mod figures;
mod rows;
mod runs;

use crate::outcome::Outcome;
use crate::plan::FindingPlan;
use crate::plan::conditions::kept;
use crate::plan::experiments::{PlannedExperiment, VariantSetups};
use crate::result::{Experiment, Row, Run, VariantName};
use crate::setup::distinct;
use crate::shares::shares;
use anabranch_record::Summary;
use runs::Runs;

/// The runs of a simulation, one per seed, with the values of its axes.
#[derive(Clone, Debug)]
pub struct SimulationRuns {
    /// The experiment's identifier.
    pub experiment: String,
    /// The simulation's title.
    pub title: String,
    /// Each axis and its value.
    pub axes: Vec<(String, String)>,
    /// One for each seed, in their order.
    pub summaries: Vec<Summary>,
}

impl PlannedExperiment {
    /// The runs of the plan's simulations, each followed by those on other backends; the backend is then an axis.
    pub(crate) fn taken(&self, outcomes: &[&[Result<Outcome, String>]]) -> Vec<SimulationRuns> {
        let n = self.plan.setups.len();
        let all = (0..n).flat_map(|i| {
            let ran = move |changed: &VariantSetups| changed.variant.is_of_backend() && changed.setups[i];
            let there = self.variants.iter().enumerate().filter(move |(_, changed)| ran(changed));
            std::iter::once((i, i)).chain(there.map(move |(c, _)| (i, n * (c + 1) + i)))
        });
        let taken = all.map(|(i, at)| {
            let backend =
                self.asked_beside.then(|| ("backend".to_owned(), self.setups[at].backend.to_string()));
            SimulationRuns {
                experiment: self.id.clone(),
                title: self.setups[at].title.clone(),
                axes: self.plan.axes[i].iter().cloned().chain(backend).collect(),
                summaries: outcomes[at].iter().flatten().map(|run| run.summary.clone()).collect(),
            }
        });
        taken.collect()
    }

    /// Judges the outcomes of its simulations; `as_explained` if the size is the default, for which explanations are written.
    pub(crate) fn conclude(&self, outcomes: &[&[Result<Outcome, String>]], as_explained: bool) -> Experiment {
        let (plan, n) = (&self.plan, self.plan.setups.len());
        let runs = Runs { of: self.of_variant(outcomes, None).to_vec(), leaves_out_failed: false };
        let others = self.variants.iter().enumerate().map(|(c, changed)| {
            let of = self.of_variant(outcomes, Some(c)).to_vec();
            (changed, Runs { of, leaves_out_failed: changed.variant.is_of_backend() })
        });
        let others: Vec<(&VariantSetups, Runs<'_>)> = others.collect();
        let run = |i: usize| {
            let setup = &self.setups[i];
            Run {
                title: setup.title.clone(),
                command: setup.command(1),
                scenario: setup.file.name.to_string(),
                text: setup.file.text.to_string(),
                variant: (i >= n).then(|| self.variants[i / n - 1].variant.id.into()),
                // Theory applies to the default variant only.
                shares: if i < n { shares(setup, outcomes[i]) } else { None },
            }
        };
        let (figures, not_drawn) = backends::figures(self, &runs, &others);
        let name = |(changed, runs): &(&VariantSetups, Runs<'_>)| {
            let variant = changed.variant;
            let of_backend = variant.is_of_backend();
            let (mut notes, mut failed) = (vec![], vec![]);
            if of_backend {
                let not_drawn = not_drawn.iter().filter(|(id, _)| *id == variant.id);
                notes = backends::kernels(runs);
                notes.extend(changed.refused.iter().cloned());
                notes.extend(not_drawn.map(|(_, said)| said.clone()));
                failed = backends::failed(runs);
            }
            let title = changed.title.clone();
            let [id, meaning] = [variant.id, variant.meaning].map(Into::into);
            VariantName { id, title, meaning, of_backend, notes, failed }
        };
        let ran: Vec<&str> = self.variants.iter().map(|changed| changed.variant.id).collect();
        let rows = plan.rows.iter().map(|row| {
            let concluded = row.conclude(&runs, as_explained);
            let others = others.iter().filter_map(|(changed, runs)| row.under(changed, runs, &concluded));
            Row {
                others: others.collect(),
                explanation: concluded.explanation.map(|text| kept(&text, &ran)),
                ..concluded
            }
        });
        let said = plan.findings.iter().filter_map(|finding| said(finding, &runs));
        let notes = self.notes.iter().map(|note| kept(note, &ran));
        let (fidelity, linux_hosts) = backends::fidelity(self, outcomes);
        Experiment {
            id: self.id.clone(),
            title: self.title.clone(),
            notes: notes.chain(said).chain(self.unchanged.iter().cloned()).collect(),
            beyond: plan.beyond,
            variants: others.iter().map(name).collect(),
            asked: self.asked.clone(),
            rows: rows.collect(),
            figures,
            runs: distinct(&self.setups).map(run).collect(),
            fidelity,
            linux_hosts,
        }
    }
}

/// A sentence with its means; `None` if one is missing, as the rows state the failure.
fn said(finding: &FindingPlan, runs: &Runs<'_>) -> Option<String> {
    let mut said = String::new();
    for (before, digits, quantity) in &finding.parts {
        said += &format!("{before}{:.digits$}", runs.estimate(quantity)?.mean);
    }
    Some(said + &finding.end)
}
