//! The list of loss models, one file and one line each.

use crate::model_spec::{ModelSpec, Value};
use crate::{LinkSpec, LossAt, Random, Time};

/// Seed of the loss processes of links.
pub(crate) const LOSS_SEED: u64 = 0x6c6f_7373_2070_726f;

trait Model {
    /// Whether the packet at `now` is lost.
    fn loses(&self, state: &mut State, now: Time, random: &mut Random) -> bool;

    /// The fraction of packets that it loses in the long run.
    fn mean_rate(&self) -> f64;

    /// Whether packets of this size pass without its knowledge.
    fn skips(&self, _wire_bytes: u32) -> bool {
        false
    }

    /// Whether a loss makes the next one likelier.
    fn comes_in_bursts(&self) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    count: u64,
    bad: bool,
    since: Time,
}

const NONE: ModelSpec = ModelSpec { name: "none", title: "none", meaning: "Nothing is lost.", params: &[] };

macro_rules! models {
    ($($file:ident: $($name:ident),+;)*) => {
        $(mod $file; pub use $file::{$($name),+};)*

        /// A loss process.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each has the documentation of its parameters")]
        pub enum Loss { None, $($($name($name),)+)* }

        impl Loss {
            /// Every loss model.
            pub const ALL: &[&ModelSpec] = &[&NONE, $($($name::SPEC),+),*];

            /// The model of that name with these values; `None` if a required value is missing.
            pub fn new(name: &str, values: &[Option<Value>]) -> Option<Loss> {
                $($(if name == $name::SPEC.name {
                    return $name::from_values(values).map(Loss::$name);
                })+)*
                (name == NONE.name).then_some(Loss::None)
            }

            /// The model's description, and the values of its parameters.
            pub fn spec(&self) -> (&'static ModelSpec, Vec<Value>) {
                match self { Loss::None => (&NONE, Vec::new()), $($(Loss::$name(model) => model.spec(),)+)* }
            }

            fn model(&self) -> Option<&dyn Model> {
                match self { Loss::None => None, $($(Loss::$name(model) => Some(model),)+)* }
            }

            fn skips(&self, wire_bytes: u32) -> bool {
                match self { Loss::None => false, $($(Loss::$name(model) => model.skips(wire_bytes),)+)* }
            }

            fn loses(&self, state: &mut State, now: Time, random: &mut Random) -> bool {
                match self { Loss::None => false, $($(Loss::$name(model) => model.loses(state, now, random),)+)* }
            }
        }
    };
}

models! {
    bernoulli: Bernoulli;
    every_nth: EveryNth;
    gilbert_elliott: GilbertElliott, GilbertElliottTime;
    listed: Listed;
}

impl Loss {
    /// The fraction of packets that the process loses in the long run.
    pub fn mean_rate(&self) -> f64 {
        self.model().map_or(0.0, Model::mean_rate)
    }

    /// Whether a loss makes the next one likelier.
    pub fn comes_in_bursts(&self) -> bool {
        self.model().is_some_and(Model::comes_in_bursts)
    }
}

/// The loss process of a running link.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    model: Loss,
    state: State,
    at: LossAt,
    random: Random,
}

impl LossProcess {
    pub fn new(spec: &LinkSpec, random: Random) -> LossProcess {
        LossProcess { model: spec.loss, state: State::default(), at: spec.loss_at, random }
    }

    /// Switches to another model, in its initial state.
    pub fn change(&mut self, model: Loss, now: Time) {
        (self.model, self.state) = (model, State { since: now, ..State::default() });
    }

    /// Whether it loses no packet.
    pub fn is_none(&self) -> bool {
        matches!(self.model, Loss::None)
    }

    /// Whether the packet is lost that arrives, or is transmitted, at `now`. Most links have no model: they pay a comparison, not a
    /// call.
    #[inline]
    pub fn loses_at(&mut self, at: LossAt, now: Time, wire_bytes: u32) -> bool {
        !matches!(self.model, Loss::None) && self.at == at && self.loses(now, wire_bytes)
    }

    #[inline(never)]
    fn loses(&mut self, now: Time, wire_bytes: u32) -> bool {
        !self.model.skips(wire_bytes) && self.model.loses(&mut self.state, now, &mut self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn process(loss: Loss) -> LossProcess {
        let spec = LinkSpec { loss, ..LinkSpec::new(1e9, Time::ZERO, crate::QueueLimit::Packets(1)) };
        LossProcess::new(&spec, Random::new(11, 0))
    }

    /// The indices, from 1, of the packets that are lost.
    pub(super) fn losses(model: Loss, packets: u64) -> Vec<u64> {
        let mut process = process(model);
        (1..=packets).filter(|_| process.loses_at(LossAt::Entry, Time::ZERO, 1500)).collect()
    }

    #[test]
    fn a_change_starts_anew() {
        let mut process = process(Loss::every_nth(3));
        let loses = |process: &mut LossProcess| process.loses_at(LossAt::Entry, Time::ZERO, 1500);
        assert!(!loses(&mut process) && !loses(&mut process));
        process.change(Loss::every_nth(2), Time::ZERO);
        assert!(!loses(&mut process) && loses(&mut process));
        process.change(Loss::None, Time::ZERO);
        assert!(!loses(&mut process) && !loses(&mut process));
    }
}
