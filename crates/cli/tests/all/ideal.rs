//! `anabranch ideal`.

use anabranch_test_support::command::{TWO_PATHS, anabranch, anabranch_reading, fits, one_line};

#[test]
fn page() {
    let page = anabranch(["ideal", TWO_PATHS]).ok();
    fits(&page);
    let words = one_line(&page);
    for part in [
        "theory, for the network at 10 s",
        "goodput (Mbit/s) flow path max-min pooled lia olia balia linked-cubic",
        // 500 Mbit/s of packets that carry 1428 of 1500 bytes; two neighbours with half of 100 each, 1448 of 1500.
        "bonded all 476.0 476.0",
        "neighbour/1–2 each dsl 48.27 48.27",
        "limit of 3/2 on its decrease",
        "at 10 s - No prediction for the algorithms of the scenario: bonded runs coupled-cubic",
    ] {
        assert!(words.contains(part), "{part} is not in\n{page}");
    }
}

#[test]
fn changes_of_the_command_line() {
    let changed = ["ideal", TWO_PATHS, "--cc", "lia", "--set", "links.dsl.rate='50 Mbit/s'", "--queue", "1"];
    let page = anabranch(changed).ok();
    assert!(one_line(&page).contains("lia is the algorithm of the scenario itself"), "{page}");
    assert!(one_line(&page).contains("neighbour/1–2 each dsl 24.13 24.13"), "{page}");
    assert!(!page.contains("No prediction"), "{page}");
    // 20 ms, 0.24 ms for a packet, and 100 packets that wait 24 ms.
    assert!(one_line(&page).contains("neighbour/1–2 each dsl 44.24 44.24"), "{page}");
}

/// On a slow line, the windows are about a segment.
#[test]
fn small_windows_are_no_prediction() {
    let changed = ["ideal", TWO_PATHS, "--cc", "lia", "--set", "links.dsl.rate='1 Mbit/s'"];
    let page = anabranch(changed).ok();
    assert!(one_line(&page).contains("A mean window below 4 segments is not a prediction"), "{page}");
}

/// A parameter of its own makes an equilibrium of its own.
#[test]
fn own_parameters() {
    let scenario =
        std::fs::read_to_string(format!("{}/../../{TWO_PATHS}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let steeper = scenario.replace("\"coupled-cubic\"", "{ name = \"linked-cubic\", c = 4.0 }");
    let page = anabranch_reading(&steeper, ["ideal", "-"]).ok();
    assert!(one_line(&page).contains("olia balia linked-cubic own"), "{page}");
    assert!(one_line(&page).contains("- own: the scenario"), "{page}");
}

#[test]
fn json() {
    let json = anabranch(["ideal", TWO_PATHS, "--cc", "lia", "--json"]).json();
    let ids: Vec<_> =
        json["allocations"].as_array().unwrap().iter().map(|a| a["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["max-min", "pooled", "lia", "olia", "balia", "linked-cubic"]);
    assert_eq!((json["own"].as_str(), json["at_s"].as_f64()), (Some("lia"), Some(10.0)));
    let run = anabranch(["run", TWO_PATHS, "--cc", "lia", "--duration", "12 s", "--json"]).json();
    let names = |of: &serde_json::Value| {
        let flows = of["flows"].as_array().unwrap();
        flows.iter().map(|f| (f["name"].clone(), f["subflows"][0]["path"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(names(&json["allocations"][2]), names(&run));
}

#[test]
fn bad_input() {
    assert!(anabranch(["ideal", TWO_PATHS, "--queue", "2"]).fails(2).contains("from 0 to 1"));
    assert!(anabranch(["ideal", "nowhere.toml"]).fails(2).contains("cannot read nowhere.toml"));
    assert!(anabranch_reading("name = 1", ["ideal", "-"]).fails(2).contains("name"));
}
