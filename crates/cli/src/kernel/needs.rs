//! Requirements of commands on the kernel: the algorithm, privileges and kernel features.

use anabranch::algorithms::kernel_registry::{self as registry, KernelEntry};
use anabranch::kernel::{Check, Verdict, is_private_name};
use anabranch::scenarios::suggest;
use anabranch::{Error, input_error};
use miette::miette;

/// Returns an error if a requirement is missing, with help to install it.
pub fn missing<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Result<(), Error> {
    let missing: Vec<_> = checks.into_iter().filter(|c| c.verdict == Verdict::Missing).collect();
    let [first, others @ ..] = &missing[..] else { return Ok(()) };
    let mut help = first.help.to_owned();
    if !others.is_empty() {
        help += "\n`anabranch kernel doctor` lists what else is missing";
    }
    Err(Error::Input(miette!(help = help, "{}: {}", first.title, first.found)))
}

/// Requires the privileges to inspect the kernel's programs.
pub fn require_privileges() -> Result<(), Error> {
    missing([&anabranch::kernel::privileges()])
}

/// Algorithms of the kernel itself. It loads a missing one, such as bbr, when it is selected.
pub const OF_THE_KERNEL: [&str; 3] = ["reno", "cubic", "bbr"];

/// Finds the algorithm of anabranch that is called `name`; `own` names further ones that would do.
pub fn find(name: &str, own: &[String]) -> Result<&'static KernelEntry, Error> {
    if let Some(entry) = registry::find_kernel(name) {
        return Ok(entry);
    }
    let kernels = match name {
        "uncoupled" => Some("cubic"),
        name => OF_THE_KERNEL.into_iter().find(|known| *known == name),
    };
    if let Some(kernels) = kernels {
        let help = format!("`anabranch kernel use {kernels} --netns NAMESPACE` selects it");
        let own = if name == kernels { "own" } else { "own cubic" };
        let message = format!("{name} is the kernel's {own}: there is nothing to load");
        return Err(input_error(message, Some(&help)));
    }
    let plain = |name: &str| name.strip_prefix("ab_").unwrap_or(name).replace('-', "_");
    let in_kernel = name.starts_with("ab");
    let name_of =
        |entry: &'static KernelEntry| if in_kernel { entry.kernel_name } else { entry.reference.name };
    let typed = plain(&name.replace('-', "_"));
    let help = match registry::all().iter().find(|entry| plain(entry.kernel_name) == typed) {
        Some(entry) => format!("did you mean `{}`? `anabranch kernel list` has all names", name_of(entry)),
        None => {
            let names: Vec<&str> = registry::all().iter().map(name_of).collect();
            let is_ours = |own: &str| own.starts_with("ab_") || is_private_name(own);
            let others = own.iter().map(String::as_str);
            let others = others.filter(|own| !names.contains(own) && !is_ours(own));
            suggest(name, names.iter().copied().chain(others))
        }
    };
    Err(input_error(format!("unknown algorithm `{name}`"), Some(&help)))
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn names_like_those_in_the_kernel_are_understood() {
        let help = |name: &str| match find(
            name,
            &["reno", "abc_x", "ab_lia", "ab6c89_dddf7d", "bbr"].map(str::to_owned),
        ) {
            Err(why) => format!("{}: {}", why, why.report().help().unwrap()),
            Ok(entry) => panic!("{name} is {}", entry.kernel_name),
        };
        for (given, meant) in [
            ("ccubic", "coupled-cubic"),
            ("ab-lia", "ab_lia"),
            ("ab_lya", "ab_lia"),
            ("lai", "lia"),
            ("adw_balia", "adw-balia"),
        ] {
            assert!(help(given).contains(&format!("did you mean `{meant}`?")), "{}", help(given));
        }
        assert!(help("nothing-like-it").ends_with(", abc_x, bbr"), "{}", help("nothing-like-it"));
        assert_eq!(help("nothing-like-it").matches(" reno,").count(), 1, "each once");
        for (given, own) in [("uncoupled", "own cubic"), ("bbr", "own")] {
            let said = format!("{given} is the kernel's {own}: there is nothing to load");
            assert!(help(given).starts_with(&said), "{}", help(given));
        }
    }
}
