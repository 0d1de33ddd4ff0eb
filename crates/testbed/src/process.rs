//! Programs that this process runs.

#![allow(unsafe_code)]

use rustix::process::{
    Resource, Rlimit, Signal, getpid, getppid, set_parent_process_death_signal, setrlimit,
};
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A program that is killed on drop, and at the end of the thread that started it.
pub(crate) struct Process(pub Child);

impl Process {
    /// Starts a program without input and output. The kernel kills it after `limit` seconds of CPU time.
    pub fn start(program: &mut Command, limit: Option<u64>) -> io::Result<Self> {
        program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C must not reach it: this process ends it.
        program.process_group(0);
        let parent = getpid();
        let prepare = move || {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            if limit.is_some() {
                setrlimit(Resource::Cpu, Rlimit { current: limit, maximum: limit })?;
            }
            // The thread may have ended before.
            if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
        };
        // SAFETY: between fork and exec it makes at most three system calls, none of which allocates or locks.
        unsafe { program.pre_exec(prepare) };
        program.spawn().map(Process)
    }

    /// Its exit status and error messages, if it has ended.
    pub fn exit_status(&mut self) -> io::Result<Option<(ExitStatus, String)>> {
        let Some(status) = self.0.try_wait()? else { return Ok(None) };
        let mut said = Vec::new();
        if let Some(mut stderr) = self.0.stderr.take() {
            stderr.read_to_end(&mut said)?;
        }
        Ok(Some((status, String::from_utf8_lossy(&said).into_owned())))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails only if it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
