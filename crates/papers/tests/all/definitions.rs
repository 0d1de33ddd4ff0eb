//! The definitions as a whole: complete, loadable, and independent of threads.

use crate::{quick_options, run};
use anabranch_papers::{SIMULATOR, all, commands, find, scenarios};
use anabranch_record::Summary;
use anabranch_study::{
    Claim, Experiment, Options, Progress, Published, RunCache, RunId, Setup, Size, StudyError, StudyResult,
    Verdict, run_all, work,
};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

fn quick(paper: &str, experiment: &str) -> StudyResult {
    run(find(paper).unwrap(), &quick_options(2, Some(experiment)))
}

#[test]
fn every_scenario_file_loads() {
    for file in scenarios::ALL.iter() {
        Setup::new("", file).scenario().unwrap_or_else(|e| panic!("{}: {e:?}", file.path));
        let path = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), file.path);
        assert_eq!(fs::read_to_string(path).unwrap(), *file.text, "commands name this path");
    }
}

/// An editor shows them whole.
#[test]
fn lines_of_studies_are_short() {
    fn check(path: &Path) {
        match fs::read_dir(path) {
            Ok(entries) => entries.for_each(|entry| check(&entry.unwrap().path())),
            // Measurements are compressed.
            Err(_) if path.extension().is_some_and(|ending| ending == "gz") => {}
            Err(_) => {
                for (n, line) in fs::read_to_string(path).unwrap().lines().enumerate() {
                    let length = line.chars().count();
                    assert!(length <= 160, "{}, line {}: {length} characters", path.display(), n + 1);
                }
            }
        }
    }
    check(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../studies")));
}

/// The tables and figures of the papers, each reproducible by its identifier.
#[test]
fn every_table_and_figure_is_there() {
    let ids = "A-T1 A-F2 A-T2 A-F5 A-T4 A-F6 A-T5 A-F7 A-T6 A-F7b B-T1 B-F4 B-F5 B-F6 B-T2 B-F8 B-F9 B-D \
               C-F2 C-F3 C-F4 C-F5 C-N C-L C-X2 A-X6 A-X7 A-X8 D-X1 D-X2 D-F2 D-F3 D-F7 D-F8 D-H D-F9 D-F10 D-F11 D-F12 D-F13 D-F14 D-F15 D-A D-AE";
    for id in ids.split(' ') {
        assert_eq!(find(id).expect(id).id, &id[..1]);
    }
}

/// Every setup of every size is a scenario that its printed command would load, no two experiments share an identifier (those
/// that `--only` takes: tables and figures), and no two rows.
#[test]
fn plans_are_consistent() {
    for paper in all() {
        for size in Size::ALL {
            let (mut ids, mut rows) = (BTreeSet::new(), BTreeSet::new());
            for definition in &paper.experiments {
                let plan = definition.plan(size);
                let scenarios = plan.setups.iter().map(Setup::scenario).collect::<Result<Vec<_>, _>>();
                scenarios.unwrap_or_else(|e| panic!("{}: {e}", definition.id()));
                for id in &definition.ids {
                    assert!(ids.insert(id.to_ascii_uppercase()), "{id} twice");
                }
                for id in plan.row_ids() {
                    assert!(rows.insert(id.to_owned()), "{id} twice");
                    let own = |known: &String| id.starts_with(known.as_str());
                    assert!(definition.ids.iter().any(own), "{id} in {}", definition.id());
                }
            }
        }
    }
}

/// The book's lists of errata are the studies', between markers such as `<!-- errata: A -->`. With `ANABRANCH_WRITE_BOOK=1`
/// the test writes them.
#[test]
fn the_book_has_the_same_errata() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/errata.md");
    let book = fs::read_to_string(path).unwrap();
    let mut whole = String::new();
    let mut rest = book.as_str();
    for paper in all().iter().filter(|paper| !paper.errata.is_empty()) {
        let marker = format!("<!-- errata: {} -->\n", paper.id);
        let (before, after) = rest.split_once(&marker).unwrap_or_else(|| panic!("{marker} in order"));
        let (_, after) = after.split_once("<!-- end -->").expect("a list ends with its marker");
        let items: String = paper.errata.iter().map(|erratum| format!("- {erratum}\n")).collect();
        whole += &format!("{before}{marker}\n{items}\n<!-- end -->");
        rest = after;
    }
    whole += rest;
    assert!(!rest.contains("<!-- errata:"), "a list of no study");
    if std::env::var_os("ANABRANCH_WRITE_BOOK").is_some() {
        fs::write(path, &whole).unwrap();
    } else {
        assert!(book == whole, "ANABRANCH_WRITE_BOOK=1 renews {path}");
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        serde_json::to_string(&pool.install(|| quick("B", "B-T2"))).unwrap()
    };
    assert_eq!(on(1), on(2));
}

#[test]
fn a_result_names_its_command_and_seeds() {
    let result = quick("B", "B-F8");
    assert_eq!(commands(&result), ["anabranch paper kato-lia-evaluation --quick --only B-T2"]);
    assert_eq!(result.seeds_of_rows(), "2 (8 for short runs)");
    let longer = StudyResult { size: "default".into(), seeds: 7, ..result };
    assert_eq!(commands(&longer), ["anabranch paper kato-lia-evaluation --seeds 7 --only B-T2"]);
    let mut beside = longer;
    beside.experiments[0].asked = vec!["kernel".into(), "guest-6.12".into()];
    let again =
        |backend| format!("anabranch paper kato-lia-evaluation --seeds 7 --only B-T2 --backend {backend}");
    assert_eq!(commands(&beside), ["kernel", "guest-6.12"].map(again));
}

/// Without columns nothing is run again under other assumptions, the rest is the same, and the result says so. No explanation then
/// refers to what was left out.
#[test]
fn columns_can_be_left_out() {
    let whole = quick("B", "B-T2");
    let options = Options { without_variants: true, ..quick_options(2, Some("B-T2")) };
    let mut without = run(find("B").unwrap(), &options);
    assert_eq!(commands(&without), ["anabranch paper kato-lia-evaluation --quick --no-variants --only B-T2"]);
    assert_eq!(whole.experiments[0].variants.len(), 4);
    without.without_variants = false;
    for experiment in [&whole.experiments[0], &without.experiments[0]] {
        assert!(experiment.rows.iter().any(|row| row.measured.is_some()));
    }
    let refers = |result: &StudyResult| {
        let rows = result.experiments.iter().flat_map(|e| &e.rows);
        rows.filter_map(|row| row.explanation.as_ref()).any(|text| text.contains("Sensitivity variants"))
    };
    assert!(refers(&whole) && !refers(&without));
    let mut stripped = whole;
    for experiment in &mut stripped.experiments {
        experiment.variants.clear();
        experiment.rows.iter_mut().for_each(|row| row.others.clear());
        experiment
            .runs
            .retain(|run| without.experiments[0].runs.iter().any(|kept| kept.command == run.command));
    }
    for row in
        [&mut stripped, &mut without].into_iter().flat_map(|r| &mut r.experiments).flat_map(|e| &mut e.rows)
    {
        row.explanation = None;
    }
    assert_eq!(stripped, without);
}

/// An experiment on request has its own command beside the one for all the others.
#[test]
fn a_result_names_what_was_asked_for() {
    let page = |ids: &[&str]| {
        let mut result = quick("B", "B-T2");
        let experiment = result.experiments.remove(0);
        result.experiments =
            ids.iter().map(|id| Experiment { id: (*id).into(), ..experiment.clone() }).collect();
        commands(&StudyResult { name: "coupling-cubic".into(), size: "default".into(), seeds: 1, ..result })
    };
    let all = "anabranch paper coupling-cubic";
    assert_eq!(page(&["E-10", "E-100", "E-W", "E-R"]), [all]);
    assert_eq!(page(&["E-10", "E-100", "E-1000", "E-W", "E-R"]), [all, &format!("{all} --only E-1000")]);
    assert_eq!(page(&["E-1000"]), [format!("{all} --only E-1000")]);
}

/// Explanations without a condition are written for the default size.
#[test]
fn explanations_say_for_which_size_they_are() {
    let result = quick("B", "B-T2");
    let rows: Vec<_> = result.experiments.iter().flat_map(|e| &e.rows).collect();
    let explained: Vec<_> =
        rows.iter().filter_map(|row| Some((&row.id, row.explanation.as_deref()?))).collect();
    assert!(!explained.is_empty(), "no row has an explanation");
    for (id, explanation) in explained {
        assert!(explanation.starts_with("At the default size: "), "{id}: {explanation}");
    }
}

/// A small experiment, end to end: every row measured, judged, with an interval, and its figures drawn.
#[test]
fn an_experiment_runs() {
    let result = quick("B", "B-F8");
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    // Four simulations and eight interpretations beside each of two of them; LIA is not in two. All of them again on other links and hosts.
    assert_eq!(
        (experiment.id.as_str(), experiment.figures.len(), experiment.runs.len()),
        ("B-T2", 2, 20 + 18 + 3 * 20)
    );
    let variants: Vec<&str> = experiment.variants.iter().map(|variant| variant.id.as_str()).collect();
    assert_eq!(variants, ["v0", "tick", "tso", "tick+tso"]);
    for row in &experiment.rows {
        assert_ne!(row.verdict, Verdict::Failed, "{row:?}");
        assert!(!row.rule.is_empty());
        if let Some(measured) = &row.measured {
            assert_eq!(measured.values.len(), 8, "{}", row.id);
            assert!(measured.half_width.unwrap() > 0.0, "{}", row.id);
        } else {
            assert!(matches!(row.published, Published::Claim(_)), "{}", row.id);
            assert!(row.compared.len() > 1, "{}", row.id);
        }
        // Each row has a value of its own in every column that changes it: the kernel had no Linked CUBIC.
        let others: Vec<&str> = row.others.iter().map(|other| other.variant.as_str()).collect();
        assert_eq!(others, variants[usize::from(row.id.contains("linked-cubic"))..], "{}", row.id);
        for other in &row.others {
            assert_ne!(other.verdict, Verdict::Failed, "{row:?}");
            assert_eq!(row.verdict == Verdict::NotJudged, other.verdict == Verdict::NotJudged, "{}", row.id);
            let values = other.measured.iter().chain(other.compared.iter().map(|(_, value)| value));
            let seeds: Vec<usize> = values.map(|value| value.values.len()).collect();
            let expected = if other.variant == "v0" { 4 } else { 3 };
            assert!(!seeds.is_empty() && seeds.iter().all(|n| *n == expected), "{}: {seeds:?}", row.id);
            let same = other.measured == row.measured && other.compared == row.compared;
            assert!(!same, "{}: nothing changed", row.id);
        }
    }
    for panel in experiment.figures.iter().flat_map(|f| &f.panels) {
        assert!(panel.series.iter().all(|s| s.points.len() > 100), "{}", panel.title);
    }
    let read = experiment.rows.iter().filter(|row| !row.interpretations.is_empty());
    let read: Vec<(&str, usize)> = read.map(|row| (&*row.id, row.interpretations.len())).collect();
    assert_eq!(read, [("B-T2.reno.order", 8), ("B-T2.cubic.order", 8)]);
}

/// Complete experiments are there after an interruption; those of an incomplete paper are marked as partial.
#[test]
fn an_interruption_keeps_what_is_complete() {
    let first = find("A").unwrap();
    let mut all_work = vec![work(first, &quick_options(1, Some("A-T4"))).unwrap()];
    let others: Vec<_> = all().iter().filter(|paper| paper.id != "A").collect();
    all_work.extend(others.iter().map(|paper| work(paper, &quick_options(1, None)).unwrap()));
    let stop = AtomicBool::new(false);
    let mut results = Vec::new();
    let ended =
        run_all(SIMULATOR, &all_work, None, &|_| (), &|| !stop.load(Relaxed), &mut |result: StudyResult| {
            stop.store(true, Relaxed);
            results.push(result);
        });
    assert!(matches!(ended, Err(StudyError::Interrupted)));
    assert_eq!((&*results[0].id, results[0].partial, results[0].experiments.len()), ("A", false, 1));
    for result in &results[1..] {
        let whole = find(&result.id).unwrap().experiments.len();
        assert!(result.partial && (1..whole).contains(&result.experiments.len()), "{}", result.id);
    }
}

/// Runs that outlast an interruption, in memory.
#[derive(Default)]
struct Memory {
    kept: Mutex<Vec<Summary>>,
    found: AtomicUsize,
}

impl RunCache for Memory {
    fn find(&self, run: RunId<'_>) -> Option<Summary> {
        let kept = self.kept.lock().unwrap();
        let found = kept.iter().find(|s| s.scenario_hash == run.scenario_hash && s.seed == run.seed)?.clone();
        self.found.fetch_add(1, Relaxed);
        Some(found)
    }

    fn keep(&self, _: Claim, summary: &Summary) {
        self.kept.lock().unwrap().push(summary.clone());
    }
}

/// Runs from before an interruption are not repeated, and the result equals an uninterrupted one.
#[test]
fn it_resumes_after_an_interruption() {
    let work = [work(find("coupling-cubic").unwrap(), &quick_options(1, Some("E-10"))).unwrap()];
    let run = |kept: Option<&dyn RunCache>, keep_going: &(dyn Fn() -> bool + Sync)| {
        let (last, mut result) = (Mutex::new((0, 0, 0.0)), None);
        // Reports of several threads may come out of order.
        let progress = |p: Progress<'_>| {
            let mut last = last.lock().unwrap();
            *last = (last.0.max(p.done), p.total, f64::max(last.2, p.part));
        };
        let ended =
            run_all(SIMULATOR, &work, kept, &progress, keep_going, &mut |finished| result = Some(finished));
        (ended, result, last.into_inner().unwrap())
    };
    let memory = Memory::default();
    let (ended, result, (done, total, part)) = run(Some(&memory), &|| memory.kept.lock().unwrap().len() < 3);
    assert!(matches!(ended, Err(StudyError::Interrupted)));
    assert!(result.is_none() && done < total && (0.0..1.0).contains(&part), "{done} of {total}, {part}");

    let before = memory.kept.lock().unwrap().len();
    let (ended, resumed, (done, left, part)) = run(Some(&memory), &|| true);
    ended.unwrap();
    assert!(before >= 3 && memory.found.load(Relaxed) == before);
    assert_eq!((memory.kept.lock().unwrap().len(), before + left), (total, total));
    assert!(done == left && part > 0.999, "{done} of {left}, {part}");
    let whole = run(None, &|| true).1;
    assert_eq!(resumed, whole);

    // Nothing is left to be run.
    let (ended, again, (done, ..)) = run(Some(&memory), &|| false);
    ended.unwrap();
    assert_eq!((again, done), (whole, 0));
}

/// A run of which samples are asked for is not kept: its figures need them.
#[test]
fn samples_are_not_kept() {
    let work = [work(find("A").unwrap(), &quick_options(1, Some("A-T4"))).unwrap()];
    let memory = Memory::default();
    let sampled = |result: &StudyResult| {
        let series = result.experiments[0].figures.iter().flat_map(|f| &f.panels).flat_map(|p| &p.series);
        series.map(|s| s.points.len()).sum::<usize>()
    };
    for _ in 0..2 {
        run_all(SIMULATOR, &work, Some(&memory), &|_| (), &|| true, &mut |result: StudyResult| {
            assert!(sampled(&result) > 100, "{}", sampled(&result));
        })
        .unwrap();
    }
    assert_eq!((memory.kept.lock().unwrap().len(), memory.found.load(Relaxed)), (0, 0));
}
