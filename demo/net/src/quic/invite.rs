//! Invites: one line of text with all that a client needs to join a server.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use super::base64::{decode, encode};
use super::{Pin, Ticket};

/// The beginning of every invite.
const SCHEME: &str = "voxels:";
/// The longest invite, bytes.
const LONGEST: usize = 512;
/// The longest name of a host, bytes.
const LONGEST_HOST: usize = 253;

/// All that a client needs to join a server: `voxels:HOST:PORT/PIN.TICKET`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invite {
    /// A name, or an address; one of IPv6 without brackets.
    pub host: String,
    /// The UDP port.
    pub port: u16,
    /// The hash of the certificate of the server.
    pub pin: Pin,
    /// The right to join.
    pub ticket: Ticket,
}

/// Reasons why a text is not an invite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InviteError {
    /// It does not look like an invite at all.
    #[error(
        "an invite looks like {SCHEME}HOST:PORT/CODE: paste the whole line that the server printed"
    )]
    Form,
    /// The host is missing or no name.
    #[error("the host of the invite is neither a name nor an address: {0:?}")]
    Host(String),
    /// The port is no port.
    #[error("the port of the invite is not a number from 1 to 65535: {0:?}")]
    Port(String),
    /// The code at the end is damaged.
    #[error("the code at the end of the invite is not whole: paste the whole line")]
    Code,
}

impl Invite {
    /// Returns whether a text may be the host of an invite: a name, or an address without brackets.
    pub fn is_host(text: &str) -> bool {
        is_name(text) || text.parse::<Ipv6Addr>().is_ok()
    }

    /// Returns the host and the port, as in an address.
    pub fn place(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

impl fmt::Display for Invite {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = [&self.pin.0[..], &self.ticket.to_bytes()].map(encode);
        write!(to, "{SCHEME}{}/{}", self.place(), code.join("."))
    }
}

impl FromStr for Invite {
    type Err = InviteError;

    fn from_str(text: &str) -> Result<Self, InviteError> {
        let text = text.trim();
        let rest = text.strip_prefix(SCHEME).filter(|_| text.len() <= LONGEST);
        let (place, code) = rest
            .and_then(|rest| rest.split_once('/'))
            .ok_or(InviteError::Form)?;
        let (host, port) = place.rsplit_once(':').ok_or(InviteError::Form)?;
        let (pin, ticket) = code.split_once('.').ok_or(InviteError::Code)?;
        let pin = decode(pin).and_then(|bytes| bytes.try_into().ok());
        let ticket = decode(ticket).and_then(|bytes| Ticket::from_bytes(&bytes).ok());
        let number = port.parse().ok().filter(|port| *port != 0);
        Ok(Invite {
            host: check_host(host)?,
            port: number.ok_or_else(|| InviteError::Port(port.to_owned()))?,
            pin: Pin(pin.ok_or(InviteError::Code)?),
            ticket: ticket.ok_or(InviteError::Code)?,
        })
    }
}

/// Returns a host without its brackets, if it is a name or an address.
fn check_host(typed: &str) -> Result<String, InviteError> {
    let inner = typed
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let is_host = match inner {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
        None => is_name(typed),
    };
    let host = inner.unwrap_or(typed);
    match is_host {
        true => Ok(host.to_owned()),
        false => Err(InviteError::Host(typed.to_owned())),
    }
}

/// Returns whether a text may be a name of a host, or an address of IPv4.
fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    (1..=LONGEST_HOST).contains(&text.len()) && text.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use simulation::Role;

    use super::super::Secret;
    use super::*;

    fn invite(host: &str) -> Invite {
        Invite {
            host: host.to_owned(),
            port: 4433,
            pin: Pin([7; 32]),
            ticket: Secret::from_bytes([1; 32]).ticket(Role::Build, 0).unwrap(),
        }
    }

    #[test]
    fn an_invite_is_one_line_and_comes_back() {
        for host in [
            "192.0.2.7",
            "play.example.org",
            "localhost",
            "::1",
            "2001:db8::2",
        ] {
            let invite = invite(host);
            let line = invite.to_string();
            assert!(
                line.len() < 160 && !line.contains(char::is_whitespace),
                "{line}"
            );
            assert_eq!(format!(" {line}\n").parse(), Ok(invite));
        }
    }

    #[test]
    fn a_bad_invite_says_which_part_is_wrong() {
        let good = invite("192.0.2.7").to_string();
        assert_eq!("".parse::<Invite>(), Err(InviteError::Form));
        assert_eq!("192.0.2.7:4433".parse::<Invite>(), Err(InviteError::Form));
        assert_eq!(
            good.replace('/', "").parse::<Invite>(),
            Err(InviteError::Form)
        );
        assert_eq!(
            (good.clone() + &"A".repeat(600)).parse::<Invite>(),
            Err(InviteError::Form)
        );
        for port in ["0", "65536", "-1", ""] {
            let bad = good.replace("4433", port).parse::<Invite>();
            assert_eq!(bad, Err(InviteError::Port(port.to_owned())));
        }
        for host in ["", "a b", "[::1", "[x]", "::1", "-\u{1b}"] {
            let bad = good.replace("192.0.2.7", host).parse::<Invite>();
            assert_eq!(bad, Err(InviteError::Host(host.to_owned())));
        }
        for cut in 1..good.len() {
            assert!(good[..cut].parse::<Invite>().is_err(), "{cut}");
        }
        assert!(good.replace('.', ",").parse::<Invite>().is_err());
        assert_eq!(
            good[..good.len() - 1].parse::<Invite>(),
            Err(InviteError::Code)
        );
    }
}
