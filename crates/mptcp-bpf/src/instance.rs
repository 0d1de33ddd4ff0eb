//! Lists the algorithms in the kernel, pinned or not, from its struct_ops maps.

use crate::layout::Layout;
use crate::load::read_counters;
use crate::object::build;
use crate::table::{self, ROOM};
use crate::{Counters, Error};
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_cc_fixed::shared::{PATHS, Sockets};
use libbpf_rs::query::{
    LinkInfoIter, LinkTypeInfo, MapInfoIter, ProgInfoIter, ProgInfoQueryOptions, ProgramInfo,
};
use libbpf_rs::{MapCore, MapFlags, MapHandle, MapType};
use rustix::time::{ClockId, clock_gettime};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::offset_of;
use std::time::Duration;

/// An algorithm in the kernel: registered, or unregistered while sockets still use it.
pub struct Instance {
    /// The algorithm.
    pub entry: &'static KernelEntry,
    /// The struct_ops map.
    pub map_id: u32,
    /// Whether new sockets may select it.
    pub registered: bool,
    /// The link that registers it, if any.
    pub link: Option<u32>,
    /// The kernel's references to it: one per socket (including listeners), one per network namespace that selected it, and
    /// one while it is registered.
    pub references: u32,
    /// Its programs.
    pub programs: Vec<ProgramInfo>,
}

/// The use of a table of connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// MPTCP connections, and TCP sockets without MPTCP.
    pub connections: u64,
    /// Their subflows.
    pub subflows: u64,
    /// The number of subflows that fit.
    pub capacity: u32,
}

/// The suffix of the map with the programs' variables; libbpf prefixes the object's name.
pub(crate) const VARIABLES: &str = ".bss";

/// `enum bpf_struct_ops_state`: registered without a link, and ready for one.
const INUSE: u32 = 1;
const READY: u32 = 3;

/// Lists every algorithm of ours in the kernel.
///
/// # Errors
/// If the kernel's BTF cannot be read. Without privileges the list is empty.
pub fn instances() -> Result<Vec<Instance>, Error> {
    let layout = Layout::get()?;
    let links: HashMap<u32, u32> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(ops) => Some((ops.map_id, link.id)),
            _ => None,
        })
        .collect();
    let found = maps(layout).filter_map(|Ops { map_id, value, .. }| {
        let name = name(&value, layout)?;
        let entry = registry::all().iter().find(|entry| entry.kernel_name.as_bytes() == name)?;
        let state = word(&value, layout.state);
        let link = links.get(&map_id).copied().filter(|_| state == READY);
        Some(Instance {
            entry,
            map_id,
            registered: state == INUSE || link.is_some(),
            link,
            references: word(&value, layout.refcnt),
            programs: programs(&value, layout),
        })
    });
    Ok(found.collect())
}

/// A map of a congestion control's functions, of any origin.
pub(crate) struct Ops {
    map_id: u32,
    pub map: MapHandle,
    pub value: Vec<u8>,
}

/// All such maps in the kernel.
pub(crate) fn maps(layout: &Layout) -> impl Iterator<Item = Ops> {
    let maps = MapInfoIter::default().filter(|map| map.ty == MapType::StructOps);
    maps.filter(|map| map.value_size as usize == layout.size).filter_map(|map| {
        // A map may have been removed since it was listed.
        let handle = MapHandle::from_map_id(map.id).ok()?;
        let value = handle.lookup(&0u32.to_ne_bytes(), MapFlags::ANY).ok()??;
        Some(Ops { map_id: map.id, map: handle, value })
    })
}

/// The name of the congestion control in such a map's value.
pub(crate) fn name<'a>(value: &'a [u8], layout: &Layout) -> Option<&'a [u8]> {
    value.get(layout.name..layout.name + 16)?.split(|byte| *byte == 0).next()
}

fn word(value: &[u8], at: usize) -> u32 {
    value.get(at..at + 4).map_or(0, |bytes| u32::from_ne_bytes(bytes.try_into().unwrap_or_default()))
}

fn programs(value: &[u8], layout: &Layout) -> Vec<ProgramInfo> {
    let ids: HashSet<u32> = layout.functions.iter().map(|at| word(value, *at)).collect();
    let options = ProgInfoQueryOptions::default().include_map_ids(true);
    ProgInfoIter::with_query_opts(options).filter(|program| ids.contains(&program.id)).collect()
}

impl Instance {
    /// Finds a map of the programs by the suffix of its name.
    fn map(&self, name: &str) -> Option<MapHandle> {
        let ids: BTreeSet<u32> = self.programs.iter().flat_map(|p| p.map_ids.iter().copied()).collect();
        let mut handles = ids.into_iter().filter_map(|id| MapHandle::from_map_id(id).ok());
        handles.find(|map| map.name().to_string_lossy().ends_with(name))
    }

    /// Whether this build of the library loaded it.
    pub fn is_of_this_build(&self) -> bool {
        let name = format!("{}{VARIABLES}", build(self.entry));
        self.map(VARIABLES).is_some_and(|map| map.name().to_string_lossy() == name)
    }

    /// The time since it was loaded.
    pub fn age(&self) -> Duration {
        let now = clock_gettime(ClockId::Boottime);
        let now = Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32);
        let loaded = self.programs.iter().map(|program| program.load_time).min();
        now.saturating_sub(loaded.unwrap_or(now))
    }

    /// The use of its table.
    pub fn occupancy(&self) -> Option<Occupancy> {
        let map = self.connections()?;
        let users = |_: &[u8], value: &[u8]| {
            let at = value.len().checked_sub(size_of::<Sockets>())? + offset_of!(Sockets, users);
            Some(u64::from_ne_bytes(*value.get(at..)?.first_chunk()?))
        };
        let mut room = ROOM;
        let mut users = table::read(&map, &mut room, users);
        // All bits are set while the connection leaves the table.
        users.retain(|users| (1..=PATHS as u64).contains(users));
        Some(Occupancy {
            connections: users.len() as u64,
            subflows: users.iter().sum(),
            capacity: map.max_entries(),
        })
    }

    /// Its table of connections. The key is a `u64`; the value is a group and the other members of a subflow in
    /// `bpf/connections.h`.
    pub fn connections(&self) -> Option<MapHandle> {
        self.map("connections")
    }

    pub(crate) fn variables(&self) -> Option<MapHandle> {
        self.map(VARIABLES)
    }

    /// The counters of its programs.
    pub fn counters(&self) -> Option<Counters> {
        read_counters(&self.variables()?).ok()
    }
}
