//! `anabranch plot` for figures in a document's own style: pgfplots, matplotlib, and transfers of several seeds together.

use anabranch_test_support::command::{anabranch, root, short};
use csv::Reader;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn rows(file: &Path) -> Vec<csv::StringRecord> {
    Reader::from_path(file).unwrap().records().map(Result::unwrap).collect()
}

/// Every point of the `.tex` file is a sample of the record, and the styles name the series in the order of the values.
#[test]
fn pgfplots_and_matplotlib_have_the_values_and_the_series() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let record = at("run");
    anabranch(short("run", &["--cc", "lia", "--out", record.to_str().unwrap()])).ok();
    let (tex, style, csv) = (at("x.tex"), at("x.mplstyle"), at("x.csv"));
    let mut args = vec!["plot", record.to_str().unwrap(), "--figure", "windows", "--size", "single"];
    [&tex, &style, &csv].into_iter().for_each(|out| args.extend(["--out", out.to_str().unwrap()]));
    anabranch(&args).ok();
    // Six digits, as the file has them.
    let rounded = |text: &str| format!("{:.5e}", text.parse::<f64>().unwrap());
    let values = rows(&csv);
    let samples: BTreeSet<(String, String)> =
        values.iter().map(|row| (rounded(&row[5]), rounded(&row[7]))).collect();
    let text = fs::read_to_string(&tex).unwrap();
    let points: Vec<(String, String)> = text
        .split("coordinates {")
        .skip(1)
        .flat_map(|plot| plot.split('}').next().unwrap().split_whitespace())
        .map(|point| point.trim_matches(['(', ')']).split_once(',').unwrap())
        .map(|(x, y)| (rounded(x), rounded(y)))
        .collect();
    assert!(points.len() > 200, "{}", points.len());
    assert!(points.iter().all(|point| samples.contains(point)));
    let mut names: Vec<&str> = values.iter().map(|row| &row[1]).collect();
    names.dedup();
    let sheet = fs::read_to_string(&style).unwrap();
    let listed: Vec<&str> = sheet.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    assert_eq!(listed, names);
    assert!(sheet.contains("figure.figsize: 3.40, "), "{sheet}");
    // They are replaced as pictures are.
    anabranch(&args).ok();
    fs::write(&tex, "\\documentclass{article}").unwrap();
    assert!(anabranch(&args).fails(2).contains("--replace"));
}

#[test]
fn transfers_of_several_seeds_are_one_distribution() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = root().join("scenarios/short-flows.toml");
    let mut records = vec![];
    for seed in ["1", "2"] {
        let record = folder.path().join(format!("web-{seed}"));
        let (scenario, out) = (scenario.to_str().unwrap(), record.to_str().unwrap());
        anabranch(["run", scenario, "--duration", "12 s", "--seed", seed, "--format", "csv", "--out", out])
            .ok();
        records.push(record);
    }
    let csv = folder.path().join("x.csv");
    let (a, b, out) = (records[0].to_str().unwrap(), records[1].to_str().unwrap(), csv.to_str().unwrap());
    anabranch(["plot", a, b, "--figure", "completions", "--flows", "web/1", "--out", out]).ok();
    let drawn = rows(&csv);
    assert!(drawn.iter().all(|row| &row[1] == "web/1 (lia)"), "one line: {:?}", drawn[0]);
    let mut times: Vec<f64> = Vec::new();
    for record in &records {
        let file = record.join("completions.csv");
        let mut reader = Reader::from_path(&file).unwrap();
        let header = reader.headers().unwrap().clone();
        let column = |name: &str| header.iter().position(|h| h == name).unwrap();
        let (flow, time) = (column("flow"), column("completion_s"));
        let all = reader.records().map(Result::unwrap).filter(|row| &row[flow] == "web/1");
        times.extend(all.map(|row| 1e3 * row[time].parse::<f64>().unwrap()));
    }
    times.sort_by(f64::total_cmp);
    // A step has two points.
    let steps: Vec<f64> = drawn.iter().step_by(2).map(|row| row[5].parse().unwrap()).collect();
    assert_eq!(steps.len(), times.len());
    assert!(steps.iter().zip(&times).all(|(drawn, time)| (drawn - time).abs() < 1e-6));
}
