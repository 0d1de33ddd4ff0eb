//! The structs that C shares with Rust, as Rust has them. Their fields are documented in C.
#![allow(missing_docs)]

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A `struct ab_group`. Its size depends on the algorithm ([`Functions::group_size`]).
#[repr(C)]
pub struct Group {
    _opaque: [u8; 0],
}

macro_rules! numbers {
    ($($(#[$doc:meta])* [$who:ident: $c:ident] $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*
    };
}

macro_rules! shared {
    ($($(#[$meta:meta])* [$who:ident: $c:ident $part:ident]
       $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* })*) => {
        $($(#[$meta])*
        #[repr(C)]
        pub struct $name { $($(#[$doc])* pub $field: $type,)* })*
    };
}

include!("interface.rs");

impl Samples {
    /// One, in microseconds; 0 means unset.
    pub fn one(rtt: u32) -> Self {
        let rtt = rtt.min(MAX_RTT);
        Samples { sum: rtt.into(), count: (rtt > 0).into(), last: rtt, min: rtt, max: rtt }
    }
}
