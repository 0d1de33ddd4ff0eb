//! Outcomes of a plan's simulations, and the values of quantities.

use crate::outcome::Outcome;
use crate::plan::Quantity;
use crate::stats::{Estimate, estimate};
use anabranch_record::Summary;

/// The outcomes of each simulation, by seed.
pub(super) struct Runs<'a> {
    pub of: Vec<&'a [Result<Outcome, String>]>,
    /// Whether a failed seed is left out, as for runs in real time, which the machine's load may disturb. If not, its rows fail:
    /// a failure of the simulator is a defect.
    pub leaves_out_failed: bool,
}

impl Runs<'_> {
    /// The first seed's run; `None` if it failed.
    pub fn first(&self, setup: usize) -> Option<&Outcome> {
        self.of[setup].first()?.as_ref().ok()
    }

    /// The first `seeds` runs without the failed ones if these are left out; all of them if every run failed.
    fn taken(&self, setups: &[usize], seeds: usize) -> Vec<usize> {
        let whole = |seed: &usize| setups.iter().all(|s| self.of[*s][*seed].is_ok());
        let taken: Vec<usize> = (0..seeds).filter(|seed| !self.leaves_out_failed || whole(seed)).collect();
        if taken.is_empty() { (0..seeds).collect() } else { taken }
    }

    /// The value of each seed, or one value of all seeds if the quantity is pooled.
    ///
    /// # Errors
    /// A run failed or lacks the value, or all seeds gave the same run.
    pub fn values(&self, quantity: &Quantity) -> Result<Vec<f64>, String> {
        let setups = &quantity.setups;
        let seeds = setups.iter().map(|s| self.of[*s].len()).min().unwrap_or(0);
        let value = |seeds: &dyn Fn(usize) -> Vec<usize>| {
            let runs = setups.iter().map(|s| {
                let runs = seeds(*s).into_iter().map(|seed| self.of[*s][seed].as_ref());
                runs.collect::<Result<Vec<&Outcome>, _>>().map_err(String::clone)
            });
            let runs = runs.collect::<Result<Vec<_>, _>>()?;
            let value = quantity.of.code.value(&runs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &[]);
            value.map_err(|why| format!("{why}, in {}", quantity.of.place))
        };
        let values: Vec<f64> = match quantity.pooled {
            true => vec![value(&|s| self.taken(&[s], self.of[s].len()))?],
            false => {
                let seeds = self.taken(setups, seeds).into_iter();
                seeds.map(|seed| value(&|_| vec![seed])).collect::<Result<_, _>>()?
            }
        };
        match setups.iter().any(|s| identical(self.of[*s])) {
            true => Err("all seeds gave the same run: the confidence interval has zero width".into()),
            false => Ok(values),
        }
    }

    /// A quantity's mean and interval; `None` if its row fails.
    pub fn estimate(&self, quantity: &Quantity) -> Option<Estimate> {
        estimate(self.values(quantity).ok()?)
    }
}

/// Whether several runs differ only in their seed.
fn identical(runs: &[Result<Outcome, String>]) -> bool {
    let mut summaries = runs.iter().flatten().map(|run| Summary { seed: 0, ..run.summary.clone() });
    let first = summaries.next();
    let mut others = summaries.peekable();
    others.peek().is_some() && others.all(|other| Some(other) == first)
}
