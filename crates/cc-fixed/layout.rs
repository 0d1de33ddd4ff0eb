//! For the build script: what the C compiler has to agree to, so that Rust and C have the same layouts.

use std::fmt::Write;
use std::mem::offset_of;

/// How C names the type of a shared field.
trait Named {
    fn name() -> String;
}

macro_rules! named {
    ($($type:ty: $name:literal,)*) => {
        $(impl Named for $type { fn name() -> String { $name.into() } })*
    };
}

named! { (): "void", u8: "u8", u16: "u16", u32: "u32", u64: "u64", i32: "s32", f64: "double", Group: "struct ab_group", }

impl<T: Named> Named for *mut T {
    fn name() -> String {
        T::name() + " *"
    }
}

impl<T: Named> Named for *const T {
    fn name() -> String {
        format!("const {} *", T::name())
    }
}

impl<T: Named, const N: usize> Named for [T; N] {
    fn name() -> String {
        format!("{}[{N}]", T::name())
    }
}

macro_rules! functions {
    ($($($arg:ident)+,)*) => {
        $(impl<$($arg: Named,)+ R: Named> Named for unsafe extern "C" fn($($arg),+) -> R {
            fn name() -> String {
                format!("{} (*)({})", R::name(), [$($arg::name()),+].join(", "))
            }
        })*
    };
}

functions! { A B, A B C, A B C D, A B C D E, }

/// Only its name is used.
struct Group;

macro_rules! numbers {
    ($($(#[$doc:meta])* [$guard:ident: $c:ident] $name:ident: $type:ty = $value:expr;)*) => {
        $(const $name: $type = $value;)*

        fn numbers(out: &mut String) {
            $(let (guard, c, value) = (stringify!($guard), stringify!($c), $name);
            writeln!(out, "#ifdef {guard}\n_Static_assert({c} == {value}ULL, \"{c}: Rust has another value (src/interface.rs)\");\n#endif").unwrap();)*
        }
    };
}

macro_rules! shared {
    ($($(#[$meta:meta])* [$guard:ident: $c:ident $part:ident]
       $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* })*) => {
        $(#[repr(C)]
        #[allow(dead_code)]
        struct $name { $($field: $type,)* }

        impl Named for $name {
            fn name() -> String {
                concat!("struct ", stringify!($c)).into()
            }
        })*

        fn structs(out: &mut String) {
            $(let fields = [$((stringify!($field), <$type>::name(), offset_of!($name, $field))),*];
            one(out, stringify!($guard), &<$name>::name(), stringify!($part), size_of::<$name>(), &fields);)*
        }
    };
}

include!("src/interface.rs");

/// The assertions of one struct.
fn one(out: &mut String, guard: &str, c: &str, part: &str, size: usize, fields: &[(&str, String, usize)]) {
    let start = if part == "behind_group" { "sizeof(struct ab_group) + " } else { "" };
    writeln!(out, "#ifdef {guard}").unwrap();
    if part != "first" {
        writeln!(
            out,
            "_Static_assert(sizeof({c}) == {start}{size}, \"{c}: Rust has another size (src/interface.rs)\");"
        )
        .unwrap();
    }
    for (field, ty, at) in fields {
        writeln!(
            out,
            "_Static_assert(__builtin_offsetof({c}, {field}) == {start}{at} &&\n\t\
             __builtin_types_compatible_p(__typeof__((({c} *)0)->{field}), {ty}), \
             \"{c}, {field}: Rust has another type or place (src/interface.rs)\");"
        )
        .unwrap();
    }
    writeln!(out, "#endif").unwrap();
}

/// A C header that does not compile where the headers before it disagree with `src/interface.rs`.
pub fn header() -> String {
    let mut out = String::from("/* Written by the build script from src/interface.rs. */\n");
    numbers(&mut out);
    structs(&mut out);
    out
}
