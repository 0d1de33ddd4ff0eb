//! The payload and the packet size of a flow's full segment.

use anabranch_ideal::{HEADERS, dss};
use anabranch_scenario::Flow;

/// A full segment of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Segment {
    /// Bytes of payload, without MPTCP's option.
    pub payload: f64,
    /// Bytes at IP level.
    pub packet: f64,
}

impl Segment {
    /// The full segment of a flow.
    pub fn of(flow: &Flow) -> Self {
        let mss = f64::from(flow.tcp.mss);
        Segment { payload: mss - dss(flow), packet: mss + HEADERS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anabranch_scenario::Scenario;

    /// RFC 8684 §3.3: 20 bytes with data sequence numbers of 32 bits and their ACKs, 24 with those of 64 bits and ACKs of 32.
    #[test]
    fn the_option_takes_of_the_payload() {
        let payload = |hosts: &str, paths: &str| {
            let text = format!(
                "name = \"t\"\nduration = \"1 s\"\nhosts = \"{hosts}\"\nlinks.a = {{ rate = \"1 Mbit/s\", delay = \"1 ms\" }}\n\
                 flows = [{{ name = \"f\", cc = \"reno\", paths = {paths} }}]"
            );
            let scenario = text.parse::<Scenario>().unwrap();
            let Segment { payload, packet } = Segment::of(&scenario.flows[0]);
            assert_eq!(packet, 1500.0);
            payload
        };
        assert_eq!(payload("plain", "[[\"a\"]]"), 1448.0);
        assert_eq!(payload("plain", "[[\"a\"], [\"a\"]]"), 1428.0);
        assert_eq!(payload("linux", "[[\"a\"], [\"a\"]]"), 1424.0);
        assert_eq!(payload("linux", "[[\"a\"]]"), 1448.0);
    }
}
