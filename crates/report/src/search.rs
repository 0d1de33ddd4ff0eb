//! The index of the search field: algorithms, experiments and rows.

use crate::{plan::Plan, site::Site, verdict};
use anabranch_scenario::printable_line;
use serde_json::{Value, json};

/// The fragment that holds it.
pub const PART: &str = "data/search.js";

/// Adds the list: text, address, and for a row its verdict; then the number of the text that says what it belongs to.
pub fn add(plan: &Plan, site: &mut Site) {
    let (mut found, mut about): (Vec<Value>, Vec<String>) = (vec![], vec![]);
    for algorithm in &plan.algorithms {
        let text = format!("{}: {}", algorithm.entry.name, algorithm.entry.title);
        found.push(json!([text, algorithm.file]));
    }
    for planned in &plan.advice {
        let text = format!("advice on {}: {}", planned.advice.scenario, planned.advice.recommendation.text);
        found.push(json!([printable_line(&text), planned.file]));
    }
    for paper in plan.papers_and_studies() {
        let name = format!("{} {}: {}", paper.result.id, paper.result.name, paper.result.title);
        found.push(json!([printable_line(&name), paper.file]));
        for e in &paper.experiments {
            about.push(printable_line(&format!(
                "{name} {} {}",
                e.experiment.title,
                e.experiment.notes.join(" ")
            )));
            let of = about.len() - 1;
            let mut add = |text: String, anchor: &str, [class, label]: [&str; 2]| {
                found.push(json!([printable_line(&text), format!("{}#{anchor}", e.file), class, label, of]));
            };
            add(format!("{} {}", e.experiment.id, e.experiment.title), &e.anchor, [""; 2]);
            for figure in &e.figures {
                add(format!("{} figure: {}", figure.figure.id, figure.figure.title), &figure.anchor, [""; 2]);
            }
            for (row, anchor) in &e.rows {
                let verdict = [verdict::class(row.verdict), paper.wording.label(row.verdict)];
                add(format!("{} {}", row.id, row.what), anchor, verdict);
            }
        }
    }
    // Words that the texts do not use, each with those that they use for it.
    let synonyms = json!({
        "bufferbloat": ["buffer", "queue"],
        "aqm": ["queue"],
        "latency": ["delay", "rtt"],
        "bandwidth": ["rate", "goodput", "throughput"],
        "fairness": ["share", "jain", "fair"],
        "handover": ["failure", "backup"],
    });
    let index = json!({ "entries": found, "about": about, "synonyms": synonyms });
    site.add_part(PART, &index.to_string());
}
