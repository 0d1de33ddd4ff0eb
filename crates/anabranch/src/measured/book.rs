//! What the book says of measured runs.

use super::*;
use anabranch_record::FlowSummary;
use anabranch_study::variant::LINUX_HOSTS;
use anabranch_study::{DifferenceStats, Origin, Size, StudyResult, estimate, format, overview};
use std::collections::BTreeMap;
use std::fmt;

/// Fails if a page of the book is not as `made` makes it. With `ANABRANCH_WRITE_BOOK=1` it writes the page.
fn renew(page: &str, made: impl FnOnce(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(page);
    let page = std::fs::read_to_string(&path).unwrap();
    let made = made(&page);
    if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
        std::fs::write(path, made).unwrap();
    } else {
        assert!(page == made, "ANABRANCH_WRITE_BOOK=1 renews {}", path.display());
    }
}

/// The page with this text from its marker to the marker's end.
fn replaced(page: &str, marker: &str, text: &str) -> String {
    let marker = format!("<!-- {marker} -->\n");
    let (before, rest) = page.split_once(&marker).expect("a marker");
    let (_, after) = rest.split_once("<!-- end -->").expect("its end");
    format!("{before}{marker}\n{text}\n<!-- end -->{after}")
}

/// The runs of the scenarios of an experiment that are current, and the numbers of measured scenarios and of all.
fn of_experiment<'m>(
    all: &'m Measurements,
    definition: &anabranch_study::Definition,
) -> (Vec<&'m Measurement>, usize, usize) {
    let plan = definition.plan(Size::Default);
    let setups = &plan.setups;
    let scenarios: HashMap<String, Scenario> =
        setups.iter().map(|setup| setup.scenario().unwrap()).map(|s| (s.hash.clone(), s)).collect();
    let current = |run: &&Measurement| {
        let scenario = scenarios.get(&run.summary.scenario_hash);
        scenario.is_some_and(|scenario| algorithms(scenario) == run.algorithms)
    };
    let runs: Vec<_> = all.all().filter(current).collect();
    let measured: BTreeSet<_> = runs.iter().map(|run| &run.summary.scenario_hash).collect();
    let n = measured.len();
    (runs, n, scenarios.len())
}

/// Each of the values once, "10, 60".
fn distinct<T: Ord + fmt::Display>(values: impl Iterator<Item = T>) -> String {
    let all: BTreeSet<T> = values.collect();
    all.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// The book's table of what the shipped files have. With `ANABRANCH_WRITE_BOOK=1` the test writes it.
#[test]
fn the_book_lists_what_is_stored() {
    let (mut rows, mut whole, mut partly, mut experiments) = (String::new(), 0, 0, 0);
    for paper in anabranch_papers::all().iter().filter(|paper| !anabranch_papers::is_own(&paper.name)) {
        for definition in &paper.experiments {
            let mut best = (0, 1);
            for all in shipped() {
                let (runs, n, of) = of_experiment(all, definition);
                if n * best.1 > best.0 * of {
                    best = (n, of);
                }
                if runs.is_empty() {
                    continue;
                }
                let summaries = || runs.iter().map(|run| &run.summary);
                let release = |s: &Summary| release(s).unwrap_or_default().to_owned();
                rows += &format!(
                    "| {} | {} | {n} of {of} | {} | {} | {} |\n",
                    definition.ids.join(", "),
                    distinct(summaries().map(release)),
                    runs.len(),
                    distinct(summaries().map(|s| s.duration_s.round() as u64)) + " s",
                    distinct(runs.iter().map(|run| &run.date)),
                );
            }
            if !definition.ids.iter().any(|id| id.contains("-S")) {
                experiments += 1;
                whole += usize::from(best.0 == best.1);
                partly += usize::from(0 < best.0 && best.0 < best.1);
            }
        }
    }
    let table = format!(
        "**Of {experiments} experiments, sensitivities apart, Linux has every scenario of {whole} and some scenarios of {partly}.**\n\n\
         | experiment | Linux | scenarios | runs | length | measured |\n|---|---|---|---|---|---|\n{rows}"
    );
    renew("measurements.md", |page| replaced(page, "measured", &table));
}

/// The book's tables of the origins of differences and of their sizes, by the simulator's runs and the shipped ones.
#[test]
#[ignore = "simulates for minutes; renew the page after a change of results or of shipped runs"]
fn the_book_counts_the_origins_of_differences() {
    let beside = measured_beside(&crate::SIM).chain([&LINUX_HOSTS]).collect();
    let options = Options { without_variants: true, beside, ..Options::default() };
    let papers = ["A", "B", "C", "D"];
    let results = papers.map(|paper| {
        let study = anabranch_papers::find(paper).expect("a paper");
        let work = anabranch_study::work(study, &options).expect("it can be planned");
        anabranch_study::run_one(crate::backends(), work, &|_| (), &|| true).expect("it runs")
    });
    let counts = results
        .each_ref()
        .map(|result| Origin::counts(result.own_rows().filter_map(|(_, row)| row.origin())));
    let row = |(i, origin): (usize, &Origin)| {
        let counts = counts.iter().map(|of_paper| format!(" {} |", of_paper[i]));
        format!("| {} |{}\n", origin.label(), counts.collect::<String>())
    };
    let origins: String = Origin::ALL.iter().enumerate().map(row).collect();
    // Most scenarios of A and C have one run.
    let sizes: String = [1, 3].map(|i| sizes(papers[i], &results[i])).concat();
    renew("measurements.md", |page| {
        let rule = "---|".repeat(papers.len());
        let origins = format!("| origin | {} |\n|---|{rule}\n{origins}", papers.join(" | "));
        replaced(&replaced(page, "origins", &origins), "sizes", &format!("{SIZES}{sizes}"))
    });
}

const SIZES: &str = "| paper | Linux | quantity | number | hosts | median | its floor | 90th percentile | its floor |\n|---|---|---|---|---|---|---|---|---|\n";

/// The sizes of a paper's differences from each kernel, each scenario once, with both host models.
fn sizes(paper: &str, result: &StudyResult) -> String {
    let mut rows = String::new();
    for (variant, (kernel, _)) in VARIANTS.iter().zip(anabranch_papers::MEASURED) {
        let mut known = BTreeSet::new();
        let there = result.experiments.iter().flat_map(|e| &e.fidelity).filter(|f| f.variant == variant.id);
        for of in overview(there.filter(|fidelity| known.insert(&fidelity.command))) {
            for (hosts, stats) in [("idealised", Some(of.plain)), ("Linux-accurate", of.linux_hosts)] {
                let Some(DifferenceStats { count, quantiles: [median, p90], floor, .. }) = stats else {
                    continue;
                };
                let percent = |of: Option<f64>| of.map_or("–".into(), |of| format!("{:.1} %", 100.0 * of));
                let [median, p90, low, high] =
                    [Some(median), Some(p90), floor.map(|f| f[0]), floor.map(|f| f[1])].map(percent);
                let kind = of.kind.title();
                rows += &format!(
                    "| {paper} | {kernel} | {kind} | {count} | {hosts} | {median} | {low} | {p90} | {high} |\n"
                );
            }
        }
    }
    rows
}

/// The runs of a scenario with other algorithms, by their seeds: `adw-balia-s1 mptcp=lia` has the scenario's name, a flow and
/// its algorithm, or several flows with theirs, `kato-bottleneck mptcp=lia,tcp=reno`. Nothing else is changed in these runs.
fn runs_of(what: &str) -> BTreeMap<u64, &'static Summary> {
    let (scenario, flows) = what.split_once(' ').unwrap_or_else(|| panic!("{what}: no flow"));
    let flows =
        flows.split(',').map(|flow| flow.split_once('=').unwrap_or_else(|| panic!("{what}: no algorithm")));
    let flows: Vec<(&str, &str)> = flows.collect();
    let is_asked = |run: &&Measurement| {
        let has =
            |(flow, cc): &(&str, &str)| run.summary.flows.iter().any(|f| f.name == *flow && f.cc == *cc);
        run.summary.scenario == scenario
            && run.command.matches(" --set ").count() <= flows.len()
            && flows.iter().all(has)
    };
    let stock = shipped().iter().flat_map(Measurements::all).filter(is_asked);
    let stock = stock.filter(|run| run.command.contains(" --backend guest-6.12 "));
    let mut found: BTreeMap<u64, &Summary> = BTreeMap::new();
    for run in stock {
        let known = found.insert(run.summary.seed, &run.summary);
        assert!(known.is_none(), "{what}: several scenarios, {}", run.command);
    }
    assert!(!found.is_empty(), "{what}: not measured");
    found
}

/// In Mbit/s; `others` is the mean of all flows except the first.
fn goodput(run: &Summary, flow: &str) -> f64 {
    let mbps = |flow: &FlowSummary| flow.goodput_bps.expect("it sends throughout") / 1e6;
    if flow == "others" {
        let others = &run.flows[1..];
        return others.iter().map(mbps).sum::<f64>() / others.len() as f64;
    }
    mbps(run.flows.iter().find(|f| f.name == flow).unwrap_or_else(|| panic!("no flow {flow}")))
}

/// Mean and interval of `RUNS: FLOW`, a goodput in Mbit/s, or of `RUNS: FLOW / X`, where X is a number, a flow, or other runs' flow of
/// the same seeds, `(RUNS: FLOW)`.
fn measured_value(what: &str) -> String {
    let (runs, of) = what.split_once(": ").unwrap_or_else(|| panic!("{what}: no flow"));
    let (flow, by) = of.split_once(" / ").map_or((of, None), |(flow, by)| (flow, Some(by)));
    let paired = by.and_then(|by| by.strip_prefix('(')?.strip_suffix(')')?.split_once(": "));
    let paired = paired.map(|(runs, flow)| (runs_of(runs), flow));
    let value = |(seed, run): (u64, &Summary)| {
        let divisor = match (by, &paired) {
            (None, _) => 1.0,
            (_, Some((others, flow))) => goodput(others.get(&seed)?, flow),
            (Some(by), None) => by.parse().unwrap_or_else(|_| goodput(run, by)),
        };
        Some(goodput(run, flow) / divisor)
    };
    let values = estimate(runs_of(runs).into_iter().filter_map(value).collect()).expect("values");
    format::estimate(values.mean, values.half_width.expect("several runs"))
}

/// Every value between `<!-- linux WHAT -->` and `<!-- / -->` comes from the stored runs.
#[test]
fn the_book_has_the_values_of_stored_runs() {
    const OPEN: &str = "<!-- linux ";
    renew("appendix/distance.md", |page| {
        let mut parts = page.split(OPEN);
        let mut made = parts.next().expect("a text").to_owned();
        let mut values = 0;
        for part in parts {
            let (what, rest) = part.split_once(" -->").expect("the end of a marker");
            let (_, rest) = rest.split_once("<!-- / -->").unwrap_or_else(|| panic!("{what}: no end"));
            made += &format!("{OPEN}{what} -->{}<!-- / -->{rest}", measured_value(what));
            values += 1;
        }
        assert!(values > 30, "{values} values");
        made
    });
}
