//! `anabranch sweep`: keys of a scenario and algorithms varied, a study made on the fly.

use crate::failure::Failure;
use crate::output::print;
use crate::study::{self, Run};
use crate::study_args::SweepArgs;
use crate::table::{PERCENT, PLAIN, RATE, Spread, Table};
use crate::{backend, input};
use anabranch_record::{Summary, quoted};
use anabranch_scenario::Overrides;
use anabranch_study::{Options, SimulationRuns, StudyResult, file};
use miette::miette;
use std::path::{Path, absolute};

/// So many rows are shown; a screen is not for more.
const SHOWN: usize = 60;

/// `anabranch sweep`.
pub fn sweep(args: &SweepArgs) -> Result<(), Failure> {
    if args.scenario == Path::new("-") {
        return Err(Failure::Input(miette!("a sweep reads its scenario again for every run: name a file")));
    }
    let source = input::read(&args.scenario)?;
    let mut overrides = Overrides::default();
    args.set.iter().for_each(|assignment| {
        overrides.set(assignment);
    });
    overrides.duration.clone_from(&args.duration);
    let source = input::with_files(source, &args.scenario, &overrides)?;
    let scenario = anabranch_scenario::load(&source, &overrides).map_err(Failure::input)?;
    // A study file names its scenario beside itself: what is printed may be put anywhere.
    let named = match args.print_study {
        true => absolute(&args.scenario).map_err(|e| Failure::environment("no current folder", &e))?,
        false => args.scenario.clone(),
    };
    let spec = file::Sweep {
        scenario: named.display().to_string(),
        vary: args.vary.clone(),
        cc: args.cc.iter().flat_map(|cc| file::parts(cc)).collect(),
        set: args.set.clone(),
        duration: args.duration.clone(),
        seeds: args.seeds,
    };
    let text = file::sweep(&spec, &scenario).map_err(|why| Failure::Input(miette!("{why}")))?;
    if args.print_study {
        return print(&text);
    }
    let stem = args.scenario.file_stem().map_or("sweep".into(), |stem| stem.to_string_lossy().into_owned());
    let name = args.name.clone().unwrap_or(stem);
    if name.contains(['/', '\\', '\0']) || name.starts_with('.') || name.is_empty() {
        return Err(Failure::Input(miette!("`{name}` is no name for files")));
    }
    let study = file::of_sweep(&name, &text).map_err(Failure::input)?;
    backend::ready(args.backend)?;
    study::not_shipped(&study)?;
    let run = Run {
        study,
        backend: args.backend,
        options: Options { beside: backend::beside(args.backend, args.linux_hosts), ..Options::default() },
        command: command(args),
        out: &args.out,
        store: args.store.as_deref(),
        replace: args.replace,
        yes: args.yes,
        json: args.json,
    };
    run.run(page)
}

fn command(args: &SweepArgs) -> String {
    let mut command = format!("anabranch sweep {}", quoted(&args.scenario.display().to_string()));
    let all = [("--vary", &args.vary), ("--cc", &args.cc), ("--set", &args.set)];
    let duration = args.duration.iter().map(|duration| ("--duration", duration));
    let name = args.name.iter().map(|name| ("--name", name));
    let options =
        all.into_iter().flat_map(|(option, values)| values.iter().map(move |value| (option, value)));
    for (option, value) in options.chain(duration).chain(name) {
        command += &format!(" {option} {}", quoted(value));
    }
    command + &format!(" --seeds {}{}", args.seeds, backend::options(args.backend, args.linux_hosts))
}

/// A row for each point.
fn page(result: &StudyResult, taken: &[SimulationRuns]) -> String {
    let shown = &taken[..taken.len().min(SHOWN)];
    let mut table = Table::new();
    let Some(first) = shown.first() else { return result.title.clone() };
    for (i, (axis, _)) in first.axes.iter().enumerate() {
        table = table.text(axis, shown.iter().map(|taken| taken.axes[i].1.as_str()));
    }
    // A run in real time may have failed: its means are of fewer.
    if shown.iter().any(|taken| taken.summaries.len() < result.seeds as usize) {
        table = table.count("seeds", shown.iter().map(|taken| taken.summaries.len() as u64));
    }
    let each = |value: &dyn Fn(&Summary) -> Option<f64>| -> Vec<Spread> {
        shown.iter().map(|taken| Spread::of(taken.summaries.iter().map(value))).collect()
    };
    let flows =
        shown.iter().find_map(|taken| taken.summaries.first()).map_or(&[][..], |summary| &summary.flows);
    let mut bases: Vec<&str> = Vec::new();
    for flow in flows {
        let base = anabranch_study::variant::base(&flow.name);
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    for base in &bases {
        let goodput = |summary: &Summary| {
            let alike =
                summary.flows.iter().filter(|flow| anabranch_study::variant::base(&flow.name) == *base);
            alike.map(|flow| flow.goodput_bps).sum::<Option<f64>>()
        };
        table = table.estimates(&format!("goodput of {base}"), RATE, &each(&goodput));
    }
    for flow in flows.iter().filter(|flow| flow.transfers.is_some() && bases.contains(&&*flow.name)) {
        let slowdown = |summary: &Summary| {
            let same = summary.flows.iter().find(|other| other.name == flow.name)?;
            Some(same.transfers.as_ref()?.slowdown.as_ref()?.mean)
        };
        table = table.estimates(&format!("slowdown of {}", flow.name), PLAIN, &each(&slowdown));
    }
    if flows.len() > 1 {
        table = table.estimates("Jain's index", PLAIN, &each(&|summary| summary.jain));
    }
    let utilisation = |summary: &Summary| {
        let links = summary.links.len() as f64;
        (links > 0.0).then(|| summary.links.iter().map(|link| link.utilisation).sum::<f64>() / links)
    };
    table = table.estimates("utilisation, mean of links", PERCENT, &each(&utilisation));
    let more = match taken.len() - shown.len() {
        0 => String::new(),
        more => format!("and {more} more: see studies/{}.csv\n", result.name),
    };
    format!("{} (seeds: {})\n{table}{more}", result.title, result.seeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_papers::Simulator;
    use anabranch_record::NoSamples;
    use anabranch_study::{Backend, Task};

    /// A point whose run failed has fewer seeds than were asked for, and says so.
    #[test]
    fn missing_seeds_are_told() {
        let result = serde_json::json!({
            "id": "x", "name": "x", "title": "x", "citation": "", "size": "default", "seeds": 2, "version": "1",
            "notes": [], "errata": [], "experiments": [],
        });
        let result: StudyResult = serde_json::from_value(result).unwrap();
        let text = "name = \"one\"\nduration = \"1 s\"\nlinks.a = { rate = \"1 Mbit/s\", delay = \"5 ms\" }\n\
                    flows = [{ name = \"tcp\", cc = \"reno\", paths = [[\"a\"]] }]";
        let summary = Simulator.run(&Task::new(text), &mut NoSamples, &mut |_| true).unwrap();
        let taken = |seeds: usize| SimulationRuns {
            experiment: String::new(),
            title: String::new(),
            axes: vec![("delay".into(), "5 ms".into())],
            summaries: vec![summary.clone(); seeds],
        };
        let seeds = |all: &[SimulationRuns]| -> Option<Vec<String>> {
            let page = page(&result, all);
            let lines: Vec<&str> = page.lines().skip(1).collect();
            let at = lines[0].split_whitespace().position(|head| head == "seeds")?;
            let cell = |line: &&str| line.replace("5 ms", "5").split_whitespace().nth(at).map(str::to_owned);
            lines[2..].iter().map(cell).collect()
        };
        assert_eq!(seeds(&[taken(2), taken(2)]), None);
        assert_eq!(seeds(&[taken(2), taken(1)]), Some(vec!["2".into(), "1".into()]));
    }
}
