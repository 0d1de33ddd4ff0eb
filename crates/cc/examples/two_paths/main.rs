//! Two noq endpoints with two paths over loopback addresses, coupled by LIA:  cargo run --example two_paths --features noq
//!
//! Prints each path's window and packets.

use multipath_cc::noq::{Coupled, Paths};
use multipath_cc::registry;
use noq::rustls::RootCertStore;
use noq::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use noq::{ClientConfig, Connection, Endpoint, PathError, PathId, PathStatus, ServerConfig, TransportConfig};
use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// Of the name `localhost`, for this example alone.
const CERTIFICATE: &[u8] = include_bytes!("certificate.der");
const KEY: &[u8] = include_bytes!("key.der");

const ADDRESSES: [Ipv4Addr; 2] = [Ipv4Addr::new(127, 0, 0, 1), Ipv4Addr::new(127, 0, 0, 2)];

/// A path after the transfer.
pub struct Used {
    /// The stack's window, in bytes.
    pub window: u64,
    /// Packets sent.
    pub packets: u64,
}

/// What the stack and the group have at the end.
pub struct Outcome {
    /// By path.
    pub used: Vec<Used>,
    /// The group's windows before the connection closes, in packets.
    pub coupled: Vec<f64>,
    /// The group's paths, which end with the connection.
    pub paths: Paths<()>,
}

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport.max_concurrent_multipath_paths(ADDRESSES.len() as u32);
    transport
}

fn server() -> Result<Endpoint, Box<dyn Error>> {
    let key = PrivatePkcs8KeyDer::from(KEY).into();
    let mut config = ServerConfig::with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)?;
    config.transport_config(Arc::new(transport()));
    Ok(Endpoint::server(config, (Ipv4Addr::UNSPECIFIED, 0).into())?)
}

/// Reads the client's stream to its end.
async fn receive(server: Endpoint) -> Option<()> {
    let connection = server.accept().await?.await.ok()?;
    let mut stream = connection.accept_uni().await.ok()?;
    while stream.read_chunk(usize::MAX).await.ok()?.is_some() {}
    connection.closed().await;
    Some(())
}

/// Opens a path as soon as the peer has given connection ids for it.
async fn open(connection: &Connection, to: SocketAddr) -> Result<noq::Path, PathError> {
    loop {
        match connection.open_path(to, PathStatus::Available).await {
            Err(PathError::RemoteCidsExhausted | PathError::MaxPathIdReached) => {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            opened => return opened,
        }
    }
}

/// Sends `bytes` over both paths. Each begins with a slow-start threshold of 20 packets, so that LIA soon rules.
pub async fn transfer(bytes: usize) -> Result<Outcome, Box<dyn Error>> {
    let server = server()?;
    let to = |address: Ipv4Addr| server.local_addr().map(|local| SocketAddr::from((address, local.port())));
    let receiver = tokio::spawn(receive(server.clone()));

    // A group, a factory and a transport configuration for this connection alone.
    let group = registry::find("lia").ok_or("there is no LIA")?.group(&[])?;
    let (factory, paths) = Coupled::new(group).initial_ssthresh(20.0).factory_and_paths();
    let mut transport = transport();
    transport.congestion_controller_factory(factory);
    let mut trusted = RootCertStore::empty();
    trusted.add(CertificateDer::from(CERTIFICATE))?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(trusted))?;
    config.transport_config(Arc::new(transport));

    let client = Endpoint::client((Ipv4Addr::UNSPECIFIED, 0).into())?;
    let connection = client.connect_with(config, to(ADDRESSES[0])?, "localhost")?.await?;
    let _second = open(&connection, to(ADDRESSES[1])?).await?;
    let mut stream = connection.open_uni().await?;
    stream.write_all(&vec![0; bytes]).await?;
    stream.finish()?;
    stream.stopped().await?;

    let mut used = Vec::new();
    for id in 0..ADDRESSES.len() as u32 {
        let path = connection.path_stats(PathId::from(id)).ok_or("the path is closed")?;
        used.push(Used { window: path.cwnd, packets: path.sent_packets });
        // A copy of the controller is not another path.
        connection.congestion_state(PathId::from(id)).ok_or("the path has no controller")?;
    }
    let coupled = {
        let state = paths.lock();
        state.paths().map(|(r, _)| state.group().path(r).cwnd).collect()
    };
    connection.close(0u32.into(), b"");
    drop((stream, _second, connection));
    client.wait_all_draining().await;
    drop(client);
    receiver.await?.ok_or("the server did not receive all")?;
    server.wait_all_draining().await;
    Ok(Outcome { used, coupled, paths })
}

fn main() -> Result<(), Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(transfer(50_000_000))?;
    for (path, (address, used)) in ADDRESSES.iter().zip(&outcome.used).enumerate() {
        println!("path {path} to {address}: window {} bytes, {} packets", used.window, used.packets);
    }
    Ok(())
}
