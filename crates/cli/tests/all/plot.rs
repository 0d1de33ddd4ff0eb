//! `anabranch plot` and `run --plot`: pictures beside the records that they are of.

use anabranch_test_support::command::{
    Folder, TWO_PATHS, anabranch, command, folder, has, interrupted_when, is_caught, outcome, root, short,
};
use csv::{Reader, StringRecord};
use roxmltree::Document;
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// A folder with the record of a short run, as CSV, and the record's path.
fn recorded(more: &[&str]) -> (Folder, String) {
    let folder = folder();
    let record = folder.at("run");
    anabranch(short("run", &[&["--out", &record, "--format", "csv"], more].concat())).ok();
    (folder, record)
}

/// The values of columns in a file of CSV, by their headings.
pub fn columns<const N: usize>(file: &str, names: [&str; N]) -> Vec<[String; N]> {
    let mut reader = Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = names.map(|name| header.iter().position(|h| h == name).expect(name));
    reader.records().map(|row| row.unwrap()).map(|row| at.map(|i| row[i].to_owned())).collect()
}

pub fn rows(file: &str) -> Vec<StringRecord> {
    Reader::from_path(file).unwrap().records().map(Result::unwrap).collect()
}

fn plot(what: &str, out: &str, more: &[&str]) -> String {
    let said = anabranch([&["plot", what, "--out", out], more].concat()).ok();
    assert_eq!(said.trim(), format!("Wrote {out}"));
    fs::read_to_string(out).unwrap()
}

/// Time and window of a subflow, from the record.
fn windows(record: &str, flow: &str, subflow: &str) -> Vec<(f64, f64)> {
    let all = columns(&format!("{record}/subflows.csv"), ["flow", "subflow", "time_s", "cwnd_segments"]);
    let own = all.iter().filter(|row| row[..2] == [flow, subflow]);
    own.map(|row| (row[2].parse().unwrap(), row[3].parse().unwrap())).collect()
}

fn lines<'a>(svg: &'a Document<'a>) -> impl Iterator<Item = roxmltree::Node<'a, 'a>> {
    svg.descendants().filter(|n| n.attribute("class") == Some("line"))
}

#[test]
fn a_line_for_each_subflow_and_its_theory() {
    let (folder, record) = recorded(&["--cc", "lia"]);
    let text = plot(&record, &folder.at("x.svg"), &["--figure", "windows"]);
    let svg = Document::parse(&text).unwrap();
    let names: Vec<&str> = svg.descendants().filter_map(|n| n.text()).collect();
    // LIA beside Reno has an equilibrium.
    for name in ["bonded, fibre", "bonded, dsl", "neighbour/1 (reno)", "in theory"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert_eq!(lines(&svg).count(), 2 * 4);
    // Of bars, too, theory is hollow, in the colour of what it predicts.
    let bars = plot(&record, &folder.at("bars.svg"), &["--figure", "shares"]);
    assert!(
        bars.contains(">in theory<") && bars.contains("stroke=\"#0072b2\" fill=\"transparent\""),
        "{bars}"
    );
    // Coupled CUBIC has no model.
    let (other, again) = recorded(&["--cc", "coupled-cubic"]);
    assert!(!plot(&again, &other.at("y.svg"), &[]).contains("in theory"));
}

/// The subflow is away from 31 to 61 s.
#[test]
fn a_line_ends_where_a_subflow_is_removed() {
    let folder = folder();
    let of = |name: &str, changes: &[&str]| {
        let record = folder.at(name);
        anabranch([&["run", "scenarios/wifi-and-lte.toml", "--out", &record], changes].concat()).ok();
        let text = plot(&record, &folder.at("x.svg"), &["--figure", "windows"]);
        let svg = Document::parse(&text).unwrap();
        lines(&svg).map(|line| line.attribute("d").unwrap().matches('M').count()).collect::<Vec<_>>()
    };
    assert_eq!(of("away", &[]), [2, 1]);
    assert_eq!(of("there", &["--set", "flows.phone.events=[]"]), [1, 1]);
}

#[test]
fn every_figure_in_every_format() {
    let (folder, record) = recorded(&["--cc", "lia"]);
    let list = anabranch(["plot", &record, "--figure", "list"]).ok();
    let all = ["windows", "throughput", "rtt", "queue", "sequence", "shares", "alpha"];
    has(&list, all);
    assert!(!list.contains("completions"), "{list}");
    for name in all {
        let text = plot(&record, &folder.at("x.svg"), &["--figure", name, "--size", "single"]);
        let svg = Document::parse(&text).unwrap();
        assert!(svg.descendants().any(|n| n.attribute("class") == Some("series")), "{name}");
        assert_eq!(svg.root_element().attribute("width"), Some("326.4"));
    }
    let together = ["--figure", "windows,queue,alpha", "--columns", "2", "--size", "7x5in"];
    let svg = plot(&record, &folder.at("all.svg"), &together);
    let svg = Document::parse(&svg).unwrap();
    assert_eq!(svg.root_element().attribute("width"), Some("672"));
    let height: f64 = svg.root_element().attribute("height").unwrap().parse().unwrap();
    assert!((height - 480.0).abs() < 1.0, "{height}");

    let page = plot(&record, &folder.at("all.html"), &["--figure", "windows,rtt"]);
    assert_eq!(page.matches("class=\"chart\"").count(), 2);
    for elsewhere in ["<script src", "<link rel=\"stylesheet", "href=\"http"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let out = folder.at("x.png");
    anabranch(["plot", &record, "--out", &out, "--size", "single"]).ok();
    let png = resvg::tiny_skia::Pixmap::load_png(&out).unwrap();
    // 3.4 inches of 300 dots.
    assert_eq!(png.width(), 1020);
    let coloured = png.pixels().iter().filter(|p| p.blue() > p.red().saturating_add(60)).count();
    assert!(coloured > 500, "{coloured}");
    let dark = png.pixels().iter().filter(|p| p.red() < 90 && p.green() < 90 && p.blue() < 90).count();
    assert!(dark > 500, "text: {dark}");

    let out = folder.at("x.pdf");
    anabranch(["plot", &record, "--out", &out, "--size", "single"]).ok();
    let pdf = fs::read(&out).unwrap();
    assert!(pdf.starts_with(b"%PDF-1."));
    let text = String::from_utf8_lossy(&pdf);
    // 3.4 inches of 72 points: one page of the column's width, of vectors with an embedded font.
    let width = text.split_once("/MediaBox [0 0 ").unwrap().1.split(' ').next().unwrap();
    assert!((width.parse::<f64>().unwrap() - 244.8).abs() < 0.01, "{width}");
    assert!(text.contains("/FontFile") && !text.contains("/Subtype /Image"));
    // It is replaced as ours.
    anabranch(["plot", &record, "--out", &out]).ok();
}

#[test]
fn the_values_are_those_of_the_record_between_the_times() {
    let (folder, record) = recorded(&["--cc", "lia"]);
    let (svg, csv) = (folder.at("x.svg"), folder.at("x.csv"));
    let view = ["--figure", "windows", "--flows", "bonded", "--from", "3 s", "--to", "4 s"];
    anabranch([&["plot", &record, "--out", &svg, "--out", &csv], &view[..]].concat()).ok();
    assert!(!folder.read("x.svg").contains("neighbour"));
    let rows = rows(&csv);
    for (subflow, name) in [("1", "bonded, fibre"), ("2", "bonded, dsl")] {
        let shown: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| &row[1] == name)
            .map(|row| (row[5].parse().unwrap(), row[7].parse().unwrap()))
            .collect();
        let mut within = windows(&record, "bonded", subflow);
        within.retain(|(time, _)| (3.0..=4.0).contains(time));
        assert!(within.len() > 5);
        // Beside the record's samples, where the line crosses the edges.
        assert!(within.iter().all(|sample| shown.contains(sample)), "{name}");
        assert!(shown.len() <= within.len() + 2 && shown.iter().all(|(time, _)| (3.0..=4.0).contains(time)));
    }
    anabranch(["plot", &record, "--flows", "bondet"])
        .refused(["has no flow `bondet`", "flows: bonded, neighbour/1"]);
}

/// Runs of two algorithms are beside each other; runs of several seeds are one line with a band.
#[test]
fn several_runs_are_one_figure() {
    let folder = folder();
    let run = |name: &str, cc: &str, seed: &str| {
        let out = folder.at(name);
        anabranch(short("run", &["--out", &out, "--cc", cc, "--seed", seed])).ok();
        out
    };
    let [a, b, c] = ["1", "2", "3"].map(|seed| run(&format!("lia-{seed}"), "lia", seed));
    let olia = run("olia", "olia", "1");
    let options = ["--figure", "throughput", "--flows", "bonded", "--title", "Two algorithms"];
    let out = ["--out", &folder.at("x.svg")];
    anabranch([&["plot", &a, &b, &c, &olia], &options[..], &out].concat()).ok();
    let text = folder.read("x.svg");
    let drawing = Document::parse(&text).unwrap();
    let texts: Vec<&str> = drawing.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
    for name in ["lia, mean of 3: bonded, fibre", "olia: bonded, fibre", "Two algorithms"] {
        assert!(texts.contains(&name), "{name}: {texts:?}");
    }
    // A band.
    has(&text, ["fill-opacity=\"0.15\""]);
    anabranch(["plot", &a, &olia, "--figure", "alpha"]).refused(["olia has no figure `alpha`"]);
    anabranch(["plot", &a, "--figure", "alpha", "--flows", "neighbour"])
        .refused(["the flows of `--flows` have no figure `alpha`"]);
}

#[test]
fn a_run_and_its_picture_in_one_command() {
    let folder = folder();
    let page = folder.at("x.html");
    let said = anabranch(short("run", &[&format!("--plot={page}")])).ok();
    assert!(said.ends_with(&format!("Wrote {page}\n")), "{said}");
    has(&folder.read("x.html"), ["Congestion windows", "bonded, dsl"]);
    // With a record it is the record's, and the same.
    let (record, picture) = (folder.at("r"), format!("--plot={}", folder.at("x.svg")));
    anabranch(short("run", &["--out", &record, &picture])).ok();
    assert_eq!(plot(&record, &folder.at("y.svg"), &[]), folder.read("x.svg"));
    // Beside the record, by a path through it.
    anabranch(short("run", &["--out", &record, &format!("--plot={}", folder.at("r/../z.svg"))])).ok();
    // Without a name, in the working directory; JSON stays alone on standard output.
    let scenario = root().join(TWO_PATHS);
    let args = ["run", scenario.to_str().unwrap(), "--duration", "12 s", "--plot", "--json"];
    let left = outcome(command().args(args).current_dir(folder.path())).done();
    has(&left.stderr, ["wrote plot.html"]);
    serde_json::from_str::<Value>(&left.stdout).unwrap();
    assert!(fs::exists(folder.at("plot.html")).unwrap());
}

/// The data that a picture keeps of a run counts as memory: each line is up to 8192 stretches of time, and each subflow has its
/// last second.
#[test]
fn a_picture_that_needs_much_memory_is_refused_before_the_run() {
    let folder = folder();
    let picture = format!("--plot={}", folder.at("x.svg"));
    let many = ["--set", "flows.neighbour.count=9000", "--set", "record.interval=10 us"];
    anabranch(short("check", &many)).ok();
    anabranch(short("run", &[&many[..], &[&*picture]].concat())).refused(["of memory", "record.interval"]);
    assert_eq!(folder.names(), [""; 0]);
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let (folder, record) = recorded(&[]);
    let fails = |what: &str, more: &[&str], said: &[&str]| {
        let out = folder.at("x.svg");
        anabranch([&["plot", what, "--out", &out], more].concat()).refused(said);
        assert!(!fs::exists(out).unwrap());
    };
    fails(&record, &["--figure", "window"], &["known: windows, throughput"]);
    fails(&record, &["--figure", "shares", "--from", "2 s"], &["`--from` and `--to` have no effect"]);
    fails(&record, &["--size", "60x60px"], &["do not fit"]);
    fails(&record, &["--size", "big"], &["give screen, single"]);
    fails(folder.arg(), &[], &["has no summary.json"]);
    fails(TWO_PATHS, &[], &["is a scenario", "--out DIR`"]);
    fails("studies/examples/buffer-and-delay.toml", &[], &["is a study"]);
    fails(&folder.write("other.json", "{}"), &[], &["help: give the folder"]);
    fails(&folder.at("none"), &[], &["none does not exist"]);
    anabranch(["plot", &record, "--out", "x.tiff"]).refused(["its extension does not select a format"]);

    let (samples, whole) = ("run/subflows.csv", folder.read("run/subflows.csv"));
    let lines: Vec<&str> = whole.lines().collect();
    // One sample is a point.
    folder.write(samples, format!("{}\n{}\n", lines[0], lines[1]));
    has(&plot(&record, &folder.at("one.svg"), &["--figure", "windows"]), ["class=\"series\""]);
    // An empty list draws nothing.
    folder.write(samples, format!("{}\n", lines[0]));
    fails(&record, &["--figure", "windows,rtt"], &["nothing to draw"]);
    // Text that is not a number has no place; another version has other columns.
    let first = lines[1].split(',').nth(4).unwrap();
    folder.write(samples, whole.replacen(&format!(",{first},"), ",NaN,", 1));
    assert!(!plot(&record, &folder.at("nan.svg"), &["--figure", "windows"]).contains("NaN"));
    folder.write(samples, whole.replace("cwnd_segments", "cwnd"));
    fails(&record, &[], &["damaged or from another version"]);
    folder.write("run/summary.json", "{}");
    fails(&record, &[], &["summary.json is damaged or from another version"]);
}

/// Ctrl-C while a long record is read: status 130, with a word, and nothing in place of the picture.
#[test]
fn drawing_can_be_interrupted() {
    let (folder, record) = recorded(&[]);
    // Reading never ends.
    let file = format!("{record}/subflows.csv");
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    let child = command().args(["plot", &record, "--out", &folder.at("x.svg")]).spawn().unwrap();
    let process = child.id();
    let ended = interrupted_when(child, || is_caught(process, Signal::INT));
    has(&ended.stderr, ["interrupted: nothing was drawn"]);
    assert_eq!(folder.names(), ["run"]);
}
