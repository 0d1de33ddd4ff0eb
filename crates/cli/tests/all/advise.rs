//! `anabranch advise`.

use anabranch_test_support::command::{
    TWO_PATHS, anabranch, anabranch_reading, fits, folder, has, one_line, root, typed, words,
};
use serde_json::Value;
use std::fs;

const SHORT: [&str; 7] = [TWO_PATHS, "--duration", "12 s", "--seeds", "2", "--cc", "lia,uncoupled"];

#[test]
fn page_and_json() {
    let page = anabranch([&["advise"], &SHORT[..]].concat()).ok();
    fits(&page);
    let json = anabranch([&["advise"], &SHORT[..], &["--json"]].concat()).json();
    has(
        &one_line(&page),
        [
            "algorithms of bonded, 2 seeds",
            // The fibre has no neighbour.
            "cubic on fibre (no neighbour), reno on dsl (like neighbour)",
            "--cc goodput (Mbit/s) goal 1 (≥ 0.9) goal 2 (≤ 1.1) goal 3 (≤ 1.1) misses",
            // Both neighbours together.
            "--cc goodput of neighbour, sum of 2 (Mbit/s) link of goal 2",
            // On the DSL line, which it shares, LIA surely harms nobody.
            "dsl No recommendation yet: 2 seeds do not decide goals 1 and 3 of lia and goals 2 and 3 of uncoupled",
            json["recommendation"]["text"].as_str().unwrap(),
        ],
    );
    // By hand from the same runs: the connection on both paths, and a single-path flow on the fibre in its place.
    let run = |more: &str| typed(&format!("run {TWO_PATHS} --duration '12 s' --json {more}")).json();
    let single = "--set 'flows.bonded.paths=[[\"fibre\"]]' --set flows.bonded.cc=cubic";
    let goodput = |run: &Value, flow: usize| run["flows"][flow]["goodput_bps"].as_f64().unwrap();
    let ratio = |seed: &str| {
        let ours = goodput(&run(&format!("--cc lia --seed {seed}")), 0);
        let alone = goodput(&run(&format!("{single} --seed {seed}")), 0);
        // MPTCP's option takes 20 of 1448 bytes.
        ours / 1428.0 / (alone / 1448.0)
    };
    let second = run("--cc lia --seed 2");
    let by_hand = goodput(&second, 1) + goodput(&second, 2);
    let found = &json["cases"][0]["others_bps"][0];
    assert_eq!((&found[0], found[1]["values"][1].as_f64()), (&"neighbour".into(), Some(by_hand)));
    let goal = &json["cases"][0]["goal1"]["ratio"];
    for (i, seed) in ["1", "2"].into_iter().enumerate() {
        let found = goal["values"][i].as_f64().unwrap();
        assert!((found / ratio(seed) - 1.0).abs() < 1e-3, "{found}, by hand {}", ratio(seed));
    }
}

#[test]
fn buffers_and_parameters() {
    let text = fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let text = text.replace("cc = \"reno\"", "cc = { name = \"cubic\", beta = 0.5 }");
    let args = "advise - --duration '12 s' --seeds 2 --cc lia --buffers '0.5 BDP, 2 BDP,0.5 BDP' --json";
    let ended = anabranch_reading(&text, words(args)).done();
    has(&ended.stderr, ["0.5 BDP is given twice"]);
    let json: Value = serde_json::from_str(&ended.stdout).unwrap();
    let cases: Vec<_> = json["cases"].as_array().unwrap().iter().map(|case| case["buffer"].clone()).collect();
    assert_eq!(cases, ["0.5 BDP", "2 BDP"]);
    assert_eq!(json["baselines"][1]["cc"], "{ name = \"cubic\", beta = 0.5 }");
    assert_eq!(json["baselines"][1]["neighbour"], "neighbour");
}

#[test]
fn one_seed_gives_no_intervals() {
    let page = anabranch([&["advise"], &SHORT[..3], &["--seeds", "1", "--cc", "lia"]].concat()).ok();
    has(&one_line(&page), ["algorithms of bonded, 1 seed, no intervals from one seed"]);
    assert!(!page.contains('±'), "{page}");
}

#[test]
fn a_recommendation_says_how_to_run_it() {
    let alone = "name = \"alone\"\nduration = \"8 s\"\nlinks.a = { rate = \"20 Mbit/s\", delay = \"10 ms\" }\n\
                 links.b = { rate = \"10 Mbit/s\", delay = \"20 ms\" }\n\
                 flows = [{ name = \"bonded\", cc = \"lia\", paths = [[\"a\"], [\"b\"]] }]\n";
    let ended = anabranch_reading(alone, ["advise", "-", "--seeds", "2", "--cc", "coupled-cubic,uncoupled"]);
    has(&one_line(&ended.stdout), ["On Linux, uncoupled is the kernel's own cubic"]);
}

/// The report has the table of the same advice, beside the results of other commands in its folder.
#[test]
fn a_folder_gets_the_advice_and_its_page() {
    let folder = folder();
    let out = folder.arg();
    let said = anabranch([&["advise"], &SHORT[..], &["--out", out]].concat()).ok();
    has(&said, [format!("Report: {out}/report/index.html")]);
    let kept: Value = folder.json("advice/advice-two-paths-and-a-neighbour.json");
    let page = folder.read("report/advice-two-paths-and-a-neighbour.html");
    for text in [&kept["recommendation"]["text"], &kept["command"]] {
        let escaped = text.as_str().unwrap().replace('&', "&amp;").replace('"', "&quot;");
        assert!(!escaped.is_empty());
        has(&page, [escaped]);
    }
    has(&page, ["<th scope=\"row\"><code>lia</code></th>"]);
    has(&folder.read("report/index.html"), ["advice-two-paths-and-a-neighbour.html"]);
    // The same command again gives the same advice.
    let mut words = words(kept["command"].as_str().unwrap());
    words.push("--json".into());
    assert_eq!(anabranch(&words[1..]).json(), kept);
}
