//! How far the simulator is from Linux: the table below a command's page, and one from results in Markdown.

use crate::table::Table;
use anabranch::counted;
use anabranch::units::PERCENT;
use anabranch_scenario::printable;
use anabranch_study::{
    Amounts, Difference, Experiment, Fidelity, Measure, Overview, Standing, StudyResult, beyond, overview,
};
use std::collections::HashSet;
use std::fmt::Write;

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

/// A backend's experiments.
struct Column<'a> {
    id: &'a str,
    title: &'a str,
    experiments: Vec<(&'a StudyResult, &'a Experiment)>,
}

impl<'a> Column<'a> {
    fn of(&self, experiment: &'a Experiment) -> impl Iterator<Item = &'a Fidelity> + Clone + use<'a> {
        let id = self.id.to_owned();
        experiment.fidelity.iter().filter(move |fidelity| fidelity.column == id)
    }

    /// What ran there, once for each command.
    fn all(&self) -> Vec<&'a Fidelity> {
        let mut known = HashSet::new();
        let all = self.experiments.iter().flat_map(|(_, experiment)| self.of(experiment));
        all.filter(|fidelity| known.insert(&fidelity.command)).collect()
    }
}

/// A part for each backend.
pub fn markdown(results: &[StudyResult]) -> String {
    let mut columns: Vec<Column> = Vec::new();
    for result in results {
        for experiment in &result.experiments {
            for column in &experiment.columns {
                if !experiment.fidelity.iter().any(|fidelity| fidelity.column == column.id) {
                    continue;
                }
                let known = columns.iter().position(|known| known.id == column.id).unwrap_or_else(|| {
                    columns.push(Column { id: &column.id, title: &column.title, experiments: vec![] });
                    columns.len() - 1
                });
                columns[known].experiments.push((result, experiment));
            }
        }
    }
    let page = |column: &Column| format!("{}\n{}", by_experiment(column), beyond_ten(column));
    columns.iter().map(page).collect::<Vec<_>>().join("\n")
}

/// A row for each experiment, and one of all.
fn by_experiment(column: &Column) -> String {
    let all = column.all();
    let mut page = format!(
        "The simulator beside {}, {}. Medians of the differences' amounts, in parentheses the floor: the simulator beside itself, one half of its \
         seeds beside the other, scaled to as many seeds as were compared. What is at or below it is not distinguishable from none (≈). \
         \"Plain\" is the simulator as it is, \"linux\" has `hosts = \"linux\"`. \
         \"Beyond\" are goodputs that differ by more than 10 % and by more than the 95 % interval of the difference. In the last row a \
         scenario that several experiments have counts once.\n\n",
        printable(column.title),
        counted(all.len(), "scenario"),
    );
    page += "| experiment | goodputs | plain | linux | beyond: plain | linux | mean window: plain | linux | mean SRTT: plain | linux | loss rate: plain | linux | mean completion time: plain | linux |\n";
    page += "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (_, experiment) in &column.experiments {
        let name = format!("{}: {}", experiment.id, experiment.title);
        page += &row(&name, &overview(column.of(experiment)));
    }
    page + &row("all", &overview(all.into_iter()))
}

fn row(name: &str, overview: &[Overview]) -> String {
    let of = |kind: Measure| overview.iter().find(|of| of.kind == kind);
    let both = |kind: Measure, show: &dyn Fn(&Amounts) -> String| {
        let (plain, hosts) = (of(kind).map(|of| &of.plain), of(kind).and_then(|of| of.linux_hosts.as_ref()));
        [plain, hosts].map(|amounts| amounts.map_or("–".to_owned(), show))
    };
    let goodputs = of(Measure::Goodput).map_or(0, |of| of.plain.count);
    let beyond = both(Measure::Goodput, &|amounts| amounts.beyond.to_string());
    let others = Measure::ALL.into_iter().filter(|kind| *kind != Measure::Goodput);
    let others = others.map(|kind| both(kind, &median));
    let cells = [both(Measure::Goodput, &median), beyond].into_iter().chain(others).flatten();
    let cells: Vec<String> = cells.collect();
    format!("| {} | {goodputs} | {} |\n", cell(name), cells.join(" | "))
}

/// "8.1 % (5.4 %)": with its floor.
fn median(amounts: &Amounts) -> String {
    let sign = if amounts.is_chance() { "≈ " } else { "" };
    let floor = amounts.floor.map(|floor| format!(" ({:.1} %)", 100.0 * floor)).unwrap_or_default();
    format!("{sign}{:.1} %{floor}", 100.0 * amounts.median)
}

/// The goodputs that are beyond, and what they are put down to.
fn beyond_ten(column: &Column) -> String {
    let mut known = HashSet::new();
    let mut rows = String::new();
    for (_, experiment) in &column.experiments {
        for scenario in column.of(experiment).filter(|scenario| known.insert(&scenario.command)) {
            let goodputs = scenario.quantities.iter().filter(|quantity| quantity.kind == Measure::Goodput);
            for quantity in goodputs {
                let why = match quantity.standing() {
                    Standing::Unexplained => "unexplained",
                    Standing::LinuxHosts => "the hosts",
                    Standing::Near | Standing::Chance => continue,
                };
                let (id, title, of) = (cell(&experiment.id), cell(&scenario.title), cell(&quantity.of));
                let (plain, hosts) = differences(quantity);
                _ = writeln!(rows, "| {id} | {title} | `{of}` | {plain} | {hosts} | {why} |");
            }
        }
    }
    match rows.is_empty() {
        true => "No goodput is beyond.\n".into(),
        false => format!(
            "Goodputs beyond, simulator ÷ Linux − 1:\n\n| experiment | scenario | flow | plain | linux | put down to |\n|---|---|---|---|---|---|\n{rows}"
        ),
    }
}

/// With plain and with Linux hosts: "+20 ± 8 %", in bold what is beyond.
fn differences(quantity: &Difference) -> (String, String) {
    let show = |relative: Option<f64>, half_width: Option<f64>| {
        let Some(relative) = relative else { return "–".to_owned() };
        let half = half_width.map(|half| format!(" ± {:.0}", 100.0 * half)).unwrap_or_default();
        let text = format!("{:+.0}{half} %", 100.0 * relative).replace('-', "−");
        if beyond(Some(relative), half_width) { format!("**{text}**") } else { text }
    };
    let hosts = quantity.linux_hosts.as_ref();
    (
        show(quantity.relative, quantity.half_width),
        hosts.map_or("–".into(), |hosts| show(hosts.relative, hosts.half_width)),
    )
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    printable(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn quantity(of: &str, relative: f64, hosts: f64) -> Value {
        let estimate = |mean: f64| json!({ "mean": mean, "half_width": 0.01, "values": [mean] });
        let hosts = json!({ "simulated": estimate(1.0 + hosts), "relative": hosts, "half_width": 0.05 });
        json!({
            "kind": "goodput", "of": of, "simulated": estimate(1.0 + relative), "real": estimate(1.0),
            "relative": relative, "half_width": 0.04, "linux_hosts": hosts,
        })
    }

    fn experiment(id: &str, quantities: &[Value]) -> Experiment {
        let fidelity = json!({
            "title": "a|b", "column": "kernel", "command": "anabranch run a.toml --backend kernel --seed 1",
            "seeds": 2, "of_seeds": 2, "quantities": quantities,
        });
        let column = json!({ "id": "kernel", "title": "Linux", "meaning": "", "of_backend": true });
        let experiment = json!({
            "id": id, "title": "one", "notes": [], "rows": [], "figures": [], "runs": [],
            "columns": [column], "fidelity": [fidelity],
        });
        serde_json::from_value(experiment).unwrap()
    }

    fn result() -> StudyResult {
        let result = json!({
            "id": "X", "name": "x", "title": "", "citation": "", "size": "quick", "seeds": 2, "version": "1",
            "notes": [], "errata": [], "experiments": [],
        });
        serde_json::from_value(result).unwrap()
    }

    /// By hand: of 30, 2 and 12 % the median is 12 %, of 4, −22 and 12 % it is 12 %. Both experiments have the same scenario.
    #[test]
    fn medians_and_what_is_beyond() {
        let quantities =
            [quantity("mptcp", 0.3, 0.04), quantity("h3", 0.02, -0.22), quantity("h4", 0.12, 0.12)];
        let mut result = result();
        result.experiments = ["X-1", "X-2"].map(|id| experiment(id, &quantities)).into();
        let page = markdown(&[result]);
        let empty = "| – | – | – | – | – | – | – | – |";
        for line in [
            &format!("| X-1: one | 3 | 12.0 % | 12.0 % | 2 | 2 {empty}"),
            &format!("| all | 3 | 12.0 % | 12.0 % | 2 | 2 {empty}"),
            "| X-1 | a\\|b | `mptcp` | **+30 ± 4 %** | +4 ± 5 % | the hosts |",
            "| X-1 | a\\|b | `h3` | +2 ± 4 % | **−22 ± 5 %** | unexplained |",
            "| X-1 | a\\|b | `h4` | **+12 ± 4 %** | **+12 ± 5 %** | unexplained |",
        ] {
            assert!(page.lines().any(|known| known == line), "{line}\n{page}");
        }
        assert!(page.contains("1 scenario.") && !page.contains("| X-2 | a"), "{page}");
        assert_eq!(markdown(&[]), "");
    }

    /// Where one of the two lacks a seed, both are taken without, and the terminal says so.
    #[test]
    fn missing_seeds_are_told() {
        let mut result = result();
        result.experiments = vec![experiment("X-1", &[quantity("mptcp", 0.3, 0.04)])];
        assert!(!page(&result).contains("only those seeds count"));
        result.experiments[0].fidelity[0].of_seeds = 3;
        assert!(page(&result).contains("Of 1 scenario only those seeds count that both have"));
    }
}
