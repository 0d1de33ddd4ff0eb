//! The layout of a registered `tcp_congestion_ops` in the running kernel, from its BTF.

use crate::Error;
use libbpf_rs::btf::types::{MemberAttr, Struct};
use libbpf_rs::btf::{Btf, HasSize, TypeId};
use std::sync::OnceLock;

/// The offsets of members in a struct_ops map's value, in bytes.
pub(crate) struct Layout {
    /// The kernel's reference count, `u32`.
    pub refcnt: usize,
    /// `enum bpf_struct_ops_state`.
    pub state: usize,
    /// The name, 16 bytes.
    pub name: usize,
    /// The functions, where the kernel stores the programs' ids.
    pub functions: Vec<usize>,
    /// The size of the value, in bytes.
    pub size: usize,
    /// Whether a registration can be a link (Linux 6.4).
    pub links: bool,
    /// Whether there is `cwnd_event_tx_start` (Linux 7.1).
    pub tx_start: bool,
}

/// The functions that `bpf/glue.h` defines.
const FUNCTIONS: [&str; 7] =
    ["init", "release", "cong_avoid", "ssthresh", "set_state", "cwnd_event", "undo_cwnd"];

/// One more, which kernels before 7.1 lack.
const TX_START: &str = "cwnd_event_tx_start";

impl Layout {
    /// The layout of the running kernel.
    pub fn get() -> Result<&'static Layout, Error> {
        static LAYOUT: OnceLock<Layout> = OnceLock::new();
        if let Some(layout) = LAYOUT.get() {
            return Ok(layout);
        }
        let btf = Btf::from_vmlinux().map_err(Error::bpf("read the kernel's BTF"))?;
        let layout = Layout::read(&btf).ok_or(Error::Layout("struct tcp_congestion_ops"))?;
        Ok(LAYOUT.get_or_init(|| layout))
    }

    fn read(btf: &Btf<'_>) -> Option<Layout> {
        let value: Struct<'_> = btf.type_by_name("bpf_struct_ops_tcp_congestion_ops")?;
        let size = value.size();
        // Since Linux 6.9, a separate struct contains these two.
        let (common, at): (Struct<'_>, usize) = match member(&value, "common") {
            Some((at, ty)) => (btf.type_by_id(ty)?, at),
            None => (btf.type_by_name("bpf_struct_ops_tcp_congestion_ops")?, 0),
        };
        let (data, ops) = member(&value, "data")?;
        let ops: Struct<'_> = btf.type_by_id(ops)?;
        let function = |name: &str| Some(data + member(&ops, name)?.0);
        let functions: Option<Vec<_>> = FUNCTIONS.iter().map(|name| function(name)).collect();
        Some(Layout {
            refcnt: at + member(&common, "refcnt")?.0,
            state: at + member(&common, "state")?.0,
            name: data + member(&ops, "name")?.0,
            functions: functions?.into_iter().chain(function(TX_START)).collect(),
            size,
            tx_start: function(TX_START).is_some(),
            links: btf.type_by_name::<Struct<'_>>("bpf_struct_ops_link").is_some(),
        })
    }
}

/// Whether a kernel with these types skips calls of programs. A vendor's `__bpf_prog_enter` skips programs that the first
/// process does not own while one of its threads runs. It does not count them, and the caller reads the result from
/// uninitialised stack memory. This kernel's `struct bpf_prog_aux` has an extra member.
pub(crate) fn skips_programs(btf: &Btf<'_>) -> bool {
    let aux: Option<Struct<'_>> = btf.type_by_name("bpf_prog_aux");
    aux.is_some_and(|aux| aux.iter().any(|member| member.name.is_some_and(|name| name == "init_owned")))
}

/// A member's offset in bytes and its type.
fn member(of: &Struct<'_>, name: &str) -> Option<(usize, TypeId)> {
    let member = of.iter().find(|member| member.name.is_some_and(|n| n == name))?;
    match member.attr {
        MemberAttr::Normal { offset } => Some((offset as usize / 8, member.ty)),
        MemberAttr::BitField { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::skips_programs;
    use libbpf_rs::btf::Btf;

    /// Of kernels that have such types: the vendor's, and one without.
    #[test]
    fn a_kernel_that_skips_programs_is_known_by_its_types() {
        let objects: [(&[u8], bool); 2] = [
            (include_bytes!(concat!(env!("OUT_DIR"), "/skipping.bpf.o")), true),
            (include_bytes!(concat!(env!("OUT_DIR"), "/calling.bpf.o")), false),
        ];
        for (object, skips) in objects {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), object).unwrap();
            assert_eq!(skips_programs(&Btf::from_path(file.path()).unwrap()), skips);
        }
    }
}
