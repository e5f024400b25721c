//! A server and its clients at one table, with links between them.

#![allow(clippy::unwrap_used, dead_code)]

pub(crate) mod link;

use collision::Cell;
use net::{Client, ClientError, Name, Packet, PeerId, Server, client};
use simulation::{Characters, Command, Input, Limits, PlayerId, Role, Simulation, standing_in};
use world::{CellBox, Material, World};

use link::{Impairment, Link};

/// A client, its links, and its input.
pub(crate) struct Guest {
    pub(crate) peer: PeerId,
    pub(crate) input: Input,
    client: Option<Client>,
    pub(crate) simulation: Simulation,
    up: Link,
    down: Link,
    /// Bytes that it sent and received.
    pub(crate) bytes: [usize; 2],
}

impl Guest {
    pub(crate) fn client(&mut self) -> &mut Client {
        self.client.as_mut().expect("it joined")
    }

    pub(crate) fn receive(&mut self, packet: &Packet) -> Result<(), ClientError> {
        let client = self.client.as_mut().expect("it joined");
        client.receive(&mut self.simulation, packet)
    }

    pub(crate) fn play(&mut self, input: Input) {
        let client = self.client.as_mut().expect("it joined");
        client.tick(&self.simulation, input);
    }

    pub(crate) fn apply(&mut self, command: &Command) {
        let client = self.client.as_mut().expect("it joined");
        client.apply(&mut self.simulation, command);
    }
}

/// A server and its guests.
pub(crate) struct Table {
    pub(crate) server: Server,
    pub(crate) guests: Vec<Guest>,
    pub(crate) ticks: u64,
}

impl Table {
    pub(crate) fn new(world: World, limits: Limits) -> Self {
        Table {
            server: Server::new(alone_in(world), limits),
            guests: Vec::new(),
            ticks: 0,
        }
    }

    /// Adds a guest with a world of its own, and returns its index.
    pub(crate) fn join(&mut self, role: Role, world: World, impairment: Impairment) -> usize {
        let seed = self.guests.len() as u64 * 2 + 11;
        let now = self.now();
        let mut up = Link::new(impairment, seed);
        up.send(now, client::hello(&world, &name()));
        self.guests.push(Guest {
            peer: self.server.connect(role),
            input: Input::default(),
            client: None,
            simulation: alone_in(world),
            up,
            down: Link::new(impairment, seed + 1),
            bytes: [0; 2],
        });
        self.guests.len() - 1
    }

    fn now(&self) -> f32 {
        self.ticks as f32 * (1000.0 / 60.0)
    }

    pub(crate) fn tick(&mut self) {
        let now = self.now();
        for guest in &mut self.guests {
            for packet in guest.up.arrived(now) {
                guest.bytes[0] += packet.bytes.len();
                self.server.receive(guest.peer, &packet).unwrap();
            }
        }
        self.server.tick();
        let mut packets = Vec::new();
        self.server.take_packets(&mut packets);
        for (peer, packet) in packets {
            if let Some(guest) = self.guests.iter_mut().find(|guest| guest.peer == peer) {
                guest.down.send(now, packet);
            }
        }
        for guest in &mut self.guests {
            guest.tick(now);
        }
        self.ticks += 1;
    }

    pub(crate) fn run(&mut self, ticks: u32) {
        (0..ticks).for_each(|_| self.tick());
    }

    /// Asserts that a guest's player is where the server has it, to the bit.
    pub(crate) fn assert_in_place(&mut self, guest: usize) {
        let client = self.guests[guest].client();
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        client.own().write(&mut ours);
        let simulation = self.server.simulation();
        assert!(simulation.write_player(client.player(), &mut theirs));
        assert_eq!(ours, theirs);
    }

    /// Asserts that the land of a guest is that of the server in all chunks that are loaded there.
    pub(crate) fn assert_same_land(&mut self, guest: usize) {
        let guest = &mut self.guests[guest];
        assert_eq!(guest.client().open_commands(), 0);
        let land = &mut guest.simulation.world;
        let server = &self.server.simulation().world;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for (chunk, brick) in server.loaded_chunks() {
            let low = chunk * 32;
            let cells = CellBox::new(low, low.add_scalar(31));
            land.load(&cells).unwrap();
            let found = land.brick_at(chunk).expect("it is loaded");
            land.brick(found).voxels().read_all(&mut ours);
            server.brick(brick).voxels().read_all(&mut theirs);
            assert!(ours == theirs, "the chunk {chunk:?} differs");
        }
    }
}

impl Guest {
    fn tick(&mut self, now: f32) {
        for packet in self.down.arrived(now) {
            self.bytes[1] += packet.bytes.len();
            match &mut self.client {
                Some(client) => client.receive(&mut self.simulation, &packet).unwrap(),
                None => self.take_first(&packet),
            }
        }
        if let Some(client) = &mut self.client {
            client.tick(&self.simulation, self.input);
            let mut packets = Vec::new();
            client.take_packets(&mut packets);
            packets
                .into_iter()
                .for_each(|packet| self.up.send(now, packet));
        }
    }

    /// Takes a packet before the welcome; snapshots may overtake it.
    fn take_first(&mut self, packet: &Packet) {
        if packet.channel == net::Channel::Ordered {
            let welcome = client::welcome(packet).unwrap();
            self.client = Some(Client::new(&welcome, &self.simulation.world).unwrap());
        }
    }
}

/// Returns a simulation of a world.
pub(crate) fn alone_in(world: World) -> Simulation {
    let tuning = Characters::default();
    let home = match world.spawn() {
        Some(spawn) => Cell::from(spawn.cell),
        None => Cell::zeros(),
    };
    Simulation::new(world, standing_in(home, tuning.half_height), &tuning)
}

/// Returns the wished name of every guest.
pub(crate) fn name() -> Name {
    Name::of("guest").unwrap()
}

/// Returns a plain with pillars to walk around and a field of ice.
pub(crate) fn plain() -> World {
    let bounds = CellBox::new(Cell::new(-96, -32, -96), Cell::new(95, 31, 95));
    World::from_voxels(bounds, |cell| {
        let pillar = cell.x.rem_euclid(9) == 4 && cell.z.rem_euclid(7) == 4;
        match cell.y {
            ..-1 => Material::STONE,
            -1 if cell.x.rem_euclid(40) > 30 => Material::ICE,
            -1 => Material::STONE,
            0 | 1 if pillar => Material::STONE,
            _ => Material::AIR,
        }
    })
}

/// Returns the place of a player at the server, metres.
pub(crate) fn place(server: &Server, player: PlayerId) -> nalgebra::Point3<f64> {
    let simulation = server.simulation();
    let mut players = simulation.players().iter();
    let player = players.find(|it| it.id() == player).unwrap();
    let position = simulation.crowd().position(player.character()).unwrap();
    position.to_metres()
}
