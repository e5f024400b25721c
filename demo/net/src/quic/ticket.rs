//! Tickets: the right to join a server with a role, signed with the secret of that server.

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use simulation::Role;

use super::LinkError;

/// Bytes of the random number of a ticket.
const NUMBER: usize = 16;
/// Bytes of the signature of a ticket.
const SEAL: usize = 16;
/// Bytes before the signature: role, expiry, number.
const SIGNED: usize = 1 + 8 + NUMBER;

/// Reasons for refusing a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// The bytes are not those of a ticket.
    #[error("the invite holds no ticket: paste the whole invite again")]
    Unreadable,
    /// The signature is not that of this server.
    #[error("the ticket of this invite is not from this server: ask for a new invite")]
    Foreign,
    /// The time of the ticket is over.
    #[error("the ticket of this invite has expired: ask for a new invite")]
    Expired,
}

/// The right to join a server with a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    role: Role,
    expiry: u64,
    number: [u8; NUMBER],
    seal: [u8; SEAL],
}

impl Ticket {
    /// Bytes of a ticket.
    pub const BYTES: usize = SIGNED + SEAL;

    /// Returns the role that the ticket claims.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns the time after which it is refused, seconds since 1970; 0 for none.
    pub fn expiry(&self) -> u64 {
        self.expiry
    }

    /// Returns the bytes of the ticket.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..SIGNED].copy_from_slice(&self.signed());
        bytes[SIGNED..].copy_from_slice(&self.seal);
        bytes
    }

    /// Reads the bytes of a ticket. Only [`Secret::check`] tells whether it is good.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TicketError> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().map_err(|_| TicketError::Unreadable)?;
        let role = Role::ALL.get(usize::from(bytes[0]));
        let (mut expiry, mut number, mut seal) = ([0; 8], [0; NUMBER], [0; SEAL]);
        expiry.copy_from_slice(&bytes[1..9]);
        number.copy_from_slice(&bytes[9..SIGNED]);
        seal.copy_from_slice(&bytes[SIGNED..]);
        Ok(Ticket {
            role: *role.ok_or(TicketError::Unreadable)?,
            expiry: u64::from_le_bytes(expiry),
            number,
            seal,
        })
    }

    fn signed(&self) -> [u8; SIGNED] {
        let mut bytes = [0; SIGNED];
        bytes[0] = self.role as u8;
        bytes[1..9].copy_from_slice(&self.expiry.to_le_bytes());
        bytes[9..].copy_from_slice(&self.number);
        bytes
    }
}

/// The secret of a server, which signs its tickets.
#[derive(Clone)]
pub struct Secret(hmac::Key, [u8; Secret::BYTES]);

impl Secret {
    /// Bytes of a secret.
    pub const BYTES: usize = 32;

    /// Returns a new secret.
    pub fn new() -> Result<Self, LinkError> {
        random().map(Secret::from_bytes)
    }

    /// Returns the secret of bytes that were kept.
    pub fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Secret(hmac::Key::new(hmac::HMAC_SHA256, &bytes), bytes)
    }

    /// Returns its bytes, which are to be kept secret.
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        self.1
    }

    /// Returns a new ticket for a role, good until a time in seconds since 1970, or always if that
    /// is 0.
    pub fn ticket(&self, role: Role, expiry: u64) -> Result<Ticket, LinkError> {
        let mut ticket = Ticket {
            role,
            expiry,
            number: random()?,
            seal: [0; SEAL],
        };
        ticket.seal = self.seal(&ticket);
        Ok(ticket)
    }

    /// Returns the role of a ticket at a time in seconds since 1970.
    pub fn check(&self, ticket: &Ticket, now: u64) -> Result<Role, TicketError> {
        let seal = self.seal(ticket);
        // All bytes are compared, so that the time tells nothing of where they differ.
        let pairs = seal.iter().zip(&ticket.seal);
        if pairs.fold(0, |differs, (ours, theirs)| differs | (ours ^ theirs)) != 0 {
            return Err(TicketError::Foreign);
        }
        match ticket.expiry == 0 || now <= ticket.expiry {
            true => Ok(ticket.role),
            false => Err(TicketError::Expired),
        }
    }

    fn seal(&self, ticket: &Ticket) -> [u8; SEAL] {
        let tag = hmac::sign(&self.0, &ticket.signed());
        let mut seal = [0; SEAL];
        seal.copy_from_slice(&tag.as_ref()[..SEAL]);
        seal
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Secret")
    }
}

fn random<const N: usize>() -> Result<[u8; N], LinkError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| LinkError::Machine("it gives no random numbers".to_owned()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_ticket_gives_its_role_until_it_expires() {
        let secret = Secret::new().unwrap();
        let secret = Secret::from_bytes(secret.to_bytes());
        for role in Role::ALL {
            let ticket = secret.ticket(role, 1000).unwrap();
            let ticket = Ticket::from_bytes(&ticket.to_bytes()).unwrap();
            assert_eq!(secret.check(&ticket, 1000), Ok(role));
            assert_eq!(secret.check(&ticket, 1001), Err(TicketError::Expired));
            let always = secret.ticket(role, 0).unwrap();
            assert_eq!(secret.check(&always, u64::MAX), Ok(role));
        }
    }

    #[test]
    fn a_changed_bit_or_another_secret_is_foreign() {
        let secret = Secret::new().unwrap();
        let bytes = secret.ticket(Role::Walk, 1000).unwrap().to_bytes();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes;
            changed[bit / 8] ^= 1 << (bit % 8);
            if let Ok(ticket) = Ticket::from_bytes(&changed) {
                assert_eq!(secret.check(&ticket, 0), Err(TicketError::Foreign), "{bit}");
            }
        }
        let other = Secret::new().unwrap().ticket(Role::Owner, 0).unwrap();
        assert_eq!(secret.check(&other, 0), Err(TicketError::Foreign));
    }

    #[test]
    fn bytes_of_another_length_are_no_ticket() {
        for length in (0..80).filter(|length| *length != Ticket::BYTES) {
            let read = Ticket::from_bytes(&vec![0; length]);
            assert_eq!(read, Err(TicketError::Unreadable));
        }
    }
}
