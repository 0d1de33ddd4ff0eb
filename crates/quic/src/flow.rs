//! One flow: a QUIC client that sends one stream, and the server that reads it.

use crate::QuicError;
use crate::clock::Clock;
use crate::meter::Meters;
use crate::stack::{self, Watched};
use crate::tls;
use anabranch_cc::noq::{Coupled, Paths};
use anabranch_net::{Random, Time};
use anabranch_scenario::{Application, Flow as Spec, Transport};
use anabranch_sim::{Datagram, Out};
use bytes::{Bytes, BytesMut};
use noq_proto::congestion::ControllerFactory;
use noq_proto::{
    ClientConfig, Connection, ConnectionError, ConnectionHandle, ConnectionId, ConnectionIdGenerator,
    DatagramEvent, Dir, EcnCodepoint, Endpoint, EndpointConfig, Event, FourTuple, PathError, PathEvent,
    PathId, PathStatus, ServerConfig, StreamEvent, StreamId, Transmit, TransportConfig, VarInt,
};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The random numbers of connections.
const SEED: u64 = 0x7175_6963_2072_6e67;
const PORT: u16 = 4433;
/// IPv4, TCP and its timestamps, by which a packet of a TCP flow exceeds its mss; and IPv4 and UDP.
const TCP_HEADERS: u16 = 52;
const UDP_HEADERS: u16 = 28;
/// The congestion control of a connection.
pub(crate) enum Control {
    /// One algorithm over all paths.
    Coupled(Paths<Meters>),
    /// A controller of the stack on each path.
    Stack(Arc<Watched>),
}

/// As much as the stack buffers of a stream that the receiver has not acknowledged.
const SEND_WINDOW: u64 = 16 << 20;

/// The receive window of the stream, in full packets. The stack ends a connection whose stream is in more than 1024 pieces; what
/// is missing between them takes more packets than this.
const RECEIVE_WINDOW: u32 = 1800;

static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// One end of a connection: the sender is the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Client,
    Server,
}

impl End {
    fn other(self) -> End {
        match self {
            End::Client => End::Server,
            End::Server => End::Client,
        }
    }
}

/// Whether a flow is one of QUIC.
pub(crate) fn is_quic(flow: &Spec) -> bool {
    flow.transport == Transport::Backend
}

/// Connection ids of 8 random bytes.
struct Ids(Random);

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.bits().to_le_bytes())
    }

    fn cid_len(&self) -> usize {
        8
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// One end of a connection.
struct Host {
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
}

pub(crate) struct Flow {
    clock: Clock,
    ecn: bool,
    paths: usize,
    client: Host,
    server: Host,
    config: Option<ClientConfig>,
    pub(crate) control: Control,
    pub(crate) observables: usize,
    stream: Option<StreamId>,
    /// Bytes that the application has not yet written.
    left: u64,
    /// Stream bytes that the receiver has read, in order.
    pub(crate) delivered: u64,
    /// Whether all is read.
    pub(crate) is_complete: bool,
    stopped: bool,
    keys: Keys,
    /// For which time the timer of each end is scheduled.
    armed: [Time; 2],
}

/// The first keys of a connection with several paths are renewed before the second path opens.
///
/// The stack renews them anyway, after 10 to 999 packets. The receiver then distinguishes old keys from new ones by the packet number,
/// also of other paths, so that it drops what is on its way on a slower path: the sender deems it lost, and slow start ends there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    First,
    /// The client renewed them then.
    Renewed(Time),
    /// The server used them then.
    Seen(Time),
    /// The client knows that.
    Confirmed,
}

fn address(path: usize, end: End) -> Ipv4Addr {
    Ipv4Addr::new(10, u8::from(end == End::Server), path as u8, 1)
}

fn path_of(ip: IpAddr) -> usize {
    match ip {
        IpAddr::V4(ip) => ip.octets()[2].into(),
        IpAddr::V6(_) => 0,
    }
}

/// The network path as an end sees it.
fn four_tuple(path: usize, of: End) -> FourTuple {
    let remote = SocketAddr::new(address(path, of.other()).into(), PORT);
    FourTuple::new(remote, Some(address(path, of).into()))
}

fn coupled(spec: &Spec, clock: Clock) -> Result<Coupled<Meters>, QuicError> {
    let group = spec
        .cc
        .entry
        .group(&spec.cc.params)
        .map_err(|why| QuicError::Refused { key: format!("flows.{}.cc", spec.name), why: why.to_string() })?;
    let coupled = Coupled::observed(group, Meters::new(clock, spec.cc.entry.observables.len()))
        .origin(clock.instant(Time::ZERO))
        .initial_window(spec.tcp.initial_window.into());
    Ok(match spec.tcp.initial_ssthresh {
        Some(packets) => coupled.initial_ssthresh(packets.into()),
        None => coupled,
    })
}

impl Flow {
    pub(crate) fn new(index: usize, spec: &Spec, seed: u64, clock: Clock) -> Result<Flow, QuicError> {
        let mut random = Random::new(seed ^ SEED, index as u64);
        let payload = spec.tcp.mss + TCP_HEADERS - UDP_HEADERS;
        let first = u64::from(spec.tcp.initial_window) * u64::from(payload);
        let (control, factory): (_, Arc<dyn ControllerFactory + Send + Sync>) =
            match stack::named(spec.cc.entry.name, first) {
                Some(own) => {
                    let watched = Arc::new(Watched::new(own, clock));
                    (Control::Stack(watched.clone()), watched)
                }
                None => {
                    let (factory, paths) = coupled(spec, clock)?.factory_and_paths();
                    (Control::Coupled(paths), factory)
                }
            };
        let transport = || {
            let mut transport = TransportConfig::default();
            transport
                .initial_mtu(payload)
                .min_mtu(payload)
                .mtu_discovery_config(None)
                .enable_segmentation_offload(false)
                .max_idle_timeout(None)
                .stream_receive_window(VarInt::from_u32(RECEIVE_WINDOW * u32::from(payload)))
                .send_window(SEND_WINDOW);
            if spec.paths.len() > 1 {
                transport.max_concurrent_multipath_paths(spec.paths.len() as u32);
            }
            transport
        };
        let (client, server) = tls::pair(&mut random);
        let mut of_client = transport();
        of_client.congestion_controller_factory(factory);
        let first_id = ConnectionId::new(&random.bits().to_le_bytes());
        let mut config = ClientConfig::new(client);
        config.transport_config(Arc::new(of_client)).initial_dst_cid_provider(Arc::new(move || first_id));
        let mut server_config = ServerConfig::with_crypto(server);
        server_config.transport_config(Arc::new(transport())).migration(false);
        let mut host = |server: Option<ServerConfig>| {
            let mut own = EndpointConfig::default();
            let mut rng = [0; 32];
            rng.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.bits().to_le_bytes()));
            let ids = Mutex::new(Random::new(random.bits(), 0));
            own.rng_seed(Some(rng)).grease_quic_bit(false).cid_generator(Arc::new(move || {
                let mut ids = ids.lock().unwrap_or_else(PoisonError::into_inner);
                Box::new(Ids(Random::new(ids.bits(), 0)))
            }));
            own.max_udp_payload_size(payload).expect("the segment size was checked");
            Host { endpoint: Endpoint::new(Arc::new(own), server.map(Arc::new), true), connection: None }
        };
        Ok(Flow {
            clock,
            ecn: spec.tcp.ecn,
            paths: spec.paths.len(),
            client: host(None),
            server: host(Some(server_config)),
            config: Some(config),
            control,
            observables: spec.cc.entry.observables.len(),
            stream: None,
            left: match spec.application {
                Application::Bulk { bytes: Some(bytes) } => bytes,
                _ => u64::MAX,
            },
            delivered: 0,
            is_complete: false,
            stopped: false,
            keys: if spec.paths.len() > 1 { Keys::First } else { Keys::Confirmed },
            armed: [Time::NEVER; 2],
        })
    }

    fn host(&mut self, end: End) -> &mut Host {
        match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        }
    }

    /// The client connects.
    pub(crate) fn open(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        let Some(config) = self.config.take() else { return Ok(()) };
        let remote = four_tuple(0, End::Client).remote();
        let connected = self.client.endpoint.connect(self.clock.instant(now), config, remote, "server");
        self.client.connection = Some(connected.map_err(|why| why.to_string())?);
        self.settle(now, End::Client, out)
    }

    /// The sender stops: the connection ends.
    pub(crate) fn stop(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        self.stopped = true;
        self.config = None;
        let instant = self.clock.instant(now);
        if let Some((_, connection)) = &mut self.client.connection {
            connection.close(instant, VarInt::from_u32(0), Bytes::new());
        }
        self.settle(now, End::Client, out)
    }

    /// A datagram arrives.
    pub(crate) fn receive(&mut self, now: Time, datagram: Datagram, out: &mut Out) -> Result<(), String> {
        let instant = self.clock.instant(now);
        let end = if datagram.is_forward { End::Server } else { End::Client };
        self.keys = match (self.keys, end) {
            (Keys::Renewed(at), End::Server) if datagram.sent_at >= at => Keys::Seen(now),
            (Keys::Seen(at), End::Client) if datagram.sent_at >= at => Keys::Confirmed,
            (keys, _) => keys,
        };
        let ecn = match datagram.ecn {
            _ if !self.ecn => None,
            (_, true) => Some(EcnCodepoint::Ce),
            (capable, false) => capable.then_some(EcnCodepoint::Ect0),
        };
        let from = four_tuple(datagram.path, end);
        let host = self.host(end);
        let mut buffer = Vec::new();
        match host.endpoint.handle(instant, from, ecn, BytesMut::from(&*datagram.data), &mut buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut host.connection {
                    connection.handle_event(event);
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                match host.endpoint.accept(incoming, instant, &mut buffer, None) {
                    Ok(connection) => host.connection = Some(connection),
                    Err(why) => return Err(why.cause.to_string()),
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.put(now, end, &transmit, &buffer, out),
            None => (),
        }
        self.settle(now, end, out)
    }

    /// The timer of an end may be due, if it was not rescheduled.
    pub(crate) fn timers(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        let instant = self.clock.instant(now);
        for end in [End::Client, End::Server] {
            if self.armed[end as usize] == now {
                self.armed[end as usize] = Time::NEVER;
                if let Some((_, connection)) = &mut self.host(end).connection {
                    connection.handle_timeout(instant);
                }
                self.settle(now, end, out)?;
            }
        }
        Ok(())
    }

    /// Schedules the timers of the ends. A timer that is due again at once would stop virtual time.
    pub(crate) fn next_timers(&mut self, now: Time, out: &mut Out) {
        let clock = self.clock;
        for end in [End::Client, End::Server] {
            let connection = self.host(end).connection.as_mut();
            let Some(due) = connection.and_then(|(_, connection)| connection.poll_timeout()) else {
                continue;
            };
            let due = clock.time(due);
            let at = due.max(now + Time::from_nanos(1));
            let armed = &mut self.armed[end as usize];
            if at != *armed && due.max(now) != *armed {
                *armed = at;
                out.timers.push(at);
            }
        }
    }

    /// Lets an end do all that it can do now.
    fn settle(&mut self, now: Time, end: End, out: &mut Out) -> Result<(), String> {
        let instant = self.clock.instant(now);
        loop {
            let Host { endpoint, connection } = self.host(end);
            let Some((handle, connection)) = connection else { return Ok(()) };
            while let Some(event) = connection.poll_endpoint_events() {
                if let Some(answer) = endpoint.handle_event(*handle, event) {
                    connection.handle_event(answer);
                }
            }
            let mut is_idle = true;
            while let Some(event) = self.host(end).connection.as_mut().and_then(|(_, c)| c.poll()) {
                is_idle = false;
                self.on_event(now, end, event)?;
            }
            if end == End::Client {
                self.open_paths(now)?;
                self.write();
            }
            let mut buffer = Vec::new();
            while let Some(transmit) = self
                .host(end)
                .connection
                .as_mut()
                .and_then(|(_, c)| c.poll_transmit(instant, NonZeroUsize::MIN, &mut buffer))
            {
                is_idle = false;
                self.put(now, end, &transmit, &buffer, out);
                buffer.clear();
            }
            if is_idle {
                return Ok(());
            }
        }
    }

    fn put(&self, now: Time, from: End, transmit: &Transmit, buffer: &[u8], out: &mut Out) {
        out.datagrams.push(Datagram {
            path: path_of(transmit.destination.ip()),
            is_forward: from == End::Client,
            sent_at: now,
            ecn: (self.ecn && transmit.ecn.is_some(), false),
            wire_bytes: transmit.size as u16 + UDP_HEADERS,
            data: buffer[..transmit.size].to_vec(),
        });
    }

    fn on_event(&mut self, now: Time, end: End, event: Event) -> Result<(), String> {
        match event {
            Event::Connected if end == End::Client => {
                self.stream = self.client.connection.as_mut().and_then(|(_, c)| c.streams().open(Dir::Uni));
            }
            Event::HandshakeConfirmed if end == End::Client && self.keys == Keys::First => {
                if let Some((_, connection)) = &mut self.client.connection {
                    connection.force_key_update();
                    self.keys = Keys::Renewed(now);
                }
            }
            Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                self.stream = self.server.connection.as_mut().and_then(|(_, c)| c.streams().accept(Dir::Uni));
                self.read();
            }
            Event::Stream(StreamEvent::Readable { .. }) => self.read(),
            Event::ConnectionLost { reason: ConnectionError::ApplicationClosed(_) } if self.stopped => (),
            Event::ConnectionLost { reason } if !self.stopped => {
                return Err(format!("the QUIC connection ended: {reason}"));
            }
            Event::Path(PathEvent::Abandoned { id, reason, .. }) if !self.stopped => {
                return Err(format!("QUIC path {id} was abandoned: {reason:?}"));
            }
            _ => (),
        }
        Ok(())
    }

    /// Opens the paths that are not open, as soon as the peer has given connection ids for them.
    fn open_paths(&mut self, now: Time) -> Result<(), String> {
        let instant = self.clock.instant(now);
        let Some((_, connection)) = &mut self.client.connection else { return Ok(()) };
        if self.stream.is_none() || self.stopped || self.keys != Keys::Confirmed {
            return Ok(());
        }
        if self.paths > 1 && !connection.is_multipath_negotiated() {
            return Err("the ends have not negotiated multipath".into());
        }
        while connection.paths().len() < self.paths {
            let path = connection.paths().len();
            match connection.open_path(four_tuple(path, End::Client), PathStatus::Available, instant) {
                Ok(id) => debug_assert_eq!(id, PathId::from(path as u32)),
                Err(PathError::MaxPathIdReached | PathError::RemoteCidsExhausted) => break,
                Err(why) => return Err(format!("QUIC path {path} cannot be opened: {why}")),
            }
        }
        Ok(())
    }

    /// The application writes as much as the stack takes.
    fn write(&mut self) {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.client.connection) else {
            return;
        };
        while self.left > 0 && !self.stopped {
            let part = self.left.min(ZEROS.len() as u64) as usize;
            let mut chunks = [Bytes::from_static(&ZEROS[..part])];
            match connection.send_stream(stream).write_chunks(&mut &mut chunks[..]) {
                Ok(written) if self.left < u64::MAX => self.left -= written as u64,
                Ok(_) => (),
                Err(_) => return,
            }
            if self.left == 0 {
                let _ = connection.send_stream(stream).finish();
            }
        }
    }

    /// The receiver reads all that is in order.
    fn read(&mut self) {
        let (Some(stream), Some((_, connection))) = (self.stream, &mut self.server.connection) else {
            return;
        };
        let mut stream = connection.recv_stream(stream);
        let Ok(mut chunks) = stream.read(true) else { return };
        loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => self.delivered += chunk.bytes.len() as u64,
                Ok(None) => {
                    self.is_complete = true;
                    break;
                }
                Err(_) => break,
            }
        }
        let _ = chunks.finalize();
    }
}
