//! Formats the summary of a capture.

use crate::table::Table;
use anabranch::records::{CaptureRead, Fallback, FallbackSign, FlowSummary, SubflowSummary, View};
use anabranch::scenarios::printable;
use anabranch::units::{PERCENT, PLAIN, RATE};
use anabranch::{Summary, counted};
use std::cmp::Reverse;

pub fn page(s: &Summary) -> String {
    let mut page = format!("{}: {} s", printable(&s.scenario), s.duration_s);
    let read = s.capture.clone().unwrap_or_default();
    page += &format!(", {} packets", read.packets);
    if read.others > 0 {
        page += &format!(", of which {} are not TCP or cut off", read.others);
    }
    page += "\n";
    if read.unmatched_joins > 0 {
        page += &format!(
            "{} joined a connection that began before the capture: only --tcp shows them.\n",
            read.unmatched_joins
        );
    }
    if read.refused > 0 {
        page += &format!("{} requested MPTCP and got TCP: only --tcp shows them.\n", read.refused);
    }
    for Fallback { flow, at_s, sign } in &read.fallbacks {
        let sign = match sign {
            FallbackSign::NoOptions => "packets without MPTCP's options",
            FallbackSign::Fail => "MP_FAIL",
            FallbackSign::InfiniteMapping => "an infinite mapping",
        };
        page += &format!("{flow} fell back to TCP at {at_s:.3} s: {sign}.\n");
    }
    let shown = shown(s);
    for table in [flows(&read, &shown), subflows(s, &read, &shown)] {
        page += &format!("\n{table}");
    }
    let small = s.flows.len() - shown.len();
    if small > 0 {
        let small = counted(small, "connection");
        page += &format!("\nNot in the tables: {small} with less than 10 kB. --out and --json have all.\n");
    }
    page
}

/// Connections with less, such as those of control, are only counted beside larger ones.
const SMALL: u64 = 10_000;

/// The connections in the tables, the one with the most data first.
fn shown(s: &Summary) -> Vec<&FlowSummary> {
    let is_large = |flow: &&FlowSummary| flow.delivered_bytes >= SMALL;
    let mut shown: Vec<&FlowSummary> = s.flows.iter().filter(is_large).collect();
    if shown.is_empty() {
        shown.extend(&s.flows);
    }
    shown.sort_by_key(|flow| Reverse(flow.delivered_bytes));
    shown
}

fn flows(read: &CaptureRead, shown: &[&FlowSummary]) -> Table {
    let client = |flow: &&FlowSummary| {
        let tokens = read.tokens.iter().find(|tokens| tokens.flow == flow.name);
        tokens.map_or("–".to_owned(), |tokens| tokens.client.clone())
    };
    let table =
        Table::new().count("", 1..=shown.len() as u64).text("connection", shown.iter().map(|f| &f.name));
    let table =
        if read.tokens.is_empty() { table } else { table.text("client's token", shown.iter().map(client)) };
    table
        .quantity("goodput", RATE, shown.iter().map(|f| f.goodput_bps))
        .count("bytes", shown.iter().map(|f| f.delivered_bytes))
        .count("retransmitted segments", shown.iter().map(|f| f.retransmitted_segments))
        .count("reinjected segments", shown.iter().map(|f| f.reinjected_segments))
}

fn subflows(s: &Summary, read: &CaptureRead, shown: &[&FlowSummary]) -> Table {
    // The traffic of all subflows is in the order of the summary.
    let subflows = s.flows.iter().flat_map(|flow| flow.subflows.iter().map(move |subflow| (flow, subflow)));
    let each: Vec<_> = subflows.zip(&read.paths).collect();
    let of_flow = |(n, flow): (u64, &FlowSummary)| {
        let own = each.iter().filter(|((known, _), _)| std::ptr::eq(*known, flow));
        own.map(|((_, subflow), traffic)| (n, *subflow, *traffic)).collect::<Vec<_>>()
    };
    let all: Vec<_> = (1..).zip(shown.iter().copied()).flat_map(of_flow).collect();
    Table::new()
        .count("", all.iter().map(|(n, ..)| *n))
        .text("path", all.iter().map(|(_, subflow, _)| subflow.path.join("+").replace(" → ", " →")))
        .view(View::Capture, SubflowSummary::QUANTITIES, all.iter().map(|(_, subflow, _)| *subflow), true)
        .quantity("resent", PERCENT, all.iter().map(|(_, subflow, _)| subflow.loss_rate))
        .quantity("segments per packet", PLAIN, all.iter().map(|(.., own)| own.mean_burst_segments))
        .quantity("segments per ACK", PLAIN, all.iter().map(|(.., own)| own.mean_segments_per_ack))
}
