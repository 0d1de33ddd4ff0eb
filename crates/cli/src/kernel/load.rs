//! `anabranch kernel load` and `unload`.

use super::args::NamesArgs;
use super::needs::{OF_THE_KERNEL, find, missing, require_privileges};
use super::users::{count_sockets, join_names, other_in_use, select_again};
use crate::output::print;
use crate::table::WIDTH;
use anabranch::algorithms::kernel_registry::{self as registry, KernelEntry};
use anabranch::kernel::{Error as KernelError, Load, Namespace, Unload};
use anabranch::scenarios::distinct_by;
use anabranch::{Error, counted};
use miette::miette;
use textwrap::WordSplitter;

pub fn load(args: &NamesArgs) -> Result<(), Error> {
    let entries = find_all(&args.names)?;
    missing(&anabranch::kernel::doctor())?;
    for_each_algorithm(&entries, |entry| {
        Ok(match anabranch::kernel::load(entry)? {
            Load::Done => format!("loaded{}{}", namesake(entry, &args.names), select_again(entry)?),
            Load::Replaced => "loaded in place of another build's".to_owned(),
            Load::Already => "already loaded".to_owned(),
            Load::Freed(rows) => {
                format!("already loaded; freed {} of closed sockets", counted(rows as usize, "row"))
            }
            Load::OtherInUse(references) => other_in_use(entry, references),
        })
    })
}

/// The remark on an algorithm that was called by a name of the kernel's own.
fn namesake(entry: &KernelEntry, given: &[String]) -> String {
    let name = entry.reference.name;
    let by_it = given.iter().any(|given| given == name) && OF_THE_KERNEL.contains(&name);
    if by_it { format!(", beside the kernel's own {name}, which needs no loading") } else { String::new() }
}

pub fn unload(args: &NamesArgs) -> Result<(), Error> {
    let entries = find_all(&args.names)?;
    require_privileges()?;
    for_each_algorithm(&entries, |entry| {
        Ok(match anabranch::kernel::unload(entry)? {
            Unload::Done => "unloaded".to_owned(),
            Unload::NotLoaded => "not loaded".to_owned(),
            Unload::InUse(references) => describe_unloading(entry, references),
        })
    })
}

/// Describes the remaining users of an unloaded algorithm.
fn describe_unloading(entry: &KernelEntry, references: u32) -> String {
    let choosers = anabranch::kernel::selecting_namespaces(entry.kernel_name);
    let option = choosers.first().map(Namespace::option).unwrap_or_default();
    let users = join_names(&choosers);
    let sockets = count_sockets(references, &choosers);
    describe_users(entry.kernel_name, sockets, users.as_deref().map(|names| (names, &*option)))
}

/// Describes the sockets and the namespaces that still use an unloaded algorithm.
/// The namespaces come with the option that names the first of them.
fn describe_users(kernel_name: &str, sockets: usize, choosers: Option<(&str, &str)>) -> String {
    let verb = if sockets == 1 { "uses it until it is" } else { "use it until they are" };
    let open = (sockets > 0)
        .then(|| format!("{}, listening ones included, {verb} closed (in their network namespace, `ss -tanipO | grep {kernel_name}` shows them with their programs)", counted(sockets, "socket")));
    let new = choosers.map(|(names, option)| {
        format!(
            "new sockets of {names} use it until you select another there, for example with `anabranch kernel use reno {option}`"
        )
    });
    match [open, new].into_iter().flatten().collect::<Vec<_>>().join("; ") {
        users if users.is_empty() => "unloaded".to_owned(),
        users => format!("unloading; {users}"),
    }
}

/// Applies an action to each algorithm and prints its outcome, continuing after a failure.
fn for_each_algorithm(
    entries: &[&'static KernelEntry],
    act: impl Fn(&'static KernelEntry) -> Result<String, KernelError>,
) -> Result<(), Error> {
    let mut failures = Vec::new();
    for entry in entries {
        match act(entry) {
            Ok(text) => {
                let options = textwrap::Options::new(WIDTH).subsequent_indent("  ");
                // Names contain hyphens.
                let options = options.word_splitter(WordSplitter::NoHyphenation);
                print(&textwrap::fill(&format!("{}: {text}", entry.kernel_name), options))?;
            }
            Err(error) => failures.push(format!("{}: {error}", entry.kernel_name)),
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(Error::Input(miette!("{}", failures.join("\n")))) }
}

fn find_all(names: &[String]) -> Result<Vec<&'static KernelEntry>, Error> {
    let named = names.iter().filter(|name| *name != "all").map(|name| find(name, &[]));
    let named: Vec<&'static KernelEntry> = named.collect::<Result<_, _>>()?;
    // One algorithm has two names: `lia` and `ab_lia`.
    let named = distinct_by(named, |entry| entry.kernel_name);
    let all = names.iter().any(|name| name == "all");
    Ok(if all { registry::all().iter().collect() } else { named })
}

#[cfg(test)]
mod tests {
    use super::{describe_users, find_all};

    #[test]
    fn an_algorithm_with_both_names_is_found_once() {
        let found = find_all(&["lia", "ab_lia", "olia"].map(str::to_owned)).unwrap();
        let found: Vec<_> = found.into_iter().map(|entry| entry.kernel_name).collect();
        assert_eq!(found, ["ab_lia", "ab_olia"]);
    }

    #[test]
    fn remaining_users_are_described() {
        let how = "(in their network namespace, `ss -tanipO | grep ab_lia` shows them with their programs)";
        let one = format!("1 socket, listening ones included, uses it until it is closed {how}");
        let two = format!("2 sockets, listening ones included, use it until they are closed {how}");
        let proxy = "new sockets of proxy use it until you select another there, for example with `anabranch kernel use reno \
                     --netns proxy`";
        let choosers = Some(("proxy", "--netns proxy"));
        for (sockets, choosers, said) in [
            (0, None, "unloaded".to_owned()),
            (1, None, format!("unloading; {one}")),
            (2, None, format!("unloading; {two}")),
            (0, choosers, format!("unloading; {proxy}")),
            (2, choosers, format!("unloading; {two}; {proxy}")),
        ] {
            assert_eq!(describe_users("ab_lia", sockets, choosers), said);
        }
    }
}
