//! An algorithm's description of itself. An algorithm's file needs these types and knows no list of algorithms.

use crate::Algorithm;
use alloc::{boxed::Box, string::String, vec::Vec};

/// All that the project knows of one algorithm.
pub struct Entry {
    /// The name in scenarios and on the command line.
    pub name: &'static str,
    /// The full name.
    pub title: &'static str,
    /// Whether it couples paths.
    pub kind: Kind,
    /// Where it is defined: RFC or paper.
    pub source: &'static str,
    /// Its rules, in plain text; symbols as in the source.
    pub equations: &'static [&'static str],
    /// Where the source is silent or contradicts itself: how we read it.
    pub interpretations: &'static [&'static str],
    /// Its parameters, without those that all algorithms have.
    pub params: &'static [Param],
    /// Inner values that it shows, in the order of [`Algorithm::observe`].
    pub observables: &'static [Observable],
    /// Makes the algorithm from its parameters.
    pub build: fn(&Params) -> Box<dyn Algorithm>,
}

/// Whether an algorithm couples the paths of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Knows one path; over several paths each runs its own.
    SinglePath,
    /// Couples all the paths of a connection.
    Coupled,
}

/// A parameter of an algorithm.
pub struct Param {
    /// The key in a scenario.
    pub name: &'static str,
    /// The default.
    pub default: Value,
    /// The allowed values.
    pub allowed: Allowed,
    /// Its effect, with its unit.
    pub meaning: &'static str,
}

/// The allowed values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// A number within these bounds, both included.
    Range(f64, f64),
    /// A whole number within these bounds, both included.
    Whole(f64, f64),
    /// True or false.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// The name of a single-path algorithm without such a parameter of its own.
    SinglePath,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// One of the words that the parameter lists.
    Word(&'static str),
}

/// A value given by a user.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamValue {
    /// A number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// A word.
    Word(String),
}

/// An internal value that an algorithm exposes.
#[derive(Clone, Copy)]
pub struct Observable {
    /// The column name in records.
    pub name: &'static str,
    /// Its meaning, with its unit.
    pub meaning: &'static str,
}

impl Observable {
    pub(crate) const fn new(name: &'static str, meaning: &'static str) -> Observable {
        Observable { name, meaning }
    }
}

impl Param {
    /// A number, within these bounds.
    pub const fn number(
        name: &'static str,
        default: f64,
        bounds: (f64, f64),
        meaning: &'static str,
    ) -> Param {
        Param { name, default: Value::Number(default), allowed: Allowed::Range(bounds.0, bounds.1), meaning }
    }

    /// A whole number, within these bounds.
    pub const fn whole(name: &'static str, default: f64, bounds: (f64, f64), meaning: &'static str) -> Param {
        Param { name, default: Value::Number(default), allowed: Allowed::Whole(bounds.0, bounds.1), meaning }
    }

    /// True or false.
    pub const fn flag(name: &'static str, default: bool, meaning: &'static str) -> Param {
        Param { name, default: Value::Flag(default), allowed: Allowed::Flag, meaning }
    }

    /// One of these words.
    pub const fn word(
        name: &'static str,
        default: &'static str,
        words: &'static [&'static str],
        meaning: &'static str,
    ) -> Param {
        Param { name, default: Value::Word(default), allowed: Allowed::OneOf(words), meaning }
    }
}

/// Parameters that every algorithm has.
pub const COMMON: &[Param] = &[Param::flag(
    "pacing",
    false,
    "spread the window over the RTT (2 w/RTT in slow start, 1.2 w/RTT after it)",
)];

impl Entry {
    /// The algorithm's own parameters and those that all have.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> + use<> {
        self.params.iter().chain(COMMON)
    }

    /// The default parameters; `list` resolves names of algorithms.
    pub(crate) fn defaults_from(&self, list: &'static [&'static Entry]) -> Params {
        Params::new(self.all_params().map(|p| (p.name, p.default)).collect(), list)
    }
}

/// A full set of an algorithm's parameters.
pub struct Params {
    values: Vec<(&'static str, Value)>,
    /// The algorithms to which values refer.
    list: &'static [&'static Entry],
}

impl Params {
    /// The given values; `list` resolves names of algorithms.
    pub(crate) fn new(values: Vec<(&'static str, Value)>, list: &'static [&'static Entry]) -> Params {
        Params { values, list }
    }

    /// The number `name`.
    ///
    /// # Panics
    /// Where the entry lists no such number: a mistake in the entry.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Number(x) => x,
            other => panic!("`{name}` is {other:?}, not a number"),
        }
    }

    /// The switch `name`.
    ///
    /// # Panics
    /// Where the entry lists no such switch: a mistake in the entry.
    pub fn flag(&self, name: &str) -> bool {
        match self.get(name) {
            Value::Flag(x) => x,
            other => panic!("`{name}` is {other:?}, not a switch"),
        }
    }

    /// The word `name`.
    ///
    /// # Panics
    /// Where the entry lists no such word: a mistake in the entry.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Word(x) => x,
            other => panic!("`{name}` is {other:?}, not a word"),
        }
    }

    /// The algorithm that the word `name` names, with its default parameters: see [`Allowed::SinglePath`].
    ///
    /// # Panics
    /// Where the entry lists no such name: a mistake in the entry.
    pub(crate) fn algorithm(&self, name: &str) -> Box<dyn Algorithm> {
        let known = self.list.iter().find(|entry| entry.name == self.word(name));
        let entry = known.unwrap_or_else(|| panic!("`{name}` names no algorithm"));
        (entry.build)(&entry.defaults_from(self.list))
    }

    /// The value of `name`, if the algorithm has such a parameter.
    pub fn find(&self, name: &str) -> Option<Value> {
        self.values.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    fn get(&self, name: &str) -> Value {
        self.find(name).unwrap_or_else(|| panic!("no parameter `{name}` in the entry"))
    }
}
