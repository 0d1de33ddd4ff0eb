//! The standard cases, for whatever is registered.

use anabranch_cc::registry::{ALL, find};
use anabranch_papers::SIMULATOR;
use anabranch_papers::standard::{AlgorithmResult, CASES, Case, CaseResult, Goal, work};
use anabranch_study::{Size, StudyError, run_one};
use std::collections::BTreeSet;
use std::sync::LazyLock;

fn quick(name: &str) -> AlgorithmResult {
    run_one(SIMULATOR, work(find(name).unwrap(), Size::Quick, None).unwrap(), &|_| (), &|| true).unwrap()
}

/// Simulated once for all tests here.
static RENO: LazyLock<AlgorithmResult> = LazyLock::new(|| quick("reno"));
static LIA: LazyLock<AlgorithmResult> = LazyLock::new(|| quick("lia"));

fn mean(result: &AlgorithmResult, case: &str) -> f64 {
    result.case(case).unwrap().key.as_ref().unwrap().value.mean
}

#[test]
fn every_case_is_a_scenario_for_every_algorithm() {
    let ids: BTreeSet<_> = CASES.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), CASES.len());
    let texts = |case: &'static Case| [&case.title, &case.group, &case.short, &case.purpose];
    assert!(CASES.iter().flat_map(texts).all(|text| !text.is_empty()));
    for entry in ALL {
        for size in Size::ALL {
            let work = work(entry, size, Some(3)).unwrap_or_else(|e| panic!("{}: {e}", entry.name));
            assert_eq!(work.simulations.runs(), 3 * CASES.len() as u64, "{}", entry.name);
        }
    }
}

/// Every case has a key figure and a queue from two seeds, lines over time, and a command that repeats it.
#[test]
fn cases_are_complete() {
    for case in CASES.iter() {
        let result = LIA.case(&case.id).unwrap();
        assert!(result.failures.is_empty(), "{}: {:?}", case.id, result.failures);
        let key = result.key.as_ref().unwrap_or_else(|| panic!("{}", case.id));
        assert_eq!(key.value.values.len(), 2, "{}", case.id);
        assert!(result.queue_packets.is_some(), "{}", case.id);
        assert_eq!(result.recoveries.len(), if case.goal == Goal::Recovery { 2 } else { 0 }, "{}", case.id);
        assert_eq!(result.observables.iter().map(|o| o.name.as_str()).collect::<Vec<_>>(), ["alpha"]);
        let traces = || result.windows.iter().chain(&result.rates);
        assert!(traces().all(|t| t.values.len() > 80 && t.time_s.len() == t.values.len()), "{}", case.id);
        let names: BTreeSet<_> = result.rates.iter().map(|t| &t.name).collect();
        assert_eq!(names.len(), result.rates.len(), "{}", case.id);
        assert!(result.run.command.contains("--cc tested=lia"), "{}", result.run.command);
    }
}

/// Consequences of the set-up alone: shares add up to the number of connections, n equal flows of a full link take 1/n each, and a
/// lone flow fills its link.
#[test]
fn figures_are_what_they_are_called() {
    for result in [&*RENO, &*LIA] {
        for case in &result.cases {
            let shares: Vec<f64> = case.flows.iter().filter_map(|f| Some(f.share.as_ref()?.mean)).collect();
            let sum = shares.iter().sum::<f64>();
            assert!((sum - shares.len() as f64).abs() < 1e-9, "{}: {shares:?}", case.id);
            assert_eq!(shares.is_empty(), case.jain.is_none(), "{}", case.id);
        }
        assert!(mean(result, "alone-one") > 95.0 && mean(result, "alone-two") > 95.0);
    }
    // Two seeds of 16 s scatter by a tenth or two.
    let near = |case, expected: f64| {
        let share = mean(&RENO, case);
        assert!((share - expected).abs() < 0.25 * expected, "{case}: {share} for {expected}");
    };
    near("one-reno", 1.0);
    near("shared-reno", 4.0 / 3.0);
    near("separate-reno", 1.5);
    // The backup's window does not count.
    near("backup", 1.0);
    let backup = mean(&LIA, "backup");
    assert!((backup - mean(&LIA, "one-reno")).abs() < 0.25, "LIA beside its backup: {backup}");
    assert!(mean(&LIA, "shared-reno") < mean(&RENO, "shared-reno"));
    let subflows = |case: &CaseResult| case.flows.iter().filter(|f| f.part).count();
    assert_eq!(CASES.iter().map(|c| subflows(RENO.case(&c.id).unwrap())).sum::<usize>(), 2 * 9);
}

/// The dead path's subflow cannot be back before the path is, and is back in the end.
#[test]
fn the_path_that_returned_is_used_again() {
    for result in [&*RENO, &*LIA] {
        let case = result.case("failure").unwrap();
        assert!(case.recoveries.iter().all(|r| r.unrecovered == 0), "{:?}", case.recoveries);
        assert!(mean(result, "failure") > 0.0);
        let dead = &case.rates[0];
        let at = |t: f64| dead.values[dead.time_s.iter().position(|x| *x == t).unwrap()];
        assert!(at(18.0) > 15.0 && at(23.0) == 0.0 && at(59.0) > 15.0, "{dead:?}");
    }
}

#[test]
fn results_survive_json() {
    let json = serde_json::to_string(&*LIA).unwrap();
    assert_eq!(serde_json::from_str::<AlgorithmResult>(&json).unwrap(), *LIA);
    assert_eq!(LIA.command(), "anabranch cc report lia --quick");
    let other = AlgorithmResult { size: "default".into(), seeds: 7, ..LIA.clone() };
    assert_eq!(other.command_for_all(), "anabranch cc report --seeds 7");
    assert!(LIA.is_made_like(&RENO) && !LIA.is_made_like(&AlgorithmResult { seeds: 3, ..RENO.clone() }));
}

#[test]
fn interruption_is_no_result() {
    let result = run_one(SIMULATOR, work(ALL[0], Size::Quick, None).unwrap(), &|_| (), &|| false);
    assert!(matches!(result, Err(StudyError::Interrupted)));
}
