//! Formats the summary of a capture.

use crate::table::Table;
use anabranch::Summary;
use anabranch::records::{CaptureRead, Fallback, FallbackSign, FlowSummary, View};
use anabranch::scenarios::printable;
use anabranch::units::{PERCENT, PLAIN, RATE};

/// The packets and the connections of a capture.
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
    for table in [flows(s, &read), subflows(s, &read)] {
        page += &format!("\n{table}");
    }
    page
}

fn flows(s: &Summary, read: &CaptureRead) -> Table {
    let client = |flow: &FlowSummary| {
        let tokens = read.tokens.iter().find(|tokens| tokens.flow == flow.name);
        tokens.map_or("–".to_owned(), |tokens| tokens.client.clone())
    };
    let table =
        Table::new().count("", 1..=s.flows.len() as u64).text("connection", s.flows.iter().map(|f| &f.name));
    let table =
        if read.tokens.is_empty() { table } else { table.text("client's token", s.flows.iter().map(client)) };
    table
        .quantity("goodput", RATE, s.flows.iter().map(|f| f.goodput_bps))
        .count("bytes", s.flows.iter().map(|f| f.delivered_bytes))
        .count("retransmitted segments", s.flows.iter().map(|f| f.retransmitted_segments))
        .count("reinjected segments", s.flows.iter().map(|f| f.reinjected_segments))
}

fn subflows(s: &Summary, read: &CaptureRead) -> Table {
    let all =
        || (1..).zip(&s.flows).flat_map(|(f, flow)| flow.subflows.iter().map(move |subflow| (f, subflow)));
    Table::new()
        .count("", all().map(|(f, _)| f))
        .text("path", all().map(|(_, subflow)| subflow.path.join("+").replace(" → ", " →")))
        .subflows(View::Capture, &all().map(|(_, subflow)| subflow).collect::<Vec<_>>())
        .quantity("resent", PERCENT, all().map(|(_, subflow)| subflow.loss_rate))
        .quantity("segments per packet", PLAIN, read.paths.iter().map(|p| p.mean_burst_segments))
        .quantity("segments per ACK", PLAIN, read.paths.iter().map(|p| p.mean_segments_per_ack))
}
