//! Measures a server with many clients that walk about one field, without sockets: the time of a
//! tick, and the bytes of a client. The number of clients may be given; 1,000 otherwise.

use std::time::Instant;

use collision::Cell;
use net::message::{Inputs, ToServer};
use net::{Packet, PeerId, Server, client};
use simulation::{
    Characters, Command, Input, Limits, Random, Role, Simulation, Travel, Wish, standing_in,
};
use world::{CellBox, Material, World};

/// Half the side of the field, metres.
const HALF: i32 = 128;
/// Ticks that are measured.
const TICKS: u32 = 600;

fn field() -> World {
    let bounds = CellBox::new(Cell::new(-HALF, -2, -HALF), Cell::new(HALF, 8, HALF));
    World::from_voxels(bounds, |cell| match cell.y {
        ..0 => Material::STONE,
        _ => Material::AIR,
    })
}

/// A client of which only the packets exist.
struct Bot {
    peer: PeerId,
    wish: Wish,
    inputs: Vec<Input>,
}

impl Bot {
    /// Lets a bot join and go to a place of its own.
    fn join(server: &mut Server, hello: &Packet, random: &mut Random) -> Self {
        let peer = server.connect(Role::Owner);
        let mut send = |packet: &Packet| {
            let taken = server.receive(peer, packet);
            taken.expect("the server takes what it should");
        };
        send(hello);
        let half = HALF as f32;
        let [x, z] = [0; 2].map(|_| random.between(-half, half) as i32);
        let there = standing_in(Cell::new(x, 0, z), Characters::default().half_height);
        for (number, command) in [
            (1, Command::Teleport(there)),
            (2, Command::Travel(Travel::Walk)),
        ] {
            let tick = 0;
            let message = ToServer::Command {
                tick,
                number,
                command,
            };
            send(&message.packet());
        }
        Bot {
            peer,
            wish: Wish::default(),
            inputs: Vec::new(),
        }
    }

    /// Returns the packet of its inputs up to a tick a little ahead.
    fn packet(&mut self, now: u64, random: &mut Random) -> Packet {
        if random.once_in(30) {
            self.wish.yaw = random.between(0.0, 6.2);
            self.wish.forward = 1.0;
        }
        if self.inputs.len() == 6 {
            self.inputs.remove(0);
        }
        self.inputs.push(Input::of(&self.wish));
        let message = ToServer::Inputs {
            first: now + 7 - self.inputs.len() as u64,
            inputs: Inputs(self.inputs.clone()),
            claim: None,
        };
        message.packet()
    }
}

fn main() {
    let asked = std::env::args().nth(1);
    let count = asked.and_then(|count| count.parse().ok()).unwrap_or(1000);
    let home = standing_in(Cell::zeros(), Characters::default().half_height);
    let simulation = Simulation::new(field(), home, &Characters::default());
    let mut server = Server::new(simulation, Limits::default());
    let (hello, mut random) = (client::hello(&field()), Random::new(1));
    let mut packets = Vec::new();
    let mut bots: Vec<Bot> = Vec::new();
    for _ in 0..count {
        bots.push(Bot::join(&mut server, &hello, &mut random));
        // The newcomer goes away before the next one comes.
        server.tick();
        server.take_packets(&mut packets);
        packets.clear();
    }
    let (mut times, mut bytes) = (Vec::new(), [0; 2]);
    for _ in 0..TICKS {
        let now = server.simulation().ticks();
        let sent: Vec<_> = bots
            .iter_mut()
            .map(|bot| (bot.peer, bot.packet(now, &mut random)))
            .collect();
        let begin = Instant::now();
        for (peer, packet) in &sent {
            bytes[0] += packet.bytes.len();
            server.receive(*peer, packet).expect("a sound packet");
        }
        server.tick();
        server.take_packets(&mut packets);
        times.push(begin.elapsed().as_secs_f64() * 1000.0);
        bytes[1] += packets.drain(..).map(|it| it.1.bytes.len()).sum::<usize>();
    }
    times.sort_by(f64::total_cmp);
    let [median, late] = [50, 99].map(|share| times[times.len() * share / 100]);
    let [up, down] = bytes.map(|it| it as f64 * 60.0 / f64::from(TICKS) / count as f64);
    println!("{count} clients: a tick takes {median:.2} ms, 99 of 100 at most {late:.2} ms;");
    println!("a client sends {up:.0} and receives {down:.0} bytes a second, without headers");
}
