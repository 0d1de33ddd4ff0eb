//! TUN devices: network interfaces with a file of this process at the other end.

#![allow(unsafe_code)]

use crate::TestbedError;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::ioctl::{IntegerSetter, Opcode, Updater, ioctl, opcode};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::ffi::c_int;
use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the `virtio_net_hdr` before each packet.
pub(crate) const VNET_HEADER: usize = 10;
/// The most bytes of a read: the largest IPv4 packet and the header before it.
pub(crate) const LARGEST_READ: usize = VNET_HEADER + 65_535;

/// The length of a device's queue, in packets. Packets beyond it are lost outside of the link models.
const KEPT_PACKETS: c_int = 10_000;

// linux/if_tun.h
const TUNSETIFF: Opcode = opcode::write::<c_int>(b'T', 202);
const TUNSETOFFLOAD: Opcode = opcode::write::<c_int>(b'T', 208);
const IFF_TUN: u16 = 0x0001;
const IFF_NO_PI: u16 = 0x1000;
const IFF_VNET_HDR: u16 = 0x4000;
const TUN_F_CSUM: usize = 0x01;
const TUN_F_TSO4: usize = 0x02;
// linux/sockios.h, linux/if.h
const SIOCGIFFLAGS: Opcode = 0x8913;
const SIOCSIFFLAGS: Opcode = 0x8914;
const SIOCSIFMTU: Opcode = 0x8922;
const SIOCSIFTXQLEN: Opcode = 0x8943;
const IFF_UP: u16 = 0x0001;

/// `struct ifreq`.
#[repr(C, align(8))]
struct InterfaceRequest {
    name: [u8; 16],
    value: [u8; 24],
}

impl InterfaceRequest {
    fn new(name: &str, value: &[u8]) -> io::Result<InterfaceRequest> {
        let mut request = InterfaceRequest { name: [0; 16], value: [0; 24] };
        if name.is_empty() || name.len() >= request.name.len() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        request.name[..name.len()].copy_from_slice(name.as_bytes());
        request.value[..value.len()].copy_from_slice(value);
        Ok(request)
    }

    /// Sends the request; the kernel may overwrite the value with an answer.
    fn send<const REQUEST: Opcode>(&mut self, fd: impl AsFd) -> io::Result<()> {
        // SAFETY: these requests take a pointer to a `struct ifreq`. The kernel reads its name and accesses at most the 24
        // bytes of its value.
        Ok(unsafe { ioctl(fd, Updater::<REQUEST, Self>::new(self)) }?)
    }
}

/// This process's end of a network interface: reads the host's outgoing packets, and writes its incoming ones. The interface
/// disappears with the last copy of this descriptor.
///
/// A `virtio_net_hdr` precedes each packet: the host leaves checksums and segmentation to the reader, as to a network card.
/// It segments only packets with CWR itself, because only the first segment carries that flag.
#[derive(Debug)]
pub struct Tun {
    file: OwnedFd,
    mtu: u32,
}

impl Tun {
    /// Creates the interface `name` in the calling thread's network namespace and sets it up.
    ///
    /// # Errors
    /// `/dev/net/tun` is missing, the name is taken, or the thread lacks the privilege.
    pub fn open(name: &str, mtu: u32) -> Result<Tun, TestbedError> {
        let doing = || format!("create the TUN device `{name}` with an MTU of {mtu}");
        open(name, mtu).map_err(TestbedError::kernel(doing()))
    }

    /// The size of the largest packet that the host sends without segmentation, in bytes.
    pub fn mtu(&self) -> u32 {
        self.mtu
    }

    /// Reads a packet; `None` if there is no packet.
    #[inline]
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            match rustix::io::read(&self.file, &mut *buffer) {
                Ok(length) => return Ok(Some(length)),
                Err(Errno::AGAIN) => return Ok(None),
                Err(Errno::INTR) => (),
                Err(error) => return Err(error.into()),
            }
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
    let kind = (IFF_TUN | IFF_NO_PI | IFF_VNET_HDR).to_ne_bytes();
    InterfaceRequest::new(name, &kind)?.send::<TUNSETIFF>(&file)?;
    // SAFETY: the request takes a number.
    unsafe { ioctl(&file, IntegerSetter::<TUNSETOFFLOAD>::new_usize(TUN_F_CSUM | TUN_F_TSO4)) }?;

    let control = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    let mtu_bytes = c_int::try_from(mtu).map_err(|_| io::ErrorKind::InvalidInput)?.to_ne_bytes();
    InterfaceRequest::new(name, &mtu_bytes)?.send::<SIOCSIFMTU>(&control)?;
    InterfaceRequest::new(name, &KEPT_PACKETS.to_ne_bytes())?.send::<SIOCSIFTXQLEN>(&control)?;
    let mut flags = InterfaceRequest::new(name, &[])?;
    flags.send::<SIOCGIFFLAGS>(&control)?;
    let now = u16::from_ne_bytes([flags.value[0], flags.value[1]]);
    InterfaceRequest::new(name, &(now | IFF_UP).to_ne_bytes())?.send::<SIOCSIFFLAGS>(&control)?;
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
