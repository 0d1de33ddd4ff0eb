//! Formats a comparison: tables of means and intervals.

use crate::pages::fairness::Fairness;
use crate::table::{Spread, Table, WIDTH, units};
use anabranch::records::{FlowSummary, LinkSummary, Quantity, SubflowSummary, View};
use anabranch::scenarios::Scenario;
use anabranch::studies::{Estimate, estimate, format::plain_estimate, narrowing};
use anabranch::units::{PLAIN, RATE, TIME, Units, choose};
use anabranch::{Compared, Summary, counted};
use serde::Serialize;

/// Explains "± 0" in a table.
const SAME: &str = "± 0: all seeds gave the same value or difference, so no interval can be estimated. A seed \
                    varies the random processes of links, where traces begin, arrivals, sizes and pauses of \
                    applications that draw them, when flows start, and when acknowledgements leave.";

/// The same of runs on a kernel, which differ by chance whatever the seed.
const SAME_ON_KERNEL: &str =
    "± 0: all runs gave the same value or difference, so no interval can be estimated.";

/// Whether a table has "± 0".
pub fn has_same(table: &str) -> bool {
    table.contains("± 0 ") || table.contains("± 0\n")
}

/// The explanation of "± 0" below the tables of runs such as this one.
pub fn why_same(run: &Summary) -> String {
    let why = if run.kernel.is_some() { SAME_ON_KERNEL } else { SAME };
    format!("\n{}\n", textwrap::fill(why, WIDTH))
}

/// An interval whose half width is a larger fraction of its mean gets a hint.
const WIDE: f64 = 0.1;

/// A flow's goodput less that with the first algorithm, in bits per second, from pairs of runs of the same seed.
#[derive(Serialize)]
pub struct Difference {
    flow: String,
    goodput_bps: Option<Estimate>,
}

/// A comparison's result: for each algorithm its complete runs, in the order of their seeds.
pub struct Page {
    cc: Vec<String>,
    runs: Vec<Vec<Summary>>,
    /// The number of planned runs.
    total: usize,
    failed: usize,
    fairness: Fairness,
    /// Whether the algorithm that was named first has complete runs: the others are compared with it.
    has_first: bool,
}

impl Page {
    /// Keeps the complete runs, and the algorithms that have some.
    pub fn of(cc: &[String], compared: &Compared, scenario: &Scenario) -> Page {
        let is_complete = |summary: &&Summary| summary.partial_until_s.is_none();
        let complete = |runs: &Vec<Summary>| runs.iter().filter(is_complete).cloned().collect::<Vec<_>>();
        let each: Vec<_> = compared.runs.iter().map(complete).collect();
        let has_first = each.first().is_some_and(|runs| !runs.is_empty());
        let (cc, runs) = cc.iter().cloned().zip(each).filter(|(_, runs)| !runs.is_empty()).unzip();
        let (total, failed, fairness) = (compared.total, compared.failed.len(), Fairness::of(scenario));
        Page { cc, runs, total, failed, fairness, has_first }
    }

    /// The first lines: scenario, seeds and number of runs.
    fn heading(&self) -> String {
        let first = &self.runs[0][0];
        let complete: usize = self.runs.iter().map(Vec::len).sum();
        if complete < self.total {
            let seeds =
                |(cc, runs): (&String, &Vec<Summary>)| format!("{cc} {}", counted(runs.len(), "seed"));
            let each: Vec<_> = self.cc.iter().zip(&self.runs).map(seeds).collect();
            let total = self.total;
            let why = match (self.failed, complete + self.failed == total) {
                (0, _) => format!("partial, interrupted after {complete} of {total} runs"),
                (failed, true) => format!("{failed} of {total} runs failed; the means leave them out"),
                (failed, false) => {
                    format!("partial, interrupted after {complete} of {total} runs, of which {failed} failed")
                }
            };
            let text = format!(
                "{}: {why}: {}, from {} on, where they were complete; means ± half the width of the 95 % interval (Student's t)",
                first.scenario,
                each.join(", "),
                first.seed
            );
            return textwrap::fill(&text, WIDTH) + "\n";
        }
        match self.runs[0].len() as u64 {
            1 => format!("{}: seed {}, no intervals from one seed\n", first.scenario, first.seed),
            seeds => format!(
                "{}: seeds {} to {}, means ± half the width of the 95 % interval (Student's t)\n",
                first.scenario,
                first.seed,
                first.seed + (seeds - 1)
            ),
        }
    }

    pub fn text(&self) -> String {
        let mut page = self.heading();
        let mut same = false;
        let tables = [self.flows(), self.subflows(), self.links()].into_iter();
        for table in tables.chain(self.completions()).chain(self.jain()) {
            let table = table.to_string();
            same |= has_same(&table);
            page += &format!("\n{table}");
        }
        let attempts = |s: &Summary| s.kernel.as_ref().map_or(0, |run| run.invalid_attempts);
        let repeated: u32 = self.runs.iter().flatten().map(attempts).sum();
        if repeated > 0 {
            page += &format!("\nInvalid attempts that were repeated: {repeated}\n");
        }
        if same {
            page += &why_same(&self.runs[0][0]);
        }
        if self.is_paired() {
            let first = &self.cc[0];
            let paired = format!(
                "difference to {first}: the mean difference between runs of the same seed. If its interval \
                 includes 0, the difference may be chance."
            );
            page += &format!("\n{}\n", textwrap::fill(&paired, WIDTH));
        }
        if let Some(hint) = self.hint() {
            page += &format!("\n{}\n", textwrap::fill(&hint, WIDTH));
        }
        page
    }

    /// The spread over the seeds, for each algorithm.
    fn spreads(&self, value: impl Fn(&Summary) -> Option<f64>) -> Vec<Spread> {
        self.runs.iter().map(|runs| Spread::of(runs.iter().map(&value))).collect()
    }

    /// A table with a row for each of `names` and each algorithm.
    fn table(&self, heading: &str, names: &[String]) -> Table {
        let group = |name: &String| {
            (0..self.cc.len()).map(|i| if i == 0 { name.clone() } else { String::new() }).collect::<Vec<_>>()
        };
        Table::new()
            .names(heading, names.iter().flat_map(group))
            .text("--cc", names.iter().flat_map(|_| &self.cc))
    }

    /// The spread over the seeds, for each of `count` objects and each algorithm.
    fn each(&self, count: usize, value: impl Fn(&Summary, usize) -> Option<f64>) -> Vec<Spread> {
        (0..count).flat_map(|i| self.spreads(|s| value(s, i))).collect()
    }

    /// Whether there are pairs with an interval.
    fn is_paired(&self) -> bool {
        self.has_first && self.runs.iter().skip(1).any(|runs| pairs(&self.runs[0], runs).nth(1).is_some())
    }

    /// Columns of a value and, if there are pairs, of each algorithm's difference to the first, in one unit.
    fn with_difference(
        &self,
        table: Table,
        (heading, units): (&str, Units),
        count: usize,
        value: impl Fn(&Summary, usize) -> Option<f64>,
    ) -> Table {
        let values = self.each(count, &value);
        let difference = |i: usize, (k, runs): (usize, &Vec<Summary>)| match k {
            0 => Spread::Missing,
            _ => Spread::of(
                pairs(&self.runs[0], runs).map(|(first, own)| Some(value(own, i)? - value(first, i)?)),
            ),
        };
        let each = (0..count).flat_map(|i| self.runs.iter().enumerate().map(move |of| (i, of)));
        let each: Vec<Spread> = each.map(|(i, of)| difference(i, of)).collect();
        let shown = choose(units, values.iter().filter_map(Spread::mean));
        let table = table.estimates_in(heading, shown, values);
        match self.is_paired() {
            true => table.estimates_in(&format!("difference to {}", self.cc[0]), shown, each),
            false => table,
        }
    }

    /// How the goodput of each flow with this algorithm differs from that with the first; empty for the first.
    pub fn differences(&self, cc: &str) -> Vec<Difference> {
        let own = self.cc.iter().skip(1).position(|known| known == cc);
        let Some(own) = own.filter(|_| self.is_paired()) else { return vec![] };
        let of_flow = |(f, flow): (usize, &FlowSummary)| {
            let goodput = |s: &Summary| s.flows[f].goodput_bps;
            let each = pairs(&self.runs[0], &self.runs[own + 1]);
            let each = each.map(|(first, own)| Some(goodput(own)? - goodput(first)?));
            let goodput_bps = each.collect::<Option<Vec<f64>>>().and_then(estimate);
            Difference { flow: flow.name.clone(), goodput_bps }
        };
        self.runs[0][0].flows.iter().enumerate().map(of_flow).collect()
    }

    fn flows(&self) -> Table {
        let names: Vec<_> = self.runs[0][0].flows.iter().map(|f| f.name.clone()).collect();
        let goodput = |s: &Summary, i: usize| s.flows[i].goodput_bps;
        let table = self.with_difference(self.table("flow", &names), ("goodput", RATE), names.len(), goodput);
        let again = |s: &Summary, i: usize| Some(s.flows[i].retransmitted_segments as f64);
        table.counts("retransmitted segments", self.each(names.len(), again))
    }

    fn subflows(&self) -> Table {
        let flows = &self.runs[0][0].flows;
        let names: Vec<_> = flows
            .iter()
            .flat_map(|f| f.subflows.iter().map(|subflow| format!("{}: {}", f.name, subflow.path.join("+"))))
            .collect();
        let view = if self.runs[0][0].kernel.is_some() { View::CompareKernel } else { View::Compare };
        self.view(view, "subflow", &names, SubflowSummary::QUANTITIES, |s, i| {
            s.flows.iter().flat_map(|f| &f.subflows).nth(i)
        })
    }

    fn links(&self) -> Table {
        let names: Vec<_> = self.runs[0][0].links.iter().map(|l| l.name.clone()).collect();
        self.view(View::Compare, "link", &names, LinkSummary::QUANTITIES, |s, i| s.links.get(i))
    }

    /// A view's columns of the subflows or links with these names.
    fn view<S>(
        &self,
        view: View,
        heading: &str,
        names: &[String],
        all: &[Quantity<S>],
        of: impl Fn(&Summary, usize) -> Option<&S>,
    ) -> Table {
        let shown = all.iter().filter(|q| q.shown.contains(&view));
        shown.fold(self.table(heading, names), |table, quantity| {
            let value = |s: &Summary, i| of(s, i).and_then(quantity.read);
            table.estimates(quantity.heading, units(quantity.unit), self.each(names.len(), value))
        })
    }

    /// The completion times of responses and transfers, if the scenario has some.
    fn completions(&self) -> Option<Table> {
        let flows = &self.runs[0][0].flows;
        let has = |f: &FlowSummary| f.completion.is_some() || f.transfers.is_some();
        let shown: Vec<usize> = (0..flows.len()).filter(|f| has(&flows[*f])).collect();
        let names: Vec<_> = shown.iter().map(|f| flows[*f].name.clone()).collect();
        let each =
            |value: fn(&FlowSummary) -> Option<f64>| self.each(names.len(), |s, i| value(&s.flows[shown[i]]));
        let mean = |f: &FlowSummary| Some(f.completion.as_ref()?.mean_s);
        let of_flow = |s: &Summary, i: usize| mean(&s.flows[shown[i]]);
        let mut table = self
            .with_difference(self.table("flow", &names), ("mean completion", TIME), names.len(), of_flow)
            .estimates("p99", TIME, each(|f| Some(f.completion.as_ref()?.p99_s)));
        if shown.iter().any(|f| flows[*f].transfers.is_some()) {
            table = table
                .estimates("slowdown", PLAIN, each(|f| Some(f.transfers.as_ref()?.slowdown.as_ref()?.mean)))
                .estimates("p99", PLAIN, each(|f| Some(f.transfers.as_ref()?.slowdown.as_ref()?.p99)))
                .counts("unfinished", each(|f| Some(f.transfers.as_ref()?.unfinished as f64)));
        }
        (!shown.is_empty()).then_some(table)
    }

    fn jain(&self) -> Option<Table> {
        let jain = self.spreads(|s| self.fairness.jain(s));
        let heading = format!("Jain's index of the flows' goodputs{}", self.fairness.without());
        self.fairness.applies.then(|| Table::new().text("--cc", &self.cc).estimates(&heading, PLAIN, jain))
    }

    /// What more seeds would give the goodput whose interval is the widest for its mean, if it is wide.
    fn hint(&self) -> Option<String> {
        let flows = &self.runs[0][0].flows;
        let of_flow = |f: usize| {
            let name = &flows[f].name;
            let each =
                self.spreads(move |s| s.flows[f].goodput_bps).into_iter().zip(&self.cc).zip(&self.runs);
            each.map(move |((spread, cc), runs)| (name, cc, spread, runs.len()))
        };
        let wide = (0..flows.len()).flat_map(of_flow).filter_map(|(name, cc, spread, seeds)| match spread {
            Spread::Interval(mean, half) if half > WIDE * mean => Some((name, cc, mean, half, seeds)),
            _ => None,
        });
        let (name, cc, mean, half, seeds) = wide.max_by(|a, b| (a.3 / a.2).total_cmp(&(b.3 / b.2)))?;
        let more = 4 * seeds;
        let (factor, unit) = choose(RATE, std::iter::once(mean));
        Some(format!(
            "Goodput of {name} with {cc}: {} {unit}, {seeds} seeds; --seeds {more} would give about ± {}.",
            plain_estimate(mean / factor, half / factor),
            plain_estimate(mean / factor, half * narrowing(seeds, more) / factor)
                .rsplit(' ')
                .next()
                .unwrap_or_default()
        ))
    }
}

/// The runs of one seed with the first algorithm, and with another.
fn pairs<'a>(first: &'a [Summary], own: &'a [Summary]) -> impl Iterator<Item = (&'a Summary, &'a Summary)> {
    own.iter().filter_map(|own| Some((first.iter().find(|first| first.seed == own.seed)?, own)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch::records::KernelRun;
    use anabranch::{Changes, Scenario, Watch};

    /// The runs of a flow over a link with these algorithms, and the page of such runs.
    fn compared(paths: &str, cc: &[&str], seeds: u32) -> (Compared, impl Fn(&Compared) -> String) {
        let text = format!(
            "name = \"paths\"\nduration = \"1 s\"\nlinks.a = {{ rate = \"1 Mbit/s\", delay = \"5 ms\" }}\n\
             flows = [{{ name = \"f\", cc = \"reno\", paths = {paths} }}]"
        );
        let scenario = Scenario::of_text("a", &text, Changes::default()).unwrap();
        let compared = anabranch::compare(&scenario, cc, seeds, &Watch::default()).unwrap();
        let cc: Vec<String> = cc.iter().map(|cc| (*cc).to_owned()).collect();
        (compared, move |compared| Page::of(&cc, compared, &scenario).text())
    }

    /// Of runs that failed the page says how many each algorithm has left.
    #[test]
    fn failed_runs_are_reported() {
        let (mut compared, page) = compared(r#"[["a"], ["a"]]"#, &["lia", "olia"], 3);
        assert!(page(&compared).contains("mean RTT (ms)"), "as in `run`: {}", page(&compared));
        compared.runs[1].remove(1);
        compared.failed.push("olia, seed 2: no valid run in 3 attempts".into());
        let page = page(&compared).split_whitespace().collect::<Vec<_>>().join(" ");
        let said = "1 of 6 runs failed; the means leave them out: lia 3 seeds, olia 2 seeds";
        assert!(page.contains(said), "{page}");
    }

    /// Attempts that were not valid took time, and the page says how many there were.
    #[test]
    fn repeated_attempts_are_counted() {
        let (mut compared, page) = compared(r#"[["a"]]"#, &["reno"], 2);
        assert!(!page(&compared).contains("attempts"));
        for (summary, invalid_attempts) in compared.runs[0].iter_mut().zip([2, 1]) {
            summary.kernel = Some(KernelRun { invalid_attempts, ..KernelRun::default() });
        }
        let page = page(&compared);
        assert!(page.contains("Invalid attempts that were repeated: 3\n"), "{page}");
    }

    /// Goodputs of 100, 200, 300, 400 and 500 Mbit/s: s = 158.1, t(4) = 2.776 and so ± 196.3; with 20 seeds t(19) = 2.093
    /// and ± 158.1 × 2.093 ÷ √20 = 74.0.
    #[test]
    fn wide_intervals_get_a_hint() {
        let (mut compared, page) = compared(r#"[["a"]]"#, &["reno"], 5);
        let mut with = |goodput: fn(f64) -> f64| {
            for (summary, i) in compared.runs[0].iter_mut().zip(0..) {
                summary.flows[0].goodput_bps = Some(goodput(i.into()));
            }
            page(&compared)
        };
        let wide = with(|i| 1e8 * (i + 1.0));
        let said = "Goodput of f with reno: 300 ± 196 Mbit/s, 5 seeds; --seeds 20 would give about ± 74.";
        assert!(wide.contains(said), "{wide}");
        let narrow = with(|i| 1e8 + i);
        assert!(!narrow.contains("--seeds"), "{narrow}");
    }
}
