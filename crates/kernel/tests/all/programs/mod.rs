//! For tests that register programs themselves.
#![allow(dead_code, missing_docs)]

use anabranch_cc_kernel::registry::KernelEntry;
use anabranch_kernel::{Need, Pins, Registration, Verdict, doctor, object};
use libbpf_rs::{MapCore, MapType, Object, ObjectBuilder, OpenObject};
use std::fs;
use std::path::Path;

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

/// An algorithm's programs, verified but not registered, under no build's name.
pub fn nameless(entry: &KernelEntry, registration: Registration) -> Object {
    let mut open = ObjectBuilder::default().open_memory(object(entry)).unwrap();
    if registration == Registration::Map {
        without_link(&mut open);
    }
    open.load().unwrap()
}

/// The first of a loader's four steps, in a directory: it pins the table, then the counters, and then it
/// registers a link and pins that; or it pins the map of functions, and then registers it.
pub fn pin(object: &mut Object, registration: Registration, directory: &Path, steps: usize) {
    let pin = |object: &mut Object, end: &str, file: &str| {
        let mut map = object.maps_mut().find(|map| map.name().to_string_lossy().ends_with(end)).unwrap();
        map.pin(directory.join(file)).unwrap();
    };
    if steps > 0 {
        pin(object, "connections", "connections");
    }
    if steps > 1 {
        pin(object, ".bss", "counters");
    }
    if steps > 2 && registration == Registration::Map {
        pin(object, "congestion_control", "ops");
    }
    if steps > 3 {
        let mut ops = object.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
        let mut link = ops.attach_struct_ops().unwrap();
        match registration {
            Registration::Link => link.pin(directory.join("link")).unwrap(),
            Registration::Map => link.disconnect(),
        }
    }
}

/// Loads an algorithm as another build does.
pub fn load_as_other_build(entry: &KernelEntry, registration: Registration) {
    let directory = Pins::open().unwrap().directory(entry.kernel_name);
    fs::create_dir(&directory).unwrap();
    pin(&mut nameless(entry, registration), registration, &directory, 4);
}
