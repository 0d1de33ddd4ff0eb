//! Studies that are files in `studies/`.

use crate::scenarios;
use anabranch_study::{Study, file};

/// The study file of that name in that folder of `studies/`, embedded.
macro_rules! embedded {
    ($folder:literal, $name:literal) => {
        File {
            folder: concat!("studies/", $folder),
            name: $name,
            text: include_str!(concat!("../studies/", $folder, "/", $name, ".toml")),
        }
    };
}

/// Every paper's file, in the order of their letters, and then our own study's.
pub(crate) const FILES: &[File] = &[
    embedded!("papers/COUPLED-CUBIC", "coupled-cubic"),
    embedded!("papers/KATO-LIA-EVALUATION", "kato-lia-evaluation"),
    embedded!("papers/WCOMPOUND", "wcompound"),
    embedded!("papers/ADW-BALIA", "adw-balia"),
    embedded!("own/coupling-cubic", "coupling-cubic"),
];

/// Whether the shipped study of that name is our own, and no paper's.
pub fn is_own(name: &str) -> bool {
    FILES.iter().any(|file| file.name == name && file.folder.starts_with("studies/own/"))
}

pub(crate) const STANDARD: File = embedded!("standard", "standard-cases");

/// A study file. A test reads each: what no study is panics.
pub(crate) struct File {
    folder: &'static str,
    pub name: &'static str,
    text: &'static str,
}

impl File {
    /// Reads the study, possibly with some values of its axes.
    pub fn read(&self, of: &[file::AxisSubset]) -> Study {
        self.tried(of, false)
    }

    fn tried(&self, of: &[file::AxisSubset], try_plans: bool) -> Study {
        let path = format!("{}/{}.toml", self.folder, self.name);
        let read = if try_plans { file::embedded } else { file::shipped };
        let study = read(&path, self.text, &scenarios::around(self.folder), of);
        study.unwrap_or_else(|why| panic!("{path}, line {:?}: {why}", why.line())).shipped()
    }

    /// Its name, without reading the rest of it.
    pub fn heading(&self) -> file::Heading {
        let heading = file::heading(self.name, self.text);
        heading.unwrap_or_else(|why| panic!("{}.toml, line {:?}: {why}", self.name, why.line()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, STANDARD};
    use crate::SIMULATOR;
    use anabranch_study::{Options, Published, Size, run_one, work};

    /// Reading them elsewhere does not try their plans.
    #[test]
    fn no_plan_has_a_mistake() {
        FILES.iter().chain([&STANDARD]).for_each(|study| drop(study.tried(&[], true)));
    }

    /// Whoever only lists the papers has the same names of them as who reads them.
    #[test]
    fn headings_are_the_studies() {
        let all =
            crate::all().iter().map(|study| (study.id.clone(), study.name.clone(), study.title.clone()));
        let headings = crate::headings().map(|heading| (heading.id, heading.name, heading.title));
        assert_eq!(headings.collect::<Vec<_>>(), all.collect::<Vec<_>>());
    }

    /// The means that the text prints, 2.82 and 7.03 Mbit/s with Reno, 1.58 and 8.37 with CUBIC, and those of Tab. I's runs.
    #[test]
    fn published_values_are_the_tables_means() {
        let options = Options { size: Size::Quick, seeds: Some(1), only: None, ..Options::default() };
        let work = work(crate::find("kato-lia-evaluation").unwrap(), &options).unwrap();
        let result = run_one(SIMULATOR, work, &|_| (), &|| true).unwrap();
        let rows: Vec<_> = result.experiments.iter().flat_map(|e| &e.rows).collect();
        for (id, printed, within) in [
            ("B-T2.reno.mptcp", 2.82, 0.005),
            ("B-T2.reno.single", 7.03, 0.005),
            ("B-T2.cubic.mptcp", 1.58, 0.005),
            ("B-T2.cubic.single", 8.37, 0.005),
            ("B-T1.lia", (12.5 + 12.1) / 2.0, 1e-9),
            ("B-T1.reno", (14.4 + 18.8) / 2.0, 1e-9),
            ("B-T1.cubic", (23.0 + 16.1) / 2.0, 1e-9),
        ] {
            let row = rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("{id}"));
            let Published::Derived { value, .. } = row.published else { panic!("{id}: {:?}", row.published) };
            assert!((value - printed).abs() <= within + 1e-9, "{id}: {value}");
        }
    }
}
