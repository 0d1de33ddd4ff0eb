//! A scenario file, and the names of what is in it.

use crate::functions::Parameter;
use crate::outcome::base;
use crate::parse::Problem;
use crate::setup::{ScenarioFile, Setup};
use anabranch_scenario::{Overrides, Scenario, Source, distinct, matching, quoted_key};
use std::path::Path;

/// Loads the scenario file of that name.
pub(crate) type Scenarios<'a> = &'a dyn Fn(&str) -> Result<ScenarioFile, String>;

/// The file with all files that it and its changes name.
fn with_files(file: &ScenarioFile, overrides: &Overrides) -> Result<ScenarioFile, Problem> {
    let source = Source { name: file.path.to_string(), text: file.text.to_string() };
    let folder = Path::new(&*file.path).parent().unwrap_or(Path::new(""));
    let whole = source.with_files(overrides, folder).map_err(|why| {
        let first = why.problems().first();
        Problem::new(format!("{}: {}", file.path, first.map_or(why.to_string(), ToString::to_string)))
    })?;
    Ok(match whole.text.len() == file.text.len() {
        true => file.clone(),
        false => ScenarioFile { text: whole.text.into(), ..file.clone() },
    })
}

/// With the traces that it sets in its scenario's text.
pub(super) fn with_traces(setup: Setup) -> Result<Setup, Problem> {
    if !setup.set.iter().any(|(key, value)| key.contains("trace") || value.contains("trace")) {
        return Ok(setup);
    }
    let mut overrides = Overrides::default();
    setup.set.iter().for_each(|(key, value)| _ = overrides.set(&format!("{key}={value}")));
    Ok(Setup { file: with_files(&setup.file, &overrides)?, ..setup })
}

/// A scenario file and the scenario in it.
pub(crate) struct Network {
    pub file: ScenarioFile,
    pub scenario: Scenario,
}

impl Network {
    pub fn read(name: &str, scenarios: Scenarios<'_>) -> Result<Self, Problem> {
        let file = scenarios(name).map_err(|why| Problem::new(format!("cannot read the scenario {why}")))?;
        let file = with_files(&file, &Overrides::default())?;
        let path = &file.path;
        let source = Source { name: path.to_string(), text: file.text.to_string() };
        let scenario = anabranch_scenario::load(&source, &Overrides::default()).map_err(|why| {
            let first =
                why.problems().first().map(|p| format!(", line {}: {p}", p.line())).unwrap_or_default();
            Problem::new(format!("{path} is not a scenario{first}"))
        })?;
        Ok(Network { file, scenario })
    }

    /// Its flows' names in the file.
    fn flows(&self) -> Vec<&str> {
        distinct(self.scenario.flows.iter().map(|flow| base(&flow.name)))
    }

    pub fn links(&self) -> Vec<&str> {
        self.scenario.links.iter().map(|link| link.name.as_str()).collect()
    }

    /// Checks that it has the flow or link.
    pub fn check(&self, takes: Parameter, name: &str) -> Result<(), Problem> {
        let (what, known, has_base, all): (_, Vec<&str>, _, _) = match takes {
            Parameter::Flow | Parameter::Flows => {
                let known = self.scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
                let all = format!(", or all of them: total(\"{name}\")");
                ("flow", known, self.flows().contains(&base(name)), all)
            }
            Parameter::Link => {
                ("link", self.links(), self.scenario.link_keys().contains(&name), String::new())
            }
            _ => return Ok(()),
        };
        // An axis may change how many flows of a name there are: `tcp/7` may be one, `tcp` alone is one or all.
        let may_be = takes == Parameter::Flows || takes == Parameter::Flow && base(name) != name;
        if known.contains(&name) || has_base && may_be {
            return Ok(());
        }
        if !has_base {
            let problem = Problem::new(format!("{} has no {what} `{name}`", self.file.name));
            return Err(problem.suggest(name, known));
        }
        Err(Problem::new(format!("`{name}` stands for several {what}s"))
            .help(format!("choose one, such as `{name}/1`{all}")))
    }

    /// A subflow's index from its number.
    pub fn subflow(&self, flow: &str, number: f64) -> Result<usize, Problem> {
        let known = self.scenario.flows.iter().find(|known| known.name == flow);
        let paths = known.map_or(usize::MAX, |flow| flow.paths.len());
        Problem::new(format!("flow `{flow}` has the subflows 1 to {paths}, not {number}"))
            .unless(number.fract() == 0.0 && number >= 1.0 && number <= paths as f64)
            .map(|()| number as usize - 1)
    }

    /// A text in place of a subflow's number.
    pub fn not_a_subflow(&self, flow: &str, name: &str) -> Problem {
        let problem = Problem::new(format!("`\"{name}\"` is not a subflow: a subflow is its number, from 1"));
        let paths =
            self.scenario.flows.iter().find(|known| known.name == flow).map_or(&[][..], |flow| &flow.paths);
        let is = |path: &anabranch_scenario::Path| {
            path.links.iter().any(|link| self.scenario.links[*link].name == name)
        };
        match paths.iter().position(is) {
            Some(at) => problem.help(format!("the subflow over {name} is {}", at + 1)),
            None => problem,
        }
    }

    /// Sets a key; `*` matches any characters in a link's or flow's name, and `tcp.KEY` sets the key for every flow.
    pub fn set(&self, setup: Setup, key: &str, value: &str) -> Result<Setup, Problem> {
        if let Some(rest) = key.strip_prefix("tcp.") {
            return self.set(setup, &format!("flows.*.tcp.{rest}"), value);
        }
        if key == "seed" {
            return Err(Problem::new("`seed` has no effect here: the command chooses the seeds")
                .help("give their number, by `--seeds` or by `seeds` of a size"));
        }
        if !key.contains('*') {
            return Ok(setup.set(key, value));
        }
        let wrong = || {
            Problem::new(format!("`{key}`: `*` can only stand for the name of a link or flow"))
                .help("write links.*.KEY or flows.*.KEY")
        };
        let parts: Vec<&str> = key.splitn(3, '.').collect();
        let [table @ ("links" | "flows"), pattern, rest] = parts[..] else { return Err(wrong()) };
        let names = if table == "links" { self.scenario.link_keys() } else { self.flows() };
        let matching = matching(pattern, &names).ok_or_else(wrong)?;
        if matching.is_empty() {
            return Err(Problem::new(format!("{} has no {table} `{pattern}`", self.file.name))
                .suggest(pattern, names));
        }
        let key = |name: &str| format!("{table}.{}.{rest}", quoted_key(name));
        Ok(matching.into_iter().fold(setup, |setup, name| setup.set(&key(name), value)))
    }
}
