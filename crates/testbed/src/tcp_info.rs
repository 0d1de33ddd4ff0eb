//! The kernel's state of a connection and its subflows.

use crate::pair::path_of;
use crate::sys::socket_option;
use std::io;
use std::mem::offset_of;
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

const SOL_MPTCP: i32 = 284;
const MPTCP_INFO: i32 = 1;
const MPTCP_TCPINFO: i32 = 2;
const MPTCP_SUBFLOW_ADDRS: i32 = 3;

/// A state of TCP (net/tcp_states.h).
const TCP_CLOSE: u8 = 7;

/// The most subflows of a connection, the first included, with room for some that are being closed.
const MOST: usize = 16;
/// Attempts to read the list of subflows while it changes.
const TRIES: usize = 4;

/// `struct tcp_info` (linux/tcp.h) of Linux 6.7, where an array stands for the values that nothing reads, by the first's
/// name. A shorter one is padded with zeros.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
#[allow(missing_docs)]
pub struct TcpInfo {
    pub state: u8,
    pub ca_state: u8,
    retransmits: [u8; 6],
    rto: [u32; 2],
    pub snd_mss: u32,
    rcv_mss: u32,
    pub unacked: u32,
    pub sacked: u32,
    pub lost: u32,
    pub retrans: u32,
    fackets: [u32; 7],
    pub rtt_us: u32,
    rttvar: u32,
    pub snd_ssthresh: u32,
    pub snd_cwnd: u32,
    advmss: [u32; 4],
    pub total_retrans: u32,
    pacing_rate: [u64; 2],
    pub bytes_acked: u64,
    pub bytes_received: u64,
    segs_out: [u32; 5],
    pub data_segs_out: u32,
    delivery_rate: [u64; 5],
    pub bytes_sent: u64,
    pub bytes_retrans: u64,
    dsack_dups: [u32; 3],
    pub snd_wnd: u32,
    rcv_wnd: [u32; 2],
    /// Retransmission timeouts; see [`Subflow::timeouts`].
    total_rto: u16,
    total_rto_recoveries: [u16; 3],
}

/// A subflow, or a connection of plain TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Subflow {
    /// The scenario's path, counted from 0.
    pub path: usize,
    /// Its counters and times.
    pub info: TcpInfo,
    /// Retransmission timeouts; `None` before Linux 6.7.
    pub timeouts: Option<u32>,
}

/// `struct mptcp_info` (linux/mptcp.h) of Linux 6.6, with arrays as in [`TcpInfo`].
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct MptcpInfo {
    subflows: [u8; 8],
    flags: u32,
    token: u32,
    write_seq: [u64; 3],
    local_addr_used: [u8; 4],
    retransmits: u32,
    bytes_retrans: u64,
    bytes_sent: u64,
    bytes_received: u64,
}

/// The MPTCP state of a connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multipath {
    /// Whether the connection fell back to plain TCP.
    pub is_fallback: bool,
    /// Bytes retransmitted on another subflow; `None` before Linux 6.6.
    pub reinjected_bytes: Option<u64>,
    /// Bytes that arrived in order; `None` before Linux 6.6.
    pub received_bytes: Option<u64>,
}

/// The state of an MPTCP socket.
pub fn multipath(socket: impl AsFd) -> io::Result<Multipath> {
    let mut info = MptcpInfo::new_zeroed();
    let len = match socket_option(socket, SOL_MPTCP, MPTCP_INFO, info.as_mut_bytes()) {
        // The kernel passes the options of a connection that fell back on to TCP, which does not know this one.
        Err(e) if e.raw_os_error() == Some(libc::EOPNOTSUPP) => {
            return Ok(Multipath { is_fallback: true, reinjected_bytes: None, received_bytes: None });
        }
        done => done?,
    };
    let known = |offset| len >= offset + size_of::<u64>();
    Ok(Multipath {
        is_fallback: info.flags & 1 != 0,
        reinjected_bytes: known(offset_of!(MptcpInfo, bytes_retrans)).then_some(info.bytes_retrans),
        received_bytes: known(offset_of!(MptcpInfo, bytes_received)).then_some(info.bytes_received),
    })
}

/// The current subflows of a socket at either end; one for plain TCP, also after a fallback. Closed subflows and their counters
/// are missing. `None` if the list changes during every attempt.
pub fn subflows(socket: impl AsFd, multipath: bool) -> io::Result<Option<Vec<Subflow>>> {
    if !multipath {
        let mut info = TcpInfo::new_zeroed();
        let len = socket_option(&socket, libc::IPPROTO_TCP, libc::TCP_INFO, info.as_mut_bytes())?;
        return Ok(Some(vec![subflow(0, info, len)]));
    }
    // The kernel returns addresses and counters by two calls; between them, subflows may be added or removed.
    for _ in 0..TRIES {
        let paths = paths(&socket)?;
        let subflows = infos(&socket)?;
        if paths.len() == subflows.len() && paths == self::paths(&socket)? {
            let known =
                paths.into_iter().zip(subflows).filter_map(|(path, (info, len))| Some((path?, info, len)));
            // The first subflow stays in the list after it has closed.
            let there = known.filter(|(_, info, _)| info.state != TCP_CLOSE);
            return Ok(Some(there.map(|(path, info, len)| subflow(path, info, len)).collect()));
        }
    }
    Ok(None)
}

fn subflow(path: usize, info: TcpInfo, len: usize) -> Subflow {
    let knows_timeouts = len >= offset_of!(TcpInfo, total_rto) + size_of::<u16>();
    Subflow { path, info, timeouts: knows_timeouts.then_some(info.total_rto.into()) }
}

/// `struct mptcp_subflow_data`, which precedes an array.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
struct Header {
    size: u32,
    subflows: u32,
    kernel: u32,
    user: u32,
}

/// The address of a `sockaddr_storage` if its family is IPv4; two of them are a `mptcp_subflow_addrs`.
const ADDRESS: std::ops::Range<usize> = 4..8;
const STORAGE: usize = 128;

/// Reads an MPTCP option's rows, one for each subflow, with at most `row` bytes each.
fn rows(socket: impl AsFd, name: i32, row: usize) -> io::Result<Vec<Vec<u8>>> {
    const HEADER: usize = size_of::<Header>();
    let mut bytes = vec![0; HEADER + MOST * row];
    let request = Header { size: HEADER as u32, subflows: 0, kernel: 0, user: row as u32 };
    bytes[..HEADER].copy_from_slice(request.as_bytes());
    socket_option(socket, SOL_MPTCP, name, &mut bytes)?;
    let (header, rows) = Header::read_from_prefix(&bytes).expect("the header is there");
    if header.subflows as usize > MOST {
        return Err(io::Error::other(format!("too many subflows: {}, the limit is {MOST}", header.subflows)));
    }
    // A kernel with a shorter struct packs its rows more closely.
    let rows = rows.chunks((header.user as usize).max(1)).take(header.subflows as usize);
    Ok(rows.map(<[u8]>::to_vec).collect())
}

/// Each subflow's path, if the addresses belong to a scenario.
fn paths(socket: impl AsFd) -> io::Result<Vec<Option<usize>>> {
    let rows = rows(socket, MPTCP_SUBFLOW_ADDRS, 2 * STORAGE)?;
    let path = |address: &[u8]| path_of(Ipv4Addr::from(<[u8; 4]>::try_from(&address[ADDRESS]).ok()?));
    Ok(rows.iter().map(|row| path(row).or_else(|| path(&row[STORAGE..]))).collect())
}

/// Each subflow's `tcp_info`, and the number of bytes that the kernel filled.
fn infos(socket: impl AsFd) -> io::Result<Vec<(TcpInfo, usize)>> {
    let rows = rows(socket, MPTCP_TCPINFO, size_of::<TcpInfo>())?;
    let info = |row: &Vec<u8>| {
        let mut info = TcpInfo::new_zeroed();
        info.as_mut_bytes()[..row.len()].copy_from_slice(row);
        (info, row.len())
    };
    Ok(rows.iter().map(info).collect())
}
