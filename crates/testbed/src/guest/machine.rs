//! A virtual machine in virtual time: its clock counts instructions, and jumps to the next event while the processor idles. Its
//! behaviour is reproducible, independent of the host's speed and load.

use crate::process::Process;
use crate::{TestbedError, environment};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::getpid;
use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

const QEMU: &str = "qemu-system-x86_64";

/// All CPU features that QEMU emulates, except a faulty and some slow ones. After `cmpxchg16b`, an interrupt may see wrong
/// flags, which crashed a kernel (QEMU 7.2.22). A fifth level of page tables costs time. With fast `rep movsb` and `rep stosb`,
/// the kernel copies packets by the byte, which was 28 to 46 % of a run's time.
const CPU: &str = "max,-cx16,-la57,-erms,-fsrm";

/// The speed and the memory of a machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// The instructions that the clock counts as a nanosecond.
    pub speed: u32,
    /// The memory in MB. The kernel gives a sixteenth of it to TCP, and beyond that it reduces windows (`tcp_mem`).
    pub megabytes: u32,
}

/// The serial ports, in order, by their content.
#[derive(Clone, Copy)]
pub enum Port {
    /// The kernel's messages.
    Console,
    /// The job's output.
    Outcome,
    /// The job's error messages.
    Errors,
    /// Samples over time.
    Samples,
}

/// A running machine. It ends on drop and with the thread that started it.
///
/// Its files are in memory, so nothing remains after any end of this process.
pub struct Machine {
    process: Process,
    ports: [File; 4],
    _initramfs: File,
}

impl Machine {
    /// Fails if QEMU is missing.
    pub fn is_installed() -> Result<(), TestbedError> {
        let missing = |why| TestbedError::Environment(format!("{why} (Debian's package qemu-system-x86)"));
        environment::find(QEMU).map(drop).map_err(missing)
    }

    /// Boots a kernel with the concatenated archives as its initramfs. `seed` determines all randomness in the machine. It is
    /// killed after `limit` seconds of CPU time.
    pub fn boot(
        kernel: &Path,
        archives: &[&[u8]],
        size: Size,
        seed: u64,
        limit: u64,
    ) -> Result<Self, TestbedError> {
        let mut initramfs = memory(c"initramfs")?;
        archives.iter().try_for_each(|archive| initramfs.write_all(archive)).map_err(memory_failed)?;
        let ports = [memory(c"console")?, memory(c"outcome")?, memory(c"errors")?, memory(c"samples")?];

        let mut qemu = Command::new(QEMU);
        qemu.args(["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none"])
            .args(["-machine", "pc", "-accel", "tcg", "-cpu", CPU, "-smp", "1"])
            .args(["-m", &size.megabytes.to_string()])
            // While the processor idles, the main loop moves the clock, which is not exactly reproducible: see `virtual_time.rs`.
            .args(["-icount", "shift=0,sleep=off"])
            .args(["-rtc", "base=2024-01-01,clock=vm", "-seed", &seed.to_string()])
            .arg("-kernel")
            .arg(kernel)
            .args(["-initrd", &path(&initramfs)])
            // A kernel panic causes a restart, which ends QEMU.
            .args(["-append", &format!("console=ttyS0 quiet panic=-1{}", clock(size.speed))]);
        qemu.args(ports.iter().flat_map(|port| ["-serial".into(), format!("file:{}", path(port))]));
        let process = Process::start(&mut qemu, Some(limit));
        let process = process.map_err(TestbedError::kernel(format!("start {QEMU}")))?;
        Ok(Machine { process, ports, _initramfs: initramfs })
    }

    /// Its exit status and QEMU's error messages, if it has ended.
    pub fn exit_status(&mut self) -> Result<Option<(ExitStatus, String)>, TestbedError> {
        self.process.exit_status().map_err(TestbedError::kernel(format!("wait for {QEMU}")))
    }

    /// The bytes written to a port so far.
    pub fn output(&self, port: Port) -> Result<Vec<u8>, TestbedError> {
        let file = &self.ports[port as usize];
        let read = || {
            let mut bytes = vec![0; file.metadata()?.len() as usize];
            file.read_exact_at(&mut bytes, 0)?;
            Ok(bytes)
        };
        read().map_err(memory_failed)
    }
}

/// An anonymous file.
fn memory(name: &CStr) -> Result<File, TestbedError> {
    memfd_create(name, MemfdFlags::CLOEXEC).map(File::from).map_err(|why| memory_failed(why.into()))
}

fn memory_failed(source: io::Error) -> TestbedError {
    TestbedError::Kernel { doing: "store a guest's files in memory".into(), source }
}

/// The path by which another process of the user can open it.
fn path(file: &File) -> String {
    format!("/proc/{}/fd/{}", getpid().as_raw_nonzero(), file.as_fd().as_raw_fd())
}

/// Kernel parameters for a clock of `speed` instructions per nanosecond. QEMU counts at most one, so the kernel takes the
/// instruction counter (TSC) for a faster one, calibrates the timer of its interrupts by it, and ignores the other clocks.
fn clock(speed: u32) -> String {
    if speed == 1 {
        return String::new();
    }
    format!(" tsc_early_khz={} tsc=reliable hpet=disable pmtmr=0", u64::from(speed) * 1_000_000)
}
