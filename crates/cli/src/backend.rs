//! The backends and traffic generators, as values of options.

use anabranch::linux::GUEST_6_12;
use anabranch::{RUNNERS, Runner};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The traffic generator on a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrafficName {
    /// Threads of the command, which check every byte.
    Own,
    /// iperf3, for bulk flows without an end.
    Iperf3,
}

/// The name of a backend.
pub fn backend() -> impl TypedValueParser<Value = &'static Runner> {
    let alias = |name| (name == GUEST_6_12.name()).then_some("guest");
    let value = |(runner, about): &(&'static Runner, &'static str)| {
        let name = runner.name();
        PossibleValue::new(name).help(*about).aliases(alias(name))
    };
    let values = RUNNERS.iter().map(value).collect::<Vec<_>>();
    PossibleValuesParser::new(values).map(|given| {
        let named = RUNNERS.iter().find(|(runner, _)| runner.name() == given);
        named.map_or(&GUEST_6_12, |(runner, _)| runner)
    })
}
