//! Makes the record of a capture.

use super::ReadOptions;
use super::connections::{Connection, Connections};
use super::direction::Direction;
use super::error::ReadError;
use anabranch_record::{
    CaptureRead, Fallback, FlowLayout, FlowSummary, Layout, Measured, PathTraffic, Sink, SubflowSample,
    Summary, Tokens,
};

/// In nanoseconds.
const SECOND: f64 = 1e9;

/// A flow: a connection in the direction with more payload.
struct Flow<'a> {
    connection: &'a Connection,
    direction: usize,
    name: String,
    paths: Vec<String>,
}

/// Writes samples to the sink and returns the summary.
pub(super) fn record(
    mut all: Connections,
    cut_off: bool,
    options: &ReadOptions,
    sink: &mut dyn Sink,
) -> Result<Summary, ReadError> {
    all.sample();
    let flows: Vec<Flow> = all.connections.iter().filter_map(|c| flow(&all, c, options)).collect();
    if flows.is_empty() {
        let tcp = all.connections.iter().filter(|c| !c.multipath && !c.subflows.is_empty()).count();
        // Without its first packets, a connection shows MPTCP in later ones alone.
        let late = all.connections.iter().filter(|c| !c.multipath && c.signals).count();
        return Err(ReadError::NoMptcp { packets: all.packets, tcp, refused: refused(&all), late });
    }
    let begin = all.from.unwrap_or_default();
    sink.begin(&Layout { flows: flows.iter().map(layout).collect(), links: vec![] });
    write_samples(&all, &flows, begin, sink);

    let end = flows.iter().map(|flow| flow.connection.to).max().unwrap_or(begin);
    let summaries: Vec<FlowSummary> = flows.iter().map(|flow| summary(&all, flow)).collect();
    Ok(Summary {
        scenario: options.name.clone(),
        duration_s: (end - begin) as f64 / SECOND,
        capture: Some(CaptureRead {
            interval_s: options.interval as f64 / SECOND,
            tcp: options.tcp,
            packets: all.packets,
            others: all.others,
            begins_s: begin as f64 / SECOND,
            unmatched_joins: all.unmatched_joins,
            refused: refused(&all) as u64,
            cut_off,
            fallbacks: flows.iter().filter_map(|flow| fallback(flow, begin)).collect(),
            tokens: flows.iter().filter_map(tokens).collect(),
            paths: flows.iter().flat_map(|flow| traffic(&all, flow)).collect(),
        }),
        ..Summary::of(summaries, vec![])
    })
}

fn flow<'a>(all: &'a Connections, connection: &'a Connection, options: &ReadOptions) -> Option<Flow<'a>> {
    if connection.subflows.is_empty() || !(connection.multipath || options.tcp) {
        return None;
    }
    let sent = |direction: usize| -> u64 {
        connection.subflows.iter().map(|t| all.tcp[*t].directions[direction].next).sum()
    };
    let direction = usize::from(sent(1) > sent(0));
    let first = &all.tcp[*connection.subflows.first()?];
    let name = match connection.tokens[1] {
        Some(token) => format!("mptcp-{}", hexadecimal(token)),
        None if connection.multipath => format!("mptcp-{}", first.ends[0].port()),
        None => format!("tcp-{}-{}", first.ends[0].port(), first.ends[1].port()),
    };
    let path = |t: &usize| {
        let ends = all.tcp[*t].ends;
        format!("{} → {}", ends[direction], ends[1 - direction])
    };
    Some(Flow { connection, direction, name, paths: connection.subflows.iter().map(path).collect() })
}

/// Connections that requested MPTCP and got plain TCP.
fn refused(all: &Connections) -> usize {
    all.connections.iter().filter(|c| c.offered && !c.multipath && c.answered).count()
}

fn fallback(flow: &Flow, begin: u64) -> Option<Fallback> {
    let evidence = flow.connection.fallback.filter(|_| flow.connection.multipath)?;
    Some(Fallback {
        flow: flow.name.clone(),
        at_s: (evidence.at - begin) as f64 / SECOND,
        sign: evidence.sign,
    })
}

fn tokens(flow: &Flow) -> Option<Tokens> {
    let [client, server] = flow.connection.tokens.map(|token| token.map(hexadecimal));
    Some(Tokens { flow: flow.name.clone(), client: client?, server: server? })
}

/// As `ss -M` shows a token.
fn hexadecimal(token: [u8; 4]) -> String {
    format!("{:08x}", u32::from_be_bytes(token))
}

fn layout(flow: &Flow) -> FlowLayout {
    FlowLayout {
        name: flow.name.clone(),
        cc: UNKNOWN.into(),
        paths: flow.paths.iter().map(|path| vec![path.clone()]).collect(),
        observables: vec![],
    }
}

/// Packets do not identify the sender's algorithm.
const UNKNOWN: &str = "unknown";

fn write_samples(all: &Connections, flows: &[Flow], begin: u64, sink: &mut dyn Sink) {
    let mut place = vec![None; all.tcp.len()];
    for (f, flow) in flows.iter().enumerate() {
        for (s, t) in flow.connection.subflows.iter().enumerate() {
            place[*t] = Some((f, s, flow.direction));
        }
    }
    for row in &all.rows {
        if let Some((flow, subflow, direction)) = place[row.tcp]
            && row.direction == direction
        {
            let time_s = (row.at - begin) as f64 / SECOND;
            sink.subflow(&SubflowSample { time_s, flow, subflow, ..row.sample });
        }
    }
}

fn summary(all: &Connections, flow: &Flow) -> FlowSummary {
    let Flow { connection, direction, .. } = flow;
    let seconds = (connection.to - connection.from) as f64 / SECOND;
    let directions = || connection.subflows.iter().map(|t| &all.tcp[*t].directions[*direction]);
    let stream = &connection.streams[*direction];
    let acknowledged: u64 = directions().map(|state| state.acknowledged).sum();
    let delivered = match (connection.multipath, connection.fallback) {
        (true, None) => stream.delivered(),
        // After a fallback, TCP acknowledges the stream on one subflow, from the offset of its last mapping on.
        (true, Some(evidence)) => {
            let tcp = &all.tcp[evidence.tcp];
            let by_tcp = tcp.directions[*direction].acknowledged;
            let placed = tcp.mappings[*direction]
                .and_then(|(mapping, first)| (stream.begin(mapping)? + by_tcp).checked_sub(first));
            stream.delivered().max(placed.unwrap_or(by_tcp))
        }
        (false, _) => acknowledged,
    };
    let segments: u64 = directions().map(|state| state.segments - state.retransmitted).sum();
    let payload: u64 = directions().map(|state| state.next).sum::<u64>().max(1);
    FlowSummary {
        reinjected_segments: (stream.reinjected as f64 * segments as f64 / payload as f64).round() as u64,
        ..FlowSummary::of(
            &layout(flow),
            delivered,
            seconds,
            directions().map(|state| measured(state, seconds)),
        )
    }
}

fn measured(state: &Direction, seconds: f64) -> Measured<'_> {
    Measured {
        meter: state.meter.with_single_values(),
        bytes: state.acknowledged,
        seconds,
        sent: state.segments,
        offered: state.segments,
        lost: state.retransmitted,
        retransmitted: state.retransmitted,
        ..Measured::default()
    }
}

fn traffic<'a>(all: &'a Connections, flow: &'a Flow) -> impl Iterator<Item = PathTraffic> + 'a {
    flow.connection.subflows.iter().enumerate().map(|(subflow, t)| {
        let state = &all.tcp[*t].directions[flow.direction];
        let per_ack = state.segments_per_ack();
        PathTraffic {
            flow: flow.name.clone(),
            subflow,
            segments: state.segments,
            mean_burst_segments: (state.packets > 0).then(|| state.segments as f64 / state.packets as f64),
            acknowledgements: state.acks,
            mean_segments_per_ack: per_ack.map(|(mean, _)| mean),
            p95_segments_per_ack: per_ack.map(|(_, p95)| p95),
        }
    })
}
