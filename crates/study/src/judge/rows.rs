//! Rows from runs: values, verdicts and explanations.

use super::runs::Runs;
use crate::origin::Origin;
use crate::plan::experiments::VariantSetups;
use crate::plan::{Quantity, RowPlan, RowValue};
use crate::resolve::code::Code;
use crate::result::{Other, Published, Row};
use crate::stats::{Estimate, estimate};
use crate::verdict::{Rule, Verdict, judge_interpretations};

/// Of a row only the values and the verdict.
fn judged(value: &RowValue, rule: Rule, runs: &Runs<'_>) -> Result<Row, String> {
    match value {
        RowValue::Formula(value) => {
            let measured = Some(Estimate { mean: *value, half_width: None, values: vec![*value] });
            Ok(Row { measured, verdict: rule.judge_formula(*value), ..Row::default() })
        }
        RowValue::Measured(quantity) => {
            let ours = measured(quantity, runs)?;
            let (verdict, crosses) = (rule.judge(&ours), rule.crosses(&ours));
            Ok(Row { measured: Some(ours), verdict, crosses, ..Row::default() })
        }
        RowValue::Compared(quantities) => {
            let named = |(name, q): &(String, Quantity)| Ok((name.clone(), measured(q, runs)?));
            let compared = quantities.iter().map(named).collect::<Result<Vec<_>, String>>()?;
            let all = || compared.iter().map(|(_, ours)| ours);
            let (verdict, crosses) = (rule.judge_all(all()), rule.crosses_all(all()));
            Ok(Row { compared, verdict, crosses, ..Row::default() })
        }
    }
}

fn named(row: Row, name: &str, failure: Option<String>) -> Other {
    let Row { measured, compared, verdict, .. } = row;
    Other { variant: name.into(), measured, compared, verdict, origin: None, failure }
}

/// The reason for a missing interval, if it is missing.
fn without_interval(row: &Row) -> Option<&'static str> {
    let bare = row.values().find(|ours| ours.half_width.is_none())?;
    Some(match bare.values.len() {
        1 => "A single run has no confidence interval, so the best verdict is “partly”.",
        _ if row.measured.is_none() => {
            "All seeds gave exactly the same value for one of these: without a confidence interval, the best verdict is “partly”."
        }
        _ => {
            "All seeds gave exactly this value: without a confidence interval, the best verdict is “partly”."
        }
    })
}

impl RowPlan {
    pub(super) fn conclude(&self, runs: &Runs<'_>, as_explained: bool) -> Row {
        let (found, interpretations, failure) = self.found(runs);
        let explanation = failure.or_else(|| self.explanation(&found, as_explained));
        Row {
            id: self.id.clone(),
            what: self.what.clone(),
            unit: self.unit.clone(),
            published: self.published.clone(),
            rule: self.stated_rule(),
            is_bound_or_order: self.rule.is_bound_or_order(),
            interpretations,
            explanation,
            ..found
        }
    }

    /// The row in a variant, beside `ours`; `None` if the variant changes no simulation, or if another backend lacks one of them or
    /// the samples that the row needs.
    pub(super) fn under(&self, changed: &VariantSetups, runs: &Runs<'_>, ours: &Row) -> Option<Other> {
        if changed.variant.is_measured() && self.needs_samples() {
            return None;
        }
        let quantities = self.quantities();
        let mut setups = quantities.iter().flat_map(|q| &q.setups).map(|setup| changed.setups[*setup]);
        let differs = match changed.variant.is_of_backend() {
            true => !quantities.is_empty() && setups.all(|changed| changed),
            false => setups.any(|changed| changed),
        };
        let (found, _, failure) = differs.then(|| self.found(runs))?;
        // Measured runs lack values that only the simulator has.
        if changed.variant.is_measured() && failure.is_some() {
            return None;
        }
        let origin = changed.variant.is_of_backend().then(|| {
            let origin = Origin::of(self.rule, ours, &found)?;
            let runs = quantities.iter().flat_map(|q| &q.setups).flat_map(|setup| runs.of[*setup]).flatten();
            let skips =
                runs.filter_map(|run| run.summary.kernel.as_ref()).any(|k| k.skips_programs == Some(true));
            Some(if skips { Origin::Undetermined } else { origin })
        });
        Some(Other { origin: origin.flatten(), ..named(found, changed.variant.id, failure) })
    }

    /// The row judged over all interpretations, the other interpretations, and the failure if any.
    fn found(&self, runs: &Runs<'_>) -> (Row, Vec<Other>, Option<String>) {
        let of = |value: &RowValue| match judged(value, self.rule, runs) {
            Ok(found) => (found, None),
            Err(why) => (Row { verdict: Verdict::Failed, ..Row::default() }, Some(why)),
        };
        let (mut found, mut failure) = of(&self.value);
        let mut interpretations = Vec::new();
        for (name, value) in &self.interpretations {
            let (there, why) = of(value);
            failure = failure.or_else(|| why.as_ref().map(|why| format!("{name}: {why}")));
            interpretations.push(named(there, name, why));
        }
        let others: Vec<Verdict> = interpretations.iter().map(|other| other.verdict).collect();
        found.verdict = judge_interpretations(found.verdict, &others);
        (found, interpretations, failure)
    }

    /// The reason why the row is not fully reproduced.
    fn explanation(&self, found: &Row, as_explained: bool) -> Option<String> {
        if !matches!(found.verdict, Verdict::Partly | Verdict::NotReproduced | Verdict::Undetermined) {
            return None;
        }
        // Outside the first band an interval would not change the verdict.
        let would_hold = |ours: &Estimate| self.rule.judge_formula(ours.mean) == Verdict::Reproduced;
        let lacks_it = found.verdict == Verdict::Partly && found.measured.as_ref().is_none_or(would_hold);
        let bare = without_interval(found).filter(|_| lacks_it);
        if let (Some(bare), RowValue::Measured(_) | RowValue::Compared(_)) = (bare, &self.value) {
            return Some(bare.into());
        }
        let ours = found.measured.as_ref();
        let (mean, half) =
            (ours.map_or(f64::NAN, |e| e.mean), ours.and_then(|e| e.half_width).unwrap_or(f64::NAN));
        let values = [mean, mean - half, mean + half, self.published.value().unwrap_or(f64::NAN)];
        let holds = |when: &Code| when.value(&[], &values).is_ok_and(|holds| holds != 0.0);
        if let Some((_, text)) = self.explanations.iter().find(|(when, _)| holds(when)) {
            return Some(text.clone());
        }
        let because = self.because.as_ref()?;
        Some(if as_explained { because.clone() } else { format!("At the default size: {because}") })
    }

    fn stated_rule(&self) -> String {
        match (&self.published, self.rule) {
            (Published::Nothing, Rule::NotJudged) => self.rule.to_string(),
            (_, Rule::NotJudged) => "not judged: shown for comparison".into(),
            (_, rule) if self.interpretations.is_empty() => rule.to_string(),
            (_, rule) => format!(
                "{rule}; judged over {} interpretations of the text: undetermined if only some of them refute it",
                self.interpretations.len() + 1
            ),
        }
    }
}

fn measured(quantity: &Quantity, runs: &Runs<'_>) -> Result<Estimate, String> {
    let estimate = estimate(runs.values(quantity)?);
    estimate.ok_or_else(|| "a run gave no value, or a value that is too large".to_owned())
}
