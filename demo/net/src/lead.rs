//! The lead of a client over its server: as many ticks as its inputs need on their way, and a few
//! more. It follows the delay of the network by running two ticks at once, or none.

use std::collections::VecDeque;

/// Snapshots that are looked back on.
const WINDOW: usize = 60;
/// Snapshots after which inputs that come too late are acted on.
const FEW: usize = 6;
/// Snapshots to wait after a change, until its effect is seen: longer than a round trip.
const WAIT: u32 = 14;
/// Ticks for which inputs should lie ready: the least, the number aimed at, and the most.
const READY: [i16; 3] = [1, 3, 5];
/// The most ticks of one change.
const MOST_CHANGE: i16 = 40;

/// Holds the lead of a client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lead {
    slacks: VecDeque<i16>,
    wait: u32,
    /// Ticks to run beside those of the clock; below 0 those to leave out.
    extra: i16,
}

impl Lead {
    /// Takes the ticks for which inputs lay ready at the server.
    pub(crate) fn hear(&mut self, slack: i16) {
        if self.wait > 0 {
            self.wait -= 1;
            return;
        }
        if self.slacks.len() == WINDOW {
            self.slacks.pop_front();
        }
        self.slacks.push_back(slack);
        let [least, good, most] = READY;
        let found = self.slacks.iter().copied().min().unwrap_or(good);
        let is_late = found < least && self.slacks.len() >= FEW;
        let is_early = found > most && self.slacks.len() == WINDOW;
        if is_late || is_early {
            self.extra = good.saturating_sub(found).clamp(-MOST_CHANGE, MOST_CHANGE);
            self.slacks.clear();
            self.wait = WAIT + self.extra.unsigned_abs() as u32 / 3;
        }
    }

    /// Returns the number of ticks to run at this tick of the clock.
    pub(crate) fn ticks(&mut self) -> u32 {
        let step = self.extra.signum();
        self.extra -= step;
        (1 + step) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the slack after a while with a delay in ticks.
    fn settled(delay: i64, ticks: i64, lead: &mut Lead, mut ahead: i64) -> i64 {
        for tick in 0..ticks {
            ahead += i64::from(lead.ticks()) - 1;
            if tick % 3 == 0 {
                lead.hear((ahead - delay) as i16);
            }
        }
        ahead
    }

    #[test]
    fn the_lead_follows_the_delay() {
        let mut lead = Lead::default();
        let near = settled(10, 600, &mut lead, 0);
        assert!((11..=15).contains(&near), "{near}");
        let far = settled(60, 600, &mut lead, near);
        assert!((61..=65).contains(&far), "{far}");
        let back = settled(5, 60 * 20, &mut lead, far);
        assert!((6..=10).contains(&back), "{back}");
    }
}
