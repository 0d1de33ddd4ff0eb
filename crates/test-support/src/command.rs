//! Runs the binary.

use crate::kernel::becomes;
pub use crate::kernel::skipped;
use rustix::process::{Pid, Signal, kill_process};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// Without the notes that an attempt on the running kernel was repeated, which depends on what else the machine does.
    pub fn without_repeats(mut self) -> Self {
        let mut rest = one_line(&self.stderr);
        while let Some((before, after)) = rest.split_once("; the next one begins")
            && let Some((kept, note)) = before.rsplit_once("Note: ")
            && note.contains(" was not valid (")
        {
            rest = format!("{kept}{}", after.trim_start());
        }
        self.stderr = rest.trim_end().to_owned();
        self
    }

    /// Standard output of a command that must succeed, silently.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!((self.status, &*self.stderr), (0, ""), "{}", self.stdout);
        self.stdout
    }

    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("JSON on standard output")
    }

    /// The outcome of a command that must succeed, and may print notes.
    #[track_caller]
    pub fn done(self) -> Self {
        self.ended(0)
    }

    /// The outcome of a command that must end with that status.
    #[track_caller]
    pub fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        self
    }

    /// Standard error, on one line, of a command that must succeed and print notes with each of these parts.
    #[track_caller]
    pub fn notes(self, parts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let notes = one_line(&self.done().stderr);
        has(&notes, parts);
        notes
    }

    /// Standard error of a command that must fail with status 2, as `fails` says, and name each of these parts.
    #[track_caller]
    pub fn refused(self, parts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let message = self.fails(2);
        has(&message, parts);
        message
    }

    /// Standard error of a command that must fail with that status, print nothing and not panic. Line
    /// breaks are spaces: a message may wrap anywhere.
    #[track_caller]
    pub fn fails(self, status: i32) -> String {
        assert_eq!((self.status, &*self.stdout), (status, ""), "{}", self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.message()
    }

    /// Standard error on one line, without the bars before its lines.
    pub fn message(&self) -> String {
        let words = self.stderr.split_whitespace().filter(|w| !["│", "|"].contains(w));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Asserts that a text has each of these parts.
#[track_caller]
pub fn has(text: &str, parts: impl IntoIterator<Item = impl AsRef<str>>) {
    for part in parts {
        assert!(text.contains(part.as_ref()), "`{}` is not in: {text}", part.as_ref());
    }
}

/// A folder, which goes when it is dropped.
pub struct Folder(TempDir);

pub fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

impl Folder {
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Its own path, as an argument.
    pub fn arg(&self) -> &str {
        self.path().to_str().unwrap()
    }

    /// The path of a name in it, as an argument.
    pub fn at(&self, name: &str) -> String {
        format!("{}/{name}", self.arg())
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.at(name), content).unwrap();
        self.at(name)
    }

    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    #[track_caller]
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> T {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
    }

    pub fn names(&self) -> Vec<String> {
        names(self.path())
    }
}

/// A folder, which goes when it is dropped, and the path of a name in it.
pub fn scratch(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

pub fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap()
}

/// The binary; its output is read, and its input is empty.
pub fn command() -> Command {
    let mut command = Command::new(binary());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Files named in a test are relative to the project's root.
    command.current_dir(root()).env_remove("NO_COLOR");
    // The progress of a slow machine does not belong to a test's output.
    command.env("ANABRANCH_PROGRESS_SECONDS", "0");
    // A report has the day, and two are compared although midnight lies between them.
    command.env("SOURCE_DATE_EPOCH", "1800000000");
    command
}

/// The binary that Cargo built with the tests that run: it stands above them.
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.ancestors().nth(2).unwrap().join("anabranch")
}

/// How many runs a store has: those of each build are the lines of a file.
pub fn kept(store: &Path) -> usize {
    let builds = fs::read_dir(store).into_iter().flatten().flatten();
    let lines = builds.filter_map(|build| fs::read(build.path().join("runs.jsonl")).ok());
    lines.map(|lines| lines.iter().filter(|byte| **byte == b'\n').count()).sum()
}

/// Every file below a folder by its path there, and its content.
pub fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        match path.is_dir() {
            true => found.extend(content(&path).into_iter().map(|(file, bytes)| (name.join(file), bytes))),
            false => _ = found.insert(name, fs::read(&path).unwrap()),
        }
    }
    found
}

/// The names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn root() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", ".."].iter().collect()
}

pub fn anabranch<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Outcome {
    anabranch_reading("", args)
}

/// Runs a command line.
pub fn typed(line: &str) -> Outcome {
    anabranch(words(line))
}

pub fn anabranch_reading<S: AsRef<OsStr>>(input: &str, args: impl IntoIterator<Item = S>) -> Outcome {
    let mut command = command();
    let mut child = command.args(args).stdin(Stdio::piped()).spawn().expect("the binary starts");
    // A command that does not read may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    ended(child)
}

pub fn outcome(command: &mut Command) -> Outcome {
    of_output(&command.output().unwrap())
}

pub fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Waits until it is so, while the process runs.
#[track_caller]
pub fn wait_for(child: &mut Child, mut so: impl FnMut() -> bool) {
    if !becomes(LIMIT, || so() || child.try_wait().unwrap().is_some()) {
        let _ = child.kill();
        panic!("it does not come so far in {LIMIT:?}");
    }
    assert_eq!(child.try_wait().unwrap(), None, "it ended early");
}

/// How long a process may take to come so far.
const LIMIT: Duration = Duration::from_secs(600);

/// Interrupts a process once it is so; it must end as an interrupted command does.
#[track_caller]
pub fn interrupted_when(mut child: Child, so: impl FnMut() -> bool) -> Outcome {
    wait_for(&mut child, so);
    signal(&child, Signal::INT);
    ended(child).ended(130)
}

pub fn ended(child: Child) -> Outcome {
    of_output(&child.wait_with_output().unwrap())
}

pub fn of_output(output: &Output) -> Outcome {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Outcome {
        status: output.status.code().expect("not killed"),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// The scenario of the README: links `fibre` and `dsl`; flows `bonded`, `neighbour/1` and `neighbour/2`.
pub const TWO_PATHS: &str = "scenarios/two-paths-and-a-neighbour.toml";

/// The same, short, with losses frequent enough that seeds differ.
pub const SHORT: [&str; 7] = [
    TWO_PATHS,
    "--duration",
    "6 s",
    "--set",
    "warmup=2 s",
    "--set",
    "links.fibre.loss={ model = \"bernoulli\", rate = 1e-3 }",
];

pub fn short<'a>(command: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&[command], &SHORT[..], options].concat()
}

/// No line is wider than tables may be.
pub fn fits(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
    }
}

/// Whether this process ignores the signal, as one that a script started in the background does SIGINT.
pub fn is_ignored(signal: Signal) -> bool {
    is_in("SigIgn:", std::process::id(), signal)
}

pub fn is_caught(process: u32, signal: Signal) -> bool {
    is_in("SigCgt:", process, signal)
}

/// Whether a signal is in that set of a process (proc_pid_status(5)).
fn is_in(set: &str, pid: u32, signal: Signal) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix(set)).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() >> (signal.as_raw() - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn only_notes_on_repeated_attempts_are_taken_away() {
        let repeat = "Note: two paths, seed 1: attempt 1 of 3 was not valid (a packet left its\nlink 28.6 ms late, the limit is 0.02 s); the next\none begins\n";
        let left =
            |stderr: String| Outcome { status: 0, stdout: String::new(), stderr }.without_repeats().stderr;
        assert_eq!(left(repeat.repeat(2)), "");
        for others in ["Note: another", "Error: no"] {
            assert_eq!(left(format!("{repeat}{others}\n")), others);
            assert_eq!(left(format!("{others}\n{repeat}{repeat}")), others);
        }
    }
}
