//! Two iroh endpoints over loopback: LIA, of `multipath-cc`, controls the connection.
//!
//! `cargo run --manifest-path contrib/iroh/Cargo.toml`. iroh sends on one path at a time and keeps the others as backup, so the
//! coupling changes nothing yet. The example shows that the factory works there, for one connection.

use iroh::endpoint::{ConnectOptions, QuicTransportConfig, RelayMode, presets};
use iroh::{Endpoint, EndpointAddr};
use multipath_cc::noq::{Coupled, Event, Observer};
use multipath_cc::registry;
use std::collections::BTreeSet;
use std::error::Error;
use std::net::Ipv4Addr;

const ALPN: &[u8] = b"multipath-cc/example";
const BYTES: usize = 20_000_000;

/// Counts the windows that the algorithm has set, their paths, and the acknowledged bytes.
#[derive(Default)]
struct Counts {
    windows: u64,
    paths: BTreeSet<usize>,
    acknowledged: u64,
}

impl Observer for Counts {
    fn observe(&mut self, path: usize, event: Event) {
        match event {
            Event::Window { .. } => {
                self.windows += 1;
                self.paths.insert(path);
            }
            Event::Acked(bytes) => self.acknowledged += bytes,
            _ => (),
        }
    }
}

async fn new_endpoint() -> Result<Endpoint, Box<dyn Error>> {
    let builder = Endpoint::builder(presets::Minimal).relay_mode(RelayMode::Disabled);
    Ok(builder
        .alpns(vec![ALPN.to_vec()])
        .clear_ip_transports()
        .bind_addr((Ipv4Addr::LOCALHOST, 0))?
        .bind()
        .await?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (client, server) = (new_endpoint().await?, new_endpoint().await?);
    let addresses = server.bound_sockets().into_iter().filter(|address| address.is_ipv4());
    let address = addresses.fold(EndpointAddr::new(server.id()), EndpointAddr::with_ip_addr);

    // Of this connection alone: another connection with this factory would be coupled with it.
    let group = registry::find("lia").ok_or("no LIA")?.group(&[])?;
    let (factory, paths) = Coupled::observed(group, Counts::default()).factory_and_paths();
    let transport = QuicTransportConfig::builder().congestion_controller_factory(factory).build();
    let options = ConnectOptions::new().with_transport_config(transport);

    let receive = async {
        let connection = server.accept().await.ok_or("no connection")?.await?;
        let mut stream = connection.accept_uni().await?;
        let received = stream.read_to_end(BYTES).await?.len();
        Ok::<_, Box<dyn Error>>((received, connection))
    };
    let send = async {
        let connection = client.connect_with_opts(address, ALPN, options).await?.await?;
        let mut stream = connection.open_uni().await?;
        stream.write_all(&vec![0; BYTES]).await?;
        stream.finish()?;
        stream.stopped().await?;
        Ok::<_, Box<dyn Error>>(connection)
    };
    let (received, sent) = tokio::join!(receive, send);
    let ((received, _server_side), _client_side) = (received?, sent?);

    let mut state = paths.lock();
    let Counts { windows, paths, acknowledged } = state.observer();
    let (windows, paths, acknowledged) = (*windows, paths.len(), *acknowledged);
    println!(
        "{received} bytes over iroh; LIA set {windows} windows on {paths} paths, for {acknowledged} acknowledged bytes"
    );
    assert!(received == BYTES && acknowledged > BYTES as u64 && windows > 100);
    Ok(())
}
