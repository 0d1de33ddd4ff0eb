//! `iperf3`, as TCP or, under `mptcpize`, as MPTCP.

use super::lab::{Lab, SERVER};
use crate::common::namespace::Process;
use serde_json::Value;

/// A transfer to the server that is under way.
pub struct Iperf {
    client: Process,
    _server: Process,
}

/// How a transfer is made.
pub struct Options<'a> {
    pub mptcp: bool,
    pub port: u16,
    /// Seconds that count.
    pub seconds: u32,
    /// Seconds before them that do not.
    pub omit: u32,
    /// The client's congestion control, if not the namespace's.
    pub congestion_control: Option<&'a str>,
}

impl Options<'_> {
    /// MPTCP that ends when it is dropped, or after an hour.
    pub fn endless(port: u16) -> Self {
        Options { mptcp: true, port, seconds: 3600, omit: 0, congestion_control: None }
    }
}

/// What came of a transfer.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// What the server received, bits per second.
    pub goodput: f64,
    /// Seconds of processor time of both ends, per byte received. Interrupts of the network are charged to
    /// the process that they interrupt, mostly these two.
    pub cpu_per_byte: f64,
}

impl Iperf {
    pub fn start(lab: &Lab, options: &Options<'_>) -> Self {
        let Options { mptcp, port, seconds, omit, congestion_control } = options;
        let iperf = if *mptcp { "mptcpize run iperf3" } else { "iperf3" };
        let server = lab.server.start(&format!("{iperf} -s -1 -p {port}"));
        let listening = || !lab.server.command(&format!("ss -Htln sport = {port}")).is_empty();
        super::until(listening, "iperf3 listens");
        let chosen = congestion_control.map_or(String::new(), |name| format!("-C {name}"));
        let client = format!("{iperf} -J -c {SERVER} -p {port} -t {seconds} -O {omit} {chosen}");
        Iperf { client: lab.client.start(&client), _server: server }
    }

    /// Waits for its end.
    pub fn done(self) -> Done {
        let out = self.client.output();
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"));
        let number = |part: &str, name: &str| {
            report["end"][part][name].as_f64().unwrap_or_else(|| panic!("no {part}.{name}: {out}"))
        };
        let goodput = number("sum_received", "bits_per_second");
        let percent = ["host_total", "remote_total"].map(|end| number("cpu_utilization_percent", end));
        Done { goodput, cpu_per_byte: (percent[0] + percent[1]) / 100.0 / (goodput / 8.0) }
    }
}
