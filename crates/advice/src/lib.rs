//! Advice on an algorithm for a scenario: runs to make, RFC 6356's goals, and a recommendation by a stated rule.
//!
//! [`Plan`] lists the runs, of each algorithm and of a single-path flow on each path in the connection's place. Whoever makes them gives the
//! summaries to [`Plan::conclude`].

mod goals;
mod rule;

pub use goals::{Goal, Met};
pub use rule::{RULE, Recommendation};

use anabranch_ideal::{HEADERS, dss};
use anabranch_record::{Estimate, FlowSummary, Summary, paired_difference};
use anabranch_scenario::{Flow, Scenario, base, distinct, quoted_key, split_flow_name, suggest};
use goals::{PathRates, Rates};
use rule::Candidate;
use serde::{Deserialize, Serialize};

/// The algorithms to choose from, unless others are named.
pub const ALGORITHMS: [&str; 6] = ["uncoupled", "lia", "olia", "balia", "coupled-cubic", "linked-cubic"];

/// The algorithm of a baseline on a path that no single-path flow shares, as most hosts have it.
const NO_NEIGHBOUR: &str = "cubic";

/// From this loss of the other flows' goodput on, in per cent, the recommendation mentions it.
const DEAR: f64 = 10.0;

/// The result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The scenario's name.
    pub scenario: String,
    /// The command that repeats it, if known.
    pub command: String,
    /// The connection.
    pub flow: String,
    /// The seeds of each value.
    pub seeds: u32,
    /// The single-path flows that the connection is compared with.
    pub baselines: Vec<Baseline>,
    /// The values of each buffer and algorithm.
    pub cases: Vec<Case>,
    /// What follows.
    pub recommendation: Recommendation,
}

/// A single-path flow in the connection's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Its links.
    pub path: Vec<String>,
    /// Its algorithm, the same as a neighbour's there.
    pub cc: String,
    /// The neighbour; `None` if no single-path flow shares a link.
    pub neighbour: Option<String>,
}

/// An algorithm with a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The buffer; `None` for the scenario's own.
    pub buffer: Option<String>,
    /// The algorithm.
    pub cc: String,
    /// The connection's goodput, in bits per second.
    pub goodput_bps: Option<Estimate>,
    /// Improve throughput: rate ÷ the rate of the best single-path flow, at least 1.
    pub goal1: Goal,
    /// Do no harm: rate on a link ÷ the rate of the single-path flow there, at most 1, on the worst link that other flows cross: a surely
    /// missed one before an undecided one, and then the largest mean.
    pub goal2: Goal,
    /// Balance congestion: that ratio on a congested link ÷ the ratio on the others, at most 1; `None` if no link has twice the
    /// loss of the best.
    pub goal3: Option<Goal>,
    /// The goodput of each other flow, in bits per second; the sum of flows with a count.
    #[serde(default)]
    pub others_bps: Vec<(String, Option<Estimate>)>,
    /// The mean completion time of each flow that has transfers or responses, in seconds.
    pub completions: Vec<(String, Option<Estimate>)>,
}

impl Case {
    /// Its goals by number.
    pub fn goals(&self) -> impl Iterator<Item = (u32, &Goal)> {
        [(1, &self.goal1), (2, &self.goal2)].into_iter().chain(self.goal3.iter().map(|goal| (3, goal)))
    }

    /// The numbers of the goals that it misses; with `?` where these seeds do not decide.
    pub fn misses(&self) -> String {
        let missed = self.goals().filter_map(|(number, goal)| match goal.met {
            Met::Met => None,
            Met::Undetermined => Some(format!("{number}?")),
            Met::Missed => Some(number.to_string()),
        });
        let missed: Vec<String> = missed.collect();
        if missed.is_empty() { "none".to_owned() } else { missed.join(", ") }
    }
}

impl Advice {
    /// The single-path flows in a sentence.
    pub fn compared_with(&self) -> String {
        let one = |baseline: &Baseline| {
            let like =
                baseline.neighbour.as_ref().map_or("no neighbour".to_owned(), |name| format!("like {name}"));
            format!("{} on {} ({like})", baseline.cc, baseline.path.join("+"))
        };
        let all: Vec<String> = self.baselines.iter().map(one).collect();
        format!("Compared with single-path flows in its place: {}", all.join(", "))
    }
}

/// Why a scenario gets no advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsuited {
    message: String,
    /// What would be right.
    pub help: String,
}

/// The runs that advice is based on.
#[derive(Clone, Debug)]
pub struct Plan {
    flow: Flow,
    /// The links that other flows cross.
    shared: Vec<String>,
    cc: Vec<String>,
    buffers: Vec<Option<String>>,
    baselines: Vec<Baseline>,
    /// Each with every seed, in this order.
    pub runs: Vec<PlannedRun>,
}

/// The scenario with changes.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Its name in messages.
    pub what: String,
    /// Values to set, as in `--set`.
    pub set: Vec<String>,
    /// The connection's algorithm, as in `--cc`; `None` for a baseline.
    pub cc: Option<String>,
}

impl Plan {
    /// The runs of these algorithms, with these buffers of every link or, without any, the scenario's own. `flow` is the connection, if
    /// several flows have several paths.
    ///
    /// # Errors
    /// A scenario without such a connection, or an algorithm of a named flow.
    pub fn of(
        scenario: &Scenario,
        flow: Option<&str>,
        cc: &[String],
        buffers: &[String],
    ) -> Result<Self, Unsuited> {
        let flow = chosen(scenario, flow)?;
        refuse_backups(flow)?;
        refuse_other_flows(cc, flow)?;
        let (baselines, single): (Vec<Baseline>, Vec<Vec<String>>) =
            (0..flow.paths.len()).map(|path| baseline(scenario, flow, path)).unzip();
        let buffers: Vec<Option<String>> = match buffers {
            [] => vec![None],
            some => some.iter().cloned().map(Some).collect(),
        };
        let mut runs = Vec::new();
        for buffer in &buffers {
            let queues: Vec<String> = buffer.iter().flat_map(|buffer| queues(scenario, buffer)).collect();
            runs.extend(cc.iter().map(|cc| PlannedRun {
                what: cc.clone(),
                set: queues.clone(),
                cc: Some(format!("{}={cc}", base(&flow.name))),
            }));
            runs.extend(baselines.iter().zip(&single).map(|(baseline, set)| PlannedRun {
                what: format!("the single-path flow on {} with {}", baseline.path.join("+"), baseline.cc),
                set: [&queues[..], set].concat(),
                cc: None,
            }));
        }
        let others = scenario.flows.iter().filter(|other| base(&other.name) != base(&flow.name));
        let crossed = others.flat_map(|other| &other.paths).flat_map(|path| &path.links);
        let shared = crossed.map(|link| scenario.links[*link].name.clone()).collect();
        Ok(Plan { flow: flow.clone(), shared, cc: cc.to_vec(), buffers, baselines, runs })
    }

    /// The advice; `summaries` are those of each run, in the order of the seeds.
    pub fn conclude(self, scenario: &str, command: &str, seeds: u32, summaries: &[Vec<Summary>]) -> Advice {
        let Plan { flow, shared, cc, buffers, baselines, .. } = self;
        let mut cases = Vec::new();
        for (buffer, each) in buffers.iter().zip(summaries.chunks(cc.len() + baselines.len())) {
            let (algorithms, single) = each.split_at(cc.len());
            for (cc, ours) in cc.iter().zip(algorithms) {
                cases.push(case((&flow, &shared), buffer.as_deref(), cc, ours, single));
            }
        }
        let name = base(&flow.name).to_owned();
        let mut recommendation = rule::recommend(&candidates(&cc, &name, &cases), &buffers, seeds);
        if let Some(price) = price(&recommendation.best, &cc, &cases) {
            recommendation.text += &format!(" {price}");
        }
        let (scenario, command) = (scenario.to_owned(), command.to_owned());
        Advice { scenario, command, flow: name, seeds, baselines, cases, recommendation }
    }
}

/// The connection with several paths.
fn chosen<'a>(scenario: &'a Scenario, asked: Option<&str>) -> Result<&'a Flow, Unsuited> {
    let all: Vec<&Flow> = scenario.flows.iter().filter(|flow| flow.is_multipath()).collect();
    let names = distinct(all.iter().map(|flow| base(&flow.name)));
    let find = |name: &str| all.iter().find(|flow| base(&flow.name) == name).copied();
    let wrong = |message: String| {
        let help = suggest(asked.unwrap_or_default(), names.iter().copied());
        Unsuited { message, help }
    };
    match (asked, &names[..]) {
        (_, []) => {
            let help = "give one paths = [[\"dsl\"], [\"lte\"]]; to compare algorithms of single-path flows, use `anabranch compare`";
            let message = format!("{} has no flow with several paths", scenario.name);
            Err(Unsuited { message, help: help.into() })
        }
        (Some(name), _) => {
            find(name).ok_or_else(|| wrong(format!("no flow with several paths is named `{name}`")))
        }
        (None, [only]) => find(only).ok_or_else(|| wrong("no flow".into())),
        (None, _) => {
            Err(wrong("several flows have several paths: name the one that the advice is for".into()))
        }
    }
}

/// Refuses `FLOW=CC`: the algorithms are the connection's.
fn refuse_other_flows(cc: &[String], flow: &Flow) -> Result<(), Unsuited> {
    let Some(cc) = cc.iter().find(|cc| split_flow_name(cc).0.is_some()) else { return Ok(()) };
    let message = format!("`{cc}` names a flow: `--cc` of advise is for {} alone", base(&flow.name));
    let help =
        "write the algorithm alone; `--set flows.NAME.cc=CC` sets the algorithm of another flow".into();
    Err(Unsuited { message, help })
}

/// Refuses a connection whose paths are backups except one: they carry nothing while that path works.
fn refuse_backups(flow: &Flow) -> Result<(), Unsuited> {
    let backups: Vec<String> =
        (1..).zip(&flow.paths).filter(|(_, path)| path.backup).map(|(n, _)| n.to_string()).collect();
    if flow.paths.len() - backups.len() != 1 {
        return Ok(());
    }
    let of = match &backups[..] {
        [one] => format!("path {one} of {} is a backup", base(&flow.name)),
        several => format!("paths {} of {} are backups", rule::listed(several), base(&flow.name)),
    };
    let help = "leave the algorithm as it is; without `backup`, the path counts".to_owned();
    Err(Unsuited { message: format!("{of}: coupling changes nothing while the other path works"), help })
}

/// The single-path flow on a path of the connection, and the keys that set it.
fn baseline(scenario: &Scenario, flow: &Flow, path: usize) -> (Baseline, Vec<String>) {
    let links = &flow.paths[path].links;
    let shares =
        |other: &&Flow| !other.is_multipath() && other.paths[0].links.iter().any(|link| links.contains(link));
    let neighbour = scenario.flows.iter().find(shares);
    let cc = neighbour.map_or(NO_NEIGHBOUR.to_owned(), |neighbour| neighbour.cc.to_string());
    // Connections of a count each have their own of links with a count.
    let counted = base(&flow.name) != flow.name;
    let names = |links: &[usize]| {
        let links = links.iter().map(|link| &scenario.links[*link]);
        let quoted = links.map(|link| format!("{:?}", if counted { &link.key } else { &link.name }));
        quoted.collect::<Vec<_>>().join(", ")
    };
    let key = format!("flows.{}", quoted_key(base(&flow.name)));
    let set = vec![
        format!("{key}.paths=[[{}]]", names(links)),
        format!("{key}.return=[[{}]]", names(&flow.paths[path].return_links)),
        format!("{key}.backup=[]"),
        format!("{key}.events=[]"),
        format!("{key}.cc={cc}"),
    ];
    let path = links.iter().map(|link| scenario.links[*link].name.clone()).collect();
    (Baseline { path, cc, neighbour: neighbour.map(|flow| base(&flow.name).to_owned()) }, set)
}

/// The keys that set the buffer of every link.
fn queues(scenario: &Scenario, buffer: &str) -> Vec<String> {
    scenario.link_keys().into_iter().map(|key| format!("links.{}.queue={buffer}", quoted_key(key))).collect()
}

/// The values of an algorithm with a buffer, from its runs and those of each baseline, in the order of their seeds.
fn case(
    (flow, shared): (&Flow, &[String]),
    buffer: Option<&str>,
    cc: &str,
    ours: &[Summary],
    single: &[Vec<Summary>],
) -> Case {
    let name = base(&flow.name);
    let alone = Flow { paths: flow.paths[..1].to_vec(), ..flow.clone() };
    // With headers.
    let rate = |run: &Summary, path: usize, packet: f64| {
        Some(mean(of_name(run, name).map(|flow| flow.subflows.get(path)?.goodput_bps))? * packet)
    };
    let loss = |run: &Summary| mean(of_name(run, name).map(|flow| flow.subflows.first()?.loss_rate));
    let links = |path: usize| Some(of_name(ours.first()?, name).next()?.subflows.get(path)?.path.clone());
    let path = |(path, single): (usize, &Vec<Summary>)| PathRates {
        links: links(path).unwrap_or_default(),
        ours: ours.iter().map(|run| rate(run, path, packet(flow))).collect(),
        single: single.iter().map(|run| rate(run, 0, packet(&alone))).collect(),
        loss: goals::estimated(single.iter().map(loss)).map(|loss| loss.mean),
    };
    let rates = Rates(single.iter().enumerate().map(path).collect());
    let goodput = |run: &Summary| mean(of_name(run, name).map(|flow| flow.goodput_bps));
    let with_times = ours.first().map_or(vec![], times);
    let completion = |name: &String| {
        let each = ours
            .iter()
            .map(|run| mean(of_name(run, name).map(|flow| Some(flow.completion.as_ref()?.mean_s))));
        (name.clone(), goals::estimated(each))
    };
    Case {
        buffer: buffer.map(str::to_owned),
        cc: cc.to_owned(),
        goodput_bps: goals::estimated(ours.iter().map(goodput)),
        goal1: rates.throughput(),
        goal2: rates.no_harm(shared),
        goal3: rates.balance(),
        others_bps: others(ours, name),
        completions: with_times.iter().map(completion).collect(),
    }
}

/// The flows of a name and its count.
fn of_name<'a>(run: &'a Summary, name: &'a str) -> impl Iterator<Item = &'a FlowSummary> {
    run.flows.iter().filter(move |flow| base(&flow.name) == name)
}

/// The goodput of the flows of each other name together.
fn others(runs: &[Summary], own: &str) -> Vec<(String, Option<Estimate>)> {
    let flows = runs.first().into_iter().flat_map(|run| &run.flows);
    let names = distinct(flows.map(|flow| base(&flow.name)).filter(|name| *name != own));
    let sum = |run: &Summary, name: &str| of_name(run, name).map(|flow| flow.goodput_bps).sum();
    let of = |name: &str| goals::estimated(runs.iter().map(|run| sum(run, name)));
    names.into_iter().map(|name| (name.to_owned(), of(name))).collect()
}

/// What the other flows lose beside a recommended algorithm, in a sentence; `None` if it is little, or may be chance.
fn price(best: &[String], cc: &[String], cases: &[Case]) -> Option<String> {
    let of = |cc: &String| -> Option<Vec<&Estimate>> {
        let own = cases.iter().filter(|case| case.cc == *cc);
        own.flat_map(|case| &case.others_bps).map(|(_, rate)| rate.as_ref()).collect()
    };
    let rate = |cc: &String| Some(of(cc)?.iter().map(|rate| rate.mean).sum::<f64>());
    // Of each seed.
    let rates = |cc: &String| -> Option<Vec<f64>> {
        let all = of(cc)?;
        let seeds = all.first()?.values.len();
        (0..seeds).map(|seed| all.iter().map(|rate| rate.values.get(seed)).sum()).collect()
    };
    let by_rate = |a: &(f64, &String), b: &(f64, &String)| a.0.total_cmp(&b.0);
    let (least, dear) = best.iter().filter_map(|cc| Some((rate(cc)?, cc))).min_by(by_rate)?;
    let (most, kind) = cc.iter().filter_map(|cc| Some((rate(cc)?, cc))).max_by(by_rate)?;
    let less = 100.0 * (1.0 - least / most);
    let difference = paired_difference(&rates(kind)?, &rates(dear)?)?;
    let is_sure = difference.exact_half_width().is_some_and(|half| difference.mean > half);
    (less >= DEAR && is_sure)
        .then(|| format!("The other flows have {less:.0} % less goodput beside {dear} than beside {kind}."))
}

/// The names of flows that have completion times.
fn times(run: &Summary) -> Vec<String> {
    let own = run.flows.iter().filter(|flow| flow.completion.is_some() || flow.transfers.is_some());
    distinct(own.map(|flow| base(&flow.name).to_owned()))
}

/// The mean; `None` if one is missing, or without values.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let values: Vec<f64> = values.collect::<Option<_>>()?;
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Bytes of a packet per byte of payload.
fn packet(flow: &Flow) -> f64 {
    let mss = f64::from(flow.tcp.mss);
    (mss + HEADERS) / (mss - dss(flow))
}

/// Each algorithm with every buffer: by its completion time if the connection has one, else by its goodput.
fn candidates(cc: &[String], flow: &str, cases: &[Case]) -> Vec<Candidate> {
    let time = |case: &Case| case.completions.iter().find(|(name, _)| name == flow)?.1.clone();
    let by_time = cases.iter().any(|case| time(case).is_some());
    let value = |case: &Case| if by_time { time(case) } else { case.goodput_bps.clone() };
    let candidate = |cc: &String| {
        let of: Vec<&Case> = cases.iter().filter(|case| case.cc == *cc).collect();
        let goals = || of.iter().flat_map(|case| case.goals());
        let open = goals().filter(|(_, goal)| goal.met == Met::Undetermined);
        Candidate {
            cc: cc.clone(),
            missed: goals().filter(|(_, goal)| goal.met == Met::Missed).count(),
            undecided: open.map(|(number, goal)| (number, goal.clone())).collect(),
            // An algorithm without a value in some case is left out.
            values: of.iter().map(|case| value(case)).collect::<Option<_>>().unwrap_or_default(),
            less_is_better: by_time,
        }
    };
    cc.iter().map(candidate).collect()
}
