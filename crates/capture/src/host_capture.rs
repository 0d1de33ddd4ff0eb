//! Captures of the packets that a kernel's hosts sent and received.

use crate::pcapng::{IPV4_LINK, Writer};
use crate::{SNAP_HEADERS, host_interfaces};
use anabranch_record::{PacketSample, Sink};
use anabranch_scenario::Scenario;
use std::io::{self, Write};

/// A capture of a run on a kernel, in progress: the headers of all packets at the senders' hosts.
pub struct HostCapture<W> {
    writer: Writer<W>,
    /// The first interface of each flow.
    interfaces: Vec<u32>,
}

impl<W: Write + Send + 'static> HostCapture<W> {
    /// Begins a capture of a run of `scenario`.
    ///
    /// # Errors
    /// If `to` cannot be written to.
    pub fn new(scenario: &Scenario, to: W) -> io::Result<Self> {
        let mut writer = Writer::new(to, SNAP_HEADERS)?;
        let interfaces = host_interfaces(&mut writer, IPV4_LINK, scenario);
        Ok(HostCapture { writer, interfaces })
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

impl<W: Write + Send + 'static> Sink for HostCapture<W> {
    fn wants_samples(&self) -> bool {
        false
    }

    fn wants_packets(&self) -> bool {
        true
    }

    fn packet(&mut self, packet: &PacketSample<'_>) {
        let PacketSample { at, flow, path, length, headers } = *packet;
        if let Some(first) = self.interfaces.get(flow) {
            self.writer.bytes(first + path as u32, at, headers, length as usize);
        }
    }
}
