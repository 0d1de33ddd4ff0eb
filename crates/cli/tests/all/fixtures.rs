//! Files of released versions stay readable: `tests/fixtures/VERSION`, made by `tests/fixtures/make.sh` with that version's command.

use anabranch_papers::RESULTS_VERSION;
use anabranch_record::Summary;
use anabranch_study::StudyResult;
use anabranch_test_support::command::{anabranch, content, folder, has, kept};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder of each version. A test fails without a file that it reads, except for a record's scenario.
fn versions() -> Vec<PathBuf> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let entries = fs::read_dir(&all).unwrap().map(|entry| entry.unwrap().path());
    let versions: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    assert!(versions.iter().any(|version| version.ends_with("0.2.0")), "{}: no 0.2.0", all.display());
    for version in &versions {
        let scenario = fs::read_to_string(version.join("record/scenario.toml"));
        assert!(scenario.is_ok_and(|text| !text.is_empty()), "{}", version.display());
    }
    versions
}

/// Whether that version's runs give the same as today's.
fn has_todays_results(version: &Path) -> bool {
    version.join("store").join(RESULTS_VERSION).is_dir()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn scenarios_run_and_records_open() {
    for version in versions() {
        let json = fs::read_to_string(version.join("record/summary.json")).unwrap();
        let then = Summary::from_json(&json).unwrap();
        let json = anabranch(["run", text(&version.join("scenario.toml")), "--json"]).done().stdout;
        let now = Summary::from_json(&json).unwrap();
        let names = |summary: &Summary| -> Vec<String> {
            summary.flows.iter().map(|flow| flow.name.clone()).chain([summary.scenario.clone()]).collect()
        };
        assert_eq!(names(&now), names(&then));
        if has_todays_results(&version) {
            assert_eq!((&now.flows, &now.links), (&then.flows, &then.links), "{}", version.display());
        }

        let folder = folder();
        let figures = "windows,throughput,queue,shares,alpha";
        let record = version.join("record");
        anabranch(["plot", text(&record), "--figure", figures, "--out", &folder.at("run.svg")]).done();
        let picture = folder.read("run.svg");
        // Two subflows and a TCP flow have a window each.
        assert!(picture.matches("class=\"line\"").count() >= 3, "{}", version.display());
    }
}

#[test]
fn a_store_of_the_same_results_is_resumed() {
    for version in versions() {
        let folder = folder();
        let store = folder.path().join("store");
        for (file, bytes) in content(&version.join("store")) {
            fs::create_dir_all(store.join(&file).parent().unwrap()).unwrap();
            fs::write(store.join(&file), bytes).unwrap();
        }
        let study = version.join("study.toml");
        let before = kept(&store);
        let args = ["study", text(&study), "--quick", "--store", text(&store), "--out", &folder.at("out")];
        let notes = anabranch(args).done().stderr;
        let expected = if has_todays_results(&version) { before } else { 2 * before };
        assert_eq!(kept(&store), expected, "{}: {notes}", version.display());
    }
}

#[test]
fn tables_of_runs_open_and_keep_their_columns() {
    for version in versions() {
        let folder = folder();
        let result = version.join("sweep.json");
        let json = fs::read_to_string(&result).unwrap();
        let then: StudyResult = serde_json::from_str(&json).unwrap();
        let figure = &then.experiments[0].figures[0].id;
        anabranch(["plot", text(&result), "--figure", figure, "--out", &folder.at("sweep.svg")]).done();
        has(&folder.read("sweep.svg"), ["class=\"line\""]);

        let vary = ["--vary", "links.*.queue=0.5 BDP,1 BDP", "--cc", "lia,olia", "--seeds", "2"];
        let scenario = version.join("scenario.toml");
        anabranch([&["sweep", text(&scenario), "--out", folder.arg()], &vary[..]].concat()).done();
        let table = |path: &Path| {
            let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
            let about = reader.metadata().file_metadata();
            let columns = about.schema_descr().columns().iter();
            (about.num_rows(), columns.map(|c| (c.name().to_owned(), c.physical_type())).collect::<Vec<_>>())
        };
        let (rows, columns) = table(&version.join("sweep.parquet"));
        let (rows_now, columns_now) = table(&folder.path().join("studies/scenario.parquet"));
        assert_eq!(rows, rows_now);
        let gone: Vec<_> = columns.iter().filter(|column| !columns_now.contains(column)).collect();
        assert!(gone.is_empty(), "{}: {gone:?} is not among {columns_now:?}", version.display());
    }
}

#[test]
fn captures_convert() {
    for version in versions() {
        let capture = version.join("capture.pcapng");
        let json = anabranch(["capture", text(&capture), "--tcp", "--json"]).done().stdout;
        let summary = Summary::from_json(&json).unwrap();
        assert_eq!(summary.flows.len(), 2, "{json}");
        assert!(summary.flows.iter().all(|flow| flow.delivered_bytes > 10_000), "{json}");
    }
}
