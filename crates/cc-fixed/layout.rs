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
    ($($(#[$doc:meta])* [$who:ident: $c:ident] $name:ident: $type:ty = $value:expr;)*) => {
        $(const $name: $type = $value;)*

        fn numbers(out: &mut String) {
            $(let (c, value) = (stringify!($c), $name);
            let agrees = format!("_Static_assert({c} == {value}ULL, \"{c}: Rust has another value (src/interface.rs)\");\n");
            *out += &for_whom(stringify!($who), agrees);)*
        }
    };
}

macro_rules! shared {
    ($($(#[$meta:meta])* [$who:ident: $c:ident $part:ident]
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
            $(let fields = [$((stringify!($field), <$type>::name(), offset_of!($name, $field), size_of::<$type>())),*];
            let agrees = one(&<$name>::name(), stringify!($part), size_of::<$name>(), &fields);
            let agrees = if fields.iter().any(|field| field.1.contains('*')) { as_here(agrees) } else { agrees };
            *out += &for_whom(stringify!($who), agrees);)*
        }
    };
}

include!("src/interface.rs");

/// Assertions as only their compiler sees them: `native/algorithm.c` defines AB_NATIVE.
fn for_whom(who: &str, assertions: String) -> String {
    match who {
        "both" => assertions,
        "native" => format!("#ifdef AB_NATIVE\n{assertions}#endif\n"),
        "kernel" => format!("#ifndef AB_NATIVE\n{assertions}#endif\n"),
        _ => panic!("src/interface.rs: `{who}` compiles nothing"),
    }
}

/// Assertions about pointers, which the build script has as its own machine has them: for targets with pointers of that size.
fn as_here(assertions: String) -> String {
    format!("#if __SIZEOF_POINTER__ == {}\n{assertions}#endif\n", size_of::<usize>())
}

/// The assertions of one struct, whose fields have a name, a type, a place and a size.
fn one(c: &str, part: &str, size: usize, fields: &[(&str, String, usize, usize)]) -> String {
    let mut out = String::new();
    let start = if part == "behind_group" { "sizeof(struct ab_group) + " } else { "" };
    if part != "first" {
        let named: usize = fields.iter().map(|field| field.3).sum();
        assert!(named == size, "{c}: {} bytes of padding have no name (src/interface.rs)", size - named);
        writeln!(
            out,
            "_Static_assert(sizeof({c}) == {start}{size}, \"{c}: Rust has another size (src/interface.rs)\");"
        )
        .unwrap();
    }
    for (field, ty, at, _) in fields {
        writeln!(
            out,
            "_Static_assert(__builtin_offsetof({c}, {field}) == {start}{at} &&\n\t\
             __builtin_types_compatible_p(__typeof__((({c} *)0)->{field}), {ty}), \
             \"{c}, {field}: Rust has another type or place (src/interface.rs)\");"
        )
        .unwrap();
    }
    out
}

/// A C header that does not compile where the headers before it disagree with `src/interface.rs`.
pub fn header() -> String {
    let mut out = String::from("/* Written by the build script from src/interface.rs. */\n");
    numbers(&mut out);
    structs(&mut out);
    out
}
