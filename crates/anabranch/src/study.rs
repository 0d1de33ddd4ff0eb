//! Studies: from files, from sweeps, or shipped papers.

use crate::campaign::on;
use crate::error::{counted, input_error};
use crate::examples::{self, Example};
use crate::scenario::read;
use crate::{Error, Scenario, Watch, backends};
use anabranch_scenario::distinct_by;
use anabranch_study::file::{self, AxisSubset, FileError};
use anabranch_study::{Kind, Options, Row, Simulations, Study, StudyError, StudyResult, Verdict};
use miette::{Diagnostic, miette};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// Reads a study file; `at` restricts axes to some values. Its scenarios are relative to the file.
pub fn open_study(path: &Path, at: &[AxisSubset]) -> Result<Arc<Study>, Error> {
    let source = read(path)?;
    study_of_text(path, &source.text, at)
}

/// The same from the file's text.
pub fn study_of_text(path: &Path, text: &str, at: &[AxisSubset]) -> Result<Arc<Study>, Error> {
    if let Some(example) = examples::named(path)? {
        let study = file::embedded(example.name, text, &example.scenarios()?, at);
        return refuse_shipped_name(Arc::new(study.map_err(Error::input)?));
    }
    let study = match path == Path::new("-") {
        true => file::of_stdin(text, at),
        false => file::load(&path.display().to_string(), text, path.parent().unwrap_or(Path::new("")), at),
    };
    refuse_shipped_name(study.map_err(Error::input)?)
}

/// Reads the study of [`Scenario::sweep`] of the scenario `file` under the given name.
pub fn study_of_sweep(name: &str, file: &Path, text: &str) -> Result<Arc<Study>, Error> {
    if name.contains(['/', '\\', '\0']) || name.starts_with('.') || name.is_empty() {
        let message = format!("`{name}` cannot be the name of the sweep's files");
        return Err(input_error(
            message,
            Some("give another with --name, without slashes and without a dot at its start"),
        ));
    }
    let scenarios = examples::named(file)?.map_or(Ok(vec![]), Example::scenarios)?;
    refuse_shipped_name(file::of_sweep(name, text, &scenarios).map_err(|error| sweep_error(&error, text))?)
}

/// A mistake in a sweep, at the option that has it: nobody has seen the generated text.
pub fn sweep_error(error: &FileError, text: &str) -> Error {
    let option = error.line().and_then(|line| {
        let lines: Vec<&str> = text.lines().skip(line - 1).take(3).collect();
        let key = lines.iter().find_map(|line| line.split_once("key = \"")?.1.split('"').next());
        match lines.first()?.trim_start().starts_with("cc ") {
            true => Some("--cc: ".to_owned()),
            false => key.map(|key| format!("--vary {key}: ")),
        }
    });
    let help = error.help().map(|help| help.to_string());
    input_error(format!("{}{error}", option.unwrap_or_default()), help.as_deref())
}

fn refuse_shipped_name(study: Arc<Study>) -> Result<Arc<Study>, Error> {
    let shipped = anabranch_papers::headings().find(|paper| paper.name == study.name);
    let Some(paper) = shipped else { return Ok(study) };
    let message = format!("`{}` is the name of a shipped paper: {}", study.name, paper.title);
    Err(input_error(message, Some("rename the file")))
}

/// Finds shipped papers by name or letter, each once; `all` selects every paper.
pub fn papers(names: &[String]) -> Result<Vec<Arc<Study>>, Error> {
    let all = anabranch_papers::all();
    let find = |name: &String| {
        let is = |p: &&Arc<Study>| p.name == *name || p.id.eq_ignore_ascii_case(name);
        all.iter().find(is).cloned().ok_or_else(|| {
            let known: Vec<_> = all.iter().map(|p| format!("{} ({})", p.name, p.id)).collect();
            let help = format!("known: {}, all; or `list` alone", known.join(", "));
            input_error(format!("unknown paper `{name}`"), Some(&help))
        })
    };
    let named = names.iter().filter(|name| *name != "all").map(find).collect::<Result<Vec<_>, _>>()?;
    let each_once = distinct_by(named, |paper| paper.id.clone());
    Ok(if names.iter().any(|name| name == "all") { all.to_vec() } else { each_once })
}

/// Runs a study on all cores, and judges it. It writes nothing; [`crate::Campaign`] does.
pub fn study(study: &Arc<Study>, options: &Options, watch: &Watch<'_>) -> Result<StudyResult, Error> {
    let (mut work, mut result) = (anabranch_study::work(study, options)?, None);
    work.simulations = on(work.simulations)?;
    watch.run_all(backends(), &[work], None, &mut |finished| result = Some(finished))?;
    Ok(result.ok_or(StudyError::Interrupted)?)
}

impl Scenario {
    /// Writes a study file that varies keys of the scenario `file` and algorithms. Each of `vary` is a key and its values,
    /// such as `links.*.queue=0.5..4 BDP/4log`. Without a number of seeds, the file has none.
    pub fn sweep(
        &self,
        file: &str,
        vary: &[String],
        cc: &[String],
        seeds: Option<u32>,
    ) -> Result<String, Error> {
        let sweep = file::Sweep {
            scenario: file.to_owned(),
            vary: vary.to_vec(),
            cc: cc.to_vec(),
            set: self.changes().set.clone(),
            duration: self.changes().duration.clone(),
            seeds,
        };
        file::sweep(&sweep, self).map_err(|why| Error::Input(miette!("{why}")))
    }
}

const COMPLETE: &str = "there is a result";

/// Describes a study's earlier result: whether it exists, and how it differs from what these options give.
pub fn status(study: &Study, options: &Options, file: &Path) -> Result<String, Error> {
    let result: StudyResult = match std::fs::read(file).and_then(|text| Ok(serde_json::from_slice(&text)?)) {
        Ok(result) => result,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok("no result yet".into()),
        Err(e) => return Ok(format!("the result cannot be read: {e}")),
    };
    Ok(match &anabranch_study::outdated(study, options, &result)?[..] {
        [] => COMPLETE.into(),
        outdated => format!("there is a result, but {}", outdated.join(", ")),
    })
}

/// The papers without a result of these options in the folder `out`.
pub fn without_result(
    papers: &[Arc<Study>],
    options: &Options,
    out: &Path,
) -> Result<Vec<Arc<Study>>, Error> {
    let mut missing = vec![];
    for paper in papers {
        let file = out.join(Kind::Paper.folder()).join(format!("{}.json", paper.name));
        if status(paper, options, &file)? != COMPLETE {
            missing.push(paper.clone());
        }
    }
    Ok(missing)
}

/// The number of runs, and their estimated duration on this machine.
pub fn describe_extent(simulations: &Simulations) -> String {
    let time = match simulations.seconds() {
        s if s < 90.0 => format!("{:.0} s", s.ceil()),
        s if s < 5400.0 => format!("{:.0} min", (s / 60.0).ceil()),
        s => format!("{:.0} h", (s / 3600.0).ceil()),
    };
    format!("{} runs, about {time} on {}", simulations.runs(), counted(rayon::current_num_threads(), "core"))
}

/// The failures of a study: rows, under every sensitivity variant, and runs on another backend, which the rows leave out.
pub fn failed(result: &StudyResult) -> Vec<String> {
    let runs = result.experiments.iter().flat_map(|e| &e.variants).flat_map(|column| &column.failed);
    let has_failed = |row: &&Row| {
        let others = row.others.iter().map(|other| other.verdict);
        others.chain([row.verdict]).any(|verdict| verdict == Verdict::Failed)
    };
    let why = |row: &Row| {
        let other = row.others.iter().find_map(|other| other.failure.clone());
        let why = row.explanation.clone().filter(|_| row.verdict == Verdict::Failed).or(other);
        format!("row {}: {}", row.id, why.as_deref().unwrap_or("no value"))
    };
    let mut known = HashSet::new();
    let rows = result.experiments.iter().flat_map(|e| &e.rows);
    let all = runs.cloned().chain(rows.filter(has_failed).map(why));
    all.filter(|line| known.insert(line.clone())).collect()
}

/// Returns an error if something [`failed`].
pub fn check_failed(lines: &[String]) -> Result<(), Error> {
    let of_rows = lines.iter().filter(|line| line.starts_with("row ")).count();
    let counts = [(lines.len() - of_rows, "run"), (of_rows, "row")].into_iter();
    let counts: Vec<_> = counts.filter(|(n, _)| *n > 0).map(|(n, what)| counted(n, what)).collect();
    if counts.is_empty() {
        return Ok(());
    }
    Err(Error::Result(miette!(help = lines.join("\n"), "{} failed", counts.join(" and "))))
}

#[cfg(test)]
mod tests {
    use super::papers;

    #[test]
    fn a_paper_that_is_named_twice_is_found_once() {
        let found = papers(&["A", "a", "coupled-cubic"].map(String::from)).unwrap();
        assert_eq!(found.iter().map(|paper| &*paper.id).collect::<Vec<_>>(), ["A"]);
    }
}
