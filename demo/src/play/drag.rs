//! A drag in progress, and the cells along its path.

use collision::{Cell, Position};
use nalgebra::Vector3;
use simulation::BrushMode;
use world::{Ray, World};

use crate::input::Action;

use super::aim::REACH;

/// Seconds between two strokes of a drag that stands still.
pub(super) const PAUSE: f32 = 4.0 / 60.0;
/// The most strokes between two pictures; the rest follows with the next one.
pub(super) const MOST_STROKES: usize = 48;

/// A drag in progress.
#[derive(Clone, Debug)]
pub(super) struct Drag {
    pub(super) button: Action,
    pub(super) mode: BrushMode,
    /// The layer that is built in.
    pub(super) layer: Option<Layer>,
    /// Centre of the last stroke, and direction of the pointer then.
    pub(super) last: Option<Cell>,
    pub(super) direction: Vector3<f32>,
    pub(super) waited: f32,
}

/// One layer of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layer {
    pub(super) axis: usize,
    pub(super) place: i32,
}

impl Layer {
    /// Returns the cell in which a ray meets the middle of the layer.
    pub(super) fn meet(&self, ray: &Ray) -> Option<Cell> {
        let middle = Position::new(Cell::repeat(self.place), Vector3::repeat(0.5));
        let way = middle.relative_to(ray.origin.cell)[self.axis] - ray.origin.offset[self.axis];
        let distance = way / ray.direction[self.axis];
        if !(0.0..=REACH).contains(&distance) {
            return None;
        }
        let mut cell = ray.origin.moved(ray.direction * distance).cell;
        cell[self.axis] = self.place;
        Some(cell)
    }
}

/// Returns the cells of a line without its first, with gaps of at most `apart`.
pub(super) fn line(from: Cell, to: Cell, apart: u32) -> impl Iterator<Item = Cell> {
    let way = to.zip_map(&from, |a, b| a.wrapping_sub(b) as f32);
    let steps = (way.amax() / apart.max(1) as f32).ceil() as i32;
    (1..=steps).map(move |step| {
        let share = step as f32 / steps as f32;
        from.zip_map(&way, |a, b| a.wrapping_add((b * share).round() as i32))
    })
}

/// Returns the cells under a ray that turns from one direction to another, at least `apart` from
/// each other; the last one always.
pub(super) fn swept(
    world: &World,
    from: Vector3<f32>,
    to: &Ray,
    last: Cell,
    apart: u32,
) -> Vec<Cell> {
    let mut places: Vec<Cell> = Vec::new();
    let pick = |direction: Vector3<f32>| {
        let ray = Ray {
            origin: to.origin,
            direction,
        };
        let pick = world.cast_ray(&ray, REACH)?;
        pick.object.is_none().then_some((pick.voxel, pick.distance))
    };
    let Some((end, distance)) = pick(to.direction) else {
        return places;
    };
    let turn = (to.direction - from).norm() * distance as f32;
    let steps = (turn / apart as f32).ceil().clamp(1.0, MOST_STROKES as f32) as u32;
    for step in 1..steps {
        let direction = from.lerp(&to.direction, step as f32 / steps as f32);
        let met = direction.try_normalize(f32::EPSILON).and_then(pick);
        let before = *places.last().unwrap_or(&last);
        places.extend(
            met.map(|(place, _)| place)
                .filter(|place| place.zip_map(&before, i32::wrapping_sub).amax() >= apart as i32),
        );
    }
    places.push(end);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_gaps_and_ends_where_it_should() {
        let from = Cell::new(3, 5, -2);
        for to in [[20, 5, -9], [3, 5, -2], [3, 40, -2], [-7, 2, 30]] {
            let to = Cell::from(to);
            let mut before = from;
            for cell in line(from, to, 1) {
                assert!((cell - before).amax() == 1, "{before} to {cell}");
                before = cell;
            }
            assert_eq!(before, to);
        }
        assert_eq!(line(from, from + Cell::new(10, 0, 0), 4).count(), 3);
    }

    #[test]
    fn a_layer_is_met_in_front_and_within_reach() {
        let layer = Layer { axis: 1, place: 10 };
        let look = |direction: [f32; 3]| Ray {
            origin: Position::new(Cell::new(0, 20, 0), Vector3::repeat(0.5)),
            direction: Vector3::from(direction).normalize(),
        };
        assert_eq!(
            layer.meet(&look([1.0, -1.0, 0.0])),
            Some(Cell::new(10, 10, 0))
        );
        assert_eq!(layer.meet(&look([0.0, 1.0, 0.0])), None, "behind");
        assert_eq!(layer.meet(&look([1.0, 0.0, 0.0])), None, "never");
        assert_eq!(layer.meet(&look([1.0, -0.001, 0.0])), None, "too far");
    }

    #[test]
    fn a_drag_over_an_edge_draws_nothing_in_the_air() {
        let cliff = |cell: Cell| {
            let is_ground = cell.y < 0 || (cell.y < 12 && cell.z > -10);
            if is_ground {
                world::Material::STONE
            } else {
                world::Material::AIR
            }
        };
        let bounds = world::CellBox::new(Cell::new(-8, -8, -100), Cell::new(8, 20, 8));
        let world = World::from_voxels(bounds, cliff);
        let eye = Position::new(Cell::new(0, 15, 4), Vector3::repeat(0.5));
        let down = Vector3::new(0.0, -0.5, -1.0).normalize();
        let far = Ray {
            origin: eye,
            direction: Vector3::new(0.0, -0.2, -1.0).normalize(),
        };
        let places = swept(&world, down, &far, Cell::new(0, 11, -3), 1);
        assert!(places.iter().any(|cell| cell.y == 11), "{places:?}");
        assert!(places.iter().any(|cell| cell.y == -1), "{places:?}");
        assert!(places.iter().all(|cell| [11, -1].contains(&cell.y)));
    }
}
