//! Studies that are files in `studies/`.

use crate::scenarios;
use anabranch_study::{Study, file};

/// The study file of that name, embedded.
macro_rules! embedded {
    ($name:literal) => {
        ($name, include_str!(concat!("../../../studies/", $name, ".toml")))
    };
}

/// Every paper's name and text, in the order of their letters, and then our own study.
pub(crate) const FILES: [(&str, &str); 5] = [
    embedded!("coupled-cubic"),
    embedded!("kato-lia-evaluation"),
    embedded!("wcompound"),
    embedded!("adw-balia"),
    embedded!("coupling-cubic"),
];

/// The standard cases.
pub(crate) const STANDARD: (&str, &str) = embedded!("standard-cases");

/// Reads one, or of some of its axes a part.
///
/// # Panics
/// Where the file is no study: a test reads it.
pub(crate) fn read(name: &str, text: &str, of: &[file::Part]) -> Study {
    let path = format!("studies/{name}.toml");
    let study = file::embedded(&path, text, &scenarios::ALL, of);
    let study = study.unwrap_or_else(|why| panic!("{path}, line {:?}: {why}", why.line()));
    study.shipped()
}

#[cfg(test)]
mod tests {
    use crate::run;
    use anabranch_study::{Options, Published, Size};

    /// Whoever only lists the papers has the same names of them as who reads them.
    #[test]
    fn headings_are_the_studies() {
        let all = crate::all()
            .iter()
            .map(|study| (study.id.clone(), study.name.clone(), study.title.clone(), study.headline.clone()));
        let headings =
            crate::headings().map(|heading| (heading.id, heading.name, heading.title, heading.headline));
        assert_eq!(headings.collect::<Vec<_>>(), all.collect::<Vec<_>>());
    }

    /// The means that the text prints, 2.82 and 7.03 Mbit/s with Reno, 1.58 and 8.37 with CUBIC, and those of Tab. I's runs.
    #[test]
    fn published_values_are_the_tables_means() {
        let options = Options { size: Size::Quick, seeds: Some(1), only: None, ..Options::default() };
        let result = run(crate::find("kato-lia-evaluation").unwrap(), &options, &|_| (), &|| true).unwrap();
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
