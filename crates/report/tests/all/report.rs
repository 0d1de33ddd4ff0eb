//! The written files: complete, escaped, self-contained, the same every time.

use crate::fixture;
use crate::written::{
    attributes, between, cells, charts, files, files_of, pages, report_in, study, top_of_axis, with_parts,
};
use anabranch_report::{Context, Results};
use anabranch_study::*;
use serde_json::Value;
use std::fs;

/// Characters that a study file can have in its texts, and that neither XML nor a reader accepts: ESC, NUL, a C1 control (CSI) and
/// a mark that turns the direction of text (UAX #9).
pub const HOSTILE: &str = "\u{1b}[31m\0\u{9b}2J\u{202e}\u{2066}";

const EVIL: &str = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;`<b>`";

/// Appends a text to all of the results' own.
fn spoilt(results: &[StudyResult], text: &str) -> Vec<StudyResult> {
    let mut value = serde_json::to_value(results).unwrap();
    spoil(&mut value, text);
    serde_json::from_value(value).unwrap()
}

fn spoil(value: &mut Value, text: &str) {
    /// Keys whose text is a variant of an enumeration.
    const KINDS: [&str; 5] = ["published", "verdict", "origin", "mark", "kind"];
    match value {
        Value::String(own) => *own += text,
        Value::Array(all) => all.iter_mut().for_each(|value| spoil(value, text)),
        Value::Object(map) => {
            let texts =
                map.iter_mut().filter(|(key, value)| !value.is_string() || !KINDS.contains(&key.as_str()));
            texts.for_each(|(_, value)| spoil(value, text));
        }
        _ => {}
    }
}

/// XML 1.0, section 2.2: a document has no control characters but tab and line ends; roxmltree refuses others.
#[test]
fn control_and_bidi_characters_are_spelled_out_everywhere() {
    let results = spoilt(&fixture::results(), HOSTILE);
    let all = files_of(&results, &results);
    let mut drawings = 0;
    // Files of values are data, and keep names as they are.
    let is_shown = |name: &str| !name.starts_with("assets/") && !name.contains(".csv");
    for (name, text) in all.iter().filter(|(name, _)| is_shown(name)) {
        // A fragment is JSON: there the characters may hide behind escapes.
        let texts = match serde_json::from_str(text) {
            Ok(value) => strings(&value),
            Err(_) => vec![text.clone()],
        };
        let hidden =
            texts.iter().flat_map(|t| t.chars()).find(|c| HOSTILE.contains(*c) && !c.is_ascii_graphic());
        assert_eq!(hidden, None, "{name}");
        for chart in charts(text) {
            roxmltree::Document::parse(chart).unwrap_or_else(|e| panic!("{name}: {e}"));
            drawings += usize::from(chart.contains("\\u{1b}[31m\\u{0}\\u{9b}2J\\u{202e}\\u{2066}"));
        }
    }
    assert!(drawings > 0, "no drawing has a spelled text");
    let page = with_parts(&all, &all["index.html"]);
    assert!(page.contains("\\u{1b}[31m"), "{page}");
}

fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => vec![],
    }
}

#[test]
fn the_same_results_give_the_same_bytes() {
    assert_eq!(files(&fixture::results()), files(&fixture::results()));
}

#[test]
fn every_row_has_an_anchor_and_is_found_by_the_search() {
    let results = fixture::results();
    let files = files(&results);
    let index: Value = serde_json::from_str(&files["data/search.js"]).unwrap();
    let found = index["entries"].as_array().unwrap();
    for paper in &results {
        let html = study(&files, &paper.name);
        let ids = attributes(&html, "id");
        for row in paper.experiments.iter().flat_map(|e| &e.rows) {
            assert_eq!(ids.iter().filter(|id| **id == row.id).count(), 1, "{}", row.id);
            let line = found.iter().find(|line| line[0] == format!("{} {}", row.id, row.what)).unwrap();
            let (page, anchor) = line[1].as_str().unwrap().split_once('#').unwrap();
            assert!(attributes(&files[page], "id").contains(&anchor), "{}", line[1]);
        }
    }
}

/// A study's main claim stands first, with its verdict and its values.
#[test]
fn the_headline_stands_first() {
    let mut results = fixture::results();
    let rows = &results[0].experiments.last().unwrap().rows;
    let (first, unmet) = (rows[1].id.clone(), rows[0].id.clone());
    assert_eq!((rows[1].verdict, rows[0].verdict), (Verdict::Reproduced, Verdict::Partly));
    for (judged, says) in [(vec![first.clone()], "holds"), (vec![first.clone(), unmet], "holds partly")] {
        results[0].headline = Some(Headline {
            claim: "Coupling takes *no* harm".into(),
            judged,
            values: vec![("LIA".into(), first.clone())],
        });
        let index = &files(&results)["index.html"];
        let claim = between(index, "<div class=\"claim\">", "</section>")[0];
        assert!(claim.contains(&format!("</span> {says}</span>")), "{claim}");
        assert!(index.find("<div class=\"claim\">") < index.find("<table class=\"counts\">"));
    }
}

/// An interval wider than its value says less than the runs, as long as these are few.
#[test]
fn reasons_list_few_runs() {
    let mut results = fixture::results();
    let mut lists = |runs: usize| {
        let row = &mut results[0].experiments.last_mut().unwrap().rows[0];
        let measured = row.measured.as_mut().unwrap();
        measured.half_width = Some(2.0 * measured.mean);
        measured.values = vec![measured.mean; runs];
        let id = row.id.clone();
        results[0].headline = Some(Headline {
            claim: "None".into(),
            judged: vec![id.clone()],
            values: vec![("LIA".into(), id)],
        });
        files(&results)["index.html"].contains(&format!("in {runs} runs)"))
    };
    assert!(lists(5));
    assert!(!lists(6));
}

#[test]
fn every_local_link_leads_somewhere() {
    for results in [fixture::results(), spoilt(&fixture::beside_linux(), EVIL)] {
        let files = files(&results);
        for (name, html) in pages(&files) {
            let hrefs = attributes(html, "href").into_iter();
            for href in hrefs.filter(|href| !href.starts_with("http") && *href != "data:,") {
                let (file, fragment) = href.split_once('#').unwrap_or((href, ""));
                let file = if file.is_empty() { name } else { file };
                let target = files.get(file).unwrap_or_else(|| panic!("{name}: {href}"));
                // The laboratory's is the state of its controls.
                let is_state = file == "laboratory.html" && fragment.starts_with("z=");
                let is_there =
                    fragment.is_empty() || is_state || attributes(target, "id").contains(&fragment);
                assert!(is_there, "{name}: {href}");
            }
        }
    }
}

/// By hand from the fixture: of its own A has 4 + 3 reproduced, 4 + 1 partly, 1 not; A-F7, beyond the paper, has one
/// reproduced, one partly and one that is not judged.
#[test]
fn verdicts_are_counted_by_paper_and_in_all() {
    let files = files(&fixture::results());
    let [own, beyond] = between(&files["index.html"], "<table class=\"counts\">", "</table>")[..] else {
        panic!("two tables")
    };
    let (papers, all) = own.split_once("<tfoot>").unwrap();
    assert_eq!(cells(papers), ["5", "13", "7", "5", "1", "0", "0", "4", "4", "2", "0", "1", "0", "1"]);
    assert_eq!(cells(all), ["17", "9", "5", "2", "0", "1"]);
    let (papers, all) = beyond.split_once("<tfoot>").unwrap();
    assert_eq!(cells(papers), ["5", "3", "1", "1", "0", "1", "0"]);
    assert_eq!(cells(all), ["3", "1", "1", "0", "1", "0"]);
    let facts = between(&files["coupled-cubic.html"], "<dl class=\"facts\">", "</dl>")[0];
    let tallies = between(facts, "<span class=\"tally\">", "</dd>").len();
    assert!(facts.contains("Beyond the paper") && tallies == 2, "{facts}");
}

/// A user's study adds nothing to what is counted as the papers', and is not described by the papers' sizes.
#[test]
fn studies_are_no_papers() {
    let [paper, other] = &fixture::results()[..] else { panic!("two papers") };
    let mine = StudyResult {
        size: "quick".into(),
        command: Some("anabranch study mine.toml".into()),
        ..other.clone()
    };
    let sums = |index: &str| -> Vec<(String, String)> {
        let tables = index.split("<h3>").skip(1).filter(|table| table.contains("<tfoot>"));
        let sum = |table: &str| cells(table.split("<tfoot>").nth(1).unwrap())[0].to_owned();
        tables.map(|table| (table.split("</h3>").next().unwrap().to_owned(), sum(table))).collect()
    };
    let papers_quick = Size::Quick.description();
    let both = files_of(std::slice::from_ref(paper), std::slice::from_ref(&mine));
    let index = &both["index.html"];
    let counted =
        [("The papers' own experiments", "13"), ("Beyond the papers", "3"), ("Studies and sweeps", "4")];
    assert_eq!(sums(index), counted.map(|(title, rows)| (title.to_owned(), rows.to_owned())));
    assert!(index.contains("The papers, reproduced") && !index.contains(papers_quick), "{index}");
    assert!(both["kato-lia.html"].contains("anabranch study mine.toml"));
    let alone = files_of(&[], &[mine]);
    let index = &alone["index.html"];
    assert_eq!(sums(index), [("Studies and sweeps".to_owned(), "4".to_owned())]);
    assert!(index.contains("<h1>Studies and sweeps</h1>") && !index.contains("The papers, reproduced"));
    assert!(index.contains("<b>quick</b>: durations and seeds") && !index.contains(papers_quick));
}

/// By hand from the fixture: of the default's 9 reproduced, 5 partly and 2 not the kernel's arithmetic changes two, one
/// for the worse and one for the better. Experiments beyond the papers are left out: A-F7 has one of each and another value.
#[test]
fn verdicts_are_counted_under_other_assumptions() {
    let files = files(&fixture::results());
    let counts = |html: &str| {
        let tallies = between(html, "<span class=\"tally\">", "</td>").into_iter();
        let texts = tallies.map(|tally| {
            let each = between(tally, "</span> ", "</span>")
                .into_iter()
                .filter(|text| !text.is_empty() && !text.starts_with('<'));
            each.map(str::to_owned).collect::<Vec<_>>().join(", ")
        });
        texts.collect::<Vec<_>>()
    };
    let table = |page: &str| {
        between(&files[page], "<table class=\"counts assumptions\">", "</table>").first().map(|t| counts(t))
    };
    let default = "9 reproduced, 5 partly, 2 not reproduced";
    let (before, after) = ("1 reproduced, 1 not reproduced", "1 reproduced, 1 partly");
    let under = "9 reproduced, 6 partly, 1 not reproduced";
    assert_eq!(table("index.html").unwrap(), [default, before, after, under]);
    assert_eq!(table("kato-lia.html").unwrap()[1..3], [before, after]);
    assert_eq!(table("coupled-cubic.html"), None);
    assert!(study(&files, "coupled-cubic").contains("<div><span class=\"value\">158.00 ± 0.50</span></div>"));
    assert!(files["data/coupled-cubic-rows.csv.gz"].contains("\"v0: 158.00 ± 0.50, not reproduced\""));
}

#[test]
fn hostile_text_stays_text() {
    let mut results = spoilt(&fixture::beside_linux_and_assumptions(), EVIL);
    results[0].name = format!("../../evil{EVIL}");
    for row in results[1].experiments.iter_mut().flat_map(|e| &mut e.rows) {
        (row.explanation, row.published) = (Some(EVIL.into()), Published::Claim(EVIL.into()));
        for other in &mut row.others {
            other.compared = other.measured.take().map(|m| (EVIL.into(), m)).into_iter().collect();
        }
    }
    let clean = files(&fixture::results());
    let (files, mut drawn) = (files(&results), 0);
    for (name, html) in pages(&files) {
        assert!(!html.contains("<script>alert"), "{name}");
        assert!(!html.contains("<img src=x"), "{name}");
        assert!(!html.contains("<b>`"), "{name}");
        for svg in charts(html) {
            let svg = roxmltree::Document::parse(svg).unwrap();
            let strange = svg.descendants().find(|node| ["script", "img"].contains(&node.tag_name().name()));
            assert_eq!(strange, None, "{name}");
            drawn += 1;
        }
    }
    assert!(drawn > 0);
    // The page has as many scripts as it has with harmless text.
    let scripts = |html: &str| (html.matches("<script").count(), html.matches("</script").count());
    for (name, html) in pages(&files).filter(|(name, _)| name.starts_with("-..-evil")) {
        assert_eq!(scripts(html), scripts(&clean["index.html"]), "{name}");
    }
}

#[test]
fn nothing_is_loaded_from_other_sites() {
    let files = files(&fixture::results());
    for (name, html) in pages(&files) {
        for src in attributes(html, "src") {
            assert!(src.starts_with("assets/") || files.contains_key(src), "{name}: {src}");
        }
        for tag in between(html, "<link", ">") {
            assert!(!tag.contains("//"), "{name}: {tag}");
        }
        // Addresses appear only as links of citations and notes.
        for (at, _) in html.match_indices("http") {
            let before = &html[..at];
            let in_link = before.ends_with("<a href=\"") || before.ends_with("rel=\"noreferrer\">");
            assert!(in_link, "{name}: {}", &html[at.saturating_sub(40)..(at + 40).min(html.len())]);
        }
    }
    for name in ["assets/report.css", "assets/report.js"] {
        assert!(!files[name].contains("://") && !files[name].contains("@import"), "{name}");
    }
}

#[test]
fn charts_are_of_bounded_size_and_have_the_papers_axes() {
    let files = files(&fixture::results());
    let html = study(&files, "coupled-cubic");
    let charts = charts(&html);
    assert_eq!(charts.len(), 8);
    for chart in &charts {
        roxmltree::Document::parse(chart).unwrap();
        assert!(chart.len() < 60_000, "{}", chart.len());
    }
    for said in [">10⁻⁸<", ">10⁻²<", ">Mean window (segments)<"] {
        assert!(charts[0].contains(said), "{said}: {}", charts[0]);
    }
    // Panel (c)'s values leave the paper's limit of 100: it is moved, and the page says so.
    assert!(top_of_axis(charts[3]) > 110.0, "{}", charts[3]);
    assert!(html.contains("The axes extend beyond the paper's"));
}

#[test]
fn published_series_differ_from_ours_in_more_than_colour() {
    let files = files(&fixture::results());
    let html = study(&files, "coupled-cubic");
    let svg = roxmltree::Document::parse(charts(&html)[0]).unwrap();
    let series: Vec<_> = svg.descendants().filter(|node| node.attribute("class") == Some("series")).collect();
    let stroke = |i: usize| series[i].attribute("stroke").unwrap();
    assert_eq!((stroke(0), stroke(1)), (stroke(2), stroke(3)));
    let dashes = |i: usize| series[i].children().find_map(|node| node.attribute("stroke-dasharray"));
    assert_ne!(dashes(0), dashes(2));
    let fill = |i: usize| series[i].children().filter_map(|node| node.attribute("fill")).next_back();
    assert_eq!((fill(0), fill(2)), (Some("transparent"), Some(stroke(2))));
}

#[test]
fn data_files_have_every_point_and_every_seed() {
    let files = files(&fixture::results());
    let windows = &files["data/coupled-cubic-A-F6-1.csv.gz"];
    assert_eq!(windows.lines().count(), 1 + 2 * 20_000);
    assert!(windows.starts_with("series,source,label,Time (s),cwnd (segments),half_width_95\r\n"));
    let rows = &files["data/kato-lia-rows.csv.gz"];
    assert!(rows.contains("B-T2,B-T2.reno.mptcp,MPTCP beside Reno,Mbit/s,2.82,,3.01,0.21,3,2.8"));
}

/// Each kind of chart has its values in a table, for who does not see it.
#[test]
fn charts_have_their_values_in_tables() {
    let files = files(&fixture::results());
    let page = with_parts(&files, &files["coupled-cubic-A-F7.html"]);
    let tables = between(&page, "aria-label=\"Values: ", "</table>").into_iter().map(|table| {
        let cells = |row: &str| {
            let texts = row.split("</t").filter_map(|cell| Some(cell.rsplit_once('>')?.1.to_owned()));
            texts.filter(|text| !text.is_empty()).collect()
        };
        between(table, "<tr>", "</tr>").into_iter().map(cells).collect::<Vec<Vec<String>>>()
    });
    let [bars, points, boxes, tiles] = &tables.collect::<Vec<_>>()[..] else { panic!("four charts") };
    assert_eq!(bars[0], ["series", "place", "Throughput (Mbit/s)", "lower end", "upper end"]);
    assert_eq!(bars[1], ["Total (published)", "CUBIC alone", "403", "–", "–"]);
    assert_eq!(bars[5], ["Total", "CUBIC alone", "478", "454.1", "501.9"]);
    // Without intervals their columns are missing.
    assert_eq!(points[0], ["series", "Load (%)", "RTT (ms)"]);
    assert_eq!((points[1].len(), points.len()), (3, 1 + 2 * 150));
    assert_eq!((boxes[0][2].as_str(), boxes[1][2].as_str()), ("values", "10"));
    assert_eq!(tiles[0], ["series", "place", "Share ÷ limit"]);
}

/// Interpretations, and verdicts that an interval reaches, stand with the row and in its file.
#[test]
fn undetermined_rows_have_all_values() {
    let mut results = fixture::results();
    let row = &mut results[1].experiments[0].rows[0];
    let interpretation = Other {
        variant: "loss kept".into(),
        measured: Some(Estimate { mean: 0.69, half_width: Some(0.09), values: vec![0.6, 0.78] }),
        verdict: Verdict::Reproduced,
        ..Other::default()
    };
    (row.verdict, row.crosses, row.interpretations) =
        (Verdict::Undetermined, vec![Verdict::Partly], vec![interpretation]);
    let files = files(&results);
    let page = &files["kato-lia.html"];
    for said in
        ["undetermined", "interval reaches partly", "Other interpretations of the text", "loss kept: 0.69"]
    {
        assert!(page.contains(said), "{said}");
    }
    let rows = &files["data/kato-lia-rows.csv.gz"];
    assert!(rows.contains("partly,\"loss kept: 0.690 ± 0.090, reproduced\"\r\n"), "{rows}");
}

#[test]
fn odd_values_do_not_break_a_page() {
    let mut results = fixture::results();
    for e in &mut results[0].experiments {
        for row in &mut e.rows {
            row.published = Published::Value(0.0);
            row.measured = Some(Estimate { mean: f64::NAN, half_width: Some(f64::INFINITY), values: vec![] });
        }
        for panel in e.figures.iter_mut().flat_map(|f| &mut f.panels) {
            panel.y.log = true;
            panel.y.domain = Some((f64::NAN, 0.0));
            for (i, point) in panel.series.iter_mut().flat_map(|s| &mut s.points).enumerate() {
                point.y = [0.0, f64::NAN, -1.0, f64::INFINITY][i % 4];
            }
        }
    }
    let files = files(&results);
    let html = study(&files, "coupled-cubic");
    assert!(html.contains("There is no recorded value to draw here."));
    assert!(!html.contains("NaN"));
}

/// Values that a claim orders stand where a single value would; derived values have few digits and their origin.
#[test]
fn cells_of_orderings_and_derived_values() {
    let mut results = fixture::results();
    let row = &mut results[1].experiments[0].rows[0];
    row.published = Published::Derived { value: 2.82 / 7.0275, from: "2.82 ÷ 7.03".into() };
    let files = files(&results);
    let value = |name, value| format!("<div>{name}: <span class=\"value\">{value}</span></div>");
    let both = value("LIA", "70.1 ± 1.2") + &value("Coupled CUBIC", "75.4");
    assert!(study(&files, "coupled-cubic").contains(&both));
    assert!(files["kato-lia.html"].contains("0.4013<div class=\"quiet\">derived: 2.82 ÷ 7.03</div>"));
}

/// Without published numbers there is no column to divide by them, and every row has a cell for each head.
#[test]
fn a_table_of_claims_has_no_ratios() {
    let ratios = "Ours ÷ published<span";
    let mut results = fixture::results();
    assert!(files(&results)["kato-lia.html"].contains(ratios));
    results[1].experiments[0].rows.iter_mut().for_each(|row| row.published = Published::Claim("so".into()));
    let page = &files(&results)["kato-lia.html"];
    assert!(!page.contains(ratios));
    let table = between(page, "<table class=\"rows\"", "</table>")[0];
    let heads = table.matches("scope=\"col\"").count();
    for row in between(table, "<tr id", "</tr>") {
        assert_eq!(row.matches("<td").count() + row.matches("<th").count(), heads);
    }
    assert!(table.contains(&format!("colspan=\"{heads}\"")));
}

/// Beside the goodput of each run, and in the tables of the standard cases, stand the ideals, from the fixture.
#[test]
fn ideals_stand_beside_what_was_measured() {
    let files = files(&fixture::results());
    // The folded table has LIA's equilibrium, the other one the flows' own only.
    for (html, expected) in [
        (study(&files, "coupled-cubic"), ["9.50 ± 0.25", "12.7", "12.6", "11.5"]),
        (with_parts(&files, &files["algorithm-lia.html"]), ["9.50 ± 0.28", "12.7", "12.6", "–"]),
    ] {
        let html = html.as_str();
        let row = between(html, "<td>all</td>", "</tr>")[0].to_owned();
        assert_eq!(cells(&row)[..4], expected, "{row}");
        // A subflow has no unique fair share.
        let parts = between(html, "<tr class=\"part\"", "</tr>");
        assert!(!parts.is_empty() && parts.iter().all(|part| !part.contains("12.7")));
        assert!(html.contains("Max–min</th>") && html.contains("No own: neighbour runs vegas."));
        // Windows and loss rates of subflows, not of connections that have several.
        for (caption, expected) in [
            ("Mean congestion window (segments)", ["31.5 ± 2.5", "33.5"]),
            ("Lost (%)", ["0.250 ± 0.010", "0.135"]),
        ] {
            let table = between(html, &format!("<caption>{caption}</caption>"), "</table>")[0];
            let rows = between(table, "<tr", "</tr>");
            assert!(table.contains("LIA</th>") && rows.len() == 1 + 3, "{table}");
            for row in &rows[1..] {
                assert_eq!(cells(row), expected);
            }
        }
    }
}

/// While the command runs, each page says what is provisional, and reloads itself.
#[test]
fn a_running_command_is_named() {
    let page = |running: bool, name: &str| {
        let context = Context { running, ..fixture::context() };
        let dir = report_in(&context, &Results { papers: &fixture::results(), ..Results::default() });
        fs::read_to_string(dir.path().join(name)).unwrap()
    };
    for name in ["index.html", "methods.html"] {
        let (provisional, last) = (page(true, name), page(false, name));
        assert!(provisional.contains("Provisional. ") && provisional.contains("location.reload()"), "{name}");
        assert!(!last.contains("Provisional. ") && !last.contains("location.reload()"), "{name}");
    }
}

#[test]
fn a_report_says_how_to_have_the_laboratory() {
    let methods = |laboratory: Option<String>| {
        let context = Context { laboratory, ..fixture::context() };
        let dir = report_in(&context, &Results::default());
        let there = dir.path().join("laboratory.html").exists();
        (there, fs::read_to_string(dir.path().join("methods.html")).unwrap().contains("make page"))
    };
    assert_eq!(methods(None), (false, true));
    assert_eq!(methods(Some("<p>simulates</p>".into())), (true, false));
}

#[test]
fn no_results_are_an_empty_overview() {
    let files = files(&[]);
    assert!(files["index.html"].contains("<h1>The algorithms</h1>"));
    assert!(files.contains_key("index.html") && files.contains_key("methods.html"));
}

/// Goal 3 is asked of some networks only: its fraction is of those, and the page says of how many.
#[test]
fn a_goals_part_says_of_what_it_is() {
    let mut results = fixture::results();
    let study = &mut results[1];
    study.name = "coupling-cubic".into();
    let experiment = &mut study.experiments[0];
    experiment.id = "E-10".into();
    for (row, (id, mean)) in experiment.rows.iter_mut().zip([("E-10.lia.goal3", 3.75), ("E-10.applies", 6.5)])
    {
        row.id = id.into();
        row.measured.as_mut().unwrap().mean = mean;
    }
    // 3.75 of 6.5 are 57.7 %.
    let index = &files(&results)["index.html"];
    assert!(index.contains("met in 58 % of the 6.5 networks of study B in which it applies"));
    assert!(index.contains("no goal met in fewer than 58 % of the networks in which it applies"));
}
