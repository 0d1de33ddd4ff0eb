//! Flows whose transfers open their own connections. Closed connections are reused, so that a run needs as many as are open at
//! once.

use crate::SimError;
use crate::application::{Application, Completed};
use crate::connection::Connection;
use crate::connection_meter::ConnectionMeter;
use crate::event::EventQueue;
use crate::pool::{MAX_OPEN, Stage, Transfer};
use crate::simulator::{Simulator, subflows_of};
use crate::subflow::Subflow;
use crate::target::Target;
use anabranch_net::Time;
use anabranch_record::KeepGoing;
use anabranch_scenario::Application as Spec;

impl Simulator<'_> {
    pub(crate) fn flow_of(&self, c: usize) -> usize {
        let own = self.scenario.flows.len();
        if c < own { c } else { self.transfers[c - own].flow as usize }
    }

    /// The number of open connections of transfers, of all flows.
    fn all_open(&self) -> usize {
        self.transfers.len() - self.pools.iter().flatten().map(|pool| pool.over.len()).sum::<usize>()
    }

    /// The connections of flow `f`'s transfers that are open.
    fn open_transfers(&self, f: usize) -> Vec<usize> {
        let own = self.scenario.flows.len();
        let is_its = |t: &Transfer| t.flow as usize == f && t.is_open();
        (0..self.transfers.len()).filter(|i| is_its(&self.transfers[*i])).map(|i| own + i).collect()
    }

    /// The flow starts: schedules its first transfer.
    pub(crate) fn start_arrivals(&mut self, f: usize, now: Time) {
        let Some(pool) = &mut self.pools[f] else { return };
        if let Some(interval) = pool.arrivals.interval() {
            self.at(now + interval, Target::Arrival(f as u32));
        }
    }

    /// A transfer of flow `f` arrives, unless the flow has stopped; `target` is its event target.
    pub(crate) fn on_arrival(&mut self, f: usize, target: u32, now: Time) -> Result<(), SimError> {
        if self.scenario.flows[f].stop <= now {
            return Ok(());
        }
        if self.transfers.len() >= MAX_OPEN && self.all_open() == MAX_OPEN {
            let flow = self.scenario.flows[f].name.clone();
            return Err(SimError::TooManyOpen { flow, at: now, most: MAX_OPEN });
        }
        let Some(pool) = &mut self.pools[f] else { return Ok(()) };
        let bytes = pool.arrivals.bytes();
        let over = pool.over.pop_front().map(|c| c as usize);
        if let Some(interval) = pool.arrivals.interval() {
            self.net.events.schedule(now + interval, target);
        }
        let own = self.scenario.flows.len();
        let transfer = Transfer { flow: f as u32, at: now, bytes, stage: Stage::UnderWay };
        let c = match over {
            Some(c) => {
                self.transfers[c - own] = transfer;
                self.renew(c, f, bytes)?;
                c
            }
            None => {
                let c = own + self.transfers.len();
                self.transfers.push(transfer);
                let (scenario, seed) = (&self.scenario, self.seed);
                let subflows = subflows_of(scenario, seed, (f, c), &mut self.net, &mut self.owners);
                self.add_connection(f, subflows, Spec::Bulk { bytes: Some(bytes) })?;
                let targets = self.targets();
                if targets > EventQueue::MAX_TARGETS {
                    return Err(SimError::TooLarge { targets });
                }
                c
            }
        };
        if self.measured[f].running {
            self.begin(c, now);
        }
        self.show();
        if let Some(tap) = &mut self.tap {
            tap.connection_opens(now, c, f, self.connections[c].subflows[0].life);
        }
        self.connections[c].open(&mut self.net);
        Ok(())
    }

    /// Reuses the closed connection `c` for a transfer of `bytes`.
    fn renew(&mut self, c: usize, f: usize, bytes: u64) -> Result<(), SimError> {
        let scenario = self.scenario.clone();
        let flow = &scenario.flows[f];
        let old = &self.connections[c];
        // All subflows get the same life: one that was given up has had more.
        let life = old.subflows.iter().map(|s| s.life).max().unwrap_or_default().wrapping_add(1);
        let subflows = old.subflows.iter().map(|s| s.renewed(life, flow.tcp.min_rto)).collect();
        let random = self.scenario.application_random(self.seed, f);
        let application = Application::new(Spec::Bulk { bytes: Some(bytes) }, random);
        let targets = old.targets;
        self.connections[c] = Connection::new(subflows, self.group(f)?, application, flow, targets);
        self.measured[c] = ConnectionMeter { to: Time::NEVER, ..ConnectionMeter::default() };
        Ok(())
    }

    /// Handles an event of a transfer's connection, which may be complete or closed.
    pub(crate) fn attend_transfer(&mut self, c: usize, keep_going: KeepGoing<'_>) -> Result<(), SimError> {
        let i = c - self.scenario.flows.len();
        let Transfer { flow, at, bytes, stage } = self.transfers[i];
        let f = flow as usize;
        if let (Stage::UnderWay, Some(completed_at)) = (stage, self.connections[c].completed_at) {
            self.transfers[i].stage = Stage::Complete;
            self.end(c, completed_at);
            let done = Completed { since: at, bytes, took: completed_at.since(at) };
            self.note_transfer(f, done, keep_going)?;
        }
        if self.transfers[i].stage == Stage::Complete && self.connections[c].is_closed() {
            self.transfers[i].stage = Stage::Over;
            for s in 0..self.connections[c].subflows.len() {
                let [sums, subflow] = self.both(f, c, s);
                sums.absorb_counters(subflow);
                let id = subflow.id;
                self.net.delayed_acks.forget(id);
            }
            if let Some(pool) = &mut self.pools[f] {
                pool.over.push_back(c as u32);
            }
        }
        Ok(())
    }

    /// Subflow `s` of the flow's own connection and of a transfer's connection.
    fn both(&mut self, f: usize, c: usize, s: usize) -> [&mut Subflow; 2] {
        let (own, others) = self.connections.split_at_mut(c);
        [&mut own[f].subflows[s], &mut others[0].subflows[s]]
    }

    /// The measurement of a transfer's connection has ended.
    pub(crate) fn absorb(&mut self, f: usize, c: usize) {
        for s in 0..self.connections[c].subflows.len() {
            let [sums, subflow] = self.both(f, c, s);
            sums.meter.absorb(&subflow.meter);
        }
        let (bytes, reinjected) = (self.measured[c].bytes, self.measured[c].reinjected);
        self.measured[f].bytes += bytes;
        self.measured[f].reinjected += reinjected;
    }

    /// The flow's measurement window begins.
    pub(crate) fn begin_transfers(&mut self, f: usize, now: Time) {
        self.measured[f].running = true;
        for c in self.open_transfers(f) {
            self.begin(c, now);
        }
    }

    /// The flow's measurement window ends.
    pub(crate) fn end_transfers(&mut self, f: usize, now: Time) {
        for c in self.open_transfers(f) {
            self.end(c, now);
        }
        self.measured[f].running = false;
        self.measured[f].to = now;
    }
}
