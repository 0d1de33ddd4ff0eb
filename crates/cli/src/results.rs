//! The results of papers and of algorithms beside the report: one JSON file each, to which commands add.

use crate::failure::Failure;
use crate::output::{counted, note};
use crate::place::{Place, aside, at_work, try_writing};
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_record::replace;
use anabranch_study::{Study, StudyResult};
use miette::miette;
use serde::de::DeserializeOwned;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Where the results are. As long as this is, no other command works there.
pub struct Results {
    out: PathBuf,
    /// Where the report on them is made.
    report: Mutex<Option<Place>>,
    /// What was found damaged, for people.
    damaged: Mutex<Vec<String>>,
    /// Locked.
    _folder: File,
}

/// What is on disk after a result was kept.
pub struct Kept {
    /// The paper's result, with experiments that earlier commands left.
    pub result: StudyResult,
    /// What was lost by it, for people.
    pub notice: Option<String>,
}

impl Results {
    /// The folders `papers`, `algorithms`, `studies` and `report` in `out`, made if they are not there. All that can be known to fail
    /// later fails here.
    pub fn open(out: &Path) -> Result<Self, Failure> {
        let cannot = |path: &Path, e: &io::Error| {
            Failure::environment(format!("cannot write into {}", path.display()), e)
        };
        fs::create_dir_all(out).map_err(|e| cannot(out, &e))?;
        let folder = File::open(out).map_err(|e| cannot(out, &e))?;
        match folder.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(at_work(out)),
            Err(TryLockError::Error(e)) => note(&format!("{} cannot be locked: {e}", out.display())),
        }
        for below in [out.join("papers"), out.join("algorithms"), out.join("studies")] {
            fs::create_dir_all(&below).and_then(|()| try_writing(&below)).map_err(|e| cannot(&below, &e))?;
        }
        let report = Mutex::new(Some(Place::claim(&out.join("report"))?));
        Ok(Results { out: out.to_owned(), report, damaged: Mutex::default(), _folder: folder })
    }

    /// Where everything is.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Where the papers' results are.
    pub fn papers(&self) -> PathBuf {
        self.out.join("papers")
    }

    /// Where the report is made; there is one for each command.
    pub fn take_report(&self) -> Result<Place, Failure> {
        let taken = self.report.lock().ok().and_then(|mut report| report.take());
        taken.map_or_else(|| Place::claim(&self.out.join("report")), Ok)
    }

    /// Writes an algorithm's result in place of its former one.
    pub fn keep_algorithm(&self, result: &AlgorithmResult) -> Result<(), Failure> {
        let file = self.algorithm(&result.algorithm);
        self.put_aside_what_is_no_file(&file)?;
        let cannot = || format!("cannot write {}", file.display());
        let json = serde_json::to_string(result).map_err(|e| Failure::environment(cannot(), &e))?;
        replace(&file, (json + "\n").as_bytes()).map_err(|e| Failure::environment(cannot(), &e))
    }

    /// What commands left of the registry's algorithms.
    pub fn algorithms(&self) -> Result<Vec<AlgorithmResult>, Failure> {
        let all = registry::ALL.iter().map(|entry| self.read(&self.algorithm(entry.name)));
        Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn algorithm(&self, name: &str) -> PathBuf {
        self.out.join("algorithms").join(name).with_extension("json")
    }

    /// What an earlier command left of a paper.
    pub fn load(&self, paper: &Study) -> Result<Option<StudyResult>, Failure> {
        self.read(&self.file(paper))
    }

    /// Writes a result. Experiments that an earlier command of the same size, seeds and version left stay; another
    /// result is replaced as a whole, so that a page never mixes two.
    pub fn keep(&self, new: StudyResult) -> Result<Kept, Failure> {
        let paper = anabranch_papers::find(&new.name)
            .ok_or_else(|| Failure::Result(miette!("no paper is called {}", new.name)))?;
        self.keep_in(self.file(paper), paper, new)
    }

    fn keep_in(&self, file: PathBuf, study: &Study, new: StudyResult) -> Result<Kept, Failure> {
        let kept = merge(study, self.read(&file)?, new);
        let cannot = || format!("cannot write {}", file.display());
        let json =
            serde_json::to_string_pretty(&kept.result).map_err(|e| Failure::environment(cannot(), &e))?;
        replace(&file, (json + "\n").as_bytes()).map_err(|e| Failure::environment(cannot(), &e))?;
        Ok(kept)
    }

    /// Where the results of studies are.
    pub fn studies(&self) -> PathBuf {
        self.out.join("studies")
    }

    /// Writes the result of a study that is no shipped paper's.
    pub fn keep_study(&self, study: &Study, new: StudyResult) -> Result<Kept, Failure> {
        self.keep_in(self.studies().join(format!("{}.json", study.name)), study, new)
    }

    /// The results of studies that are no shipped paper's, by their names.
    pub fn load_studies(&self) -> Result<Vec<StudyResult>, Failure> {
        let cannot =
            |e: &io::Error| Failure::environment(format!("cannot read {}", self.studies().display()), e);
        let mut files = Vec::new();
        for entry in fs::read_dir(self.studies()).map_err(|e| cannot(&e))? {
            let path = entry.map_err(|e| cannot(&e))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                files.push(path);
            }
        }
        files.sort();
        let all = files.iter().map(|file| self.read(file));
        Ok(all.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn file(&self, paper: &Study) -> PathBuf {
        self.papers().join(&paper.name).with_extension("json")
    }

    /// Reads a result; none where there is none. One that cannot be read is put aside, and noted as damaged.
    fn read<T: DeserializeOwned>(&self, file: &Path) -> Result<Option<T>, Failure> {
        self.put_aside_what_is_no_file(file)?;
        let text = match fs::read(file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Failure::environment(format!("cannot read {}", file.display()), &e)),
            Ok(text) => text,
        };
        match serde_json::from_slice(&text) {
            Ok(result) => Ok(Some(result)),
            Err(_) if text.is_empty() => self.put_aside(file, "it is empty").map(|()| None),
            Err(e) => self.put_aside(file, &e.to_string()).map(|()| None),
        }
    }

    /// A folder or a pipe in place of a result: reading a pipe would wait for ever.
    fn put_aside_what_is_no_file(&self, file: &Path) -> Result<(), Failure> {
        match file.metadata() {
            Ok(there) if !there.is_file() => self.put_aside(file, "it is no file"),
            Err(_) if file.is_symlink() => self.put_aside(file, "it is a symbolic link to nothing"),
            _ => Ok(()),
        }
    }

    fn put_aside(&self, file: &Path, why: &str) -> Result<(), Failure> {
        let kept = aside(file, file, "damaged")
            .map_err(|e| Failure::environment(format!("cannot put aside {}", file.display()), &e))?;
        let said = format!("{} could not be read ({why}): it is kept as {}", file.display(), kept.display());
        note(&said);
        if let Ok(mut damaged) = self.damaged.lock() {
            damaged.push(said);
        }
        Ok(())
    }

    /// What was found damaged so far, a sentence each.
    pub fn damaged(&self) -> Vec<String> {
        self.damaged.lock().map_or_else(|_| Vec::new(), |damaged| damaged.clone())
    }

    /// A failure where something was damaged.
    pub fn check(&self) -> Result<(), Failure> {
        match self.damaged().len() {
            0 => Ok(()),
            n => Err(Failure::Result(miette!(
                "{} of earlier commands could not be read: the report is without",
                counted(n, "result")
            ))),
        }
    }
}

fn merge(paper: &Study, old: Option<StudyResult>, mut new: StudyResult) -> Kept {
    let Some(old) = old else { return Kept { result: new, notice: None } };
    let made =
        |r: &StudyResult| (r.size.clone(), r.seeds, r.version.clone(), r.hash.clone(), r.without_columns);
    if made(&old) != made(&new) && new.partial {
        let notice = format!("{}: {} stays, {} being partial", paper.name, described(&old), described(&new));
        return Kept { result: old, notice: Some(notice) };
    }
    if made(&old) != made(&new) {
        let notice = Some(format!("{}: {} replaces {}", paper.name, described(&new), described(&old)));
        return Kept { result: new, notice };
    }
    let run_again: Vec<String> = new.experiments.iter().map(|e| e.id.clone()).collect();
    new.experiments.extend(old.experiments.iter().filter(|e| !run_again.contains(&e.id)).cloned());
    new.partial = (new.partial || old.partial) && new.experiments.len() < paper.experiments.len();
    new.experiments.sort_by_key(|e| paper.experiments.iter().position(|d| d.id() == e.id));
    Kept { result: new, notice: None }
}

fn described(result: &StudyResult) -> String {
    let ids: Vec<&str> = result.experiments.iter().map(|e| e.id.as_str()).collect();
    let made = format!(
        "{} ({} size, seeds {}, version {}{})",
        ids.join(", "),
        result.size,
        result.seeds,
        result.version,
        if result.without_columns { ", without columns" } else { "" }
    );
    result.command.as_ref().map_or(made.clone(), |command| format!("{made} of `{command}`"))
}
