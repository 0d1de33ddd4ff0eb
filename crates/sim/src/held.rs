//! What a simulator borrows from its caller, or has of its own in a session.

use anabranch_record::{MemorySink, NoSamples, Sink};
use anabranch_scenario::Scenario;
use std::ops::Deref;
use std::sync::Arc;

/// A scenario.
#[derive(Clone)]
pub(crate) enum Held<'a> {
    Lent(&'a Scenario),
    Shared(Arc<Scenario>),
}

impl Deref for Held<'_> {
    type Target = Scenario;

    fn deref(&self) -> &Scenario {
        match self {
            Held::Lent(scenario) => scenario,
            Held::Shared(scenario) => scenario,
        }
    }
}

/// Where samples go.
pub(crate) enum SinkOf<'a> {
    Lent(&'a mut dyn Sink),
    Kept(Box<MemorySink>),
    None(NoSamples),
}

impl SinkOf<'_> {
    pub(crate) fn get(&mut self) -> &mut dyn Sink {
        match self {
            SinkOf::Lent(sink) => *sink,
            SinkOf::Kept(samples) => &mut **samples,
            SinkOf::None(sink) => sink,
        }
    }
}
