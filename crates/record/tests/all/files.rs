//! The sinks' files, read back by other readers: Parquet's row API, the csv crate.

use anabranch_record::{
    CompletionSample, FileSink, FlowLayout, Layout, LinkSample, MemorySink, SampleFormat, Sink, SubflowSample,
};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

pub fn layout() -> Layout {
    let flow = |name: &str, paths: &[&[&str]], observables: &[&'static str]| FlowLayout {
        name: name.to_owned(),
        cc: "x".to_owned(),
        paths: paths.iter().map(|p| p.iter().map(|l| (*l).to_owned()).collect()).collect(),
        observables: observables.to_vec(),
    };
    Layout {
        flows: vec![
            flow("bonded, both", &[&["fibre", "core"], &["dsl"]], &["alpha", "w_max"]),
            flow("plain/1", &[&["dsl"]], &["w_max"]),
            flow("plain/2", &[&["dsl"]], &[]),
        ],
        links: vec!["fibre".to_owned(), "dsl".to_owned()],
    }
}

/// The `i`-th sample. Each row has a different value.
fn subflow<'a>(i: u64, flow: usize, subflow: usize, observables: &'a [f64]) -> SubflowSample<'a> {
    SubflowSample {
        time_s: i as f64 * 0.1,
        flow,
        subflow,
        cwnd_segments: 10.0 + i as f64 / 3.0,
        ssthresh_segments: if i < 2 { f64::INFINITY } else { 7.5 },
        srtt_s: if i == 0 { 0.0 } else { 0.1 / 3.0 },
        in_flight_segments: i,
        sent_bytes: 1448 * i,
        delivered_bytes: (1 << 40) + i,
        lost_segments: 3,
        retransmitted_segments: 4,
        observables,
    }
}

pub fn fill(sink: &mut dyn Sink) {
    sink.begin(&layout());
    sink.subflow(&subflow(0, 0, 0, &[0.25, f64::NAN]));
    sink.subflow(&subflow(1, 0, 1, &[0.5, 90.0]));
    sink.subflow(&subflow(2, 1, 0, &[33.0]));
    sink.subflow(&subflow(3, 2, 0, &[]));
    sink.link(&LinkSample {
        time_s: 0.1,
        link: 1,
        queue_bytes: 1500,
        queue_packets: 1,
        drops: 2,
        marks: 4,
        losses: 3,
    });
    sink.completion(&CompletionSample {
        time_s: 0.2,
        flow: 1,
        bytes: 5000,
        completion_s: 0.05,
        slowdown: 3.5,
        times_alone: 2.5,
    });
}

type Rows = Vec<BTreeMap<String, Field>>;

fn read_parquet(file: &Path) -> Rows {
    let reader = SerializedFileReader::new(File::open(file).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|r| r.unwrap().get_column_iter().map(|(k, v)| (k.clone(), v.clone())).collect()).collect()
}

fn read_csv(file: &Path) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_path(file).unwrap().deserialize().map(Result::unwrap).collect()
}

fn text(s: &str) -> Field {
    Field::Str(s.to_owned())
}

#[test]
fn parquet() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = FileSink::new(dir.path(), SampleFormat::Parquet);
    fill(&mut sink);
    let files = sink.finish(&[]).unwrap();
    let names: Vec<_> = files.iter().map(|f| f.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["subflows.parquet", "links.parquet", "completions.parquet"]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 3);

    let rows = read_parquet(&files[0]);
    assert_eq!(rows.len(), 4);
    let column = |name: &str| rows.iter().map(|r| r[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("flow"), ["bonded, both", "bonded, both", "plain/1", "plain/2"].map(text));
    assert_eq!(column("subflow"), [1, 2, 1, 1].map(Field::Long));
    assert_eq!(column("path"), ["fibre+core", "dsl", "dsl", "dsl"].map(text));
    assert_eq!(column("time_s"), [0.0, 0.1, 0.2, 3.0 * 0.1].map(Field::Double));
    assert_eq!(column("cwnd_segments")[1], Field::Double(10.0 + 1.0 / 3.0));
    let (null, number) = (Field::Null, Field::Double);
    assert_eq!(column("ssthresh_segments"), [null.clone(), null.clone(), number(7.5), number(7.5)]);
    assert_eq!(column("srtt_s")[..2], [null.clone(), number(0.1 / 3.0)]);
    assert_eq!(column("in_flight_segments"), [0, 1, 2, 3].map(Field::Long));
    assert_eq!(column("sent_bytes")[3], Field::Long(4344));
    assert_eq!(column("delivered_bytes")[1], Field::Long((1 << 40) + 1));
    assert_eq!(column("lost_segments")[0], Field::Long(3));
    assert_eq!(column("retransmitted_segments")[0], Field::Long(4));
    assert_eq!(column("alpha"), [number(0.25), number(0.5), null.clone(), null.clone()]);
    assert_eq!(column("w_max"), [null.clone(), number(90.0), number(33.0), null]);

    let links = &read_parquet(&files[1])[0];
    assert_eq!((&links["link"], &links["queue_bytes"]), (&text("dsl"), &Field::Long(1500)));
    assert_eq!((&links["drops"], &links["losses"]), (&Field::Long(2), &Field::Long(3)));
    assert_eq!(&links["marks"], &Field::Long(4));
    let completion = &read_parquet(&files[2])[0];
    assert_eq!((&completion["flow"], &completion["completion_s"]), (&text("plain/1"), &Field::Double(0.05)));
    assert_eq!(
        (&completion["start_s"], &completion["slowdown"], &completion["times_alone"]),
        (&Field::Double(0.2 - 0.05), &Field::Double(3.5), &Field::Double(2.5))
    );
}

#[test]
fn csv() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = FileSink::new(dir.path(), SampleFormat::Csv);
    fill(&mut sink);
    let files = sink.finish(&[]).unwrap();
    let rows = read_csv(&files[0]);
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0]["flow"], "bonded, both");
    assert_eq!(rows[0]["path"], "fibre+core");
    assert_eq!((&*rows[0]["ssthresh_segments"], &*rows[0]["srtt_s"], &*rows[0]["w_max"]), ("", "", ""));
    // Numbers survive the trip through text exactly.
    assert_eq!(rows[1]["cwnd_segments"].parse(), Ok(10.0 + 1.0 / 3.0));
    assert_eq!(rows[1]["srtt_s"].parse(), Ok(0.1 / 3.0));
    assert_eq!((&*rows[2]["alpha"], &*rows[2]["w_max"], &*rows[3]["w_max"]), ("", "33", ""));
    assert_eq!(read_csv(&files[1])[0]["queue_packets"], "1");
    assert_eq!(read_csv(&files[2])[0]["bytes"], "5000");
}

/// Connections that come while it is recorded: the layout grows, the columns were asked for.
#[test]
fn a_layout_that_grows() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = FileSink::new(dir.path(), SampleFormat::Csv).with_observables(["w_max", "alpha"]);
    let mut memory = MemorySink::new();
    let whole = layout();
    let mut growing = Layout { flows: vec![], links: vec![] };
    let sinks: [&mut dyn Sink; 2] = [&mut file, &mut memory];
    for sink in sinks {
        growing.flows = vec![];
        sink.begin(&growing);
        growing.flows = vec![whole.flows[0].clone()];
        growing.flows[0].paths.truncate(1);
        sink.extend(&growing);
        sink.subflow(&subflow(0, 0, 0, &[0.25, 9.0]));
        growing.flows = whole.flows.clone();
        sink.extend(&growing);
        sink.subflow(&subflow(1, 0, 1, &[0.5, 90.0]));
        sink.subflow(&subflow(1, 1, 0, &[33.0]));
    }
    let rows = read_csv(&file.finish(&[]).unwrap()[0]);
    let column = |name: &str| rows.iter().map(|r| r[name].as_str()).collect::<Vec<_>>();
    assert_eq!(column("path"), ["fibre+core", "dsl", "dsl"]);
    assert_eq!(column("alpha"), ["0.25", "0.5", ""]);
    assert_eq!(column("w_max"), ["9", "90", "33"]);
    assert_eq!(memory.flows.len(), 3);
    assert_eq!(memory.series("bonded, both", 0).unwrap().observable("w_max"), Some(&[9.0][..]));
    assert_eq!(memory.series("bonded, both", 1).unwrap().time_s, [0.1]);
}

#[test]
fn many_row_groups() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = FileSink::new(dir.path(), SampleFormat::Parquet);
    sink.begin(&layout());
    let rows = 150_000;
    for i in 0..rows {
        sink.subflow(&subflow(i, 1, 0, &[i as f64]));
    }
    let files = sink.finish(&[]).unwrap();
    assert_eq!(files.len(), 2, "no completions, no file of them");
    let reader = SerializedFileReader::new(File::open(&files[0]).unwrap()).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), rows as i64);
    assert!(reader.num_row_groups() > 1);
    let read = reader.get_row_iter(None).unwrap().map(Result::unwrap);
    for (i, row) in read.enumerate() {
        let w_max = row.get_column_iter().find(|(name, _)| *name == "w_max").unwrap().1;
        assert_eq!(*w_max, Field::Double(i as f64));
    }
}

#[test]
fn an_abandoned_run_leaves_nothing() {
    for format in [SampleFormat::Parquet, SampleFormat::Csv] {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = FileSink::new(dir.path(), format);
        fill(&mut sink);
        let marked = |f: fs::DirEntry| f.file_name().to_str().unwrap().ends_with(".partial");
        assert!(fs::read_dir(dir.path()).unwrap().all(|f| marked(f.unwrap())));
        drop(sink);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

#[test]
fn errors_wait_until_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = FileSink::new(dir.path().join("missing"), SampleFormat::Parquet);
    fill(&mut sink);
    let error = sink.finish(&[]).unwrap_err();
    assert!(error.to_string().ends_with("missing/subflows.parquet"), "{error}");
    assert_eq!(error.source.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn in_memory() {
    let mut sink = MemorySink::new();
    fill(&mut sink);
    let second = sink.series("bonded, both", 1).unwrap();
    assert_eq!((&second.path, &second.cwnd_segments), (&vec!["dsl".to_owned()], &vec![10.0 + 1.0 / 3.0]));
    assert_eq!(second.observable("w_max"), Some(&[90.0][..]));
    assert_eq!(second.observable("beta"), None);
    assert!(sink.series("bonded, both", 0).unwrap().srtt_s[0].is_nan());
    assert_eq!(sink.link_series("dsl").unwrap().drops, [2.0]);
    assert!(sink.link_series("fibre").unwrap().time_s.is_empty());
    assert!(sink.series("plain/3", 0).is_none() && sink.series("plain/2", 1).is_none());
    assert_eq!(sink.completions.len(), 1);
}
