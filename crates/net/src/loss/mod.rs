//! Which packets a link loses: the list of loss models, one file and one line each.

use crate::law::{Law, Value};
use crate::{LinkSpec, LossAt, Random, Time};

/// The loss processes of links have a seed of their own, apart from those of their users.
pub(crate) const LOSS_SEED: u64 = 0x6c6f_7373_2070_726f;

/// A loss model.
trait Model {
    /// What it remembers.
    type State: Clone + std::fmt::Debug + Default;
    /// Whether a loss makes the next one likelier.
    const BURSTS: bool = false;

    /// What it remembers at its start.
    fn start(&self, _now: Time) -> Self::State {
        Self::State::default()
    }

    /// Whether the packet at `now` is lost.
    fn loses(&self, state: &mut Self::State, now: Time, random: &mut Random) -> bool;

    /// The part of packets that it loses in the long run.
    fn mean_rate(&self) -> f64;
}

const NONE: Law = Law { name: "none", title: "none", meaning: "Nothing is lost.", params: &[] };

macro_rules! models {
    ($($file:ident: $name:ident;)*) => {
        $(mod $file; pub use $file::$name;)*

        /// A loss process.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[expect(missing_docs, reason = "each has the documentation of its parameters")]
        pub enum Loss { None, $($name($name),)* }

        impl Loss {
            /// Every loss model.
            pub const ALL: &[&Law] = &[&NONE, $($name::LAW),*];

            /// The model of that name with these values; none where one is missing.
            pub fn new(name: &str, values: &[Option<Value>]) -> Option<Loss> {
                $(if name == $name::LAW.name {
                    return $name::given(values).map(Loss::$name);
                })*
                (name == NONE.name).then_some(Loss::None)
            }

            /// The model, and the values of its parameters.
            pub fn law(&self) -> (&'static Law, Vec<Value>) {
                match self {
                    Loss::None => (&NONE, Vec::new()),
                    $(Loss::$name(model) => ($name::LAW, model.values()),)*
                }
            }

            /// The part of packets that the process loses in the long run.
            pub fn mean_rate(&self) -> f64 {
                match self {
                    Loss::None => 0.0,
                    $(Loss::$name(model) => model.mean_rate(),)*
                }
            }

            /// Whether a loss makes the next one likelier.
            pub fn comes_in_bursts(&self) -> bool {
                match self {
                    Loss::None => false,
                    $(Loss::$name(_) => $name::BURSTS,)*
                }
            }
        }

        /// A model at work.
        #[derive(Clone, Debug)]
        enum Process { None, $($name($name, <$name as Model>::State),)* }

        impl Process {
            fn start(model: Loss, now: Time) -> Process {
                match model {
                    Loss::None => Process::None,
                    $(Loss::$name(model) => Process::$name(model, model.start(now)),)*
                }
            }

            #[inline]
            fn loses(&mut self, now: Time, random: &mut Random) -> bool {
                match self {
                    Process::None => false,
                    $(Process::$name(model, state) => model.loses(state, now, random),)*
                }
            }
        }
    };
}

models! {
    bernoulli: Bernoulli;
    every_nth: EveryNth;
    gilbert_elliott: GilbertElliott;
    gilbert_elliott_time: GilbertElliottTime;
}

/// A link's loss process at work.
#[derive(Clone, Debug)]
pub(crate) struct LossProcess {
    process: Process,
    at: LossAt,
    random: Random,
}

impl LossProcess {
    pub fn new(spec: &LinkSpec, random: Random) -> LossProcess {
        LossProcess { process: Process::start(spec.loss, Time::ZERO), at: spec.loss_at, random }
    }

    /// Goes on with another model, from that model's start.
    pub fn change(&mut self, model: Loss, now: Time) {
        self.process = Process::start(model, now);
    }

    /// Whether the packet that arrives is lost.
    #[inline]
    pub fn takes_on_entry(&mut self, now: Time) -> bool {
        self.at == LossAt::Entry && self.process.loses(now, &mut self.random)
    }

    /// Whether the packet is lost that has been transmitted at `now`.
    #[inline]
    pub fn takes_on_exit(&mut self, now: Time) -> bool {
        self.at == LossAt::Exit && self.process.loses(now, &mut self.random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn process(loss: Loss) -> LossProcess {
        let spec = LinkSpec { loss, ..LinkSpec::new(1e9, Time::ZERO, crate::QueueLimit::Packets(1)) };
        LossProcess::new(&spec, Random::new(11, 0))
    }

    /// Which of so many packets are lost, from 1.
    pub(super) fn losses(model: Loss, packets: u64) -> Vec<u64> {
        let mut process = process(model);
        (1..=packets).filter(|_| process.takes_on_entry(Time::ZERO)).collect()
    }

    #[test]
    fn a_change_starts_anew() {
        let mut process = process(Loss::every_nth(3));
        let loses = |process: &mut LossProcess| process.takes_on_entry(Time::ZERO);
        assert!(!loses(&mut process) && !loses(&mut process));
        process.change(Loss::every_nth(2), Time::ZERO);
        assert!(!loses(&mut process) && loses(&mut process));
        process.change(Loss::None, Time::ZERO);
        assert!(!loses(&mut process) && !loses(&mut process));
    }
}
