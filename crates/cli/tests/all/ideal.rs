//! `anabranch ideal`.

use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, fits, has, one_line, root, typed,
};
use serde_json::Value;
use std::fs;

#[test]
fn page() {
    let page = anabranch(["ideal", TWO_PATHS]).ok();
    fits(&page);
    has(
        &one_line(&page),
        [
            "theory, for the network at 10 s",
            "goodput (Mbit/s) flow path max-min pooled lia olia balia linked-cubic",
            // 500 Mbit/s of packets that carry 1428 of 1500 bytes; two neighbours with half of 100 each, 1448 of 1500.
            "bonded all 476.0 476.0",
            "neighbour/1–2 each dsl 48.27 48.27",
            "limit of 3/2 on its decrease",
            "at 10 s - No prediction for the algorithms of the scenario: bonded runs coupled-cubic",
        ],
    );
}

#[test]
fn changes_of_the_command_line() {
    let changed = |rate: &str, more: &str| {
        let ideal = format!("ideal {TWO_PATHS} --cc lia --set 'links.dsl.rate={rate}' {more}");
        one_line(&typed(&ideal).ok())
    };
    let page = changed("50 Mbit/s", "--queue 1");
    has(&page, ["lia is the algorithm of the scenario itself", "neighbour/1–2 each dsl 24.13 24.13"]);
    assert!(!page.contains("No prediction"), "{page}");
    // 20 ms, 0.24 ms for a packet, and 100 packets that wait 24 ms.
    has(&page, ["neighbour/1–2 each dsl 44.24 44.24"]);
    // On a slow line, the windows are about a segment.
    has(&changed("1 Mbit/s", ""), ["A mean window below 4 segments is not a prediction"]);
}

/// A parameter of its own makes an equilibrium of its own.
#[test]
fn own_parameters() {
    let scenario = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let steeper = scenario.replace("\"coupled-cubic\"", "{ name = \"linked-cubic\", c = 4.0 }");
    let page = one_line(&anabranch_reading(&steeper, ["ideal", "-"]).ok());
    has(&page, ["olia balia linked-cubic own", "- own: the scenario"]);
}

#[test]
fn json() {
    let json = anabranch(["ideal", TWO_PATHS, "--cc", "lia", "--json"]).json();
    let ids: Vec<_> =
        json["allocations"].as_array().unwrap().iter().map(|a| a["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["max-min", "pooled", "lia", "olia", "balia", "linked-cubic"]);
    assert_eq!((json["own"].as_str(), json["at_s"].as_f64()), (Some("lia"), Some(10.0)));
    let run = anabranch(["run", TWO_PATHS, "--cc", "lia", "--duration", "12 s", "--json"]).json();
    let names = |of: &Value| {
        let flows = of["flows"].as_array().unwrap();
        flows.iter().map(|f| (f["name"].clone(), f["subflows"][0]["path"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(names(&json["allocations"][2]), names(&run));
}
