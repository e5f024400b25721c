//! A client of QUIC that keeps to no protocol above it.

use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::{ClientConfig, Connection, Endpoint, RecvStream, SendStream};
use rustls::RootCertStore;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::CertificateDer;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::guests::{Hall, PATIENCE};

/// A connection whose stream began with some bytes, and is never read.
pub(crate) struct Raw {
    runtime: Handle,
    connection: Connection,
    _stream: (SendStream, RecvStream),
    /// Ends the thread of the runtime when it is dropped.
    _stop: oneshot::Sender<()>,
}

impl Raw {
    /// Connects, and sends the first bytes.
    pub(crate) fn open(hall: &Hall, first: &[u8]) -> Self {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().unwrap();
        let (handle, (stop, stopped)) = (runtime.handle().clone(), oneshot::channel());
        std::thread::spawn(move || runtime.block_on(stopped));
        let config = config(&hall.identity.to_bytes());
        let address = hall.listener.local_address();
        let (connection, stream) = handle.block_on(async {
            let endpoint = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
            let connecting = endpoint.connect_with(config, address, "voxels").unwrap();
            let connection = timeout(PATIENCE, connecting).await.unwrap().unwrap();
            let mut stream = connection.open_bi().await.unwrap();
            stream.0.write_all(first).await.unwrap();
            (connection, stream)
        });
        Raw {
            runtime: handle,
            connection,
            _stream: stream,
            _stop: stop,
        }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection.close_reason().is_some()
    }

    /// Returns whether another stream can be opened within a time.
    pub(crate) fn opens_another(&self, time: Duration) -> bool {
        self.runtime.block_on(async {
            let opened = timeout(time, self.connection.open_bi()).await;
            assert!(timeout(time, self.connection.open_uni()).await.is_err());
            opened.is_ok()
        })
    }
}

/// Returns settings that trust the certificate of an identity.
fn config(identity: &[u8]) -> ClientConfig {
    let (length, rest) = identity.split_first_chunk::<4>().unwrap();
    let certificate = &rest[..u32::from_le_bytes(*length) as usize];
    let mut roots = RootCertStore::empty();
    roots
        .add(CertificateDer::from(certificate.to_vec()))
        .unwrap();
    let mut config = rustls::ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"voxels".to_vec()];
    ClientConfig::new(Arc::new(QuicClientConfig::try_from(config).unwrap()))
}
