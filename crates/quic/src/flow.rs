//! One flow: a QUIC client that sends, and the server that reads.

use crate::QuicError;
use crate::application::Application;
use crate::clock::Clock;
use crate::control::Control;
use crate::host::{End, Host, RECEIVE_WINDOW, four_tuple, hosts, path_of};
use crate::meter::payload as stream_bytes;
use crate::paths::Paths;
use crate::tls::Secrets;
use crate::traces::{OpenTrace, Trace};
use anabranch_net::{Random, Time};
use anabranch_scenario::{Flow as Spec, Scenario, SubflowAction, Transport};
use anabranch_sim::{Datagram, Out};
use bytes::{Bytes, BytesMut};
use noq_proto::{
    ClientConfig, DatagramEvent, Dir, EcnCodepoint, Event, PathAbandonReason, PathEvent, StreamEvent,
    StreamId, Transmit, VarInt,
};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The random numbers of connections.
const SEED: u64 = 0x7175_6963_2072_6e67;
/// Those of the stack's controllers.
const PROBES: u64 = 0x7072_6f62_6573_2062;
/// IPv4, TCP and its timestamps, by which a packet of a TCP flow exceeds its mss; and IPv4 and UDP.
const TCP_HEADERS: u16 = 52;
const UDP_HEADERS: u16 = 28;
/// Packets of data that a greedy application has written ahead of what the connection has sent.
const MOST_AHEAD: u64 = 2;

static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

pub(crate) fn is_quic(flow: &Spec) -> bool {
    flow.transport == Transport::Backend
}

pub(crate) struct Flow {
    clock: Clock,
    ecn: bool,
    /// For a capture.
    secrets: Option<Arc<Secrets>>,
    /// Bytes of stream data in a full packet.
    packet: u64,
    /// Of each stream, in bytes.
    receive_window: u64,
    paths: Paths,
    client: Host,
    server: Host,
    config: Option<ClientConfig>,
    pub(crate) control: Control,
    pub(crate) observables: usize,
    pub(crate) application: Application,
    /// Whether the client's handshake is complete.
    connected: bool,
    /// Stream bytes that the receiver has read, in order.
    pub(crate) delivered: u64,
    /// What a greedy application has written and the connection has not sent.
    ahead: Ahead,
    stopped: bool,
    keys: Keys,
    /// For which time the timer of each end is scheduled.
    armed: [Time; 2],
    /// The same of the application and of the paths.
    own: [Time; 2],
    /// Whether the flow has started.
    is_open: bool,
}

/// Bounds what a greedy application has written and the connection has not sent.
#[derive(Default)]
struct Ahead {
    /// Packets that the connection had sent when the period began, and packets' worth of data written since then.
    sent: u64,
    written: u64,
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

impl Flow {
    pub(crate) fn new(
        scenario: &Scenario,
        f: usize,
        seed: u64,
        clock: Clock,
        is_captured: bool,
        traces: Option<OpenTrace<'_>>,
    ) -> Result<Flow, QuicError> {
        let spec = &scenario.flows[f];
        let mut random = Random::new(seed ^ SEED, f as u64);
        let payload = spec.tcp.mss + TCP_HEADERS - UDP_HEADERS;
        let (control, factory) = Control::new(spec, clock, payload, || Random::new(seed ^ PROBES, f as u64))?;
        let secrets = is_captured.then(Arc::<Secrets>::default);
        let origin = clock.instant(Time::ZERO);
        let traces = traces.map(|open| Trace::both(scenario, f, seed, origin, open));
        let (client, server, config) = hosts(spec, payload, factory, secrets.clone(), traces, &mut random);
        Ok(Flow {
            clock,
            ecn: spec.tcp.ecn,
            secrets,
            packet: stream_bytes(payload.into()),
            receive_window: (RECEIVE_WINDOW * u32::from(payload)).into(),
            paths: Paths::new(spec),
            client,
            server,
            config: Some(config),
            control,
            observables: spec.cc.entry.observables.len(),
            application: Application::new(scenario, f, seed),
            connected: false,
            delivered: 0,
            ahead: Ahead::default(),
            stopped: false,
            keys: if spec.paths.len() > 1 { Keys::First } else { Keys::Confirmed },
            armed: [Time::NEVER; 2],
            own: [Time::NEVER; 2],
            is_open: false,
        })
    }

    fn host(&mut self, end: End) -> &mut Host {
        match end {
            End::Client => &mut self.client,
            End::Server => &mut self.server,
        }
    }

    /// The flow starts.
    pub(crate) fn open(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        self.application.on_open(now);
        self.is_open = true;
        self.connect(now, out)
    }

    /// The client connects, as soon as it has a path.
    fn connect(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        if self.config.is_none() || !self.is_open {
            return Ok(());
        }
        let Some(first) = self.paths.first() else { return Ok(()) };
        self.control.expect(first);
        let Some(config) = self.config.take() else { return Ok(()) };
        let remote = four_tuple(first, End::Client).remote();
        let connected = self.client.endpoint.connect(self.clock.instant(now), config, remote, "server");
        self.client.connection = Some(connected.map_err(|why| why.to_string())?);
        self.settle(now, End::Client, out)
    }

    /// The scenario changes a path.
    pub(crate) fn change(
        &mut self,
        now: Time,
        path: usize,
        action: SubflowAction,
        out: &mut Out,
    ) -> Result<(), String> {
        self.paths.change(path, action);
        match self.config {
            Some(_) => self.connect(now, out),
            None => self.settle(now, End::Client, out),
        }
    }

    /// The application stops: the connection ends, or finishes first what has begun.
    pub(crate) fn stop(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        self.config = None;
        if self.application.stop() {
            self.close(now);
        }
        self.settle(now, End::Client, out)
    }

    fn close(&mut self, now: Time) {
        self.stopped = true;
        let instant = self.clock.instant(now);
        if let Some((_, connection)) = &mut self.client.connection {
            connection.close(instant, VarInt::from_u32(0), Bytes::new());
        }
    }

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

    /// The timer of an end may be due, if it was not rescheduled, or the timer of the application or of the paths.
    pub(crate) fn timers(&mut self, now: Time, out: &mut Out) -> Result<(), String> {
        if self.own.contains(&now) {
            let was_greedy = self.application.is_greedy_now();
            let asks = self.application.on_time(now, self.packet);
            if self.application.is_greedy_now() && !was_greedy {
                self.ahead = Ahead { sent: self.control.meters(|meters| meters.sent()), written: 0 };
            }
            if asks {
                self.request()?;
            }
            self.settle(now, if asks { End::Server } else { End::Client }, out)?;
        }
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

    /// Gives a capture the secrets that are new.
    pub(crate) fn new_secrets(&self, out: &mut Out) {
        if let Some(secrets) = &self.secrets {
            out.secrets += &secrets.take();
        }
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
        let next = self.application.next_at.max(now + Time::from_nanos(1));
        for (armed, at) in self.own.iter_mut().zip([next, self.paths.due]) {
            if *armed != at && at > now && at < Time::NEVER {
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
                self.on_event(now, end, event, out)?;
            }
            if end == End::Client {
                self.tend_paths(now)?;
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

    fn on_event(&mut self, now: Time, end: End, event: Event, out: &mut Out) -> Result<(), String> {
        match event {
            Event::Connected if end == End::Client => {
                self.connected = true;
                self.application.on_sender_connected(now);
            }
            Event::Connected => {
                let asks = self.application.on_receiver_connected(now);
                if asks {
                    self.request()?;
                }
            }
            Event::HandshakeConfirmed if end == End::Client && self.keys == Keys::First => {
                if let Some((_, connection)) = &mut self.client.connection {
                    connection.force_key_update();
                    self.keys = Keys::Renewed(now);
                }
            }
            Event::Stream(StreamEvent::Opened { dir }) => {
                while let Some(stream) =
                    self.host(end).connection.as_mut().and_then(|(_, c)| c.streams().accept(dir))
                {
                    if dir == Dir::Bi {
                        self.application.on_request(stream);
                    }
                    self.read(now, end, stream, out);
                }
            }
            Event::Stream(StreamEvent::Readable { id }) => self.read(now, end, id, out),
            Event::ConnectionLost { reason } if !self.stopped => {
                return Err(format!("the QUIC connection ended: {reason}"));
            }
            Event::Path(PathEvent::Established { id, .. }) if end == End::Client => {
                self.paths.on_established(id);
            }
            // The server sends on the same paths as the client.
            Event::Path(PathEvent::RemoteStatus { id, status, .. }) if end == End::Server => {
                if let Some((_, connection)) = &mut self.server.connection {
                    let _ = connection.set_path_status(id, status);
                }
            }
            Event::Path(PathEvent::Abandoned {
                reason: PathAbandonReason::ApplicationClosed { .. }, ..
            }) => (),
            Event::Path(PathEvent::Abandoned { id, reason, .. }) if end == End::Client && !self.stopped => {
                return Err(format!("QUIC path {id} was abandoned: {reason:?}"));
            }
            _ => (),
        }
        Ok(())
    }

    /// Opens and closes paths. The first keys must be renewed before.
    fn tend_paths(&mut self, now: Time) -> Result<(), String> {
        let Some((_, connection)) = &mut self.client.connection else { return Ok(()) };
        if !self.connected || self.stopped || self.keys != Keys::Confirmed || !self.paths.are_several() {
            return Ok(());
        }
        if !connection.is_multipath_negotiated() {
            return Err("the ends have not negotiated multipath".into());
        }
        self.paths.tend(now, self.clock, connection, &self.control)
    }

    /// The receiver sends a request: a stream without content, on which the sender answers.
    fn request(&mut self) -> Result<(), String> {
        let Some((_, connection)) = &mut self.server.connection else { return Ok(()) };
        let stream = connection.streams().open(Dir::Bi).ok_or("the stack allows no stream for a request")?;
        let _ = connection.send_stream(stream).finish();
        Ok(())
    }

    /// The application writes as much as the stack takes.
    fn write(&mut self) {
        let Some((_, connection)) = &mut self.client.connection else { return };
        if self.stopped || !self.connected {
            return;
        }
        if self.application.is_greedy_now()
            && let Some(transfer) = self.application.transfers.front_mut()
        {
            let sent = self.control.meters(|meters| meters.sent()).saturating_sub(self.ahead.sent);
            let more = (sent + MOST_AHEAD).saturating_sub(self.ahead.written);
            self.ahead.written += more;
            transfer.left += more * self.packet;
        }
        for transfer in self.application.transfers.iter_mut().filter(|transfer| !transfer.is_sent) {
            if transfer.stream.is_none() {
                transfer.stream = connection.streams().open(Dir::Uni);
            }
            let Some(stream) = transfer.stream else { return };
            while transfer.left > 0 {
                let part = transfer.left.min(ZEROS.len() as u64) as usize;
                let mut chunks = [Bytes::from_static(&ZEROS[..part])];
                match connection.send_stream(stream).write_chunks(&mut &mut chunks[..]) {
                    Ok(written) if transfer.left < u64::MAX => transfer.left -= written as u64,
                    Ok(_) => (),
                    // Of the connection's window: the streams behind it would have to wait, too.
                    Err(_) if transfer.has_written_less(self.receive_window) => return,
                    Err(_) => break,
                }
            }
            if transfer.left == 0 && transfer.ends() {
                let _ = connection.send_stream(stream).finish();
                transfer.is_sent = true;
            }
        }
    }

    /// An end reads all of a stream that is in order. The client's side of it is a request, which is empty.
    fn read(&mut self, now: Time, end: End, id: StreamId, out: &mut Out) {
        let Some((_, connection)) = &mut self.host(end).connection else { return };
        let mut stream = connection.recv_stream(id);
        let Ok(mut chunks) = stream.read(true) else { return };
        let mut bytes = 0;
        let is_over = loop {
            match chunks.next(usize::MAX) {
                Ok(Some(chunk)) => bytes += chunk.bytes.len() as u64,
                last => break last.is_ok(),
            }
        };
        let _ = chunks.finalize();
        if end == End::Client {
            return;
        }
        self.delivered += bytes;
        if is_over {
            out.completed.extend(self.application.on_read(id, now));
            out.is_complete |= self.application.is_complete();
        }
    }
}
