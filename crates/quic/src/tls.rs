//! TLS with an Ed25519 key as the server's identity (RFC 7250): all messages have a fixed length, whatever their random content.

use anabranch_net::Random;
use noq_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use noq_proto::rustls::client::Resumption;
use noq_proto::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use noq_proto::rustls::crypto::ring::{cipher_suite, default_provider, kx_group, sign::any_eddsa_type};
use noq_proto::rustls::crypto::{CryptoProvider, verify_tls13_signature_with_raw_key};
use noq_proto::rustls::pki_types::{
    CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
};
use noq_proto::rustls::server::AlwaysResolvesServerRawPublicKeys;
use noq_proto::rustls::sign::CertifiedKey;
use noq_proto::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, KeyLog, PeerIncompatible, ServerConfig,
    SignatureScheme, version::TLS13,
};
use std::sync::{Arc, Mutex, PoisonError};

/// What precedes the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410 §7).
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// The configurations of a client and of a server that it knows. The server's key is from `random`. Secrets go to `secrets`,
/// if there is a capture.
pub(crate) fn pair(
    random: &mut Random,
    secrets: Option<Arc<Secrets>>,
) -> (Arc<QuicClientConfig>, Arc<QuicServerConfig>) {
    let provider = Arc::new(CryptoProvider {
        cipher_suites: vec![cipher_suite::TLS13_AES_128_GCM_SHA256],
        kx_groups: vec![kx_group::X25519],
        ..default_provider()
    });
    let mut key = PKCS8.to_vec();
    (0..4).for_each(|_| key.extend(random.bits().to_le_bytes()));
    let key = any_eddsa_type(&PrivatePkcs8KeyDer::from(key)).expect("any 32 bytes are a key");
    let public = key.public_key().expect("an Ed25519 key has a public part");
    let identity = CertificateDer::from(public.to_vec());
    let resolver =
        AlwaysResolvesServerRawPublicKeys::new(Arc::new(CertifiedKey::new(vec![identity.clone()], key)));
    let mut server = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])
        .expect("the provider has TLS 1.3")
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(resolver));
    server.send_tls13_tickets = 0;
    if let Some(secrets) = secrets {
        server.key_log = secrets; // which knows each secret first
    }
    let mut client = ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])
        .expect("the provider has TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Known { identity, provider }))
        .with_no_client_auth();
    client.resumption = Resumption::disabled();
    let has_suite = "the provider has the cipher suite of Initial packets";
    (
        Arc::new(QuicClientConfig::try_from(client).expect(has_suite)),
        Arc::new(QuicServerConfig::try_from(server).expect(has_suite)),
    )
}

/// Lines of TLS's key log that were not read yet.
#[derive(Debug, Default)]
pub(crate) struct Secrets(Mutex<String>);

impl Secrets {
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl KeyLog for Secrets {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        *lines += &format!("{label} {} {}\n", hex(client_random), hex(secret));
    }
}

/// Accepts the server with that key.
#[derive(Debug)]
struct Known {
    identity: CertificateDer<'static>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Known {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *end_entity == self.identity {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(CertificateError::ApplicationVerificationFailure.into()),
        }
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::Tls13RequiredForQuic.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(cert.as_ref());
        verify_tls13_signature_with_raw_key(
            message,
            &key,
            signed,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
