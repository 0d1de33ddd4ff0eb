//! `anabranch compare`.

use anabranch_test_support::command::{TWO_PATHS, anabranch, fits, has, one_line, short, typed};
use serde_json::Value;

#[test]
fn an_element_for_each_run_in_order() {
    let options = ["--cc", "lia,uncoupled", "--seeds", "3", "--seed", "5", "--json"];
    let runs = anabranch(short("compare", &options)).json();
    let runs = runs.as_array().unwrap();
    let keys: Vec<_> =
        runs.iter().map(|r| (r["cc"].as_str().unwrap(), r["seed"].as_str().unwrap())).collect();
    let expected = ["lia", "uncoupled"].map(|cc| ["5", "6", "7"].map(|seed| (cc, seed))).concat();
    assert_eq!(keys, expected);
    // Each is what `run` prints, and `cc`.
    let alone = anabranch(short("run", &["--cc", "uncoupled", "--seed", "6", "--json"])).json();
    let mut element = runs[4].clone();
    assert_eq!(element.as_object_mut().unwrap().remove("cc"), Some(Value::from("uncoupled")));
    let difference = element.as_object_mut().unwrap().remove("difference_to_first").unwrap();
    assert_eq!(element, alone);
    // In pairs of one seed; the first algorithm has none.
    let goodput = |i: usize| runs[i]["flows"][1]["goodput_bps"].as_f64().unwrap();
    let by_hand = [0, 1, 2].map(|i| goodput(i + 3) - goodput(i));
    assert_eq!(
        (&difference[1]["flow"], &difference[1]["goodput_bps"]["values"]),
        (&"neighbour/1".into(), &by_hand.to_vec().into())
    );
    assert!(runs[0].get("difference_to_first").is_none());
}

#[test]
fn means_and_intervals() {
    let page = anabranch(short("compare", &["--cc", "lia,coupled-cubic", "--seeds", "3"])).ok();
    fits(&page);
    has(&page, ["seeds 1 to 3", "95 %", " ± ", "bonded: fibre", "bonded: dsl", "neighbour/2: dsl"]);
    assert!(!page.contains("± 0 ") && !page.contains("all seeds gave the same"), "{page}");
    let explained = "If its interval includes 0, the difference may be chance.";
    has(&one_line(&page), ["utilisation", "Jain's index", "goodput (Mbit/s) difference to lia", explained]);
}

#[test]
fn an_algorithm_given_twice_is_shown_once() {
    let twice = anabranch(short("compare", &["--cc", "lia,lia,olia", "--seeds", "1", "--json"]));
    has(&twice.stderr, ["lia is given twice"]);
    let all: Value = serde_json::from_str(&twice.stdout).unwrap();
    let names: Vec<&str> = all.as_array().unwrap().iter().map(|run| run["cc"].as_str().unwrap()).collect();
    assert_eq!(names, ["lia", "olia"]);
}

/// Where nothing is random, an interval would have no width: the table says so instead.
#[test]
fn no_interval_without_variation() {
    let nothing_random = r#"--set 'links.fibre.loss={ model = "none" }'
        --set 'variation={ start_offset = "0 s", host_jitter = "0 s" }'"#;
    let compare = format!("compare {TWO_PATHS} --duration '3 s' --set 'warmup=1 s' --cc lia --seeds 2");
    has(&typed(&format!("{compare} {nothing_random}")).ok(), ["± 0", "all seeds gave the same value"]);
    let page = anabranch(short("compare", &["--cc", "lia", "--seeds", "1"])).ok();
    has(&page, ["no intervals from one seed"]);
    assert!(!page.contains("± 0"), "{page}");
}
