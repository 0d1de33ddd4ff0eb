//! Records of complete responses and transfers, and the count of transfers that are incomplete at the end.

use crate::application::Completed;
use crate::endpoints::Endpoints;
use crate::held::{Held, SinkOf};
use crate::pool::Stage;
use crate::simulator::Simulator;
use crate::{End, SimError};
use anabranch_record::{CompletionSample, KeepGoing, NoSamples};

impl Simulator<'_> {
    /// A response of flow `f` is complete.
    pub(crate) fn note_response(&mut self, f: usize, done: Completed) {
        let took = done.took.as_secs_f64();
        if self.measured[f].running {
            self.measured[f].completions.record(done.took.as_nanos());
            self.measured[f].completion_seconds += took;
        }
        let now_s = self.net.now().as_secs_f64();
        self.sink.get().completion(&CompletionSample::response(now_s, f, done.bytes, took));
    }

    /// A transfer of flow `f` is complete. If `keep_going` ends its lone run, this run ends, too.
    pub(crate) fn note_transfer(
        &mut self,
        f: usize,
        done: Completed,
        keep_going: KeepGoing<'_>,
    ) -> Result<(), SimError> {
        let (now, Completed { since: at, bytes, took }) = (self.net.now(), done);
        let Some(lone_runs) = &mut self.lone_runs else {
            self.end = Some(End::Completed(took));
            return Ok(());
        };
        let alone = match lone_runs.known(f, bytes) {
            Some(known) => known,
            None => {
                let is_over = self.end.is_some();
                let (mut sink, seed) = (NoSamples, self.scenario.seed);
                let scenario = lone_runs.scenario(&self.scenario, f, bytes);
                let hosted = self.hosted.as_ref().and_then(|hosted| hosted.get(f));
                let hosted = hosted.map(|endpoints| endpoints.alone(scenario, seed)).transpose();
                let flow = || self.scenario.flows[f].name.clone();
                let mut hosted = hosted.map_err(|why| SimError::Endpoints { flow: flow(), at: now, why })?;
                let endpoints = hosted.as_mut().map(|endpoints| &mut **endpoints as &mut dyn Endpoints);
                let (held, sink) = (Held::Lent(scenario), SinkOf::Lent(&mut sink));
                let mut lone = Simulator::with(held, seed, sink, endpoints, true)?;
                lone.lone_runs = None;
                let (end, _) = lone.run(&mut |_| !is_over && keep_going(now))?;
                if !matches!(end, End::Cancelled(_)) {
                    lone_runs.remember(f, bytes, end);
                }
                end
            }
        };
        let times_alone = match alone {
            End::Completed(alone) => took.as_secs_f64() / alone.as_secs_f64(),
            End::Reached => f64::NAN,
            End::Cancelled(_) => {
                self.end = Some(End::Cancelled(now));
                f64::NAN
            }
        };
        let slowdown = took.as_secs_f64() / self.scenario.ideal_completion_s(f, bytes);
        let measured = &mut self.measured[f];
        if at >= measured.from {
            measured.transfers.complete(bytes, took.as_nanos(), slowdown, times_alone);
        }
        self.sink.get().completion(&CompletionSample {
            time_s: (at + took).as_secs_f64(),
            flow: f,
            bytes,
            completion_s: took.as_secs_f64(),
            slowdown,
            times_alone,
        });
        Ok(())
    }

    pub(crate) fn count_incomplete_transfers(&mut self) {
        let own = self
            .transfers
            .iter()
            .filter(|t| t.stage == Stage::UnderWay)
            .map(|t| (t.flow as usize, t.at, t.bytes));
        let flows = 0..self.scenario.flows.len();
        let shared = flows
            .clone()
            .flat_map(|f| self.connections[f].application.under_way().map(move |(at, bytes)| (f, at, bytes)));
        let hosted = self.hosted.as_ref();
        let hosted = flows.filter_map(|f| Some((f, hosted?.get(f)?.under_way(f))));
        let hosted = hosted.flat_map(|(f, left)| left.into_iter().map(move |(at, bytes)| (f, at, bytes)));
        let left: Vec<_> = own.chain(shared).chain(hosted).collect();
        for (f, at, bytes) in left {
            if at >= self.measured[f].from {
                self.measured[f].transfers.leave(bytes);
            }
        }
    }
}
