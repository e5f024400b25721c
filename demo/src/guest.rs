//! The player of this window as a guest in the world of a server.

use std::time::{Duration, Instant};

use net::quic::{Invite, Link, LinkError, LinkState};
use net::{Client, ClientError, Event, Line, Name, Packet, client, is_offered};
use simulation::{Command, Input, OtherPlayer, PlayerId, Refusal, Role, Simulation};
use world::World;

/// Time for the server to answer once the connection is open.
const ANSWER: Duration = Duration::from_secs(10);
/// Time between two looks at a connection that is being opened.
const LOOK: Duration = Duration::from_millis(5);

/// Reasons for the end of a visit.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GuestError {
    /// The connection failed.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The server does not let the player in, or makes no sense.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The world has no seed.
    #[error("the world of the server is not generated from a seed, and cannot be shared")]
    NoSeed,
    /// The server does not answer.
    #[error("the server took the connection, but does not answer: try again later")]
    Silent,
}

impl GuestError {
    /// Returns whether another try may help.
    pub fn is_passing(&self) -> bool {
        matches!(
            self,
            GuestError::Link(LinkError::Lost(_) | LinkError::NoAnswer { .. }) | GuestError::Silent
        )
    }
}

/// A guest: its connection, and its client.
#[derive(Debug)]
pub struct Guest {
    invite: Invite,
    link: Link,
    client: Client,
    arrived: Vec<Packet>,
    leaving: Vec<Packet>,
    ended: Option<GuestError>,
}

/// A guest that was let in, and the world of its server before any edits.
pub(crate) struct Arrival {
    pub(crate) guest: Guest,
    pub(crate) world: World,
    pub(crate) tuning: simulation::Characters,
    pub(crate) seed: u64,
}

impl Guest {
    /// Joins the server of an invite, and waits until it answers.
    pub(crate) fn join(invite: &Invite, name: &Name) -> Result<Arrival, GuestError> {
        let mut link = Link::open(invite);
        link.send(client::hello(&World::default(), name));
        let mut arrived = Vec::new();
        let mut since = None;
        loop {
            match link.poll(&mut arrived) {
                LinkState::Opening => {}
                LinkState::Open => {
                    since.get_or_insert_with(Instant::now);
                }
                LinkState::Closed(error) => return Err(error.into()),
            }
            // Snapshots may overtake the welcome, and are worth nothing before it.
            arrived.retain(|packet| packet.channel == net::Channel::Ordered);
            if !arrived.is_empty() {
                return Guest::arrive(invite, link, arrived);
            }
            if since.is_some_and(|since: Instant| since.elapsed() > ANSWER) {
                return Err(GuestError::Silent);
            }
            std::thread::sleep(LOOK);
        }
    }

    fn arrive(
        invite: &Invite,
        link: Link,
        mut arrived: Vec<Packet>,
    ) -> Result<Arrival, GuestError> {
        let welcome = client::welcome(&arrived.remove(0))?;
        let seed = welcome.seed.ok_or(GuestError::NoSeed)?;
        let materials = welcome.materials().map_err(ClientError::from)?;
        let mut world = World::generate(seed);
        *world.materials_mut() = materials;
        let client = Client::new(&welcome, &world)?;
        let guest = Guest {
            invite: invite.clone(),
            link,
            client,
            arrived,
            leaving: Vec::new(),
            ended: None,
        };
        Ok(Arrival {
            guest,
            world,
            tuning: welcome.tuning.within_limits(),
            seed,
        })
    }

    /// Returns the invite that it came with.
    pub fn invite(&self) -> &Invite {
        &self.invite
    }

    /// Returns its client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the reason for its end.
    pub fn ended(&self) -> Option<&GuestError> {
        self.ended.as_ref()
    }

    /// Takes what happened at the server since the last call.
    pub(crate) fn take_events(&mut self) -> Vec<Event> {
        self.client.take_events()
    }

    /// Returns the players that are here, with their names.
    pub fn players(&self) -> impl Iterator<Item = (PlayerId, &Name)> {
        self.client.names()
    }

    /// Returns its role.
    pub fn role(&self) -> Role {
        self.client.role()
    }

    /// Says a line to all players.
    pub(crate) fn say(&mut self, line: Line) {
        self.client.say(line);
    }

    /// Asks to be brought to another player.
    pub(crate) fn visit(&mut self, player: PlayerId) {
        self.client.visit(player);
    }

    /// Takes all that arrived, without playing.
    pub(crate) fn receive(&mut self, simulation: &mut Simulation) {
        let state = self.link.poll(&mut self.arrived);
        for packet in self.arrived.drain(..) {
            if let Err(error) = self.client.receive(simulation, &packet) {
                self.ended.get_or_insert(error.into());
                break;
            }
        }
        self.arrived.clear();
        if let LinkState::Closed(error) = state {
            self.ended.get_or_insert(error.into());
        }
    }

    /// Goes on by one tick.
    pub(crate) fn tick(&mut self, simulation: &mut Simulation, input: Input) {
        self.receive(simulation);
        if self.ended.is_some() {
            return;
        }
        self.client.tick(simulation, input);
        self.client.take_packets(&mut self.leaving);
        for packet in self.leaving.drain(..) {
            self.link.send(packet);
        }
        let tick = self.client.next_tick();
        let others = self.client.others();
        let others = others.map(|(id, seen)| OtherPlayer {
            id,
            place: seen.place_at(tick),
            velocity: seen.velocity,
            heading: seen.heading,
            crouched: seen.crouched,
        });
        simulation.follow(self.client.own(), input, others);
    }

    /// Gives a command to the server, and shows it at once as far as that is possible.
    pub(crate) fn apply(
        &mut self,
        simulation: &mut Simulation,
        command: &Command,
    ) -> Result<(), Refusal> {
        if !is_offered(command) {
            return Err(Refusal::NotOffered);
        }
        match command {
            Command::Edit(stroke) => {
                let center = simulation.world.material(stroke.center);
                let voxels = self.client.apply(simulation, command);
                simulation.sound_own_stroke(stroke, center.unwrap_or_default(), voxels);
            }
            // The hand is shown by the window, and used by the server.
            Command::Copy { .. }
            | Command::TakeInHand(_)
            | Command::TurnCopy(_)
            | Command::MirrorCopy(_) => {
                simulation.apply(simulation.own_id(), command);
                self.client.apply(simulation, command);
            }
            _ => {
                self.client.apply(simulation, command);
            }
        }
        Ok(())
    }
}
