mod backends;
mod limits;
mod needs;
mod several;

use super::*;
use crate::simulator::{self, BESIDE, Simulator, run};
use crate::{Backend, Options, Published, Size, StudyError, StudyResult, Task, Verdict, work};
use anabranch_record::{NoSamples, Summary};
use miette::Diagnostic;

const STUDY: &str = r#"
    title = "Beside a flow"
    notes = ["{texts.load} throughout."]
    texts.load = "Two flows on one link"
    texts.less = "much less, with {cc}"
    size.default.seeds = 2

    [runs.beside]
    scenario = "beside.toml"
    duration = "{length} s"
    title = "{cc} with {queue}"
    cc = "{cc}"
    vary.cc = ["lia", "olia"]
    vary.queue = { key = "links.*.queue", range = "0.5..2 BDP", steps = 3, scale = "log" }

    [quantities]
    length = 'by_size(2, 3 + 1, 7)'
    ratio = 'goodput("mptcp") / goodput("tcp")'

    [[rows]]
    id = "ratio.{cc}"
    what = "{cc}: MPTCP ÷ TCP in {length} s"
    at = { queue = "1 BDP" }
    of = "ratio"
    published = { lia = [0.9, 1.1], olia = 100 }
    explain = [
        { when = "measured > published", text = "more" },
        { when = "measured < published / 2", text = "{texts.less}", by = "ratio.lia" },
    ]

    [[rows]]
    id = "order"
    claim = "the link is full with either"
    at = { queue = "2 BDP" }
    ascending = ['at(cc = lia, 0 * goodput("tcp"))', 'at(cc = olia, utilisation("a"))']

    [[rows]]
    id = "each.{cc}"
    what = "{cc}"
    at = { queue = ["0.5 BDP", "2 BDP"] }
    where = "queue > 1"
    unit = "Mbit/s"
    of = 'goodput("mptcp")'
    because = { lia = "{texts.load}" }

    [[rows.rows]]
    id = "both"
    what = "together"
    published = 1e6

    [[rows.rows]]
    id = "tcp"
    at = { cc = "olia" }
    of = 'goodput("tcp")'

    [[rows]]
    id = "computed"
    formula = "2 * 3"
    published = 6
    rule = "printed"

    [[figures]]
    id = "F1"
    title = "Ratio by buffer"
    kind = "lines"
    x = "queue"
    by = "cc"
    of = "ratio"
    log = "x"
    where = "queue < 2"
    published = { theirs = [1, 1] }
    curves = { law = "2 * queue" }

    [[figures]]
    id = "F3"
    title = "Goodputs"
    kind = "bars"
    at = { queue = "1 BDP" }
    published.theirs = { LIA = 3 }
    bars.ours = { LIA = 'at(cc = lia, goodput("mptcp"))', "TCP beside OLIA" = 'at(cc = olia, goodput("tcp"))' }

    [[figures]]
    id = "F2"
    title = "Windows"
    kind = "time"
    at = { cc = "lia", queue = "1 BDP" }
    series = { "subflow 1" = 'cwnd("mptcp", 1)', tcp = 'cwnd("tcp", 1)' }
"#;

fn study(text: &str) -> Result<Arc<Study>, FileError> {
    simulator::study(text, &[("beside.toml", BESIDE)])
}

fn result(text: &str) -> StudyResult {
    run(&study(text).unwrap_or_else(|e| panic!("{e}")), &Options::default())
}

/// The message of a text that is not a study.
fn mistake(text: &str) -> String {
    study(text).err().unwrap_or_else(|| panic!("accepted: {text}")).to_string()
}

#[test]
fn a_study_runs() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("beside.toml"), BESIDE).unwrap();
    let study = load("my.toml", STUDY, folder.path(), &[]).unwrap();
    let result = run(&study, &Options::default());
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    assert_eq!((&*result.name, &*result.title, &*experiment.id), ("my", "Beside a flow", "my"));
    // Two algorithms, three buffers.
    assert_eq!(experiment.runs.len(), 6);
    assert_eq!(experiment.runs[1].title, "lia with 1 BDP");
    let ids: Vec<&str> = experiment.rows.iter().map(|row| &*row.id).collect();
    let within = ["each.lia.both", "each.olia.both", "each.olia.tcp"];
    assert_eq!(ids, [&["ratio.lia", "ratio.olia", "order"][..], &within, &["computed"]].concat());
    let [lia, olia, order, both_lia, both, tcp, computed] = &experiment.rows[..] else {
        panic!("seven rows")
    };
    assert_eq!((&*both.what, &*tcp.what, &*tcp.unit), ("olia: together", "olia", "Mbit/s"));
    assert_eq!((&both.published, &tcp.published), (&Published::Value(1e6), &Published::Nothing));
    assert_eq!(both_lia.explanation.as_deref(), Some("Two flows on one link"));
    assert_eq!(both.explanation, None);
    assert!(both.measured != tcp.measured && both.measured != both_lia.measured);
    assert_eq!(lia.what, "lia: MPTCP ÷ TCP in 4 s");
    assert_eq!(lia.measured.as_ref().unwrap().values.len(), 2);
    assert!(experiment.runs[0].command.contains("duration=4 s"), "{}", experiment.runs[0].command);
    assert_eq!((&lia.published, &olia.published), (&Published::Value(1.0), &Published::Value(100.0)));
    assert_eq!(olia.verdict, Verdict::NotReproduced);
    assert_eq!(olia.explanation.as_deref(), Some("much less, with olia (see ratio.lia)"));
    assert_eq!(result.notes, ["Two flows on one link throughout."]);
    assert_eq!((order.compared.len(), order.verdict), (2, Verdict::Partly));
    assert_eq!(computed.verdict, Verdict::Reproduced);
    let [lines, bars, time] = &experiment.figures[..] else { panic!("three figures") };
    let names: Vec<(&str, usize)> =
        lines.panels[0].series.iter().map(|s| (&*s.name, s.points.len())).collect();
    assert_eq!(names, [("theirs", 2), ("law", 8), ("lia", 2), ("olia", 2)]);
    assert_eq!(lines.panels[0].series[2].points[0].x, 0.5);
    // Ten points a decade from 0.5 to 2.
    let law = &lines.panels[0].series[1].points;
    assert!((law[1].y - 2.0 * 0.5 * 10f64.powf(0.1)).abs() < 1e-9 && (law[7].x - 2.0).abs() < 1e-9);
    assert_eq!(bars.panels[0].series.iter().map(|s| s.points.len()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(bars.panels[0].series[1].points[1].label.as_deref(), Some("TCP beside OLIA"));
    assert!(time.panels[0].series[1].points.len() > 10);
}

/// A link of 10 Mbit/s beside one of 20, which the text may mean as well: the second refutes what the first does not. Both are measured.
#[test]
fn interpretations_decide_whether_a_row_is_determined() {
    let row = |rate: &str| {
        let text = format!(
            r#"
            title = "interpretations"
            size.default.seeds = 2
            [runs.chosen]
            scenario = "beside.toml"
            cc = "lia"
            set."links.a.rate" = "10 Mbit/s"
            duration = "4 s"
            [runs.others]
            scenario = "beside.toml"
            cc = "lia"
            duration = "4 s"
            vary.rate = {{ key = "links.a.rate", values = ["8 Mbit/s", "{rate}"] }}
            [[rows]]
            id = "sum"
            runs = "chosen"
            of = 'total("mptcp", "tcp")'
            claim = "it is full"
            rule = "at most 12"
            interpretations = [{{ what = "with {{rate}}", runs = "others" }}]
        "#
        );
        result(&text).experiments.remove(0).rows.remove(0)
    };
    let open = row("20 Mbit/s");
    assert_eq!(open.verdict, Verdict::Undetermined);
    let interpretations: Vec<_> = open.interpretations.iter().map(|r| (&*r.variant, r.verdict)).collect();
    assert_eq!(
        interpretations,
        [("with 8 Mbit/s", Verdict::Reproduced), ("with 20 Mbit/s", Verdict::NotReproduced)]
    );
    let [slow, fast] = [0, 1].map(|i| open.interpretations[i].measured.as_ref().unwrap().mean);
    let chosen = open.measured.as_ref().unwrap().mean;
    assert!(slow < chosen && chosen < 10.0 && fast > 12.0, "{slow} {chosen} {fast}");
    let rule = &open.rule;
    assert!(open.is_judged() && rule.ends_with("undetermined if only some of them refute it"), "{rule}");
    // Where no interpretation refutes it, the chosen interpretation's verdict stands.
    assert_eq!(row("9 Mbit/s").verdict, Verdict::Reproduced);
}

/// The second seed's run.
fn summary(task: Task) -> Summary {
    Simulator.run(&task.seed(2), &mut NoSamples, &mut |_| true).unwrap()
}

#[test]
fn a_quantity_is_the_runs_own() {
    let summary = summary(Task::new(BESIDE).set("links.a.queue=1 BDP").cc("olia"));
    let goodput = |flow: usize| summary.flows[flow].goodput_bps.unwrap();
    let row = &result(STUDY).experiments[0].rows[1];
    assert_eq!(row.measured.as_ref().unwrap().values[1], (goodput(0) / 1e6) / (goodput(1) / 1e6));
}

/// Cases, a line each: what is replaced in the study, by what, a text on the line that is named (empty: any line), what is said, and
/// what would be right. `¶` stands for a line break with the study's indent.
fn refuses(text: &str, scenarios: &[(&str, &str)], cases: &str) {
    for case in cases.trim().lines() {
        let parts: Vec<String> = case.split(" |").map(|part| part.trim().replace('¶', "\n    ")).collect();
        let [old, new, line_of, message, help] = &parts[..] else { panic!("{case}") };
        assert!(text.contains(old), "{old}");
        let text = text.replacen(old, new, 1);
        let error = simulator::study(&text, scenarios).err();
        let error = error.unwrap_or_else(|| panic!("{new} is accepted"));
        assert!(error.to_string().contains(message), "{new}: {error}");
        let line = text.lines().position(|line| line.contains(line_of)).map(|line| line + 1);
        match &**line_of {
            "" => assert!(error.line().is_some(), "{new}: {error}"),
            "nowhere" => assert!(error.line().is_none(), "{new}: {error}"),
            _ => assert_eq!(error.line(), line, "{new}: {error}"),
        }
        let shown = error.help().map(|help| help.to_string()).unwrap_or_default();
        assert!(shown.contains(help), "{new}: {shown}");
    }
}

#[test]
fn what_is_wrong_where_and_what_would_be_right() {
    refuses(
        STUDY,
        &[("beside.toml", BESIDE)],
        r#"
        title = "Beside a flow" | titel = "x" | titel | unknown field `titel` |
        goodput("mptcp") / | godput("mptcp") / | godput | no function `godput` | `goodput`
        goodput("mptcp") / | goodput("mtcp") / | mtcp | no flow `mtcp` | `mptcp`
        goodput("tcp")' | goodput("tcp", 2)' | tcp", 2 | subflows 1 to 1 |
        goodput("tcp")' | goodput("tcp") +' | +' | expected a number |
        of = "ratio"¶published | of = "ratoi"¶published | ratoi | neither a quantity | `ratio`
        formula = "2 * 3" | formula = "2 / (3 - 3)" | 3 - 3 | division by zero |
        vary.cc = ["lia", "olia"] | vary.cc = [] | vary.cc = [] | no values |
        at = { queue = "2 BDP" } |  | ascending | axis `queue` has several values | at =
        at = { queue = "2 BDP" } | at = { queue = "3 BDP" } | 3 BDP | no value `3 BDP` | 2 BDP
        rule = "printed" | rule = "about" | about | not a rule | near
        seeds = 2 | seeds = 0 | seeds = 0 | `seeds` is 0 |
        "links.*.queue" | "links.*.queu" | queu" | unknown key `queu` | check
        vary.cc = [ | set."links.a.rat" = "{cc}"¶vary.cc = [ | rat" | queue = 0.5 BDP is invalid: unknown key `rat` | check
        at = { queue = "1 BDP" }¶of = "ratio" | of = "ratio" | of = "ratio" | has several values | at =
        x = "queue" | x = "buffer" | x = "buffer" | `buffer` is not an axis | queue
        scenario = "beside.toml" | scenario = "other.toml" | other.toml | cannot read |
        series = { "subflow 1" = 'cwnd( | series = { "subflow 1" = 'cwdn( | cwdn | `cwdn` cannot be drawn | `cwnd`
        published = { theirs = [1, 1] } | published = { theirs = [1] } | theirs | 1 published values for 2 |
        ratio = 'goodput | ratio = 'ratio + goodput | ratio +  | refers to itself |
        cc = "{cc}"¶ |  | vary.cc | axis `cc` has no effect | {cc}
        {cc} with {queue} | {cc} with {quue} | {quue} | neither an axis nor a quantity | `queue`
        vary.cc =  | vary.seed = [1]¶vary.cc =  | vary.seed | cannot be called `seed` |
        id = "ratio.{cc}" | id = "ratio" | id = "ratio" | has no value here | {cc}
        published = 6¶rule = "printed" | rule = "near 6" | rule = "near 6" | needs a `claim` or a `published` value |
        by_size(2, | by_size( | by_size( | by_size(QUICK, DEFAULT, FULL) |
        in {length} s | in {ratio} s | ratio = | cannot read a run |
        in {length} s | in {lenght} s |  | neither an axis nor a quantity |
        {texts.load} t | {texts.lod} t | nowhere | [texts] has no `lod` | `load`
        much less, with {cc} | much less, {texts.load} | much less | a text cannot contain another |
        formula = "2 * 3" | formula = "ln(0)" | ln(0) | not a finite number |
        queue > 1 | queue > bdp | queue > bdp | neither a quantity |
        because = { lia | because = { reno | because = { reno | no axis has the values reno |
        2 * 3 | virtual_reno(1) | virtual | `virtual_reno` takes 5 numbers, not 1 |
        published = 6 | published = nan | published = nan | finite |
        goodput("tcp")' | rtt_percentile("tcp", 1, 90)' | rtt_percentile | percentile 90 is not recorded | 95
        law = "2 * queue" | law = "at(cc = lia, queue = 1 BDP, ratio)" | law = | cannot read a run |
        theirs = { LIA = 3 } | theirs = { LIA = "3" } | LIA = "3" | is not a published value |
        log = "x" | log = "q" | log =  | `log` is |
        "#,
    );
}

/// Flows alike, on one link or on two.
const ALIKE: &str = r#"
    name = "alike"
    duration = "4 s"
    warmup = "1 s"
    links.a = { rate = "20 Mbit/s", delay = "10 ms", queue = "1 BDP" }
    flows = [
        { name = "mptcp", count = 2, cc = "lia", paths = [["a"], ["a"]] },
        { name = "tcp", count = 3, cc = "reno", paths = [["a"]] },
    ]
"#;

const LISTS: &str = r#"
    title = "Flows alike"
    size.quick = { seeds = 3, scale = 0.5 }

    [axes]
    cc = { values = ["lia", "olia", "balia"], names = ["LIA", "OLIA", "BALIA"] }
    group = [
        { id = "mptcp", name = "connections", unit = "Mbit/s", part = 'mean(goodput("mptcp/*", *))' },
        { id = "tcp", name = "flows", unit = "Mb/s", part = 'mean(goodput("tcp/*"))' },
    ]
    root = [{ id = "two", of = 4 }, { id = "three", of = 9 }]

    [runs.first]
    scenario = "alike.toml"
    cc = "{variant}"
    vary.variant = { axis = "cc", values = ["olia", "lia"] }
    at_most = { olia = 2 }

    [runs.second]
    scenario = "alike.toml"
    cc = "{variant}"
    set."links.a.rate" = "10 Mbit/s"
    vary.variant = "cc"
    vary.length = [{ id = "short", s = 1 }, { id = "long", s = 2 }]
    duration = "{length.s} s"
    warmup = "500 ms"
    quick.duration = "1500 ms"
    samples = true

    [quantities]
    mean = 'mean(goodput("{group}/*"))'

    [[rows]]
    id = "mean.{group}.{variant}"
    what = "{group.name} with {variant.name}"
    unit = "{group.unit}"
    runs = "first"
    of = "mean"

    [[rows]]
    id = "part.{group}"
    runs = "first"
    at = { variant = "lia" }
    of = "{group.part}"

    [[rows]]
    id = "least"
    runs = "first"
    of = 'min(at(variant = *, sum(goodput("mptcp/*", *))))'

    [[rows]]
    id = "{variant}.{length}"
    runs = ["second"]
    of = "duration() + warmup()"

    [[rows]]
    id = "root.{root}"
    formula = "sqrt(root.of)"

    [[figures]]
    id = "F"
    title = "Means"
    kind = "bars"
    runs = ["first"]
    x = "variant"
    by = "group"
    of = "mean"

    [[figures]]
    id = "F2"
    title = "One mean over another"
    kind = "lines"
    runs = "first"
    x = "variant"
    x_of = 'mean(goodput("tcp/*"))'
    series = { "MPTCP" = 'mean(goodput("mptcp/*"))' }
"#;

/// Axes of the file, each flow and subflow, numbers of seeds and lengths by value and by size: each compared with the run itself.
#[test]
fn lists_of_the_file_and_flows_alike() {
    let study = simulator::study(LISTS, &[("alike.toml", ALIKE)]).unwrap();
    let result = run(&study, &Options { size: Size::Quick, ..Options::default() });
    let [experiment] = &result.experiments[..] else { panic!("one experiment") };
    let row = |id: &str| experiment.rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("{id}"));
    let values = |id: &str| row(id).measured.as_ref().unwrap_or_else(|| panic!("{id}")).values.clone();

    let task = Task::new(ALIKE).set("duration=2 s").set("warmup=0.5 s");
    let [lia, olia] = ["lia", "olia"].map(|cc| summary(task.clone().cc(cc)));
    let whole = |run: &Summary, flow: usize| run.flows[flow].goodput_bps.unwrap() / 1e6;
    let part = |run: &Summary, flow: usize, r: usize| run.flows[flow].subflows[r].goodput_bps.unwrap() / 1e6;
    let mean = row("mean.tcp.olia");
    assert_eq!((&*mean.what, &*mean.unit), ("flows with OLIA", "Mb/s"));
    assert_eq!(values("mean.mptcp.lia")[1], (whole(&lia, 0) + whole(&lia, 1)) / 2.0);
    assert_eq!(values("mean.tcp.olia")[1], (whole(&olia, 2) + whole(&olia, 3) + whole(&olia, 4)) / 3.0);
    let parts = |run| (part(run, 0, 0) + part(run, 0, 1)) + part(run, 1, 0) + part(run, 1, 1);
    assert_eq!(values("part.mptcp")[1], parts(&lia) / 4.0);
    assert_eq!(values("part.tcp"), values("mean.tcp.lia"));
    assert_eq!(values("least")[1], parts(&lia).min(parts(&olia)));
    assert_eq!(
        (values("mean.tcp.lia").len(), values("mean.tcp.olia").len(), values("least").len()),
        (3, 2, 2)
    );

    // A length of the size itself, and one that it scales.
    assert_eq!(values("balia.short"), [1.75; 3]);
    assert_eq!((values("root.two"), values("root.three")), (vec![2.0], vec![3.0]));
    let long = study.experiments[0].plan(Size::Default);
    let long = long.setups.iter().find(|setup| setup.title == "BALIA, long").unwrap();
    assert_eq!(long.scenario().unwrap().duration.as_secs_f64(), 2.0);
    assert_eq!(long.samples, crate::setup::Samples::All);

    let [bars, lines] = &experiment.figures[..] else { panic!("two figures") };
    let series: Vec<_> = bars.panels[0].series.iter().map(|s| (&*s.name, s.points.len())).collect();
    assert_eq!(series, [("connections", 2), ("flows", 2)]);
    assert_eq!(bars.panels[0].series[1].points[0].label.as_deref(), Some("OLIA"));
    let x: Vec<f64> = lines.panels[0].series[0].points.iter().map(|point| point.x).collect();
    let mean = |id: &str| row(id).measured.as_ref().unwrap().mean;
    assert_eq!(x, [mean("mean.tcp.olia"), mean("mean.tcp.lia")]);
}

#[test]
fn what_is_wrong_with_lists() {
    refuses(
        LISTS,
        &[("alike.toml", ALIKE)],
        r#"
        vary.variant = "cc" | vary.variant = "ccs" |  | [axes] has no `ccs` | `cc`
        ["olia", "lia"] } | ["olio"] } |  | axis `cc` has no value `olio` | `olia`
        ["olia", "lia"] } | ["olia"], steps = 2 } |  | may only have the keys | for example
        of = 'min(at( | of = 'abs(at( |  | axis `variant` has no value `*` |
        of = 'min(at(variant | of = 'min(at(varant |  | `varant` is not an axis | `variant`
        mean = 'mean(goodput("{group}/*"))' | mean = 'goodput("{group}/*")' |  | stands for several | mean(…)
        sum(goodput("mptcp/*", *)) | sum(goodput("mptc/*", *)) |  | no flow `mptc/*` | mptcp
        sum(goodput("mptcp/*", *)) | sum(goodput("mptcp/*") + goodput("tcp/*")) |  | in one argument | `*` of one group
        at_most = { olia = 2 } | at_most = "two" |  | a whole number, or a table |
        id = "root.{root}" | id = "root.{rot}" |  | `rot` is not an axis of this file | `root`
        kind = "lines" | kind = "bars" |  | `x_of` is only allowed |
        "#,
    );
}

/// Each value makes a scenario with the others' first, but not every combination of them: the error names the point, and the place of
/// an axis that it would be a scenario without.
#[test]
fn a_combination_that_is_no_scenario() {
    let axes = "vary.cc = [\"lia\", \"olia\"]
    vary.end = { key = \"duration\", values = [\"10 s\", \"3 s\"] }
    vary.begin = { key = \"warmup\", values = [\"1 s\", \"5 s\"] }";
    let text = STUDY.replace("vary.cc = [\"lia\", \"olia\"]", axes);
    let text = text.split("[[rows]]").next().unwrap();
    let study = study(text).unwrap();
    let Err(StudyError::File(error)) = work(&study, &Options::default()) else { panic!("no scenario") };
    let said =
        "at cc = lia, end = 3 s, begin = 5 s, queue = 0.5 BDP is invalid: the warm-up of 5 s must be shorter";
    assert!(error.to_string().contains(said), "{error}");
    assert_eq!(error.line(), Some(1 + text[..text.find("vary.begin").unwrap()].matches('\n').count()));
}

/// A figure's points that have no value are counted, and the first is explained.
#[test]
fn points_without_a_value() {
    let none = "by = \"cc\"\n    of = \"ratio / (1 - min(queue * 2, 1))\"";
    let text = STUDY.replace("by = \"cc\"\n    of = \"ratio\"", none);
    let result = result(&text);
    let [all, none, ..] = &result.experiments[0].figures[..] else { panic!("three figures") };
    let line = 1 + text[..text.find("ratio / (1 -").unwrap()].matches('\n').count();
    let message = format!(
        "4 of 4 points have no value: division by zero, in `ratio / (1 - min(queue * 2, 1))` on line {line} of my.toml"
    );
    assert_eq!((all.missing.as_deref(), none.missing.as_deref()), (Some(&*message), None));
    let text = STUDY.replace("'cwnd(\"tcp\", 1)'", "'observable(\"tcp\", 1, \"alpha\")'");
    let windows = &self::result(&text).experiments[0].figures[2];
    assert_eq!(windows.missing.as_deref(), Some("1 of 2 lines have no value in the first seed's run"));
}

/// A missing interval explains a verdict only if it decides it: 12 is 20 % from 10.
#[test]
fn a_missing_interval_explains_no_deviation() {
    let row = |published: u32| {
        let row = format!(
            "\n[[rows]]\nid = \"constant\"\nat = {{ cc = \"lia\", queue = \"1 BDP\" }}\nof = '12 + 0 * goodput(\"tcp\")'\n\
             published = {published}\nbecause = \"The buffer.\"\n"
        );
        let result = result(&(STUDY.to_owned() + &row));
        let row = result.experiments[0].rows.iter().find(|row| row.id == "constant").unwrap();
        (row.verdict, row.explanation.clone().unwrap())
    };
    assert_eq!(row(10), (Verdict::Partly, "The buffer.".into()));
    let (verdict, why) = row(12);
    assert!(verdict == Verdict::Partly && why.starts_with("All seeds gave exactly this value"), "{why}");
}

/// An axis in any order: lines join its numbers in theirs.
#[test]
fn lines_go_from_left_to_right() {
    let range = "range = \"0.5..2 BDP\", steps = 3, scale = \"log\" }";
    let text = STUDY.replace(range, "values = [\"2 BDP\", \"0.5 BDP\", \"1 BDP\"] }").replace(
        "where = \"queue < 2\"\n    published = { theirs = [1, 1] }",
        "published = { theirs = [20, 5, 10] }",
    );
    let result = result(&text);
    let series = &result.experiments[0].figures[0].panels[0].series;
    for name in ["theirs", "lia", "olia"] {
        let line = series.iter().find(|line| line.name == name).unwrap();
        assert_eq!(line.points.iter().map(|p| p.x).collect::<Vec<_>>(), [0.5, 1.0, 2.0], "{name}");
    }
    assert_eq!(series[0].points.iter().map(|p| p.y).collect::<Vec<_>>(), [5.0, 10.0, 20.0]);
}

/// Positions that a quantity gives are in its own unit, not the axis's.
#[test]
fn a_horizontal_quantity_names_the_axis() {
    let title = |x_of: &str| {
        let text = STUDY.replace("by = \"cc\"\n    of", &format!("by = \"cc\"\n    {x_of}\n    of"));
        result(&text).experiments[0].figures[0].panels[0].x.title.clone()
    };
    assert_eq!(title(""), "queue (BDP)");
    assert_eq!(title("x_of = 'cwnd(\"mptcp\", 1)'"), "cwnd(\"mptcp\", 1)");
    assert_eq!(title("x_of = 'cwnd(\"mptcp\", 1)'\n    x_title = \"window\""), "window");
}

/// Values that grow without bound are refused, not computed.
#[test]
fn what_is_too_much() {
    let doubled: String = (1..40).map(|i| format!("q{i} = 'q{} + q{}'\n", i - 1, i - 1)).collect();
    let quantities = format!("[quantities]\nq0 = 'goodput(\"tcp\")'\n{doubled}");
    let text = STUDY
        .replace("[quantities]", &quantities)
        .replace("of = \"ratio\"\n    published", "of = \"q39\"\n    published");
    let error = mistake(&text);
    assert!(error.contains("too long"), "{error}");

    let axis = |flow: &str| {
        format!(
            "vary.{flow} = {{ key = \"flows.{flow}.tcp.initial_window\", range = \"1..399\", steps = 399 }}"
        )
    };
    let axes = ["vary.cc = [\"lia\", \"olia\"]", &axis("tcp"), &axis("mptcp")].join("\n");
    let error = mistake(&STUDY.replace("vary.cc = [\"lia\", \"olia\"]", &axes));
    assert!(error.contains("the limit is 100000"), "{error}");
}

/// Values with different units are not numbers to compute with.
#[test]
fn units_are_not_mixed() {
    let mixed = "values = [\"0.5 BDP\", \"10 packets\", \"2 BDP\"] }";
    let text = STUDY
        .replace("range = \"0.5..2 BDP\", steps = 3, scale = \"log\" }", mixed)
        .replace("queue = \"1 BDP\"", "queue = \"10 packets\"")
        .replace("where = \"queue < 2\"", "")
        .replace("queue = [\"0.5 BDP\", \"2 BDP\"]", "queue = \"2 BDP\"")
        .replace("where = \"queue > 1\"", "");
    let error = mistake(&text);
    assert!(error.contains("lines need an axis of numbers"), "{error}");
}

/// A terminal obeys what it is sent: names, messages and the text around a mistake.
#[test]
fn mistakes_are_shown_printable() {
    let text = "title = \"x\"\n\"a\u{202e}\u{9b}b\" = 1 # \u{2066}\u{7f}\n";
    let error = load("\u{1b}[31m.toml", text, Path::new(""), &[]).err().unwrap();
    let label = error.labels().unwrap().next().unwrap();
    let shown = error.source_code().unwrap().read_span(label.inner(), 1, 1).unwrap();
    let help = error.help().map(|help| help.to_string()).unwrap_or_default();
    let all = format!("{}{}{error}{help}", shown.name().unwrap(), String::from_utf8_lossy(shown.data()));
    assert!(all.contains("\\u{1b}[31m.toml") && all.contains('b'), "{all}");
    assert!(!all.contains(|c: char| c != '\n' && anabranch_scenario::is_hidden(c)), "{all:?}");
    assert_eq!(error.line(), Some(2));
}
