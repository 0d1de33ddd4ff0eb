//! `anabranch plot` for figures in a document's own style: pgfplots, matplotlib, and transfers of several seeds together.

use crate::plot::{columns, rows};
use anabranch_test_support::command::{anabranch, folder, has, short};

/// The styles name the series in the order of the values.
#[test]
fn pgfplots_and_matplotlib_have_the_series() {
    let folder = folder();
    let record = folder.at("run");
    anabranch(short("run", &["--cc", "lia", "--out", &record])).ok();
    let (tex, style, csv) = (folder.at("x.tex"), folder.at("x.mplstyle"), folder.at("x.csv"));
    let args = ["plot", &record, "--figure", "windows", "--size", "single"];
    let args = [&args[..], &["--out", &tex, "--out", &style, "--out", &csv]].concat();
    anabranch(&args).ok();
    has(&folder.read("x.tex"), ["coordinates {"]);
    let values = rows(&csv);
    let mut names: Vec<&str> = values.iter().map(|row| &row[1]).collect();
    names.dedup();
    let sheet = folder.read("x.mplstyle");
    let listed: Vec<&str> = sheet.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    assert_eq!(listed, names);
    has(&sheet, ["figure.figsize: 3.40, "]);
    // They are replaced as pictures are.
    anabranch(&args).ok();
    folder.write("x.tex", "\\documentclass{article}");
    anabranch(&args).refused(["--replace"]);
}

#[test]
fn transfers_of_several_seeds_are_one_distribution() {
    let folder = folder();
    let records = ["1", "2"].map(|seed| {
        let out = folder.at(&format!("web-{seed}"));
        let run = ["run", "scenarios/short-flows.toml", "--duration", "12 s", "--seed", seed];
        anabranch([&run[..], &["--format", "csv", "--out", &out]].concat()).ok();
        out
    });
    let csv = folder.at("x.csv");
    let view = ["--figure", "completions", "--flows", "web/1", "--out", &csv];
    anabranch([&["plot", &records[0], &records[1]], &view[..]].concat()).ok();
    let drawn = rows(&csv);
    assert!(drawn.iter().all(|row| &row[1] == "web/1 (lia)"), "one line: {:?}", drawn[0]);
    let all = records
        .iter()
        .flat_map(|record| columns(&format!("{record}/completions.csv"), ["flow", "completion_s"]));
    let own = all.filter(|[flow, _]| flow == "web/1");
    let mut times: Vec<f64> = own.map(|[_, time]| 1e3 * time.parse::<f64>().unwrap()).collect();
    times.sort_by(f64::total_cmp);
    // A step has two points.
    let steps: Vec<f64> = drawn.iter().step_by(2).map(|row| row[5].parse().unwrap()).collect();
    assert_eq!(steps.len(), times.len());
    assert!(steps.iter().zip(&times).all(|(drawn, time)| (drawn - time).abs() < 1e-6));
}
