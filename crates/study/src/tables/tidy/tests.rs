//! The tidy table: every column by hand, from CSV and from Parquet.

use super::{TidyAxis, columns, write};
use crate::SimulationRuns;
use anabranch_record::{Completion, FlowSummary, LinkSummary, Slowdown, SubflowSummary, Summary, Transfers};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use std::fs;
use std::path::Path;

fn subflow(link: &str, sent: u64, lost: u64, rtt: Option<f64>) -> SubflowSummary {
    SubflowSummary {
        path: vec![link.into()],
        mean_rtt_s: rtt,
        rtt_p95_s: rtt.map(|rtt| 2.0 * rtt),
        mean_srtt_s: rtt.map(|rtt| 1.25 * rtt),
        srtt_p95_s: rtt.map(|rtt| 1.5 * rtt),
        sent_segments: sent,
        lost_segments: lost,
        retransmitted_segments: lost,
        timeouts: 2,
        ..SubflowSummary::default()
    }
}

fn flow(name: &str, goodput_bps: Option<f64>, subflows: Vec<SubflowSummary>) -> FlowSummary {
    let completion = Completion { count: 3, mean_s: 0.25, p50_s: 0.2, p95_s: 0.5, p99_s: 0.5 };
    FlowSummary {
        name: name.into(),
        cc: "lia".into(),
        goodput_bps,
        retransmitted_segments: subflows.iter().map(|s| s.retransmitted_segments).sum(),
        completion: (name == "web").then_some(completion),
        transfers: (name == "web").then(transfers),
        subflows,
        ..FlowSummary::default()
    }
}

fn link(name: &str, utilisation: f64) -> LinkSummary {
    LinkSummary { name: name.into(), utilisation, ..LinkSummary::default() }
}

fn transfers() -> Transfers {
    let slowdown = Some(Slowdown { mean: 2.5, p50: 1.0, p95: 7.5, p99: 9.0 });
    let times_alone = Some(Slowdown { mean: 1.5, p50: 1.0, p95: 3.5, p99: 4.0 });
    Transfers { started: 1, unfinished: 0, offered_bps: None, slowdown, times_alone, classes: vec![] }
}

/// A connection over two links, one over one of them, and one that never began.
fn summary(seed: u64) -> Summary {
    let both = vec![subflow("a", 300, 3, Some(0.010)), subflow("b", 100, 1, Some(0.030))];
    Summary {
        scenario: "three".into(),
        scenario_hash: "ab".into(),
        seed,
        version: "0.1.0".into(),
        duration_s: 10.0,
        warmup_s: 1.0,
        flows: vec![
            flow("web", Some(9e6), both),
            flow("bulk", Some(3e6), vec![subflow("b", 100, 0, Some(0.020))]),
            flow("never", None, vec![subflow("c", 0, 0, None)]),
        ],
        links: vec![link("a", 1.0), link("b", 0.5), link("c", 0.0), link("unused", 0.1)],
        jain: Some(0.8),
        ..Summary::default()
    }
}

/// By hand: loss 4 of 400; RTT (300 · 10 + 100 · 30) / 400; shares of the mean of 9 and 3; links `a` and `b`.
const ROWS: &str = "\
queue,queue_bdp,load,window,algorithm,seed,flow,goodput_mbps,share,retransmitted_segments,timeouts,loss_percent,mean_rtt_ms,rtt_p95_ms,mean_srtt_ms,srtt_p95_ms,\
completion_mean_s,completion_p95_s,slowdown_mean,slowdown_p95,times_alone_mean,times_alone_p95,jain,utilisation_percent,scenario_hash
2 BDP,2,half,10,lia,18446744073709551615,web,9,1.5,4,4,1,15,60,18.75,45,0.25,0.5,2.5,7.5,1.5,3.5,0.8,75,ab
2 BDP,2,half,10,lia,18446744073709551615,bulk,3,0.5,0,2,0,20,40,25,30,,,,,,,0.8,50,ab
2 BDP,2,half,10,lia,18446744073709551615,never,,,0,2,,,,,,,,,,,,0.8,0,ab
";

fn table(folder: &Path, runs: u64) {
    let axes = [("queue", "2 BDP"), ("load", "half"), ("window", "10")];
    let axes = axes.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let summaries = (0..runs).map(|run| summary(u64::MAX - run)).collect();
    let taken = SimulationRuns { experiment: String::new(), title: String::new(), axes, summaries };
    let wrote = write(folder, "runs", &[taken]).unwrap();
    assert_eq!(wrote, [folder.join("runs.csv"), folder.join("runs.parquet")]);
}

#[test]
fn every_column_is_as_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    table(dir.path(), 1);
    assert_eq!(fs::read_to_string(dir.path().join("runs.csv")).unwrap(), ROWS);

    let file = fs::File::open(dir.path().join("runs.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let cell = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(text) => text.clone(),
        Field::Double(x) => x.to_string(),
        Field::Long(n) => n.to_string(),
        Field::ULong(n) => n.to_string(),
        other => panic!("{other:?}"),
    };
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    let line = |row: &parquet::record::Row| {
        row.get_column_iter().map(|(_, field)| cell(field)).collect::<Vec<_>>().join(",") + "\n"
    };
    let header = rows[0].get_column_iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(",") + "\n";
    assert_eq!(header + &rows.iter().map(line).collect::<String>(), ROWS);
}

/// Many runs: more rows than Parquet has in one group.
#[test]
fn many_runs() {
    let dir = tempfile::tempdir().unwrap();
    table(dir.path(), 25_000);
    assert_eq!(fs::read_to_string(dir.path().join("runs.csv")).unwrap().lines().count(), 75_001);
    let file = fs::File::open(dir.path().join("runs.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let (groups, rows) = (reader.num_row_groups(), reader.metadata().file_metadata().num_rows());
    assert_eq!((groups, rows), (2, 75_000));
}

/// A table with two columns of one name is refused. Numbers of one unit have a column whose name says it; rates of two units, names
/// and missing values do not.
#[test]
fn columns_have_one_meaning_and_units_in_their_names() {
    let axis = |name: &str| TidyAxis::of(name, ["x"]);
    for axes in [vec![axis("seed")], vec![axis("a"), axis("a")]] {
        assert!(columns(&axes).unwrap_err().contains("rename the axis"));
    }
    let names = |values: &[&str]| {
        let columns = columns(&[TidyAxis::of("x", values.iter().copied())]).unwrap();
        let names = columns.into_iter().map(|column| column.name);
        names.take_while(|name| name != "algorithm").collect::<Vec<_>>()
    };
    assert_eq!(names(&["1 Mbit/s", "", "2.5 Mbit/s"]), ["x", "x_mbps"]);
    assert_eq!(names(&["10 ms", "1e2 ms"]), ["x", "x_ms"]);
    assert_eq!(names(&["5 %"]), ["x", "x_percent"]);
    assert_eq!(names(&["4", "10"]), ["x"]);
    for texts in [&["500 kbit/s", "1 Mbit/s"][..], &["lia", "olia"], &["1 ms", "none"], &["", ""]] {
        assert_eq!(names(texts), ["x"]);
    }
}
