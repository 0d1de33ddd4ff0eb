//! Captures: writes the packets of a simulated run for Wireshark, tshark and tcpdump, and reads captures of real hosts.
//!
//! A [`Capture`] observes a run (see [`anabranch_sim::run_with`]) and writes pcapng: Ethernet, IPv4 and TCP
//! with correct checksums, SACK, timestamps, window scale and MPTCP v1 (RFC 8684), all with a payload of zeros. The datagrams of
//! hosted flows are in UDP, with their content and the secrets of TLS.

mod addresses;
mod background;
mod background_capture;
mod connection;
mod datagram;
mod encode;
mod host_capture;
mod keys;
mod near;
mod options;
mod pcapng;
mod read;
mod slot;

pub use background_capture::BackgroundCapture;
pub use host_capture::HostCapture;
pub use pcapng::is_own;
pub use read::{ReadError, ReadOptions, read, trace};

use anabranch_net::Time;
use anabranch_scenario::{Flow, Scenario, SubflowAction};
use anabranch_sim::tap::{PacketKind, Place, SeenPacket, Tap};
use connection::Connection;
use encode::HEADERS;
use pcapng::{ETHERNET_LINK, Writer};
use slot::ConnectionSlot;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Bytes kept per packet to keep only the headers, which are never longer.
const SNAP_HEADERS: u32 = HEADERS as u32;

/// Header bytes of Ethernet, IPv4 and TCP with the options of a full segment.
const ETHERNET: u32 = 14;
const TCP_HEADERS: u32 = 52;

/// Options of a capture.
#[derive(Clone, Debug)]
pub struct Options {
    /// Links to capture at; if empty, the capture is taken at the senders' hosts.
    pub links: Vec<usize>,
    /// Bytes kept of each packet.
    pub snap: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options { links: vec![], snap: SNAP_HEADERS }
    }
}

impl Options {
    /// Estimates the largest size of a capture of the whole run, in bytes: busy links, full packets, one ACK per packet.
    /// Several paths over one bottleneck carry no more than the link. Repeated losses and requests are not included.
    pub fn most_bytes(&self, scenario: &Scenario) -> f64 {
        let greatest_bps = |link: usize| {
            let spec = &scenario.links[link].spec;
            spec.changes.iter().filter_map(|change| change.rate_bps).fold(spec.rate_bps, f64::max)
        };
        let at_hosts = self.links.is_empty();
        let mut listened: BTreeMap<usize, u16> = BTreeMap::new();
        for flow in &scenario.flows {
            for path in &flow.paths {
                let narrowest =
                    path.links.iter().copied().min_by(|a, b| greatest_bps(*a).total_cmp(&greatest_bps(*b)));
                let here = path.links.iter().copied().filter(|link| match at_hosts {
                    true => Some(*link) == narrowest,
                    false => self.links.contains(link),
                });
                for link in here {
                    let smallest = listened.entry(link).or_insert(flow.tcp.mss);
                    *smallest = flow.tcp.mss.min(*smallest);
                }
            }
        }
        let of_link = |(link, mss): (&usize, &u16)| {
            let packet = u32::from(*mss) + TCP_HEADERS;
            let packets = greatest_bps(*link) * scenario.duration.as_secs_f64() / 8.0 / f64::from(packet);
            let acknowledgement = if at_hosts { pcapng::packet_bytes(self.snap, SNAP_HEADERS) } else { 0 };
            packets * f64::from(pcapng::packet_bytes(self.snap, ETHERNET + packet) + acknowledgement)
        };
        listened.iter().map(of_link).sum()
    }
}

/// Adds an interface for each path of each flow; returns the first one of each flow.
fn host_interfaces<W: Write + Send + 'static>(
    writer: &mut Writer<W>,
    link: u32,
    scenario: &Scenario,
) -> Vec<u32> {
    let of_flow = |flow: &Flow| {
        let first = writer.interfaces;
        for (p, path) in flow.paths.iter().enumerate() {
            let over: Vec<&str> = path.links.iter().map(|l| &*scenario.links[*l].name).collect();
            let about = format!("the sender's host of flow {}, path over {}", flow.name, over.join(", "));
            writer.interface(link, &format!("{}.{}", flow.name, p + 1), &about);
        }
        first
    };
    scenario.flows.iter().map(of_flow).collect()
}

/// A capture in progress.
pub struct Capture<W> {
    writer: Writer<W>,
    slots: Vec<ConnectionSlot>,
    flows: Vec<Flow>,
    /// Transfers of each flow that have opened their own connections so far.
    transfers: Vec<u32>,
    seed: u64,
    interfaces: Interfaces,
}

/// The places of the capture, and the writer's interfaces there.
struct Interfaces {
    /// The interface of each captured link.
    links: Vec<Option<u32>>,
    /// The first interface of each flow, if captured at hosts.
    hosts: Option<Vec<u32>>,
}

impl Interfaces {
    fn of(&self, place: Place, flow: usize, path: usize) -> Option<u32> {
        match place {
            Place::Link(link) => self.links[link],
            Place::Sender => Some(*self.hosts.as_ref()?.get(flow)? + path as u32),
        }
    }
}

impl<W: Write + Send + 'static> Capture<W> {
    /// Begins a capture of a run of `scenario`. The seed also determines the connections' keys.
    pub fn new(scenario: &Scenario, seed: u64, options: &Options, to: W) -> io::Result<Self> {
        let mut writer = Writer::new(to, options.snap)?;
        let mut links = vec![None; scenario.links.len()];
        for &link in &options.links {
            let name = &scenario.links[link].name;
            links[link] = Some(writer.interfaces);
            writer.interface(ETHERNET_LINK, name, &format!("what enters link {name}"));
        }
        let at_hosts = options.links.is_empty();
        let hosts = at_hosts.then(|| host_interfaces(&mut writer, ETHERNET_LINK, scenario));
        let slots = scenario.flows.iter().enumerate();
        Ok(Capture {
            writer,
            slots: slots.map(|(f, flow)| ConnectionSlot::new(Connection::new(f, 0, 0, flow, seed))).collect(),
            flows: scenario.flows.clone(),
            transfers: vec![0; scenario.flows.len()],
            seed,
            interfaces: Interfaces { links, hosts },
        })
    }

    /// Ends the capture and returns the writer.
    ///
    /// # Errors
    /// The first error of the whole capture.
    pub fn finish(self) -> io::Result<W> {
        self.writer.finish()
    }
}

impl<W: Write + Send + 'static> Tap for Capture<W> {
    fn wants_links(&self) -> bool {
        self.interfaces.hosts.is_none()
    }

    fn packet(&mut self, seen: &SeenPacket) {
        let Some((connection, life)) = self.slots[seen.connection].find(seen) else { return };
        connection.note(seen, life);
        if let Some(interface) = self.interfaces.of(seen.place, connection.flow, seen.path)
            && let Some(frame) = connection.frame(seen, life)
        {
            self.writer.packet(interface, seen.at, &frame, None);
        }
    }

    fn datagram(&mut self, seen: &SeenPacket, content: &[u8]) {
        let (flow, forward) = (seen.connection, seen.kind == PacketKind::Datagram);
        if let Some(interface) = self.interfaces.of(seen.place, flow, seen.path) {
            let frame = datagram::frame(flow, seen.path, forward, seen.ecn, content);
            self.writer.bytes(interface, seen.at, &frame, frame.len());
        }
    }

    fn secrets(&mut self, lines: &str) {
        self.writer.secrets(lines);
    }

    fn connection_opens(&mut self, at: Time, connection: usize, flow: usize, life: u16) {
        self.transfers[flow] += 1;
        let new = Connection::new(flow, self.transfers[flow], life, &self.flows[flow], self.seed);
        match self.slots.get_mut(connection) {
            Some(slot) => slot.replace(at, new),
            None => self.slots.push(ConnectionSlot::new(new)),
        }
    }

    /// The model applies changes at once. Hosts announce them in packets without payload, which the capture contains with a comment.
    fn change(&mut self, at: Time, flow: usize, path: usize, action: SubflowAction) {
        for (path, frame) in self.slots[flow].present.announcements(at, path, action) {
            if let Some(interface) = self.interfaces.of(Place::Sender, flow, path) {
                self.writer.packet(interface, at, &frame, Some(ANNOUNCED));
            }
        }
    }
}

const ANNOUNCED: &str =
    "what a host would send at this change; the model applies it at once, without a packet";
