//! The list of algorithms: from here the command line, the documentation and the tests know them.

use crate::{
    Algorithm, Group, adw, balia, bbr, compound, coupled, coupled_cubic, cubic, ewtcp, highspeed,
    independent, lia, linked_cubic, mpbbr, mptcp_sbd, olia, reno, similar, uncoupled, vegas, wcompound,
    wvegas,
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::fmt;

/// Every algorithm, in the order in which lists show them.
pub const ALL: &[&Entry] = &[
    &reno::ENTRY,
    &cubic::ENTRY,
    &highspeed::ENTRY,
    &vegas::ENTRY,
    &compound::ENTRY,
    &bbr::ENTRY,
    &uncoupled::ENTRY,
    &independent::ENTRY,
    &ewtcp::ENTRY,
    &coupled::ENTRY,
    &lia::ENTRY,
    &olia::ENTRY,
    &balia::ENTRY,
    &adw::LIA,
    &adw::OLIA,
    &adw::BALIA,
    &wvegas::ENTRY,
    &wcompound::ENTRY,
    &coupled_cubic::ENTRY,
    &coupled_cubic::ENTRY_A1,
    &mptcp_sbd::ENTRY,
    &mpbbr::ENTRY,
    &linked_cubic::ENTRY,
];

/// Variants of them: with the retired kernel's arithmetic, `NAME@v0` beside `NAME`. Each is its algorithm
/// with other defaults, so lists of algorithms do not repeat them.
pub const V0: &[&Entry] = &[
    &lia::V0,
    &olia::V0,
    &balia::V0,
    &adw::BALIA_V0,
    &wvegas::V0,
    &coupled_cubic::V0,
    &coupled_cubic::V0_A1,
];

/// What the project knows of one algorithm.
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
    pub readings: &'static [&'static str],
    /// What can be set.
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
    /// The value where none is given.
    pub default: Value,
    /// What is allowed.
    pub allowed: Allowed,
    /// What it does, with its unit.
    pub meaning: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// A number within these bounds, both included.
    Range(f64, f64),
    /// True or false.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// The name of a single-path algorithm, other than those that take such a name themselves.
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

/// A value as a user gave it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A number.
    Number(f64),
    /// A switch.
    Flag(bool),
    /// A word.
    Word(String),
}

/// An inner value that an algorithm shows.
#[derive(Clone, Copy)]
pub struct Observable {
    /// The column name in records.
    pub name: &'static str,
    /// What it is, with its unit.
    pub meaning: &'static str,
}

/// Parameters that every algorithm has.
pub const COMMON: &[Param] = &[Param {
    name: "pacing",
    default: Value::Flag(false),
    allowed: Allowed::Flag,
    meaning: "spread the window over the RTT (2 w/RTT in slow start, 1.2 w/RTT after it)",
}];

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// The algorithm has no parameter of that name.
    Unknown {
        /// The name given.
        name: String,
        /// The names it has.
        known: Vec<&'static str>,
    },
    /// The value is of the wrong type or outside its range.
    Invalid {
        /// The parameter.
        name: &'static str,
        /// What it may be.
        allowed: Allowed,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown { name, known } => {
                write!(f, "no parameter `{name}`; there are: {}", known.join(", "))
            }
            ParamError::Invalid { name, allowed } => write!(f, "`{name}` must be {allowed}"),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Range(low, high) => write!(f, "a number from {low} to {high}"),
            Allowed::Flag => write!(f, "true or false"),
            Allowed::OneOf(_) | Allowed::SinglePath => write!(f, "one of {}", self.words().join(", ")),
        }
    }
}

impl core::error::Error for ParamError {}

/// A full set of an algorithm's parameters.
pub struct Params(Vec<(&'static str, Value)>);

impl Params {
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
        let entry = find(self.word(name)).unwrap_or_else(|| panic!("`{name}` names no algorithm"));
        (entry.build)(&entry.defaults())
    }

    /// The value of `name`, if the algorithm has such a parameter.
    pub fn find(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    fn get(&self, name: &str) -> Value {
        self.find(name).unwrap_or_else(|| panic!("no parameter `{name}` in the entry"))
    }
}

impl Entry {
    /// The algorithm's own parameters and those that all have.
    pub fn all_params(&self) -> impl Iterator<Item = &'static Param> + use<> {
        self.params.iter().chain(COMMON)
    }

    /// The parameters where none is given.
    pub fn defaults(&self) -> Params {
        Params(self.all_params().map(|p| (p.name, p.default)).collect())
    }

    /// Checks given values and fills in defaults.
    ///
    /// # Errors
    /// [`ParamError`] names the parameter and what it may be.
    pub fn params(&self, given: &[(String, Given)]) -> Result<Params, ParamError> {
        for (name, _) in given {
            if !self.all_params().any(|p| p.name == name) {
                let known = self.all_params().map(|p| p.name).collect();
                return Err(ParamError::Unknown { name: name.clone(), known });
            }
        }
        let value = |p: &'static Param| {
            let Some((_, v)) = given.iter().rev().find(|(n, _)| n == p.name) else {
                return Ok((p.name, p.default));
            };
            p.accept(v).map(|v| (p.name, v)).ok_or(ParamError::Invalid { name: p.name, allowed: p.allowed })
        };
        self.all_params().map(value).collect::<Result<_, _>>().map(Params)
    }

    /// Whether [`Allowed::SinglePath`] includes it.
    fn may_be_run(&self) -> bool {
        self.kind == Kind::SinglePath && self.params.iter().all(|p| p.allowed != Allowed::SinglePath)
    }

    /// The controller of one connection.
    ///
    /// # Errors
    /// See [`Entry::params`].
    pub fn group(&self, given: &[(String, Given)]) -> Result<Group, ParamError> {
        let params = self.params(given)?;
        Ok(Group::new((self.build)(&params), params.flag("pacing")))
    }
}

impl Allowed {
    /// The words that may be given; none where it is not a word.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Allowed::OneOf(words) => words.to_vec(),
            Allowed::SinglePath => ALL.iter().filter(|e| e.may_be_run()).map(|e| e.name).collect(),
            Allowed::Range(..) | Allowed::Flag => Vec::new(),
        }
    }
}

impl Param {
    fn accept(&self, given: &Given) -> Option<Value> {
        match (self.allowed, given) {
            (Allowed::Range(low, high), Given::Number(x)) if (low..=high).contains(x) => {
                Some(Value::Number(*x))
            }
            (Allowed::Flag, Given::Flag(x)) => Some(Value::Flag(*x)),
            (words, Given::Word(x)) => words.words().into_iter().find(|w| w == x).map(Value::Word),
            _ => None,
        }
    }
}

/// The algorithm or variant of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().chain(V0).find(|e| e.name == name).copied()
}

/// The registered name that `name` was probably meant to be, if one is close.
pub fn similar(name: &str) -> Option<&'static str> {
    similar::closest(name, ALL.iter().chain(V0).map(|e| e.name))
}
