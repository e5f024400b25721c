//! Bots: clients that walk about at random over the real network, to see what a server bears.
//!
//! They predict their players as those of a window do, but all in one world, and they do not build.

use std::time::{Duration, Instant};

use clap::Args;
use collision::{Cell, Position};
use net::quic::{Invite, Link, LinkError, LinkState, Links};
use net::{Channel, Client, ClientError, Name, Packet, client};
use simulation::{Command, Input, Random, Role, Simulation, Wish, standing_in};
use world::{CellBox, Material, World};

use crate::ServeError;
use crate::host::Say;
use crate::land::load_about;
use crate::run::Clock;

/// Half the side of the field, metres.
const HALF: i32 = 128;
/// Ticks from one bot to the next one.
const JOIN_TICKS: u64 = 2;
/// The most bots that wait to be let in: a server that is busy is not rushed.
const MOST_WAITING: usize = 8;
/// Time after which bots that are not let in are given up.
const JOIN_TIME: Duration = Duration::from_secs(120);
/// Ticks between two turns of a bot, on average.
const TURN: u64 = 30;

/// Arguments of the bots.
#[derive(Clone, Debug, Args)]
pub struct BotsArguments {
    /// The invite of the server; that of an owner spreads the bots over the land
    #[arg(long, value_name = "INVITE")]
    pub join: Invite,
    /// The number of bots
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    pub count: u16,
    /// The time to measure after all have joined, in seconds
    #[arg(
        long,
        value_name = "N",
        default_value_t = 20,
        value_parser = clap::value_parser!(u32).range(1..=86_400)
    )]
    pub seconds: u32,
}

/// The measured traffic of bots.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bots that played to the end.
    pub bots: usize,
    /// Bytes a second that a bot sent, on average: all of UDP.
    pub up: f64,
    /// Bytes a second that a bot received, on average.
    pub down: f64,
    /// Players that a bot saw at the end, on average.
    pub seen: f64,
    /// Share of snapshots that were not as predicted.
    pub corrected: f64,
    /// Ticks of the bots that were late.
    pub late: u32,
}

/// Returns a field of 256 m, with air above.
pub fn field() -> World {
    let bounds = CellBox::new(Cell::new(-HALF, -2, -HALF), Cell::new(HALF, 70, HALF));
    World::from_voxels(bounds, |cell| match cell.y {
        ..0 => Material::STONE,
        _ => Material::AIR,
    })
}

/// Joins with bots, lets them walk, and says what went over the network.
pub fn run(arguments: &BotsArguments, say: Say<'_>) -> Result<(), ServeError> {
    let traffic = measure(arguments)?;
    traffic.lines().iter().for_each(|line| say(line));
    Ok(())
}

impl Traffic {
    /// Returns the figures, one a line.
    fn lines(&self) -> [String; 6] {
        [
            format!("bots: {}", self.bots),
            format!("bytes up a second and bot: {:.0}", self.up),
            format!("bytes down a second and bot: {:.0}", self.down),
            format!("players seen by a bot: {:.1}", self.seen),
            format!("share of snapshots not as predicted: {:.4}", self.corrected),
            format!("late ticks of the bots: {}", self.late),
        ]
    }

    /// Reads the lines that [`run`] says.
    pub(crate) fn read(lines: &[String]) -> Option<Self> {
        let mut numbers = lines
            .iter()
            .map(|line| line.rsplit_once(": ").map(|it| it.1));
        let mut next = || numbers.next()??.parse::<f64>().ok();
        Some(Traffic {
            bots: next()? as usize,
            up: next()?,
            down: next()?,
            seen: next()?,
            corrected: next()?,
            late: next()? as u32,
        })
    }
}

/// Joins with bots, lets them walk for a time, and returns what went over the network.
pub fn measure(arguments: &BotsArguments) -> Result<Traffic, ServeError> {
    let mut bots = Bots::new(arguments.join.clone(), arguments.count.into())?;
    let (mut clock, begun) = (Clock::new(), Instant::now());
    while bots.playing() < usize::from(arguments.count) && begun.elapsed() < JOIN_TIME {
        bots.tick();
        clock.wait();
        if let Some(error) = bots.failure() {
            return Err(error);
        }
    }
    // The first snapshots and the turmoil of joining are over.
    (0..60).for_each(|_| {
        bots.tick();
        clock.wait();
    });
    clock.take_late();
    let (before, begun) = (bots.counts(), Instant::now());
    let time = Duration::from_secs(arguments.seconds.into());
    while begun.elapsed() < time {
        bots.tick();
        clock.wait();
    }
    let (after, playing) = (bots.counts(), bots.playing());
    if let (0, Some(error)) = (playing, bots.failure()) {
        return Err(error);
    }
    let share = playing.max(1) as f64 * begun.elapsed().as_secs_f64();
    let told = (after.told - before.told).max(1) as f64;
    Ok(Traffic {
        bots: playing,
        up: (after.up - before.up) as f64 / share,
        down: (after.down - before.down) as f64 / share,
        seen: bots.seen() as f64 / playing.max(1) as f64,
        corrected: (after.corrected - before.corrected) as f64 / told,
        late: clock.take_late(),
    })
}

/// Sums over all bots.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    up: u64,
    down: u64,
    told: u64,
    corrected: u64,
}

/// Clients in one world, on one socket.
struct Bots {
    links: Links,
    invite: Invite,
    count: usize,
    hello: World,
    /// The world of the server in one simulation, once the first is let in.
    simulation: Option<Simulation>,
    bots: Vec<Bot>,
    random: Random,
    ticks: u64,
    packets: Vec<Packet>,
}

/// One client.
struct Bot {
    link: Link,
    client: Option<Client>,
    wish: Wish,
    failure: Option<Failure>,
}

/// The reason for the end of a bot.
#[derive(Clone, Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Link(#[from] LinkError),
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl Bots {
    fn new(invite: Invite, count: usize) -> Result<Self, ServeError> {
        Ok(Bots {
            links: Links::new()?,
            invite,
            count,
            // All worlds have the same mark.
            hello: field(),
            simulation: None,
            bots: Vec::new(),
            random: Random::new(1),
            ticks: 0,
            packets: Vec::new(),
        })
    }

    fn playing(&self) -> usize {
        let playing = |bot: &&Bot| bot.client.is_some() && bot.failure.is_none();
        self.bots.iter().filter(playing).count()
    }

    fn failure(&self) -> Option<ServeError> {
        let failure = self.bots.iter().find_map(|bot| bot.failure.clone())?;
        Some(match failure {
            Failure::Link(error) => error.into(),
            Failure::Client(error) => LinkError::Broken(error.to_string()).into(),
        })
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for bot in &self.bots {
            let traffic = bot.link.figures();
            let client = bot.client.as_ref().map(Client::figures).unwrap_or_default();
            counts.up += traffic.up;
            counts.down += traffic.down;
            counts.told += client.confirmed + client.corrected;
            counts.corrected += client.corrected;
        }
        counts
    }

    /// Returns the number of players that all bots see together.
    fn seen(&self) -> usize {
        let clients = self.bots.iter().filter_map(|bot| bot.client.as_ref());
        clients.map(|client| client.others().count()).sum()
    }

    fn tick(&mut self) {
        let is_waiting = |bot: &&Bot| bot.client.is_none() && bot.failure.is_none();
        let waiting = self.bots.iter().filter(is_waiting).count();
        let is_due = self.ticks.is_multiple_of(JOIN_TICKS) && waiting < MOST_WAITING;
        if self.bots.len() < self.count && is_due {
            self.bots.push(self.knock(self.bots.len() + 1));
        }
        self.ticks += 1;
        for bot in &mut self.bots {
            if bot.failure.is_none() {
                let (simulation, packets) = (&mut self.simulation, &mut self.packets);
                let ticked = bot.tick(simulation, packets, &mut self.random);
                bot.failure = ticked.err();
            }
        }
        self.knock_again();
    }
}

impl Bots {
    /// Opens the links again that a busy server did not answer; one that never answers is none.
    fn knock_again(&mut self) {
        if self.playing() == 0 {
            return;
        }
        for index in 0..self.bots.len() {
            let is_unanswered = matches!(
                self.bots[index].failure,
                Some(Failure::Link(LinkError::NoAnswer { .. }))
            );
            if is_unanswered && self.bots[index].client.is_none() {
                self.bots[index] = self.knock(index + 1);
            }
        }
    }

    /// Returns a bot that asks to be let in.
    fn knock(&self, number: usize) -> Bot {
        let name = Name::of(&format!("bot {number}")).unwrap_or_else(Name::guest);
        let mut link = self.links.open(&self.invite);
        link.send(client::hello(&self.hello, &name));
        Bot {
            link,
            client: None,
            wish: Wish::default(),
            failure: None,
        }
    }
}

impl Bot {
    fn tick(
        &mut self,
        simulation: &mut Option<Simulation>,
        packets: &mut Vec<Packet>,
        random: &mut Random,
    ) -> Result<(), Failure> {
        let state = self.link.poll(packets);
        for packet in packets.drain(..) {
            self.take(&packet, simulation, random)?;
        }
        if let LinkState::Closed(error) = state {
            return Err(error.into());
        }
        if let (Some(client), Some(simulation)) = (&mut self.client, simulation) {
            if random.once_in(TURN) {
                self.wish.yaw = random.between(0.0, 6.2);
                self.wish.forward = 1.0;
            }
            client.tick(simulation, Input::of(&self.wish));
            client.take_events();
            client.take_packets(packets);
            packets.drain(..).for_each(|it| self.link.send(it));
        }
        Ok(())
    }

    fn take(
        &mut self,
        packet: &Packet,
        simulation: &mut Option<Simulation>,
        random: &mut Random,
    ) -> Result<(), Failure> {
        match (&mut self.client, simulation) {
            (Some(client), Some(simulation)) => client.receive(simulation, packet)?,
            // Snapshots may overtake the welcome.
            _ if packet.channel == Channel::Datagram => {}
            (_, simulation) => {
                let welcome = client::welcome(packet)?;
                let simulation = simulation.get_or_insert_with(|| {
                    let world = welcome.seed.map_or_else(field, World::generate);
                    Simulation::new(world, Position::default(), &welcome.tuning)
                });
                let client = Client::new(&welcome, &simulation.world)?;
                let client = self.client.insert(client);
                spread(client, simulation, random);
            }
        }
        Ok(())
    }
}

/// Brings an owner's bot to a place of its own in the field, or loads the land about another one.
fn spread(client: &mut Client, simulation: &mut Simulation, random: &mut Random) {
    if simulation.world.seed().is_some() {
        load_about(&mut simulation.world, client.own().position());
    } else if client.role() == Role::Owner {
        let half = HALF as f32 - 1.0;
        let [x, z] = [0; 2].map(|_| random.between(-half, half) as i32);
        let place = standing_in(Cell::new(x, 0, z), 0.9);
        client.apply(simulation, &Command::Teleport(place));
    }
}
