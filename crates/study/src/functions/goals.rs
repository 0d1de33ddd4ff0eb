//! The goals of coupled congestion control (RFC 6356, Sec. 1) as ratios of a connection's rates to those of single-path flows,
//! one on each of its links, which replace it in other runs of the same seeds.

use super::function::{Function, Paired, Parameter, Read, named};
use crate::outcome::Outcome;
use crate::segment::Segment;
use anabranch_record::{FlowSummary, SubflowSummary};

const fn goal(name: &'static str, doc: &'static str, read: Paired) -> Function {
    Function {
        takes: &[Parameter::Flow, Parameter::Elsewhere],
        read: Read::Paired(read),
        ..named(name, "", doc)
    }
}

/// Goal 1, improve throughput.
pub(super) const THROUGHPUT: Function = goal(
    "goal1",
    "improve throughput (RFC 6356): packets delivered by all subflows of a connection ÷ packets delivered by the best of the single-path flows in its place",
    |ours, single, args| LinkRates::of(args.text(), ours, single)?.total(),
);

/// Goal 2, do no harm.
pub(super) const NO_HARM: Function = goal(
    "goal2",
    "do no harm (RFC 6356): packets delivered by the subflows on a link ÷ packets delivered by the single-path flow there, on the link with the largest ratio",
    |ours, single, args| LinkRates::of(args.text(), ours, single)?.largest(),
);

/// Goal 3, balance congestion.
pub(super) const BALANCE: Function = goal(
    "goal3",
    "balance congestion (RFC 6356): the connection's rate relative to the single-path flow on the first link ÷ the same on all other links; 0 if the goal does not apply because the single-path flow's loss rate there is less than twice the loss rate on its best link",
    |ours, single, args| Ok(LinkRates::of(args.text(), ours, single)?.left().unwrap_or(0.0)),
);

/// The connection's and a single-path flow's rate on each link, in Mbit/s at IP level. The last link of a path counts: the others
/// may be a detour.
struct LinkRates {
    ours: Vec<f64>,
    single: Vec<f64>,
    /// The single flows' loss rates.
    losses: Vec<f64>,
}

impl LinkRates {
    /// Means over runs, or why there are none.
    fn of<'a>(flow: &str, ours: &[&'a Outcome], single: &[&'a Outcome]) -> Result<Self, String> {
        let find = |runs: &[&'a Outcome]| -> Result<Vec<FlowOfRun<'a>>, String> {
            let found = runs.iter().map(|run| run.flow(flow).zip(run.segment(flow)));
            found.collect::<Option<_>>().ok_or_else(|| format!("a run has no flow `{flow}`"))
        };
        let (ours, single) = (find(ours)?, find(single)?);
        let link = |subflow: &SubflowSummary| subflow.path.last().cloned().unwrap_or_default();
        let (first, _) = single.first().ok_or("there are no runs of single-path flows")?;
        let links: Vec<_> = first.subflows.iter().map(link).collect();
        let mean = |runs: &[FlowOfRun<'_>], value: fn(&SubflowSummary, Segment) -> Option<f64>| {
            let mut sums = vec![0.0; links.len()];
            for (flow, segment) in runs {
                for subflow in &flow.subflows {
                    let (link, value) = (link(subflow), value(subflow, *segment));
                    let value = value.ok_or_else(|| format!("link {link} has no value"))?;
                    let place = links.iter().position(|known| *known == link);
                    let none = || format!("no single-path flow replaces it on link {link}");
                    sums[place.ok_or_else(none)?] += value / runs.len() as f64;
                }
            }
            Ok::<_, String>(sums)
        };
        Ok(LinkRates {
            ours: mean(&ours, packets)?,
            single: mean(&single, packets)?,
            losses: mean(&single, |subflow, _| subflow.loss_rate)?,
        })
    }

    fn total(&self) -> Result<f64, String> {
        quotient(self.ours.iter().sum(), self.single[self.best()]).ok_or_else(nothing)
    }

    fn largest(&self) -> Result<f64, String> {
        let each = self.ours.iter().zip(&self.single).map(|(ours, single)| quotient(*ours, *single));
        let all = each.collect::<Option<Vec<_>>>().ok_or_else(nothing)?;
        all.into_iter().reduce(f64::max).ok_or_else(|| "the flow has no subflow".to_owned())
    }

    fn left(&self) -> Option<f64> {
        let congested = self.losses[0] > 0.0 && self.losses[0] >= 2.0 * self.losses[self.best()];
        if !congested || self.best() == 0 {
            return None;
        }
        let others = quotient(self.ours[1..].iter().sum(), self.single[1..].iter().sum())?;
        quotient(quotient(self.ours[0], self.single[0])?, others)
    }

    /// The link on which a single-path flow is fastest.
    fn best(&self) -> usize {
        let links = 0..self.single.len();
        links.max_by(|a, b| self.single[*a].total_cmp(&self.single[*b])).unwrap_or(0)
    }
}

fn nothing() -> String {
    "the single-path flow delivered nothing on a link".to_owned()
}

fn quotient(a: f64, b: f64) -> Option<f64> {
    (b > 0.0).then(|| a / b)
}

/// A flow of a run, and its full segment.
type FlowOfRun<'a> = (&'a FlowSummary, Segment);

/// The rate of a subflow's delivered packets, in Mbit/s at IP level.
fn packets(subflow: &SubflowSummary, Segment { packet, payload }: Segment) -> Option<f64> {
    Some(subflow.goodput_bps? / 1e6 * packet / payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(ours: &[f64], single: &[f64], losses: &[f64]) -> LinkRates {
        LinkRates { ours: ours.into(), single: single.into(), losses: losses.into() }
    }

    fn near(value: Option<f64>, expected: f64) {
        assert!((value.unwrap() - expected).abs() < 1e-12, "{value:?}, not {expected}");
    }

    /// By hand: of links 1, 2 and 3 a flow has 2, 5 and 4 Mbit/s and the connection 1, 4 and 6.
    #[test]
    fn ratios_by_hand() {
        let all = taken(&[1.0, 4.0, 6.0], &[2.0, 5.0, 4.0], &[4e-3, 2e-3, 3e-3]);
        assert_eq!(all.best(), 1);
        near(all.total().ok(), 11.0 / 5.0);
        near(all.largest().ok(), 6.0 / 4.0);
        // (1 ÷ 2) ÷ ((4 + 6) ÷ (5 + 4)), and the loss rate on the first is twice that on the best.
        near(all.left(), 0.5 / (10.0 / 9.0));
        // Of one link total and largest agree.
        let one = taken(&[3.0], &[4.0], &[1e-2]);
        near(one.total().ok(), 0.75);
        near(one.largest().ok(), 0.75);
    }

    #[test]
    fn balance_is_asked_where_the_first_link_is_congested() {
        let left = |single: &[f64], losses: &[f64]| taken(&[1.0, 1.0], single, losses).left();
        assert_eq!(left(&[1.0, 2.0], &[1.9e-3, 1e-3]), None, "less than twice the loss rate");
        assert_eq!(left(&[1.0, 2.0], &[0.0, 0.0]), None, "no losses");
        assert_eq!(left(&[2.0, 1.0], &[4e-3, 1e-3]), None, "the best link is the first");
        near(left(&[1.0, 2.0], &[1e-6, 0.0]), 2.0);
        assert_eq!(taken(&[3.0], &[2.0], &[1e-2]).left(), None, "one link");
    }

    #[test]
    fn a_missing_goal_has_a_reason() {
        let idle = taken(&[1.0, 1.0], &[2.0, 0.0], &[1e-2, 0.0]);
        assert_eq!(idle.largest(), Err(nothing()));
        near(idle.total().ok(), 1.0);
        assert_eq!(taken(&[1.0], &[0.0], &[0.0]).total(), Err(nothing()));
    }
}
