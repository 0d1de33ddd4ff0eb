//! Input that would not end, or has no place in a result, is refused with its place.

use super::*;

/// The message of an invalid study, and the text on its line.
fn refused(text: &str) -> (String, String) {
    let error = study(text).err().unwrap_or_else(|| panic!("accepted: {text}"));
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

/// Cases, a line each: a line among the runs', lines among the file's, what is said, and how the line begins that is named. `¶` stands for
/// a line break, a word in capitals for the entry below.
fn all_refused(cases: &str) {
    const ENTRIES: [(&str, &str); 6] = [
        ("EXPERIMENT", "[[experiments]]\ntitle = \"\""),
        ("ROW", "[[rows]]\nid = \"x\"\nat = { cc = \"lia\" }"),
        (
            "BARS",
            "[[figures]]\nid = \"F\"\ntitle = \"\"\nkind = \"bars\"\nat = { cc = \"lia\" }\nbars.b.c = \"jain()\"",
        ),
        ("HEAT", "[[figures]]\nid = \"F\"\ntitle = \"\"\nkind = \"heat\"\nof = \"jain()\""),
        ("LINES", "[[figures]]\nid = \"F\"\ntitle = \"\"\nkind = \"lines\"\nx = \"n\"\nof = \"jain()\""),
        (
            "TIME",
            "[[figures]]\nid = \"F\"\ntitle = \"\"\nkind = \"time\"\nat = { cc = \"lia\" }\nof = 'cwnd(\"tcp\", 1)'",
        ),
    ];
    for case in cases.lines().filter(|line| !line.trim().is_empty()) {
        let parts: Vec<&str> = case.split('|').map(str::trim).collect();
        let [runs, rest, message, place] = parts[..] else { panic!("{case}") };
        let rest =
            ENTRIES.iter().fold(rest.replace('¶', "\n"), |rest, (word, entry)| rest.replace(word, entry));
        let (said, line) = refused(&with(runs, &rest));
        assert!(said.contains(message), "{case}: {said}");
        assert!(line.starts_with(place), "{case}: {said}, at {line}");
    }
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
        assert!(message.contains("` refers to itself"), "{quantities}: {message}");
        assert!(line.starts_with("q = ") || line.starts_with("r = "), "{quantities}: {line}");
    }
    let chain: String = (1..1000).map(|i| format!("q{i} = \"{{q{}}}\"\n", i - 1)).collect();
    let (message, _) = refused(&with("title = \"{q999}\"", &format!("[quantities]\nq0 = \"1\"\n{chain}")));
    assert!(message.contains("too long"), "{message}");
    let two = with("duration = \"{q1} s\"", "[quantities]\nq0 = \"1\"\nq1 = \"{q0} + {q0}\"");
    let plan = study(&two).unwrap().experiments[0].plan(Size::Quick);
    assert_eq!(plan.setups[0].scenario().unwrap().duration.as_secs_f64(), 2.0);
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
    let ids = |text: &str| -> Vec<String> {
        let plan = study(text).unwrap().experiments[0].plan(Size::Default);
        plan.row_ids().map(str::to_owned).collect()
    };
    let zip = "zip = [[\"a\", \"b\", \"c\"]]";
    let all = ids(&text(400, zip, "{c}.{n}.{b}.{a}"));
    let expected = ["2 Mbit/s.1.2 ms.2 packets", "2 Mbit/s.2.2 ms.2 packets"];
    assert_eq!(all[..2], expected, "in the order of the first axis");
    assert_eq!(all.len(), 4);
    // The values in `at` keep their order where the axis comes first.
    assert_eq!(ids(&text(5, zip, "{b}.{n}")), ["3 ms.1", "3 ms.2", "2 ms.1", "2 ms.2"]);

    let many =
        with("", "[axes]\nm = { range = \"1..999\", steps = 999 }\nn = { range = \"1..999\", steps = 999 }");
    let (message, line) = refused(&many.replace("id = \"r.{cc}\"", "id = \"r.{cc}.{m}.{n}\""));
    assert!(message.contains("more than 100000 combinations of the values of cc, m, n"), "{message}");
    assert!(line.starts_with("id = "), "{line}");
}

/// Numbers that JSON has no place for.
#[test]
fn numbers_are_finite() {
    all_refused(
        r#"
        vary.n = [1.0, inf] | | a number that is not finite | vary.n
        | [axes]¶n = [{ id = "a", value = nan }] | a number that is not finite | n =
        | LINES¶limits = [nan, inf] | limits must be two finite numbers | limits =
        | LINES¶limits = [2.0, 1.0] | the lower one first | limits =
        | LINES¶x_limits = [1.0, inf] | limits must be two finite numbers | x_limits =
        | LINES¶panels = [{ title = "", limits = [1.0, 1.0] }] | limits must be two | panels =
        | ROW¶of = "jain()"¶published = [inf, 1.0] | the mean of the published values | published =
        | ROW¶of = "jain()"¶published = [1e308, 1e308] | the mean of the published values | published =
        quick.scale = nan | | `scale` must be a finite number | quick.scale
        | [size]¶full.scale = -1.0 | `scale` must be a finite number | full.scale
        "#,
    );
    // A run that gives 1 gives 1e308: a mean of four of them is not finite, and not a result either.
    let row = "[[rows]]\nid = \"x\"\nat = { cc = \"lia\" }\nof = \"1e308 * duration() / duration()\"\n";
    let large = with("", row);
    let result = run(&study(&large).unwrap(), &Options { seeds: Some(4), ..Options::default() });
    let row = &result.experiments[0].rows[0];
    assert_eq!((row.verdict, &row.measured), (Verdict::Failed, &None));
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<StudyResult>(&text).unwrap(), result);
}

/// A diagnostic shows whole lines, but not 60 kB of one.
#[test]
fn long_lines_are_cut_after_a_mistake() {
    for row in [format!("of = \"{}1\"", "1 + ".repeat(15_000)), format!("{} = 1", "ü".repeat(60_000))] {
        let error =
            study(&with("", &format!("ROW\n{row}\n").replace("ROW", "[[rows]]\nid = \"x\""))).err().unwrap();
        let label = error.labels().unwrap().next().unwrap();
        let shown = error.source_code().unwrap().read_span(label.inner(), 1, 1).unwrap();
        assert!(shown.data().len() < 500, "{}", shown.data().len());
    }
}

/// Where some points do not replace a flow's algorithm, and where a row's reason is for one of its `rows`.
#[test]
fn keys_that_have_an_effect_somewhere() {
    let cubic = with("set.\"flows.tcp.cc\" = \"reno\"", "").replace("\"olia\"", "\"tcp=cubic\"");
    study(&cubic).unwrap();
    let row = "[[rows]]\nid = \"x\"\nat = { cc = \"lia\" }\nof = \"jain()\"\nbecause = \"b\"\nrows = [{ id = \"y\", published = 1 }]";
    study(&with("", row)).unwrap();
}

/// Places of the keys themselves; keys that do nothing; names, a row that holds others and is one as well, and filled text.
#[test]
fn every_mistake_has_its_place() {
    all_refused(
        r#"
        | EXPERIMENT¶ids = [] | at least one identifier | ids = []
        | EXPERIMENT¶ids = [" "] | an identifier must not be empty | ids =
        | EXPERIMENT¶ids = ["E"]¶EXPERIMENT¶ids = ["E"] | two experiments have the identifier `E` | ids =
        | [headline]¶claim = "c"¶judged = [] | at least one row that judges it | judged = []
        | BARS¶BARS | two figures have the identifier `F` | id = "F"
        | ROW¶of = "jain()"¶ROW¶of = "jain()" | two rows have the identifier `x` | id = "x"
        duration = "1 parsec" | | unit of time | duration =
        | [size]¶default.duration = "2 parsecs" | unit of time | default.duration
        | [size]¶default.warmup = "5 s" | warm-up | default.warmup
        | [size]¶default.scale = 1e-9 | at cc = lia is invalid | default.scale
        | ROW¶of = "jain()"¶interpretations = [{ what = "w", rule = "at most 1" }] | `rule` has no effect in an entry | id = "x"
        | ROW¶of = "jain()"¶interpretations = [{ what = "w", id = "y" }] | `id` has no effect in an entry | id = "x"
        | ROW¶of = "jain()"¶interpretations = [{ what = "w", unit = "s" }] | `unit` has no effect in an entry | id = "x"
        | ROW¶of = "jain()"¶interpretations = [{ what = "w", because = "b" }] | `because` has no effect in an entry | id = "x"
        vary.loss = ["1 %"] | | an axis cannot be called `loss` | vary.loss
        vary.backend = ["x"] | | an axis cannot be called `backend` | vary.backend
        duration = "3 s" | set.duration = "2 s" | `duration` in `set` has no effect | set.duration
        set.seed = 7 | | `seed` has no effect here | set.seed
        vary.s = { key = "seed", values = [1] } | | `seed` has no effect here | vary.s
        set."flows.mptcp.cc" = "olia" | | `cc` replaces the value of `flows.mptcp.cc` | set."flows
        set."links.a.queue" = "1 BDP" | vary.s = { key = "links.*.queue", values = ["2 BDP"] } | the axis `s` replaces the value of `links.a.queue` | set."links
        vary.s = { key = "links.a.queue", values = ["1 BDP"] } | vary.t = { key = "links.a.queue", values = ["2 BDP"] } | the axis `t` replaces the value of `links.a.queue` | vary.s
        | ROW¶of = "jain()"¶because = "b" | `because` has no effect in a row without a verdict | because =
        | ROW¶of = "jain()"¶explain = [{ when = "1", text = "t" }] | `explain` has no effect in a row without | explain =
        | ROW¶rows = [{ id = "y", of = "jain()", because = "b" }] | `because` has no effect in a row without | rows =
        | ROW¶of = "jain()"¶rows = [{ id = "y", published = 1 }, { id = "z", because = "b" }] | `because` has no effect in a row without | rows =
        repeats = 0 | | `repeats` is 0 | repeats =
        at_most = { reno = 2 } | | no axis has the values reno | at_most =
        at_most = {} | | at_most | at_most =
        zip = [["cc", "x"]] | | `zip` names `x` | zip =
        | ROW¶of = 'equilibrium("tcp", 1, 1e300)' | from 0 to 1 | of = 'equi

        quick.seeds = 3 | | belongs in [size.quick] | quick.seeds
        | [size]¶quick.only = "all" | move it to [runs.NAME.quick] | quick.only
        | TIME¶x = "cc" | `x` has no effect | x =
        | TIME¶pooled = true | `pooled` has no effect | pooled =
        | TIME¶curves = { c = "1" } | `curves` has no effect | curves =
        | TIME¶published = { p = [1] } | is not a published value | published =
        | HEAT¶x = "cc"¶log = "xy" | x in `log` has no effect | log =
        | HEAT¶x = "cc"¶limits = [0.0, 2.0] | must be unequal numbers above 0 | limits =
        | HEAT¶x = "cc"¶x_title = "x" | `x_title` has no effect | x_title =
        | HEAT¶x = "cc"¶panel = "cc"¶panels = [{ title = "" }] | in a figure with `panels` | panel =
        | ROW¶of = "jain()"¶over = {} | `over` must name one axis | over =

        vary.my-n = [1] | | `my-n` is not a valid name of an axis | vary.my-n
        vary."a.b" = [1] | | `a.b` is not a valid name | vary."a.b"
        | [axes]¶n = [{ id = "a", my-loss = 1 }] | `my-loss` is not a valid name of a field | n = [
        | [quantities]¶"2q" = "1" | `2q` is not a valid name of a quantity | "2q" =
        | [axes]¶n = { values = [1, 2], names = ["X", "X"] }¶HEAT¶x = "n"¶at = { cc = "lia" } | have the name "X" | x = "n"
        | ROW¶of = "1"¶ascending = ["1", "2"]¶rows = [{ id = "y", formula = "1" }] | one of `of` | id = "x"
        | [[findings]]¶text = "{cc.name} {cc.name} {cc.name} {cc.name} {m:.1}" | no `m` | text =
        | [[findings]]¶at = { cc = "lia" }¶text = "{m:.1}"¶values = { m = "jain()", n = "jain()" } | `n` has no effect | values =
        "#,
    );
}

#[test]
fn braces_are_filled_where_readers_look() {
    let text = with(
        "",
        "[[figures]]\nid = \"F\"\ntitle = \"{cc}\"\nkind = \"lines\"\nat = { cc = \"olia\" }\n\
         x = \"n\"\nof = \"jain()\"\nx_title = \"x of {cc}\"\ny_title = \"y of {cc}\"",
    );
    // Keys of the file stand before its first table.
    let text = text
        .replace("title = \"t\"", "title = \"{texts.t}\"\nerrata = [\"{texts.t}\"]\ntexts.t = \"said once\"\naxes.n = [1, 2]")
        .replace("vary.cc", "vary.n = { axis = \"n\", key = \"tcp.initial_window\" }\nvary.cc")
        .replace("id = \"r.{cc}\"", "id = \"r.{cc}\"\nat = { n = 1 }\nclaim = \"c\"\nrule = \"at least 2\"\nexplain = [{ when = \"1\", text = \"t\", by = \"X-{cc}\" }]");
    let result = result(&text);
    assert_eq!((&*result.title, &*result.errata[0]), ("said once", "said once"));
    let experiment = &result.experiments[0];
    assert_eq!(experiment.rows[1].explanation.as_deref(), Some("t (see X-olia)"));
    let panel = &experiment.figures[0].panels[0];
    assert_eq!((&*panel.x.title, &*panel.y.title), ("x of olia", "y of olia"));
}

/// A panel's title is the value's name, with the axis before a number.
#[test]
fn titles_of_panels() {
    let text = with(
        "vary.n = { key = \"tcp.initial_window\", values = [1, 2] }",
        "[[figures]]\nid = \"F\"\ntitle = \"t\"\nkind = \"bars\"\npanel = \"n\"\nx = \"cc\"\nof = \"jain()\"",
    );
    let titles = |text: &str| {
        let result = result(&text.replace("id = \"r.{cc}\"", "id = \"r.{cc}.{n}\""));
        let panels = &result.experiments[0].figures[0].panels;
        panels.iter().map(|panel| panel.title.clone()).collect::<Vec<_>>()
    };
    assert_eq!(titles(&text), ["n = 1", "n = 2"]);
    assert_eq!(
        titles(&text.replace("values = [1, 2]", "values = [1, 2], names = [\"one\", \"two\"]")),
        ["one", "two"]
    );
}

/// Rows of a row have all its keys, an order as well.
#[test]
fn an_order_of_rows_within_a_row() {
    let text = with(
        "",
        "[[rows]]\nid = \"o\"\nclaim = \"c\"\nhighest = \"jain()\"\nover = { cc = [\"lia\", \"olia\"] }\nrows = [{ id = \"a\" }, { id = \"b\", over = { cc = [\"olia\", \"lia\"] } }]",
    );
    let result = run(&study(&text).unwrap(), &Options { seeds: Some(2), ..Options::default() });
    let names = |i: usize| {
        result.experiments[0].rows[i].compared.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    assert_eq!((names(0), names(1)), (vec!["lia".into(), "olia".into()], vec!["olia".into(), "lia".into()]));
}
