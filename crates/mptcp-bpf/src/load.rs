//! Loads, unloads and lists algorithms.

use crate::instance::VARIABLES;
use crate::layout::Layout;
use crate::object::{build, object};
use crate::pins::{CONNECTIONS, COUNTERS, LINK, OPS, Pins, is_file};
use crate::{Counters, Error, Instance, instances, messages, system};
use anabranch_cc_fixed::registry::KernelEntry;
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapMut, MapType, Object, ObjectBuilder, OpenObject};
use std::mem::offset_of;
use std::path::Path;
use std::time::{Duration, Instant};
use zerocopy::FromBytes;

/// The outcome of [`load`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// The algorithm is now loaded.
    Done,
    /// The algorithm now replaces another build's, which was unused.
    Replaced,
    /// The algorithm was loaded before.
    Already,
    /// The algorithm was loaded before. This many rows of its table were freed, because their sockets are closed.
    Freed(u32),
    /// Another build's algorithm was loaded before and stays, because this many sockets use it or namespaces select it. After
    /// unloading, only they keep it, and this build's can be loaded beside it.
    OtherInUse(u32),
}

/// The outcome of [`unload`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unload {
    /// The algorithm is removed.
    Done,
    /// The algorithm can no longer be selected, but this many sockets still use it or namespaces select it. It is removed
    /// when the last of them releases it.
    InUse(u32),
    /// The algorithm was not loaded.
    NotLoaded,
}

/// The kind of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registration {
    /// By a pinned link.
    Link,
    /// By a pinned map, before Linux 6.4.
    Map,
}

impl Registration {
    /// A link, if the kernel supports them.
    pub fn of_this_kernel() -> Result<Self, Error> {
        Ok(if Layout::get()?.links { Registration::Link } else { Registration::Map })
    }
}

/// `BPF_F_LINK`: a map that a link registers.
const F_LINK: u32 = 1 << 13;

/// The time limit for unregistering: the kernel defers the end of a link.
const UNREGISTER_TIMEOUT: Duration = Duration::from_secs(5);

/// Loads an algorithm, so that sockets can select it. It stays when the process ends. If it is loaded already, the rows of
/// closed sockets are freed.
///
/// # Errors
/// Without privileges, or if the kernel rejects a program.
pub fn load(entry: &'static KernelEntry) -> Result<Load, Error> {
    load_as(entry, Registration::of_this_kernel()?)
}

/// Loads an algorithm with this kind of registration, which the kernel must support.
pub fn load_as(entry: &'static KernelEntry, registration: Registration) -> Result<Load, Error> {
    let pins = Pins::open()?;
    let directory = pins.directory(entry.kernel_name);
    let before = find_registered(entry)?.filter(|_| is_complete(&directory));
    match &before {
        Some(instance) if instance.is_of_this_build() => {
            let freed = instance.sweep(true)?.unwrap_or(0);
            return Ok(if freed > 0 { Load::Freed(freed) } else { Load::Already });
        }
        // The registration itself holds one reference.
        Some(instance) if instance.references > 1 => return Ok(Load::OtherInUse(instance.references - 1)),
        _ => {}
    }
    // First: what is registered stays if the kernel refuses these programs.
    let mut object = open(entry, registration, |object| number_above_earlier(object, entry))?;
    unregister(&pins, entry)?;
    pins.create(entry.kernel_name, |directory| {
        pin(&mut object, registration, directory).map_err(with_messages)
    })?;
    Ok(if before.is_some() { Load::Replaced } else { Load::Done })
}

/// Unloads an algorithm: sockets can no longer select it. Sockets that use it keep it until they close.
pub fn unload(entry: &'static KernelEntry) -> Result<Unload, Error> {
    let pins = Pins::open()?;
    let was_loaded = find_registered(entry)?.is_some();
    unregister(&pins, entry)?;
    let left = instances()?.into_iter().filter(|i| i.entry.kernel_name == entry.kernel_name);
    Ok(match left.map(|instance| instance.references).sum() {
        0 if was_loaded => Unload::Done,
        0 => Unload::NotLoaded,
        references => Unload::InUse(references),
    })
}

/// Lists the algorithms that are loaded and pinned.
pub fn pinned() -> Result<Vec<&'static KernelEntry>, Error> {
    let Some(pins) = Pins::find()? else { return Ok(vec![]) };
    let registered = instances()?.into_iter().filter(|instance| instance.registered);
    let entries = registered.map(|instance| instance.entry);
    Ok(entries.filter(|entry| is_complete(&pins.directory(entry.kernel_name))).collect())
}

/// The counters in a map of programs' variables.
pub(crate) fn read_counters(variables: &MapHandle) -> Result<Counters, Error> {
    let value =
        variables.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(Error::bpf("read the counters"))?;
    let counters = value.as_deref().and_then(|value| Counters::read_from_prefix(value).ok());
    counters.map(|(counters, _)| counters).ok_or(Error::Layout("map of counters"))
}

fn find_registered(entry: &KernelEntry) -> Result<Option<Instance>, Error> {
    let ours = |i: &Instance| i.registered && i.entry.kernel_name == entry.kernel_name;
    Ok(instances()?.into_iter().find(ours))
}

fn is_complete(directory: &Path) -> bool {
    let there = |name| is_file(&directory.join(name));
    (there(LINK) || there(OPS)) && there(CONNECTIONS) && there(COUNTERS)
}

/// Unregisters an algorithm of any process and waits for the end of the registration.
fn unregister(pins: &Pins, entry: &KernelEntry) -> Result<(), Error> {
    pins.discard(entry.kernel_name)?;
    let start = Instant::now();
    while let Some(instance) = find_registered(entry)? {
        // It has no pin of ours: the file was removed, or another process registered it.
        if let Some(link) = instance.link {
            let _ = system::detach_link(link);
        } else if let Ok(map) = MapHandle::from_map_id(instance.map_id) {
            let _ = map.delete(&0u32.to_ne_bytes());
        }
        if start.elapsed() > UNREGISTER_TIMEOUT {
            return Err(Error::Held(entry.kernel_name));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Opens and loads the programs. The object and its maps of variables are named after the build. `change` modifies the object
/// before it is loaded.
pub(crate) fn open(
    entry: &KernelEntry,
    registration: Registration,
    change: impl FnOnce(&mut OpenObject) -> Result<(), Error>,
) -> Result<Object, Error> {
    messages::take();
    let failed = |e| with_messages(Error::bpf(format!("load {}", entry.kernel_name))(e));
    let mut builder = ObjectBuilder::default();
    let mut open =
        builder.name(build(entry)).and_then(|builder| builder.open_memory(object(entry))).map_err(failed)?;
    if registration == Registration::Map {
        for mut map in open.maps_mut().filter(|map| map.map_type() == MapType::StructOps) {
            let flags = map.map_flags() & !F_LINK;
            map.set_map_flags(flags).map_err(failed)?;
        }
    }
    change(&mut open)?;
    omit_missing(&mut open)?;
    open.load().map_err(failed)
}

/// Omits the function that kernels before 7.1 lack. libbpf then does not load its program.
#[doc(hidden)]
pub fn omit_missing(object: &mut OpenObject) -> Result<(), Error> {
    if Layout::get()?.tx_start {
        return Ok(());
    }
    for mut ops in object.maps_mut().filter(|map| map.map_type() == MapType::StructOps) {
        let functions = ops.initial_value_mut().ok_or(Error::Layout("compiled object"))?;
        // The first member in `bpf/kernel.h`.
        functions[..size_of::<u64>()].fill(0);
    }
    Ok(())
}

/// Starts the sockets' numbers above those of earlier loads of the algorithm, whose sockets may still be open: a monitor shows all of them.
fn number_above_earlier(object: &mut OpenObject, entry: &KernelEntry) -> Result<(), Error> {
    let is_earlier = |i: &Instance| i.entry.kernel_name == entry.kernel_name && i.references > 0;
    let earlier = instances()?.into_iter().filter(is_earlier);
    let Some(last) = earlier.filter_map(|i| i.counters()).map(|counters| counters.owners).max() else {
        return Ok(());
    };
    let mut variables = object.maps_mut().filter(|map| map.name().to_string_lossy().ends_with(VARIABLES));
    let mut variables = variables.next().ok_or(Error::Layout("compiled object"))?;
    let value = variables.initial_value_mut().ok_or(Error::Layout("compiled object"))?;
    // Fewer than 2^32 sockets use a load.
    let next = ((last >> 32) + 1) << 32;
    value[offset_of!(Counters, owners)..][..size_of::<u64>()].copy_from_slice(&next.to_ne_bytes());
    Ok(())
}

/// Registers the algorithm, and pins its registration and its tables.
fn pin(object: &mut Object, registration: Registration, directory: &Path) -> Result<(), Error> {
    for mut map in object.maps_mut() {
        let name = match map.name().to_string_lossy() {
            name if name == CONNECTIONS => CONNECTIONS,
            name if name.ends_with(VARIABLES) => COUNTERS,
            _ => continue,
        };
        pin_map(&mut map, &directory.join(name))?;
    }
    let mut ops = ops(object)?;
    // A registered map outlives its process: its pin must exist before.
    if registration == Registration::Map {
        pin_map(&mut ops, &directory.join(OPS))?;
    }
    let mut link = ops.attach_struct_ops().map_err(Error::bpf("register"))?;
    match registration {
        Registration::Link => link.pin(directory.join(LINK)).map_err(Error::bpf("pin the link")),
        Registration::Map => {
            link.disconnect();
            Ok(())
        }
    }
}

/// The map of functions, which registers the algorithm.
pub(crate) fn ops(object: &mut Object) -> Result<MapMut<'_>, Error> {
    let ops = object.maps_mut().find(|map| map.map_type() == MapType::StructOps);
    ops.ok_or(Error::Layout("compiled object"))
}

fn pin_map(map: &mut MapMut<'_>, path: &Path) -> Result<(), Error> {
    map.pin(path).map_err(Error::bpf(format!("pin {}", path.display())))
}

/// Adds libbpf's messages to an error.
pub(crate) fn with_messages(error: Error) -> Error {
    match error {
        Error::Bpf { doing, source, .. } => Error::Bpf { doing, source, messages: messages::take() },
        other => other,
    }
}
