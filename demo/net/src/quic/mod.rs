//! Connections over QUIC: the sockets, threads, certificates and invites of a shared world.
//!
//! A server holds a [`Listener`], a client a [`Link`]. The network runs on a thread of its own; the
//! thread that ticks exchanges packets with it, and never waits for it. A client trusts exactly the
//! certificate whose hash is in its [`Invite`], and shows the [`Ticket`] of the invite, which names
//! its role.
//!
//! A connection has one stream, opened by the client, and datagrams. The stream carries frames: a
//! length of four bytes, the lowest first, and that many bytes. The first frame of a client is its
//! ticket, and the first frame of the server is empty: the ticket is good.
//!
//! Read [`Invite`] and [`Ticket`] first, then the carrier of frames, which both ends share, then
//! [`Listener`] and [`Link`].

mod base64;
mod carrier;
mod door;
mod error;
mod identity;
mod invite;
mod link;
mod listener;
mod ticket;

pub use carrier::ConnectionId;
pub use error::{Ending, LinkError};
pub use identity::{Identity, Pin};
pub use invite::{Invite, InviteError};
pub use link::{Link, LinkFigures, LinkState, Links};
pub use listener::{LinkEvent, Listener, ListenerLimits};
pub use ticket::{Secret, Ticket, TicketError};
