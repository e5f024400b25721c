//! The target of the pointer, the ghost of the tool's effect, and the path of a shot.

use collision::{Cell, Position};
use engine::{Camera, GhostKind};
use nalgebra::Vector3;
use simulation::{BrushMode, Gun, PropHit, Simulation, Stroke, stroke_cells};
use world::{CellBox, Pick, Ray};

use super::drag::Drag;

/// Reach of the pointer, metres.
pub(super) const REACH: f32 = 160.0;

/// The target of the pointer.
#[derive(Debug)]
pub(crate) struct Aim {
    /// The voxel under the pointer.
    pub(crate) pick: Option<Pick>,
    /// The prop under the pointer, where no voxel is in front of it.
    pub(super) prop: Option<PropHit>,
    /// First corner of the box to copy, while it is selected.
    pub(crate) corner: Option<Cell>,
    /// Direction of the pointer, a unit vector.
    pub(super) direction: Vector3<f32>,
    /// The drag in progress.
    pub(super) drag: Option<Drag>,
    /// Charge of the cannon, while its button is held.
    pub(crate) charge: Option<f32>,
    pub(super) ghost: Vec<Cell>,
    pub(super) ghost_kind: GhostKind,
    /// Cell on which the ghost of a copy stands, and number of the copy.
    pub(super) stamped: Option<(Cell, u64)>,
    /// The box that is selected or would be pasted.
    pub(super) outline: Option<CellBox>,
    pub(super) path: Vec<Position>,
    /// The cannon, while it is in hand.
    pub(super) gun: Option<Gun>,
}

impl Default for Aim {
    fn default() -> Self {
        Aim {
            pick: None,
            prop: None,
            corner: None,
            direction: -Vector3::z(),
            drag: None,
            stamped: None,
            outline: None,
            charge: None,
            ghost: Vec::new(),
            ghost_kind: GhostKind::Carve,
            path: Vec::new(),
            gun: None,
        }
    }
}

impl Aim {
    /// Returns the cell of the land under the pointer; models have voxels of their own.
    pub(super) fn cell(&self) -> Option<Cell> {
        let pick = self.pick.as_ref()?;
        pick.object.is_none().then_some(pick.voxel)
    }

    /// Returns the cells that the tool would change.
    pub(crate) fn ghost(&self) -> &[Cell] {
        &self.ghost
    }

    /// Returns the kind of the change.
    pub(crate) fn ghost_kind(&self) -> GhostKind {
        self.ghost_kind
    }

    /// Returns the path of a shot.
    pub(crate) fn path(&self) -> &[Position] {
        &self.path
    }

    /// Returns the free cell in front of the face under the pointer.
    pub(crate) fn before(&self) -> Option<Cell> {
        let pick = self.pick.as_ref().filter(|pick| pick.object.is_none())?;
        let step = pick.face.map_or(Cell::zeros(), |face| face.step());
        Some(pick.voxel.zip_map(&step, i32::wrapping_add))
    }

    pub(super) fn find(
        &mut self,
        simulation: &Simulation,
        camera: &Camera,
        direction: Vector3<f32>,
    ) {
        self.direction = direction;
        let ray = Ray {
            origin: camera.position,
            direction,
        };
        self.pick = simulation.world.cast_ray(&ray, REACH);
    }

    pub(super) fn show_stroke(&mut self, stroke: Option<Stroke>) {
        self.ghost.clear();
        if let Some(stroke) = stroke {
            stroke_cells(&stroke, &mut self.ghost);
            self.ghost_kind = match stroke.mode {
                BrushMode::Carve => GhostKind::Carve,
                BrushMode::Place => GhostKind::Place,
                _ => GhostKind::Paint,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_voxel_of_a_model_is_no_cell_of_the_land() {
        let on = |object| {
            let pick = Pick {
                object,
                voxel: Cell::new(1, 2, 3),
                face: None,
                distance: 1.0,
                material: world::Material::STONE,
            };
            let aim = Aim {
                pick: Some(pick),
                ..Aim::default()
            };
            aim.cell()
        };
        assert_eq!(on(None), Some(Cell::new(1, 2, 3)));
        assert_eq!(on(Some(world::ObjectId(0))), None);
    }
}
