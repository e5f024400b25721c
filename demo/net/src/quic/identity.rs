//! The certificate and key of a server, and the check of its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use ring::digest::{SHA256, digest};
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring::default_provider, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{CertificateError, DigitallySignedStruct, SignatureScheme};

use super::LinkError;

/// The name of the protocol in the handshake; the hello tells its number.
const PROTOCOL: &[u8] = b"voxels";
/// The name in the certificate. No client asks for it: the hash counts.
pub(super) const NAME: &str = "voxels";
/// The longest certificate and key that are read, bytes.
const LONGEST: usize = 1 << 16;

/// The SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin(pub [u8; 32]);

impl Pin {
    fn of(certificate: &[u8]) -> Self {
        let mut pin = [0; 32];
        pin.copy_from_slice(digest(&SHA256, certificate).as_ref());
        Pin(pin)
    }
}

/// The certificate and the key of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Identity {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Identity {
    /// Returns a new identity, whose certificate has signed itself.
    pub fn new() -> Result<Self, LinkError> {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()]);
        let made = made.map_err(|error| LinkError::Machine(error.to_string()))?;
        Ok(Identity {
            certificate: made.cert.der().to_vec(),
            key: made.signing_key.serialize_der(),
        })
    }

    /// Returns the hash of the certificate.
    pub fn pin(&self) -> Pin {
        Pin::of(&self.certificate)
    }

    /// Returns its bytes, which are to be kept secret.
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = self.certificate.len() as u32;
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(&self.certificate);
        bytes.extend(&self.key);
        bytes
    }

    /// Reads bytes that were kept.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LinkError> {
        let parts = bytes.split_first_chunk::<4>().and_then(|(length, rest)| {
            let length = u32::from_le_bytes(*length) as usize;
            rest.split_at_checked(length)
        });
        let parts = parts.filter(|_| bytes.len() <= LONGEST);
        let cut = || LinkError::Identity("it is cut off".to_owned());
        let (certificate, key) = parts.ok_or_else(cut)?;
        let identity = Identity {
            certificate: certificate.to_vec(),
            key: key.to_vec(),
        };
        identity.server_config().map(|_| identity)
    }

    /// Returns the settings of a server with this identity.
    pub(super) fn server_config(&self) -> Result<QuicServerConfig, LinkError> {
        let key = PrivatePkcs8KeyDer::from(self.key.clone());
        let certificate = CertificateDer::from(self.certificate.clone());
        let damaged = |error: &dyn std::fmt::Display| LinkError::Identity(error.to_string());
        let builder = rustls::ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| damaged(&error))?
            .with_no_client_auth();
        let config = builder.with_single_cert(vec![certificate], key.into());
        let mut config = config.map_err(|error| damaged(&error))?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        config.send_tls13_tickets = 0;
        QuicServerConfig::try_from(config).map_err(|error| damaged(&error))
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.debug_tuple("Identity").field(&self.pin()).finish()
    }
}

/// Accepts the certificate with one hash, and notes whether another one came.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    provider: CryptoProvider,
    is_other: Arc<AtomicBool>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _chain: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _stapled: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if Pin::of(certificate) == self.pin {
            return Ok(ServerCertVerified::assertion());
        }
        self.is_other.store(true, Ordering::Relaxed);
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("only TLS 1.3 is spoken".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

/// Returns the settings of a client that trusts one certificate. The flag is set when another one
/// comes.
pub(super) fn client_config(
    pin: Pin,
    is_other: &Arc<AtomicBool>,
) -> Result<QuicClientConfig, LinkError> {
    let verifier = Pinned {
        pin,
        provider: default_provider(),
        is_other: is_other.clone(),
    };
    let unusable = |error: &dyn std::fmt::Display| LinkError::Machine(error.to_string());
    let mut config = rustls::ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| unusable(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    QuicClientConfig::try_from(config).map_err(|error| unusable(&error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn an_identity_comes_back_from_its_bytes() {
        let identity = Identity::new().unwrap();
        let again = Identity::from_bytes(&identity.to_bytes()).unwrap();
        assert_eq!(again, identity);
        assert_eq!(again.pin(), identity.pin());
        assert_ne!(Identity::new().unwrap().pin(), identity.pin());
    }

    #[test]
    fn damaged_bytes_are_an_error() {
        let bytes = Identity::new().unwrap().to_bytes();
        for cut in [0, 3, 4, 100, bytes.len() - 1] {
            assert!(Identity::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
        assert!(Identity::from_bytes(&[0xff; 100]).is_err());
        let mut longer = bytes;
        longer.resize(LONGEST + 1, 0);
        assert!(Identity::from_bytes(&longer).is_err());
    }
}
