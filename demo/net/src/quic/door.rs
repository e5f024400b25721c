//! The limits of a listener on those that knock: in all, of one address, and a second.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use super::carrier::lock;

/// Handshakes under way from which on an address has to prove that it is its own.
const MANY: usize = 32;

/// The answer to a client that knocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It may enter.
    Enter,
    /// It has to prove its address first.
    Prove,
    /// There is no room for it.
    Refuse,
    /// It is to knock again later.
    Ignore,
}

/// The limits of a door.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoorLimits {
    pub(super) connections: usize,
    pub(super) of_address: usize,
    pub(super) handshakes_a_second: u32,
}

/// The counts of those inside and at the door.
#[derive(Debug)]
pub(super) struct Door {
    limits: DoorLimits,
    inside: usize,
    handshakes: usize,
    of_address: HashMap<IpAddr, usize>,
    /// Handshakes that may begin now.
    left: f64,
    counted_at: Instant,
}

impl Door {
    pub(super) fn new(limits: DoorLimits, now: Instant) -> Self {
        Door {
            limits,
            inside: 0,
            handshakes: 0,
            of_address: HashMap::new(),
            left: limits.handshakes_a_second.into(),
            counted_at: now,
        }
    }

    /// Answers a client, and counts it if it may enter.
    pub(super) fn knock(&mut self, address: IpAddr, is_proven: bool, now: Instant) -> Answer {
        let source = source(address);
        let of_source = source.and_then(|it| self.of_address.get(&it));
        let of_source = of_source.copied().unwrap_or(0);
        if self.inside >= self.limits.connections || of_source >= self.limits.of_address {
            return Answer::Refuse;
        }
        if !is_proven && (self.handshakes >= MANY || of_source > 0) {
            return Answer::Prove;
        }
        if !self.take_one(now) {
            return Answer::Ignore;
        }
        self.inside += 1;
        self.handshakes += 1;
        if let Some(source) = source {
            *self.of_address.entry(source).or_default() += 1;
        }
        Answer::Enter
    }

    fn take_one(&mut self, now: Instant) -> bool {
        let rate = f64::from(self.limits.handshakes_a_second);
        let passed = now.saturating_duration_since(self.counted_at);
        self.left = rate.min(self.left + passed.as_secs_f64() * rate);
        self.counted_at = now;
        let is_any = self.left >= 1.0;
        self.left -= f64::from(u8::from(is_any));
        is_any
    }

    fn leave(&mut self, address: IpAddr) {
        self.inside -= 1;
        if let Some(source) = source(address)
            && let Some(count) = self.of_address.get_mut(&source)
        {
            *count -= 1;
            if *count == 0 {
                self.of_address.remove(&source);
            }
        }
    }
}

/// Returns the address that is counted: of IPv6 its network, of this machine none.
fn source(address: IpAddr) -> Option<IpAddr> {
    let address = address.to_canonical();
    match address {
        _ if address.is_loopback() => None,
        IpAddr::V4(_) => Some(address),
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Some(Ipv6Addr::from_bits(network).into())
        }
    }
}

/// The place of a client among those that are counted, until it is dropped.
#[derive(Debug)]
pub(super) struct Pass {
    door: Arc<Mutex<Door>>,
    address: IpAddr,
    is_inside: bool,
}

impl Pass {
    /// Returns the place of a client that may enter.
    pub(super) fn new(door: &Arc<Mutex<Door>>, address: IpAddr) -> Self {
        Pass {
            door: door.clone(),
            address,
            is_inside: false,
        }
    }

    /// Notes that the handshake is over.
    pub(super) fn come_in(&mut self) {
        if !self.is_inside {
            self.is_inside = true;
            lock(&self.door).handshakes -= 1;
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        self.come_in();
        lock(&self.door).leave(self.address);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn door(connections: usize, of_address: usize, now: Instant) -> Arc<Mutex<Door>> {
        let limits = DoorLimits {
            connections,
            of_address,
            handshakes_a_second: 100,
        };
        Arc::new(Mutex::new(Door::new(limits, now)))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("it is an address")
    }

    #[test]
    fn one_address_gets_its_share_and_this_machine_all() {
        let now = Instant::now();
        let door = door(50, 2, now);
        let mut passes = Vec::new();
        let mut enter = |text: &str| {
            let answer = lock(&door).knock(address(text), true, now);
            if answer == Answer::Enter {
                passes.push(Pass::new(&door, address(text)));
            }
            answer
        };
        assert_eq!(enter("2001:db8::1"), Answer::Enter);
        assert_eq!(enter("2001:db8::2"), Answer::Enter);
        // The same network.
        assert_eq!(enter("2001:db8::3"), Answer::Refuse);
        assert_eq!(enter("::ffff:192.0.2.1"), Answer::Enter);
        assert_eq!(enter("192.0.2.1"), Answer::Enter);
        assert_eq!(enter("192.0.2.1"), Answer::Refuse);
        for _ in 0..46 {
            assert_eq!(enter("127.0.0.1"), Answer::Enter);
        }
        assert_eq!(enter("::1"), Answer::Refuse);
        passes.clear();
        let door = lock(&door);
        assert_eq!((door.inside, door.handshakes), (0, 0));
        assert!(door.of_address.is_empty());
    }

    #[test]
    fn an_address_is_to_be_proven_where_many_knock() {
        let now = Instant::now();
        let door = door(1000, 8, now);
        let (first, here) = (address("192.0.2.1"), address("127.0.0.1"));
        assert_eq!(lock(&door).knock(first, false, now), Answer::Enter);
        assert_eq!(lock(&door).knock(first, false, now), Answer::Prove);
        assert_eq!(lock(&door).knock(first, true, now), Answer::Enter);
        for _ in 2..MANY {
            assert_eq!(lock(&door).knock(here, false, now), Answer::Enter);
        }
        assert_eq!(lock(&door).knock(here, false, now), Answer::Prove);
        Pass::new(&door, here).come_in();
        assert_eq!(lock(&door).knock(here, false, now), Answer::Enter);
    }

    #[test]
    fn handshakes_are_limited_a_second() {
        let now = Instant::now();
        let door = door(1000, 8, now);
        let here = address("::1");
        let count = |now| {
            let answers = (0..500).map(|_| lock(&door).knock(here, true, now));
            answers.filter(|answer| *answer == Answer::Enter).count()
        };
        assert_eq!(count(now), 100);
        assert_eq!(count(now), 0);
        assert_eq!(count(now + Duration::from_millis(500)), 50);
    }
}
