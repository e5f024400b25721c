//! The end of a client: a connection that opens in the background.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use quinn::{ClientConfig, Connection, ConnectionError, Endpoint, RecvStream, SendStream};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use crate::message::LONGEST_ORDERED;
use crate::{Channel, Packet};

use super::carrier::{
    Carrier, Frame, Order, Outbox, Permit, Wire, Wires, endpoint, lock, read_frame, room, runtime,
    take_room, transport, write_frame,
};
use super::error::is_refused;
use super::identity::{NAME, client_config};
use super::listener::socket_at;
use super::{Ending, Invite, LinkError};

/// Time for an address to answer, and to look at the ticket.
const OPENING: Duration = Duration::from_secs(5);
/// The most addresses of a name that are tried.
const MOST_ADDRESSES: usize = 4;
/// Time between two signs of life while nothing else is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(3);
/// Bytes that came in and were not taken; more is left on the network.
const WAITING: usize = LONGEST_ORDERED * 8;
/// Bytes of ordered messages that wait to be sent.
const WAITING_UP: usize = 4 << 20;
/// Time for the last words to go out before a socket is closed.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The alert of a server that speaks another protocol.
const NO_PROTOCOL: u8 = 120;

/// The state of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// The server has not answered yet.
    Opening,
    /// The server let it in.
    Open,
    /// It has ended, or did not come about.
    Closed(LinkError),
}

/// Bytes of UDP datagrams of a link, without their headers of IP and UDP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkFigures {
    /// Bytes that were sent.
    pub up: u64,
    /// Bytes that came in.
    pub down: u64,
}

/// One socket and one thread for any number of links.
#[derive(Clone, Debug)]
pub struct Links(Arc<Thread>);

#[derive(Debug)]
struct Thread {
    hub: Arc<Hub>,
    handle: Handle,
    thread: Option<JoinHandle<()>>,
}

/// The part of links that the network thread shares.
#[derive(Debug)]
struct Hub {
    endpoint: Endpoint,
    outbox: Outbox,
    wires: Wires,
    last_number: AtomicU64,
}

impl Links {
    /// Opens a socket, and starts its thread.
    pub fn new() -> Result<Self, LinkError> {
        let runtime = runtime()?;
        let endpoint = {
            let _inside = runtime.enter();
            // Both kinds of addresses where the system knows both.
            let any = socket_at(SocketAddr::from(([0u16; 8], 0)))
                .or_else(|_| socket_at(SocketAddr::from(([0u8; 4], 0))));
            let driver = Arc::new(quinn::TokioRuntime);
            any.and_then(|socket| Endpoint::new(endpoint(), None, socket, driver))
        };
        let hub = Arc::new(Hub {
            endpoint: endpoint.map_err(|error| LinkError::Socket(error.to_string()))?,
            outbox: Outbox::default(),
            wires: Wires::default(),
            last_number: AtomicU64::new(0),
        });
        let (there, handle) = (hub.clone(), runtime.handle().clone());
        let thread = std::thread::Builder::new().name("network".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(async {
                there.outbox.hand_out(&there.wires).await;
                there.wires.ended(LAST_WORDS).await;
                there.endpoint.close(0u32.into(), b"the player left");
                let _ = timeout(LAST_WORDS, there.endpoint.wait_idle()).await;
            });
        });
        let thread = thread.map_err(|error| LinkError::Machine(error.to_string()))?;
        Ok(Links(Arc::new(Thread {
            hub,
            handle,
            thread: Some(thread),
        })))
    }

    /// Returns a link to the server of an invite, which opens in the background.
    pub fn open(&self, invite: &Invite) -> Link {
        let hub = &self.0.hub;
        let number = hub.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, frames) = unbounded_channel();
        let wire = Wire {
            connection: None,
            frames: sender,
        };
        hub.wires.add(number, wire);
        let shared = Arc::new(Shared::new(LinkState::Opening));
        let task = keep(hub.clone(), number, invite.clone(), shared.clone(), frames);
        self.0.handle.spawn(task);
        Link {
            number,
            room: room(WAITING_UP),
            shared,
            links: Some(self.clone()),
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        self.hub.outbox.add(0, Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A connection to a server.
#[derive(Debug)]
pub struct Link {
    number: u64,
    room: Arc<Semaphore>,
    shared: Arc<Shared>,
    /// Absent if there is no socket.
    links: Option<Links>,
}

/// The part of a link that the network thread shares.
#[derive(Debug)]
struct Shared {
    inbox: Mutex<Inbox>,
    connection: OnceLock<Connection>,
}

#[derive(Debug)]
struct Inbox {
    packets: Vec<(Packet, Permit)>,
    state: LinkState,
}

impl Shared {
    fn new(state: LinkState) -> Self {
        let packets = Vec::new();
        Shared {
            inbox: Mutex::new(Inbox { packets, state }),
            connection: OnceLock::new(),
        }
    }

    fn set(&self, state: LinkState) {
        lock(&self.inbox).state = state;
    }
}

impl Link {
    /// Returns a link to the server of an invite, with a socket and a thread of its own. It opens
    /// in the background.
    pub fn open(invite: &Invite) -> Self {
        match Links::new() {
            Ok(links) => links.open(invite),
            Err(error) => Link {
                number: 0,
                room: room(0),
                shared: Arc::new(Shared::new(LinkState::Closed(error))),
                links: None,
            },
        }
    }

    /// Moves the packets that came in into a list. Returns the state after them.
    pub fn poll(&mut self, into: &mut Vec<Packet>) -> LinkState {
        let mut inbox = lock(&self.shared.inbox);
        into.extend(inbox.packets.drain(..).map(|(packet, _)| packet));
        inbox.state.clone()
    }

    /// Sends a packet. Ordered ones wait until the link is open; datagrams are dropped before.
    pub fn send(&mut self, packet: Packet) {
        match (take_room(&self.room, &packet), packet.channel) {
            (Some(permit), _) => self.order(Order::Send(packet, permit)),
            (None, Channel::Datagram) => {}
            (None, Channel::Ordered) => {
                self.order(Order::Cut);
                let mut inbox = lock(&self.shared.inbox);
                if !matches!(inbox.state, LinkState::Closed(_)) {
                    inbox.state = LinkState::Closed(LinkError::Slow);
                }
            }
        }
    }

    /// Returns the bytes that went over the network so far.
    pub fn figures(&self) -> LinkFigures {
        let connection = self.shared.connection.get();
        connection.map_or(LinkFigures::default(), |connection| {
            let stats = connection.stats();
            LinkFigures {
                up: stats.udp_tx.bytes,
                down: stats.udp_rx.bytes,
            }
        })
    }

    fn order(&self, order: Order) {
        if let Some(links) = &self.links {
            links.0.hub.outbox.add(self.number, order);
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.order(Order::Close("the player left".to_owned()));
    }
}

/// Opens a link, and carries its packets until it ends.
async fn keep(
    hub: Arc<Hub>,
    number: u64,
    invite: Invite,
    shared: Arc<Shared>,
    frames: UnboundedReceiver<Frame>,
) {
    let ending = match open(&hub.endpoint, &invite).await {
        Ok((connection, up, down)) => {
            hub.wires.open(number, &connection);
            let _ = shared.connection.set(connection.clone());
            shared.set(LinkState::Open);
            let carrier = Carrier {
                connection,
                up,
                down,
                frames,
                longest: LONGEST_ORDERED,
                room: room(WAITING),
            };
            let deliver = |packet, permit| lock(&shared.inbox).packets.push((packet, permit));
            carrier.run(deliver).await.told_to_user(&invite.place())
        }
        Err(error) => error,
    };
    hub.wires.remove(number);
    let mut inbox = lock(&shared.inbox);
    if !matches!(inbox.state, LinkState::Closed(_)) {
        inbox.state = LinkState::Closed(ending);
    }
}

type Opened = (Connection, SendStream, RecvStream);

/// Tries the addresses of an invite, one after the other.
async fn open(endpoint: &Endpoint, invite: &Invite) -> Result<Opened, LinkError> {
    let named = tokio::net::lookup_host((invite.host.as_str(), invite.port)).await;
    let unknown = || LinkError::Name(invite.host.clone());
    let mut failure = unknown();
    for address in named.map_err(|_| unknown())?.take(MOST_ADDRESSES) {
        match timeout(OPENING, open_at(endpoint, invite, address)).await {
            Ok(Err(error @ LinkError::NoAnswer { .. })) => failure = error,
            Ok(opened) => return opened,
            Err(_) => failure = no_answer(invite),
        }
    }
    Err(failure)
}

fn no_answer(invite: &Invite) -> LinkError {
    LinkError::NoAnswer {
        place: invite.place(),
        port: invite.port,
    }
}

async fn open_at(
    endpoint: &Endpoint,
    invite: &Invite,
    address: SocketAddr,
) -> Result<Opened, LinkError> {
    let is_other = Arc::new(AtomicBool::new(false));
    let mut config = ClientConfig::new(Arc::new(client_config(invite.pin, &is_other)?));
    let window = u32::try_from(LONGEST_ORDERED * 4).unwrap_or(u32::MAX);
    let mut transport = transport(window, 0);
    transport.keep_alive_interval(Some(KEEP_ALIVE));
    config.transport_config(Arc::new(transport));
    let connecting = endpoint.connect_with(config, address, NAME);
    // An address of a kind that this socket does not reach.
    let connecting = connecting.map_err(|_| no_answer(invite))?;
    let connection = connecting
        .await
        .map_err(|error| match is_other.load(Ordering::Relaxed) {
            true => LinkError::Other(invite.place()),
            false => refusal(error, invite),
        })?;
    let opened = show_ticket(&connection, invite).await;
    let (up, down) = opened.map_err(|ending| ending.told_to_user(&invite.place()))?;
    Ok((connection, up, down))
}

/// Returns the error of a handshake that failed.
fn refusal(error: ConnectionError, invite: &Invite) -> LinkError {
    let foreign = quinn::TransportErrorCode::crypto(NO_PROTOCOL);
    match &error {
        _ if is_refused(&error) => LinkError::Full(invite.place()),
        ConnectionError::TimedOut | ConnectionError::Reset => no_answer(invite),
        ConnectionError::VersionMismatch => LinkError::Foreign(invite.place()),
        ConnectionError::ConnectionClosed(closed) if closed.error_code == foreign => {
            LinkError::Foreign(invite.place())
        }
        _ => Ending::from(error).told_to_user(&invite.place()),
    }
}

/// Shows the ticket, and waits for the answer.
async fn show_ticket(
    connection: &Connection,
    invite: &Invite,
) -> Result<(SendStream, RecvStream), Ending> {
    let (mut up, mut down) = connection.open_bi().await?;
    write_frame(&mut up, &invite.ticket.to_bytes()).await?;
    read_frame(&mut down, 0).await?;
    Ok((up, down))
}
