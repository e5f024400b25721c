//! Questions about the land: its height, and room for a character.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, Ray, World};

/// The most free cells searched upwards for a place to stand.
const MAX_CLIMB: i32 = 256;

/// Returns the lowest free cell above the highest solid one at or below `from`. `None` where
/// nothing is loaded or nothing is solid.
pub(crate) fn ground_below(world: &World, from: Cell, reach: i32) -> Option<Cell> {
    let mut cell = from;
    for _ in 0..reach {
        match world.material(cell) {
            None => return None,
            Some(material) if world.materials().is_solid(material) => {
                cell.y = cell.y.wrapping_add(1);
                return Some(cell);
            }
            Some(_) => cell.y = cell.y.wrapping_sub(1),
        }
    }
    None
}

/// Returns the ground of a column, from above all mountains; a column under water gives
/// `None`.
pub fn dry_ground(world: &World, column: [i32; 2], top: i32, reach: i32) -> Option<Cell> {
    let mut from = Cell::new(column[0], top, column[1]);
    let mut steps = reach;
    while world.material(from).is_none() {
        from.y = from.y.wrapping_sub(1);
        steps -= 1;
        if steps <= 0 {
            return None;
        }
    }
    let feet = ground_below(world, from, steps)?;
    let air = |cell: Cell| world.material(cell) == Some(Material::AIR);
    (air(feet) && air(feet + Vector3::y())).then_some(feet)
}

/// Returns whether a cell is loaded and solid.
pub(crate) fn is_solid(world: &World, cell: Cell) -> bool {
    let material = world.material(cell);
    material.is_some_and(|material| world.materials().is_solid(material))
}

/// Returns the lowest cell at or above `from` with room for a character of this height in metres.
pub(crate) fn room_above(world: &World, from: Cell, height: f32) -> Option<Cell> {
    let wanted = height.ceil() as i32;
    let free = |cell: Cell| {
        world
            .material(cell)
            .is_some_and(|m| !world.materials().is_solid(m))
    };
    let mut cell = from;
    for _ in 0..MAX_CLIMB {
        if (0..wanted).all(|up| free(Cell::new(cell.x, cell.y.wrapping_add(up), cell.z))) {
            return Some(cell);
        }
        cell.y = cell.y.wrapping_add(1);
    }
    None
}

/// Returns the centre of a character that stands in the middle of a cell.
pub fn standing_in(cell: Cell, half_height: f32) -> Position {
    Position::new(cell, Vector3::new(0.5, half_height + 0.02, 0.5))
}

/// Returns the centre of a character that stands at the start of the land, or high above the middle
/// of land without one.
pub fn start_of(world: &World, half_height: f32) -> Position {
    let cell = match world.spawn() {
        Some(spawn) => Cell::from(spawn.cell),
        None => Cell::new(0, 64, 0),
    };
    standing_in(cell, half_height)
}

/// Returns the length of a straight view up to terrain, at most `reach`.
pub fn clear_distance(world: &World, origin: Position, direction: Vector3<f32>, reach: f32) -> f32 {
    world
        .cast_ray(&Ray { origin, direction }, reach)
        .map_or(reach, |pick| (pick.distance as f32).min(reach))
}

/// Raises a position until it is some metres above the land, so that a camera is not inside a hill.
pub fn lift_out(world: &World, mut position: Position) -> Position {
    const ABOVE: i32 = 4;
    for _ in 0..MAX_CLIMB {
        let feet = position.cell - Vector3::y() * ABOVE;
        let free = |cell: Cell| world.material(cell).is_none_or(|m| m == Material::AIR);
        if (0..=ABOVE).all(|up| free(feet + Vector3::y() * up)) {
            break;
        }
        position.cell.y += 1;
    }
    position
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use world::{Author, Brush, Material, Mode};

    use super::is_solid;
    use crate::level_ground::on_level_ground;
    use crate::{Command, PlayerId, Wish};

    #[test]
    fn spawning_lifts_a_stuck_player_out_and_brings_others_to_the_start() {
        let mut simulation = on_level_ground(0);
        let home = simulation.player_position();
        let far = home.moved(Vector3::new(40.0, 0.0, 0.0));
        simulation.apply(PlayerId::FIRST, &Command::Teleport(far));
        let low = simulation.player_position().cell - Vector3::repeat(2);
        let rock = Brush::cells(low, low + Vector3::new(4, 6, 4));
        let world = &mut simulation.world;
        world.edit_as(Author(7), &rock, Mode::Set, Material::STONE);
        assert!(is_solid(
            &simulation.world,
            simulation.player_position().cell
        ));
        simulation.apply(PlayerId::FIRST, &Command::Spawn);
        simulation.tick(&Wish::default().alone());
        let out = simulation.player_position();
        assert!(!is_solid(&simulation.world, out.cell));
        let moved = out.since(&far);
        assert!(moved.xz().norm() < 1.0 && moved.y > 2.0, "{moved}");
        simulation.apply(PlayerId::FIRST, &Command::Spawn);
        assert!(simulation.player_position().since(&home).norm() < 1.0);
    }
}
