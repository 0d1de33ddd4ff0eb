//! The users of algorithms in the kernel, sockets and network namespaces, and notes on those that are not coupled.

use crate::output::note;
use anabranch::algorithms::kernel_registry::KernelEntry;
use anabranch::counted;
use anabranch::kernel::{CouplingReport, Error, Namespace};

/// Names the users of an algorithm that another build loaded, and the commands that load this build's.
pub fn other_in_use(entry: &KernelEntry, references: u32) -> String {
    let name = entry.kernel_name;
    let choosers = anabranch::kernel::selecting_namespaces(name);
    let sockets = count_sockets(references, &choosers);
    let users = [(sockets > 0).then(|| counted(sockets, "socket")), join_names(&choosers)];
    let users = users.into_iter().flatten().collect::<Vec<_>>().join(" and by ");
    format!(
        "loaded by another build of anabranch and used by {users}; to switch new sockets to this build, run `anabranch kernel unload {name}` and `anabranch kernel load {name}`",
    )
}

/// The number of references from sockets: all that are not from namespaces.
pub fn count_sockets(references: u32, choosers: &[Namespace]) -> usize {
    references.saturating_sub(choosers.len() as u32) as usize
}

/// The names of the namespaces, or `None` without namespaces.
pub fn join_names(namespaces: &[Namespace]) -> Option<String> {
    let names: Vec<_> = namespaces.iter().map(|namespace| namespace.name.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Selects the algorithm again in the namespaces that had selected it: they would keep the unloaded programs of that name.
pub fn select_again(entry: &KernelEntry) -> Result<String, Error> {
    let choosers = anabranch::kernel::selecting_namespaces(entry.kernel_name);
    for namespace in &choosers {
        namespace.choose(entry.kernel_name)?;
    }
    let said = join_names(&choosers).map(|names| format!("; new sockets of {names} use it"));
    Ok(said.unwrap_or_default())
}

pub fn mptcp_is_off(namespace: &Namespace) {
    if namespace.mptcp_enabled().is_ok_and(|on| !on) {
        note(&format!(
            "MPTCP is off in {}, so nothing is coupled: switch it on there with `sysctl -w net.mptcp.enabled=1`, after `ip netns exec NAME` for a named namespace",
            namespace.name
        ));
    }
}

/// Notes on stderr the uncoupled connections, and listeners that would create them.
pub fn note_uncoupled(coupling: &CouplingReport) {
    coupling.uncoupled.iter().for_each(|uncoupled| note(&format!("{uncoupled}.")));
    coupling.incomplete.iter().for_each(|why| note(why));
}
