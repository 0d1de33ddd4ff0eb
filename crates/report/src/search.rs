//! The index of the search field: algorithms, experiments and rows.

use anabranch_scenario::printable_line;
use serde_json::{Value, json};

use crate::{plan::Plan, site::Site, verdict};

/// The fragment that holds it.
pub const PART: &str = "data/search.js";

/// Adds the list: text, address, and for a row its verdict.
pub fn add(plan: &Plan, site: &mut Site) {
    let mut found: Vec<Value> = Vec::new();
    for algorithm in &plan.algorithms {
        found.push(json!([format!("{}: {}", algorithm.entry.name, algorithm.entry.title), algorithm.file]));
    }
    for paper in plan.papers_and_studies() {
        found.push(json!([
            printable_line(&format!("{} {}: {}", paper.result.id, paper.result.name, paper.result.title)),
            paper.file
        ]));
        for e in &paper.experiments {
            let address = |anchor: &str| format!("{}#{anchor}", e.file);
            let text = format!("{} {}", e.experiment.id, e.experiment.title);
            found.push(json!([printable_line(&text), address(&e.anchor)]));
            for figure in &e.figures {
                let text = format!("{} figure: {}", figure.figure.id, figure.figure.title);
                found.push(json!([printable_line(&text), address(&figure.anchor)]));
            }
            for (row, anchor) in &e.rows {
                let text = format!("{} {}", row.id, row.what);
                found.push(json!([
                    printable_line(&text),
                    address(anchor),
                    verdict::class(row.verdict),
                    verdict::label(row.verdict)
                ]));
            }
        }
    }
    site.add_part(PART, &json!(found).to_string());
}
