//! `anabranch compare`: a scenario with several algorithms over several seeds.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::progress::Progress;
use crate::run::{failure, simulate};
use crate::table::{BYTES, LOSS, PERCENT, PLAIN, RATE, Spread, TIME, Table, WIDTH};
use crate::{input, interrupt};
use anabranch_record::{NoSamples, SubflowSummary, Summary};
use rayon::prelude::*;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `anabranch compare`.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let source = input::read(&args.scenario.file)?;
    let load = |cc: &String| input::load(&source, &args.scenario, std::slice::from_ref(cc));
    let scenarios = args.cc.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let seeds = args.seeds.get();
    let jobs: Vec<_> = scenarios
        .iter()
        .flat_map(|scenario| (0..seeds as u64).map(move |i| (scenario, scenario.seed.wrapping_add(i))))
        .collect();

    interrupt::listen()?;
    let progress = Progress::over(scenarios[0].duration.times(jobs.len() as u64));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.map_or(0, NonZeroUsize::get)).build();
    let pool = pool.map_err(|e| Failure::environment("cannot start threads", &e))?;
    let done = AtomicUsize::new(0);
    let run = |&(scenario, seed): &(_, u64)| {
        let summary = simulate(scenario, seed, &mut NoSamples, &progress)?;
        done.fetch_add(1, Ordering::Relaxed);
        Ok(summary)
    };
    let summaries = pool.install(|| jobs.par_iter().map(run).collect::<Result<Vec<_>, _>>());
    let kept =
        || format!("{} of {} runs were complete, none is kept", done.load(Ordering::Relaxed), jobs.len());
    let summaries = summaries.map_err(|e| failure(e, &kept()))?;
    drop(progress);

    if args.json {
        let run = |(i, summary): (usize, _)| Run { cc: &args.cc[i / seeds], summary };
        return print_json(&summaries.iter().enumerate().map(run).collect::<Vec<_>>());
    }
    print(&Comparison { cc: &args.cc, runs: summaries.chunks(seeds).collect() }.page())
}

/// What "± 0" in a table means.
const SAME: &str = "± 0: all seeds gave the same value, which leaves nothing to estimate an interval from. A seed \
                    varies random loss and jitter of links; the start of flows whose links have none.";

/// An element of the JSON array.
#[derive(Serialize)]
struct Run<'a> {
    /// As it was given.
    cc: &'a str,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// What came of it: for each algorithm a run for each seed.
struct Comparison<'a> {
    cc: &'a [String],
    runs: Vec<&'a [Summary]>,
}

impl Comparison<'_> {
    /// The comparison for people.
    fn page(&self) -> String {
        let first = &self.runs[0][0];
        let seeds = self.runs[0].len() as u64;
        let mut page = match seeds {
            1 => format!("{}: seed {}, no intervals from one seed\n", first.scenario, first.seed),
            _ => format!(
                "{}: seeds {} to {}, means ± half the width of the 95 % interval (Student's t)\n",
                first.scenario,
                first.seed,
                first.seed.wrapping_add(seeds - 1)
            ),
        };
        let mut same = false;
        for table in [self.flows(), self.subflows(), self.links(), self.jain()] {
            let table = table.to_string();
            same |= table.contains("± 0 ") || table.contains("± 0\n");
            page += &format!("\n{table}");
        }
        if same {
            page += &format!("\n{}\n", textwrap::fill(SAME, WIDTH));
        }
        page
    }

    /// The value of each seed, for each algorithm.
    fn spreads(&self, value: impl Fn(&Summary) -> Option<f64>) -> Vec<Spread> {
        self.runs.iter().map(|runs| Spread::of(runs.iter().map(&value))).collect()
    }

    /// A table with a group of rows for each of `names`: one row for each algorithm.
    fn table(&self, heading: &str, names: &[String]) -> Table {
        let group = |name: &String| {
            (0..self.cc.len()).map(|i| if i == 0 { name.clone() } else { String::new() }).collect::<Vec<_>>()
        };
        Table::new()
            .text(heading, names.iter().flat_map(group))
            .text("--cc", names.iter().flat_map(|_| self.cc))
    }

    /// For each of `count` things and each algorithm, the values of each seed.
    fn each(&self, count: usize, value: impl Fn(&Summary, usize) -> Option<f64>) -> Vec<Spread> {
        (0..count).flat_map(|i| self.spreads(|s| value(s, i))).collect()
    }

    fn flows(&self) -> Table {
        let names: Vec<_> = self.runs[0][0].flows.iter().map(|f| f.name.clone()).collect();
        let goodput = self.each(names.len(), |s, i| s.flows[i].goodput_bps);
        let again = self.each(names.len(), |s, i| Some(s.flows[i].retransmitted_segments as f64));
        self.table("flow", &names).estimates("goodput", RATE, &goodput).estimates(
            "retransmitted segments",
            PLAIN,
            &again,
        )
    }

    fn subflows(&self) -> Table {
        let flows = &self.runs[0][0].flows;
        let names: Vec<_> = flows
            .iter()
            .flat_map(|f| f.subflows.iter().map(|subflow| format!("{}: {}", f.name, subflow.path.join("+"))))
            .collect();
        let each = |value: fn(&SubflowSummary) -> Option<f64>| {
            self.each(names.len(), |s, i| s.flows.iter().flat_map(|f| &f.subflows).nth(i).and_then(value))
        };
        self.table("subflow", &names)
            .estimates("goodput", RATE, &each(|f| f.goodput_bps))
            .estimates("mean cwnd", PLAIN, &each(|f| f.mean_cwnd_segments))
            .estimates("mean RTT", TIME, &each(|f| f.mean_rtt_s))
            .estimates("loss rate", LOSS, &each(|f| f.loss_rate))
    }

    fn links(&self) -> Table {
        let names: Vec<_> = self.runs[0][0].links.iter().map(|l| l.name.clone()).collect();
        let utilisation = self.each(names.len(), |s, i| Some(s.links[i].utilisation));
        let queue = self.each(names.len(), |s, i| Some(s.links[i].mean_queue_bytes));
        self.table("link", &names).estimates("utilisation", PERCENT, &utilisation).estimates(
            "mean queue",
            BYTES,
            &queue,
        )
    }

    fn jain(&self) -> Table {
        let jain = self.spreads(|s| s.jain);
        Table::new().text("--cc", self.cc).estimates("Jain's index of the flows' goodputs", PLAIN, &jain)
    }
}
