//! The part of a connection that both ends share: frames and datagrams between two threads.
//!
//! The thread of the caller puts orders into an [`Outbox`]; one task of the network thread hands
//! them to their connections. Queues are bounded in both directions, by permits that each packet
//! holds until it has been taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use quinn::{
    AckFrequencyConfig, Connection, ConnectionIdGenerator, EndpointConfig, IdleTimeout, RecvStream,
    SendStream, TransportConfig, VarInt,
};
use ring::rand::{SecureRandom, SystemRandom};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::message::LONGEST_DATAGRAM;
use crate::{Channel, Packet};

use super::error::{Code, plain};
use super::{Ending, LinkError};

/// The time after which a connection that is not heard is lost.
const IDLE: Duration = Duration::from_secs(10);
/// Time for the last frames of a connection to arrive before it is closed.
const LAST_FRAMES: Duration = Duration::from_secs(1);
/// Bytes for which a packet counts beside its own: no number of empty ones goes beyond a bound.
const PACKET: usize = 64;
/// Bytes of datagrams that wait for the network; older ones are dropped for new ones.
const WAITING_DATAGRAMS: usize = 8 << 10;
/// Packets that may come in before one of them is acknowledged, and the time until then; both are
/// asked of the other side, so that acknowledgements travel with other packets.
const ACKNOWLEDGED: u32 = 8;
const ACKNOWLEDGE: Duration = Duration::from_millis(60);
/// Bytes of a connection's number in every packet: fewer than usual.
const NUMBER: usize = 4;
/// Bytes of a connection that are sent and not acknowledged.
const SEND_WINDOW: u64 = 256 << 10;

/// The number of a connection of a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub(super) u64);

/// Room in a bounded queue, until it is dropped.
pub(super) type Permit = OwnedSemaphorePermit;

/// Returns the value behind a lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No holder of a lock panics between two steps that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the room for packets of so many bytes.
pub(super) fn room(bytes: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS)))
}

/// Takes room for a packet; `None` if there is none now.
pub(super) fn take_room(room: &Arc<Semaphore>, packet: &Packet) -> Option<Permit> {
    let bytes = permits(packet.bytes.len());
    room.clone().try_acquire_many_owned(bytes).ok()
}

fn permits(bytes: usize) -> u32 {
    u32::try_from(bytes + PACKET).unwrap_or(u32::MAX)
}

/// Returns a runtime for a network thread.
pub(super) fn runtime() -> Result<Runtime, LinkError> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(4).build();
    runtime.map_err(|error| LinkError::Machine(error.to_string()))
}

/// Returns the settings of connections with a window for bytes that come in, and the number of
/// streams that the other side may open.
pub(super) fn transport(window: u32, streams: u32) -> TransportConfig {
    let mut config = TransportConfig::default();
    let idle = u32::try_from(IDLE.as_millis()).unwrap_or(u32::MAX);
    let mut acknowledgements = AckFrequencyConfig::default();
    acknowledgements
        .ack_eliciting_threshold(VarInt::from_u32(ACKNOWLEDGED))
        .max_ack_delay(Some(ACKNOWLEDGE));
    config
        .ack_frequency_config(Some(acknowledgements))
        .max_concurrent_bidi_streams(VarInt::from_u32(streams))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(window))
        .receive_window(VarInt::from_u32(window))
        .send_window(SEND_WINDOW)
        .datagram_receive_buffer_size(Some(WAITING_DATAGRAMS * 8))
        .datagram_send_buffer_size(WAITING_DATAGRAMS)
        .max_idle_timeout(Some(IdleTimeout::from(VarInt::from_u32(idle))));
    config
}

/// Returns the settings of a socket: its connections have short numbers.
pub(super) fn endpoint() -> EndpointConfig {
    let mut config = EndpointConfig::default();
    config.cid_generator(|| Box::new(Numbers));
    config
}

/// Random numbers of connections.
#[derive(Debug)]
struct Numbers;

impl ConnectionIdGenerator for Numbers {
    fn generate_cid(&mut self) -> quinn::ConnectionId {
        let mut bytes = [0; NUMBER];
        // A number that was given is drawn again, so that none of this is needed twice.
        let _ = SystemRandom::new().fill(&mut bytes);
        quinn::ConnectionId::new(&bytes)
    }

    fn cid_len(&self) -> usize {
        NUMBER
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// An order to the network thread about one connection.
#[derive(Debug)]
pub(super) enum Order {
    /// Sends a packet.
    Send(Packet, Permit),
    /// Ends the connection in words, after the frames before.
    Close(String),
    /// Ends the connection at once, since it takes nothing.
    Cut,
    /// Ends the network thread.
    Stop,
}

/// Orders for the network thread.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    orders: Mutex<Vec<(u64, Order)>>,
    wake: Notify,
}

impl Outbox {
    /// Adds an order; many of them wake the thread once.
    pub(super) fn add(&self, connection: u64, order: Order) {
        let mut orders = lock(&self.orders);
        orders.push((connection, order));
        if orders.len() == 1 {
            self.wake.notify_one();
        }
    }

    /// Hands orders to their connections until it is told to stop.
    pub(super) async fn hand_out(&self, wires: &Wires) {
        let mut orders = Vec::new();
        loop {
            self.wake.notified().await;
            std::mem::swap(&mut *lock(&self.orders), &mut orders);
            let mut wires = lock(&wires.0);
            for (connection, order) in orders.drain(..) {
                match (order, wires.get_mut(&connection)) {
                    (Order::Stop, _) => return,
                    (order, Some(wire)) => wire.obey(order),
                    (_, None) => {}
                }
            }
        }
    }
}

/// A frame of the ordered channel to be sent, or the end of it.
#[derive(Debug)]
pub(super) enum Frame {
    Bytes(Vec<u8>, Permit),
    End(String),
}

/// One connection as the network thread reaches it.
#[derive(Debug)]
pub(super) struct Wire {
    /// The connection, once it is open.
    pub(super) connection: Option<Connection>,
    pub(super) frames: UnboundedSender<Frame>,
}

impl Wire {
    fn obey(&mut self, order: Order) {
        let _ = match (order, &self.connection) {
            (Order::Send(packet, permit), connection) => match (packet.channel, connection) {
                (Channel::Ordered, _) => self.frames.send(Frame::Bytes(packet.bytes, permit)),
                (Channel::Datagram, Some(connection)) => {
                    // One that does not fit the path is lost, as any may be.
                    let _ = connection.send_datagram(packet.bytes.into());
                    Ok(())
                }
                (Channel::Datagram, None) => Ok(()),
            },
            (Order::Cut, Some(connection)) => {
                let words = Ending::Slow.to_string();
                connection.close(Code::Slow.number(), words.as_bytes());
                Ok(())
            }
            (Order::Close(words), _) => self.frames.send(Frame::End(words)),
            (Order::Cut | Order::Stop, _) => Ok(()),
        };
    }
}

/// The connections of a network thread.
#[derive(Debug, Default)]
pub(super) struct Wires(Mutex<HashMap<u64, Wire>>);

impl Wires {
    pub(super) fn add(&self, number: u64, wire: Wire) {
        lock(&self.0).insert(number, wire);
    }

    /// Notes that a connection is open.
    pub(super) fn open(&self, number: u64, connection: &Connection) {
        if let Some(wire) = lock(&self.0).get_mut(&number) {
            wire.connection = Some(connection.clone());
        }
    }

    pub(super) fn remove(&self, number: u64) {
        lock(&self.0).remove(&number);
    }

    /// Waits until all open connections have ended, but no longer than a time.
    pub(super) async fn ended(&self, longest: Duration) {
        let is_open = |wire: &Wire| wire.connection.is_some();
        let all = async {
            while lock(&self.0).values().any(is_open) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let _ = timeout(longest, all).await;
    }
}

/// One open connection on the network thread.
pub(super) struct Carrier {
    pub(super) connection: Connection,
    pub(super) up: SendStream,
    pub(super) down: RecvStream,
    /// Frames to send.
    pub(super) frames: UnboundedReceiver<Frame>,
    /// The longest frame that may come in.
    pub(super) longest: usize,
    /// Room for packets that came in and were not taken yet.
    pub(super) room: Arc<Semaphore>,
}

impl Carrier {
    /// Carries packets in both directions until the connection ends. Frames wait for room;
    /// datagrams without room are dropped.
    pub(super) async fn run(mut self, deliver: impl Fn(Packet, Permit)) -> Ending {
        let (connection, room) = (&self.connection, &self.room);
        let Err(ending) = tokio::select! {
            ended = take_frames(&mut self.down, self.longest, room, &deliver) => match ended {
                Err(Ending::Left(_)) => Err(last_words(connection).await),
                ended => ended,
            },
            ended = take_datagrams(connection, room, &deliver) => ended,
            ended = send_frames(&mut self.up, &mut self.frames) => ended,
        };
        close(connection, &ending);
        ending
    }
}

/// Returns the reason that follows the end of the stream.
async fn last_words(connection: &Connection) -> Ending {
    match timeout(LAST_FRAMES, connection.closed()).await {
        Ok(error) => error.into(),
        Err(_) => Ending::Left("its stream ended".to_owned()),
    }
}

/// Ends a connection in the words of a reason.
pub(super) fn close(connection: &Connection, ending: &Ending) {
    let words = plain(ending.to_string().as_bytes());
    connection.close(ending.code().number(), words.as_bytes());
}

/// A type without values: the work goes on until it fails.
type Endless = std::convert::Infallible;

async fn take_frames(
    from: &mut RecvStream,
    longest: usize,
    room: &Arc<Semaphore>,
    deliver: &impl Fn(Packet, Permit),
) -> Result<Endless, Ending> {
    loop {
        let length = read_length(from, longest).await?;
        let permit = room.clone().acquire_many_owned(permits(length)).await;
        let permit = permit.map_err(|_| Ending::Lost)?;
        let bytes = read_bytes(from, length).await?;
        let channel = Channel::Ordered;
        deliver(Packet { channel, bytes }, permit);
    }
}

/// Reads a frame of at most so many bytes.
pub(super) async fn read_frame(from: &mut RecvStream, longest: usize) -> Result<Vec<u8>, Ending> {
    let length = read_length(from, longest).await?;
    read_bytes(from, length).await
}

async fn read_length(from: &mut RecvStream, longest: usize) -> Result<usize, Ending> {
    let mut length = [0; 4];
    from.read_exact(&mut length).await?;
    let length = u32::from_le_bytes(length) as usize;
    match length <= longest {
        true => Ok(length),
        false => Err(Ending::Broken(format!(
            "a message of {length} bytes is too long"
        ))),
    }
}

async fn read_bytes(from: &mut RecvStream, length: usize) -> Result<Vec<u8>, Ending> {
    let mut bytes = vec![0; length];
    from.read_exact(&mut bytes).await?;
    Ok(bytes)
}

/// Writes a frame.
pub(super) async fn write_frame(to: &mut SendStream, bytes: &[u8]) -> Result<(), Ending> {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    to.write_all(&length.to_le_bytes()).await?;
    Ok(to.write_all(bytes).await?)
}

async fn take_datagrams(
    from: &Connection,
    room: &Arc<Semaphore>,
    deliver: &impl Fn(Packet, Permit),
) -> Result<Endless, Ending> {
    loop {
        let bytes = from.read_datagram().await?;
        if bytes.len() > LONGEST_DATAGRAM {
            continue;
        }
        let (channel, bytes) = (Channel::Datagram, bytes.to_vec());
        let packet = Packet { channel, bytes };
        if let Some(permit) = take_room(room, &packet) {
            deliver(packet, permit);
        }
    }
}

async fn send_frames(
    to: &mut SendStream,
    frames: &mut UnboundedReceiver<Frame>,
) -> Result<Endless, Ending> {
    loop {
        match frames.recv().await {
            Some(Frame::Bytes(bytes, permit)) => {
                write_frame(to, &bytes).await?;
                drop(permit);
            }
            Some(Frame::End(words)) => {
                let _ = to.finish();
                let _ = timeout(LAST_FRAMES, to.stopped()).await;
                return Err(Ending::Closed(words));
            }
            None => return Err(Ending::Closed(String::new())),
        }
    }
}
