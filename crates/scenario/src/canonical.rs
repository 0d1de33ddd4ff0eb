//! The scenario's hash: SHA-256 of a canonical text.
//!
//! Structs are destructured, so that a new field does not compile until it is written here. Any change of the format changes
//! all hashes. Lines for newer keys appear only if the key is not at its default, so that older scenarios keep their hash.

use crate::model::*;
use anabranch_cc::registry::ParamValue;
use anabranch_net::{
    Change, Discipline, Jitter, LinkSpec, Loss, LossAt, ModelSpec, QueueLimit, Time, Trace, TraceData, Value,
};
use sha2::{Digest, Sha256};
use std::fmt::{Display, Write};

/// The hash of a scenario. It does not depend on the seed, the description or the notation, except that an algorithm's parameters
/// count where they are given.
pub(crate) fn hash(scenario: &Scenario) -> String {
    let digest = Sha256::digest(text(scenario).as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One line per object: its kind, then its values, each after a space. Names are quoted, times are in
/// nanoseconds, other numbers have the shortest digits that identify them.
fn text(scenario: &Scenario) -> String {
    let Scenario {
        name,
        description: _,
        duration,
        warmup,
        seed: _,
        hash: _,
        links,
        flows,
        record_interval,
        variation,
    } = scenario;
    let Variation { start_offset, host_jitter } = variation;
    let mut out = Text(String::new());
    out.line("scenario").name(name).time(*duration).time(*warmup).time(*record_interval);
    for vary in [start_offset, host_jitter] {
        match vary {
            RandomDelay::Auto => out.line("vary").word("auto"),
            RandomDelay::UpTo(time) => out.line("vary").time(*time),
        };
    }
    for NamedLink { name, key: _, spec } in links {
        link(out.line("link").name(name), spec);
    }
    for each in flows {
        flow(&mut out, each);
    }
    out.0
}

fn link(out: &mut Text, spec: &LinkSpec) {
    let LinkSpec {
        rate_bps,
        delay,
        tick,
        queue,
        discipline,
        loss: process,
        loss_at,
        jitter,
        changes: by_hand,
        trace,
    } = spec;
    let Jitter { up_to, correlation, reorder_rate, reorder_delay } = jitter;
    out.number(*rate_bps).time(*delay);
    match queue {
        QueueLimit::Packets(packets) => out.word("packets").word(packets),
        QueueLimit::Bytes(bytes) => out.word("bytes").word(bytes),
    };
    let threshold = match *discipline {
        Discipline::DropTail { ecn_threshold_bytes } => ecn_threshold_bytes,
        _ => None,
    };
    out.option(threshold, |out, bytes| out.word(bytes));
    loss(out, process).time(*up_to).number(*reorder_rate).time(*reorder_delay);
    changes(out, by_hand);
    // Written only if set: see above.
    if !matches!(discipline, Discipline::DropTail { .. }) {
        model(out.line("aqm"), discipline.spec());
    }
    if *loss_at == LossAt::Exit {
        out.line("loss-at-exit");
    }
    if *correlation != Jitter::bounded(*up_to).correlation {
        out.line("correlation").time(*correlation);
    }
    if *tick > Time::ZERO {
        out.line("tick").time(*tick);
    }
    if let Some(Trace { data, period, start }) = trace {
        out.line("trace").time(*period).option(*start, |out, start| out.time(start));
        match data {
            TraceData::Steps(steps) => changes(out, steps),
            TraceData::Opportunities(at) => {
                out.word("opportunities");
                at.iter().for_each(|at| _ = out.time(*at));
            }
        }
    }
}

fn changes(out: &mut Text, changes: &[Change]) {
    for Change { at, rate_bps, delay, loss: process, up } in changes {
        out.line("change").time(*at).option(*rate_bps, |out, rate| out.number(rate));
        out.option(*delay, |out, delay| out.time(delay));
        out.option(process.as_ref(), loss).option(*up, |out, up| out.word(up));
    }
}

fn loss<'a>(out: &'a mut Text, process: &Loss) -> &'a mut Text {
    model(out, process.spec())
}

/// A loss model's or a queue discipline's name, and the values of its parameters in their order.
fn model<'a>(out: &'a mut Text, (spec, values): (&ModelSpec, Vec<Value>)) -> &'a mut Text {
    values.into_iter().fold(out.word(spec.name), |out, value| match value {
        Value::Number(x) | Value::Length(x, _) => out.number(x),
        Value::Time(time) => out.time(time),
        Value::Count(n) => out.word(n),
        Value::Flag(flag) => out.word(flag),
        Value::Packets(list) => list.numbers().iter().fold(out, |out, number| out.word(number)),
    })
}

fn flow(out: &mut Text, flow: &Flow) {
    let Flow {
        name,
        key: _,
        cc,
        scheduler,
        penalise,
        transport,
        start,
        stop,
        application,
        paths,
        events,
        tcp,
    } = flow;
    out.line("flow").name(name).word(scheduler.name());
    out.word(penalise).time(*start).time(*stop);
    let CongestionControl { entry, params } = cc;
    out.line("cc").name(entry.name);
    let mut params: Vec<_> = params.iter().collect();
    params.sort_by_key(|(name, _)| name);
    for (name, value) in params {
        match value {
            ParamValue::Number(number) => out.name(name).number(*number),
            ParamValue::Flag(flag) => out.name(name).word(flag),
            ParamValue::Word(word) => out.name(name).name(word),
        };
    }
    self::application(out.line("application"), application);
    for Path { links, return_links, backup } in paths {
        out.line("path").word(backup);
        for link in links {
            out.word(link);
        }
        out.word("return");
        for link in return_links {
            out.word(link);
        }
    }
    for SubflowEvent { at, path, action } in events {
        out.line("event").time(*at).word(path).word(match action {
            SubflowAction::Add => "add",
            SubflowAction::Remove => "remove",
            SubflowAction::Backup(true) => "backup",
            SubflowAction::Backup(false) => "regular",
        });
    }
    if *transport == Transport::Tcp {
        out.line("transport").word("tcp");
    }
    let Tcp {
        mss,
        initial_window,
        initial_ssthresh,
        receive_buffer,
        min_rto,
        delayed_ack,
        delayed_ack_timeout,
        ecn,
        tso,
        push_acks,
        sack_compression,
        long_dss,
        linux_recovery,
        slow_start_after_idle,
    } = tcp;
    out.line("tcp").word(mss).word(initial_window).word(receive_buffer);
    out.time(*min_rto).word(delayed_ack).time(*delayed_ack_timeout).word(ecn);
    let switches = [
        (tso, "tso"),
        (push_acks, "push-acks"),
        (sack_compression, "sack-compression"),
        (long_dss, "long-dss"),
    ];
    for (_, word) in switches.into_iter().filter(|(on, _)| **on) {
        out.line(word);
    }
    // What hosts set together has no line of its own. If hosts alone decide both, the hash is the one from before this key.
    if linux_recovery != long_dss {
        out.line("linux recovery").word(linux_recovery);
    }
    if !*slow_start_after_idle {
        out.line("no slow start after idle");
    }
    if let Some(threshold) = initial_ssthresh {
        out.line("ssthresh").word(threshold);
    }
}

fn application(out: &mut Text, application: &Application) {
    match application {
        Application::Bulk { bytes } => out.word("bulk").option(*bytes, |out, bytes| out.word(bytes)),
        Application::OnOff { on, off, rate_bps } => {
            let out = draw(draw(out.word("on-off"), on), off);
            out.option(*rate_bps, |out, rate| out.number(rate))
        }
        Application::RequestResponse { size, think, count } => {
            let out = draw(draw(out.word("request-response"), size), think);
            out.option(*count, |out, count| out.word(count))
        }
        Application::Arrivals { size, interval, count, connections } => {
            let out = draw(draw(out.word("arrivals"), size), interval);
            let out = out.option(*count, |out, count| out.word(count));
            out.word(match connections {
                Connections::New => "new",
                Connections::One => "one",
            })
        }
    };
}

fn draw<'a>(out: &'a mut Text, draw: &Draw) -> &'a mut Text {
    match draw {
        Draw::Constant(value) => out.word("constant").number(*value),
        Draw::Uniform(from, to) => out.word("uniform").number(*from).number(*to),
        Draw::Exponential(mean) => out.word("exponential").number(*mean),
        Draw::Pareto { mean, shape } => out.word("pareto").number(*mean).number(*shape),
        Draw::LogNormal { median, sigma } => out.word("log-normal").number(*median).number(*sigma),
        Draw::Empirical(points) => {
            points.iter().fold(out.word("empirical"), |out, point| out.number(point.value).number(point.cdf))
        }
    }
}

/// The canonical text, built word by word.
struct Text(String);

impl Text {
    fn line(&mut self, what: &str) -> &mut Self {
        self.0.push('\n');
        self.0.push_str(what);
        self
    }

    /// A word, a whole number, or true or false.
    fn word(&mut self, word: impl Display) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, " {word}");
        self
    }

    /// A JSON string: quoted, so that a name cannot be mistaken for something else.
    fn name(&mut self, name: &str) -> &mut Self {
        self.word(serde_json::Value::from(name))
    }

    fn number(&mut self, number: f64) -> &mut Self {
        self.word(format_args!("{number:e}"))
    }

    fn time(&mut self, time: Time) -> &mut Self {
        self.word(format_args!("{}ns", time.as_nanos()))
    }

    fn option<T>(&mut self, value: Option<T>, write: impl Fn(&mut Self, T) -> &mut Self) -> &mut Self {
        match value {
            Some(value) => write(self, value),
            None => self.word("-"),
        }
    }
}
