//! `anabranch kernel use`: the algorithm that new sockets of a network namespace get.

use super::args::UseArgs;
use super::load::{chosen_again, other_in_use};
use super::needs::{failed, find, missing, require_privileges};
use crate::output::{note, print};
use anabranch::Error;
use anabranch_cc_fixed::registry;
use anabranch_mptcp_bpf::{Load, Namespace, Need};
use miette::miette;

/// `anabranch kernel use`.
pub fn choose(args: &UseArgs) -> Result<(), Error> {
    // A name that the kernel itself has is the kernel's own.
    let own = anabranch_mptcp_bpf::available().map_err(failed)?.contains(&args.name);
    let entry = if own {
        registry::all().iter().find(|e| e.kernel_name == args.name)
    } else {
        Some(find(&args.name)?)
    };
    require_privileges()?;
    let namespace = args.netns.as_deref().map_or_else(Namespace::own, Namespace::find).map_err(failed)?;
    if !args.host && namespace.is_initial().map_err(failed)? {
        return Err(Error::Input(miette!(
            help = "name another by --netns, or say --host to mean it",
            "{} is the machine's own: all its new sockets would use {}",
            namespace.name,
            args.name
        )));
    }
    let mut loaded = "";
    if let Some(entry) = entry {
        let checks = anabranch_mptcp_bpf::doctor();
        missing(checks.iter().filter(|check| check.need != Need::MptcpEnabled))?;
        match anabranch_mptcp_bpf::load(entry).map_err(failed)? {
            Load::Done => {
                chosen_again(entry).map_err(failed)?;
                loaded = ", loaded for it";
            }
            Load::Replaced => loaded = ", loaded for it in the place of another build's",
            Load::OtherInUse(references) => {
                note(&format!("{}: {}", entry.kernel_name, other_in_use(entry, references)));
            }
            Load::Already | Load::Freed(_) => {}
        }
    }
    let name = entry.map_or(args.name.as_str(), |entry| entry.kernel_name);
    let before = namespace.chosen().map_err(failed)?;
    namespace.choose(name).map_err(|error| match own {
        true => Error::Input(miette!(
            help = of_kernel(name),
            "{name} is the kernel's own, and {} does not get it: {error}",
            namespace.name
        )),
        false => failed(error),
    })?;
    if !namespace.mptcp_enabled().map_err(failed)? {
        note(&format!(
            "MPTCP is off in {}: `sysctl -w net.mptcp.enabled=1` there switches it on; TCP alone couples nothing",
            namespace.name
        ));
    }
    print(&format!(
        "New sockets of {} use {name}, {}{loaded}; before, {before}.",
        namespace.name,
        origin(name)
    ))
}

/// Whose the algorithm is that the kernel calls so: some of ours have namesakes in the kernel.
fn origin(name: &str) -> String {
    if registry::all().iter().any(|entry| entry.kernel_name == name) {
        return "which is anabranch's".to_owned();
    }
    match registry::find_kernel(name) {
        Some(ours) => format!("which is the kernel's own (anabranch's is {})", ours.kernel_name),
        None => "which is the kernel's own".to_owned(),
    }
}

/// What to do where a namespace does not get the kernel's own.
fn of_kernel(name: &str) -> String {
    let ours = registry::find_kernel(name).map_or(String::new(), |ours| {
        format!("`anabranch kernel use {}` takes anabranch's; ", ours.kernel_name)
    });
    format!(
        "{ours}the kernel may keep its own from namespaces (net.ipv4.tcp_allowed_congestion_control), but a program \
         run by root can choose them for a socket (TCP_CONGESTION)"
    )
}

#[cfg(test)]
mod tests {
    use super::{of_kernel, origin};

    #[test]
    fn who_does_not_get_the_kernels_own_is_told_of_ours() {
        assert!(
            of_kernel("cubic").starts_with("`anabranch kernel use ab_cubic` takes anabranch's; the kernel")
        );
        assert!(of_kernel("bbr").starts_with("the kernel may keep"));
    }

    #[test]
    fn namesakes_are_told_apart() {
        assert_eq!(origin("ab_vegas"), "which is anabranch's");
        assert_eq!(origin("cubic"), "which is the kernel's own (anabranch's is ab_cubic)");
        assert_eq!(origin("bbr"), "which is the kernel's own");
    }
}
