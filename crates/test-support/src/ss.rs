//! The output of `ss` on a namespace's TCP sockets.

use crate::lab::{Lab, client_address};
use crate::namespace::Namespace;

/// A connected TCP socket.
#[derive(Clone, Debug)]
pub struct Socket {
    /// Its own address, without the port.
    pub local: String,
    /// The peer's, without the port.
    pub remote: String,
    pub algorithm: String,
    /// Whether it is a subflow of an MPTCP connection.
    pub mptcp: bool,
    /// Bytes that the peer acknowledged.
    pub acked: u64,
    /// The smoothed round-trip time, seconds.
    pub rtt: Option<f64>,
    /// The smallest, seconds.
    pub min_rtt: Option<f64>,
}

/// The connected sockets that `filter` selects, such as `dport = 5201`.
pub fn sockets(namespace: &Namespace, filter: &str) -> Vec<Socket> {
    let text = namespace.command(&format!("ss -HtinO state established {filter}"));
    text.lines().map(|line| parse(line).unwrap_or_else(|| panic!("not what ss prints: {line}"))).collect()
}

/// Bytes that the client of a port sent on each of two paths and that were acknowledged, of the connection
/// that carried most there.
pub fn carried(lab: &Lab, port: u16) -> [u64; 2] {
    let sockets = sockets(&lab.client, &format!("dport = {port}"));
    let on = |path| sockets.iter().filter(move |s| s.local == client_address(path)).map(|s| s.acked);
    [1, 2].map(|path| on(path).max().unwrap_or(0))
}

/// The client's subflow on that path that carried most.
pub fn subflow(lab: &Lab, path: usize, port: u16) -> Option<Socket> {
    let sockets = sockets(&lab.client, &format!("dport = {port}"));
    sockets.into_iter().filter(|s| s.local == client_address(path)).max_by_key(|s| s.acked)
}

fn parse(line: &str) -> Option<Socket> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let address = |word: &str| {
        let address = word.rsplit_once(':')?.0.trim_matches(['[', ']']).trim_start_matches("::ffff:");
        Some(address.split('%').next()?.to_owned())
    };
    // After two queues and two addresses.
    let details = &words[4..];
    let first = details.iter().position(|word| word.starts_with("wscale:") || word.starts_with("rto:"))?;
    let algorithm = details[..first].iter().rev().find(|word| !["sack", "ecn", "ts"].contains(word))?;
    let value = |name| details.iter().find_map(|word| word.strip_prefix(name));
    let seconds = |ms: &str| Some(ms.parse::<f64>().ok()? / 1000.0);
    Some(Socket {
        local: address(words.get(2)?)?,
        remote: address(words.get(3)?)?,
        algorithm: (*algorithm).into(),
        mptcp: details.contains(&"tcp-ulp-mptcp"),
        acked: value("bytes_acked:").unwrap_or("0").parse().ok()?,
        rtt: value("rtt:").and_then(|both| seconds(both.split('/').next()?)),
        min_rtt: value("minrtt:").and_then(seconds),
    })
}
