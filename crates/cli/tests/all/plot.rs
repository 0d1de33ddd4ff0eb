//! `anabranch plot` and `run --plot`: pictures beside the records that they are of.

use anabranch_test_support::command::{TWO_PATHS, anabranch, command, outcome, root, scratch, short, signal};
use csv::Reader;
use roxmltree::Document;
use std::fs;
use std::path::{Path, PathBuf};

/// The record of a short run in a folder, as CSV.
fn recorded(folder: &Path, more: &[&str]) -> PathBuf {
    let out = folder.join("run");
    let args = ["--out", out.to_str().unwrap(), "--format", "csv"];
    anabranch(short("run", &[&args, more].concat())).ok();
    out
}

fn plot(what: &Path, out: &Path, more: &[&str]) -> String {
    let args = ["plot", what.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let said = anabranch(args.iter().chain(more)).ok();
    assert_eq!(said.trim(), format!("Wrote {}", out.display()));
    fs::read_to_string(out).unwrap()
}

/// Time and window of a subflow, from the record.
fn windows(record: &Path, flow: &str, subflow: &str) -> Vec<(f64, f64)> {
    let mut reader = Reader::from_path(record.join("subflows.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let column = |name: &str| header.iter().position(|h| h == name).unwrap();
    let (time, cwnd) = (column("time_s"), column("cwnd_segments"));
    let (of, number) = (column("flow"), column("subflow"));
    let rows = reader.records().map(Result::unwrap);
    let own = rows.filter(|row| &row[of] == flow && &row[number] == subflow);
    own.map(|row| (row[time].parse().unwrap(), row[cwnd].parse().unwrap())).collect()
}

/// The highest place of the line of that number, as the value that the ticks beside it give that place, and what a pixel is there.
fn highest(svg: &Document, line: usize) -> (f64, f64) {
    let axis = svg.descendants().find(|n| n.attribute("text-anchor") == Some("end")).unwrap();
    let number = |n: roxmltree::Node, name| n.attribute(name).unwrap().parse::<f64>().unwrap();
    let ticks: Vec<(f64, f64)> = axis
        .children()
        .map(|text| (number(text, "y"), text.text().unwrap().replace('\u{202f}', "").parse().unwrap()))
        .collect();
    let ((a, low), (b, high)) = (ticks[0], *ticks.last().unwrap());
    let size: f64 = number(svg.root_element(), "font-size");
    let path = svg.descendants().filter(|n| n.attribute("class") == Some("line")).nth(line).unwrap();
    // Each place after the first is relative to the one before it.
    let apart = path.attribute("d").unwrap()[1..].replace('l', " ").replace('-', " -");
    let steps = apart.split_whitespace().map(|n| n.parse::<f64>().unwrap());
    let heights = steps.skip(1).step_by(2).scan(0.0, |y, step| {
        *y += step;
        Some(*y)
    });
    let top = heights.fold(f64::INFINITY, f64::min);
    // The base line of a text is 0.35 of its size below the tick.
    let pixel = (high - low) / (a - b);
    (low + (a - 0.35 * size - top) * pixel, pixel)
}

#[test]
fn a_line_has_the_values_of_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &["--cc", "lia"]);
    let text = plot(&record, &folder.path().join("x.svg"), &["--figure", "windows"]);
    let svg = Document::parse(&text).unwrap();
    let names: Vec<&str> = svg.descendants().filter_map(|n| n.text()).collect();
    let lines = [
        ("bonded", "1", "bonded, fibre"),
        ("bonded", "2", "bonded, dsl"),
        ("neighbour/1", "1", "neighbour/1 (reno)"),
    ];
    // Each is followed by its theory: LIA beside Reno has an equilibrium.
    for (i, (flow, subflow, name)) in lines.into_iter().enumerate() {
        assert!(names.contains(&name) && names.contains(&"in theory"), "{names:?}");
        let most = windows(&record, flow, subflow).into_iter().map(|(_, w)| w).fold(0.0, f64::max);
        // The line, both ticks and their texts are at tenths of a pixel.
        let (drawn, pixel) = highest(&svg, 2 * i);
        assert!((drawn - most).abs() <= 0.2 * pixel, "{name}: {drawn}, {most}, a pixel is {pixel}");
    }
    let lines = svg.descendants().filter(|n| n.attribute("class") == Some("line")).count();
    assert_eq!(lines, 2 * 4);
    // Coupled CUBIC has no model.
    let other = tempfile::tempdir().unwrap();
    let again = recorded(other.path(), &["--cc", "coupled-cubic"]);
    assert!(!plot(&again, &folder.path().join("y.svg"), &[]).contains("in theory"));
}

#[test]
fn a_picture_without_a_folder_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let picture = format!("--plot={}", folder.path().join("none/x.svg").display());
    let scenario = root().join("scenarios/two-paths-and-a-neighbour.toml");
    let said = anabranch(["run", scenario.to_str().unwrap(), "--duration", "1000000 s", &picture]).fails(2);
    assert!(said.contains(": the folder ") && said.contains("does not exist"), "{said}");
}

/// The subflow is away from 31 to 61 s.
#[test]
fn a_line_ends_where_a_subflow_is_removed() {
    let (folder, picture) = scratch("x.svg");
    let of = |name: &str, changes: &[&str]| {
        let record = folder.path().join(name);
        let (scenario, out) = (root().join("scenarios/wifi-and-lte.toml"), record.to_str().unwrap());
        anabranch([&["run", scenario.to_str().unwrap(), "--out", out], changes].concat()).ok();
        let text = plot(&record, &picture, &["--figure", "windows"]);
        let svg = Document::parse(&text).unwrap();
        let lines = svg.descendants().filter(|n| n.attribute("class") == Some("line"));
        lines.map(|line| line.attribute("d").unwrap().matches('M').count()).collect::<Vec<_>>()
    };
    assert_eq!(of("away", &[]), [2, 1]);
    assert_eq!(of("there", &["--set", "flows.phone.events=[]"]), [1, 1]);
}

#[test]
fn every_figure_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &["--cc", "lia"]);
    let list = anabranch(["plot", record.to_str().unwrap(), "--figure", "list"]).ok();
    let all = ["windows", "throughput", "rtt", "queue", "sequence", "shares", "alpha"];
    assert!(all.iter().all(|name| list.contains(name)) && !list.contains("completions"), "{list}");
    for name in all {
        let file = folder.path().join(format!("{name}.svg"));
        let text = plot(&record, &file, &["--figure", name, "--size", "single"]);
        let svg = Document::parse(&text).unwrap();
        assert!(svg.descendants().any(|n| n.attribute("class") == Some("series")), "{name}");
        assert_eq!(svg.root_element().attribute("width"), Some("326.4"));
    }
    let together = ["--figure", "windows,queue,alpha", "--columns", "2", "--size", "7x5in"];
    let svg = plot(&record, &folder.path().join("all.svg"), &together);
    let svg = Document::parse(&svg).unwrap();
    assert_eq!(svg.root_element().attribute("width"), Some("672"));
    let height: f64 = svg.root_element().attribute("height").unwrap().parse().unwrap();
    assert!((height - 480.0).abs() < 1.0, "{height}");

    let page = plot(&record, &folder.path().join("all.html"), &["--figure", "windows,rtt"]);
    assert_eq!(page.matches("class=\"chart\"").count(), 2);
    for elsewhere in ["<script src", "<link rel=\"stylesheet", "href=\"http"] {
        assert!(!page.contains(elsewhere), "{elsewhere}");
    }
    let out = folder.path().join("x.png");
    anabranch(["plot", record.to_str().unwrap(), "--out", out.to_str().unwrap(), "--size", "single"]).ok();
    let png = resvg::tiny_skia::Pixmap::load_png(&out).unwrap();
    // 3.4 inches of 300 dots.
    assert_eq!(png.width(), 1020);
    let coloured = png.pixels().iter().filter(|p| p.blue() > p.red().saturating_add(60)).count();
    assert!(coloured > 500, "{coloured}");
    let dark = png.pixels().iter().filter(|p| p.red() < 90 && p.green() < 90 && p.blue() < 90).count();
    assert!(dark > 500, "text: {dark}");
}

/// One page of the column's width, 3.4 in of 72 points, with an embedded font.
#[test]
fn a_pdf_has_vectors_and_its_font() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &["--cc", "lia"]);
    let out = folder.path().join("x.pdf");
    anabranch(["plot", record.to_str().unwrap(), "--out", out.to_str().unwrap(), "--size", "single"]).ok();
    let pdf = fs::read(&out).unwrap();
    assert!(pdf.starts_with(b"%PDF-1."));
    let text = String::from_utf8_lossy(&pdf);
    let width = text.split_once("/MediaBox [0 0 ").unwrap().1.split(' ').next().unwrap();
    assert!((width.parse::<f64>().unwrap() - 244.8).abs() < 0.01, "{width}");
    assert!(text.contains("/FontFile") && !text.contains("/Subtype /Image"));
    // It is replaced as ours.
    anabranch(["plot", record.to_str().unwrap(), "--out", out.to_str().unwrap()]).ok();
}

#[test]
fn the_values_are_those_of_the_record_between_the_times() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &["--cc", "lia"]);
    let (svg, csv) = (folder.path().join("x.svg"), folder.path().join("x.csv"));
    let outs = ["--out", svg.to_str().unwrap(), "--out", csv.to_str().unwrap()];
    let view = ["--figure", "windows", "--flows", "bonded", "--from", "3 s", "--to", "4 s"];
    anabranch([&["plot", record.to_str().unwrap()], &outs[..], &view[..]].concat()).ok();
    assert!(!fs::read_to_string(svg).unwrap().contains("neighbour"));
    let mut reader = Reader::from_path(&csv).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for (subflow, name) in [("1", "bonded, fibre"), ("2", "bonded, dsl")] {
        let shown: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| &row[1] == name)
            .map(|row| (row[5].parse().unwrap(), row[7].parse().unwrap()))
            .collect();
        let recorded = windows(&record, "bonded", subflow);
        let within: Vec<(f64, f64)> =
            recorded.into_iter().filter(|(time, _)| (3.0..=4.0).contains(time)).collect();
        assert!(within.len() > 5);
        // Beside the record's samples, where the line crosses the edges.
        assert!(within.iter().all(|sample| shown.contains(sample)), "{name}");
        assert!(shown.len() <= within.len() + 2 && shown.iter().all(|(time, _)| (3.0..=4.0).contains(time)));
    }
    let unknown = ["plot", record.to_str().unwrap(), "--flows", "bondet"];
    let said = anabranch(unknown).fails(2);
    assert!(said.contains("has no flow `bondet`") && said.contains("flows: bonded, neighbour/1"), "{said}");
}

/// Runs of two algorithms are beside each other; runs of several seeds are one line with a band.
#[test]
fn several_runs_are_one_figure() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, cc: &str, seed: &str| {
        let out = folder.path().join(name);
        anabranch(short("run", &["--out", out.to_str().unwrap(), "--cc", cc, "--seed", seed])).ok();
        out.to_str().unwrap().to_owned()
    };
    let seeds = ["1", "2", "3"].map(|seed| run(&format!("lia-{seed}"), "lia", seed));
    let runs = [&seeds[..], &[run("olia", "olia", "1")]].concat();
    let svg = folder.path().join("x.svg");
    let options = ["--figure", "throughput", "--flows", "bonded", "--title", "Two algorithms"];
    let mut args = vec!["plot"];
    args.extend(runs.iter().map(String::as_str));
    args.extend(options.iter().chain(&["--out", svg.to_str().unwrap()]));
    anabranch(&args).ok();
    let text = fs::read_to_string(&svg).unwrap();
    let drawing = Document::parse(&text).unwrap();
    let texts: Vec<&str> = drawing.descendants().filter(|n| n.is_text()).filter_map(|n| n.text()).collect();
    for name in ["lia, mean of 3: bonded, fibre", "olia: bonded, fibre", "Two algorithms"] {
        assert!(texts.contains(&name), "{name}: {texts:?}");
    }
    assert!(text.contains("fill-opacity=\"0.15\""), "a band");
}

#[test]
fn a_run_and_its_picture_in_one_command() {
    let (folder, page) = scratch("x.html");
    let said = anabranch(short("run", &[&*format!("--plot={}", page.display())])).ok();
    assert!(said.ends_with(&format!("Wrote {}\n", page.display())), "{said}");
    let charts = fs::read_to_string(page).unwrap();
    assert!(charts.contains("Congestion windows") && charts.contains("bonded, dsl"));
    // With a record it is the record's, and the same.
    let (svg, other) = (folder.path().join("x.svg"), folder.path().join("y.svg"));
    let record = folder.path().join("r");
    let with = ["--out", record.to_str().unwrap()];
    anabranch(short("run", &[&with[..], &[&*format!("--plot={}", svg.display())]].concat())).ok();
    assert_eq!(plot(&record, &other, &[]), fs::read_to_string(&svg).unwrap());
    // Without a name, in the working directory; JSON stays alone on standard output.
    let mut bare = command();
    let args = ["--duration", "12 s", "--plot", "--json"];
    bare.current_dir(folder.path()).arg("run").arg(root().join(TWO_PATHS)).args(args);
    let left = outcome(&bare.output().unwrap());
    assert!(left.status == 0 && left.stderr.contains("wrote plot.html"), "{}", left.stderr);
    serde_json::from_str::<serde_json::Value>(&left.stdout).unwrap();
    assert!(folder.path().join("plot.html").exists());
}

/// The data that a picture keeps of a run counts as memory: each line is up to 8192 stretches of time, and each subflow has its
/// last second.
#[test]
fn a_picture_that_needs_much_memory_is_refused_before_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let picture = format!("--plot={}", folder.path().join("x.svg").display());
    let many = ["--set", "flows.neighbour.count=9000", "--set", "record.interval=10 us"];
    anabranch(short("check", &many)).ok();
    let said = anabranch(short("run", &[&many[..], &[&*picture]].concat())).fails(2);
    assert!(said.contains("of memory") && said.contains("record.interval"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_cannot_be_drawn_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &[]);
    let out = folder.path().join("x.svg");
    let fails = |what: &Path, more: &[&str]| {
        let out = out.to_str().unwrap();
        let args = [&["plot", what.to_str().unwrap(), "--out", out], more].concat();
        let said = anabranch(args).fails(2);
        assert!(!Path::new(out).exists());
        said
    };
    assert!(fails(&record, &["--figure", "window"]).contains("known: windows, throughput"));
    assert!(fails(&record, &["--size", "60x60px"]).contains("do not fit"));
    assert!(fails(&record, &["--size", "big"]).contains("give screen, single"));
    assert!(fails(folder.path(), &[]).contains("has no summary.json"));
    let said = fails(&root().join(TWO_PATHS), &[]);
    assert!(said.contains("is a scenario") && said.contains("--out DIR`"), "{said}");
    let said = fails(&root().join("studies/examples/buffer-and-delay.toml"), &[]);
    assert!(said.contains("is a study"), "{said}");
    let json = folder.path().join("other.json");
    fs::write(&json, "{}").unwrap();
    assert!(fails(&json, &[]).contains("help: give the folder"));
    assert!(fails(&folder.path().join("none"), &[]).contains("has no summary.json"));
    let name = anabranch(["plot", record.to_str().unwrap(), "--out", "x.tiff"]).fails(2);
    assert!(name.contains("its extension does not select a format"), "{name}");

    let samples = record.join("subflows.csv");
    let whole = fs::read_to_string(&samples).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    // One sample is a point.
    fs::write(&samples, format!("{}\n{}\n", lines[0], lines[1])).unwrap();
    let one = plot(&record, &folder.path().join("one.svg"), &["--figure", "windows"]);
    assert!(one.contains("class=\"series\""));
    // An empty list draws nothing.
    fs::write(&samples, format!("{}\n", lines[0])).unwrap();
    assert!(fails(&record, &["--figure", "windows,rtt"]).contains("nothing to draw"));
    // Text that is not a number has no place; another version has other columns.
    let first = lines[1].split(',').nth(4).unwrap();
    fs::write(&samples, whole.replacen(&format!(",{first},"), ",NaN,", 1)).unwrap();
    assert!(!plot(&record, &folder.path().join("nan.svg"), &["--figure", "windows"]).contains("NaN"));
    fs::write(&samples, whole.replace("cwnd_segments", "cwnd")).unwrap();
    assert!(fails(&record, &[]).contains("damaged or from another version"));
    fs::write(record.join("summary.json"), "{}").unwrap();
    assert!(fails(&record, &[]).contains("summary.json is damaged or from another version"));
}

/// Ctrl-C while a long record is read: status 130, with a word, and nothing in place of the picture.
#[test]
fn drawing_can_be_interrupted() {
    use rustix::process::Signal;
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path(), &[]);
    // Reading never ends.
    let file = record.join("subflows.csv");
    fs::remove_file(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    let out = folder.path().join("x.svg");
    let mut plot = command();
    let child = plot.arg("plot").arg(&record).arg("--out").arg(&out).spawn().unwrap();
    let catches_interrupts = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(mask.trim(), 16).unwrap() & 1 << (Signal::INT.as_raw() - 1) != 0
    };
    while !catches_interrupts() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("interrupted: nothing was drawn"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
