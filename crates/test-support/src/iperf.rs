//! `iperf3`, as TCP or, under `mptcpize`, as MPTCP.

use crate::lab::{Lab, SERVER};
use crate::namespace::Process;
use crate::ss;
use serde_json::Value;
use std::time::Duration;

/// A transfer to the server that is under way.
pub struct Iperf {
    client: Process,
    server: Process,
}

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

#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The rate at the server, bits per second.
    pub goodput: f64,
    /// Seconds of processor time of both ends, per byte received. Interrupts of the network are charged to
    /// the process that they interrupt, mostly these two.
    pub cpu_per_byte: f64,
}

/// The volume of a transfer that is under way: more than its set-up.
const UNDER_WAY: u64 = 10_000;

/// How often a transfer may fail to begin: iperf3's does, once in a while, on a busy machine.
const ATTEMPTS: usize = 5;

/// How long a connection has for data on both paths.
const JOINED: Duration = Duration::from_secs(30);

/// Transfers over MPTCP and over TCP at the same time.
pub struct Duel {
    mptcp: Iperf,
    tcp: Iperf,
}

impl Duel {
    /// Under these algorithms, over `seconds` that count and `omit` before them that do not.
    pub fn start(lab: &Lab, [mptcp, tcp]: [&str; 2], seconds: u32, omit: u32) -> Self {
        let side = |mptcp, port, algorithm| {
            let congestion_control = Some(algorithm);
            Iperf::start(lab, &Options { mptcp, port, seconds, omit, congestion_control })
        };
        Duel { mptcp: side(true, 5201, mptcp), tcp: side(false, 5202, tcp) }
    }

    /// The goodputs of MPTCP and of TCP, Mbit/s.
    pub fn end(self) -> Result<[f64; 2], String> {
        let (mptcp, tcp) = (self.mptcp.end()?, self.tcp.end()?);
        Ok([mptcp, tcp].map(|done| done.goodput / 1e6))
    }
}

impl Iperf {
    /// Returns when data flows.
    pub fn start(lab: &Lab, options: &Options<'_>) -> Self {
        let filter = format!("dport = {}", options.port);
        for _ in 0..ATTEMPTS {
            let mut iperf = Self::launch(lab, options);
            let flows = || ss::sockets(&lab.client, &filter).iter().any(|s| s.acked > UNDER_WAY);
            crate::until(|| flows() || !iperf.client.runs(), "data flows");
            if iperf.client.runs() {
                return iperf;
            }
            eprintln!("{:?}", iperf.end());
        }
        panic!("iperf3 does not begin");
    }

    /// MPTCP that ends when it is dropped, once each of two paths has carried more than these bytes. A busy kernel may reset the
    /// subflow that joins, and opens it only once: another connection then follows.
    pub fn start_on_both_paths(lab: &Lab, port: u16, bytes: u64) -> Self {
        let mut iperf = None;
        let both_carry = || {
            iperf = None;
            iperf = Some(Self::start(lab, &Options::endless(port)));
            let both =
                crate::becomes(JOINED, || ss::carried(lab, port).iter().all(|carried| *carried > bytes));
            if !both {
                eprintln!(
                    "another connection follows: the two paths carried {:?} bytes",
                    ss::carried(lab, port)
                );
            }
            both
        };
        crate::until(both_carry, "both subflows carry data");
        iperf.unwrap()
    }

    fn launch(lab: &Lab, options: &Options<'_>) -> Self {
        let Options { mptcp, port, seconds, omit, congestion_control } = options;
        let iperf = if *mptcp { "mptcpize run iperf3" } else { "iperf3" };
        let mut server = lab.server.start(&format!("{iperf} -s -1 -p {port}"));
        let listens = || !lab.server.command(&format!("ss -Htln sport = {port}")).is_empty();
        crate::until(|| listens() || !server.runs(), "iperf3 listens");
        let chosen = congestion_control.map_or(String::new(), |name| format!("-C {name}"));
        let client = format!("{iperf} -J -c {SERVER} -p {port} -t {seconds} -O {omit} {chosen}");
        Iperf { client: lab.client.start(&client), server }
    }

    pub fn done(self) -> Done {
        self.end().unwrap_or_else(|why| panic!("{why}"))
    }

    /// Waits for its end, or why there is nothing of it.
    pub fn end(self) -> Result<Done, String> {
        let Iperf { client, mut server } = self;
        client.end().and_then(|out| Done::read(&out)).map_err(|why| {
            server.kill();
            format!("iperf3: {why}\nits server: {:?}", server.end())
        })
    }
}

impl Done {
    /// From what the client prints. It may end well with nothing but an error in it.
    fn read(out: &str) -> Result<Self, String> {
        let report: Value = serde_json::from_str(out).map_err(|e| format!("{e}: {out}"))?;
        let number = |part: &str, name: &str| {
            report["end"][part][name].as_f64().ok_or_else(|| format!("no {part}.{name}: {out}"))
        };
        let goodput = number("sum_received", "bits_per_second")?;
        let percent = number("cpu_utilization_percent", "host_total")?
            + number("cpu_utilization_percent", "remote_total")?;
        Ok(Done { goodput, cpu_per_byte: percent / 100.0 / (goodput / 8.0) })
    }
}
