//! Solid volumes in reach, for bodies that overlap terrain. Occupancy gives them, since the inside
//! of a solid has no surface.

use super::features::Owned;
use super::tile::{Ground, Tile};
use super::{TERRAIN, Visit, terrain_lattice};
use crate::chunk::{Brick, SIDE};
use collision::SolidBox;
use nalgebra::Vector3;

pub(super) struct Solids<'o>(pub(super) &'o mut Vec<SolidBox>);

impl Visit for Solids<'_> {
    fn window<'a>(
        &mut self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        low: Vector3<i32>,
        high: Vector3<i32>,
        owned: &Owned,
    ) {
        let low = low.sup(&(owned[0] * SIDE as i32));
        let high = high.inf(&((owned[1] * SIDE as i32).add_scalar(SIDE as i32 - 1)));
        if (high - low).min() < 0 {
            return;
        }
        Tile::each(low, high, &ground.brick, |tile| {
            tile.take_solids(|from, to| {
                self.0.push(SolidBox {
                    min: ground.corner(from),
                    max: ground.corner(to),
                    grain: ground.lattice.size,
                    object: ground.lattice.object,
                });
            });
        });
    }

    fn beyond(&mut self, low: Vector3<i32>, high: Vector3<i32>) {
        let corner = |cell: Vector3<i32>| cell.map(|part| part as f32);
        self.0.push(SolidBox {
            min: corner(low),
            max: corner(high.add_scalar(1)),
            grain: terrain_lattice(low).size,
            object: TERRAIN,
        });
    }
}
