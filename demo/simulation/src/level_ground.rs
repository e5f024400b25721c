//! Level ground of stone for tests, with the player on foot.

use collision::Cell;
use world::{CellBox, Material, World};

use super::{Command, PlayerId, Simulation, Travel, standing_in};
use crate::rules::Characters;

/// Returns the player on foot on a level plain, with walkers.
pub(super) fn on_level_ground(walkers: u32) -> Simulation {
    let bounds = CellBox::new(Cell::new(-64, -8, -64), Cell::new(63, 63, 63));
    let world = World::from_voxels(bounds, |cell| match cell.y {
        ..0 => Material::STONE,
        _ => Material::AIR,
    });
    let tuning = Characters::default();
    let home = standing_in(Cell::zeros(), tuning.half_height);
    let mut simulation = Simulation::new(world, home, &tuning);
    simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
    simulation.apply(PlayerId::FIRST, &Command::SetCrowd(walkers));
    simulation
}
