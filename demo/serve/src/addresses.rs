//! The addresses at which players may reach this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// Addresses that nothing is sent to: the system only tells by which of its own it would.
const FAR: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
];

/// The hosts of invites: those for other machines, and the one for this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hosts {
    pub(crate) others: Vec<String>,
    pub(crate) own: Option<String>,
}

impl Hosts {
    /// Returns the hosts of a server that listens at an address, or the one that its owner named.
    pub(crate) fn of(listen: SocketAddr, named: Option<&str>) -> Self {
        let ip = listen.ip();
        let mut others: Vec<String> = match (named, ip.is_unspecified()) {
            (Some(name), _) => vec![name.to_owned()],
            (None, false) => vec![ip.to_string()],
            (None, true) => FAR.iter().filter_map(own_address).collect(),
        };
        if ip.is_ipv4() && named.is_none() {
            others.retain(|host| !host.contains(':'));
        }
        // Listening at all addresses of IPv6 takes those of IPv4 too.
        let own = ip.is_unspecified().then(|| Ipv4Addr::LOCALHOST.to_string());
        Hosts { others, own }
    }
}

/// Returns the own address on the way to another one.
fn own_address(far: &IpAddr) -> Option<String> {
    let any: IpAddr = match far {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).ok()?;
    socket.connect((*far, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then(|| own.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_named_host_and_a_single_address_are_taken_as_they_are() {
        let all = "0.0.0.0:4433".parse().unwrap();
        let hosts = Hosts::of(all, Some("play.example.org"));
        assert_eq!(hosts.others, ["play.example.org"]);
        assert_eq!(hosts.own.as_deref(), Some("127.0.0.1"));
        let one = Hosts::of("192.0.2.7:4433".parse().unwrap(), None);
        assert_eq!(one.others, ["192.0.2.7"]);
        assert_eq!(one.own, None);
        let guessed = Hosts::of(all, None);
        assert!(guessed.others.iter().all(|host| !host.contains(':')));
    }
}
