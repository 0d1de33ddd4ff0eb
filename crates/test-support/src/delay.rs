//! A path's delay, where the kernel has no queueing discipline that makes one: a TUN device whose packets come out of
//! it again later.

use crate::namespace::Namespace;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::fs::File;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, panicking, spawn};
use std::time::{Duration, Instant};
use tun_rs::{DeviceBuilder, SyncDevice};

const TUN: &str = "/dev/net/tun";

const DEVICE: &str = "delay";

/// The sizes of the device's packets, bytes: Ethernet's.
const MTU: usize = 1500;

/// How long the end of the delay may not be noticed.
const TICK: Duration = Duration::from_millis(50);

/// Forwarded packets are late as long as this lives. Its device goes with it.
pub struct Delay {
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Delay {
    /// The reason why the delay is not available here, if so.
    pub fn lacking() -> Option<String> {
        File::open(TUN).err().map(|why| format!("{TUN}: {why}"))
    }

    /// Of what `router` forwards from one of its interfaces.
    pub fn of(router: &Namespace, interface: &str, delay: Duration) -> Self {
        let device = router.run(|| DeviceBuilder::new().name(DEVICE).build_sync().unwrap());
        device.set_nonblocking(true).unwrap();
        // Room for what comes while others have the processor.
        router.command(&format!("ip link set {DEVICE} mtu {MTU} txqueuelen 10000 up"));
        router.command(&format!("ip rule add iif {interface} table 1"));
        router.command(&format!("ip route add default dev {DEVICE} table 1"));
        // The way back to who sent what comes out of the device is not through it.
        for name in ["all", DEVICE] {
            router.set(&format!("ipv4/conf/{name}/rp_filter"), "0");
        }
        let ends = Arc::new(AtomicBool::new(false));
        let thread = spawn({
            let ends = Arc::clone(&ends);
            move || carry(&device, delay, &ends)
        });
        Delay { ends, thread: Some(thread) }
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        // A test that fails already says more.
        assert!(panicking() || !matches!(ended, Some(Err(_))), "packets were no longer carried");
    }
}

/// Reads packets from the device and writes each to it when it has waited.
fn carry(device: &SyncDevice, delay: Duration, ends: &AtomicBool) {
    let mut waiting: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
    let mut packet = [0; MTU];
    while !ends.load(Ordering::Relaxed) {
        while let Some(length) = read(device, &mut packet) {
            waiting.push_back((Instant::now() + delay, packet[..length].to_vec()));
        }
        while waiting.front().is_some_and(|(due, _)| *due <= Instant::now()) {
            device.send(&waiting.pop_front().unwrap().1).unwrap();
        }
        let next = waiting.front().map_or(TICK, |(due, _)| due.saturating_duration_since(Instant::now()));
        let timeout = Timespec::try_from(next.min(TICK)).unwrap();
        poll(&mut [PollFd::new(device, PollFlags::IN)], Some(&timeout)).unwrap();
    }
}

/// The length of the next packet, if one is there.
fn read(device: &SyncDevice, packet: &mut [u8]) -> Option<usize> {
    match device.recv(packet) {
        Err(e) if e.kind() == ErrorKind::WouldBlock => None,
        length => Some(length.unwrap()),
    }
}
