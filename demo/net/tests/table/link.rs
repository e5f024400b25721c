//! A network in the process: it loses, delays, reorders and doubles packets, alike in every run.

use net::{Channel, Packet};
use simulation::Random;

/// The faults of a link, in one direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Impairment {
    /// Share of packets that are lost.
    pub(crate) loss: f32,
    /// Share of datagrams that arrive twice.
    pub(crate) twice: f32,
    /// Shortest and longest delay, milliseconds: later packets overtake earlier ones.
    pub(crate) delay: [f32; 2],
}

impl Impairment {
    /// A link without faults.
    pub(crate) const NONE: Self = Impairment {
        loss: 0.0,
        twice: 0.0,
        delay: [0.0; 2],
    };
    /// A bad one across an ocean: a twentieth lost, 150 ms and up to 30 more or less.
    pub(crate) const BAD: Self = Impairment {
        loss: 0.05,
        twice: 0.02,
        delay: [120.0, 180.0],
    };
}

/// One direction of a link.
pub(crate) struct Link {
    random: Random,
    impairment: Impairment,
    /// Packets under way, with the time of their arrival.
    under_way: Vec<(f32, Packet)>,
    /// The time before which no ordered packet may arrive.
    in_order: f32,
}

impl Link {
    pub(crate) fn new(impairment: Impairment, seed: u64) -> Self {
        Link {
            random: Random::new(seed),
            impairment,
            under_way: Vec::new(),
            in_order: 0.0,
        }
    }

    fn delay(&mut self) -> f32 {
        let [least, most] = self.impairment.delay;
        self.random.between(least, most)
    }

    fn is_lost(&mut self) -> bool {
        self.random.unit() < self.impairment.loss
    }

    pub(crate) fn send(&mut self, now: f32, packet: Packet) {
        match packet.channel {
            Channel::Ordered => {
                let mut arrival = now + self.delay();
                while self.is_lost() {
                    // It is missed after a round trip, and sent again.
                    arrival += self.impairment.delay[1] * 2.0;
                }
                self.in_order = self.in_order.max(arrival);
                self.under_way.push((self.in_order, packet));
            }
            Channel::Datagram => {
                let is_twice = self.random.unit() < self.impairment.twice;
                for _ in 0..1 + u32::from(is_twice) {
                    let arrival = now + self.delay();
                    if !self.is_lost() {
                        self.under_way.push((arrival, packet.clone()));
                    }
                }
            }
        }
    }

    /// Takes the packets that have arrived, the earliest first.
    pub(crate) fn arrived(&mut self, now: f32) -> Vec<Packet> {
        // Equal times keep the order in which they were sent.
        self.under_way.sort_by(|a, b| a.0.total_cmp(&b.0));
        let count = self.under_way.partition_point(|(at, _)| *at <= now);
        let arrived = self.under_way.drain(..count);
        arrived.map(|(_, packet)| packet).collect()
    }
}
