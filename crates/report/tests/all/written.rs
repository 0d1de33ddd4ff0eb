//! The files of a written report, as tests read them.

use crate::fixture;
use anabranch_report::svg::ChartSize;
use anabranch_report::{Context, Results, write};
use anabranch_study::*;
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::read::{DeflateDecoder, GzDecoder};
use roxmltree::{Document, Node};
use std::{collections::BTreeMap, fs, io::Read, path::Path};
use tempfile::TempDir;

/// Every file of a report on papers, by its path.
pub fn files(papers: &[StudyResult]) -> BTreeMap<String, String> {
    files_of(papers, &[])
}

/// Every file of a report on papers and studies, by its path.
pub fn files_of(papers: &[StudyResult], studies: &[StudyResult]) -> BTreeMap<String, String> {
    let dir = report(papers, studies);
    let mut files = BTreeMap::new();
    collect(dir.path(), dir.path(), &mut files);
    files
}

/// The folder of a report on papers, studies and the fixture's algorithms.
pub fn report(papers: &[StudyResult], studies: &[StudyResult]) -> TempDir {
    let results = Results { papers, studies, algorithms: &fixture::algorithms(), ..Results::default() };
    report_in(&fixture::context(), &results)
}

pub fn report_in(context: &Context, results: &Results<'_>) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), results, context).unwrap();
    dir
}

fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, text_of(&path));
        }
    }
}

/// A file's text: of a fragment the text that it passes, of a compressed file its content.
pub fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    let mut text = String::new();
    if path.extension().is_some_and(|ending| ending == "gz") {
        GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        return text;
    }
    let plain = String::from_utf8(bytes).unwrap();
    let Some(call) = plain.strip_prefix("anabranch.part(") else { return plain };
    let data = call.split('"').nth(3).unwrap();
    DeflateDecoder::new(&STANDARD.decode(data).unwrap()[..]).read_to_string(&mut text).unwrap();
    text
}

/// A study's page, its experiments' pages, and their fragments of text, one after the other.
pub fn study(files: &BTreeMap<String, String>, name: &str) -> String {
    let own = |file: &str| {
        file == format!("{name}.html") || file.starts_with(&format!("{name}-")) && file.ends_with(".html")
    };
    let pages: String = files.iter().filter(|(file, _)| own(file)).map(|(_, html)| html.as_str()).collect();
    with_parts(files, &pages)
}

/// A page with the text of what opens in it.
pub fn with_parts(files: &BTreeMap<String, String>, html: &str) -> String {
    let opened = between(html, "<details", ">").into_iter().filter_map(|tag| {
        let text = &files[*attributes(tag, "data-part").first()?];
        let Some(piece) = attributes(tag, "data-piece").first().copied() else { return Some(text.clone()) };
        let pieces: Vec<String> = serde_json::from_str(text).unwrap();
        Some(pieces[piece.parse::<usize>().unwrap()].clone())
    });
    [html.to_owned()].into_iter().chain(opened).collect()
}

/// The cells of numbers.
pub fn cells(html: &str) -> Vec<&str> {
    between(html, "<td class=\"number\">", "</td>")
}

/// The drawings of a page or a fragment, in order.
pub fn charts(html: &str) -> Vec<&str> {
    between(html, "<div class=\"chart\" tabindex=\"0\">", "</div>")
}

/// The value at the top of a drawing's vertical axis, by its labels.
pub fn top_of_axis(svg: &str) -> f64 {
    let svg = Document::parse(svg).unwrap();
    let numbers =
        |d: &str| d.split(['M', 'V', 'H', ' ']).filter_map(|n| n.parse().ok()).collect::<Vec<f64>>();
    // Of the axes' path, "M45 8V258H547…".
    let axes = svg.descendants().find(|node| node.attribute("stroke-opacity") == Some("0.5")).unwrap();
    let top = numbers(axes.attribute("d").unwrap())[1];
    reading(&svg, "end", "y")(top)
}

/// From places back to values, by the first and last tick that has its label in such a group.
pub fn reading(svg: &Document, anchor: &str, place: &str) -> impl Fn(f64) -> f64 {
    let is_group = |n: &Node| n.tag_name().name() == "g" && n.attribute("text-anchor") == Some(anchor);
    let labels: Vec<Node> = svg.descendants().find(is_group).unwrap().children().collect();
    let text = |label: &Node| label.text().unwrap().replace('\u{202f}', "").replace('−', "-");
    let is_log = labels.iter().map(text).all(|text| text.starts_with("10") && !text.is_ascii());
    let digit =
        |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|digit| digit == c).map_or("-".into(), |d| d.to_string());
    let value = |label: &Node| match is_log {
        true => text(label).chars().skip(2).map(digit).collect::<String>().parse().unwrap(),
        false => text(label).parse().unwrap(),
    };
    // The text's base line is a third of its size below the place.
    let lower = if place == "y" { 0.35 * ChartSize::REPORT.font } else { 0.0 };
    let at = |label: &Node| label.attribute(place).unwrap().parse::<f64>().unwrap() - lower;
    let (first, last) = (&labels[0], &labels[labels.len() - 1]);
    let ((a, low), (b, high)): ((f64, f64), (f64, f64)) =
        ((at(first), value(first)), (at(last), value(last)));
    move |place| {
        let along = low + (place - a) / (b - a) * (high - low);
        if is_log { 10f64.powf(along) } else { along }
    }
}

pub fn pages(files: &BTreeMap<String, String>) -> impl Iterator<Item = (&String, &String)> {
    files.iter().filter(|(name, _)| name.ends_with(".html"))
}

/// The values of an attribute, wherever it stands in a tag.
pub fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    html.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The text between each `open` and the next `close`.
pub fn between<'a>(html: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    html.split(open).skip(1).map(|rest| rest.split(close).next().unwrap()).collect()
}
