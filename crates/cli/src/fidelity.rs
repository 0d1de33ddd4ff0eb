//! How far the simulator is from Linux: the table of a command's page. The report has more.

use crate::output::counted;
use crate::table::{PERCENT, Table};
use anabranch_study::{Amounts, StudyResult, overview};

/// For people; nothing where there is no other backend.
pub fn page(result: &StudyResult) -> String {
    let Some(table) = table(result) else { return String::new() };
    let all = result.experiments.iter().flat_map(|experiment| &experiment.fidelity);
    let short = all.filter(|scenario| scenario.seeds < scenario.of_seeds).count();
    let left_out = match short {
        0 => String::new(),
        n => format!(
            "Of {} only those seeds count that both have: other runs failed.\n",
            counted(n, "scenario")
        ),
    };
    format!("\n{table}{left_out}")
}

fn table(result: &StudyResult) -> Option<Table> {
    let all = overview(result.experiments.iter().flat_map(|experiment| &experiment.fidelity));
    let rows: Vec<(String, &Amounts)> = all
        .iter()
        .flat_map(|of| {
            let name = of.kind.title();
            let hosts = of.linux_hosts.as_ref().map(|hosts| (format!("{name}, Linux hosts"), hosts));
            std::iter::once((name.to_owned(), &of.plain)).chain(hosts)
        })
        .collect();
    let percent = |value: fn(&Amounts) -> f64| rows.iter().map(move |(_, amounts)| Some(value(amounts)));
    let floor = rows.iter().map(|(_, amounts)| amounts.floor);
    let note = |amounts: &Amounts| if amounts.is_chance() { "not distinguishable" } else { "" };
    (!rows.is_empty()).then(|| {
        Table::new()
            .text("simulator beside Linux", rows.iter().map(|(name, _)| name))
            .count("quantities", rows.iter().map(|(_, amounts)| amounts.count as u64))
            .quantity("median difference", PERCENT, percent(|o| o.median))
            .quantity("floor", PERCENT, floor)
            .quantity("within 5 %", PERCENT, percent(|o| o.within[0]))
            .quantity("within 10 %", PERCENT, percent(|o| o.within[1]))
            .text("", rows.iter().map(|(_, amounts)| note(amounts)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Where one of the two lacks a seed, both are taken without, and the terminal says so.
    #[test]
    fn missing_seeds_are_told() {
        let of_seeds = |of_seeds: u64| {
            let estimate = json!({ "mean": 1.0, "half_width": 0.01, "values": [1.0] });
            let quantity = json!({ "kind": "goodput", "of": "mptcp", "simulated": estimate, "real": estimate, "relative": 0.0 });
            let fidelity = json!({
                "title": "one", "column": "kernel", "command": "", "seeds": 2, "of_seeds": of_seeds, "quantities": [quantity],
            });
            let experiment = json!({
                "id": "X-1", "title": "one", "notes": [], "rows": [], "figures": [], "runs": [], "fidelity": [fidelity],
            });
            let result = json!({
                "id": "X", "name": "x", "title": "", "citation": "", "size": "quick", "seeds": 2, "version": "1",
                "notes": [], "errata": [], "experiments": [experiment],
            });
            page(&serde_json::from_value(result).unwrap())
        };
        assert!(!of_seeds(2).contains("only those seeds count"));
        assert!(of_seeds(3).contains("Of 1 scenario only those seeds count that both have"));
    }
}
