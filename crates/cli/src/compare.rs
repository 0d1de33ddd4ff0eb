//! `anabranch compare`: a scenario with several algorithms over several seeds.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::output::{counted, print, print_json};
use crate::progress::Progress;
use crate::run::{failure, simulate};
use crate::table::{BYTES, LOSS, PERCENT, PLAIN, RATE, Spread, TIME, Table, WIDTH};
use crate::{input, interrupt, memory};
use anabranch_record::{NoSamples, SubflowSummary, Summary};
use anabranch_sim::SimError;
use miette::miette;
use rayon::iter::{ParallelBridge, ParallelIterator};
use serde::Serialize;

/// `anabranch compare`.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let source = input::read(&args.scenario.file)?;
    let load = |cc: &String| input::load(&source, &args.scenario, std::slice::from_ref(cc));
    let scenarios = args.cc.iter().map(load).collect::<Result<Vec<_>, _>>()?;
    let seeds = args.seeds as usize;
    // Seed by seed, so that of an interrupted comparison the algorithms have the same seeds.
    let count = scenarios.len();
    let jobs: Vec<(usize, usize)> =
        (0..seeds).flat_map(|seed| (0..count).map(move |cc| (cc, seed))).collect();
    let total = jobs.len();
    let threads = args.jobs.map_or_else(rayon::current_num_threads, |jobs| jobs as usize).min(total);
    let largest = scenarios.iter().max_by_key(|scenario| anabranch_sim::memory(scenario));
    largest.map_or(Ok(()), |scenario| memory::check(scenario, threads, args.yes))?;

    interrupt::listen()?;
    let progress = Progress::over(scenarios[0].duration.times(jobs.len() as u64));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Failure::environment("cannot start threads", &e))?;
    let run = |(cc, seed): (usize, usize)| {
        let scenario = &scenarios[cc];
        let ended = match interrupt::requested() {
            true => Ok(None),
            false => {
                let number = scenario.seed.wrapping_add(seed as u64);
                match simulate(scenario, number, &mut NoSamples, &progress) {
                    Err(SimError::Interrupted { partial, .. }) => Ok(partial.map(|partial| *partial)),
                    whole => whole.map(Some),
                }
            }
        };
        ended.map(|summary| ((cc, seed), summary))
    };
    let ended: Vec<_> = pool.install(|| jobs.into_iter().par_bridge().map(run).collect());
    drop(progress);
    let mut runs: Vec<_> = ended
        .into_iter()
        .filter_map(|run| run.map(|(job, summary)| Some((job, summary?))).transpose())
        .collect::<Result<_, _>>()
        .map_err(|e| failure(e, "nothing of it is kept"))?;
    runs.sort_by_key(|(job, _)| *job);

    let complete = runs.iter().filter(|(_, summary)| summary.partial_until_s.is_none()).count();
    if args.json {
        let all = runs.iter().map(|((cc, _), summary)| Run { cc: &args.cc[*cc], summary });
        print_json(&all.collect::<Vec<_>>())?;
    } else if complete > 0 {
        print(&Comparison::of(&args.cc, total, runs).page())?;
    }
    match complete == total {
        true => Ok(()),
        false => Err(Failure::Interrupted(miette!(
            "interrupted: {complete} of {total} runs were complete, the result is partial"
        ))),
    }
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

/// What came of it: for each algorithm its complete runs, in the order of their seeds.
struct Comparison {
    cc: Vec<String>,
    runs: Vec<Vec<Summary>>,
    /// How many runs there were to be.
    total: usize,
}

impl Comparison {
    /// Of those of `total` runs that are complete, and algorithms that have some; the first of each job is the algorithm.
    fn of(cc: &[String], total: usize, runs: Vec<((usize, usize), Summary)>) -> Comparison {
        let mut each = vec![Vec::new(); cc.len()];
        let complete = runs.into_iter().filter(|(_, summary)| summary.partial_until_s.is_none());
        complete.for_each(|((i, _), summary)| each[i].push(summary));
        let (cc, runs) = cc.iter().cloned().zip(each).filter(|(_, runs)| !runs.is_empty()).unzip();
        Comparison { cc, runs, total }
    }

    /// Which runs it is about.
    fn heading(&self) -> String {
        let first = &self.runs[0][0];
        let complete: usize = self.runs.iter().map(Vec::len).sum();
        if complete < self.total {
            let seeds =
                |(cc, runs): (&String, &Vec<Summary>)| format!("{cc} {}", counted(runs.len(), "seed"));
            let each: Vec<_> = self.cc.iter().zip(&self.runs).map(seeds).collect();
            let text = format!(
                "{}: partial, interrupted after {complete} of {} runs: {}, from {} on, where they were complete; means ± \
                 half the width of the 95 % interval (Student's t)",
                first.scenario,
                self.total,
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
                first.seed.wrapping_add(seeds - 1)
            ),
        }
    }

    /// The comparison for people.
    fn page(&self) -> String {
        let mut page = self.heading();
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
            .text("--cc", names.iter().flat_map(|_| &self.cc))
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
        Table::new().text("--cc", &self.cc).estimates("Jain's index of the flows' goodputs", PLAIN, &jain)
    }
}
