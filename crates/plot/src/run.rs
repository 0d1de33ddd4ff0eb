//! The figures of a run.

use crate::points::{TIME, ours, points};
use crate::{Lines, Theory, transfers};
use anabranch_ideal::SubflowIdeal;
use anabranch_record::{CompletionSample, FlowSeries, LinkSeries, MemorySink, SubflowSeries, Summary};
use anabranch_report::THEORY;
use anabranch_scenario::distinct;
use anabranch_study::functions::recovery::rates;
use anabranch_study::{Axis, Mark, Panel, Point, Series};

/// The figures that every run has, with what they show. Further ones are its algorithms' observables, by name.
pub const FIGURES: [(&str, &str); 8] = [
    ("windows", "congestion window of each subflow"),
    ("throughput", "acknowledged payload of each subflow and connection over the last second"),
    ("rtt", "smoothed round-trip time of each subflow"),
    ("queue", "queue of each link, in packets"),
    ("sequence", "payload acknowledged since the start, of each subflow"),
    ("shares", "mean goodput of each connection, with the theoretical share if there is one"),
    ("completions", "distribution of the completion times of responses and transfers"),
    (
        "slowdown",
        "slowdown of transfers (completion time ÷ ideal time) by size: the median and the 99th percentile",
    ),
];

/// The default figures.
pub const USUAL: [&str; 3] = ["windows", "throughput", "queue"];

/// A run and what theory gives for it.
pub struct Run<'a> {
    /// Its summary.
    pub summary: &'a Summary,
    /// Its samples.
    pub samples: &'a MemorySink,
    /// The predictions of theory, if any.
    pub theory: Option<Theory>,
    /// The lines of the usual figures, in place of samples.
    lines: Option<&'a Lines>,
    /// The flows that are drawn, by number; all if empty.
    only: Vec<usize>,
}

impl<'a> Run<'a> {
    /// With its samples.
    pub fn new(summary: &'a Summary, samples: &'a MemorySink, theory: Option<Theory>) -> Self {
        Run { summary, samples, theory, lines: None, only: vec![] }
    }

    /// With the lines of the [usual figures](USUAL): it has no others.
    pub fn of_lines(summary: &'a Summary, lines: &'a Lines, theory: Option<Theory>) -> Self {
        Run { summary, samples: &lines.subjects, theory, lines: Some(lines), only: vec![] }
    }

    /// With these flows alone. A name without a number stands for all flows of a group: `neighbour` for `neighbour/1`.
    ///
    /// # Errors
    /// A name that no flow has.
    pub fn with_flows(mut self, names: &[String]) -> Result<Self, &str> {
        for name in names {
            let is_named = |flow: &str| {
                flow == name || flow.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with('/'))
            };
            let before = self.only.len();
            let flows = self.summary.flows.iter().enumerate();
            self.only.extend(flows.filter(|(_, flow)| is_named(&flow.name)).map(|(f, _)| f));
            if self.only.len() == before {
                return Err(name);
            }
        }
        Ok(self)
    }

    fn is_drawn(&self, flow: usize) -> bool {
        self.only.is_empty() || self.only.contains(&flow)
    }

    /// The names of its figures.
    pub fn figures(&self) -> Vec<String> {
        let fixed = FIGURES.iter().map(|(name, _)| (*name).to_owned());
        let observables = self.subflows().flat_map(|(_, _, s)| &s.observables).map(|(name, _)| name.clone());
        distinct(fixed.filter(|n| self.is_there(n)).chain(observables))
    }

    /// A capture has no windows, and no recording has queues. Not every run has completions, nor all of these a slowdown.
    fn is_there(&self, figure: &str) -> bool {
        let all = &self.samples.completions;
        match figure {
            "windows" => self.subflows().any(|(_, _, s)| s.cwnd_segments.iter().any(|w| w.is_finite())),
            "queue" => !self.samples.links.is_empty(),
            "completions" => !all.is_empty(),
            "slowdown" => all.iter().any(|c| c.slowdown.is_finite()),
            _ => true,
        }
    }

    /// The figure of that name; `None` if there is no such figure.
    pub fn panel(&self, figure: &str) -> Option<Panel> {
        let over_time = |title: &str, y: &str, series| Some(self.over_time(title, y, series));
        match figure {
            "windows" => over_time("Congestion windows", "segments", self.windows()),
            "throughput" => over_time("Throughput", "Mbit/s", self.throughput()),
            "rtt" => over_time("Round-trip times, smoothed", "ms", self.rtt()),
            "queue" => over_time("Queues", "packets", self.queues()),
            "sequence" => {
                let bytes = self.each(|s| scaled(s, &s.delivered_bytes, 1e-6));
                over_time("Payload acknowledged", "MB", bytes)
            }
            "shares" => Some(self.shares()),
            "completions" | "slowdown" => Run::pooled(&[self], figure),
            name => {
                let is_known = self.figures().iter().any(|known| known == name);
                let series = self.each(|s| s.observable(name).map(|v| scaled(s, v, 1.0)).unwrap_or_default());
                is_known.then(|| self.over_time(name, name, series))
            }
        }
    }

    /// A figure of the transfers of several runs of the same flows, taken together; `None` for other figures.
    pub fn pooled(runs: &[&Run], figure: &str) -> Option<Panel> {
        let all = |value: fn(&CompletionSample) -> f64| {
            let mut flows: Vec<transfers::Transfers> = Vec::new();
            for (name, own) in runs.iter().flat_map(|run| run.transfers(value)) {
                match flows.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, transfers)) => transfers.extend(own),
                    None => flows.push((name, own)),
                }
            }
            flows.retain(|(_, own)| !own.is_empty());
            flows
        };
        match figure {
            "completions" => Some(transfers::completions(all(|c| c.completion_s))),
            "slowdown" => Some(transfers::slowdown(all(|c| c.slowdown))),
            _ => None,
        }
    }

    fn subflows(&self) -> impl Iterator<Item = (usize, usize, &SubflowSeries)> {
        let flows = self.samples.flows.iter().enumerate().filter(|(f, _)| self.is_drawn(*f));
        flows.flat_map(|(f, flow)| flow.subflows.iter().enumerate().map(move |(r, s)| (f, r, s)))
    }

    /// A line for each subflow that has values.
    fn each<'s>(&'s self, points: impl Fn(&'s SubflowSeries) -> Vec<Point>) -> Vec<Series> {
        self.beside_theory(|_, _, s| points(s), |_| None)
    }

    /// The same, each followed by its value in theory.
    fn beside_theory<'s>(
        &'s self,
        points: impl Fn(usize, usize, &'s SubflowSeries) -> Vec<Point>,
        theory: impl Fn(&SubflowIdeal) -> Option<f64>,
    ) -> Vec<Series> {
        let mut all = Vec::new();
        for (f, r, s) in self.subflows() {
            let name = subflow_name(&self.samples.flows[f], r);
            let points = points(f, r, s);
            if points.is_empty() {
                continue;
            }
            let value = self.theory.as_ref().and_then(|known| theory(known.subflow(f, r)?));
            all.push(ours(name.clone(), points));
            all.extend(value.map(|value| self.level(&name, value)));
        }
        all
    }

    fn until_s(&self) -> f64 {
        self.summary.partial_until_s.unwrap_or(self.summary.duration_s)
    }

    /// A value in theory, while means are taken.
    fn level(&self, name: &str, value: f64) -> Series {
        let ends = [self.summary.warmup_s, self.until_s()];
        ours(format!("{name}{THEORY}"), ends.map(|time| Point::at(time, value)).to_vec())
    }

    fn windows(&self) -> Vec<Series> {
        let points = |f: usize, r: usize, s: &SubflowSeries| match self.lines {
            Some(lines) => lines.subflows[f][r][0].clone(),
            None => scaled(s, &s.cwnd_segments, 1.0),
        };
        self.beside_theory(points, |ideal| ideal.cwnd_segments)
    }

    fn rtt(&self) -> Vec<Series> {
        self.beside_theory(|_, _, s| scaled(s, &s.srtt_s, 1e3), |ideal| ideal.rtt_s.map(|s| s * 1e3))
    }

    /// Of each subflow, and then of each connection that has several. Subflows come first, so that they have the colours of
    /// the other figures; theory knows connections.
    fn throughput(&self) -> Vec<Series> {
        let rate = |subflows| {
            let (times, rates): (Vec<f64>, Vec<f64>) = rates(subflows).into_iter().unzip();
            points(&times, &rates, 1.0)
        };
        let flows = || self.samples.flows.iter().enumerate().filter(|(f, _)| self.is_drawn(*f));
        let mut all = Vec::new();
        let mut add = |name: String, points: Vec<Point>, flow: Option<usize>| {
            if !points.is_empty() {
                let share = flow.and_then(|f| self.theory.as_ref()?.goodput_bps(f));
                let theory = share.map(|bps| self.level(&name, bps / 1e6));
                all.push(ours(name, points));
                all.extend(theory);
            }
        };
        for (f, flow) in flows() {
            let alone = (flow.subflows.len() == 1).then_some(f);
            for (r, subflow) in flow.subflows.iter().enumerate() {
                let rate = match self.lines {
                    Some(lines) => lines.subflows[f][r][1].clone(),
                    None => rate(std::slice::from_ref(subflow)),
                };
                add(subflow_name(flow, r), rate, alone);
            }
        }
        for (f, flow) in flows().filter(|(_, flow)| flow.subflows.len() > 1) {
            let rate = self.lines.map_or_else(|| rate(&flow.subflows[..]), |lines| lines.flows[f].clone());
            add(flow_name(flow), rate, Some(f));
        }
        all
    }

    fn queues(&self) -> Vec<Series> {
        let points = |(i, link): (usize, &LinkSeries)| match self.lines {
            Some(lines) => lines.queues[i].clone(),
            None => points(&link.time_s, &link.queue_packets, 1.0),
        };
        let links = self.samples.links.iter().enumerate();
        let series = links.map(|(i, link)| ours(link.name.clone(), points((i, link))));
        series.filter(|s| !s.points.is_empty()).collect()
    }

    /// Mean goodput of each connection beside theory.
    fn shares(&self) -> Panel {
        let flows = || self.summary.flows.iter().enumerate().filter(|(f, _)| self.is_drawn(*f));
        let bar = |name: &str, bps: f64| Point::bar(name, bps / 1e6);
        let measured = flows().filter_map(|(_, f)| Some(bar(&f.name, f.goodput_bps?))).collect();
        let mut series = vec![ours("goodput".to_owned(), measured)];
        let theory: Vec<Point> =
            flows().filter_map(|(i, f)| Some(bar(&f.name, self.theory.as_ref()?.goodput_bps(i)?))).collect();
        if !theory.is_empty() {
            series.push(ours(format!("goodput{THEORY}"), theory));
        }
        let (title, y) = ("Goodput of each connection".to_owned(), Axis::new("Mbit/s", false));
        Panel { title, y, mark: Mark::Bar, series, ..Panel::default() }
    }

    /// A value of the completions of each flow, where they have it.
    fn transfers(&self, value: impl Fn(&CompletionSample) -> f64) -> Vec<transfers::Transfers> {
        let mut flows: Vec<_> = self.samples.flows.iter().map(|flow| (flow_name(flow), vec![])).collect();
        let drawn = |done: &&CompletionSample| self.is_drawn(done.flow) && value(done).is_finite();
        for done in self.samples.completions.iter().filter(drawn) {
            flows[done.flow].1.push((done.bytes, value(done)));
        }
        flows
    }

    fn over_time(&self, title: &str, y: &str, series: Vec<Series>) -> Panel {
        let x = Axis { domain: Some((0.0, self.until_s())), ..Axis::new(TIME, false) };
        Panel { title: title.to_owned(), x, y: Axis::new(y, false), mark: Mark::Line, series }
    }
}

fn scaled(subflow: &SubflowSeries, values: &[f64], unit: f64) -> Vec<Point> {
    points(&subflow.time_s, values, unit)
}

fn flow_name(flow: &FlowSeries) -> String {
    // A capture does not show the algorithm.
    if flow.cc == "unknown" { flow.name.clone() } else { format!("{} ({})", flow.name, flow.cc) }
}

/// By the links of its path; by its number too, where another subflow has the same ones.
fn subflow_name(flow: &FlowSeries, r: usize) -> String {
    let path = &flow.subflows[r].path;
    let links = path.join("+");
    match flow.subflows.iter().filter(|s| s.path == *path).count() {
        _ if flow.subflows.len() == 1 => flow_name(flow),
        1 => format!("{}, {links}", flow.name),
        _ => format!("{}, {links} ({})", flow.name, r + 1),
    }
}
