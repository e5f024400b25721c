//! The arguments of the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// Arguments of the server.
#[derive(Clone, Debug, Args)]
pub struct Arguments {
    /// The save to open; created when it does not exist
    #[arg(long, value_name = "PATH", default_value = "shared.voxels")]
    pub world: PathBuf,
    /// The seed of a new world
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The address and UDP port to listen at; all addresses and port 4433 without it
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<SocketAddr>,
    /// The name or address of this machine in invites, as players reach it
    #[arg(long, value_name = "NAME", value_parser = host_name)]
    pub host: Option<String>,
    /// The most players at once
    #[arg(
        long,
        value_name = "N",
        default_value_t = 64,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub players: u16,
}

/// Parses a name that an invite can carry.
fn host_name(text: &str) -> Result<String, String> {
    let inner = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let host = inner.unwrap_or(text);
    match net::quic::Invite::is_host(host) {
        true => Ok(host.to_owned()),
        false => Err("this is neither a name nor an address; leave out the port".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_and_addresses() {
        for host in ["play.example.org", "192.0.2.1", "::1"] {
            assert_eq!(host_name(host), Ok(host.to_owned()));
        }
        assert_eq!(host_name("[::1]"), Ok("::1".to_owned()));
        for bad in ["", "a b", "host:4433", "[host]x", "\u{1b}"] {
            assert!(host_name(bad).is_err(), "{bad}");
        }
    }
}
