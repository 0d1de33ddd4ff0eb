//! The list of algorithms for the command line, the documentation and the tests.

use crate::Group;
pub use crate::entry::{Allowed, COMMON, Entry, Kind, Observable, Param, ParamValue, Params, Value};
use alloc::{string::String, vec::Vec};
use core::fmt;

/// Every algorithm, in the order of lists.
pub const ALL: &[&Entry] = crate::ALL;

/// Variants `NAME@v0` with the arithmetic of out-of-tree MPTCP. Each is its algorithm with other defaults, so lists of
/// algorithms do not repeat them.
pub const V0: &[&Entry] = crate::V0;

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// The algorithm has no parameter of that name.
    Unknown {
        /// The given name.
        name: String,
        /// The algorithm's parameters.
        known: Vec<&'static str>,
    },
    /// The value is of the wrong type or outside its range.
    Invalid {
        /// The parameter.
        name: &'static str,
        /// Its allowed values.
        allowed: Allowed,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamError::Unknown { name, known } => {
                write!(f, "no parameter `{name}`; known: {}", known.join(", "))
            }
            ParamError::Invalid { name, allowed } => write!(f, "`{name}` must be {allowed}"),
        }
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Range(low, high) => write!(f, "a number from {low} to {high}"),
            Allowed::Whole(low, high) => write!(f, "a whole number from {low} to {high}"),
            Allowed::Flag => write!(f, "true or false"),
            Allowed::OneOf(_) | Allowed::SinglePath => write!(f, "one of {}", self.words().join(", ")),
        }
    }
}

impl core::error::Error for ParamError {}

impl Entry {
    /// The default parameters.
    pub fn defaults(&self) -> Params {
        self.defaults_from(ALL)
    }

    /// Checks given values and fills in defaults.
    ///
    /// # Errors
    /// [`ParamError`] names the parameter and its allowed values.
    pub fn params(&self, given: &[(String, ParamValue)]) -> Result<Params, ParamError> {
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
        self.all_params().map(value).collect::<Result<_, _>>().map(|values| Params::new(values, ALL))
    }

    /// Whether [`Allowed::SinglePath`] includes it.
    fn may_be_run(&self) -> bool {
        self.kind == Kind::SinglePath && self.params.iter().all(|p| p.allowed != Allowed::SinglePath)
    }

    /// The controller of one connection.
    pub fn group(&self, given: &[(String, ParamValue)]) -> Result<Group, ParamError> {
        let params = self.params(given)?;
        Ok(Group::new((self.build)(&params), params.flag("pacing")))
    }
}

impl Allowed {
    /// The allowed words; empty if the value is not a word.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Allowed::OneOf(words) => words.to_vec(),
            Allowed::SinglePath => ALL.iter().filter(|e| e.may_be_run()).map(|e| e.name).collect(),
            Allowed::Range(..) | Allowed::Whole(..) | Allowed::Flag => Vec::new(),
        }
    }
}

impl Param {
    fn accept(&self, given: &ParamValue) -> Option<Value> {
        let fractions = matches!(self.allowed, Allowed::Range(..));
        match (self.allowed, given) {
            (Allowed::Range(low, high) | Allowed::Whole(low, high), ParamValue::Number(x)) => {
                ((low..=high).contains(x) && (fractions || x % 1.0 == 0.0)).then_some(Value::Number(*x))
            }
            (Allowed::Flag, ParamValue::Flag(x)) => Some(Value::Flag(*x)),
            (words, ParamValue::Word(x)) => words.words().into_iter().find(|w| w == x).map(Value::Word),
            _ => None,
        }
    }
}

/// The algorithm or variant of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().chain(V0).find(|e| e.name == name).copied()
}
