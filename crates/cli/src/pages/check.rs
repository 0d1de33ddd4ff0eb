//! Formats a scenario.

use crate::table::{Table, WIDTH};
use anabranch::links::{Discipline, LinkSpec, Loss, QueueLimit, Value};
use anabranch::scenarios::{Application, Flow, Scenario, printable};
use anabranch::studies::format::{plain, significant};
use anabranch::units::{BYTES, RATE, TIME, with_unit};
use anabranch::{Time, counted};

pub fn page(s: &Scenario) -> String {
    let mut page =
        format!("OK: {}, {}, means from {} on, seed {}\n", s.name, time(s.duration), time(s.warmup), s.seed);
    if let Some(description) = &s.description {
        page += &format!("{}\n", textwrap::fill(&printable(description.trim()), WIDTH));
    }
    for warning in s.warnings() {
        page += &format!("{}\n", textwrap::fill(&format!("Warning: {}", printable(&warning)), WIDTH));
    }
    let memory = significant(anabranch::simulator::memory(s) as f64, 3);
    page += &format!("At most about {} of memory\n", with_unit(memory, BYTES));
    page + &format!("\n{}\n{}\n{}", links(s), flows(s), subflows(s))
}

fn links(s: &Scenario) -> Table {
    Table::new()
        .text("link", s.links.iter().map(|l| &l.name))
        .text("rate", s.links.iter().map(|l| rate(&l.spec)))
        .text("delay", s.links.iter().map(|l| time(l.spec.delay)))
        .text("queue", queues(s))
        .text("loss", s.links.iter().map(|l| loss(&l.spec)))
        .count("changes", s.links.iter().map(|l| l.spec.changes.len() as u64))
}

/// A link's rate; for a trace, its mean.
fn rate(spec: &LinkSpec) -> String {
    let rate = with_unit(spec.rate_bps, RATE);
    if spec.trace.is_some() { rate + " (trace, mean)" } else { rate }
}

fn queues(s: &Scenario) -> Vec<String> {
    let (rtts, largest_mss) = (s.longest_base_rtts(), largest_mss(s));
    let each = s.links.iter().zip(rtts).zip(largest_mss);
    each.map(|((link, rtt), mss)| queue(&link.spec, rtt, u64::from(mss))).collect()
}

/// A queue's limit as the scenario gives it, in full packets and, on a link with paths, in BDPs: rate times the longest base RTT.
fn queue(spec: &LinkSpec, longest_rtt: Time, largest_mss: u64) -> String {
    // A full segment and 52 bytes of headers.
    let packet = if largest_mss == 0 { 1500 } else { largest_mss + 52 };
    let (mut text, bytes) = match spec.queue {
        QueueLimit::Packets(n) => (counted(n as usize, "packet"), n.saturating_mul(packet)),
        QueueLimit::Bytes(n) => {
            (format!("{}: {}", with_unit(n as f64, BYTES), counted((n / packet) as usize, "packet")), n)
        }
    };
    let bdp = spec.rate_bps * longest_rtt.as_secs_f64() / 8.0;
    if bdp > 0.0 && largest_mss > 0 {
        text += &format!(", {} BDP", plain(bytes as f64 / bdp));
    }
    match spec.discipline {
        Discipline::DropTail { .. } => text,
        managed => text + ", " + managed.spec().0.title,
    }
}

fn flows(s: &Scenario) -> Table {
    Table::new()
        .text("flow", s.flows.iter().map(|f| &f.name))
        .text("algorithm", s.flows.iter().map(|f| f.cc.entry.name))
        .text("scheduler", s.flows.iter().map(scheduler))
        .text("sends", (0..s.flows.len()).map(|f| application(s, f)))
        .text("from", s.flows.iter().map(|f| time(f.start)))
        .text("until", s.flows.iter().map(|f| time(f.stop)))
}

fn subflows(s: &Scenario) -> Table {
    let all = || s.flows.iter().enumerate().flat_map(|(f, flow)| (0..flow.paths.len()).map(move |p| (f, p)));
    let names = |links: &[usize]| links.iter().map(|&l| &*s.links[l].name).collect::<Vec<_>>().join("+");
    let path = |(f, p): (usize, usize)| {
        let path = &s.flows[f].paths[p];
        match path.return_links.as_slice() {
            [] => names(&path.links),
            back => format!("{}, back {}", names(&path.links), names(back)),
        }
    };
    Table::new()
        .text("flow", all().map(|(f, _)| &s.flows[f].name))
        .text("path", all().map(path))
        .text("base RTT", all().map(|(f, p)| time(s.base_rtt(f, p))))
        .text("use", all().map(|(f, p)| if s.flows[f].paths[p].backup { "backup" } else { "regular" }))
}

/// The largest MSS on each link, in bytes, from one pass over the paths; 0 without paths.
fn largest_mss(s: &Scenario) -> Vec<u16> {
    let mut each = vec![0; s.links.len()];
    for flow in &s.flows {
        for &link in flow.paths.iter().flat_map(|path| path.links.iter().chain(&path.return_links)) {
            each[link] = flow.tcp.mss.max(each[link]);
        }
    }
    each
}

fn time(t: Time) -> String {
    with_unit(t.as_secs_f64(), TIME)
}

fn loss(link: &LinkSpec) -> String {
    if link.trace.as_ref().is_some_and(|trace| trace.sets_loss()) {
        return format!("{} (trace, mean)", plain(link.loss.mean_rate()));
    }
    match (link.loss.spec(), link.loss) {
        (_, Loss::Bernoulli(loss)) => format!("Bernoulli {:e}", loss.rate),
        ((law, values), _) => match values[..] {
            [Value::Count(n)] => format!("{}, {} = {n}", law.title, law.params[0].name),
            _ => law.title.to_owned(),
        },
    }
}

fn scheduler(flow: &Flow) -> &'static str {
    if flow.is_multipath() { flow.scheduler.name() } else { "–" }
}

fn application(s: &Scenario, f: usize) -> String {
    match &s.flows[f].application {
        Application::Bulk { bytes: None } => "bulk".to_owned(),
        Application::Bulk { bytes: Some(n) } => format!("{n} bytes"),
        Application::OnOff { .. } => "on and off".to_owned(),
        Application::RequestResponse { .. } => "responses".to_owned(),
        Application::Arrivals { .. } => {
            s.load(f).map_or("transfers".to_owned(), |load| format!("transfers, load {}", plain(load)))
        }
    }
}
