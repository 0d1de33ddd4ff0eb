//! The experiments to run, each with its simulations and those of its variants.

use super::variant::Variant;
use super::{Definition, Plan, RowPlan, Study};
use crate::error::StudyError;
use crate::measured;
use crate::setup::Setup;
use crate::size::Size;

/// Options of a study's run.
#[derive(Clone, Default)]
pub struct Options {
    /// The size.
    pub size: Size,
    /// Seeds of long runs, instead of the size's own number.
    pub seeds: Option<u32>,
    /// Only the experiment with this identifier, or with a figure or table of this identifier.
    pub only: Option<String>,
    /// Leaves out the study's sensitivity variants.
    pub without_variants: bool,
    /// Additional variants, in the paper's own experiments and in one chosen by name.
    pub beside: Vec<&'static Variant>,
}

impl Options {
    /// The seeds of a long run.
    pub fn seeds(&self, study: &Study) -> u32 {
        self.seeds.unwrap_or(study.seeds(self.size)).max(1)
    }

    /// Whether they leave a study without simulations, rows and figures.
    pub fn leave_nothing(&self, study: &Study) -> bool {
        let is_empty = |of: &PlannedExperiment| {
            of.setups.is_empty() && of.plan.rows.is_empty() && of.plan.figures.is_empty()
        };
        choose(study, self).is_ok_and(|all| all.iter().all(is_empty))
    }
}

/// An experiment with all its simulations.
pub(crate) struct PlannedExperiment {
    pub id: String,
    pub title: String,
    pub notes: Vec<String>,
    pub plan: Plan,
    /// The variants that change something in it.
    pub variants: Vec<VariantSetups>,
    /// The plan's simulations, then each variant's in the same order.
    pub setups: Vec<Setup>,
    /// Notes on variants that change nothing.
    pub unchanged: Vec<String>,
    pub asked_beside: bool,
    /// The identifiers of the variants requested for this experiment.
    pub asked: Vec<String>,
}

/// A variant, and which of the plan's simulations it changes.
pub(crate) struct VariantSetups {
    pub variant: &'static Variant,
    pub setups: Vec<bool>,
    pub title: String,
    /// Notes on simulations that its backend cannot run.
    pub refused: Vec<String>,
}

/// The chosen experiment, or all that do not run only on request.
pub(crate) fn choose(study: &Study, options: &Options) -> Result<Vec<PlannedExperiment>, StudyError> {
    let only = options.only.as_deref();
    let asked =
        |d: &&Definition| only.is_none_or(|id| d.ids.iter().any(|known| known.eq_ignore_ascii_case(id)));
    let chosen: Vec<_> = study.experiments.iter().filter(asked).collect();
    if let (Some(asked), true) = (only, chosen.is_empty()) {
        let known: Vec<&str> = study.experiments.iter().flat_map(|d| &d.ids).map(String::as_str).collect();
        let (asked, study) = (asked.into(), study.id.clone());
        return Err(StudyError::NoExperiment { asked, study, known: known.join(", ") });
    }
    let planned = chosen.into_iter().map(|d| (d, d.plan(options.size)));
    let planned = planned.filter(|(_, plan)| only.is_some() || !plan.on_request);
    planned.map(|(definition, plan)| PlannedExperiment::of(study, definition, plan, options)).collect()
}

impl PlannedExperiment {
    fn of(study: &Study, definition: &Definition, plan: Plan, options: &Options) -> Result<Self, StudyError> {
        let seeds = options.seeds(study);
        let all = study.variants.iter().chain(&plan.variants);
        let own = all.filter(|_| !options.without_variants);
        // Experiments beyond the paper run on another backend only if chosen by name.
        let beside = options.beside.iter().filter(|_| !plan.beyond || options.only.is_some());
        let all = beside.map(|variant| (*variant, true)).chain(own.map(|variant| (*variant, false)));
        let all: Vec<(&'static Variant, bool)> = all.collect();
        let mut planned = PlannedExperiment {
            id: definition.id().to_owned(),
            title: definition.title.clone(),
            notes: definition.notes.clone(),
            setups: plan.setups.clone(),
            plan,
            variants: vec![],
            unchanged: vec![],
            asked_beside: options.beside.iter().any(|v| v.is_of_backend() && !v.is_measured()),
            asked: vec![],
        };
        for (variant, asked) in all {
            let own = &planned.plan.setups;
            let of = |setup| variant.of(setup).map_err(|why| StudyError::of(definition.id(), setup, why));
            let changed = own.iter().map(of).collect::<Result<Vec<_>, _>>()?;
            let setups: Vec<bool> = changed.iter().map(Option::is_some).collect();
            let mut refused = variant.refused(own, &setups, seeds);
            // A command cannot ask for measured runs.
            if asked && !variant.is_measured() {
                planned.asked.push(variant.id.into());
            }
            if !setups.contains(&true) {
                let note = Some(variant.unchanged.to_owned()).filter(|note| !note.is_empty());
                planned.unchanged.extend(note.into_iter().chain(refused));
                continue;
            }
            let all = changed.into_iter().zip(own);
            planned.setups.extend(all.map(|(changed, same)| changed.unwrap_or_else(|| same.clone())));
            let mut title = variant.title.to_owned();
            if variant.is_measured() {
                let there = planned.of_variant(&planned.setups, Some(planned.variants.len()));
                let (linux, measured) = measured::title(there);
                title = linux;
                refused.insert(0, measured);
                let is_measured = |row: &&RowPlan| row.setups().all(|setup| setups[setup]);
                let rows = planned.plan.rows.iter().filter(is_measured);
                let over_time = rows.filter(|row| row.needs_samples()).count();
                if over_time > 0 {
                    refused.push(format!(
                        "Rows without a value, as measured runs have no samples over time: {over_time}."
                    ));
                }
            }
            planned.variants.push(VariantSetups { variant, setups, title, refused });
        }
        Ok(planned)
    }

    /// The slice of `all` for the plan's own simulations, or for the `c`-th variant's.
    pub fn of_variant<'a, T>(&self, all: &'a [T], variant: Option<usize>) -> &'a [T] {
        let (n, place) = (self.plan.setups.len(), variant.map_or(0, |c| c + 1));
        &all[n * place..n * (place + 1)]
    }
}
