//! Any text is a study or is refused. Its scenarios are those of the project.
#![no_main]

use anabranch_study::{ScenarioFile, file};
use miette::Diagnostic;
use std::{fs, path::Path, sync::LazyLock};

static SCENARIOS: LazyLock<Vec<ScenarioFile>> = LazyLock::new(|| {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../studies");
    let folders = ["own/coupling-cubic", "examples", "standard"];
    let files = folders.into_iter().flat_map(|folder| {
        let there = fs::read_dir(studies.join(folder)).expect("the project's folder");
        there.map(|entry| entry.expect("an entry"))
    });
    let tomls = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "toml"));
    let scenario = |file: fs::DirEntry| {
        let name = file.file_name().display().to_string();
        let text = fs::read_to_string(file.path()).expect("a text");
        ScenarioFile { path: name.as_str().into(), name: name.into(), text: text.into() }
    };
    tomls.map(scenario).collect()
});

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(why) = file::embedded("fuzz.toml", text, &SCENARIOS, &[]) {
        drop((why.to_string(), why.help().map(|help| help.to_string()), why.line()));
    }
});
