//! The results of papers and of algorithms beside the report: one JSON file each, to which commands add.

use crate::failure::Failure;
use anabranch_cc::registry;
use anabranch_papers::standard::AlgorithmResult;
use anabranch_papers::{Paper, PaperResult};
use miette::miette;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the results are.
pub struct Results {
    out: PathBuf,
}

/// What is on disk after a result was kept.
pub struct Kept {
    /// The paper's result, with experiments that earlier commands left.
    pub result: PaperResult,
    /// What was lost by it, for people.
    pub notice: Option<String>,
}

impl Results {
    /// The folders `papers` and `algorithms` in `out`, made if they are not there.
    pub fn open(out: &Path) -> Result<Self, Failure> {
        let results = Results { out: out.to_owned() };
        for folder in [results.papers(), results.out.join("algorithms")] {
            fs::create_dir_all(&folder)
                .map_err(|e| Failure::environment(format!("cannot create {}", folder.display()), &e))?;
        }
        Ok(results)
    }

    /// Where everything is.
    pub fn out(&self) -> &Path {
        &self.out
    }

    /// Where the papers' results are.
    pub fn papers(&self) -> PathBuf {
        self.out.join("papers")
    }

    /// Writes an algorithm's result in place of its former one.
    pub fn keep_algorithm(&self, result: &AlgorithmResult) -> Result<(), Failure> {
        let file = self.algorithm(&result.algorithm);
        let cannot = || format!("cannot write {}", file.display());
        let json = serde_json::to_string(result).map_err(|e| Failure::environment(cannot(), &e))?;
        fs::write(&file, json + "\n").map_err(|e| Failure::environment(cannot(), &e))
    }

    /// What commands left of the registry's algorithms; those of another format are left out.
    pub fn algorithms(&self) -> Vec<AlgorithmResult> {
        let load = |name| serde_json::from_str(&fs::read_to_string(self.algorithm(name)).ok()?).ok();
        registry::ALL.iter().filter_map(|entry| load(entry.name)).collect()
    }

    fn algorithm(&self, name: &str) -> PathBuf {
        self.out.join("algorithms").join(name).with_extension("json")
    }

    /// What an earlier command left of a paper; `None` also where that is of another format.
    pub fn load(&self, paper: &Paper) -> Option<PaperResult> {
        serde_json::from_str(&fs::read_to_string(self.file(paper)).ok()?).ok()
    }

    /// Writes a result. Experiments that an earlier command of the same size, seeds and version left stay; another
    /// result is replaced as a whole, so that a page never mixes two.
    pub fn keep(&self, new: PaperResult) -> Result<Kept, Failure> {
        let paper = anabranch_papers::find(&new.name)
            .ok_or_else(|| Failure::Result(miette!("no paper is called {}", new.name)))?;
        let file = self.file(paper);
        let kept = merge(paper, self.load(paper), new);
        let cannot = || format!("cannot write {}", file.display());
        let json =
            serde_json::to_string_pretty(&kept.result).map_err(|e| Failure::environment(cannot(), &e))?;
        fs::write(&file, json + "\n").map_err(|e| Failure::environment(cannot(), &e))?;
        Ok(kept)
    }

    fn file(&self, paper: &Paper) -> PathBuf {
        self.papers().join(paper.name).with_extension("json")
    }
}

fn merge(paper: &Paper, old: Option<PaperResult>, mut new: PaperResult) -> Kept {
    let Some(old) = old else { return Kept { result: new, notice: None } };
    let made = |r: &PaperResult| (r.size.clone(), r.seeds, r.version.clone());
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

fn described(result: &PaperResult) -> String {
    let ids: Vec<&str> = result.experiments.iter().map(|e| e.id.as_str()).collect();
    format!("{} ({} size, seeds {}, version {})", ids.join(", "), result.size, result.seeds, result.version)
}
