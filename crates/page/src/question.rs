//! Questions of the page, as JSON: a scenario's text and changes to it, as on the command line.

use anabranch_advice::{ALGORITHMS, Plan, RULE};
use anabranch_cc::registry::{ALL, Kind};
use anabranch_ideal::{Ideals, QUEUE};
use anabranch_net::{LinkSpec, Loss, QueueLimit, Time};
use anabranch_record::{NoSamples, Sink, Summary};
use anabranch_scenario::{
    Flow, NamedLink, Overrides, Path, Scenario, ScenarioError, Source, load, printable,
};
use miette::Diagnostic;
use serde::Deserialize;
use serde_json::{Value, json};

/// The JSON answer, or `{"problems": […]}`.
pub type Answer = Result<String, String>;

/// A scenario with changes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    /// The file's text.
    text: String,
    /// Values as in `--set`.
    #[serde(default)]
    set: Vec<String>,
    /// Algorithms as in `--cc`.
    #[serde(default)]
    cc: Vec<String>,
}

impl Question {
    fn of(json: &str) -> Result<Self, String> {
        serde_json::from_str(json).map_err(|e| problem(&e.to_string()))
    }

    fn scenario(json: &str) -> Result<Scenario, String> {
        Question::of(json)?.changed(&[], None)
    }

    /// The scenario with further values and another algorithm.
    fn changed(&self, set: &[String], cc: Option<&str>) -> Result<Scenario, String> {
        let set = [&self.set[..], set].concat();
        let cc = self.cc.iter().cloned().chain(cc.map(str::to_owned)).collect();
        let overrides = Overrides { set, cc, ..Overrides::default() };
        let source = Source { name: "the scenario".into(), text: self.text.clone() };
        load(&source, &overrides).map_err(|error| problems(&error))
    }
}

fn problem(message: &str) -> String {
    json!({ "problems": [{ "message": message }] }).to_string()
}

fn problems(error: &ScenarioError) -> String {
    let each = error.problems().iter().map(|problem| {
        json!({
            "message": problem.to_string(),
            "line": problem.line(),
            "text": problem.text(),
            "help": problem.help().map(|help| help.to_string()),
        })
    });
    json!({ "problems": each.collect::<Vec<_>>() }).to_string()
}

/// Describes the links and flows of a scenario, for the controls of the page.
pub fn describe(question: &str) -> Answer {
    let scenario = Question::scenario(question)?;
    Ok(json!({
        "name": scenario.name,
        "description": scenario.description.as_deref().map(printable),
        "duration_s": scenario.duration.as_secs_f64(),
        "warmup_s": scenario.warmup.as_secs_f64(),
        "seed": scenario.seed.to_string(),
        "links": scenario.links.iter().zip(scenario.longest_base_rtts()).map(link).collect::<Vec<_>>(),
        "flows": scenario.flows.iter().map(|f| flow(f, &scenario.links)).collect::<Vec<_>>(),
    })
    .to_string())
}

fn link((link, longest_rtt): (&NamedLink, Time)) -> Value {
    let LinkSpec { rate_bps, delay, queue, loss, .. } = &link.spec;
    let (packets, bytes) = match *queue {
        QueueLimit::Packets(packets) => (Some(packets), None),
        QueueLimit::Bytes(bytes) => (None, Some(bytes)),
    };
    let loss_rate = match *loss {
        Loss::None => Some(0.0),
        Loss::Bernoulli(loss) => Some(loss.rate),
        _ => None,
    };
    json!({
        "name": link.name,
        "key": link.key,
        "rate_bps": rate_bps,
        "delay_s": delay.as_secs_f64(),
        "bdp_bytes": rate_bps * longest_rtt.as_secs_f64() / 8.0,
        "queue_packets": packets,
        "queue_bytes": bytes,
        "loss_rate": loss_rate,
    })
}

fn flow(flow: &Flow, links: &[NamedLink]) -> Value {
    let names = |path: &Path| path.links.iter().map(|link| &*links[*link].name).collect::<Vec<_>>();
    let paths: Vec<_> = flow.paths.iter().map(names).collect();
    json!({
        "name": flow.name,
        "cc": flow.cc.entry.name,
        "multipath": flow.is_multipath(),
        "greedy": flow.is_greedy(),
        "paths": paths,
    })
}

/// Lists every algorithm: name, title and whether it couples.
pub fn algorithms() -> String {
    let each = ALL.iter().map(
        |entry| json!({ "name": entry.name, "title": entry.title, "coupled": entry.kind == Kind::Coupled }),
    );
    Value::from_iter(each).to_string()
}

/// Computes the equilibria of the flows' own algorithms, if known; see [`Ideals`].
pub fn ideal(question: &str) -> Answer {
    let scenario = Question::scenario(question)?;
    serde_json::to_string(&Ideals::of(&scenario, &[], QUEUE)).map_err(|e| problem(&e.to_string()))
}

/// Runs a scenario and writes its samples to `sink`; polls `keep_going`.
///
/// # Errors
/// The scenario's problems, or the reason of a failed run.
pub fn run(question: &str, sink: &mut dyn Sink, keep_going: &mut dyn FnMut(Time) -> bool) -> Answer {
    let scenario = Question::scenario(question)?;
    let run = anabranch_sim::run(&scenario, scenario.seed, sink, keep_going);
    run.map(|run| run.summary.to_json()).map_err(|error| problem(&error.to_string()))
}

/// The seeds of advice: as few as have an interval that can decide.
const SEEDS: u32 = 3;

/// Advises on an algorithm as `anabranch advise --seeds 3` does; polls `keep_going` with the completed fraction.
///
/// # Errors
/// The scenario's problems, or the reason of a failed run.
pub fn advise(question: &str, keep_going: &mut dyn FnMut(f64) -> bool) -> Answer {
    let question = Question::of(question)?;
    let scenario = question.changed(&[], None)?;
    let cc = ALGORITHMS.map(str::to_owned);
    let plan = Plan::of(&scenario, None, &cc, &[]).map_err(|why| problem(&why.to_string()))?;
    let total = (plan.runs.len() * SEEDS as usize) as f64;
    let mut runs: Vec<Vec<Summary>> = Vec::new();
    for planned in &plan.runs {
        let changed = question.changed(&planned.set, planned.cc.as_deref())?;
        let mut seeds = Vec::new();
        for seed in changed.seeds(SEEDS).map_err(|why| problem(&why))? {
            let done = (runs.len() * SEEDS as usize + seeds.len()) as f64;
            let whole = changed.duration.as_secs_f64();
            let mut going = |now: Time| keep_going((done + now.as_secs_f64() / whole) / total);
            let run = anabranch_sim::run(&changed, seed, &mut NoSamples, &mut going);
            seeds.push(run.map_err(|error| problem(&format!("{}: {error}", planned.what)))?.summary);
        }
        runs.push(seeds);
    }
    let advice = plan.conclude(&scenario.name, "", SEEDS, &runs);
    let misses: Vec<String> = advice.cases.iter().map(|case| case.misses()).collect();
    let answer = json!({
        "advice": advice,
        "misses": misses,
        "compared_with": advice.compared_with(),
        "conclusion": advice.recommendation.text,
        "rule": RULE,
    });
    Ok(answer.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = r#"
        name = "two"
        duration = "4 s"
        links.a = { rate = "10 Mbit/s", delay = "10 ms", loss = { model = "bernoulli", rate = 0.01 } }
        links.b = { rate = "5 Mbit/s", delay = "20 ms", queue = "20 packets" }
        flows = [{ name = "both", cc = "lia", paths = [["a"], ["b"]] }]
    "#;

    fn ask(set: &[&str], cc: &[&str]) -> String {
        json!({ "text": TWO, "set": set, "cc": cc }).to_string()
    }

    #[test]
    fn a_run_is_that_of_the_command() {
        let found = run(&ask(&["links.a.rate=8 Mbit/s"], &["olia"]), &mut NoSamples, &mut |_| true).unwrap();
        let mut overrides = Overrides::default();
        overrides.set("links.a.rate=8 Mbit/s").cc("olia");
        let scenario = load(&Source { name: "two.toml".into(), text: TWO.into() }, &overrides).unwrap();
        let run = anabranch_sim::run(&scenario, 1, &mut NoSamples, &mut |_| true).unwrap();
        assert_eq!(found, run.summary.to_json());
        assert_eq!(Summary::from_json(&found).unwrap().flows[0].cc, "olia");
    }

    /// A description that would turn the text around it (UAX #9), or that has an escape, shows what it holds.
    #[test]
    fn hidden_characters_of_a_description_are_spelled_out() {
        let text = TWO.replace("name = \"two\"", "name = \"two\"\ndescription = \"a\\u202Eb\\u001B[31m é\"");
        let found = describe(&json!({ "text": text }).to_string()).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        assert_eq!(found["description"], r"a\u{202e}b\u{1b}[31m é");
    }

    #[test]
    fn links_and_flows_are_described() {
        let found: Value = serde_json::from_str(&describe(&ask(&[], &[])).unwrap()).unwrap();
        assert_eq!(found["links"][0]["rate_bps"], 10e6);
        assert_eq!(found["links"][0]["loss_rate"], 0.01);
        assert_eq!(found["links"][0]["bdp_bytes"], 10e6 * 0.020 / 8.0);
        assert_eq!(found["links"][1]["queue_packets"], 20);
        assert_eq!(found["flows"][0]["paths"], json!([["a"], ["b"]]));
        assert_eq!(found["flows"][0]["multipath"], true);
        assert_eq!(found["flows"][0]["greedy"], true);
        let answers = ask(&["flows.both.application={kind=\"request-response\",size=\"10 kB\"}"], &[]);
        let found: Value = serde_json::from_str(&describe(&answers).unwrap()).unwrap();
        assert_eq!(found["flows"][0]["greedy"], false);
    }

    /// As the command makes it of the same seeds: here by the plan and the runs of the library.
    #[test]
    fn advice_has_a_row_for_each_algorithm() {
        let mut fractions = vec![];
        let mut going = |fraction| {
            fractions.push(fraction);
            true
        };
        let found: Value = serde_json::from_str(&advise(&ask(&[], &[]), &mut going).unwrap()).unwrap();
        let cases = found["advice"]["cases"].as_array().unwrap();
        assert_eq!(cases.iter().map(|case| case["cc"].as_str().unwrap()).collect::<Vec<_>>(), ALGORITHMS);
        assert!(fractions.is_sorted() && fractions.iter().all(|f| (0.0..=1.0).contains(f)));
        // The mean of three runs of LIA.
        let goodput = |seed: u64| {
            let text = ask(&[&format!("seed={seed}")], &["lia"]);
            let run = run(&text, &mut NoSamples, &mut |_| true).unwrap();
            Summary::from_json(&run).unwrap().flows[0].goodput_bps.unwrap()
        };
        let mean = (goodput(1) + goodput(2) + goodput(3)) / 3.0;
        let found = cases[1]["goodput_bps"]["mean"].as_f64().unwrap();
        assert!((found / mean - 1.0).abs() < 1e-9, "{found} {mean}");
    }

    #[test]
    fn advice_needs_several_paths() {
        let alone = ask(&["flows.both.paths=[[\"a\"]]"], &[]);
        let found: Value = serde_json::from_str(&advise(&alone, &mut |_| true).unwrap_err()).unwrap();
        assert_eq!(found["problems"][0]["message"], "two has no flow with several paths");
    }

    /// By the response function of Reno: √(1.5/0.01) = 12.2 segments per 20 ms would be more than 10 Mbit/s if the RTT were
    /// shorter; here 12.2 · 1448 · 8 / 0.0212 = 6.7 Mbit/s.
    #[test]
    fn the_ideal_has_shares() {
        let alone = ask(&["flows.both.paths=[[\"a\"]]"], &["both=reno"]);
        let found: Value = serde_json::from_str(&ideal(&alone).unwrap()).unwrap();
        let own = found["allocations"].as_array().unwrap().iter().find(|a| a["id"] == found["own"]).unwrap();
        let share = own["flows"][0]["goodput_bps"].as_f64().unwrap();
        assert!((share / 6.7e6 - 1.0).abs() < 0.1, "{share}");
    }

    #[test]
    fn mistakes_have_a_line_and_help() {
        let found: Value = serde_json::from_str(&describe(&ask(&[], &["lai"])).unwrap_err()).unwrap();
        let problem = &found["problems"][0];
        assert!(problem["message"].as_str().unwrap().contains("lai"), "{problem}");
        assert!(problem["help"].as_str().unwrap().contains("lia"), "{problem}");
        let broken: Value = serde_json::from_str(&describe("{").unwrap_err()).unwrap();
        assert!(broken["problems"][0]["message"].is_string());
    }

    #[test]
    fn algorithms_say_whether_they_couple() {
        let found: Vec<Value> = serde_json::from_str(&algorithms()).unwrap();
        let coupled = |name: &str| found.iter().find(|a| a["name"] == name).map(|a| a["coupled"].clone());
        assert_eq!((coupled("lia"), coupled("reno")), (Some(true.into()), Some(false.into())));
    }
}
