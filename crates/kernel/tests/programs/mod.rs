//! For tests that register programs themselves.
#![allow(dead_code, missing_docs)]

use anabranch_kernel::{Need, Registration, Verdict, doctor};
use libbpf_rs::{MapType, OpenObject};

/// The kinds of registration that the running kernel knows.
pub fn registrations() -> &'static [Registration] {
    let links = doctor().into_iter().find(|check| check.need == Need::Links).unwrap();
    match links.verdict {
        Verdict::Fine => &[Registration::Map, Registration::Link],
        _ => &[Registration::Map],
    }
}

/// Makes the registration that of a map.
pub fn without_link(programs: &mut OpenObject) {
    let mut ops = programs.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
    let flags = ops.map_flags() & !(1 << 13);
    ops.set_map_flags(flags).unwrap();
}
