//! `anabranch advise`.

use anabranch_test_support::command::{TWO_PATHS, anabranch, anabranch_reading, fits, one_line, root, words};
use serde_json::Value;

const SHORT: [&str; 7] = [TWO_PATHS, "--duration", "12 s", "--seeds", "2", "--cc", "lia,uncoupled"];

#[test]
fn page_and_json() {
    let page = anabranch([&["advise"], &SHORT[..]].concat()).ok();
    fits(&page);
    let words = one_line(&page);
    for part in [
        "algorithms of bonded, 2 seeds",
        // The fibre has no neighbour.
        "cubic on fibre (no neighbour), reno on dsl (like neighbour)",
        "--cc goodput (Mbit/s) goal 1 (≥ 0.9) goal 2 (≤ 1.1) goal 3 (≤ 1.1) misses",
    ] {
        assert!(words.contains(part), "{part} is not in\n{page}");
    }
    // Both neighbours together.
    assert!(words.contains("--cc goodput of neighbour, sum of 2 (Mbit/s) link of goal 2"), "{page}");
    // On the DSL line, which it shares, LIA surely harms nobody.
    let undecided =
        "No recommendation yet: 2 seeds do not decide goals 1 and 3 of lia and goals 2 and 3 of uncoupled";
    assert!(words.contains(undecided) && words.contains("dsl No recommendation"), "{page}");
    let json = anabranch([&["advise"], &SHORT[..], &["--json"]].concat()).json();
    let text = json["recommendation"]["text"].as_str().unwrap();
    assert!(words.contains(text), "{text} is not in\n{page}");
    // By hand from the same runs: the connection on both paths, and a single-path flow on the fibre in its place.
    let run = |more: &[&str]| {
        let run = ["run", TWO_PATHS, "--duration", "12 s", "--json"];
        anabranch([&run[..], more].concat()).json()
    };
    let single = ["--set", "flows.bonded.paths=[[\"fibre\"]]", "--set", "flows.bonded.cc=cubic"];
    let ratio = |seed: &str| {
        let ours = run(&["--cc", "lia", "--seed", seed])["flows"][0]["goodput_bps"].as_f64().unwrap();
        let alone =
            run(&[&single[..], &["--seed", seed]].concat())["flows"][0]["goodput_bps"].as_f64().unwrap();
        // MPTCP's option takes 20 of 1448 bytes.
        ours / 1428.0 / (alone / 1448.0)
    };
    let neighbours = |run: Value| -> f64 {
        run["flows"].as_array().unwrap()[1..].iter().map(|flow| flow["goodput_bps"].as_f64().unwrap()).sum()
    };
    let by_hand = neighbours(run(&["--cc", "lia", "--seed", "2"]));
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
    let text = std::fs::read_to_string(root().join(TWO_PATHS)).unwrap();
    let text = text.replace("cc = \"reno\"", "cc = { name = \"cubic\", beta = 0.5 }");
    let args = "advise - --duration '12 s' --seeds 2 --cc lia --buffers '0.5 BDP, 2 BDP' --json";
    let json = anabranch_reading(&text, words(args)).json();
    let cases: Vec<_> = json["cases"].as_array().unwrap().iter().map(|case| case["buffer"].clone()).collect();
    assert_eq!(cases, ["0.5 BDP", "2 BDP"]);
    assert_eq!(json["baselines"][1]["cc"], "{ name = \"cubic\", beta = 0.5 }");
    assert_eq!(json["baselines"][1]["neighbour"], "neighbour");
}

#[test]
fn a_recommendation_says_how_to_run_it() {
    let alone = "name = \"alone\"\nduration = \"8 s\"\nlinks.a = { rate = \"20 Mbit/s\", delay = \"10 ms\" }\n\
                 links.b = { rate = \"10 Mbit/s\", delay = \"20 ms\" }\n\
                 flows = [{ name = \"bonded\", cc = \"lia\", paths = [[\"a\"], [\"b\"]] }]\n";
    let ended = anabranch_reading(alone, ["advise", "-", "--seeds", "2", "--cc", "coupled-cubic,uncoupled"]);
    let said = one_line(&ended.stdout);
    assert!(said.contains("On Linux, uncoupled is the kernel's own cubic"), "{said}");
}

/// A backup carries nothing while the other path works.
#[test]
fn a_backup_is_named() {
    let backup = ["advise", TWO_PATHS, "--set", "flows.bonded.backup=[2]"];
    let said = anabranch(backup).fails(2);
    assert!(said.contains("path 2 of bonded is a backup: coupling changes nothing"), "{said}");
    let paths = "flows.bonded.paths=[[\"fibre\"], [\"dsl\"], [\"dsl\"], [\"dsl\"]]";
    let backups = ["advise", TWO_PATHS, "--set", paths, "--set", "flows.bonded.backup=[2, 3, 4]"];
    let said = anabranch(backups).fails(2);
    assert!(said.contains("paths 2, 3 and 4 of bonded are backups: coupling changes nothing"), "{said}");
}

#[test]
fn bad_input() {
    let said = anabranch(["advise", "scenarios/dumbbell.toml"]).fails(2);
    assert!(said.contains("no flow with several paths") && said.contains("anabranch compare"), "{said}");
    let said = anabranch(["advise", TWO_PATHS, "--flow", "bondd"]).fails(2);
    assert!(said.contains("did you mean `bonded`?"), "{said}");
    let said = anabranch(["advise", TWO_PATHS, "--cc", "lia,oila"]).fails(2);
    assert!(said.contains("unknown algorithm `oila`"), "{said}");
    let said = anabranch(["advise", TWO_PATHS, "--buffers", "2 frames"]).fails(2);
    assert!(said.contains("`frames` is not a unit of queue length"), "{said}");
}

/// The report has the table of the same advice, beside the results of other commands in its folder.
#[test]
fn a_folder_gets_the_advice_and_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let said = anabranch([&["advise"], &SHORT[..], &["--out", out]].concat()).ok();
    assert!(said.contains(&format!("Report: {out}/report/index.html")), "{said}");
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let kept: serde_json::Value =
        serde_json::from_str(&read("advice/advice-two-paths-and-a-neighbour.json")).unwrap();
    let page = read("report/advice-two-paths-and-a-neighbour.html");
    for text in ["recommendation", "command"] {
        let text = kept[text]["text"].as_str().or(kept[text].as_str()).unwrap();
        let escaped = text.replace('&', "&amp;").replace('"', "&quot;");
        assert!(!text.is_empty() && page.contains(&escaped), "{text} is not in\n{page}");
    }
    assert!(page.contains("<th scope=\"row\"><code>lia</code></th>"), "{page}");
    assert!(read("report/index.html").contains("advice-two-paths-and-a-neighbour.html"));
    // The same command again gives the same advice.
    let mut words = shlex::split(kept["command"].as_str().unwrap()).unwrap();
    words.push("--json".into());
    let again = anabranch(&words[1..]).json();
    assert_eq!(again, kept);
}
