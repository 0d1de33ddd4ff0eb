//! A host: an anonymous network namespace.

use crate::netlink::set_up;
use crate::{TestbedError, sys};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread;

const OWN: &str = "/proc/thread-self/ns/net";

/// An anonymous network namespace: the kernel removes it with its last thread, socket and open file.
pub struct Host(File);

impl Host {
    /// Creates a namespace with `lo` up and without IPv6.
    pub fn new() -> Result<Self, TestbedError> {
        let create = || sys::unshare_network().and_then(|()| File::open(OWN));
        let created = in_thread(create).map_err(TestbedError::kernel("create a network namespace"))?;
        let host = Host(created);
        host.run(|| set_up("lo", &[]))?.map_err(TestbedError::kernel("set lo up"))?;
        for of in ["all", "default"] {
            host.set_where_known(&format!("ipv6/conf/{of}/disable_ipv6"), "1")?;
        }
        Ok(host)
    }

    /// Calls `inside` in a thread that has entered the namespace. Its sockets, processes and `/proc/sys/net` belong to the
    /// namespace.
    pub fn run<T: Send>(&self, inside: impl FnOnce() -> T + Send) -> Result<T, TestbedError> {
        in_thread(|| {
            move_into_link_name_space(self.0.as_fd(), Some(LinkNameSpaceType::Network))
                .map_err(TestbedError::kernel("enter a network namespace"))?;
            Ok(inside())
        })
    }

    /// The inode of the namespace, which identifies its sockets.
    pub fn inode(&self) -> Result<u32, TestbedError> {
        let own = self.0.metadata().map_err(TestbedError::kernel("identify a network namespace"))?;
        Ok(own.ino() as u32)
    }

    /// Sets a value below `/proc/sys/net`, such as `ipv4/tcp_ecn`, which the kernel must know.
    pub fn set(&self, name: &str, value: &str) -> Result<(), TestbedError> {
        let file = Path::new("/proc/sys/net").join(name);
        self.run(|| fs::write(file, value))?.map_err(TestbedError::kernel(format!("set {name} to {value}")))
    }

    /// The same; does nothing if the kernel does not know the name.
    pub fn set_where_known(&self, name: &str, value: &str) -> Result<(), TestbedError> {
        match self.set(name, value) {
            Err(TestbedError::Kernel { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(()),
            done => done,
        }
    }
}

impl AsFd for Host {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Calls `f` in a new thread, so that a change of namespace ends with it.
fn in_thread<T: Send>(f: impl FnOnce() -> T + Send) -> T {
    let done = thread::scope(|scope| scope.spawn(f).join());
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
