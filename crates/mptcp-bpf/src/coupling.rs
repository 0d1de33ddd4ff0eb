//! Detects MPTCP connections that are not coupled although one of their subflows, or their network namespace, uses an algorithm
//! of ours, and listeners that would accept such connections.
//!
//! Linux stores two algorithms for a connection. A subflow's TCP socket uses the default of its network namespace at its
//! creation. The MPTCP socket stores a name: the default at *its* creation, which it inherits from its listener. Once the
//! program sets any socket option, the kernel gives joining subflows the algorithm of that name
//! (`mptcp_sockopt_sync_locked`).

use crate::namespace::all;
use crate::object::object;
use crate::{Error, Namespace, messages, programs};
use anabranch_cc_fixed::registry;
use libbpf_rs::{Iter, Link, ObjectBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::net::SocketAddr;
use zerocopy::FromBytes;

/// The iterator (`bpf/subflows.h`).
const PROGRAM: &str = "ab_list_subflows";

const LISTEN: u8 = 10;

/// `struct ab_listed` of `bpf/subflows.h`.
#[derive(Clone, FromBytes)]
#[repr(C)]
struct ListedSocket {
    ops: u64,
    owner: u64,
    acked: u64,
    token: u32,
    family: u16,
    local_port: u16,
    remote_port: u16,
    state: u8,
    own_choice: u8,
    unloaded: u8,
    fallback: u8,
    local: [u8; 16],
    remote: [u8; 16],
    name: [u8; 16],
    connection: [u8; 16],
}

/// What a check has found: a connection that is not coupled, connections that fell back to TCP, or a listener.
#[derive(Debug, PartialEq)]
struct Found {
    /// The local address of a connection or a listener, and the remote one of a connection. `None` where connections fell back to TCP.
    socket: Option<(SocketAddr, Option<SocketAddr>)>,
    /// The sentence for display, up to the program that has the socket open.
    sentence: String,
}

// The reasons why the subflows of a connection are not one group.

const ALGORITHMS: &str = "its subflows have several algorithms";
/// They have algorithms of the kernel, although new sockets of the namespace get one of ours.
const DEFAULT: &str = "it is older than the choice of its namespace's algorithm";
/// They have one algorithm by name, but it was unloaded and loaded again between them.
const LOADS: &str = "its subflows use two loads of one algorithm";
/// The algorithm's table was full when some of them asked for a row.
const ROWS: &str = "some of its subflows have no row in the algorithm's table";

/// Finds connections that are not coupled.
pub struct Coupling {
    link: Result<Link, Error>,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct CouplingReport {
    /// A sentence, without its full stop, on every connection that is not coupled, on every listener that will accept such
    /// connections, and on those that requested MPTCP and got TCP.
    pub uncoupled: Vec<String>,
    /// The reason why the list may be incomplete.
    pub incomplete: Option<String>,
}

impl Coupling {
    /// Loads the program. If the kernel rejects it, each check reports so.
    pub fn open() -> Self {
        messages::listen();
        messages::take();
        Coupling { link: attach_iterator().map_err(Error::bpf("load the list of MPTCP's sockets")) }
    }

    /// Checks all network namespaces that have a name or a process.
    pub fn check(&self) -> CouplingReport {
        let mut report = CouplingReport::default();
        let incomplete =
            |why: &Error| Some(format!("this list of uncoupled connections may be incomplete: {why}"));
        let link = match &self.link {
            Ok(link) => link,
            Err(why) => return CouplingReport { incomplete: incomplete(why), ..report },
        };
        for namespace in all() {
            // The namespace may have been removed.
            let Ok(default) = namespace.chosen() else { continue };
            let Ok(listed) = namespace.run_inside(|| list_sockets(link)) else { continue };
            match listed.map_err(Error::bpf(format!("list the MPTCP sockets of {}", namespace.name))) {
                Ok(listed) => {
                    let found = find_uncoupled(&namespace.name, &default, &listed);
                    report.uncoupled.extend(name_programs(&namespace, found));
                }
                Err(why) => report.incomplete = incomplete(&why),
            }
        }
        report
    }
}

/// Completes the sentences by the programs that have the sockets open, if they are known.
fn name_programs(namespace: &Namespace, found: Vec<Found>) -> Vec<String> {
    if found.is_empty() {
        return vec![];
    }
    let inodes = namespace.run_inside(programs::inodes).unwrap_or_default();
    let inode = |found: &Found| match found.socket? {
        (local, Some(remote)) => inodes.get(&(local, remote)).copied(),
        (local, None) => {
            inodes.iter().find(|((at, to), _)| *at == local && to.port() == 0).map(|(_, inode)| *inode)
        }
    };
    let holders = programs::holders(&found.iter().filter_map(inode).collect());
    let complete = |found: Found| {
        let holder = inode(&found).and_then(|inode| holders.get(&inode));
        match (found.socket, holder) {
            (Some((_, Some(_))), Some(program)) => format!("{} of {program}", found.sentence),
            (Some((_, None)), Some(program)) => format!("{} {program}", found.sentence),
            (Some((_, None)), None) => format!("{} the program", found.sentence),
            _ => found.sentence,
        }
    };
    found.into_iter().map(complete).collect()
}

/// Attaches the iterator, which can then be read in any namespace.
fn attach_iterator() -> libbpf_rs::Result<Link> {
    // Each object contains the program.
    let bytes = registry::all().first().map_or(&[][..], object);
    let mut open = ObjectBuilder::default().open_memory(bytes)?;
    for mut program in open.progs_mut() {
        let wanted = program.name() == PROGRAM;
        program.set_autoload(wanted);
    }
    for mut map in open.maps_mut() {
        map.set_autocreate(false)?;
    }
    let object = open.load()?;
    let mut program = object.progs_mut().find(|program| program.name() == PROGRAM);
    program.as_mut().map_or_else(|| Err(std::io::Error::other("no such program").into()), |p| p.attach())
}

/// The sockets of this thread's network namespace.
fn list_sockets(link: &Link) -> libbpf_rs::Result<Vec<ListedSocket>> {
    let mut bytes = Vec::new();
    Iter::new(link)?.read_to_end(&mut bytes)?;
    let rows = bytes.chunks_exact(size_of::<ListedSocket>());
    Ok(rows.filter_map(|row| ListedSocket::read_from_bytes(row).ok()).collect())
}

impl ListedSocket {
    fn name(&self) -> String {
        text(&self.name)
    }

    fn ends(&self) -> Option<(SocketAddr, SocketAddr)> {
        use crate::monitor::decode::address;
        let local = SocketAddr::new(address(self.family, self.local)?, self.local_port);
        Some((local, SocketAddr::new(address(self.family, self.remote)?, self.remote_port)))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or_default()).into_owned()
}

fn is_ours(name: &str) -> bool {
    registry::all().iter().any(|entry| entry.kernel_name == name)
}

/// Finds the uncoupled connections and listeners among a namespace's sockets. New sockets there get `default`.
fn find_uncoupled(netns: &str, default: &str, listed: &[ListedSocket]) -> Vec<Found> {
    // A connection that fell back to TCP early may have no token, and is one subflow.
    let mut connections: BTreeMap<u32, Vec<&ListedSocket>> = BTreeMap::new();
    let mut found = Vec::new();
    let mut fallbacks = Vec::new();
    for socket in listed {
        if socket.fallback != 0 {
            fallbacks.extend(socket.ends().filter(|_| is_ours(&socket.name())));
        } else if socket.state != LISTEN && socket.token != 0 {
            connections.entry(socket.token).or_default().push(socket);
        } else if let (LISTEN, Some((local, _))) = (socket.state, socket.ends()) {
            // A listener keeps an algorithm that its program selected, even after unloading. A default is looked up per
            // connection.
            let (accepted, older) = match socket.own_choice {
                0 => (default.to_owned(), false),
                _ => (socket.name(), socket.unloaded != 0),
            };
            let joined = text(&socket.connection);
            if (older || accepted != joined) && [&accepted, &joined].into_iter().any(|name| is_ours(name)) {
                let load = if older { " of an earlier load" } else { "" };
                let sentence = format!(
                    "the listener {local} in {netns} will accept connections that are not coupled: the first subflow gets {accepted}{load}, joining subflows get {joined} once the program sets a socket option. Restart"
                );
                found.push(Found { socket: Some((local, None)), sentence });
            }
        }
    }
    for (token, subflows) in connections {
        let Some(why) = split_reason(&subflows, is_ours(default)) else { continue };
        let ends = subflows.iter().find_map(|subflow| subflow.ends());
        let of = |subflow: &&ListedSocket| {
            subflow.ends().map(|(local, remote)| format!("{local}→{remote} {}", subflow.name()))
        };
        let subflows = subflows.iter().filter_map(of).collect::<Vec<_>>().join(", ");
        let sentence = format!(
            "connection {token:08x} in {netns} is not coupled: {why} ({subflows}). Reopen the connection"
        );
        found.push(Found { socket: ends.map(|(local, remote)| (local, Some(remote))), sentence });
    }
    if let Some((local, remote)) = fallbacks.first() {
        let what = match fallbacks.len() {
            1 => format!("a connection in {netns} ({local}→{remote}) fell back to TCP and has one subflow"),
            n => format!(
                "{n} connections in {netns} fell back to TCP, such as {local}→{remote}, and have one subflow each"
            ),
        };
        let sentence = format!("{what}. The other end, or a device on the way, does not use MPTCP");
        found.push(Found { socket: None, sentence });
    }
    found
}

/// The reason why one or several subflows are not one group; `by_default`: new sockets get an algorithm of ours.
fn split_reason(subflows: &[&ListedSocket], by_default: bool) -> Option<&'static str> {
    let names: BTreeSet<String> = subflows.iter().map(|subflow| subflow.name()).collect();
    let loads: BTreeSet<u64> = subflows.iter().map(|subflow| subflow.ops).collect();
    if subflows.len() < 2 {
        return None;
    }
    if !names.iter().any(|name| is_ours(name)) {
        // If their program selected it, it wants no other.
        let is_chosen = subflows.iter().all(|subflow| subflow.own_choice != 0);
        return (by_default && !is_chosen).then_some(DEFAULT);
    }
    // A socket requests a row when its own data is acknowledged. The SYN counts as a byte.
    let has_no_row = |subflow: &&ListedSocket| subflow.owner == 0 && subflow.acked > 1;
    match (names.len(), loads.len()) {
        (1, 1) => subflows.iter().any(has_no_row).then_some(ROWS),
        (1, _) => Some(LOADS),
        _ => Some(ALGORITHMS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(token: u32, state: u8, name: &str) -> ListedSocket {
        let mut listed = ListedSocket::read_from_bytes(&[0; size_of::<ListedSocket>()]).unwrap();
        listed.name[..name.len()].copy_from_slice(name.as_bytes());
        let ops = name.len() as u64;
        ListedSocket { ops, owner: 1, acked: 1000, token, family: 2, state, ..listed }
    }

    fn listener(name: &str, connection: &str) -> ListedSocket {
        let mut listed = socket(0, LISTEN, name);
        listed.connection[..connection.len()].copy_from_slice(connection.as_bytes());
        listed
    }

    #[test]
    fn connections_with_one_algorithm_and_its_rows_are_coupled() {
        let (lia, cubic) = (socket(1, 1, "ab_lia"), socket(1, 1, "cubic"));
        let again = ListedSocket { ops: 99, ..lia.clone() };
        let refused = ListedSocket { owner: 0, ..lia.clone() };
        let young = ListedSocket { acked: 1, ..refused.clone() };
        for (subflows, why) in [
            (vec![&lia], None),
            (vec![&lia, &lia], None),
            (vec![&lia, &young], None),
            (vec![&cubic, &cubic], None),
            (vec![&lia, &cubic], Some(ALGORITHMS)),
            (vec![&lia, &again], Some(LOADS)),
            (vec![&lia, &refused], Some(ROWS)),
        ] {
            assert_eq!(split_reason(&subflows, false), why);
        }
        let chosen = ListedSocket { own_choice: 1, ..cubic.clone() };
        assert_eq!(split_reason(&[&cubic, &cubic], true), Some(DEFAULT));
        assert_eq!(split_reason(&[&cubic, &chosen], true), Some(DEFAULT));
        assert_eq!(split_reason(&[&chosen, &chosen], true), None, "its program selected cubic");
        assert_eq!(split_reason(&[&cubic], true), None, "one subflow has nothing to couple");
        let other = ListedSocket { token: 2, ..cubic.clone() };
        assert_eq!(find_uncoupled("here", "ab_lia", &[lia.clone(), other]), []);
        let fallen = [&lia, &cubic].map(|socket| ListedSocket { token: 0, ..socket.clone() });
        assert_eq!(find_uncoupled("here", "ab_lia", &fallen), [], "two connections, which fell back to TCP");
        let said = &find_uncoupled("here", "ab_lia", &[lia, cubic])[0].sentence;
        assert!(said.starts_with("connection 00000001 in here is not coupled: its subflows"), "{said}");
    }

    #[test]
    fn connections_that_fell_back_are_counted() {
        let tcp = ListedSocket { fallback: 1, ..socket(1, 1, "ab_lia") };
        let second = ListedSocket { token: 0, ..tcp.clone() };
        let theirs = ListedSocket { fallback: 1, ..socket(3, 1, "cubic") };
        let said = |listed: &[ListedSocket]| find_uncoupled("here", "ab_lia", listed).remove(0).sentence;
        let text = "a connection in here (0.0.0.0:0→0.0.0.0:0) fell back to TCP and has one subflow. The";
        assert!(said(std::slice::from_ref(&tcp)).starts_with(text), "{}", said(std::slice::from_ref(&tcp)));
        let several = said(&[tcp, second, theirs]);
        assert!(several.starts_with("2 connections in here fell back to TCP"), "{several}");
    }

    /// Accepted sockets have the namespace's default unless the program chose for the listener.
    #[test]
    fn listeners_of_before_the_choice_are_found() {
        let older = listener("cubic", "cubic");
        let chosen = ListedSocket { own_choice: 1, ..older.clone() };
        let count = |default, listener: &ListedSocket| {
            find_uncoupled("here", default, std::slice::from_ref(listener)).len()
        };
        assert_eq!((count("ab_lia", &older), count("ab_lia", &chosen)), (1, 0));
        assert_eq!((count("cubic", &older), count("reno", &older)), (0, 0));
        assert_eq!(count("cubic", &listener("ab_lia", "ab_lia")), 1);
    }

    /// Accepted sockets get the listener's own load, whatever the default is; sockets that join get the load that has the name now.
    #[test]
    fn listeners_that_chose_before_an_unloading_are_found() {
        let lia = ListedSocket { own_choice: 1, unloaded: 1, ..listener("ab_lia", "ab_lia") };
        let said = &find_uncoupled("here", "ab_lia", std::slice::from_ref(&lia))[0].sentence;
        assert!(said.contains("gets ab_lia of an earlier load, joining subflows get"), "{said}");
        let inherits = ListedSocket { own_choice: 0, ..lia.clone() };
        let theirs = ListedSocket { unloaded: 1, own_choice: 1, ..listener("bbr", "bbr") };
        let present = ListedSocket { unloaded: 0, ..lia };
        assert_eq!(find_uncoupled("here", "ab_lia", &[inherits, theirs, present]), []);
    }
    /// A kernel without the iterator: whoever asks shows the rest.
    #[test]
    fn a_failed_check_reports_the_reason() {
        let report = Coupling { link: Err(Error::Layout("iterator")) }.check();
        assert!(report.uncoupled.is_empty());
        assert!(report.incomplete.unwrap().contains("this kernel's iterator has an unknown layout"));
    }
}
