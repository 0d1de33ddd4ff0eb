//! `anabranch plot`, and the picture of `anabranch run --plot`.

use crate::args::{Cli, Command, PlotArgs};
use crate::failure::Failure;
use crate::output::print;
use crate::output_file::is_no_input;
use crate::table::Table;
use crate::{input, interrupt};
use anabranch_plot::{FIGURES, Format, LineSink, Picture, PlotError, Run, Theory, USUAL, is_own};
use anabranch_record::output::OutputFile;
use anabranch_record::{ReadError, Record, Summary};
use anabranch_scenario::{Scenario, Source};
use anabranch_study::{Panel, StudyResult};
use clap::Parser;
use miette::miette;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::{env, fs, io, process};

/// `anabranch plot`.
pub fn plot(args: PlotArgs) -> Result<(), Failure> {
    let format = format(&args.out)?;
    let mut file = None;
    if !args.lists() {
        is_no_input("--out", &args.out, &inputs(&args.what))?;
        folder(&args.out)?;
        file = Some(begin(&args.out, args.replace)?);
    }
    interrupt::listen()?;
    let drawn = interrupt::unless_requested(move || drawn(&args, format));
    let Some(drawn) = drawn else {
        return Err(Failure::Interrupted(miette!("interrupted: nothing is drawn")));
    };
    // A list was asked for, and printed.
    let (Some(bytes), Some(file)) = (drawn?, file) else { return Ok(()) };
    print(&format!("Wrote {}", keep(file, &bytes, false)?.display()))
}

/// The picture; none where the list of figures was printed instead.
fn drawn(args: &PlotArgs, format: Format) -> Result<Option<Vec<u8>>, Failure> {
    let mut size = args.size;
    size.columns = args.columns.map_or(1, usize::from);
    let (title, about, panels) = match args.what.is_file() {
        true => of_study(args)?,
        false => of_run(args)?,
    };
    let Some(panels) = panels else { return Ok(None) };
    let picture = Picture { title: &title, about: &about, panels: &panels, size };
    draw(&picture, format, &args.out).map(Some)
}

/// What the command reads: a result, or the files of a record.
fn inputs(what: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(what).into_iter().flatten().flatten().map(|entry| entry.path());
    below.chain([what.to_owned()]).collect()
}

/// The file of a picture, begun.
pub fn begin(out: &Path, replace: bool) -> Result<OutputFile, Failure> {
    Ok(OutputFile::create(out, (!replace).then_some(is_own))?)
}

/// Writes a picture; that of a part of a run has another name. Gives it.
fn keep(mut file: OutputFile, bytes: &[u8], partial: bool) -> Result<PathBuf, Failure> {
    file.write_all(bytes).map_err(|e| Failure::environment("cannot write the picture", &e))?;
    Ok(if partial { file.finish_partial()? } else { file.finish()? })
}

/// The picture of a run that has just been made, and its path.
pub fn of_new_run(
    scenario: &Scenario,
    summary: &Summary,
    samples: LineSink,
    (file, out): (OutputFile, &Path),
) -> Result<PathBuf, Failure> {
    let partial = summary.partial_until_s.is_some();
    let (format, theory, path) = (format(out)?, Theory::of(scenario), out.to_owned());
    let (title, about) = heading(summary);
    let of_run = summary.clone();
    let drawn = move || {
        let lines = samples.finish();
        let run = Run::of_lines(&of_run, &lines, theory);
        let panels: Vec<Panel> = USUAL.iter().filter_map(|figure| run.panel(figure)).collect();
        draw(
            &Picture { title: &title, about: &about, panels: &panels, size: Default::default() },
            format,
            &path,
        )
    };
    // An interrupted run is drawn as far as it came: a second Ctrl-C ends that at once.
    let drawn = if partial { Some(drawn()) } else { interrupt::unless_requested(drawn) };
    match drawn {
        Some(bytes) => keep(file, &bytes?, partial),
        None => Err(Failure::Interrupted(miette!("interrupted: the run is not drawn"))),
    }
}

/// By the file's ending.
pub fn format(out: &Path) -> Result<Format, Failure> {
    let ending = out.extension().and_then(|e| e.to_str()).unwrap_or_default();
    Format::of(ending).ok_or_else(|| {
        let help = "give a name that ends in .svg, .png or .html";
        Failure::Input(miette!(
            help = help,
            "the name {} does not say which format it is to have",
            out.display()
        ))
    })
}

/// That it can be written there, told before a run that may be long.
pub fn folder(out: &Path) -> Result<(), Failure> {
    match out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => Err(Failure::Input(miette!(
            "cannot write {}: there is no folder {}",
            out.display(),
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// Shows a picture where somebody looks: on a terminal with a display.
pub fn show(picture: &Path) {
    let display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|v| !v.is_empty()));
    if display && io::stdout().is_terminal() {
        // Where there is no such program, the path that was printed has to do.
        let _ = process::Command::new("xdg-open")
            .arg(picture)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
    }
}

fn draw(picture: &Picture, format: Format, out: &Path) -> Result<Vec<u8>, Failure> {
    picture.draw(format).map_err(|error| match error {
        PlotError::Nothing => Failure::Input(miette!("{error}")),
        error => Failure::Input(miette!("cannot draw {}: {error}", out.display())),
    })
}

/// Title, how it was made, and panels; no panels where the list of figures was printed instead.
type Drawn = (String, String, Option<Vec<Panel>>);

fn of_run(args: &PlotArgs) -> Result<Drawn, Failure> {
    let record = Record::read(&args.what).map_err(|error| no_record(&args.what, &error))?;
    let theory = scenario(&args.what, &record.summary).as_ref().and_then(Theory::of);
    let run = Run::new(&record.summary, &record.samples, theory);
    let known = run.figures();
    let (title, about) = heading(&record.summary);
    if args.lists() {
        let shows = |name: &String| {
            FIGURES.iter().find(|(n, _)| n == name).map_or("an inner value of the algorithm", |f| f.1)
        };
        let table = Table::new().text("figure", known.iter()).text("shows", known.iter().map(shows));
        return print(&table.to_string()).map(|()| (title, about, None));
    }
    let asked: Vec<&str> = match &args.figure[..] {
        [] => USUAL.to_vec(),
        asked => asked.iter().map(String::as_str).collect(),
    };
    let panel = |name: &&str| run.panel(name).ok_or_else(|| unknown(name, &known));
    let panels = asked.iter().map(panel).collect::<Result<_, _>>()?;
    Ok((title, about, Some(panels)))
}

fn of_study(args: &PlotArgs) -> Result<Drawn, Failure> {
    let path = args.what.display();
    let text = fs::read(&args.what).map_err(|e| Failure::environment(format!("cannot read {path}"), &e))?;
    let study: StudyResult = serde_json::from_slice(&text).map_err(|e| {
        let help = "give the folder that `anabranch run --out` wrote, or the result of a study such as out/studies/NAME.json";
        Failure::Input(miette!(help = help, "{path} is not the result of a study, is damaged or is of another version: {e}"))
    })?;
    let figures: Vec<_> = study.experiments.iter().flat_map(|e| &e.figures).collect();
    let known: Vec<String> = figures.iter().map(|f| f.id.clone()).collect();
    let about =
        format!("{} ({}), size {}, anabranch {}", study.title, study.citation, study.size, study.version);
    if args.lists() {
        let table = Table::new().text("figure", known.iter()).text("shows", figures.iter().map(|f| &f.title));
        return print(&table.to_string()).map(|()| (study.title.clone(), about, None));
    }
    let asked = match (&args.figure[..], &known[..]) {
        ([], []) => return Err(Failure::Input(miette!("{path} has no figures"))),
        ([], [_]) => known.clone(),
        ([], _) => {
            let help = format!("there are: {}", known.join(", "));
            return Err(Failure::Input(miette!(
                help = help,
                "{path} has several figures: say which by --figure"
            )));
        }
        (asked, _) => asked.to_vec(),
    };
    let mut panels = Vec::new();
    let mut titles = Vec::new();
    for id in &asked {
        let figure = figures.iter().find(|f| f.id == *id).ok_or_else(|| unknown(id, &known))?;
        titles.push(format!("{}: {}", figure.id, figure.title));
        panels.extend(figure.panels.iter().cloned());
    }
    Ok((titles.join("; "), about, Some(panels)))
}

fn unknown(figure: &str, known: &[String]) -> Failure {
    Failure::Input(miette!(help = format!("there are: {}", known.join(", ")), "there is no figure {figure}"))
}

/// What a run's picture is called, and how the run was made.
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

/// The scenario of a record as it was run, by the command in its first line; none where that gives another one.
fn scenario(folder: &Path, summary: &Summary) -> Option<Scenario> {
    let text = fs::read_to_string(folder.join("scenario.toml")).ok()?;
    let command = text.lines().next()?.strip_prefix("# As it was run: ")?;
    let Command::Run(run) = Cli::try_parse_from(shlex::split(command)?).ok()?.command else { return None };
    let source = Source { name: "scenario.toml".to_owned(), text };
    let scenario = input::load(&source, &run.scenario, &run.cc).ok()?;
    (scenario.hash == summary.scenario_hash).then_some(scenario)
}

fn no_record(folder: &Path, error: &ReadError) -> Failure {
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
        _ => "make the run again: scenario.toml in the folder has the command".to_owned(),
    };
    Failure::Input(miette!(help = help, "{error}"))
}

fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    files
}
