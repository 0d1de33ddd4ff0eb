//! The two ends of a connection, and how they are set up.

use crate::stack::Factory;
use crate::tls::{self, Secrets};
use crate::traces::Trace;
use anabranch_net::Random;
use anabranch_scenario::{Application, Flow as Spec};
use noq_proto::congestion::CubicConfig;
use noq_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionId, ConnectionIdGenerator, Endpoint,
    EndpointConfig, FourTuple, ServerConfig, TransportConfig, VarInt,
};
use ring::hmac;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const PORT: u16 = 4433;
/// As much as the stack buffers of a stream that the receiver has not acknowledged.
const SEND_WINDOW: u64 = 16 << 20;

/// The receive window of each stream, in full packets. The stack ends a connection whose stream is in more than 1024 pieces; what
/// is missing between them takes more packets than this.
pub(crate) const RECEIVE_WINDOW: u32 = 1800;

/// The first window of the stack's CUBIC, which the server runs: it sends nothing if its packets are larger.
const CUBIC_WINDOW: u64 = 12_000;

/// The most streams of transfers at once.
const MOST_STREAMS: u32 = 1 << 16;

/// One end of a connection: the sender is the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Client,
    Server,
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
pub(crate) struct Host {
    pub(crate) endpoint: Endpoint,
    pub(crate) connection: Option<(ConnectionHandle, Connection)>,
}

fn address(path: usize, is_server: bool) -> Ipv4Addr {
    Ipv4Addr::new(10, is_server.into(), path as u8, 1)
}

pub(crate) fn path_of(ip: IpAddr) -> usize {
    match ip {
        IpAddr::V4(ip) => ip.octets()[2].into(),
        IpAddr::V6(_) => 0,
    }
}

/// The network path as an end sees it.
pub(crate) fn four_tuple(path: usize, of: End) -> FourTuple {
    let remote = SocketAddr::new(address(path, of == End::Client).into(), PORT);
    FourTuple::new(remote, Some(address(path, of == End::Server).into()))
}

/// Client and server of a flow whose full packets have `payload` bytes, and the configuration with which the client connects.
pub(crate) fn hosts(
    spec: &Spec,
    payload: u16,
    factory: Factory,
    secrets: Option<Arc<Secrets>>,
    traces: Option<[Arc<Trace>; 2]>,
    random: &mut Random,
) -> (Host, Host, ClientConfig) {
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
        if let Application::Arrivals { .. } = spec.application {
            transport.max_concurrent_uni_streams(VarInt::from_u32(MOST_STREAMS));
        }
        if spec.paths.len() > 1 {
            transport.max_concurrent_multipath_paths(spec.paths.len() as u32);
        }
        transport
    };
    let (client, server) = tls::pair(random, secrets);
    let (mut of_client, mut of_server) = (transport(), transport());
    of_client.congestion_controller_factory(factory);
    if let Some([sender, receiver]) = traces {
        of_client.qlog_factory(sender);
        of_server.qlog_factory(receiver);
    }
    if u64::from(payload) > CUBIC_WINDOW {
        let mut control = CubicConfig::default();
        control.initial_window(2 * u64::from(payload)); // RFC 9002 §7.2
        of_server.congestion_controller_factory(Arc::new(control));
    }
    let first_id = ConnectionId::new(&random.bits().to_le_bytes());
    let mut config = ClientConfig::new(client);
    config.transport_config(Arc::new(of_client)).initial_dst_cid_provider(Arc::new(move || first_id));
    let mut server_config = ServerConfig::with_crypto(server);
    server_config.transport_config(Arc::new(of_server)).migration(false);
    let mut host = |server: Option<ServerConfig>| {
        let mut own = EndpointConfig::default();
        let mut rng = [0; 32];
        rng.chunks_mut(8).for_each(|part| part.copy_from_slice(&random.bits().to_le_bytes()));
        let ids = Mutex::new(Random::new(random.bits(), 0));
        // Of the tokens of stateless resets, which traces show.
        own.reset_key(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, &rng)));
        own.rng_seed(Some(rng)).grease_quic_bit(false).cid_generator(Arc::new(move || {
            let mut ids = ids.lock().unwrap_or_else(PoisonError::into_inner);
            Box::new(Ids(Random::new(ids.bits(), 0)))
        }));
        own.max_udp_payload_size(payload).expect("the segment size was checked");
        Host { endpoint: Endpoint::new(Arc::new(own), server.map(Arc::new), true), connection: None }
    };
    (host(None), host(Some(server_config)), config)
}
