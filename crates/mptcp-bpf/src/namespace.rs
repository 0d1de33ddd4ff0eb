//! Network namespaces and their default congestion control.

use crate::{Check, Error, doctor};
use anabranch_record::quoted;
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;

const CONGESTION_CONTROL: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
const MPTCP_ENABLED: &str = "/proc/sys/net/mptcp/enabled";
/// A file that exists only in the initial namespace.
const GLOBAL: &str = "/proc/sys/net/ipv4/tcp_mem";
/// The folder of `ip netns` with named namespaces.
const NAMED: &str = "/run/netns";

/// Whether MPTCP is on in this thread's namespace; `None` if the kernel lacks MPTCP.
pub(crate) fn mptcp_enabled() -> Option<bool> {
    fs::read_to_string(MPTCP_ENABLED).ok().map(|value| value.trim() == "1")
}

/// The congestion controls of the kernel, available in every namespace.
pub fn available() -> Result<Vec<String>, Error> {
    let names = fs::read_to_string(AVAILABLE).map_err(Error::file("read", AVAILABLE))?;
    Ok(names.split_whitespace().map(str::to_owned).collect())
}

/// A network namespace.
pub struct Namespace {
    /// Its name for display: a name, a path, or a process in it.
    pub name: String,
    path: PathBuf,
    file: File,
}

impl Namespace {
    /// This thread's namespace.
    pub fn own() -> Result<Self, Error> {
        Self::open("this network namespace".to_owned(), "/proc/thread-self/ns/net".into())
    }

    /// Finds a namespace by a name of `ip netns`, a path, or a process's number.
    ///
    /// # Errors
    /// If it does not exist or cannot be opened.
    pub fn find(name: &str) -> Result<Self, Error> {
        let named = Path::new(NAMED).join(name);
        let path = match name.parse::<u32>() {
            _ if name.contains('/') => PathBuf::from(name),
            Ok(process) if !named.exists() => PathBuf::from(format!("/proc/{process}/ns/net")),
            _ => named,
        };
        match path.symlink_metadata() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                // A number may also be a process's.
                let or_process = if name.parse::<u32>().is_ok() { "process or " } else { "" };
                let known = known_names(entries(NAMED).map(|(name, _)| name).collect());
                Err(Error::Unusable(format!("there is no {or_process}network namespace `{name}`; {known}")))
            }
            _ => {
                let namespace = Self::open(name.to_owned(), path)?;
                // Other files can be opened, too.
                namespace.run_inside(|| ())?;
                Ok(namespace)
            }
        }
    }

    fn open(name: String, path: PathBuf) -> Result<Self, Error> {
        let file = File::open(&path).map_err(Error::file("open the network namespace", &path))?;
        Ok(Namespace { name, path, file })
    }

    /// Whether it is the initial namespace, where the kernel shows global settings.
    pub fn is_initial(&self) -> Result<bool, Error> {
        self.run_inside(|| Path::new(GLOBAL).exists())
    }

    /// The option of `anabranch kernel use` that names it.
    pub fn option(&self) -> String {
        let process = self.path.strip_prefix("/proc").ok().and_then(|path| path.iter().next()?.to_str());
        match process {
            _ if self.is_initial().unwrap_or(false) => "--host".to_owned(),
            Some(process) => format!("--netns {process}"),
            None => format!("--netns {}", quoted(&self.name)),
        }
    }

    /// Its inode, a 32-bit number.
    pub fn inode(&self) -> Result<u32, Error> {
        let own = self.file.metadata().map_err(Error::file("inspect", &self.path))?;
        Ok(own.ino() as u32)
    }

    /// The congestion control of new sockets.
    pub fn chosen(&self) -> Result<String, Error> {
        let chosen = self.run_inside(|| fs::read_to_string(CONGESTION_CONTROL))?;
        Ok(chosen.map_err(Error::file("read", CONGESTION_CONTROL))?.trim().to_owned())
    }

    /// Sets the congestion control of new sockets.
    ///
    /// # Errors
    /// Without privileges, or if the kernel lacks the congestion control or withholds it from namespaces.
    pub fn choose(&self, name: &str) -> Result<(), Error> {
        self.run_inside(|| fs::write(CONGESTION_CONTROL, name))?
            .map_err(Error::file("write", CONGESTION_CONTROL))
    }

    /// Whether MPTCP is on.
    pub fn mptcp_enabled(&self) -> Result<bool, Error> {
        Ok(self.run_inside(mptcp_enabled)? == Some(true))
    }

    /// The [checks](crate::doctor) there.
    ///
    /// # Errors
    /// Without privileges.
    pub fn doctor(&self) -> Result<Vec<Check>, Error> {
        self.run_inside(doctor)
    }

    /// Calls `f` in a thread that has entered the namespace, where /proc/sys/net shows its settings, and to which its sockets and
    /// processes belong.
    pub fn run_inside<T: Send>(&self, f: impl FnOnce() -> T + Send) -> Result<T, Error> {
        let enter = || -> io::Result<T> {
            move_into_link_name_space(self.file.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok(f())
        };
        let done = thread::scope(|scope| scope.spawn(enter).join());
        let done =
            done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(|why| match why.kind() {
                io::ErrorKind::InvalidInput => io::Error::other("it is not a network namespace"),
                _ => why,
            });
        done.map_err(Error::file("enter the network namespace", &self.path))
    }
}

/// The name and the path of each entry of a folder, which may be missing.
pub(crate) fn entries(folder: impl AsRef<Path>) -> impl Iterator<Item = (String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
}

fn known_names(mut known: Vec<String>) -> String {
    known.sort();
    match &known[..] {
        [] => "none has a name (`ip netns add NAME` makes one): give a path or the number of a process in it"
            .to_owned(),
        known => format!("`ip netns` knows these names: {}", known.join(", ")),
    }
}

/// The initial network namespace; `None` if this process may not enter it.
pub(crate) fn initial() -> Option<Namespace> {
    let open = |path| Namespace::open("the initial network namespace".to_owned(), PathBuf::from(path));
    // Without CAP_SYS_PTRACE, as in the systemd unit, the first process's namespace cannot be opened.
    let mut found = ["/proc/1/ns/net", "/proc/self/ns/net"].map(open).into_iter().flatten();
    found.find(|n| n.is_initial().is_ok_and(|is_initial| is_initial))
}

/// Every network namespace that has a name or a process, each once.
pub(crate) fn all() -> Vec<Namespace> {
    let named = entries(NAMED).map(|(name, path)| Namespace::open(name, path));
    let processes = entries("/proc").filter(|(name, _)| name.parse::<u32>().is_ok());
    let of_processes = processes.map(|(process, path)| {
        Namespace::open(format!("the network namespace of process {process}"), path.join("ns/net"))
    });
    let mut seen = HashSet::new();
    let found = initial().into_iter().chain(named.chain(of_processes).flatten());
    found.filter(|n| n.file.metadata().is_ok_and(|file| seen.insert((file.dev(), file.ino())))).collect()
}

/// The namespaces that use the congestion control `name` for new sockets. Namespaces that this process may not enter, or
/// without a name and a process, are left out.
pub fn selecting_namespaces(name: &str) -> Vec<Namespace> {
    all().into_iter().filter(|n| n.chosen().is_ok_and(|chosen| chosen == name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_namespace_is_named() {
        for (name, what) in
            [("no such space", "network namespace"), ("4294967295", "process or network namespace")]
        {
            let Err(error) = Namespace::find(name) else { panic!("{name} exists") };
            let said = error.to_string();
            assert!(said.starts_with(&format!("there is no {what} `{name}`; ")), "{said}");
        }
        let known = known_names(vec!["b".to_owned(), "a".to_owned()]);
        assert_eq!(known, "`ip netns` knows these names: a, b");
    }

    #[test]
    fn the_option_is_as_a_shell_takes_it() {
        let file = File::open("/dev/null").unwrap();
        let space = Namespace { name: "two words".to_owned(), path: "/run/netns/two words".into(), file };
        assert_eq!(space.option(), "--netns 'two words'");
    }
}
