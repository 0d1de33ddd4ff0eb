//! Checks the requirements of the algorithms on this machine.

use crate::layout::{Layout, skips_programs};
use crate::{Error, messages, namespace, pins};
use libbpf_rs::ProgramType;
use libbpf_rs::btf::Btf;
use rustix::thread::{CapabilitySet, capabilities};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The state of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Satisfied.
    Satisfied,
    /// Absent, but optional.
    Optional,
    /// The algorithms work, but not as well.
    Warning,
    /// The check failed.
    Unknown,
    /// Missing and required.
    Missing,
}

/// A checked requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name for display.
    pub title: &'static str,
    /// The requirement's state.
    pub verdict: Verdict,
    /// The finding for display.
    pub found: String,
    /// The remedy; empty if satisfied.
    pub help: &'static str,
}

/// The oldest kernel with all BPF features that the programs use.
const OLDEST: (u32, u32) = (6, 1);

/// The capabilities for loading and finding algorithms.
const CAPABILITIES: [(CapabilitySet, &str); 4] = [
    (CapabilitySet::BPF, "CAP_BPF"),
    (CapabilitySet::PERFMON, "CAP_PERFMON"),
    (CapabilitySet::NET_ADMIN, "CAP_NET_ADMIN"),
    (CapabilitySet::SYS_ADMIN, "CAP_SYS_ADMIN"),
];

/// Checks all requirements, in this process's network namespace.
pub fn doctor() -> Vec<Check> {
    messages::listen();
    let privileges = privileges();
    let may = privileges.verdict == Verdict::Satisfied;
    vec![
        version(),
        btf(),
        mptcp(),
        mptcp_enabled(),
        paths(),
        privileges,
        struct_ops(may),
        jit(),
        lockdown(),
        file_system(),
        links(Layout::get()),
        every_call(Btf::from_vmlinux()),
    ]
}

impl Check {
    /// A requirement that is satisfied, or else has this verdict and needs this help.
    fn new(
        title: &'static str,
        found: impl Into<String>,
        is_satisfied: bool,
        otherwise: Verdict,
        help: &'static str,
    ) -> Self {
        let (verdict, help) = if is_satisfied { (Verdict::Satisfied, "") } else { (otherwise, help) };
        Check { title, verdict, found: found.into(), help }
    }
}

/// The title of the check whether MPTCP is enabled in this network namespace.
pub const MPTCP_ENABLED: &str = "net.mptcp.enabled";

/// Checks the privileges of this process: to load programs, to read kernel memory in them, and to find loaded ones.
pub fn privileges() -> Check {
    let held = capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    let lacking: Vec<_> =
        CAPABILITIES.iter().filter(|(c, _)| !held.contains(*c)).map(|(_, name)| *name).collect();
    let contained = !is_first_user_namespace(&fs::read_to_string("/proc/self/uid_map").unwrap_or_default());
    let found = match lacking.is_empty() {
        true if contained => "only in a user namespace, where the kernel does not load programs".into(),
        true => "root".into(),
        false => format!("root is needed; missing: {}", lacking.join(", ")),
    };
    let (held, help) = (lacking.is_empty() && !contained, "run as root: `sudo anabranch kernel …`");
    Check::new("privileges", found, held, Verdict::Missing, help)
}

/// The first user namespace maps every id to itself.
fn is_first_user_namespace(uid_map: &str) -> bool {
    uid_map.is_empty() || uid_map.split_whitespace().eq(["0", "0", "4294967295"])
}

fn version() -> Check {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let new_enough = parse_version(&release).is_some_and(|version| version >= OLDEST);
    let help = "install Linux 6.1 or later, for example from Debian 12, Ubuntu 24.04 or OpenWrt 24.10";
    Check::new("kernel", release, new_enough, Verdict::Missing, help)
}

/// `6.1.0-18-cloud-amd64`: major and minor.
fn parse_version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The kernel's types (BTF) locate the fields that the programs access.
fn btf() -> Check {
    let there = Path::new("/sys/kernel/btf/vmlinux").exists();
    let found = if there { "/sys/kernel/btf/vmlinux" } else { "missing" };
    let help = "use a kernel built with CONFIG_DEBUG_INFO_BTF=y, as in distributions; OpenWrt needs KERNEL_DEBUG_INFO_BTF";
    Check::new("types (BTF)", found, there, Verdict::Missing, help)
}

fn mptcp() -> Check {
    let there = namespace::mptcp_enabled().is_some();
    let found = if there { "compiled in" } else { "not compiled in" };
    let help = "use a kernel built with CONFIG_MPTCP=y";
    Check::new("MPTCP", found, there, Verdict::Missing, help)
}

fn mptcp_enabled() -> Check {
    let on = namespace::mptcp_enabled() == Some(true);
    let found = if on { "on in this network namespace" } else { "off in this network namespace" };
    let help = "run `sysctl -w net.mptcp.enabled=1` in this namespace, after `ip netns exec NAME` for a named one; to keep it, add a file to /etc/sysctl.d";
    Check::new(MPTCP_ENABLED, found, on, Verdict::Missing, help)
}

/// MPTCP's endpoints and limits, as `ip` shows them.
fn paths() -> Check {
    let text = |what| {
        let output = Command::new("ip").args(["mptcp", what, "show"]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let title = "MPTCP's paths";
    match (text("endpoint"), text("limits")) {
        (Some(endpoints), Some(limits)) => {
            let (found, lacking) = described_paths(&endpoints, &limits);
            Check::new(title, found, lacking.is_empty(), Verdict::Optional, lacking)
        }
        _ => {
            let help = "install `ip` (iproute2)";
            Check::new(title, "unknown", false, Verdict::Unknown, help)
        }
    }
}

/// What a second path needs where the limit of subflows is 0, and where no endpoint opens it.
const NO_SUBFLOWS: &str = "for a second path: `ip mptcp limits set subflows 1`";
const NO_ENDPOINT: &str =
    "for a second path: on the client `ip mptcp endpoint add ADDRESS dev INTERFACE subflow` for each line";

/// Endpoints and limits for display, and what connections that this host opens lack for a second path: nothing if they can have one.
fn described_paths(endpoints: &str, limits: &str) -> (String, &'static str) {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let number = |name: &str| {
        let mut words = limits.split_whitespace().skip_while(|word| *word != name);
        words.nth(1).and_then(|number| number.parse::<u32>().ok()).unwrap_or(0)
    };
    let endpoints: Vec<String> = endpoints.lines().map(words).filter(|line| !line.is_empty()).collect();
    let opens = |line: &String| line.split(' ').any(|word| ["subflow", "fullmesh"].contains(&word));
    let lacking = if !endpoints.iter().any(opens) && number("add_addr_accepted") == 0 {
        NO_ENDPOINT
    } else if number("subflows") == 0 {
        NO_SUBFLOWS
    } else {
        ""
    };
    let listed = if endpoints.is_empty() { "no endpoint".to_owned() } else { endpoints.join("; ") };
    (format!("{listed}; limits: {}", words(limits)), lacking)
}

/// BPF programs that implement functions of the kernel.
fn struct_ops(may: bool) -> Check {
    let title = "BPF struct_ops";
    // Only a process that may load programs can check this.
    let there = may && ProgramType::StructOps.is_supported().unwrap_or(false);
    let (found, verdict) = match (there, may) {
        (true, _) => ("available", Verdict::Missing),
        (_, true) => ("missing", Verdict::Missing),
        (_, false) => ("unknown without privileges", Verdict::Unknown),
    };
    let help =
        if may { "use a kernel built with CONFIG_BPF_SYSCALL=y and CONFIG_BPF_JIT=y" } else { "run as root" };
    Check::new(title, found, there, verdict, help)
}

/// Interpreted programs cannot call functions of the kernel.
fn jit() -> Check {
    let read = || fs::read_to_string("/proc/sys/net/core/bpf_jit_enable").ok();
    // Visible only in the initial network namespace.
    jit_of(read().or_else(|| namespace::initial()?.run_inside(read).ok()?).as_deref())
}

fn jit_of(state: Option<&str>) -> Check {
    let (found, verdict, help) = match state.map(str::trim) {
        Some("0") => {
            let help = "run `sysctl -w net.core.bpf_jit_enable=1`; to keep it, add a file to /etc/sysctl.d";
            ("off", Verdict::Missing, help)
        }
        Some(_) => ("on", Verdict::Satisfied, ""),
        None => {
            let help = "run it as root in the host's network namespace";
            ("unknown: visible only in the host's network namespace", Verdict::Unknown, help)
        }
    };
    Check { title: "BPF compiler (JIT)", verdict, found: found.into(), help }
}

fn lockdown() -> Check {
    let state = fs::read_to_string("/sys/kernel/security/lockdown").ok();
    let mode = state.as_deref().map_or("none", lockdown_mode);
    let allows = mode != "confidentiality";
    let help = "boot with lockdown=integrity or without lockdown: confidentiality forbids programs to read kernel memory";
    Check::new("lockdown", mode, allows, Verdict::Missing, help)
}

/// The mode in brackets of `none [integrity] confidentiality`.
fn lockdown_mode(state: &str) -> &str {
    state.split_whitespace().find_map(|mode| mode.strip_prefix('[')?.strip_suffix(']')).unwrap_or("none")
}

fn file_system() -> Check {
    let path = pins::file_system();
    let there = pins::is_bpf(&path);
    let found = if there { path.display().to_string() } else { format!("not mounted at {}", path.display()) };
    let help = "no action needed: `anabranch kernel load` mounts it";
    Check::new("BPF file system", found, there, Verdict::Optional, help)
}

fn links(layout: Result<&Layout, Error>) -> Check {
    let title = "struct_ops links";
    let Ok(layout) = layout else { return without_types(title) };
    let found = if layout.links { "available" } else { "not available" };
    let help = "no action needed: before Linux 6.4, the registered map is pinned instead";
    Check::new(title, found, layout.links, Verdict::Optional, help)
}

/// Whether the kernel skips some calls of programs, as a vendor's does. The kernel does not count
/// skipped calls, so a measurement can only report that it ran on such a kernel. A socket whose first call was skipped has no
/// row and behaves like Reno.
pub fn skips_calls() -> Result<bool, Error> {
    messages::listen();
    Btf::from_vmlinux().map(|types| skips_programs(&types)).map_err(Error::bpf("read the kernel's BTF"))
}

fn every_call(types: libbpf_rs::Result<Btf<'_>>) -> Check {
    let title = "calls of programs";
    let Ok(types) = types else { return without_types(title) };
    let skips = skips_programs(&types);
    let found =
        if skips { "a vendor's kernel skips some (bpf_prog_aux.init_owned)" } else { "all are executed" };
    let help = "no action needed: the programs compensate, and windows stay within bounds. For measurements, use an upstream or a distribution's kernel";
    Check::new(title, found, !skips, Verdict::Warning, help)
}

/// The finding if the kernel's types cannot be read.
fn without_types(title: &'static str) -> Check {
    let found = "unknown: the kernel's types (BTF) cannot be read";
    Check::new(title, found, false, Verdict::Unknown, "see the check of the types")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (release, version) in [
            ("6.1.0-18-cloud-amd64", Some((6, 1))),
            ("6.18.44-fc", Some((6, 18))),
            ("7.0-rc1", Some((7, 0))),
            ("6", None),
            ("", None),
            ("x.y", None),
        ] {
            assert_eq!(parse_version(release), version, "{release}");
        }
        assert!(parse_version("5.15.0").unwrap() < OLDEST && parse_version("6.12").unwrap() > OLDEST);
    }

    /// As iproute2 6.1 prints them.
    #[test]
    fn a_second_path_needs_an_endpoint_or_an_accepted_address() {
        let endpoint = "10.0.1.1 id 1 subflow dev eth1 \n10.0.2.1 id 2 subflow dev wwan0 \n";
        let limits = "add_addr_accepted 0 subflows 2 \n";
        let text = "10.0.1.1 id 1 subflow dev eth1; 10.0.2.1 id 2 subflow dev wwan0; limits: add_addr_accepted 0 subflows 2";
        assert_eq!(described_paths(endpoint, limits), (text.to_owned(), ""));
        let lacking = |endpoints, limits| described_paths(endpoints, limits).1;
        assert_eq!(lacking("", limits), NO_ENDPOINT);
        assert_eq!(lacking("", "add_addr_accepted 1 subflows 1"), "");
        assert_eq!(lacking(endpoint, "add_addr_accepted 0 subflows 0"), NO_SUBFLOWS);
        let signal = "10.0.1.1 id 1 signal dev eth1";
        assert_eq!(lacking(signal, limits), NO_ENDPOINT, "the other end opens the path");
    }

    /// Documentation/admin-guide/LSM: the active mode is in brackets.
    #[test]
    fn lockdown_modes() {
        for (state, mode) in [
            ("[none] integrity confidentiality\n", "none"),
            ("none [integrity] confidentiality\n", "integrity"),
            ("none integrity [confidentiality]\n", "confidentiality"),
            ("", "none"),
        ] {
            assert_eq!(lockdown_mode(state), mode);
        }
    }

    #[test]
    fn user_namespaces() {
        assert!(is_first_user_namespace("         0          0 4294967295\n"));
        assert!(!is_first_user_namespace("         0       1000          1\n"));
    }

    /// A network namespace without the setting does not say that the compiler is on.
    #[test]
    fn an_invisible_compiler_is_unknown() {
        let verdict = |state| jit_of(state).verdict;
        assert_eq!(verdict(None), Verdict::Unknown);
        assert_eq!((verdict(Some("0\n")), verdict(Some("2\n"))), (Verdict::Missing, Verdict::Satisfied));
    }

    #[test]
    fn without_types_checks_are_unknown() {
        let unreadable = || Btf::from_path("/nonexistent/vmlinux");
        for check in [every_call(unreadable()), links(Err(Error::Layout("struct tcp_congestion_ops")))] {
            assert_eq!(check.verdict, Verdict::Unknown);
            assert!(check.found.starts_with("unknown") && !check.help.is_empty(), "{check:?}");
        }
    }

    #[test]
    fn only_what_is_not_fine_has_help() {
        for check in doctor() {
            assert_eq!(check.verdict == Verdict::Satisfied, check.help.is_empty(), "{check:?}");
        }
    }
}
