//! Results in a folder, one JSON file each, with the report on them.

mod merge;

use crate::error::StudyError;
use crate::plan::Study;
use crate::plan::experiments::{Options, PlannedExperiment, choose};
use crate::plan::variant::MEASURED;
use crate::result::{Experiment, StudyResult};
use crate::run::lock::lock;
use anabranch_record::output::{Notify, OutputError, ResultFolder, in_use, rename_beside, try_writing};
use anabranch_record::replace;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

/// The folder of results. While this exists, no other command writes there.
pub struct Results {
    out: PathBuf,
    /// Where the report on them is made.
    report: Mutex<Option<ResultFolder>>,
    /// Damaged files with their messages.
    damaged: Mutex<Vec<(PathBuf, String)>>,
    notify: Notify,
    /// Locked.
    _folder: File,
}

/// Kinds of results, each in a folder of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of shipped papers.
    Paper,
    /// Of algorithms in the standard cases.
    Algorithm,
    /// Of other studies.
    Study,
    /// Of `anabranch advise`.
    Advice,
}

impl Kind {
    /// Those whose folder is always there.
    const ALL: [Kind; 3] = [Kind::Paper, Kind::Algorithm, Kind::Study];

    /// Its folder in the folder of results.
    pub fn folder(self) -> &'static str {
        match self {
            Kind::Paper => "papers",
            Kind::Algorithm => "algorithms",
            Kind::Study => "studies",
            Kind::Advice => "advice",
        }
    }
}

impl Results {
    /// Opens `out`, creating it if needed, with the folders `papers`, `algorithms`, `studies` and `report` in it. Calls `notify`
    /// on problems that do not stop the work.
    ///
    /// # Errors
    /// Any failure that can be detected before the work.
    pub fn open(out: &Path, notify: Notify) -> Result<Self, OutputError> {
        let is_new = out.symlink_metadata().is_err();
        let opened = Results::claim(out, notify);
        if opened.is_err() && is_new {
            // A full disk has room for this folder at times, and not for the next. It goes if it is empty.
            let _ = fs::remove_dir(out);
        }
        opened
    }

    fn claim(out: &Path, notify: Notify) -> Result<Self, OutputError> {
        fs::create_dir_all(out).map_err(cannot("write into", out))?;
        let folder = File::open(out).map_err(cannot("write into", out))?;
        match folder.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(out)),
            Err(TryLockError::Error(e)) => notify(&format!("{} cannot be locked: {e}", out.display())),
        }
        let there = Kind::ALL.map(|kind| out.join(kind.folder())).into_iter();
        for below in there.filter(|below| below.symlink_metadata().is_ok()) {
            let made = fs::create_dir_all(&below).and_then(|()| try_writing(&below));
            made.map_err(cannot("write into", &below))?;
        }
        let report = Mutex::new(Some(ResultFolder::claim(&out.join("report"), notify)?));
        Ok(Results { out: out.to_owned(), report, damaged: Mutex::default(), notify, _folder: folder })
    }

    /// Where everything is.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Where results of a kind are.
    pub fn folder(&self, kind: Kind) -> PathBuf {
        self.out.join(kind.folder())
    }

    /// The folder in which to make the report; one for each command.
    ///
    /// # Errors
    /// Where a second one cannot be claimed.
    pub fn take_report(&self) -> Result<ResultFolder, OutputError> {
        let taken = lock(&self.report).take();
        taken.map_or_else(|| ResultFolder::claim(&self.out.join("report"), self.notify), Ok)
    }

    fn file(&self, kind: Kind, name: &str) -> PathBuf {
        self.folder(kind).join(format!("{name}.json"))
    }

    /// Writes a result, on one line, in place of its former one.
    pub fn keep(&self, kind: Kind, name: &str, result: &impl Serialize) -> Result<(), OutputError> {
        let file = self.file(kind, name);
        fs::create_dir_all(self.folder(kind)).map_err(cannot("write into", &self.out))?;
        self.rename_non_file(&file)?;
        write(&file, serde_json::to_string(result))
    }

    /// Writes a study's result. Keeps experiments of earlier commands with the same size, seeds and version; replaces any other
    /// result as a whole, so that a page never mixes two. Keeps other backends' values that the new result does not have, if the
    /// simulator's values are unchanged. Returns messages on what was lost.
    pub fn keep_study(
        &self,
        kind: Kind,
        study: &Study,
        new: StudyResult,
    ) -> Result<Vec<String>, OutputError> {
        let file = self.file(kind, &study.name);
        let written = file.metadata().and_then(|there| there.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let old: Option<StudyResult> = self.load(kind, &study.name)?;
        let (result, notices) = merge::merge(study, old.map(|old| (old, written)), new);
        write(&file, serde_json::to_string_pretty(&result)).map(|()| notices)
    }

    /// Describes the existing result of a study if it was made with other options, so that [`Results::keep_study`] would replace
    /// it. More seeds of the same definition replace fewer without a loss.
    pub fn conflicting_result(
        &self,
        kind: Kind,
        study: &Study,
        options: &Options,
    ) -> Result<Option<String>, OutputError> {
        let Some(r) = self.load::<StudyResult>(kind, &study.name)? else { return Ok(None) };
        let all = [
            (r.size != options.size.name(), "size"),
            (r.seeds != options.seeds(study), "seeds"),
            (r.version != VERSION, "version"),
            (r.hash != study.hash, "definition (its file or options, or the scenario)"),
            (r.without_variants != options.without_variants, "--no-variants"),
        ];
        let those: Vec<&str> =
            all.into_iter().filter(|(differs, _)| *differs).map(|(_, what)| what).collect();
        let gains = those == ["seeds"] && options.seeds(study) > r.seeds && covers(study, options, &r);
        let said = || format!("{}: {}, which differs in: {}", study.name, described(&r), those.join(", "));
        Ok((!those.is_empty() && !gains).then(said))
    }

    /// Reads an earlier command's result, if any. Renames unreadable files and reports them as damaged.
    ///
    /// # Errors
    /// If the file cannot be opened or renamed.
    pub fn load<T: DeserializeOwned>(&self, kind: Kind, name: &str) -> Result<Option<T>, OutputError> {
        self.read(&self.file(kind, name))
    }

    /// Everything of a kind, by the files' names.
    pub fn load_all<T: DeserializeOwned>(&self, kind: Kind) -> Result<Vec<T>, OutputError> {
        let folder = self.folder(kind);
        let entries = match fs::read_dir(&folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            entries => entries.map_err(cannot("read", &folder))?,
        };
        let files = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>();
        let mut files = files.map_err(cannot("read", &folder))?;
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        let all = files.iter().map(|file| self.read(file));
        Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn read<T: DeserializeOwned>(&self, file: &Path) -> Result<Option<T>, OutputError> {
        self.rename_non_file(file)?;
        let text = match fs::read(file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(cannot("read", file))?,
        };
        match serde_json::from_slice(&text) {
            Ok(result) => Ok(Some(result)),
            Err(_) if text.is_empty() => self.rename_damaged(file, "it is empty").map(|()| None),
            Err(e) => self.rename_damaged(file, &e.to_string()).map(|()| None),
        }
    }

    /// Renames a folder or a pipe in place of a result: reading a pipe would block.
    fn rename_non_file(&self, file: &Path) -> Result<(), OutputError> {
        match file.metadata() {
            Ok(there) if !there.is_file() => self.rename_damaged(file, "it is not a regular file"),
            Err(_) if file.is_symlink() => self.rename_damaged(file, "it is a dangling symbolic link"),
            _ => Ok(()),
        }
    }

    fn rename_damaged(&self, file: &Path, why: &str) -> Result<(), OutputError> {
        let kept = rename_beside(file, file, "damaged").map_err(cannot("rename", file))?;
        let said = format!("cannot read {} ({why}): it was renamed to {}", file.display(), kept.display());
        (self.notify)(&said);
        lock(&self.damaged).push((file.to_owned(), said));
        Ok(())
    }

    /// Messages on the damaged files found so far.
    pub fn damaged(&self) -> Vec<String> {
        lock(&self.damaged).iter().map(|(_, said)| said.clone()).collect()
    }

    /// Drops the messages on a damaged file in whose place a whole result is written.
    pub fn made_whole(&self, kind: Kind, name: &str) {
        let file = self.file(kind, name);
        lock(&self.damaged).retain(|(damaged, _)| *damaged != file);
    }
}

fn write(file: &Path, json: Result<String, serde_json::Error>) -> Result<(), OutputError> {
    let write = |json: String| {
        file.parent().map_or(Ok(()), fs::create_dir_all)?;
        replace(file, (json + "\n").as_bytes())
    };
    json.map_err(io::Error::from).and_then(write).map_err(cannot("write", file))
}

fn cannot(what: &str, path: &Path) -> impl Fn(io::Error) -> OutputError {
    move |why| OutputError::because(format!("cannot {what} {}", path.display()), &why)
}

/// Whether the study with these options has the experiments and backends of the result.
fn covers(study: &Study, options: &Options, result: &StudyResult) -> bool {
    let Ok(asked) = choose(study, options) else { return false };
    let has = |earlier: &Experiment| {
        let planned = asked.iter().find(|planned| planned.id == earlier.id);
        planned.is_some_and(|planned| requests_all(&planned.asked, earlier))
    };
    result.experiments.iter().all(has)
}

/// Whether these variants are all that were requested for the earlier experiment: the values of others would be lost.
fn requests_all(asked: &[String], earlier: &Experiment) -> bool {
    // Old results do not record the requested variants. Each command takes the measured runs anew.
    let of_backends = earlier.variants.iter().filter(|v| v.of_backend && !v.id.starts_with(MEASURED));
    earlier.asked.iter().chain(of_backends.map(|variant| &variant.id)).all(|id| asked.contains(id))
}

/// The differences between an earlier result and the study with these options, as messages.
///
/// # Errors
/// [`StudyError::NoExperiment`].
pub fn outdated(study: &Study, options: &Options, result: &StudyResult) -> Result<Vec<String>, StudyError> {
    let here: Vec<&str> = result.experiments.iter().map(|e| e.id.as_str()).collect();
    let asked = choose(study, options)?;
    let missing: Vec<&str> =
        asked.iter().map(|planned| planned.id.as_str()).filter(|id| !here.contains(id)).collect();
    let seeds = options.seeds(study);
    let there = |id: &str| result.experiments.iter().find(|e| e.id == id);
    let lacks = |planned: &&PlannedExperiment| {
        there(&planned.id).is_some_and(|e| planned.asked.iter().any(|variant| !e.asked.contains(variant)))
    };
    let alone: Vec<&str> = asked.iter().filter(lacks).map(|planned| planned.id.as_str()).collect();
    let all = [
        (result.size != options.size.name(), format!("of another size ({})", result.size)),
        (result.seeds != seeds, format!("of another number of seeds ({})", result.seeds)),
        (result.hash != study.hash, "of another study file, scenario or --at".to_owned()),
        (result.version != VERSION, format!("of another version ({})", result.version)),
        (result.without_variants != options.without_variants, "of another choice of --no-variants".into()),
        (result.partial, "incomplete: the run was interrupted".to_owned()),
        (!missing.is_empty(), format!("without {}", missing.join(", "))),
        (!alone.is_empty(), format!("without a comparison with that backend in {}", alone.join(", "))),
    ];
    Ok(all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what).collect())
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn described(result: &StudyResult) -> String {
    let ids: Vec<&str> = result.experiments.iter().map(|e| e.id.as_str()).collect();
    let made = format!(
        "{} ({} size, seeds {}, version {}{})",
        ids.join(", "),
        result.size,
        result.seeds,
        result.version,
        if result.without_variants { ", --no-variants" } else { "" }
    );
    result.command.as_ref().map_or(made.clone(), |command| format!("{made} of `{command}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::VariantName;

    /// A folder whose own name is short enough for the system, and whose report's is not: making it fails half-way, as on a disk
    /// that fills.
    #[test]
    fn a_failure_leaves_no_empty_folder() {
        let folder = tempfile::tempdir().unwrap();
        // Linux takes names of 4095 bytes, and a file's own part of 255.
        let mut parent = folder.path().to_owned();
        while parent.as_os_str().len() < 3890 {
            parent.push("d".repeat(199));
        }
        let rest = 4090 - parent.as_os_str().len() - 1;
        assert!((1..=255).contains(&rest), "{rest}");
        fs::create_dir_all(&parent).unwrap();
        let out = parent.join("o".repeat(rest));
        assert!(Results::open(&out, |_| ()).is_err());
        assert!(!out.exists() && parent.exists());
        fs::create_dir(&out).unwrap();
        assert!(Results::open(&out, |_| ()).is_err());
        assert!(out.exists(), "a folder that was there stays");
    }

    /// The values of a backend are kept even where an old result does not record that it was requested.
    #[test]
    fn values_of_a_backend_are_not_lost_to_more_seeds() {
        let variant =
            |id: &str, of_backend| VariantName { id: id.into(), of_backend, ..VariantName::default() };
        let of = |variants: &[VariantName], asked: &[&str]| Experiment {
            variants: variants.to_vec(),
            asked: asked.iter().map(|id| (*id).to_owned()).collect(),
            ..Experiment::default()
        };
        let assumed = [variant("v0", false), variant("measured-kernel", true)];
        assert!(requests_all(&[], &of(&assumed, &[])));
        let old = of(&[variant("kernel", true)], &[]);
        assert!(!requests_all(&[], &old));
        assert!(requests_all(&["kernel".to_owned()], &old));
        assert!(!requests_all(&[], &of(&[variant("linux-hosts", false)], &["linux-hosts"])));
    }
}
