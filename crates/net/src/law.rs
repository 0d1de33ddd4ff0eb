//! What loss models and queue disciplines are given. The file of each lists its parameters once, with `law!`: the struct, the
//! defaults, the keys of the scenario with their checks and descriptions, and the order of the values in a scenario's hash.

use crate::Time;

/// A loss model or a queue discipline.
#[derive(Debug)]
pub struct Law {
    /// The scenario's word for it.
    pub name: &'static str,
    /// Its name in tables.
    pub title: &'static str,
    /// It in a sentence.
    pub meaning: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

/// A parameter.
#[derive(Debug)]
pub struct Param {
    /// The scenario's key.
    pub name: &'static str,
    /// It in a sentence.
    pub meaning: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Whether it has no default.
    pub required: bool,
}

/// The values that a parameter takes, bounds included; a gain is at most 1,000,000.
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
    /// It follows from the others: no key.
    Derived,
}

/// The value of a parameter. Amounts of data are counts of bytes; a length is packets, or bytes where the flag says so.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "their names say it")]
pub enum Value {
    Number(f64),
    Time(Time),
    Count(u64),
    Length(f64, bool),
    Flag(bool),
}

/// Why parameters do not go together: the parameter, what is wrong, the same in few words, and what would be right.
pub type Refusal = [&'static str; 4];

/// The least time of a parameter that is not 0.
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
}

/// Defines a struct of parameters, each `name: type as kind`, or `name: type as kind => default`.
macro_rules! law {
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
            /// What it is, and its parameters.
            pub const LAW: &crate::Law = &crate::Law {
                name: $word,
                title: $title,
                meaning: concat!($($meaning),*),
                params: {
                    #[allow(unused_imports)]
                    use crate::law::Kind::*;
                    &[$(crate::law::Param {
                        name: stringify!($key),
                        meaning: concat!($($doc),*),
                        kind: $kind,
                        required: <[&str]>::is_empty(&[$(stringify!($default))?]),
                    }),*]
                },
            };

            /// Of the values of its parameters, in their order; `None`: the default.
            pub(crate) fn given(values: &[Option<crate::Value>]) -> Option<$name> {
                let mut values = values.iter();
                $(let $key = values.next().copied().flatten().and_then(<$type as crate::law::Parameter>::of);)*
                Some($name { $($key: $key$(.or(Some($default)))??,)* })
            }

            pub(crate) fn law(&self) -> (&'static crate::Law, Vec<crate::Value>) {
                ($name::LAW, vec![$(crate::law::Parameter::value(self.$key)),*])
            }
        }
    };
}

pub(crate) use law;
