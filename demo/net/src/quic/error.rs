//! The reasons for the end of a connection, in words for a user.

use quinn::{ConnectionError, ReadError, ReadExactError, TransportErrorCode, VarInt, WriteError};

use super::TicketError;

/// The longest text of a reason that is sent or shown, bytes.
const LONGEST_WORDS: usize = 200;

/// Reasons why a link, or a listener, cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The name of the host has no address.
    #[error("no address is known for {0}: check the name")]
    Name(String),
    /// There is no answer.
    #[error("nobody answers at {place}: is the server running, and is UDP port {port} open?")]
    NoAnswer {
        /// Host and port.
        place: String,
        /// The port.
        port: u16,
    },
    /// The certificate is not that of the invite.
    #[error("the server at {0} is another one than the invite is from: ask for a new invite")]
    Other(String),
    /// There is a program that speaks another language.
    #[error("{0} is not a server of this version: update the older program")]
    Foreign(String),
    /// The server takes no more connections.
    #[error("the server at {0} lets no more in: try again later")]
    Full(String),
    /// The ticket is refused.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// The server ended the connection, and said why.
    #[error("the server ended the connection: {0}")]
    Ended(String),
    /// The server is not heard any more.
    #[error("the connection to {0} was lost: check the network, and join again")]
    Lost(String),
    /// The server sent bytes without a meaning.
    #[error("the server does not keep to the protocol: {0}")]
    Broken(String),
    /// Too many messages wait to be sent.
    #[error("the connection is too slow for what is to be sent: join again")]
    Slow,
    /// This machine gives no socket for links.
    #[error("this machine does not open a UDP socket: {0}")]
    Socket(String),
    /// An address cannot be listened at.
    #[error("cannot listen at {address}: {why}; choose another address or end the program there")]
    Listen {
        /// The address.
        address: String,
        /// The answer of the system.
        why: String,
    },
    /// The kept identity is damaged.
    #[error("the kept certificate of the server is damaged: {0}")]
    Identity(String),
    /// This machine lacks something.
    #[error("this machine cannot run a network thread: {0}")]
    Machine(String),
}

/// The end of a connection as the other side of it tells, or as it was found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    /// The other side ended it.
    #[error("{0}")]
    Left(String),
    /// Nothing was heard for too long.
    #[error("the connection was lost")]
    Lost,
    /// The other side did not keep to the protocol.
    #[error("it does not keep to the protocol: {0}")]
    Broken(String),
    /// The other side did not take what was sent to it.
    #[error("it does not take what is sent to it")]
    Slow,
    /// The ticket is refused.
    #[error(transparent)]
    Ticket(#[from] TicketError),
    /// This side ended it.
    #[error("{0}")]
    Closed(String),
}

/// The numbers with which a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
    Left,
    Broken,
    Slow,
    Unreadable,
    Foreign,
    Expired,
}

impl Code {
    const ALL: [Self; 6] = [
        Code::Left,
        Code::Broken,
        Code::Slow,
        Code::Unreadable,
        Code::Foreign,
        Code::Expired,
    ];

    fn of(number: VarInt) -> Option<Self> {
        let mut codes = Code::ALL.into_iter();
        codes.find(|code| code.number() == number)
    }

    pub(super) fn number(self) -> VarInt {
        VarInt::from_u32(self as u32)
    }
}

impl Ending {
    /// Returns the number to close a connection with, which is as it is for this side.
    pub(super) fn code(&self) -> Code {
        match self {
            Ending::Left(_) | Ending::Lost | Ending::Closed(_) => Code::Left,
            Ending::Broken(_) => Code::Broken,
            Ending::Slow => Code::Slow,
            Ending::Ticket(TicketError::Unreadable) => Code::Unreadable,
            Ending::Ticket(TicketError::Foreign) => Code::Foreign,
            Ending::Ticket(TicketError::Expired) => Code::Expired,
        }
    }

    /// Returns the error for the user of a client whose server is at a place.
    pub(super) fn told_to_user(self, place: &str) -> LinkError {
        match self {
            Ending::Left(words) | Ending::Closed(words) => LinkError::Ended(words),
            Ending::Lost => LinkError::Lost(place.to_owned()),
            Ending::Broken(words) => LinkError::Broken(words),
            Ending::Slow => LinkError::Slow,
            Ending::Ticket(error) => LinkError::Ticket(error),
        }
    }
}

impl From<ConnectionError> for Ending {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::ApplicationClosed(closed) => {
                let words = plain(&closed.reason);
                match Code::of(closed.error_code) {
                    Some(Code::Unreadable) => Ending::Ticket(TicketError::Unreadable),
                    Some(Code::Foreign) => Ending::Ticket(TicketError::Foreign),
                    Some(Code::Expired) => Ending::Ticket(TicketError::Expired),
                    _ => Ending::Left(words),
                }
            }
            ConnectionError::TimedOut | ConnectionError::Reset => Ending::Lost,
            ConnectionError::LocallyClosed => Ending::Closed("it was ended here".to_owned()),
            other => Ending::Broken(plain(other.to_string().as_bytes())),
        }
    }
}

impl From<ReadError> for Ending {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::ConnectionLost(error) => error.into(),
            _ => Ending::Broken("its stream was broken off".to_owned()),
        }
    }
}

impl From<ReadExactError> for Ending {
    fn from(error: ReadExactError) -> Self {
        match error {
            ReadExactError::ReadError(error) => error.into(),
            ReadExactError::FinishedEarly(_) => Ending::Left("its stream ended".to_owned()),
        }
    }
}

impl From<WriteError> for Ending {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ConnectionLost(error) => error.into(),
            _ => Ending::Broken("its stream was broken off".to_owned()),
        }
    }
}

/// Returns whether a server refused a connection before the handshake.
pub(super) fn is_refused(error: &ConnectionError) -> bool {
    match error {
        ConnectionError::ConnectionClosed(closed) => {
            closed.error_code == TransportErrorCode::CONNECTION_REFUSED
        }
        _ => false,
    }
}

/// Returns words to be sent or shown: of bounded length, and without control characters.
pub(super) fn plain(words: &[u8]) -> String {
    let words = &words[..words.len().min(LONGEST_WORDS)];
    let words = String::from_utf8_lossy(words);
    words
        .chars()
        .filter(|letter| !letter.is_control())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_other_side_are_short_and_plain() {
        assert_eq!(plain("ä\u{1b}[31m\n".as_bytes()), "ä[31m");
        assert!(plain(&[0xff; 5000]).chars().count() <= LONGEST_WORDS);
    }

    #[test]
    fn a_number_of_the_other_side_gives_the_same_reason() {
        for code in Code::ALL {
            assert_eq!(Code::of(code.number()), Some(code));
        }
        assert_eq!(Code::of(VarInt::from_u32(99)), None);
    }
}
