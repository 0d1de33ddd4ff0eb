//! Parameters of loss models and queue disciplines. The file of each lists its parameters once, with `model_spec!`. The macro defines
//! the struct, the defaults, the scenario keys with their checks and descriptions, and the order of the values in a scenario's hash.

use crate::Time;

/// The description of a loss model or a queue discipline.
#[derive(Debug)]
pub struct ModelSpec {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Its title in tables.
    pub title: &'static str,
    /// One sentence that describes it.
    pub meaning: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// The scenario's key.
    pub name: &'static str,
    /// One sentence that describes it.
    pub meaning: &'static str,
    /// Its type and bounds.
    pub kind: Kind,
    /// Whether it has no default.
    pub required: bool,
}

/// The type of a parameter, bounds included; a gain is at most 1,000,000.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Kind {
    Probability,
    Gain,
    Time,
    TimeFrom(Time),
    Count(u64, u64),
    Bytes(u64, u64),
    Length,
    Flag,
    Packets,
    /// Derived from other parameters; it has no key.
    Derived,
}

/// The value of a parameter. Amounts of data are counts of bytes; a length is in packets, or in bytes if the flag is set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Value {
    Number(f64),
    Time(Time),
    Count(u64),
    Length(f64, bool),
    Flag(bool),
    Packets(Packets),
}

/// Ascending numbers of packets, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets([u32; Packets::MOST]);

impl Packets {
    /// The most numbers.
    pub const MOST: usize = 16;

    /// `None` if the numbers do not ascend from 1 on, or are none or too many.
    pub fn new(numbers: &[u32]) -> Option<Packets> {
        let ascend = numbers.first().is_some_and(|first| *first > 0) && numbers.is_sorted_by(|a, b| a < b);
        let mut list = Packets([0; Packets::MOST]);
        list.0.get_mut(..numbers.len()).filter(|_| ascend)?.copy_from_slice(numbers);
        Some(list)
    }

    /// The numbers.
    pub fn numbers(&self) -> &[u32] {
        self.0.split(|number| *number == 0).next().unwrap_or_default()
    }

    /// Whether the number is among them.
    pub fn contains(&self, number: u64) -> bool {
        self.numbers().iter().any(|listed| u64::from(*listed) == number)
    }
}

/// A conflict between parameters: the parameter, a message, a short label, and help.
pub type ParamConflict = [&'static str; 4];

/// The smallest positive time.
pub(crate) const POSITIVE: Time = Time::from_nanos(1);

/// A type of parameters.
pub(crate) trait Parameter: Copy {
    fn of(value: Value) -> Option<Self>;
    fn value(self) -> Value;
}

macro_rules! parameter {
    ($($type:ty: $pattern:pat => $of:expr, $value:expr;)*) => {
        $(impl Parameter for $type {
            fn of(value: Value) -> Option<Self> {
                if let $pattern = value { $of } else { None }
            }

            fn value(self) -> Value {
                $value(self.into())
            }
        })*
    };
}

parameter! {
    f64: Value::Number(x) | Value::Length(x, _) => Some(x), Value::Number;
    Time: Value::Time(time) => Some(time), Value::Time;
    u64: Value::Count(n) => Some(n), Value::Count;
    u32: Value::Count(n) => u32::try_from(n).ok(), Value::Count;
    bool: Value::Flag(flag) => Some(flag), Value::Flag;
    Packets: Value::Packets(list) => Some(list), Value::Packets;
}

/// Defines a struct of parameters, each `name: type as kind`, or `name: type as kind => default`.
macro_rules! model_spec {
    (
        $(#[doc = $meaning:literal])*
        $word:literal $title:literal $name:ident {
            $($(#[doc = $doc:literal])* $key:ident: $type:ty as $kind:expr $(=> $default:expr)?,)*
        }
    ) => {
        $(#[doc = $meaning])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $doc])* pub $key: $type,)* }

        impl $name {
            /// Its description.
            pub const SPEC: &crate::ModelSpec = &crate::ModelSpec {
                name: $word,
                title: $title,
                meaning: concat!($($meaning),*),
                params: {
                    #[allow(unused_imports)]
                    use crate::model_spec::Kind::*;
                    &[$(crate::model_spec::Param {
                        name: stringify!($key),
                        meaning: concat!($($doc),*),
                        kind: $kind,
                        required: <[&str]>::is_empty(&[$(stringify!($default))?]),
                    }),*]
                },
            };

            /// From the values of its parameters, in order; `None` stands for the default.
            pub(crate) fn from_values(values: &[Option<crate::Value>]) -> Option<$name> {
                let mut values = values.iter();
                $(let $key = values.next().copied().flatten().and_then(<$type as crate::model_spec::Parameter>::of);)*
                Some($name { $($key: $key$(.or(Some($default)))??,)* })
            }

            pub(crate) fn spec(&self) -> (&'static crate::ModelSpec, Vec<crate::Value>) {
                ($name::SPEC, vec![$(crate::model_spec::Parameter::value(self.$key)),*])
            }
        }
    };
}

pub(crate) use model_spec;
