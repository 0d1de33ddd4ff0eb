//! Samples in memory, by column, for figures.

use crate::{CompletionSample, Layout, LinkSample, LinkSeries, Sink, SubflowSample, SubflowSeries};

/// Keeps every sample. Its memory grows with the run's length; for figures, not for archives.
#[derive(Clone, Debug, Default)]
pub struct MemorySink {
    /// Each connection, in the summary's order.
    pub flows: Vec<FlowSeries>,
    /// Each link, in the summary's order.
    pub links: Vec<LinkSeries>,
    /// Every response that completed, in order of time.
    pub completions: Vec<CompletionSample>,
}

/// One connection's samples.
#[derive(Clone, Debug)]
pub struct FlowSeries {
    /// The flow's name.
    pub name: String,
    /// Its algorithm.
    pub cc: String,
    /// Each of its paths.
    pub subflows: Vec<SubflowSeries>,
}

impl SubflowSeries {
    /// The observable `name`, if the algorithm has it.
    pub fn observable(&self, name: &str) -> Option<&[f64]> {
        self.observables.iter().find(|(n, _)| n == name).map(|(_, values)| values.as_slice())
    }
}

impl MemorySink {
    /// Without samples.
    pub fn new() -> Self {
        MemorySink::default()
    }

    /// The samples of subflow `subflow` (from 0) of the flow called `flow`.
    pub fn series(&self, flow: &str, subflow: usize) -> Option<&SubflowSeries> {
        self.flows.iter().find(|f| f.name == flow)?.subflows.get(subflow)
    }

    /// The samples of the link called `name`.
    pub fn link_series(&self, name: &str) -> Option<&LinkSeries> {
        self.links.iter().find(|l| l.name == name)
    }
}

impl Sink for MemorySink {
    fn begin(&mut self, layout: &Layout) {
        let link = |name: &String| LinkSeries { name: name.clone(), ..LinkSeries::default() };
        let links = layout.links.iter().map(link).collect();
        *self = MemorySink { flows: Vec::new(), links, completions: Vec::new() };
        self.extend(layout);
    }

    fn extend(&mut self, layout: &Layout) {
        for (i, flow) in layout.flows.iter().enumerate() {
            if i == self.flows.len() {
                let (name, cc) = (flow.name.clone(), flow.cc.clone());
                self.flows.push(FlowSeries { name, cc, subflows: Vec::new() });
            }
            let subflows = &mut self.flows[i].subflows;
            for path in flow.paths.iter().skip(subflows.len()).cloned() {
                let observables =
                    flow.observables.iter().map(|name| ((*name).to_owned(), Vec::new())).collect();
                subflows.push(SubflowSeries { path, observables, ..SubflowSeries::default() });
            }
        }
    }

    fn subflow(&mut self, s: &SubflowSample<'_>) {
        let series = &mut self.flows[s.flow].subflows[s.subflow];
        series.push(&s.known());
        let observables = series.observables.iter_mut().zip(s.observables);
        observables.for_each(|((_, values), value)| values.push(*value));
    }

    fn link(&mut self, s: &LinkSample) {
        self.links[s.link].push(s);
    }

    fn completion(&mut self, s: &CompletionSample) {
        self.completions.push(*s);
    }
}
