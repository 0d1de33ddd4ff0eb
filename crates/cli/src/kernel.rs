//! `anabranch kernel`: algorithms in the running kernel.

use crate::algorithms::unknown;
use crate::failure::Failure;
use crate::kernel_args::{KernelCommand, NamesArgs, UseArgs};
use crate::kernel_monitor::monitor;
use crate::kernel_show;
use crate::output::{counted, note, print};
use crate::table::WIDTH;
use anabranch_cc_fixed::registry::{self, KernelEntry};
use anabranch_mptcp_bpf::{Check, Error, Load, Namespace, Need, Unload, Verdict};
use miette::miette;
use textwrap::WordSplitter;

/// `anabranch kernel`.
pub fn kernel(command: &KernelCommand) -> Result<(), Failure> {
    match command {
        KernelCommand::Doctor { json } => kernel_show::doctor(*json),
        KernelCommand::Load(args) => load(args),
        KernelCommand::Unload(args) => unload(args),
        KernelCommand::List { json } => kernel_show::list(*json),
        KernelCommand::Status(args) => kernel_show::status(args),
        KernelCommand::Use(args) => choose(args),
        KernelCommand::Monitor(args) => monitor(args),
    }
}

/// What the library says went wrong.
pub fn failed(error: Error) -> Failure {
    Failure::Input(miette!("{error}"))
}

/// That something is missing, with how to get it.
pub fn missing<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Result<(), Failure> {
    let missing: Vec<_> = checks.into_iter().filter(|c| c.verdict == Verdict::Missing).collect();
    let [first, others @ ..] = &missing[..] else { return Ok(()) };
    let mut help = first.help.to_owned();
    if !others.is_empty() {
        help += "\n`anabranch kernel doctor` tells what else is missing";
    }
    Err(Failure::Input(miette!(help = help, "{}: {}", first.title, first.found)))
}

/// What looking at the kernel's programs takes.
pub fn require_privileges() -> Result<(), Failure> {
    missing([&anabranch_mptcp_bpf::privileges()])
}

fn load(args: &NamesArgs) -> Result<(), Failure> {
    let entries = find_all(&args.names)?;
    missing(&anabranch_mptcp_bpf::doctor())?;
    each(&entries, |entry| {
        Ok(match anabranch_mptcp_bpf::load(entry)? {
            Load::Done => format!("loaded{}", chosen_again(entry)?),
            Load::Replaced => "loaded, in the place of another build's".to_owned(),
            Load::Already => "already loaded".to_owned(),
            Load::Freed(rows) => {
                format!("already loaded; freed {} of sockets that are gone", counted(rows as usize, "row"))
            }
            Load::OtherInUse(references) => other_in_use(entry, references),
        })
    })
}

/// Who uses what another build loaded, and how to load this build's.
fn other_in_use(entry: &KernelEntry, references: u32) -> String {
    let name = entry.kernel_name;
    let choosers = anabranch_mptcp_bpf::choosers(name);
    let sockets = sockets(references, &choosers);
    let users: Vec<_> =
        [(sockets > 0).then(|| counted(sockets, "socket")), named(&choosers)].into_iter().flatten().collect();
    let users = users.join(" and by ");
    format!(
        "another build of anabranch has loaded it, and it is used by {users}; new sockets get this \
         build's after `anabranch kernel unload {name}` and `anabranch kernel load {name}`",
    )
}

/// Those of the references that are not the choices of namespaces.
fn sockets(references: u32, choosers: &[Namespace]) -> usize {
    references.saturating_sub(choosers.len() as u32) as usize
}

fn names(namespaces: &[Namespace]) -> String {
    let names: Vec<_> = namespaces.iter().map(|namespace| namespace.name.as_str()).collect();
    names.join(", ")
}

/// Their names, where there are any.
fn named(namespaces: &[Namespace]) -> Option<String> {
    (!namespaces.is_empty()).then(|| names(namespaces))
}

/// A namespace that chose an algorithm keeps the programs that it meant, when these are unloaded and others
/// take the name: it is made to choose anew.
fn chosen_again(entry: &KernelEntry) -> Result<String, Error> {
    let choosers = anabranch_mptcp_bpf::choosers(entry.kernel_name);
    for namespace in &choosers {
        namespace.choose(entry.kernel_name)?;
    }
    let names = names(&choosers);
    Ok(if names.is_empty() { String::new() } else { format!("; new sockets of {names} use it") })
}

fn unload(args: &NamesArgs) -> Result<(), Failure> {
    let entries = find_all(&args.names)?;
    require_privileges()?;
    each(&entries, |entry| {
        Ok(match anabranch_mptcp_bpf::unload(entry)? {
            Unload::Done => "unloaded".to_owned(),
            Unload::NotLoaded => "not loaded".to_owned(),
            Unload::InUse(references) => unloading(entry, references),
        })
    })
}

/// Who still uses what was unloaded.
fn unloading(entry: &KernelEntry, references: u32) -> String {
    let choosers = anabranch_mptcp_bpf::choosers(entry.kernel_name);
    still_used(sockets(references, &choosers), named(&choosers).as_deref())
}

/// What so many sockets, and the namespaces of those names, make of an algorithm that was unloaded.
fn still_used(sockets: usize, choosers: Option<&str>) -> String {
    let verb = if sockets == 1 { "uses it until it is" } else { "use it until they are" };
    let open = (sockets > 0)
        .then(|| format!("{}, listening ones included, {verb} closed", counted(sockets, "socket")));
    let new = choosers.map(|names| {
        format!(
            "new sockets of {names} use it until another is chosen there, as by `anabranch kernel use reno --netns NAMESPACE`"
        )
    });
    match [open, new].into_iter().flatten().collect::<Vec<_>>().join("; ") {
        users if users.is_empty() => "unloaded".to_owned(),
        users => format!("unloading; {users}"),
    }
}

/// Does something with each algorithm, and prints what came of it; all are tried.
fn each(
    entries: &[&'static KernelEntry],
    act: impl Fn(&'static KernelEntry) -> Result<String, Error>,
) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for entry in entries {
        match act(entry) {
            Ok(text) => {
                let options = textwrap::Options::new(WIDTH).subsequent_indent("  ");
                // Names have hyphens.
                let options = options.word_splitter(WordSplitter::NoHyphenation);
                print(&textwrap::fill(&format!("{}: {text}", entry.kernel_name), options))?;
            }
            Err(error) => failures.push(format!("{}: {error}", entry.kernel_name)),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Failure::Input(miette!("{}", failures.join("\n")))) }
}

fn find_all(names: &[String]) -> Result<Vec<&'static KernelEntry>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(registry::all().iter().collect());
    }
    names.iter().map(|name| find(name)).collect()
}

/// The algorithm for the kernel called `name`.
pub fn find(name: &str) -> Result<&'static KernelEntry, Failure> {
    let names = registry::all().iter().map(|entry| entry.reference.name);
    registry::find_kernel(name).ok_or_else(|| unknown(name, names))
}

/// `anabranch kernel use`.
fn choose(args: &UseArgs) -> Result<(), Failure> {
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
        return Err(Failure::Input(miette!(
            help = "name another by --netns, or say --host to mean it",
            "{} is the machine's own: all its new sockets would use {}",
            namespace.name,
            args.name
        )));
    }
    if let Some(entry) = entry {
        let checks = anabranch_mptcp_bpf::doctor();
        missing(checks.iter().filter(|check| check.need != Need::MptcpEnabled))?;
        match anabranch_mptcp_bpf::load(entry).map_err(failed)? {
            Load::Done => {
                chosen_again(entry).map_err(failed)?;
            }
            Load::OtherInUse(references) => {
                note(&format!("{}: {}", entry.kernel_name, other_in_use(entry, references)));
            }
            Load::Replaced | Load::Already | Load::Freed(_) => {}
        }
    }
    let name = entry.map_or(args.name.as_str(), |entry| entry.kernel_name);
    let before = namespace.chosen().map_err(failed)?;
    namespace.choose(name).map_err(|error| match own {
        true => Failure::Input(miette!(
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
    print(&format!("New sockets of {} use {name}, {}; before, {before}.", namespace.name, origin(name)))
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
    use super::{of_kernel, origin, still_used};

    #[test]
    fn what_is_unloaded_and_who_uses_it() {
        let of = |sockets| still_used(sockets, None);
        assert_eq!(of(1), "unloading; 1 socket, listening ones included, uses it until it is closed");
        assert_eq!(of(2), "unloading; 2 sockets, listening ones included, use it until they are closed");
        let of_proxy = still_used(0, Some("proxy"));
        assert!(of_proxy.starts_with("unloading; new sockets of proxy use it until another"), "{of_proxy}");
        let both = still_used(3, Some("proxy"));
        assert!(
            both.starts_with("unloading; 3 sockets, ")
                && both.contains(" until they are closed; new sockets of proxy"),
            "{both}"
        );
        assert_eq!(still_used(0, None), "unloaded");
    }

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
