//! The listening end: a server's socket, its thread, and the clients that came through the door.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use quinn::{Connection, Endpoint, Incoming, RecvStream, SendStream, ServerConfig};
use simulation::Role;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::timeout;

use crate::message::{LONGEST_COMMAND, LONGEST_ORDERED};
use crate::{Channel, Packet};

use super::carrier::{
    Carrier, Order, Outbox, Permit, Wire, Wires, close, endpoint, lock, read_frame, room, runtime,
    take_room, transport, write_frame,
};
use super::door::{Answer, Door, DoorLimits, Pass};
use super::{ConnectionId, Ending, Identity, LinkError, Secret, Ticket};

/// The longest first frame of a client, bytes.
const LONGEST_TICKET: usize = 64;
/// Bytes of a client that wait to be taken; more is left on the network.
const WAITING: usize = LONGEST_COMMAND * 2;
/// Bytes that the socket holds while the thread is busy, if the system gives as many.
const SOCKET: usize = 4 << 20;
/// The most bytes of handshakes that wait to be answered, of one and of all.
const HANDSHAKES: [u64; 2] = [16 << 10, 4 << 20];
/// The most handshakes that wait to be answered.
const MOST_HANDSHAKES: usize = 1024;
/// Time for the last words to go out before the socket is closed.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Limits of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenerLimits {
    /// The most connections.
    pub connections: usize,
    /// The most connections of one IP address, or one network of 64 bits of IPv6. Those of this
    /// machine are not counted.
    pub of_address: usize,
    /// Handshakes that begin in a second.
    pub handshakes_a_second: u32,
    /// The time from the first packet to the ticket.
    pub ticket_time: Duration,
    /// The most bytes of ordered messages that wait for one client; one that does not take them is
    /// cut off.
    pub waiting: usize,
}

impl Default for ListenerLimits {
    fn default() -> Self {
        ListenerLimits {
            connections: 1100,
            of_address: 8,
            handshakes_a_second: 200,
            ticket_time: Duration::from_secs(5),
            waiting: 4 << 20,
        }
    }
}

/// An event of a listener.
#[derive(Debug)]
pub enum LinkEvent {
    /// A client with a good ticket is there.
    Opened {
        /// Its number.
        connection: ConnectionId,
        /// The role of its ticket.
        role: Role,
        /// Its address.
        address: SocketAddr,
    },
    /// A client sent a packet.
    Packet {
        /// Its number.
        connection: ConnectionId,
        /// The packet.
        packet: Packet,
    },
    /// A client has gone. Nothing follows from it.
    Closed {
        /// Its number.
        connection: ConnectionId,
        /// The reason.
        reason: Ending,
    },
}

/// The listening end of all connections of a server.
#[derive(Debug)]
pub struct Listener {
    hall: Arc<Hall>,
    address: SocketAddr,
    /// The room for ordered packets to each client.
    open: HashMap<ConnectionId, Arc<Semaphore>>,
    /// Events of this side.
    own: Vec<LinkEvent>,
    arrived: Vec<Arrival>,
    thread: Option<JoinHandle<()>>,
}

type Arrival = (LinkEvent, Option<Permit>);

/// The part of a listener that its network thread shares.
#[derive(Debug)]
struct Hall {
    secret: Secret,
    limits: ListenerLimits,
    outbox: Outbox,
    wires: Wires,
    arrived: Mutex<Vec<Arrival>>,
    door: Arc<Mutex<Door>>,
    last_number: AtomicU64,
}

impl Listener {
    /// Listens at an address. One of IPv6 without a host takes IPv4 too.
    pub fn open(
        address: SocketAddr,
        identity: &Identity,
        secret: Secret,
        limits: ListenerLimits,
    ) -> Result<Self, LinkError> {
        let refused = |error: std::io::Error| LinkError::Listen {
            address: address.to_string(),
            why: error.to_string(),
        };
        let config = server_config(identity)?;
        let socket = socket_at(address).map_err(refused)?;
        let bound = socket.local_addr().map_err(refused)?;
        let runtime = runtime()?;
        let endpoint = {
            let _inside = runtime.enter();
            let driver = Arc::new(quinn::TokioRuntime);
            Endpoint::new(endpoint(), Some(config), socket, driver)
        };
        let endpoint = endpoint.map_err(refused)?;
        let hall = Arc::new(Hall::new(secret, limits));
        let there = hall.clone();
        let thread = std::thread::Builder::new().name("network".to_owned());
        let thread = thread.spawn(move || run(&runtime, &endpoint, &there));
        let thread = thread.map_err(|error| LinkError::Machine(error.to_string()))?;
        Ok(Listener {
            hall,
            address: bound,
            open: HashMap::new(),
            own: Vec::new(),
            arrived: Vec::new(),
            thread: Some(thread),
        })
    }

    /// Returns the address that it listens at, with the port that the system chose for port 0.
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// Moves what has happened since the last call into a list.
    pub fn poll(&mut self, into: &mut Vec<LinkEvent>) {
        into.append(&mut self.own);
        std::mem::swap(&mut *lock(&self.hall.arrived), &mut self.arrived);
        let open = &mut self.open;
        let arrived = self.arrived.drain(..).map(|(event, _)| event);
        // A client that was closed here is not heard any more.
        into.extend(arrived.filter(|event| match event {
            LinkEvent::Opened { connection, .. } => {
                open.insert(*connection, room(self.hall.limits.waiting));
                true
            }
            LinkEvent::Packet { connection, .. } => open.contains_key(connection),
            LinkEvent::Closed { connection, .. } => open.remove(connection).is_some(),
        }));
    }

    /// Sends a packet to a client, if it is there. A client that does not take what is sent is cut
    /// off; datagrams to it are dropped.
    pub fn send(&mut self, connection: ConnectionId, packet: Packet) {
        let Some(room) = self.open.get(&connection) else {
            return;
        };
        match (take_room(room, &packet), packet.channel) {
            (Some(permit), _) => self.order(connection, Order::Send(packet, permit)),
            (None, Channel::Datagram) => {}
            (None, Channel::Ordered) => {
                self.open.remove(&connection);
                self.order(connection, Order::Cut);
                let reason = Ending::Slow;
                self.own.push(LinkEvent::Closed { connection, reason });
            }
        }
    }

    /// Ends a connection in words for the user of the client, after what was sent before. No event
    /// follows.
    pub fn close(&mut self, connection: ConnectionId, words: &str) {
        if self.open.remove(&connection).is_some() {
            self.order(connection, Order::Close(words.to_owned()));
        }
    }

    fn order(&self, connection: ConnectionId, order: Order) {
        self.hall.outbox.add(connection.0, order);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let open: Vec<ConnectionId> = self.open.keys().copied().collect();
        for connection in open {
            self.close(connection, "the server has stopped");
        }
        self.hall.outbox.add(0, Order::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Hall {
    fn new(secret: Secret, limits: ListenerLimits) -> Self {
        let door = DoorLimits {
            connections: limits.connections,
            of_address: limits.of_address,
            handshakes_a_second: limits.handshakes_a_second,
        };
        Hall {
            secret,
            limits,
            outbox: Outbox::default(),
            wires: Wires::default(),
            arrived: Mutex::default(),
            door: Arc::new(Mutex::new(Door::new(door, Instant::now()))),
            last_number: AtomicU64::new(0),
        }
    }

    fn tell(&self, event: LinkEvent, permit: Option<Permit>) {
        lock(&self.arrived).push((event, permit));
    }
}

fn server_config(identity: &Identity) -> Result<ServerConfig, LinkError> {
    let mut config = ServerConfig::with_crypto(Arc::new(identity.server_config()?));
    let window = u32::try_from(WAITING).unwrap_or(u32::MAX);
    config
        .transport_config(Arc::new(transport(window, 1)))
        .max_incoming(MOST_HANDSHAKES)
        .incoming_buffer_size(HANDSHAKES[0])
        .incoming_buffer_size_total(HANDSHAKES[1]);
    Ok(config)
}

/// Returns a socket bound to an address.
pub(super) fn socket_at(address: SocketAddr) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::DGRAM,
        Some(Protocol::UDP),
    )?;
    if address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    // A smaller buffer serves, too.
    let _ = socket.set_recv_buffer_size(SOCKET);
    let _ = socket.set_send_buffer_size(SOCKET);
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Runs the network thread until it is told to stop.
fn run(runtime: &Runtime, endpoint: &Endpoint, hall: &Arc<Hall>) {
    runtime.block_on(async {
        let entrance = tokio::spawn(let_in(endpoint.clone(), hall.clone()));
        hall.outbox.hand_out(&hall.wires).await;
        entrance.abort();
        hall.wires.ended(LAST_WORDS).await;
        endpoint.close(0u32.into(), b"the server has stopped");
        let _ = timeout(LAST_WORDS, endpoint.wait_idle()).await;
    });
}

/// Answers all that knock.
async fn let_in(endpoint: Endpoint, hall: Arc<Hall>) {
    while let Some(knocking) = endpoint.accept().await {
        let address = knocking.remote_address().ip();
        let is_proven = knocking.remote_address_validated();
        let answer = lock(&hall.door).knock(address, is_proven, Instant::now());
        match answer {
            Answer::Enter => {
                let pass = Pass::new(&hall.door, address);
                tokio::spawn(guest(hall.clone(), knocking, pass));
            }
            // An address that was asked before and is not proven is not answered.
            Answer::Prove => drop(
                knocking
                    .retry()
                    .map_err(|error| error.into_incoming().ignore()),
            ),
            Answer::Refuse => knocking.refuse(),
            Answer::Ignore => knocking.ignore(),
        }
    }
}

/// Serves one client from its first packet to its end.
async fn guest(hall: Arc<Hall>, knocking: Incoming, mut pass: Pass) {
    let entered = timeout(hall.limits.ticket_time, enter(&hall, knocking)).await;
    let Ok(Some((connection, up, down, role))) = entered else {
        return;
    };
    pass.come_in();
    let number = hall.last_number.fetch_add(1, Ordering::Relaxed) + 1;
    let (sender, frames) = unbounded_channel();
    hall.wires.add(
        number,
        Wire {
            connection: Some(connection.clone()),
            frames: sender,
        },
    );
    let (id, remote) = (ConnectionId(number), connection.remote_address());
    // Sockets of IPv6 show addresses of IPv4 in a longer form.
    let address = SocketAddr::new(remote.ip().to_canonical(), remote.port());
    let opened = LinkEvent::Opened {
        connection: id,
        role,
        address,
    };
    hall.tell(opened, None);
    let carrier = Carrier {
        connection,
        up,
        down,
        frames,
        longest: LONGEST_COMMAND,
        room: room(WAITING),
    };
    let deliver = |packet, permit| {
        let connection = id;
        hall.tell(LinkEvent::Packet { connection, packet }, Some(permit));
    };
    let reason = carrier.run(deliver).await;
    hall.wires.remove(number);
    let connection = id;
    hall.tell(LinkEvent::Closed { connection, reason }, None);
}

/// Shakes hands with a client, and checks its ticket.
async fn enter(
    hall: &Hall,
    knocking: Incoming,
) -> Option<(Connection, SendStream, RecvStream, Role)> {
    let connection = knocking.await.ok()?;
    match show_ticket(hall, &connection).await {
        Ok((up, down, role)) => Some((connection, up, down, role)),
        Err(ending) => {
            close(&connection, &ending);
            None
        }
    }
}

async fn show_ticket(
    hall: &Hall,
    connection: &Connection,
) -> Result<(SendStream, RecvStream, Role), Ending> {
    let (mut up, mut down) = connection.accept_bi().await?;
    let ticket = read_frame(&mut down, LONGEST_TICKET).await?;
    let ticket = Ticket::from_bytes(&ticket)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock before 1970 lets no ticket with a time pass.
    let now = now.map_or(u64::MAX, |time| time.as_secs());
    let role = hall.secret.check(&ticket, now)?;
    write_frame(&mut up, &[]).await?;
    Ok((up, down, role))
}

// The windows of the network take what a client may send at once.
const _: () = assert!(LONGEST_ORDERED > LONGEST_COMMAND && WAITING > LONGEST_COMMAND);
