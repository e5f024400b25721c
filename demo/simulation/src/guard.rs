//! The guard in front of a simulation that others play in: their roles, and how far, how large and
//! how often they may act. The guard judges each command of a player before it is applied.
//!
//! It counts in whole numbers, by ticks: two guards with the same members, commands and loaded land
//! refuse alike.

use std::collections::BTreeMap;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{CellBox, EditReport};

use super::{Command, Input, JoinError, PlayerId, Simulation, Travel};

/// The rights of a player; each one includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Stands where it joined, and looks about.
    Look,
    /// Walks, fights and carries.
    Walk,
    /// Flies, and changes the world within reach.
    Build,
    /// Sets the rules, and goes anywhere at once.
    Owner,
}

impl Role {
    /// All roles, the least first.
    pub const ALL: [Self; 4] = [Role::Look, Role::Walk, Role::Build, Role::Owner];
}

/// Limits of the commands of one player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Longest distance from the centre of a player to the nearest cell of its command, metres.
    pub reach: f32,
    /// The most voxels of one command: those of its box, whatever they hold.
    pub most_voxels: u64,
    /// Commands a second.
    pub commands: Rate,
    /// Voxels a second. A command is let through while any are left, and may use up those of the
    /// next seconds.
    pub voxels: Rate,
}

/// A rate, and the amount that gathers while it is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Amount a second.
    pub a_second: u32,
    /// The largest amount at once.
    pub at_once: u32,
}

impl Default for Limits {
    /// Limits that no hand at the sandbox meets: its pointer reaches 160 m, a copy has 96 voxels a
    /// side, and a drag with two mirrors makes four strokes a tick.
    fn default() -> Self {
        Limits {
            reach: 164.0,
            most_voxels: 96 * 96 * 96,
            commands: Rate {
                a_second: 240,
                at_once: 480,
            },
            voxels: Rate {
                a_second: 200_000,
                at_once: 1_000_000,
            },
        }
    }
}

/// Reasons for refusing a command.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The player is not here.
    #[error("the player is not in this world: join it first")]
    Stranger,
    /// The role of the player is too low.
    #[error("this needs the role {needs:?}: ask the owner of the world for it")]
    Role {
        /// The least role.
        needs: Role,
    },
    /// A number is not finite or out of its range.
    #[error("a number of the command is out of range")]
    Unsound,
    /// The place is out of reach.
    #[error("it is {metres:.0} m away, and {reach:.0} m are within reach: go nearer")]
    Far {
        /// Distance of the nearest cell.
        metres: f32,
        /// The longest distance.
        reach: f32,
    },
    /// The command is too large.
    #[error("it takes {voxels} voxels, and {most} are possible at once: divide it")]
    Large {
        /// Voxels of its box.
        voxels: u64,
        /// The most voxels.
        most: u64,
    },
    /// The command is not offered to guests.
    #[error("this is possible in a world of one's own only")]
    NotOffered,
    /// There were too many commands, or they changed too many voxels.
    #[error("too much at once: wait {ticks} ticks")]
    Often {
        /// Ticks until the next command is let through.
        ticks: u64,
    },
}

/// Voxels for which a chunk counts that a command loads: about as much work.
const LOADED: u64 = 4096;
/// Ticks a second, by which amounts are counted: a rate adds whole parts in each.
const PARTS: i64 = 60;

/// An amount that fills at a rate.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    rate: Rate,
    /// Parts of the amount that is left; below 0 while more was taken than there was.
    left: i64,
}

impl Bucket {
    fn full(rate: Rate) -> Self {
        let left = i64::from(rate.at_once) * PARTS;
        Bucket { rate, left }
    }

    fn fill(&mut self) {
        let most = i64::from(self.rate.at_once) * PARTS;
        self.left = most.min(self.left + i64::from(self.rate.a_second));
    }

    fn take(&mut self, amount: u64) {
        let amount = i64::try_from(amount).unwrap_or(i64::MAX);
        self.left = self.left.saturating_sub(amount.saturating_mul(PARTS));
    }

    /// Returns the ticks until something is left.
    fn wait(&self) -> u64 {
        let rate = u64::from(self.rate.a_second.max(1));
        let missing = PARTS.saturating_sub(self.left).max(0);
        missing.unsigned_abs().div_ceil(rate)
    }
}

/// A player as its guard knows it.
#[derive(Clone, Copy, Debug)]
struct Member {
    role: Role,
    commands: Bucket,
    voxels: Bucket,
}

/// The guard in front of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    limits: Limits,
    members: BTreeMap<PlayerId, Member>,
}

impl Guard {
    /// Returns a guard without members.
    pub fn new(limits: Limits) -> Self {
        Guard {
            limits,
            members: BTreeMap::new(),
        }
    }

    /// Adds a player on foot, with a role.
    pub fn join(
        &mut self,
        simulation: &mut Simulation,
        id: PlayerId,
        role: Role,
    ) -> Result<(), JoinError> {
        simulation.join(id)?;
        simulation.apply(id, &Command::Travel(Travel::Walk));
        self.set_role(id, role);
        Ok(())
    }

    /// Removes a player.
    pub fn leave(&mut self, simulation: &mut Simulation, id: PlayerId) {
        self.members.remove(&id);
        simulation.leave(id);
    }

    /// Gives a player another role; its amounts are full again.
    pub fn set_role(&mut self, id: PlayerId, role: Role) {
        let member = Member {
            role,
            commands: Bucket::full(self.limits.commands),
            voxels: Bucket::full(self.limits.voxels),
        };
        self.members.insert(id, member);
    }

    /// Returns the role of a player.
    pub fn role(&self, id: PlayerId) -> Option<Role> {
        self.members.get(&id).map(|member| member.role)
    }

    /// Lets every amount fill by one tick.
    pub fn tick(&mut self) {
        for member in self.members.values_mut() {
            member.commands.fill();
            member.voxels.fill();
        }
    }

    /// Returns an input as far as the role of the player allows it.
    pub fn allow(&self, id: PlayerId, input: Input) -> Input {
        match self.role(id) {
            Some(role) if role >= Role::Walk => input,
            _ => input.look(),
        }
    }

    /// Applies a command, unless it is refused; the land that it reaches is loaded first. A refused
    /// one counts among the commands of a second, too.
    pub fn apply(
        &mut self,
        simulation: &mut Simulation,
        by: PlayerId,
        command: &Command,
    ) -> Result<EditReport, Refusal> {
        let checked = self.check(simulation, by, command);
        let member = self.members.get_mut(&by).ok_or(Refusal::Stranger)?;
        if !matches!(checked, Err(Refusal::Often { .. })) {
            member.commands.take(1);
        }
        checked?;
        if let Ok(index) = simulation.bodies.index(by) {
            let loaded = simulation.load_for(index, command) as u64;
            member.voxels.take(loaded * LOADED);
        }
        let before = simulation.voxels_edited();
        let report = simulation.apply(by, command);
        member.voxels.take(simulation.voxels_edited() - before);
        Ok(report)
    }

    /// Returns the reason why a command would be refused now.
    fn check(
        &self,
        simulation: &Simulation,
        by: PlayerId,
        command: &Command,
    ) -> Result<(), Refusal> {
        let member = self.members.get(&by).ok_or(Refusal::Stranger)?;
        let index = simulation.bodies.index(by).map_err(|_| Refusal::Stranger)?;
        let ticks = member.commands.wait().max(member.voxels.wait());
        if ticks > 0 {
            return Err(Refusal::Often { ticks });
        }
        let demand = simulation.demand(index, command);
        if member.role < demand.role {
            return Err(Refusal::Role { needs: demand.role });
        }
        if !demand.is_sound {
            return Err(Refusal::Unsound);
        }
        let (voxels, most) = (demand.voxels, self.limits.most_voxels);
        if voxels > most {
            return Err(Refusal::Large { voxels, most });
        }
        let place = simulation.place_of(index);
        let metres = demand.cells.map_or(0.0, |cells| distance(&place, &cells));
        let reach = self.limits.reach;
        if metres > reach {
            return Err(Refusal::Far { metres, reach });
        }
        Ok(())
    }
}

/// Returns the distance from a position to the middle of the nearest cell of a box, metres.
fn distance(from: &Position, cells: &CellBox) -> f32 {
    let nearest: Cell = from.cell.sup(&cells.min).inf(&cells.max);
    let apart = nearest.map(f64::from) - from.cell.map(f64::from);
    let middle = Vector3::repeat(0.5) - from.offset.map(f64::from);
    (apart + middle).norm() as f32
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
