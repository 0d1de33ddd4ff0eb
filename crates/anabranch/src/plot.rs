//! Draws records and the figures of studies.

use crate::earlier::refuse_input_as_output;
use crate::error::input_error;
use crate::{Error, Scenario, Watch};
use anabranch_plot::{FIGURES, Format, LineSink, PlotError, Run, Size, Theory, USUAL, is_own};
use anabranch_record::output::OutputFile;
use anabranch_record::{ReadError, Record, Summary};
use anabranch_study::{Panel, StudyResult};
use miette::miette;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A record of a run or a study's result, to be drawn.
pub struct Drawable {
    what: PathBuf,
    content: Content,
}

enum Content {
    Run(Box<(Record, Option<Scenario>)>),
    Study(Box<StudyResult>),
}

/// Title, origin and panels.
type Drawn = (String, String, Vec<Panel>);

impl Drawable {
    /// Reads a record from a folder, or a study's result from a file.
    pub fn open(what: &Path) -> Result<Self, Error> {
        let content = match what.is_file() {
            true => Content::Study(Box::new(read_study(what)?)),
            false => {
                let record = Record::read(what).map_err(|error| no_record(what, &error))?;
                let scenario = Scenario::of_record(what, &record.summary);
                Content::Run(Box::new((record, scenario)))
            }
        };
        Ok(Drawable { what: what.to_owned(), content })
    }

    /// The names of the figures, and a description of each.
    pub fn figures(&self) -> Vec<(String, String)> {
        match &self.content {
            Content::Run(run) => {
                let shows = |name: &str| FIGURES.iter().find(|known| known.0 == name).map(|known| known.1);
                let figures = Run::new(&run.0.summary, &run.0.samples, None).figures().into_iter();
                let inner = "an internal variable of the algorithm";
                figures.map(|name| (name.clone(), shows(&name).unwrap_or(inner).to_owned())).collect()
            }
            Content::Study(study) => {
                let figures = study.experiments.iter().flat_map(|e| &e.figures);
                figures.map(|figure| (figure.id.clone(), figure.title.clone())).collect()
            }
        }
    }

    /// Draws figures by name and returns the bytes of that format. Without names, it draws a run's usual figures or a study's
    /// only one.
    pub fn draw(&self, asked: &[String], size: Size, format: Format, file: &Path) -> Result<Vec<u8>, Error> {
        let (title, about, panels) = match &self.content {
            Content::Run(run) => self.run_panels(&run.0, run.1.as_ref(), asked)?,
            Content::Study(study) => self.study_panels(study, asked)?,
        };
        let picture = anabranch_plot::Picture { title: &title, about: &about, panels: &panels, size };
        draw(&picture, format, file)
    }

    /// The names of all figures.
    fn known(&self) -> String {
        self.figures().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(", ")
    }

    fn unknown(&self, figure: &str) -> Error {
        input_error(format!("unknown figure `{figure}`"), Some(&format!("known: {}", self.known())))
    }

    fn run_panels(
        &self,
        record: &Record,
        scenario: Option<&Scenario>,
        asked: &[String],
    ) -> Result<Drawn, Error> {
        let theory = scenario.and_then(|it| Theory::of(it));
        let run = Run::new(&record.summary, &record.samples, theory);
        let (title, about) = heading(&record.summary);
        let asked: Vec<&str> = match asked {
            [] => USUAL.to_vec(),
            asked => asked.iter().map(String::as_str).collect(),
        };
        let panel = |name: &&str| run.panel(name).ok_or_else(|| self.unknown(name));
        Ok((title, about, asked.iter().map(panel).collect::<Result<_, _>>()?))
    }

    fn study_panels(&self, study: &StudyResult, asked: &[String]) -> Result<Drawn, Error> {
        let figures: Vec<_> = study.experiments.iter().flat_map(|e| &e.figures).collect();
        let path = self.what.display();
        let asked = match (asked, &figures[..]) {
            ([], []) => return Err(Error::Input(miette!("{path} has no figures"))),
            ([], [only]) => std::slice::from_ref(&only.id),
            ([], _) => {
                let help = format!("known: {}", self.known());
                let message = format!("{path} has several figures: choose with --figure");
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
        Ok((titles.join("; "), about, panels))
    }
}

/// Draws figures of a record or a study's result into `out` and returns the file. The extension selects the format: svg, png
/// or html.
pub fn plot(
    what: &Path,
    figures: &[String],
    size: Size,
    out: &Path,
    replace: bool,
    watch: &Watch<'_>,
) -> Result<PathBuf, Error> {
    let format = format(out)?;
    let below = fs::read_dir(what).into_iter().flatten().flatten().map(|entry| entry.path());
    refuse_input_as_output("--out", out, &below.chain([what.to_owned()]).collect::<Vec<_>>())?;
    folder(out)?;
    let picture = Picture::begin(out, replace)?;
    let (what, figures, out) = (what.to_owned(), figures.to_vec(), out.to_owned());
    let drawn =
        watch.cancel.run_until_cancelled(move || Drawable::open(&what)?.draw(&figures, size, format, &out));
    let drawn = drawn.ok_or_else(|| Error::Interrupted(miette!("interrupted: nothing was drawn")))?;
    picture.keep(&drawn?, false)
}

/// A picture's file that is open for writing.
pub(crate) struct Picture {
    file: OutputFile,
    out: PathBuf,
}

impl Picture {
    pub(crate) fn begin(out: &Path, replace: bool) -> Result<Self, Error> {
        Ok(Picture { file: OutputFile::create(out, (!replace).then_some(is_own))?, out: out.to_owned() })
    }

    /// Writes the picture and returns its file. The picture of an interrupted run has another name.
    fn keep(mut self, bytes: &[u8], partial: bool) -> Result<PathBuf, Error> {
        self.file.write_all(bytes).map_err(|e| Error::environment("cannot write the picture", &e))?;
        Ok(if partial { self.file.finish_partial()? } else { self.file.finish()? })
    }

    /// Draws the run that has just ended.
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
            let size = Size::default();
            let picture = anabranch_plot::Picture { title: &title, about: &about, panels: &panels, size };
            draw(&picture, format, &path)
        };
        // An interrupted run is drawn up to its end.
        let drawn = if partial { Some(drawn()) } else { watch.cancel.run_until_cancelled(drawn) };
        match drawn {
            Some(bytes) => self.keep(&bytes?, partial),
            None => Err(Error::Interrupted(miette!("interrupted: the run was not drawn"))),
        }
    }
}

/// The format that the file's extension selects.
pub(crate) fn format(out: &Path) -> Result<Format, Error> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or_default();
    Format::of(ending).ok_or_else(|| {
        let help = "use the extension .svg, .png or .html";
        input_error(
            format!("cannot draw {}: its extension does not select a format", out.display()),
            Some(help),
        )
    })
}

/// Checks that the folder exists, before a run that may be long.
pub(crate) fn folder(out: &Path) -> Result<(), Error> {
    match out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => Err(Error::Input(miette!(
            "cannot write {}: the folder {} does not exist",
            out.display(),
            folder.display()
        ))),
        _ => Ok(()),
    }
}

fn draw(picture: &anabranch_plot::Picture<'_>, format: Format, out: &Path) -> Result<Vec<u8>, Error> {
    picture.draw(format).map_err(|error| match error {
        PlotError::Nothing => Error::Input(miette!("{error}")),
        error => Error::Input(miette!("cannot draw {}: {error}", out.display())),
    })
}

fn read_study(file: &Path) -> Result<StudyResult, Error> {
    let path = file.display();
    let text = fs::read(file).map_err(|e| Error::environment(format!("cannot read {path}"), &e))?;
    serde_json::from_slice(&text).map_err(|e| {
        let help = "give the folder that `anabranch run --out` wrote, or the result of a study such as out/studies/NAME.json";
        let message = format!("{path} is not the result of a study, is damaged or is of another version: {e}");
        input_error(message, Some(help))
    })
}

/// The title of a run's picture, and the origin of the run.
fn heading(s: &Summary) -> (String, String) {
    let algorithms: Vec<String> = s.flows.iter().map(|f| format!("{}: {}", f.name, f.cc)).collect();
    let partial = s.partial_until_s.map_or(String::new(), |at| format!(", interrupted at {at} s"));
    let kernel = s.kernel.as_ref().map_or(String::new(), |k| format!(", on Linux {}", k.release));
    let about = format!(
        "{} s{partial}{kernel}, means from {} s on, seed {}, anabranch {}. {}",
        s.duration_s,
        s.warmup_s,
        s.seed,
        s.version,
        algorithms.join(", ")
    );
    (s.scenario.clone(), about)
}

fn no_record(folder: &Path, error: &ReadError) -> Error {
    let results: Vec<String> = ["studies", "papers", ""]
        .iter()
        .flat_map(|below| json_files(&folder.join(below)))
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
    input_error(error.to_string(), Some(&help))
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}
