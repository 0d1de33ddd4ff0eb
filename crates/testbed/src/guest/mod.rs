//! Runs a task on another kernel, in a virtual machine in virtual time.

mod cpio;
mod machine;
mod program;
mod samples;

pub use samples::SampleWriter;

use crate::emulator::bottlenecks_bps;
use crate::{TestbedError, Traffic};
use anabranch_net::{LinkSpec, Time};
use anabranch_record::{KeepGoing, Layout, Sink};
use anabranch_scenario::Scenario;
use cpio::Archive;
use machine::{Machine, Port, Size};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::thread::sleep;
use std::time::Duration;

/// The script that the image's first process runs. The status at the end of the outcome's port marks it as complete. iperf3
/// creates its buffers in /tmp. Progress goes through a pipe, because on a terminal, such as a serial port, it would be a
/// bar.
const JOB: &str = "#!/bin/sh
busybox mkdir -p /tmp
for port in 1 2 3; do stty -F /dev/ttyS$port raw 115200; done
{
    ANABRANCH_PROGRESS_SECONDS=1 anabranch task --yes --virtual-time $(cat /options) </task.json >/outcome
    echo \"status $?\" >/status
} 2>&1 | cat >/dev/ttyS2
if [ -e /samples ]; then cat /samples >/dev/ttyS3; fi
cat /outcome /status >/dev/ttyS1
";

/// The interval between two checks of the machine.
const PERIOD: Duration = Duration::from_millis(50);

/// The number of kernel message lines in an error.
const LINES: usize = 20;

/// The total rate of bottlenecks in bits per second from which a guest is large. With one instruction per nanosecond and 300 Mbit/s,
/// the emulator took half of the processor, and with 10 µs in place of steps of 100 µs it takes more.
const SLOW_LINKS: f64 = 200e6;

/// The rate of random losses from which they, not the link, limit a flow.
const RARE_LOSS: f64 = 1e-4;

/// A stock Debian kernel on which `anabranch task` runs, in a virtual machine and in virtual time. No network is needed, and
/// no privileges.
///
/// `tools/guest-image.sh` creates its image, a folder.
pub struct Guest {
    kernel: PathBuf,
    initramfs: Vec<u8>,
    program: Vec<u8>,
}

impl Guest {
    /// The guest of a series, such as `6.12`, whose image is in the folder `images`; `program` is the `anabranch` that runs in it.
    ///
    /// # Errors
    /// [`TestbedError::Environment`] if the image or QEMU is missing.
    pub fn new(images: &Path, series: &str, program: &Path) -> Result<Self, TestbedError> {
        let image = images.join(series);
        let initramfs = fs::read(image.join("initramfs")).map_err(|why| {
            TestbedError::Environment(format!(
                "no guest image in {} ({why}): run `tools/guest-image.sh {series}` in Anabranch's sources",
                image.display()
            ))
        })?;
        Machine::is_installed()?;
        let mut archive = Archive::default();
        program::add(&mut archive, program, "anabranch")?;
        archive.file(Path::new("/job"), 0o755, JOB.as_bytes());
        Ok(Guest { kernel: image.join("kernel"), initramfs, program: archive.finish() })
    }

    /// Runs `anabranch task` with a task of this scenario and returns its output, a JSON object. Samples go to `sink` at the
    /// end. `seed` determines the kernel's randomness. `keep_going` is polled with the simulated time.
    ///
    /// # Errors
    /// [`TestbedError`]; a refused task is a [`TestbedError::Environment`].
    pub fn run(
        &self,
        task: &[u8],
        scenario: &Scenario,
        seed: u64,
        traffic: Traffic,
        sink: &mut dyn Sink,
        keep_going: KeepGoing<'_>,
    ) -> Result<Vec<u8>, TestbedError> {
        let length = scenario.duration;
        let mut options = format!("--traffic {}", traffic.name());
        let reports = sink.wants_samples() || sink.wants_packets();
        if reports {
            options += " --samples /samples";
        }
        if sink.wants_packets() {
            options += " --packets";
        }
        let mut archive = Archive::default();
        archive.file(Path::new("/task.json"), 0o644, task);
        archive.file(Path::new("/options"), 0o644, options.as_bytes());
        if traffic == Traffic::Iperf3 {
            program::add_iperf3(&mut archive, scenario.flows.iter().any(|flow| flow.is_multipath()))?;
        }
        let size = size(scenario);
        // The limit of its CPU time in seconds, many times the usual.
        let limit = 300 + (length.as_secs_f64() * 60.0) as u64 * u64::from(size.speed);
        let archives = [&self.initramfs, &self.program, &archive.finish()];
        let archives = archives.map(|a| &a[..]);
        let mut machine = Machine::boot(&self.kernel, &archives, size, seed, limit)?;
        loop {
            let ended = machine.exit_status()?;
            let errors = String::from_utf8_lossy(&machine.output(Port::Errors)?).into_owned();
            if let Some((status, complaints)) = ended {
                let outcome = machine.output(Port::Outcome)?;
                let console = String::from_utf8_lossy(&machine.output(Port::Console)?).into_owned();
                let outcome = parse_outcome(&outcome, &errors)
                    .unwrap_or_else(|| Err(without_outcome(status, &complaints, &console, size, limit)))?;
                if reports {
                    sink.begin(&Layout::of(scenario));
                    let text = machine.output(Port::Samples)?;
                    let read = str::from_utf8(&text).ok().and_then(|text| samples::replay(text, sink));
                    read.ok_or_else(|| TestbedError::Failed("cannot read the guest's samples".into()))?;
                }
                return Ok(outcome);
            }
            let at = last_progress(&errors, length);
            if !keep_going(at) {
                return Err(TestbedError::Interrupted { at, partial: None });
            }
            sleep(PERIOD);
        }
    }
}

/// The machine that a scenario needs. With one instruction per nanosecond, packets of fast links are late, and with 1 GB, memory
/// limits TCP's windows on a fast, long path. With four, the kernel takes half a minute longer to boot.
fn size(scenario: &Scenario) -> Size {
    let is_limit = |spec: &LinkSpec| spec.loss.mean_rate() < RARE_LOSS;
    let total: f64 = bottlenecks_bps(scenario, |spec| spec.rate_bps, is_limit).iter().sum();
    if total > SLOW_LINKS { Size { speed: 4, megabytes: 4096 } } else { Size { speed: 1, megabytes: 1024 } }
}

/// The error of a guest that ended without an outcome.
fn without_outcome(
    status: ExitStatus,
    complaints: &str,
    console: &str,
    size: Size,
    limit: u64,
) -> TestbedError {
    let complaints = complaints.trim_end();
    let megabytes = size.megabytes;
    if complaints.contains("Cannot allocate memory") {
        let help = "free some, or run fewer guests at a time";
        return TestbedError::Environment(format!(
            "the guest needs {megabytes} MB of memory: {help}\n{complaints}"
        ));
    }
    let killed = |_| {
        format!(
            ", at the limit of {limit} s of CPU time or for lack of memory, of which it has {megabytes} MB"
        )
    };
    let killed = status.signal().map_or(String::new(), killed);
    TestbedError::Failed(format!(
        "the guest ended without a result (QEMU: {status}{killed})\n{complaints}\n{}",
        last(console)
    ))
}

/// The output or the failure of a guest's task. `None` if the final status is missing.
fn parse_outcome(port: &[u8], errors: &str) -> Option<Result<Vec<u8>, TestbedError>> {
    let text = port.strip_suffix(b"\n")?;
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let status = str::from_utf8(&text[start..]).ok()?.strip_prefix("status ")?;
    let why = || errors.lines().filter(|line| !line.contains(PROGRESS)).collect::<Vec<_>>().join("\n");
    Some(match status {
        "0" => Ok(port[..start].to_vec()),
        "2" => Err(TestbedError::Environment(why())),
        _ => Err(TestbedError::Failed(format!("in the guest, with status {status}:\n{}", why()))),
    })
}

/// The text after the percentage in a progress line.
const PROGRESS: &str = " % of the simulated time";

/// The simulated time in the last progress line.
fn last_progress(errors: &str, length: Time) -> Time {
    let line = errors.lines().rev().find_map(|line| Some(line.split_once(PROGRESS)?.0));
    let percent = line.and_then(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
    Time::from_secs_f64(percent.unwrap_or(0.0) / 100.0 * length.as_secs_f64())
}

/// The last lines of a kernel's messages.
fn last(console: &str) -> String {
    let lines: Vec<_> = console.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_output_is_not_an_outcome() {
        let whole = b"{\"a\": \"status 0\"}\nstatus 0\n";
        assert_eq!(parse_outcome(whole, "").unwrap().unwrap(), b"{\"a\": \"status 0\"}\n");
        for length in 0..whole.len() {
            assert!(parse_outcome(&whole[..length], "").is_none(), "{length}");
        }
    }

    #[test]
    fn lack_of_memory_is_a_matter_of_the_environment() {
        let size = Size { speed: 4, megabytes: 4096 };
        let of = |status, complaint| without_outcome(ExitStatus::from_raw(status), complaint, "", size, 60);
        let refused = of(256, "qemu: cannot set up guest memory 'pc.ram': Cannot allocate memory\n");
        assert!(matches!(&refused, TestbedError::Environment(why) if why.contains("4096 MB")), "{refused}");
        let killed = of(9, "");
        assert!(matches!(&killed, TestbedError::Failed(why) if why.contains("60 s of CPU time")), "{killed}");
    }

    /// The links that limit flows count, each once: not the ways back, wide links before narrow ones, and lossy ones.
    #[test]
    fn fast_links_get_a_large_machine() {
        let (small, large) = (Size { speed: 1, megabytes: 1024 }, Size { speed: 4, megabytes: 4096 });
        for (paths, expected) in [
            ("[[\"a\"], [\"a\"]]", small),
            ("[[\"a\"], [\"b\"]]", large),
            ("[[\"a\", \"wide\"]]", small),
            ("[[\"wide\"]]", large),
            ("[[\"lossy\"]]", small),
            ("[[\"a\"]], return = [[\"wide\"]]", small),
        ] {
            let text = format!(
                "name = \"t\"\nduration = \"1 s\"\n\
                 links.a = {{ rate = \"150 Mbit/s\", delay = \"1 ms\" }}\n\
                 links.b = {{ rate = \"150 Mbit/s\", delay = \"1 ms\" }}\n\
                 links.wide = {{ rate = \"10 Gbit/s\", delay = \"1 ms\" }}\n\
                 links.lossy = {{ rate = \"10 Gbit/s\", delay = \"1 ms\", loss = {{ model = \"bernoulli\", rate = 1e-3 }} }}\n\
                 flows = [{{ name = \"f\", cc = \"reno\", paths = {paths} }}]"
            );
            assert_eq!(size(&text.parse().unwrap()), expected, "{paths}");
        }
    }

    #[test]
    fn a_refusal_is_not_a_defect() {
        let errors = "1 s: 20 % of the simulated time, about 4 s left\n  × no such algorithm\n";
        let refused = parse_outcome(b"status 2\n", errors).unwrap().unwrap_err();
        assert!(
            matches!(&refused, TestbedError::Environment(why) if why == "  × no such algorithm"),
            "{refused}"
        );
        let failed = parse_outcome(b"status 101\n", errors).unwrap().unwrap_err();
        assert!(matches!(&failed, TestbedError::Failed(why) if why.contains("status 101")), "{failed}");
    }

    #[test]
    fn progress_is_in_simulated_time() {
        let length = Time::from_millis(8000);
        assert_eq!(last_progress("", length), Time::ZERO);
        let said = "1 s: 12.5 % of the simulated time, about 7 s left\n2 s: 25 % of the simulated time, about 6 s left\n3 s: 3";
        assert_eq!(last_progress(said, length), Time::from_millis(2000));
    }
}
