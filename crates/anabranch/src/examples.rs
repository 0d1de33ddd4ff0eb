//! Scenarios and studies that ship in the binary: `example:NAME` in place of a file.

use crate::Error;
use crate::error::input_error;
use anabranch_scenario::{Overrides, Source, suggest};
use anabranch_study::ScenarioFile;
use std::path::{Path, PathBuf};

/// The prefix of an example's name where a file is expected.
const PREFIX: &str = "example:";

/// A scenario or study that ships in the binary.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Its name after `example:`.
    pub name: &'static str,
    /// Whether it is a study: for `study`, not for `run`.
    pub is_study: bool,
    text: &'static str,
}

const fn scenario(name: &'static str, text: &'static str) -> Example {
    Example { name, is_study: false, text }
}

/// Every example.
pub static EXAMPLES: &[Example] = &[
    scenario("template", include_str!("template.toml")),
    scenario("two-paths", include_str!("../scenarios/two-paths-and-a-neighbour.toml")),
    scenario("shared-bottleneck", include_str!("../scenarios/shared-bottleneck.toml")),
    scenario("wifi-and-lte", include_str!("../scenarios/wifi-and-lte.toml")),
    scenario("lte-and-starlink", include_str!("../scenarios/lte-and-starlink.toml")),
    scenario("mmwave-and-lte", include_str!("../scenarios/mmwave-and-lte.toml")),
    scenario("failover", include_str!("../scenarios/failover.toml")),
    scenario("managed-queue", include_str!("../scenarios/managed-queue.toml")),
    scenario("short-flows", include_str!("../scenarios/short-flows.toml")),
    scenario("web-workload", include_str!("../scenarios/web-workload.toml")),
    scenario("dumbbell", include_str!("../scenarios/dumbbell.toml")),
    scenario("long-fat", include_str!("../scenarios/long-fat.toml")),
    scenario("two-links", include_str!("../studies/two-links.toml")),
    Example {
        name: "buffer-and-delay",
        is_study: true,
        text: include_str!("../studies/buffer-and-delay.toml"),
    },
];

/// The scenarios of studies, by the names in their texts.
const STUDY_SCENARIOS: [(&str, &str); 1] = [("two-links.toml", include_str!("../studies/two-links.toml"))];

/// Files that scenarios name.
const FILES: [(&str, &str); 4] = [
    ("traces/lte.down", include_str!("../scenarios/traces/lte.down")),
    ("traces/starlink.csv", include_str!("../scenarios/traces/starlink.csv")),
    ("traces/mmwave.csv", include_str!("../scenarios/traces/mmwave.csv")),
    ("sizes/web.csv", include_str!("../scenarios/sizes/web.csv")),
];

impl Example {
    /// Its subject: the first sentence of its text.
    pub fn title(&self) -> String {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("# "));
        let lead = lines.collect::<Vec<_>>().join(" ");
        lead.split_once(". ").map_or(lead.clone(), |(first, _)| format!("{first}."))
    }

    /// Its text, with the files that it names.
    pub fn text(&self) -> Result<String, Error> {
        Ok(self.source()?.text)
    }

    /// The files of a copy at `file`: its text, in which the template has the file's name, and a study's scenarios beside it.
    pub fn copies(&self, file: &Path) -> Result<Vec<(PathBuf, String)>, Error> {
        let mut text = self.text()?;
        let plain = |stem: &&str| stem.chars().all(|c| c.is_alphanumeric() || " _-.".contains(c));
        let stem = file.file_stem().and_then(|stem| stem.to_str()).filter(plain);
        if let Some(stem) = stem.filter(|_| self.name == "template") {
            text = text.replace("name = \"template\"", &format!("name = \"{stem}\""));
        }
        let beside = if self.is_study { &STUDY_SCENARIOS[..] } else { &[] };
        let beside = beside.iter().map(|(name, text)| (file.with_file_name(name), (*text).to_owned()));
        Ok(std::iter::once((file.to_owned(), text)).chain(beside).collect())
    }

    /// The scenarios that come with it: itself, or those of its study.
    pub(crate) fn scenarios(&self) -> Result<Vec<ScenarioFile>, Error> {
        let with_name =
            |name: &str, text: &str| ScenarioFile { name: name.into(), path: name.into(), text: text.into() };
        match self.is_study {
            true => Ok(STUDY_SCENARIOS.iter().map(|(name, text)| with_name(name, text)).collect()),
            false => Ok(vec![with_name(&format!("{PREFIX}{}", self.name), &self.text()?)]),
        }
    }

    pub(crate) fn source(&self) -> Result<Source, Error> {
        let source = Source { name: format!("{PREFIX}{}", self.name), text: self.text.to_owned() };
        let shipped = |name: &str| {
            let file = FILES.iter().find(|(known, _)| *known == name);
            file.map(|(_, text)| (*text).to_owned()).ok_or_else(|| "it is not shipped".to_owned())
        };
        match self.is_study {
            true => Ok(source),
            false => source.with_files_of(&Overrides::default(), &shipped).map_err(Error::input),
        }
    }
}

/// The example that `file` names, where it names one.
pub fn named(file: &Path) -> Result<Option<&'static Example>, Error> {
    let Some(name) = file.to_str().and_then(|file| file.strip_prefix(PREFIX)) else { return Ok(None) };
    let found = EXAMPLES.iter().find(|example| example.name == name);
    found.map(Some).ok_or_else(|| {
        let known = suggest(name, EXAMPLES.iter().map(|example| example.name));
        let help = format!("{known}; `anabranch examples` lists them");
        input_error(format!("unknown example `{name}`"), Some(&help))
    })
}
