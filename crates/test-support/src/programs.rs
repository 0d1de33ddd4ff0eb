//! For tests that register programs themselves.

use anabranch_cc_fixed::registry::KernelEntry;
use anabranch_mptcp_bpf::{Counters, Pins, Registration, object, omit_missing};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle, MapType, Object, ObjectBuilder, OpenObject};
use std::fs;
use std::mem::offset_of;
use std::path::Path;

/// The kinds of registration that the running kernel knows.
pub fn registrations() -> &'static [Registration] {
    match registration() {
        Registration::Link => &[Registration::Map, Registration::Link],
        Registration::Map => &[Registration::Map],
    }
}

/// The kind that the library takes in the running kernel.
pub fn registration() -> Registration {
    Registration::of_this_kernel().unwrap()
}

/// An algorithm's programs before the verifier has seen them, under that name, such as a build's.
pub fn opened(entry: &KernelEntry, name: &str, registration: Registration) -> OpenObject {
    let mut open = ObjectBuilder::default().name(name).unwrap().open_memory(object(entry)).unwrap();
    if registration == Registration::Map {
        let mut ops = open.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
        let flags = ops.map_flags() & !(1 << 13);
        ops.set_map_flags(flags).unwrap();
    }
    omit_missing(&mut open).unwrap();
    open
}

/// The same verified but not registered, under no build's name.
pub fn nameless(entry: &KernelEntry, registration: Registration) -> Object {
    opened(entry, "nameless", registration).load().unwrap()
}

/// Registers programs for as long as what is returned lives.
pub fn register(object: &mut Object) -> Link {
    let mut ops = object.maps_mut().find(|map| map.map_type() == MapType::StructOps).unwrap();
    ops.attach_struct_ops().unwrap()
}

/// The map whose name ends with this: libbpf puts the object's name before the name of its variables.
pub fn map(object: &Object, end: &str) -> MapHandle {
    let map = object.maps().find(|map| map.name().to_string_lossy().ends_with(end)).unwrap();
    MapHandle::try_from(&map).unwrap()
}

/// `Counters::refused` of programs that are not pinned.
pub fn refused(counters: &MapHandle) -> u64 {
    let value = counters.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).unwrap().unwrap();
    u64::from_ne_bytes(value[offset_of!(Counters, refused)..][..8].try_into().unwrap())
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
        let mut link = register(object);
        match registration {
            Registration::Link => link.pin(directory.join("link")).unwrap(),
            Registration::Map => link.disconnect(),
        }
    }
}

pub fn load_as_other_build(entry: &KernelEntry, registration: Registration) {
    let directory = Pins::open().unwrap().directory(entry.kernel_name);
    fs::create_dir(&directory).unwrap();
    pin(&mut nameless(entry, registration), registration, &directory, 4);
}
