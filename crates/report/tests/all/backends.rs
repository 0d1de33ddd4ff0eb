//! The simulator beside Linux: values, differences, figures, and their sums.

use crate::fixture::beside_linux;
use crate::written::{attributes, between, cells, charts, files, pages, study, top_of_axis};
use anabranch_study::{Headline, Measure, Origin, Verdict};
use std::collections::BTreeSet;

/// The lines of the table of differences by kind.
fn by_kind(page: &str) -> Vec<Vec<&str>> {
    let table = between(page, "aria-label=\"Differences by kind\">", "</table>")[0];
    between(table, "<th scope=\"row\">", "</tr>").into_iter().map(cells).collect()
}

/// Single seeds have no floor. By hand from the fixture: goodputs 50.5, 6.5 and 1 % apart, of which both papers have the one of 6.5 %. Of
/// three, the 90th percentile lies 0.8 of the way from the second to the last.
#[test]
fn differences_are_summed_over_a_study_and_over_all() {
    let files = files(&beside_linux());
    assert_eq!(by_kind(&files["coupled-cubic.html"]), [["2", "3.8 %", "6.0 %", "100 %"]]);
    let all = by_kind(&files["index.html"]);
    // One goodput was simulated with the Linux-accurate host model, and is 5 % apart then.
    assert_eq!(all[0], ["3", "6.5 %", "41.7 %", "67 %", "5.0 %", "5.0 %", "100 %"]);
    // A loss rate of zero on Linux has no ratio.
    assert_eq!(all[1..], [["1", "3.8 %", "3.8 %", "100 %"], ["1", "3.0 %", "3.0 %", "100 %"]]);
    assert!(files["index.html"].contains("3 scenarios ran on both."));
    let links: BTreeSet<&str> = attributes(&files["index.html"], "href").into_iter().collect();
    assert!(links.contains("coupled-cubic.html#fidelity") && links.contains("kato-lia.html#fidelity"));
}

#[test]
fn quantities_have_readable_units_and_marks() {
    let page = &files(&beside_linux())["kato-lia.html"];
    let part = between(page, "id=\"B-T2-kernel\"", "</details>")[0];
    assert!(part.contains("2 scenarios, 1 of 5 quantities beyond 10 %"), "{part}");
    let rows = between(part, "<th scope=\"row\">", "</tr>");
    let shown: Vec<Vec<&str>> = rows.iter().map(|row| cells(row)).collect();
    assert_eq!(
        shown[..4],
        [
            ["3.010 ± 0.030", "2.100 ± 0.010", "2.000 ± 0.020", "+50.5 ± 2.1 %", "+5.0 ± 1.1 %"],
            ["10", "–", "10.4", "−3.8 %", "–"],
            ["41.2", "–", "40", "+3.0 %", "–"],
            ["0.15", "–", "0", "–", "–"],
        ]
    );
    // The other scenario was not simulated with the Linux-accurate host model.
    assert_eq!(shown[4..], [["4.9", "4.6", "+6.5 %"]]);
    assert!(rows[2].starts_with(Measure::SmoothedRoundTrip.title()), "{}", rows[2]);
    for (row, unit) in rows.iter().zip(["Mbit/s", "segments", "ms", "%"]) {
        assert!(row.contains(&format!("<td>{unit}</td>")), "{row}");
    }
    let marked: Vec<bool> = rows.iter().map(|row| row.contains("the hosts")).collect();
    assert_eq!(marked, [true, false, false, false, false]);
    assert!(!part.contains("unexplained"));
    let mut without = beside_linux();
    without[1].experiments[0].fidelity[0].quantities[0].linux_hosts = None;
    assert!(files(&without)["kato-lia.html"].contains("unexplained"));
    assert!(part.contains("<code>anabranch run shared.toml --backend kernel --seed 1</code>"));
    let csv = &files(&beside_linux())["data/kato-lia-backends.csv.gz"];
    assert!(
        csv.contains("B-T2,MPTCP beside Reno,kernel,mean SRTT,\"mptcp, a+b\",ms,41.2,,40,,3,,,,,,"),
        "{csv}"
    );
}

/// Paper, simulator and Linux stand side by side; a row whose scenarios do not run there has nothing.
#[test]
fn rows_have_linux_beside_the_simulator() {
    let files = files(&beside_linux());
    let page = &files["kato-lia.html"];
    let heads: Vec<&str> = between(page, "<th class=\"number\" scope=\"col\"", "</th>");
    let place = |text: &str| heads.iter().position(|head| head.ends_with(text)).unwrap();
    assert!(page.contains("Simulator ÷ published") && page.contains("Simulator's verdict"));
    let (paper, simulator, linux) = (place(">Published"), place(">Simulator, 95 %"), place(">Linux"));
    assert_eq!((simulator, linux), (paper + 1, paper + 2));
    let row = |id: &str| between(page, &format!("<tr id=\"{id}\""), "</tr>")[0];
    assert!(row("B-T2.reno.mptcp").contains("<span class=\"value\">2.000 ± 0.020</span>"));
    assert!(row("B-T2.reno.tcp").contains("<td class=\"number quiet\">–</td>"));
    for id in ["B-T2.reno.mptcp", "B-T2.reno.tcp"] {
        let table = between(page, "<table class=\"rows\"", "</table>")[0];
        let cells = row(id).matches("<td").count() + row(id).matches("<th").count();
        assert_eq!(cells, table.matches("scope=\"col\"").count());
    }
}

/// The first page has the last day of all experiments that a claim or a summary is about, and bars only the kernel's name.
#[test]
fn the_last_day_of_several_experiments_is_shown() {
    let mut results = beside_linux();
    let runs = [("6.18", "2026-11-27"), ("6.12", "2026-11-29"), ("6.12", "2026-11-28")];
    let paper = &mut results[1];
    let mut rows = vec![];
    paper.experiments = runs
        .map(|(release, day)| {
            let mut experiment = paper.experiments[0].clone();
            experiment.id = format!("B-{day}");
            experiment.variants[0].title = format!("Linux {release}, measured {day}");
            experiment.rows.truncate(1);
            experiment.rows[0].id = format!("{}.mptcp", experiment.id);
            rows.push(experiment.rows[0].id.clone());
            experiment
        })
        .into();
    let values = rows.iter().map(|id| ("MPTCP".into(), id.clone())).collect();
    paper.headline = Some(Headline { claim: "It takes less".into(), judged: rows, values });
    let index = &files(&results[1..])["index.html"];
    let claim = between(index, "<div class=\"claim\">", "</section>")[0];
    assert!(claim.contains("On Linux 6.12, measured 2026-11-29: "), "{claim}");
    assert!(claim.contains(">Linux 6.12</th>") && claim.matches("measured").count() == 1, "{claim}");
    assert!(index.contains("<h2>The simulator beside Linux 6.12, measured 2026-11-29</h2>"));
    assert!(index.contains("<b>Linux 6.12, measured 2026-11-29</b>"));
}

/// Linux agrees with the simulator on the only row that it has. The others that differ are undetermined.
#[test]
fn origins_are_counted() {
    let mut results = beside_linux();
    let row = &mut results[1].experiments[0].rows[0];
    (row.verdict, row.others[0].origin) = (Verdict::Partly, Some(Origin::Network));
    let differing =
        results.iter().flat_map(|result| result.own_rows()).filter(|(_, row)| row.origin().is_some());
    let undetermined = (differing.count() - 1).to_string();
    let files = files(&results);
    let row = between(&files["kato-lia.html"], "<tr id=\"B-T2.reno.mptcp\"", "</tr>")[0];
    assert!(row.contains("<a href=\"methods.html#origins\">origin</a>: network"), "{row}");
    let index = &files["index.html"];
    let all = between(
        between(index, "aria-label=\"Origin of differences\">", "</table>")[0],
        "<tfoot>",
        "</tfoot>",
    )[0];
    assert_eq!(cells(all), ["0", "1", "0", "0", &undetermined]);
    let parts =
        ["attributes 0 to the simulator and 1 to the paper's network", "neither in 0; 0 are within chance"];
    assert!(parts.iter().all(|part| index.contains(part)), "{index}");
    assert!(index.contains(&format!("The origin of {undetermined} is undetermined")), "{index}");
    assert!(files["methods.html"].contains("id=\"origins\""));
}

/// Values three times as large on Linux: both have the axis that holds them. Limits of the paper stay.
#[test]
fn figures_beside_each_other_have_one_scale() {
    let axes = |limits: Option<(f64, f64)>| {
        let (mut results, mut largest) = (beside_linux(), 0.0);
        let figures = results[0].experiments.iter_mut().flat_map(|e| &mut e.figures);
        for figure in figures.filter(|f| f.id.starts_with("A-F2")) {
            for panel in &mut figure.panels {
                panel.y.domain = limits;
                let points = panel.series.iter_mut().flat_map(|s| &mut s.points);
                for point in points {
                    point.y *= if figure.id.ends_with("@kernel") { 3.0 } else { 1.0 };
                    largest = f64::max(largest, point.y + point.half_width.unwrap_or(0.0));
                }
            }
        }
        let files = files(&results);
        let page = study(&files, "coupled-cubic");
        let [together] = between(&page, "<div class=\"beside\">", "<details class=\"run")[..] else {
            panic!("one")
        };
        assert_eq!(attributes(together, "id"), ["figure-A-F2", "figure-A-F2-kernel"]);
        (charts(together).into_iter().map(top_of_axis).collect::<Vec<f64>>(), largest)
    };
    let (shared, largest) = axes(None);
    assert_eq!(shared.len(), 2);
    assert_eq!(shared[0], shared[1]);
    assert!(shared[0] >= 0.99 * largest && largest > 0.0, "{shared:?} {largest}");
    let (limited, _) = axes(Some((1.0, 2.0)));
    assert_ne!(limited[0], limited[1]);
}

/// Where nothing ran elsewhere nothing speaks of it: zeros on the first page would look like a finding.
#[test]
fn without_another_backend_there_is_no_trace_of_one() {
    let files = files(&crate::fixture::results());
    let index = &files["index.html"];
    assert!(
        index.contains("No Linux measurement is stored yet") && !index.contains("0 simulator"),
        "{index}"
    );
    assert!(pages(&files).all(|(_, html)| !html.contains("The simulator beside")));
    assert!(files.keys().all(|name| !name.contains("backends")));
}
