//! Captures of the packets that a kernel's hosts sent and received.

use crate::pcapng::{APPLICATION_NAME, IPV4_LINK, Writer};
use crate::{SNAP_HEADERS, host_interfaces};
use anabranch_record::{PacketSample, Sink};
use anabranch_scenario::Scenario;
use std::io::{self, Write};

/// A capture of a run on a kernel, in progress: the headers of all packets at the senders' hosts.
pub struct HostCapture<W> {
    writer: Writer<W>,
    /// The first interface of each flow.
    interfaces: Vec<u32>,
    /// The first error, which ends writing.
    error: Option<io::Error>,
}

impl<W: Write + Send + 'static> HostCapture<W> {
    /// Begins a capture of a run of `scenario`.
    ///
    /// # Errors
    /// If `to` cannot be written to.
    pub fn new(scenario: &Scenario, to: W) -> io::Result<Self> {
        let application = format!("{APPLICATION_NAME}{}", env!("CARGO_PKG_VERSION"));
        let mut writer = Writer::new(to, SNAP_HEADERS, &application)?;
        let interfaces = host_interfaces(&mut writer, IPV4_LINK, scenario)?;
        Ok(HostCapture { writer, interfaces, error: None })
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(self) -> io::Result<W> {
        self.error.map_or_else(|| self.writer.finish(), Err)
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
        if self.error.is_none()
            && let Some(first) = self.interfaces.get(flow)
        {
            let interface = first + path as u32;
            self.error = self.writer.headers(interface, at.as_nanos(), headers, length).err();
        }
    }
}
