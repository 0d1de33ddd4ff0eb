//! Draws records and the figures of studies.

use crate::earlier::refuse_input_as_output;
use crate::error::input_error;
use crate::{Error, Scenario, Watch};
use anabranch_plot::{
    EXTENSIONS, FIGURES, Format, Group, LineSink, Picture, PlotError, Run, Size, Theory, USUAL, View, is_own,
    together,
};
use anabranch_record::output::OutputFile;
use anabranch_record::{ReadError, Record, Summary};
use anabranch_study::{Panel, StudyResult};
use miette::miette;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What to draw, and how.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Folders of runs, or one result of a study.
    pub what: Vec<PathBuf>,
    /// The figures by name; by default a run's usual figures, or a study's only one.
    pub figures: Vec<String>,
    /// The flows by name; all if empty. A study has none.
    pub flows: Vec<String>,
    /// The part of the figures.
    pub view: View,
    /// The size.
    pub size: Size,
    /// The heading; by default none for runs, and the figures' titles for a study.
    pub heading: Option<String>,
    /// Whether files are replaced that are not pictures of anabranch.
    pub replace: bool,
}

/// Runs or a study's result, to be drawn.
pub struct Drawable {
    name: String,
    content: Content,
}

enum Content {
    Runs(Vec<RecordedRun>),
    Study(Box<StudyResult>),
}

struct RecordedRun {
    folder: String,
    record: Record,
    theory: Option<Theory>,
}

/// The content of the file `out`.
fn draw(picture: &Picture, size: Size, format: Format, out: &Path) -> Result<Vec<u8>, Error> {
    picture.draw(size, format).map_err(|error| match error {
        PlotError::Nothing => Error::Input(miette!("{error}")),
        error => Error::Input(miette!("cannot draw {}: {error}", out.display())),
    })
}

impl Drawable {
    /// Reads records from folders, or a study's result from a file.
    pub fn open(what: &[PathBuf]) -> Result<Self, Error> {
        let name = what.first().map_or(String::new(), |first| first.display().to_string());
        let content = if let [only] = what
            && only.is_file()
        {
            Content::Study(Box::new(read_study(only)?))
        } else if let Some(file) = what.iter().find(|path| path.is_file()) {
            let message = format!("{} is a file: several runs are folders of `run --out`", file.display());
            return Err(input_error(message, Some("draw the result of a study alone")));
        } else {
            let read = what.iter().map(|folder| RecordedRun::read(folder, what));
            Content::Runs(read.collect::<Result<_, _>>()?)
        };
        Ok(Drawable { name, content })
    }

    /// The names of the figures, and a description of each. Of several runs, those of the first.
    pub fn figures(&self) -> Vec<(String, String)> {
        match &self.content {
            Content::Runs(runs) => {
                let shows = |name: &str| FIGURES.iter().find(|known| known.0 == name).map(|known| known.1);
                let record = runs.first().map(|run| &run.record);
                let figures = record.map(|it| Run::new(&it.summary, &it.samples, None).figures());
                let inner = "an internal variable of the algorithm";
                let described = |name: String| (name.clone(), shows(&name).unwrap_or(inner).to_owned());
                figures.into_iter().flatten().map(described).collect()
            }
            Content::Study(study) => {
                let figures = study.experiments.iter().flat_map(|e| &e.figures);
                figures.map(|figure| (figure.id.clone(), figure.title.clone())).collect()
            }
        }
    }

    fn drawn(&self, plot: &Plot) -> Result<Picture, Error> {
        let mut drawn = match &self.content {
            Content::Runs(runs) => self.runs(runs, plot)?,
            Content::Study(study) => self.study(study, plot)?,
        };
        if plot.view.cuts_nothing(&drawn.panels) {
            let message = "`--from` and `--to` have no effect: the figure is not over time".to_owned();
            return Err(input_error(
                message,
                Some("leave them out, or draw a figure over time, such as windows"),
            ));
        }
        plot.view.apply(&mut drawn.panels);
        if let Some(heading) = &plot.heading {
            drawn.heading.clone_from(heading);
            // Several panels need theirs.
            if let ([only], true) = (&mut drawn.panels[..], heading.is_empty()) {
                only.title.clear();
            }
        }
        Ok(drawn)
    }

    /// The names of all figures.
    fn known(&self) -> String {
        self.figures().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    }

    fn unknown(&self, figure: &str) -> Error {
        input_error(format!("unknown figure `{figure}`"), Some(&format!("known: {}", self.known())))
    }

    /// The error on a figure that one of `members` does not have, but maybe another of its flows or another run.
    /// `drawn` are the members with the flows to draw.
    fn missing(
        &self,
        figure: &str,
        runs: &[RecordedRun],
        members: &[&RecordedRun],
        drawn: &[Run<'_>],
    ) -> Error {
        let has = |run: &Run<'_>| run.figures().iter().any(|known| known == figure);
        let any_flow_has = |run: &RecordedRun| has(&Run::new(&run.record.summary, &run.record.samples, None));
        let lacking = members.iter().zip(drawn).find(|(_, drawn)| !has(drawn));
        match lacking.map(|(run, _)| *run) {
            Some(run) if any_flow_has(run) => {
                let help = "name a flow that has it, or leave `--flows` out";
                input_error(format!("the flows of `--flows` have no figure `{figure}`"), Some(help))
            }
            Some(run) if runs.iter().any(any_flow_has) => {
                let help = "its algorithms have no variable of this name: leave the run out";
                input_error(format!("{} has no figure `{figure}`", run.folder), Some(help))
            }
            _ => self.unknown(figure),
        }
    }

    fn runs(&self, runs: &[RecordedRun], plot: &Plot) -> Result<Picture, Error> {
        let why = |figure: &String| runs.iter().find_map(|run| without(&run.record.summary, figure));
        if let Some(why) = plot.figures.iter().find_map(why) {
            return Err(input_error(why, Some(&format!("draw another figure: {}", self.known()))));
        }
        let asked: Vec<&str> = match &plot.figures[..] {
            [] => USUAL.to_vec(),
            asked => asked.iter().map(String::as_str).collect(),
        };
        let figures = |members: &[&RecordedRun]| -> Result<_, Error> {
            let drawn: Vec<Run<'_>> =
                members.iter().map(|run| run.drawn(&plot.flows)).collect::<Result<_, _>>()?;
            let of = |name: &&str| {
                let each = || drawn.iter().map(|run| run.panel(name)).collect();
                let all: Vec<&Run<'_>> = drawn.iter().collect();
                let panels: Option<Vec<Panel>> =
                    Run::pooled(&all, name).map_or_else(each, |one| Some(vec![one]));
                panels.ok_or_else(|| self.missing(name, runs, members, &drawn))
            };
            asked.iter().map(of).collect()
        };
        let groups = groups(runs)
            .into_iter()
            .map(|(name, members)| Ok(Group { name, figures: figures(&members)? }))
            .collect::<Result<Vec<_>, Error>>()?;
        let (title, about): (Vec<_>, Vec<_>) = runs.iter().map(|run| heading(&run.record.summary)).unzip();
        let (mut title, about) = (title, about.join("\n"));
        title.dedup();
        Ok(Picture { title: title.join(", "), about, heading: String::new(), panels: together(&groups) })
    }

    fn study(&self, study: &StudyResult, plot: &Plot) -> Result<Picture, Error> {
        let figures: Vec<_> = study.experiments.iter().flat_map(|e| &e.figures).collect();
        if let Some(flow) = plot.flows.first() {
            let message = format!("the figures of {} do not show single flows such as `{flow}`", self.name);
            return Err(input_error(message, Some("--flows is for runs")));
        }
        let asked = match (&plot.figures[..], &figures[..]) {
            ([], []) => return Err(Error::Input(miette!("{} has no figures", self.name))),
            ([], [only]) => std::slice::from_ref(&only.id),
            ([], _) => {
                let help = format!("known: {}", self.known());
                let message = format!("{} has several figures: choose with --figure", self.name);
                return Err(input_error(message, Some(&help)));
            }
            (asked, _) => asked,
        };
        let (mut panels, mut titles) = (Vec::new(), Vec::new());
        for id in asked {
            let figure = figures.iter().find(|f| f.id == *id).ok_or_else(|| self.unknown(id))?;
            titles.push(format!("{}: {}", figure.id, figure.title));
            panels.extend(figure.panels.iter().cloned());
        }
        let StudyResult { title, citation, size, version, .. } = study;
        let about = format!("{title} ({citation}), size {size}, anabranch {version}");
        let title = titles.join("; ");
        Ok(Picture { heading: title.clone(), title, about, panels })
    }
}

impl RecordedRun {
    /// Reads the record in a folder, which has its whole path as its name if another one of `all` has the same name.
    fn read(folder: &Path, all: &[PathBuf]) -> Result<Self, Error> {
        let record = Record::read(folder).map_err(|error| no_record(folder, &error))?;
        let theory = Scenario::of_record(folder, &record.summary).and_then(|it| Theory::of(&it));
        let whole = folder.display().to_string();
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_alone = all.iter().filter(|other| name(other) == name(folder)).count() == 1;
        let folder = name(folder).filter(|_| is_alone).unwrap_or(whole);
        Ok(RecordedRun { folder, record, theory })
    }

    fn drawn(&self, flows: &[String]) -> Result<Run<'_>, Error> {
        let Record { summary, samples } = &self.record;
        let run = Run::new(summary, samples, self.theory.clone()).with_flows(flows);
        run.map_err(|flow| {
            let known: Vec<&str> = summary.flows.iter().map(|flow| &*flow.name).take(20).collect();
            let help = format!("flows: {}", known.join(", "));
            input_error(format!("{} has no flow `{flow}`", self.folder), Some(&help))
        })
    }
}

/// The runs that differ in their seeds alone, with a name for each group: of its folder, or what the names of its folders begin
/// with.
fn groups(runs: &[RecordedRun]) -> Vec<(String, Vec<&RecordedRun>)> {
    let key = |run: &RecordedRun| {
        let s = &run.record.summary;
        let kernel = s.kernel.as_ref().map(|kernel| kernel.release.clone());
        // The scenario's hash covers its algorithms and durations, but not the seed.
        (s.scenario_hash.clone(), s.version.clone(), kernel, s.partial_until_s.map(f64::to_bits))
    };
    let mut groups: Vec<(_, Vec<&RecordedRun>)> = Vec::new();
    for run in runs {
        let is_own = |members: &[&RecordedRun]| {
            members.iter().all(|m| m.record.summary.seed != run.record.summary.seed)
        };
        match groups.iter_mut().find(|(known, members)| *known == key(run) && is_own(members)) {
            Some((_, members)) => members.push(run),
            None => groups.push((key(run), vec![run])),
        }
    }
    groups.into_iter().map(|(_, members)| (group_name(&members), members)).collect()
}

fn group_name(members: &[&RecordedRun]) -> String {
    let [first, others @ ..] = members else { return String::new() };
    if others.is_empty() {
        return first.folder.clone();
    }
    let is_common = |i: &usize| others.iter().all(|other| other.folder.starts_with(&first.folder[..*i]));
    let ends = first.folder.char_indices().map(|(i, c)| i + c.len_utf8());
    let common = &first.folder[..ends.take_while(is_common).last().unwrap_or(0)];
    let common = common.trim_end_matches(|c: char| c.is_ascii_digit() || "-_. ".contains(c));
    let name = if common.is_empty() { &*first.folder } else { common };
    format!("{name}, mean of {}", members.len())
}

/// Draws figures of records or of a study's result into each file of `out` and returns the files. The extension selects the format:
/// svg, pdf, png, html, csv for the values, tex for pgfplots, or mplstyle for matplotlib.
pub fn plot(plot: &Plot, out: &[PathBuf], watch: &Watch<'_>) -> Result<Vec<PathBuf>, Error> {
    let entries =
        |what: &PathBuf| fs::read_dir(what).into_iter().flatten().flatten().map(|entry| entry.path());
    let below: Vec<PathBuf> = plot.what.iter().flat_map(entries).chain(plot.what.iter().cloned()).collect();
    let mut pictures = Vec::new();
    for file in out {
        let format = format(file)?;
        refuse_input_as_output("--out", file, &below)?;
        folder(file)?;
        pictures.push((format, PictureFile::begin(file, plot.replace)?));
    }
    let files: Vec<(Format, PathBuf)> =
        pictures.iter().map(|(format, it)| (*format, it.out.clone())).collect();
    let plot = plot.clone();
    let draw_all = move || {
        let drawn = Drawable::open(&plot.what)?.drawn(&plot)?;
        files
            .iter()
            .map(|(format, file)| draw(&drawn, plot.size, *format, file))
            .collect::<Result<Vec<_>, _>>()
    };
    let drawn = watch.cancel.run_until_cancelled(draw_all);
    let drawn = drawn.ok_or_else(|| Error::Interrupted(miette!("interrupted: nothing was drawn")))??;
    pictures.into_iter().zip(drawn).map(|((_, picture), bytes)| picture.keep(&bytes, false)).collect()
}

pub(crate) struct PictureFile {
    file: OutputFile,
    out: PathBuf,
}

impl PictureFile {
    pub(crate) fn begin(out: &Path, replace: bool) -> Result<Self, Error> {
        Ok(PictureFile { file: OutputFile::create(out, (!replace).then_some(is_own))?, out: out.to_owned() })
    }

    /// Writes the picture and returns its file. The picture of an interrupted run has another name.
    fn keep(mut self, bytes: &[u8], partial: bool) -> Result<PathBuf, Error> {
        self.file.write_all(bytes).map_err(|e| Error::environment("cannot write the picture", &e))?;
        Ok(if partial { self.file.finish_partial()? } else { self.file.finish()? })
    }

    pub(crate) fn draw_run(
        self,
        scenario: &Scenario,
        summary: &Summary,
        samples: LineSink,
        watch: &Watch<'_>,
    ) -> Result<PathBuf, Error> {
        let partial = summary.partial_until_s.is_some();
        let (format, theory, path) = (format(&self.out)?, Theory::of(scenario), self.out.clone());
        let (title, about) = heading(summary);
        let summary = summary.clone();
        let drawn = move || {
            let lines = samples.finish();
            let run = Run::of_lines(&summary, &lines, theory);
            let panels: Vec<Panel> = USUAL.iter().filter_map(|figure| run.panel(figure)).collect();
            let picture = Picture { title, about, heading: String::new(), panels };
            draw(&picture, Size::default(), format, &path)
        };
        // An interrupted run is drawn up to its end.
        let drawn = if partial { Some(drawn()) } else { watch.cancel.run_until_cancelled(drawn) };
        match drawn {
            Some(bytes) => self.keep(&bytes?, partial),
            None => Err(Error::Interrupted(miette!("interrupted: the run was not drawn"))),
        }
    }
}

pub(crate) fn format(out: &Path) -> Result<Format, Error> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or_default();
    Format::of(ending).ok_or_else(|| {
        let (out, help) = (out.display(), format!("use the extension {EXTENSIONS}"));
        input_error(format!("cannot draw {out}: its extension does not select a format"), Some(&help))
    })
}

/// Checks that the folder exists, before a run that may be long.
pub(crate) fn folder(out: &Path) -> Result<(), Error> {
    match out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let (out, folder) = (out.display(), folder.display());
            Err(Error::Input(miette!("cannot write {out}: the folder {folder} does not exist")))
        }
        _ => Ok(()),
    }
}

/// Why a record has nothing to draw for a figure.
fn without(summary: &Summary, figure: &str) -> Option<String> {
    match figure {
        "windows" if summary.capture.is_some() => {
            Some("a capture has no congestion windows: the sender does not write them into packets".into())
        }
        "queue" if summary.links.is_empty() => {
            Some("this record has no queues: only the ends of paths were seen".into())
        }
        _ => None,
    }
}

fn read_study(file: &Path) -> Result<StudyResult, Error> {
    let path = file.display();
    let text = fs::read(file).map_err(|e| Error::environment(format!("cannot read {path}"), &e))?;
    serde_json::from_slice(&text).map_err(|e| {
        if file.extension().is_some_and(|extension| extension == "toml") {
            let kind = if String::from_utf8_lossy(&text).contains("[runs.") { "study" } else { "scenario" };
            let help = match kind {
                "study" => format!("first `anabranch study {path}`, then `anabranch plot` of its result"),
                _ => format!("first `anabranch run {path} --out DIR`, then `anabranch plot DIR`"),
            };
            return input_error(format!("{path} is a {kind}: it has no figures yet"), Some(&help));
        }
        let help = "give the folder that `anabranch run --out` wrote, or the result of a study such as out/NAME/studies/NAME.json";
        let message = format!("{path} is not the result of a study, is damaged or is of another version: {e}");
        input_error(message, Some(help))
    })
}

/// The title of a run's picture, and the origin of the run.
fn heading(s: &Summary) -> (String, String) {
    let algorithms: Vec<String> = s.flows.iter().map(|f| format!("{}: {}", f.name, f.cc)).collect();
    let partial = s.partial_until_s.map_or(String::new(), |at| format!(", interrupted at {at} s"));
    let kernel = s.kernel.as_ref().map_or(String::new(), |k| format!(", on Linux {}", k.release));
    // A recording has none.
    let seed = if s.scenario_hash.is_empty() { String::new() } else { format!(", seed {}", s.seed) };
    let about = format!(
        "{} s{partial}{kernel}, means from {} s on{seed}, anabranch {}. {}",
        s.duration_s,
        s.warmup_s,
        s.version,
        algorithms.join(", ")
    );
    (s.scenario.clone(), about)
}

fn no_record(folder: &Path, error: &ReadError) -> Error {
    let results: Vec<String> = ["studies", "papers", ""]
        .iter()
        .flat_map(|below| json_files(&folder.join(below)))
        .filter(|path| !path.ends_with("summary.json"))
        .take(5)
        .map(|path| path.display().to_string())
        .collect();
    let help = match (error, &results[..]) {
        (ReadError::Missing { .. }, []) => {
            "a record is a folder that `anabranch run FILE --out DIR` wrote".to_owned()
        }
        (ReadError::Missing { .. }, some) => format!("the result of a study is a file: {}", some.join(", ")),
        _ => "repeat the run: scenario.toml in the folder has the command".to_owned(),
    };
    let message = if matches!(folder.try_exists(), Ok(false)) {
        format!("{} does not exist", folder.display())
    } else {
        error.to_string()
    };
    input_error(message, Some(&help))
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}
