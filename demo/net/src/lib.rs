//! A shared world: the protocol, the server and the client that predicts, as state machines.
//!
//! *In scope*: messages and their bounds, roles and strokes of guests, inputs, snapshots,
//! prediction, chunks for a client that comes late. *Out of scope*: clocks, and sockets and threads
//! without the feature `quic`: the caller ticks both sides 60 times a second and carries their
//! packets, over the links of the module `quic` if it likes.
//!
//! The server runs the whole simulation. A client sends the inputs of its player for ticks to come,
//! and predicts the player with the same code, so that on quiet ground both have the same bits. The
//! strokes of all players have one order, that of the server; a client applies its own at once, and
//! takes them back and repeats them around those that came before.
//!
//! Read [`message`] for what is sent, then [`server`] and [`client`].

pub mod client;
mod edits;
mod known;
mod lead;
pub mod message;
mod others;
mod peer;
mod places;
#[cfg(feature = "quic")]
pub mod quic;
pub mod server;
mod short;
mod sight;
mod sync;
mod words;

pub use client::{Client, ClientError, ClientFigures, Event};
pub use message::{Channel, Goodbye, Packet, ProtocolError, Welcome, WorldMark};
pub use others::{Other, Seen, Told};
pub use server::{PeerId, Server, is_offered};
pub use short::Tick;
pub use words::{Line, Name, Words};
