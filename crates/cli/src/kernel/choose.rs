//! `anabranch kernel use`: sets the algorithm of new sockets in a network namespace.

use super::args::UseArgs;
use super::needs::{OF_THE_KERNEL, find, missing, require_privileges};
use super::users::{mptcp_is_off, other_in_use, select_again};
use crate::output::{note, print};
use anabranch::Error;
use anabranch::algorithms::kernel_registry::{self as registry, KernelEntry};
use anabranch::kernel::{Load, MPTCP_ENABLED, Namespace};
use miette::miette;

pub fn choose(args: &UseArgs) -> Result<(), Error> {
    // A name of the kernel's own means the kernel's algorithm.
    let available = anabranch::kernel::available()?;
    let own = available.contains(&args.name) || OF_THE_KERNEL.contains(&args.name.as_str());
    let entry = if own {
        registry::all().iter().find(|e| e.kernel_name == args.name)
    } else {
        Some(find(&args.name, &available)?)
    };
    require_privileges()?;
    let namespace = args.netns.as_deref().map_or_else(Namespace::own, Namespace::find)?;
    if !args.host && namespace.is_initial()? {
        return Err(Error::Input(miette!(
            help = "name another namespace with --netns, or add --host",
            "{} is the host's own namespace: all its new sockets would use {}",
            namespace.name,
            args.name
        )));
    }
    let loaded = entry.map_or(Ok(""), load)?;
    let name = entry.map_or(args.name.as_str(), |entry| entry.kernel_name);
    let before = namespace.chosen()?;
    namespace.choose(name).map_err(|error| match own {
        true => Error::Input(miette!(
            help = kernel_algorithm_help(name),
            "{} cannot use {name}, an algorithm of the kernel: {error}",
            namespace.name
        )),
        false => error.into(),
    })?;
    mptcp_is_off(&namespace);
    print(&format!(
        "New sockets of {} use {name}, {}{loaded}; before, {before}.",
        namespace.name,
        origin(name)
    ))
}

/// Loads the algorithm if necessary, and returns the remark on it.
fn load(entry: &'static KernelEntry) -> Result<&'static str, Error> {
    let checks = anabranch::kernel::doctor();
    missing(checks.iter().filter(|check| check.title != MPTCP_ENABLED))?;
    Ok(match anabranch::kernel::load(entry)? {
        Load::Done => {
            select_again(entry)?;
            ", now loaded"
        }
        Load::Replaced => ", now loaded in place of another build's",
        Load::OtherInUse(references) => {
            note(&format!("{}: {}", entry.kernel_name, other_in_use(entry, references)));
            ""
        }
        Load::Already | Load::Freed(_) => "",
    })
}

/// The origin of the algorithm with this name in the kernel: some of ours have namesakes there.
fn origin(name: &str) -> String {
    if registry::all().iter().any(|entry| entry.kernel_name == name) {
        return "which is anabranch's".to_owned();
    }
    match registry::find_kernel(name) {
        Some(ours) => format!("which is the kernel's own (anabranch's is {})", ours.kernel_name),
        None => "which is the kernel's own".to_owned(),
    }
}

/// Help for a namespace that cannot use an algorithm of the kernel.
fn kernel_algorithm_help(name: &str) -> String {
    let ours = registry::find_kernel(name).map_or(String::new(), |ours| {
        format!("`anabranch kernel use {}` selects anabranch's; ", ours.kernel_name)
    });
    format!(
        "{ours}the kernel may not allow its own in every namespace: on the host, `sysctl -w \
         net.ipv4.tcp_allowed_congestion_control=\"$(sysctl -n net.ipv4.tcp_allowed_congestion_control) {name}\"` allows \
         {name} in all namespaces of this machine until it restarts; a program run by root can select it for a socket (TCP_CONGESTION)"
    )
}

#[cfg(test)]
mod tests {
    use super::{kernel_algorithm_help, origin};

    #[test]
    fn help_names_our_algorithm() {
        let help = kernel_algorithm_help("cubic");
        let ours = "`anabranch kernel use ab_cubic` selects anabranch's; the kernel";
        assert!(help.starts_with(ours), "{help}");
        let help = kernel_algorithm_help("bbr");
        let allow = "(sysctl -n net.ipv4.tcp_allowed_congestion_control) bbr\"` allows bbr";
        assert!(help.starts_with("the kernel may not allow") && help.contains(allow), "{help}");
    }

    #[test]
    fn namesakes_are_distinguished() {
        assert_eq!(origin("ab_vegas"), "which is anabranch's");
        assert_eq!(origin("cubic"), "which is the kernel's own (anabranch's is ab_cubic)");
        assert_eq!(origin("bbr"), "which is the kernel's own");
    }
}
