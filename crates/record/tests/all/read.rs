//! Records read back: what a sink in memory was given at the same time, and messages for files that are not records.

use crate::files::{fill, layout};
use anabranch_record::{
    FlowLayout, FlowSummary, Layout, LinkSummary, MemorySink, ReadError, Record, RunDirectory, SampleFormat,
    Sink, Summary,
};
use std::fs;
use std::path::{Path, PathBuf};

fn summary() -> Summary {
    let Layout { flows, links } = layout();
    let flow = |FlowLayout { name, cc, .. }| FlowSummary { name, cc, ..FlowSummary::default() };
    let link = |name| LinkSummary { name, ..LinkSummary::default() };
    Summary {
        flows: flows.into_iter().map(flow).collect(),
        links: links.into_iter().map(link).collect(),
        ..Summary::default()
    }
}

fn written(folder: &Path, format: SampleFormat, fill: impl Fn(&mut dyn Sink)) -> PathBuf {
    let path = folder.join(format!("{format:?}"));
    let mut directory = RunDirectory::open(&path, format, &[], |note| panic!("{note}")).unwrap();
    fill(directory.sink());
    directory.finish(&summary(), None).unwrap();
    path
}

#[test]
fn a_record_is_what_memory_has() {
    let folder = tempfile::tempdir().unwrap();
    let mut memory = MemorySink::new();
    fill(&mut memory);
    // A column that has no value for a subflow is not one of its observables.
    for subflow in memory.flows.iter_mut().flat_map(|f| &mut f.subflows) {
        subflow.observables.retain(|(_, values)| values.iter().any(|v| v.is_finite()));
    }
    for format in [SampleFormat::Parquet, SampleFormat::Csv] {
        let record = Record::read(&written(folder.path(), format, fill)).unwrap();
        assert_eq!(record.summary, summary());
        assert_eq!(format!("{:?}", record.samples), format!("{memory:?}"), "{format:?}");
    }
}

#[test]
fn a_record_without_samples_has_none() {
    let folder = tempfile::tempdir().unwrap();
    for format in [SampleFormat::Parquet, SampleFormat::Csv] {
        let record = Record::read(&written(folder.path(), format, |sink| sink.begin(&layout()))).unwrap();
        assert!(record.samples.flows.iter().all(|f| f.subflows.is_empty()));
    }
}

#[test]
fn what_is_no_record_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let message = |folder: &Path| Record::read(folder).unwrap_err().to_string();
    assert!(message(folder.path()).contains("has no summary.json"));
    assert!(matches!(Record::read(&folder.path().join("none")), Err(ReadError::Missing { .. })));
    let path = written(folder.path(), SampleFormat::Csv, fill);
    let (csv, summary) = (path.join("subflows.csv"), path.join("summary.json"));
    let whole = fs::read_to_string(&csv).unwrap();
    for (damage, says) in [
        (whole.replace("cwnd_segments", "window"), "the column of numbers cwnd_segments is missing"),
        (whole.replace("plain/1", "other"), "\"other\" is not in summary.json"),
        (whole.replace("0.5,", "half,"), "is not a number"),
        (whole.replacen("0.25", "0.25,7", 1), "found record with"),
        (whole.replace("plain/1,1,", "plain/1,0,"), "\"plain/1\" has no subflow 0"),
        (whole.replace("plain/1,1,", "plain/1,1.5,"), "\"plain/1\" has no subflow 1.5"),
        (whole.replace("plain/1,1,", "plain/1,100000000,"), "\"plain/1\" has no subflow 100000000"),
    ] {
        fs::write(&csv, damage).unwrap();
        let message = message(&path);
        assert!(message.contains(says) && message.contains("subflows.csv"), "{message}");
    }
    fs::remove_file(&csv).unwrap();
    assert!(message(&path).contains("has no subflows"));
    fs::write(path.join("subflows.parquet"), "PAR1").unwrap();
    assert!(message(&path).contains("subflows.parquet is damaged or from another version"));
    fs::write(summary, "{\"version\": \"9\"}").unwrap();
    assert!(message(&path).contains("summary.json is damaged or from another version"));
}
