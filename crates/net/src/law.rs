//! What loss models and queue disciplines are given. The file of each lists its parameters once, with `law!`: the struct, the
//! defaults, the keys of the scenario with their checks and descriptions, and the order of the values in a scenario's hash.

use crate::Time;

/// A loss model or a queue discipline.
#[derive(Debug, PartialEq)]
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
#[derive(Debug, PartialEq)]
pub struct Param {
    /// The scenario's key.
    pub name: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Whether it has no default.
    pub required: bool,
}

/// The values that a parameter takes, bounds included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number from 0 to 1.
    Probability,
    /// A number from 0 to 1,000,000.
    Gain,
    /// A time.
    Time,
    /// A time, at least that.
    TimeFrom(Time),
    /// A whole number between the two.
    Count(u64, u64),
    /// An amount of data between the two, in bytes.
    Bytes(u64, u64),
    /// A queue's length.
    Length,
    /// True or false.
    Flag,
    /// It follows from the others: no key.
    Derived,
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of a probability or a gain.
    Number(f64),
    /// Of a time.
    Time(Time),
    /// Of a whole number, or of bytes.
    Count(u64),
    /// Of a length: packets, or bytes.
    Length(f64, bool),
    /// Of a flag.
    Flag(bool),
}

/// Why parameters do not go together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refusal {
    /// The parameter.
    pub param: &'static str,
    /// What is wrong.
    pub message: &'static str,
    /// The same in few words.
    pub label: &'static str,
    /// What would be right.
    pub help: &'static str,
}

/// The least time of a parameter that is not 0.
pub(crate) const POSITIVE: Time = Time::from_nanos(1);

/// A type of parameters.
pub(crate) trait Parameter: Copy {
    fn of(value: Value) -> Option<Self>;
    fn value(self) -> Value;
}

macro_rules! parameter {
    ($($type:ty: $pattern:pat => $of:expr, $name:ident => $value:expr;)*) => {
        $(impl Parameter for $type {
            fn of(value: Value) -> Option<Self> {
                if let $pattern = value { $of } else { None }
            }

            fn value(self) -> Value {
                let $name = self;
                $value
            }
        })*
    };
}

parameter! {
    f64: Value::Number(x) | Value::Length(x, _) => Some(x), x => Value::Number(x);
    Time: Value::Time(time) => Some(time), time => Value::Time(time);
    u64: Value::Count(n) => Some(n), n => Value::Count(n);
    u32: Value::Count(n) => u32::try_from(n).ok(), n => Value::Count(n.into());
    bool: Value::Flag(flag) => Some(flag), flag => Value::Flag(flag);
}

/// The next of the given values, or the default if there is one.
pub(crate) fn take<T: Parameter>(
    given: &mut impl Iterator<Item = Option<Value>>,
    default: Option<T>,
) -> Option<T> {
    given.next().flatten().and_then(T::of).or(default)
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
            pub(crate) fn given(values: &[Option<crate::law::Value>]) -> Option<$name> {
                let mut values = values.iter().copied();
                Some($name { $($key: crate::law::take(&mut values, None::<$type>$(.or(Some($default)))?)?,)* })
            }

            pub(crate) fn values(&self) -> Vec<crate::law::Value> {
                vec![$(crate::law::Parameter::value(self.$key)),*]
            }
        }
    };
}

pub(crate) use law;
