//! A player that joins a server over the network.

use std::time::{Duration, Instant};

use collision::{Cell, Position};
use nalgebra::Vector3;
use net::quic::{Invite, Link, LinkError, LinkState};
use net::{Channel, Client, Name, Packet, client};
use simulation::{BrushMode, BrushShape, Command, Input, Joins, Simulation, Stroke};
use world::{Material, StreamSettings, Viewer, World};

/// Time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time of a tick.
const TICK: Duration = Duration::from_millis(16);
/// Distance of land about the player, metres.
const REACH: f32 = 48.0;

/// A player and its world.
pub(crate) struct Guest {
    link: Link,
    client: Client,
    simulation: Simulation,
}

impl Guest {
    /// Joins, and plays until the land of the server is here.
    pub(crate) fn join(invite: &Invite) -> Self {
        let mut link = Link::open(invite);
        // The hello waits until the link is open; all worlds have the same mark.
        link.send(client::hello(&World::generate(5), &Name::guest()));
        let (mut packets, deadline) = (Vec::new(), Instant::now() + PATIENCE);
        let is_ordered = |packet: &Packet| packet.channel == Channel::Ordered;
        while !packets.iter().any(is_ordered) {
            assert!(Instant::now() < deadline, "it never was let in");
            let state = link.poll(&mut packets);
            assert!(!matches!(state, LinkState::Closed(_)), "{state:?}");
            std::thread::sleep(TICK);
        }
        packets.retain(is_ordered);
        let welcome = client::welcome(&packets.remove(0)).unwrap();
        let world = World::generate(welcome.seed.unwrap());
        let mut guest = Guest {
            link,
            client: Client::new(&welcome, &world).unwrap(),
            simulation: Simulation::new(world, Position::default(), &welcome.tuning),
        };
        packets.iter().for_each(|packet| guest.take(packet));
        let place = guest.client.own().position();
        let viewer = Viewer {
            position: place,
            look: Vector3::zeros(),
            reach: REACH,
        };
        guest
            .simulation
            .world
            .stream_wholly(&[viewer], &StreamSettings::default());
        guest.play_until("the land is here", |guest| {
            guest.client.is_synced() && guest.client.figures().confirmed > 10
        });
        guest
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn material(&self, cell: Cell) -> Material {
        self.simulation.world.material(cell).expect("it is loaded")
    }

    pub(crate) fn apply(&mut self, command: &Command) {
        self.client.apply(&mut self.simulation, command);
    }

    /// Carves one cell.
    pub(crate) fn dig(&mut self, cell: Cell) {
        self.apply(&Command::Edit(Stroke {
            center: cell,
            size: 1,
            shape: BrushShape::Sphere,
            mode: BrushMode::Carve,
            material: Material::AIR,
            joins: Joins::Nothing,
        }));
    }

    fn take(&mut self, packet: &Packet) {
        self.client.receive(&mut self.simulation, packet).unwrap();
    }

    fn tick(&mut self) -> LinkState {
        let mut packets = Vec::new();
        let state = self.link.poll(&mut packets);
        packets.iter().for_each(|packet| self.take(packet));
        self.client.tick(&self.simulation, Input::default());
        let mut out = Vec::new();
        self.client.take_packets(&mut out);
        out.into_iter().for_each(|packet| self.link.send(packet));
        std::thread::sleep(TICK);
        state
    }

    pub(crate) fn play_until(&mut self, wanted: &str, is_done: impl Fn(&Guest) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !is_done(self) {
            assert!(Instant::now() < deadline, "it never came that {wanted}");
            assert_eq!(self.tick(), LinkState::Open);
        }
    }

    pub(crate) fn play_for(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {
            assert_eq!(self.tick(), LinkState::Open);
        }
    }

    /// Plays until the server has gone.
    pub(crate) fn wait_for_end(&mut self) -> LinkError {
        let deadline = Instant::now() + PATIENCE;
        loop {
            assert!(Instant::now() < deadline, "the link never ended");
            if let LinkState::Closed(error) = self.tick() {
                return error;
            }
        }
    }
}
