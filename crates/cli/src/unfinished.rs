//! Runs of a command that has not ended: after an interruption or a crash the same command goes on where it was.

use crate::output::{counted, note};
use anabranch_record::{Summary, replace};
use anabranch_study::Kept;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// A file of lines: first which program writes it, then a run's summary each. Another program, perhaps with changed algorithms,
/// begins it anew.
pub struct Unfinished {
    path: PathBuf,
    program: String,
    /// Locked while the command runs.
    file: Mutex<File>,
    earlier: HashMap<(String, u64), Earlier>,
    /// Whether this command kept a run.
    kept: AtomicBool,
}

/// A run that an earlier command kept.
struct Earlier {
    summary: Summary,
    taken: AtomicBool,
}

impl Unfinished {
    /// What is unfinished in `out`.
    ///
    /// # Errors
    /// Says why runs cannot be kept there: another command is at work, or the file cannot be read and written.
    pub fn open(out: &Path) -> Result<Self, String> {
        let path = out.join("unfinished.jsonl");
        let about = |why: &dyn Display| format!("{}: {why}", path.display());
        let program = program().map_err(|why| format!("this program cannot be read: {why}"))?;
        // Reading a pipe would wait for ever.
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return Err(about(&"it is no file"));
        }
        let options = File::options().read(true).append(true).create(true).open(&path);
        let mut file = options.map_err(|why| about(&why))?;
        file.try_lock().map_err(|why| match why {
            TryLockError::WouldBlock => about(&"another command is at work there"),
            TryLockError::Error(why) => about(&why),
        })?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|why| about(&why))?;
        let (by, runs, damaged) = read(&bytes);
        if !bytes.is_empty() && !is_program(by) {
            return Err(about(&"it is not what a command of ours left"));
        }
        if damaged > 0 {
            let count = counted(damaged, "run");
            note(&format!("{count} in {} cut off or damaged, to be made again", path.display()));
        }
        let mut unfinished =
            Unfinished { program, file: Mutex::new(file), earlier: runs, path, kept: AtomicBool::new(false) };
        if by != unfinished.program.as_bytes() {
            let lost = std::mem::take(&mut unfinished.earlier).len();
            if lost > 0 {
                note(&format!(
                    "{} of another build deleted from {}",
                    counted(lost, "run"),
                    unfinished.path.display()
                ));
            }
            unfinished.begin_with(&[]).map_err(|why| format!("{}: {why}", unfinished.path.display()))?;
        }
        Ok(unfinished)
    }

    /// The command has ended, `whole` or interrupted. Says how many runs were taken over. Of a whole one nothing stays in the
    /// file but earlier runs that it did not ask for. Gives whether the same command would find runs.
    pub fn end(self, whole: bool) -> bool {
        let (taken, left): (Vec<_>, Vec<_>) =
            self.earlier.values().partition(|earlier| earlier.taken.load(Ordering::Relaxed));
        if !taken.is_empty() {
            let count = counted(taken.len(), "run");
            note(&format!("{count} of an earlier command, which had not ended, taken over"));
        }
        if whole {
            // A file that cannot be changed harms nobody.
            let _ = match left.is_empty() {
                true => fs::remove_file(&self.path),
                false => self.begin_with(&left),
            };
        }
        !whole && (!taken.is_empty() || self.kept.into_inner())
    }

    /// The file anew, with those runs.
    fn begin_with(&self, runs: &[&Earlier]) -> io::Result<()> {
        let text = runs
            .iter()
            .map(|earlier| line(&earlier.summary))
            .fold(self.program.clone(), |all, line| all + &line);
        let mut file = self.file.lock().map_err(|_| io::ErrorKind::Other)?;
        replace(&self.path, text.as_bytes())?;
        *file = File::options().append(true).open(&self.path)?;
        file.try_lock().map_err(|_| io::ErrorKind::WouldBlock.into())
    }
}

impl Kept for Unfinished {
    fn find(&self, scenario_hash: &str, seed: u64) -> Option<Summary> {
        let earlier = self.earlier.get(&(scenario_hash.to_owned(), seed))?;
        earlier.taken.store(true, Ordering::Relaxed);
        Some(earlier.summary.clone())
    }

    fn keep(&self, summary: &Summary) {
        if let Ok(mut file) = self.file.lock() {
            // What cannot be kept is made again.
            let kept = file.write_all(line(summary).as_bytes()).is_ok();
            self.kept.fetch_or(kept, Ordering::Relaxed);
        }
    }
}

/// A run's line. It begins with the line's end, should the one before have been cut off.
fn line(summary: &Summary) -> String {
    format!("\n{}", serde_json::to_string(summary).expect("a summary is plain data"))
}

/// The hash of this program.
fn program() -> io::Result<String> {
    let bytes = fs::read(std::env::current_exe()?)?;
    Ok(Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a file's first line is the hash of a program.
fn is_program(line: &[u8]) -> bool {
    line.len() == 64 && line.iter().all(u8::is_ascii_hexdigit)
}

/// Which program wrote the file, its runs, and how many lines are no summary, such as one that was cut off.
fn read(bytes: &[u8]) -> (&[u8], HashMap<(String, u64), Earlier>, usize) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let by = lines.next().unwrap_or_default();
    let (mut runs, mut damaged) = (HashMap::new(), 0);
    for line in lines.filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Summary>(line) {
            Ok(summary) => {
                let of = (summary.scenario_hash.clone(), summary.seed);
                runs.insert(of, Earlier { summary, taken: AtomicBool::new(false) });
            }
            Err(_) => damaged += 1,
        }
    }
    (by, runs, damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(scenario_hash: &str, seed: u64) -> Summary {
        Summary {
            scenario: "two paths".into(),
            scenario_hash: scenario_hash.into(),
            seed,
            version: "0.1.0".into(),
            duration_s: 10.0,
            // A parser that does not round correctly makes another number of it.
            warmup_s: 3.3 * 3.0,
            partial_until_s: None,
            flows: vec![],
            links: vec![],
            jain: Some(1.0 / 3.0),
        }
    }

    /// What was kept is there for the next command, to the last bit; a crash's half line is not.
    #[test]
    fn the_next_command_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let first = Unfinished::open(dir.path()).unwrap();
        assert_eq!(first.find("a", 1), None);
        first.keep(&summary("a", 1));
        first.keep(&summary("a", 2));
        first.file.lock().unwrap().write_all(b"\n{\"scenario\": \"cut o").unwrap();
        drop(first);

        let second = Unfinished::open(dir.path()).unwrap();
        second.keep(&summary("b", 1));
        drop(second);

        let third = Unfinished::open(dir.path()).unwrap();
        for (hash, seed) in [("a", 1), ("a", 2), ("b", 1)] {
            assert_eq!(third.find(hash, seed), Some(summary(hash, seed)));
        }
        assert_eq!((third.find("b", 2), third.earlier.len()), (None, 3));
        assert!(third.end(false));
        assert!(Unfinished::open(dir.path()).unwrap().find("a", 1).is_some());
    }

    /// With the end of a command its runs go; those of another command, which has not ended, stay.
    #[test]
    fn a_whole_command_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        Unfinished::open(dir.path()).unwrap().keep(&summary("a", 1));
        let another = Unfinished::open(dir.path()).unwrap();
        another.keep(&summary("b", 1));
        assert!(!another.end(true));

        let last = Unfinished::open(dir.path()).unwrap();
        assert_eq!(last.find("b", 1), None);
        assert_eq!(last.find("a", 1), Some(summary("a", 1)));
        assert!(!last.end(true));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    /// Runs of another program are not taken over: its algorithms may be others.
    #[test]
    fn another_program_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("unfinished.jsonl");
        let line = serde_json::to_string(&summary("a", 1)).unwrap();
        fs::write(&file, format!("{}\n{line}", "0f".repeat(32))).unwrap();
        let unfinished = Unfinished::open(dir.path()).unwrap();
        assert_eq!(unfinished.find("a", 1), None);
        assert_eq!(fs::read_to_string(&file).unwrap(), program().unwrap());
    }

    /// A file of that name that is not ours is left as it is, and a pipe is not waited for.
    #[test]
    fn what_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("unfinished.jsonl");
        fs::write(&file, "{\"my\": \"notes\"}\n").unwrap();
        let why = Unfinished::open(dir.path()).err().unwrap();
        assert!(why.ends_with("it is not what a command of ours left"), "{why}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{\"my\": \"notes\"}\n");

        fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        assert!(Unfinished::open(dir.path()).err().unwrap().ends_with("it is no file"));
    }

    /// Two commands do not write into one file.
    #[test]
    fn one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let first = Unfinished::open(dir.path());
        let second = Unfinished::open(dir.path()).err().unwrap();
        assert!(second.ends_with("unfinished.jsonl: another command is at work there"), "{second}");
        drop(first);
        assert!(Unfinished::open(dir.path()).is_ok());
    }
}
