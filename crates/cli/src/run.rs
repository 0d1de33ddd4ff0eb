//! `anabranch run`: one run of a scenario.

use crate::args::RunArgs;
use crate::backend::{BackendName, TrafficName, WithTraffic};
use crate::capture::Captured;
use crate::failure::Failure;
use crate::output::{note, print, print_text_of_json};
use crate::progress::Progress;
use crate::table::{BYTES, PERCENT, PLAIN, RATE, TIME, Table};
use crate::{backend, earlier, input, interrupt, memory as limits, output_file, plot};
use anabranch_net::Time;
use anabranch_plot::LineSink;
use anabranch_record::{Both, NoSamples, RunDirectory, Sink, Slowdown, Summary, View};
use anabranch_scenario::printable;
use anabranch_study::format::plain;
use anabranch_study::task::trusted;
use anabranch_study::{Backend, Backends, Task, TaskError};
use miette::miette;
use std::path::PathBuf;

/// `anabranch run`.
pub fn run(mut args: RunArgs) -> Result<(), Failure> {
    args.scenario.linux_hosts(args.linux_hosts);
    let args = &args;
    let (source, inputs) = input::scenario_and_files(&args.scenario)?;
    let scenario = input::load(&source, &args.scenario, &args.cc)?;
    limits::check(&scenario, args.plot.as_ref().map_or(0, |_| LineSink::memory(&scenario)), 1, args.yes)?;
    let task = input::task(&source, &args.scenario, &args.cc, scenario.seed, args.backend);
    backend::accepts(args.backend, &source.name, &scenario)?;
    if args.traffic != TrafficName::Own && args.backend == BackendName::Sim {
        return Err(Failure::Input(miette!("`--traffic` is for `--backend kernel` and guests")));
    }
    if let Some(picture) = &args.plot {
        plot::format(picture)?;
        plot::folder(picture)?;
        output_file::is_no_input("--plot", picture, &inputs)?;
    }
    args.capture.check(args.backend, &inputs)?;
    backend::ready(args.backend)?;
    interrupt::listen()?;
    let captured = Captured::new(&args.capture, &scenario, args.replace)?;
    let mut picture = args.plot.as_deref().map(|path| plot::begin(path, args.replace)).transpose()?;
    let open = |path| RunDirectory::open(path, args.format.into(), &[], note);
    let mut directory = args.out.as_deref().map(open).transpose()?;
    if let (Some(path), Some(earlier)) = (&args.out, directory.as_ref().and_then(RunDirectory::earlier)) {
        let made = (&scenario.hash, scenario.seed, env!("CARGO_PKG_VERSION"));
        let same = made == (&earlier.scenario_hash, earlier.seed, &*earlier.version);
        earlier::check(path, &earlier, same, args.replace)?;
    }
    let mut lines = LineSink::new();
    let mut both;
    let sink: &mut dyn Sink = match (&mut directory, &args.plot) {
        (Some(directory), Some(_)) => {
            both = Both(directory.sink(), &mut lines);
            &mut both
        }
        (Some(directory), None) => directory.sink(),
        (None, Some(_)) => &mut lines,
        (None, None) => &mut NoSamples,
    };
    let progress = Progress::over(scenario.duration);
    let uncaptured = WithTraffic(args.backend, args.traffic.into());
    let backend: &dyn Backend = match &captured {
        Some(captured) => captured,
        None => &uncaptured,
    };
    let summary = match attend(&task, Backends(&[backend]), sink, &progress) {
        Err(TaskError::Interrupted { partial: Some(partial), .. }) => *partial,
        whole => whole?,
    };
    drop(progress);

    let traffic = match args.traffic {
        TrafficName::Own => "",
        TrafficName::Iperf3 => " --traffic iperf3",
    };
    let again = input::command(&args.scenario, &args.cc, "scenario.toml", summary.seed)
        + &args.backend.option()
        + traffic;
    let partial = summary.partial_until_s.map(|s| format!("# Partial: interrupted at {s} s.\n"));
    let text = format!("# As it was run: {again}\n{}{}", partial.unwrap_or_default(), source.text);
    // What was simulated is told even where it cannot be kept.
    let files = directory.map(|directory| directory.finish(&summary, Some(&text))).transpose();
    let capture = captured.map(|captured| captured.finish(summary.partial_until_s.is_some())).transpose();
    if args.json {
        print_text_of_json(&summary.to_json())?;
    } else {
        let files = files.iter().flatten().flatten();
        let wrote = wrote(files.chain(capture.iter().flatten()));
        print(&format!("{}\n{wrote}", page(&summary)))?;
    }
    files?;
    capture?;
    if let (Some(picture), Some(file)) = (&args.plot, picture.take()) {
        match plot::of_new_run(&scenario, &summary, lines, (file, picture)) {
            // That the run was interrupted counts for more.
            Err(_) if summary.partial_until_s.is_some() => {
                note("the run was interrupted before it had a picture")
            }
            drawn => {
                let picture = drawn?;
                match args.json {
                    true => note(&format!("wrote {}", picture.display())),
                    false => print(&format!("Wrote {}", picture.display()))?,
                }
                plot::show(&picture);
            }
        }
    }
    match summary.partial_until_s {
        None => trusted(summary).map(drop).map_err(Into::into),
        Some(s) => Err(Failure::Interrupted(miette!(
            "interrupted at {s} s of {}: the result is partial",
            scenario.duration
        ))),
    }
}

/// The files that were written; nothing of none.
pub fn wrote<'a>(files: impl IntoIterator<Item = &'a PathBuf>) -> String {
    let lines: String = files.into_iter().map(|file| format!("  {}\n", file.display())).collect();
    if lines.is_empty() { lines } else { format!("Wrote\n{lines}") }
}

/// Runs a task until its end or Ctrl-C.
fn attend(
    task: &Task,
    backends: Backends<'_>,
    sink: &mut dyn Sink,
    progress: &Progress,
) -> Result<Summary, TaskError> {
    let mut keep_going = |now: Time| {
        progress.reach(now);
        !interrupt::requested()
    };
    backends.run(task, sink, &mut keep_going)
}

/// The summary for people.
fn page(s: &Summary) -> String {
    let partial = s.partial_until_s.map(|at| format!(", interrupted at {at} s"));
    let mut page = format!(
        "{}: {} s{}, means from {} s on, seed {}, anabranch {}\n",
        printable(&s.scenario),
        s.duration_s,
        partial.unwrap_or_default(),
        s.warmup_s,
        s.seed,
        s.version
    );
    if let Some(kernel) = &s.kernel {
        page += &backend::page(kernel);
    }
    for table in [flows(s), subflows(s), links(s)].into_iter().chain(completions(s)).chain(transfers(s)) {
        page += &format!("\n{table}");
    }
    if let (Some(jain), 2..) = (s.jain, s.flows.len()) {
        page += &format!("\nJain's index of the flows' goodputs: {}\n", plain(jain));
    }
    page
}

fn flows(s: &Summary) -> Table {
    Table::new()
        .text("flow", s.flows.iter().map(|f| &f.name))
        .text("algorithm", s.flows.iter().map(|f| &f.cc))
        .quantity("goodput", RATE, s.flows.iter().map(|f| f.goodput_bps))
        .count("retransmitted segments", s.flows.iter().map(|f| f.retransmitted_segments))
        .count("reinjected segments", s.flows.iter().map(|f| f.reinjected_segments))
}

fn subflows(s: &Summary) -> Table {
    let all = || s.flows.iter().flat_map(|f| f.subflows.iter().map(move |subflow| (f, subflow)));
    // A kernel tells the smoothed RTT alone.
    let view = if s.kernel.is_some() { View::Kernel } else { View::Run };
    Table::new()
        .text("flow", all().map(|(f, _)| &f.name))
        .text("path", all().map(|(_, subflow)| subflow.path.join("+")))
        .subflows(view, &all().map(|(_, subflow)| subflow).collect::<Vec<_>>())
}

fn links(s: &Summary) -> Table {
    Table::new()
        .text("link", s.links.iter().map(|l| &l.name))
        .quantity("utilisation", PERCENT, s.links.iter().map(|l| Some(l.utilisation)))
        .quantity("mean queue", BYTES, s.links.iter().map(|l| Some(l.mean_queue_bytes)))
        .quantity("mean wait", TIME, s.links.iter().map(|l| l.mean_queue_delay_s))
        .count("queue drops", s.links.iter().map(|l| l.drops))
        .count("marks", s.links.iter().map(|l| l.marks))
        .count("losses", s.links.iter().map(|l| l.losses))
}

fn completions(s: &Summary) -> Option<Table> {
    let all: Vec<_> = s.flows.iter().filter_map(|f| Some((f, f.completion.as_ref()?))).collect();
    let table = Table::new()
        .text("flow", all.iter().map(|(f, _)| &f.name))
        .count("completed", all.iter().map(|(_, c)| c.count))
        .quantity("mean completion", TIME, all.iter().map(|(_, c)| Some(c.mean_s)))
        .quantity("p50", TIME, all.iter().map(|(_, c)| Some(c.p50_s)))
        .quantity("p95", TIME, all.iter().map(|(_, c)| Some(c.p95_s)))
        .quantity("p99", TIME, all.iter().map(|(_, c)| Some(c.p99_s)));
    (!all.is_empty()).then_some(table)
}

/// Of all transfers of a flow, and by their size.
fn transfers(s: &Summary) -> Option<Table> {
    let mut rows = vec![];
    for (flow, transfers) in s.flows.iter().filter_map(|f| Some((f, f.transfers.as_ref()?))) {
        rows.push((
            &*flow.name,
            "all".to_owned(),
            transfers.unfinished,
            &flow.completion,
            &transfers.slowdown,
        ));
        for class in &transfers.classes {
            let size = match class.below_bytes {
                Some(below) if class.from_bytes == 0 => format!("< {}", bytes(below)),
                Some(below) => format!("to {}", bytes(below)),
                None => format!("≥ {}", bytes(class.from_bytes)),
            };
            rows.push(("", size, class.unfinished, &class.completion, &class.slowdown));
        }
    }
    let slowdown = |of: fn(&Slowdown) -> f64| rows.iter().map(move |row| row.4.as_ref().map(of));
    let table = Table::new()
        .text("flow", rows.iter().map(|row| row.0))
        .text("size", rows.iter().map(|row| &row.1))
        .count("completed", rows.iter().map(|row| row.3.as_ref().map_or(0, |c| c.count)))
        .count("unfinished", rows.iter().map(|row| row.2))
        .quantity("p50", TIME, rows.iter().map(|row| row.3.as_ref().map(|c| c.p50_s)))
        .quantity("p99", TIME, rows.iter().map(|row| row.3.as_ref().map(|c| c.p99_s)))
        .quantity("slowdown", PLAIN, slowdown(|s| s.mean))
        .quantity("p50", PLAIN, slowdown(|s| s.p50))
        .quantity("p95", PLAIN, slowdown(|s| s.p95))
        .quantity("p99", PLAIN, slowdown(|s| s.p99));
    (!rows.is_empty()).then_some(table)
}

/// A size that is a power of ten.
fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
