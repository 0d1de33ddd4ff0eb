//! A virtual machine in virtual time: QEMU that counts instructions, one for a nanosecond, and whose clock jumps to what comes next
//! while its processor idles. What it does depends neither on the speed nor on the other work of the machine that it runs on, and it
//! does the same each time.

use crate::{TestbedError, environment};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{
    Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit,
};
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

const QEMU: &str = "qemu-system-x86_64";

/// Enough for an image, a program without optimisation, and the sockets' buffers of fast long paths.
const MEGABYTES: &str = "1024";

/// All that QEMU emulates, but for what it does wrong or slowly: after `cmpxchg16b` an interrupt may find false flags, of which a kernel
/// died (QEMU 7.2.22), and a fifth level of page tables costs time.
const CPU: &str = "max,-cx16,-la57";

/// What is written to its serial ports, in this order.
#[derive(Clone, Copy)]
pub enum Port {
    /// The kernel's messages.
    Console,
    /// What the job gives.
    Outcome,
    /// What the job complains of.
    Errors,
    /// Samples over time.
    Samples,
}

/// A running machine. It ends when it is dropped, and with the thread that started it.
///
/// Its files are in memory, so that nothing is left of it however this process ends.
pub struct Machine {
    process: Child,
    ports: [File; 4],
    _initramfs: File,
}

impl Machine {
    /// Fails if QEMU is missing.
    pub fn is_installed() -> Result<(), TestbedError> {
        if environment::is_installed(QEMU) { Ok(()) } else { Err(missing()) }
    }

    /// Boots a kernel with the archives as its first file system, one after the other. `seed` is the seed of all that is random in
    /// the machine. It is killed after that many seconds of a processor's time.
    pub fn boot(kernel: &Path, archives: &[&[u8]], seed: u64, limit: u64) -> Result<Self, TestbedError> {
        let mut initramfs = memory(c"initramfs")?;
        archives.iter().try_for_each(|archive| initramfs.write_all(archive)).map_err(memory_failed)?;
        let ports = [memory(c"console")?, memory(c"outcome")?, memory(c"errors")?, memory(c"samples")?];

        let mut qemu = Command::new(QEMU);
        qemu.args(["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"])
            .args(["-machine", "pc", "-accel", "tcg", "-cpu", CPU, "-smp", "1", "-m", MEGABYTES])
            // Nobody reads the recording, but who records takes turns: QEMU's main loop moves the clock while the processor idles, and
            // without turns it may take it for idle a moment too early.
            .args(["-icount", "shift=0,sleep=off,rr=record,rrfile=/dev/null"])
            .args(["-rtc", "base=2024-01-01,clock=vm", "-seed", &seed.to_string()])
            .arg("-kernel")
            .arg(kernel)
            .args(["-initrd", &path(&initramfs)])
            // A kernel that panics restarts, and QEMU does not.
            .args(["-append", "console=ttyS0 quiet panic=-1"]);
        qemu.args(ports.iter().flat_map(|port| ["-serial".into(), format!("file:{}", path(port))]));
        // A group of its own: Ctrl-C is for us to handle.
        qemu.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).process_group(0);
        end_with_us(&mut qemu, limit);
        let process = qemu.spawn().map_err(|why| match why.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => TestbedError::Kernel { doing: format!("start {QEMU}"), source: why },
        })?;
        Ok(Machine { process, ports, _initramfs: initramfs })
    }

    /// Its exit status and what QEMU complained of, once it has ended.
    pub fn ended(&mut self) -> Result<Option<(ExitStatus, String)>, TestbedError> {
        let waited = |why| TestbedError::Kernel { doing: format!("wait for {QEMU}"), source: why };
        let Some(status) = self.process.try_wait().map_err(waited)? else { return Ok(None) };
        let said = self.process.stderr.take().map(io::read_to_string).transpose();
        Ok(Some((status, said.map_err(waited)?.unwrap_or_default())))
    }

    /// What a port was given so far.
    pub fn said(&self, port: Port) -> Result<Vec<u8>, TestbedError> {
        let file = &self.ports[port as usize];
        let read = || {
            let mut bytes = vec![0; file.metadata()?.len() as usize];
            file.read_exact_at(&mut bytes, 0)?;
            Ok(bytes)
        };
        read().map_err(memory_failed)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // Fails only where it has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn missing() -> TestbedError {
    TestbedError::Environment(format!("{QEMU} is not installed (Debian's package qemu-system-x86)"))
}

/// A file without a name.
fn memory(name: &CStr) -> Result<File, TestbedError> {
    memfd_create(name, MemfdFlags::CLOEXEC).map(File::from).map_err(|why| memory_failed(why.into()))
}

fn memory_failed(source: io::Error) -> TestbedError {
    TestbedError::Kernel { doing: "store a guest's files in memory".into(), source }
}

/// Under which another process of the user opens it.
fn path(file: &File) -> String {
    format!("/proc/{}/fd/{}", getpid().as_raw_nonzero(), file.as_fd().as_raw_fd())
}

/// Has the program killed when this thread ends, and when it has used that many seconds of a processor.
#[allow(unsafe_code)]
fn end_with_us(program: &mut Command, limit: u64) {
    let us = getpid();
    let limit = Rlimit { current: Some(limit), maximum: Some(limit) };
    // SAFETY: between fork and exec it makes three system calls, and neither allocates nor locks.
    unsafe {
        program.pre_exec(move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            setrlimit(Resource::Cpu, limit)?;
            // Whoever ended before the first of these is no parent any more.
            if getppid() == Some(us) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
        });
    }
}
