//! What would not end, or has no place in a result, is refused with its place.

use super::*;

/// The message of a study that is none, and the text on its line.
pub fn refused(text: &str) -> (String, String) {
    let folder = folder();
    let error = load("my.toml", text, folder.path(), &[]).err().unwrap_or_else(|| panic!("accepted: {text}"));
    let line = error.line().unwrap_or_else(|| panic!("{error}: no line"));
    (error.to_string(), text.lines().nth(line - 1).unwrap_or_default().trim().to_owned())
}

/// A study of one row, with these lines among its runs' and among the file's.
fn with(runs: &str, rest: &str) -> String {
    format!(
        "title = \"t\"\n[runs.r]\nscenario = \"beside.toml\"\ncc = \"{{cc}}\"\nvary.cc = [\"lia\", \"olia\"]\n{runs}\n{rest}\n\
         [[rows]]\nid = \"r.{{cc}}\"\nof = \"jain()\"\n"
    )
}

#[test]
fn quantities_do_not_contain_themselves_in_braces() {
    for (quantities, runs) in [
        ("q = \"q\"", "title = \"{q}\""),
        ("q = \"{q}\"", "title = \"{q}\""),
        ("q = \"{q}\"", "duration = \"{q} s\""),
        ("q = \"r\"\nr = \"{q}\"", "warmup = \"{q} s\""),
        ("q = \"2 * {r}\"\nr = \"1 + q\"", "set.duration = \"{q} s\""),
        // A length that is the equilibrium of a run of that length.
        ("q = 'equilibrium(\"tcp\", 1, 1)'", "duration = \"{q} s\""),
    ] {
        let (message, line) = refused(&with(runs, &format!("[quantities]\n{quantities}")));
        assert!(message.contains("` contains itself"), "{quantities}: {message}");
        assert!(line.starts_with("q = ") || line.starts_with("r = "), "{quantities}: {line}");
    }
    let chain: String = (1..1000).map(|i| format!("q{i} = \"{{q{}}}\"\n", i - 1)).collect();
    let (message, _) = refused(&with("title = \"{q999}\"", &format!("[quantities]\nq0 = \"1\"\n{chain}")));
    assert!(message.contains("too long"), "{message}");
    let two = with("duration = \"{q1} s\"", "[quantities]\nq0 = \"1\"\nq1 = \"{q0} + {q0}\"");
    let study = load("my.toml", &two, folder().path(), &[]).unwrap();
    assert_eq!(
        study.experiments[0].plan(Size::Quick).setups()[0].scenario().unwrap().duration.as_secs_f64(),
        2.0
    );
}

/// Three axes that go together: 400 rows, not 400³ that are then looked through.
#[test]
fn rows_go_over_points_not_over_every_combination() {
    let values =
        |n: usize, unit: &str| (1..=n).map(|i| format!("\"{i} {unit}\"")).collect::<Vec<_>>().join(", ");
    let axis = |name: &str, key: &str, n, unit| {
        format!("vary.{name} = {{ key = \"{key}\", values = [{}] }}\n", values(n, unit))
    };
    let text = |n: usize, zip: &str, id: &str| {
        format!(
            "title = \"t\"\n[axes]\nn = [1, 2]\n[runs.r]\nscenario = \"beside.toml\"\n{zip}\n{}{}{}[[rows]]\nid = \"{id}\"\n\
             at = {{ b = [\"3 ms\", \"2 ms\"] }}\nof = \"n * jain()\"\n",
            axis("a", "links.a.queue", n, "packets"),
            axis("b", "links.a.delay", n, "ms"),
            axis("c", "links.a.rate", n, "Mbit/s"),
        )
    };
    let folder = folder();
    let zip = "zip = [[\"a\", \"b\", \"c\"]]";
    let study = load("my.toml", &text(400, zip, "{c}.{n}.{b}.{a}"), folder.path(), &[]).unwrap();
    let ids: Vec<String> = study.experiments[0].plan(Size::Default).row_ids().map(str::to_owned).collect();
    let expected = ["2 Mbit/s.1.2 ms.2 packets", "2 Mbit/s.2.2 ms.2 packets"];
    assert_eq!(ids[..2], expected, "in the order of the first axis");
    assert_eq!(ids.len(), 4);
    // What `at` lists keeps its order where the axis comes first.
    let study = load("my.toml", &text(5, zip, "{b}.{n}"), folder.path(), &[]).unwrap();
    let ids: Vec<String> = study.experiments[0].plan(Size::Default).row_ids().map(str::to_owned).collect();
    assert_eq!(ids, ["3 ms.1", "3 ms.2", "2 ms.1", "2 ms.2"]);

    let many =
        with("", "[axes]\nm = { range = \"1..999\", steps = 999 }\nn = { range = \"1..999\", steps = 999 }");
    let (message, line) = refused(&many.replace("id = \"r.{cc}\"", "id = \"r.{cc}.{m}.{n}\""));
    assert!(message.contains("more than 100000 combinations of values of cc, m, n"), "{message}");
    assert!(line.starts_with("id = "), "{line}");
}
