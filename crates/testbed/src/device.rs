//! TUN devices: network interfaces with a file of this process at the other end.

#![allow(unsafe_code)]

use crate::TestbedError;
use crate::netlink::set_up;
use netlink_packet_route::link::LinkAttribute;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::ioctl::{IntegerSetter, Opcode, Updater, ioctl, opcode};
use std::ffi::c_int;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the `virtio_net_hdr` before each packet.
pub(crate) const VNET_HEADER: usize = 10;
/// The most bytes of a read: the largest IPv4 packet and the header before it.
pub(crate) const LARGEST_READ: usize = VNET_HEADER + 65_535;

/// The length of a device's queue, in packets. Packets beyond it are lost outside of the link models.
const KEPT_PACKETS: u32 = 10_000;

// linux/if_tun.h
const TUNSETIFF: Opcode = opcode::write::<c_int>(b'T', 202);
const TUNSETOFFLOAD: Opcode = opcode::write::<c_int>(b'T', 208);
const IFF_TUN: u16 = 0x0001;
const IFF_NO_PI: u16 = 0x1000;
const IFF_VNET_HDR: u16 = 0x4000;
const TUN_F_CSUM: usize = 0x01;
const TUN_F_TSO4: usize = 0x02;

/// `struct ifreq`: a name of up to 15 bytes and a zero, and from the 16th byte on a value.
#[repr(C, align(8))]
struct InterfaceRequest([u8; 40]);

/// This process's end of a network interface: reads the host's outgoing packets, and writes its incoming ones. The interface
/// disappears with the last copy of this descriptor.
///
/// A `virtio_net_hdr` precedes each packet: the host leaves checksums and segmentation to the reader, as to a network card.
/// It segments only packets with CWR itself, because only the first segment carries that flag.
#[derive(Debug)]
pub struct Tun {
    file: OwnedFd,
    /// The size of the largest packet that the host sends without segmentation, in bytes.
    pub mtu: u32,
}

impl Tun {
    /// Creates the interface `name` in the calling thread's network namespace and sets it up.
    ///
    /// # Errors
    /// `/dev/net/tun` is missing, the name is taken, or the thread lacks the privilege.
    pub fn open(name: &str, mtu: u32) -> Result<Tun, TestbedError> {
        let doing = format!("create the TUN device `{name}` with an MTU of {mtu}");
        open(name, mtu).map_err(TestbedError::kernel(doing))
    }

    /// Reads a packet; `None` if there is no packet.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::retry_on_intr(|| rustix::io::read(&self.file, &mut *buffer)) {
            Ok(length) => Ok(Some(length)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a packet, including the header before it.
    #[inline]
    pub(crate) fn write(&self, packet: &[u8]) -> io::Result<()> {
        Ok(rustix::io::retry_on_intr(|| rustix::io::write(&self.file, packet)).map(drop)?)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

fn open(name: &str, mtu: u32) -> io::Result<Tun> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open("/dev/net/tun", flags, Mode::empty())?;
    let mut request = InterfaceRequest([0; 40]);
    let room = request.0[..15].get_mut(..name.len()).ok_or(io::ErrorKind::InvalidInput)?;
    room.copy_from_slice(name.as_bytes());
    request.0[16..18].copy_from_slice(&(IFF_TUN | IFF_NO_PI | IFF_VNET_HDR).to_ne_bytes());
    // SAFETY: the request takes a pointer to a `struct ifreq`, of which the kernel overwrites at most the name and the value.
    unsafe { ioctl(&file, Updater::<TUNSETIFF, _>::new(&mut request)) }?;
    // SAFETY: the request takes a number.
    unsafe { ioctl(&file, IntegerSetter::<TUNSETOFFLOAD>::new_usize(TUN_F_CSUM | TUN_F_TSO4)) }?;
    set_up(name, &[LinkAttribute::Mtu(mtu), LinkAttribute::TxQueueLen(KEPT_PACKETS)])?;
    Ok(Tun { file, mtu })
}

/// The total number of packets that the interfaces of the calling thread's namespace dropped because they were not read in
/// time.
pub fn dropped_packets() -> Result<u64, TestbedError> {
    let file = "/proc/thread-self/net/dev";
    let table = fs::read_to_string(file).map_err(TestbedError::kernel(format!("read {file}")))?;
    Ok(sum_of_drops(&table))
}

/// The sum of outgoing drops, the twelfth column after the name.
fn sum_of_drops(table: &str) -> u64 {
    let numbers = table.lines().filter_map(|line| line.split_once(':'));
    numbers.filter_map(|(_, rest)| rest.split_whitespace().nth(11)?.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::sum_of_drops;

    #[test]
    fn drops_are_found_in_the_kernels_table() {
        let table = "Inter-|   Receive                                                |  Transmit\n \
            face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n\
            \x20   lo:     100       2    3    4    5     6          7         8      900      10   11    12   13    14      15         16\n\
            \x20path1:1 2 3 4 5 6 7 8 9 10 11 30 13 14 15 16\n";
        assert_eq!(sum_of_drops(table), 42);
    }
}
