//! Work on a box of cells: fill, empty, replace, hollow, walls, move and stack; each is one step of
//! the history.

use collision::Cell;
use world::space::chunk_of;
use world::{Author, Brush, CellBox, ChunkPosition, EditReport, Material, Mode, PasteMode, Writer};

use super::command::RegionWork;
use super::editing::MOST_COPIED;
use super::{Simulation, land};

/// Returns the sides of a box in cells; `None` if one is longer than a copy may be.
fn sides(cells: &CellBox) -> Option<Cell> {
    let apart = |a: i32, b: i32| a.saturating_sub(b).saturating_add(1);
    let sides = cells.max.zip_map(&cells.min, apart);
    sides
        .iter()
        .all(|&side| side <= MOST_COPIED)
        .then_some(sides)
}

fn each(cells: &CellBox, mut visit: impl FnMut(Cell)) {
    for z in cells.min.z..=cells.max.z {
        for y in cells.min.y..=cells.max.y {
            for x in cells.min.x..=cells.max.x {
                visit(Cell::new(x, y, z));
            }
        }
    }
}

fn moved(cells: &CellBox, step: Cell) -> Option<CellBox> {
    let add = |cell: &Cell| {
        let sum = |axis: usize| cell[axis].checked_add(step[axis]);
        Some(Cell::new(sum(0)?, sum(1)?, sum(2)?))
    };
    Some(CellBox::new(add(&cells.min)?, add(&cells.max)?))
}

impl Simulation {
    /// Does some work on a box of cells. Boxes that are too large stay as they are.
    pub(super) fn work(&mut self, player: usize, cells: &CellBox, work: RegionWork) {
        self.finish_strokes_of(player);
        let Some(sides) = sides(cells) else {
            return;
        };
        let brush = Brush::cells(cells.min, cells.max);
        let author = self.author(player);
        let world = &mut self.world;
        let report = match work {
            RegionWork::Fill(material) => world.edit_as(author, &brush, Mode::Set, material),
            RegionWork::Empty => world.edit_as(author, &brush, Mode::Carve, Material::AIR),
            RegionWork::Replace(from, to) => world.edit_as(author, &brush, Mode::Replace(from), to),
            RegionWork::Hollow => self.hollow(author, cells),
            RegionWork::Walls(material) => self.write_in(author, cells, |writer| {
                each(cells, |cell| {
                    let is_side = [0, 2].iter().any(|&axis| {
                        cell[axis] == cells.min[axis] || cell[axis] == cells.max[axis]
                    });
                    if is_side {
                        writer.set(cell, material);
                    }
                });
            }),
            RegionWork::Move(step) => self.move_cells(author, cells, step),
            RegionWork::Stack(step) => {
                let beside = moved(cells, sides.component_mul(&step.map(i32::signum)));
                match (beside, self.world.copy(cells)) {
                    (Some(beside), Ok(copy)) => {
                        self.world.paste(author, &copy, beside.min, PasteMode::All)
                    }
                    _ => return,
                }
            }
        };
        self.note_edit(&report);
        self.lift_buried(&report.chunks);
    }

    /// Writes cells of a box, loaded first, as one step.
    fn write_in(
        &mut self,
        author: Author,
        cells: &CellBox,
        writes: impl FnOnce(&mut Writer<'_>),
    ) -> EditReport {
        match self.world.load(cells) {
            Ok(_) => self.world.transact(author, writes),
            Err(_) => EditReport::default(),
        }
    }

    fn hollow(&mut self, author: Author, cells: &CellBox) -> EditReport {
        if self.world.load(cells).is_err() {
            return EditReport::default();
        }
        let world = &self.world;
        let mut inside = Vec::new();
        each(cells, |cell| {
            let beside = |axis: usize, step: i32| {
                let mut other = cell;
                other[axis] = other[axis].saturating_add(step);
                land::is_solid(world, other)
            };
            let is_enclosed = (0..3).all(|axis| beside(axis, -1) && beside(axis, 1));
            if is_enclosed && land::is_solid(world, cell) {
                inside.push(cell);
            }
        });
        self.write_in(author, cells, |writer| {
            inside
                .iter()
                .for_each(|&cell| writer.set(cell, Material::AIR));
        })
    }

    fn move_cells(&mut self, author: Author, cells: &CellBox, step: Cell) -> EditReport {
        let (Some(place), Ok(copy)) = (moved(cells, step), self.world.copy(cells)) else {
            return EditReport::default();
        };
        let copied = |cell: Cell| {
            let at = cell.zip_map(&place.min, |a, b| a.wrapping_sub(b) as u32);
            copy.get(at)
        };
        self.write_in(author, &cells.union(&place), |writer| {
            each(cells, |cell| writer.set(cell, Material::AIR));
            each(&place, |cell| writer.set(cell, copied(cell)));
        })
    }

    /// Lifts characters inside of new ground in the changed chunks on top of it.
    pub(super) fn lift_buried(&mut self, chunks: &[ChunkPosition]) {
        let (world, bodies) = (&self.world, &mut self.bodies);
        let half_height = self.tuning.half_height;
        bodies.lift(|position| {
            if !chunks.contains(&chunk_of(position.cell)) || !land::is_solid(world, position.cell) {
                return None;
            }
            let room = land::room_above(world, position.cell, half_height * 2.0)?;
            Some(land::standing_in(room, half_height))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Characters;
    use crate::{
        BrushMode, BrushShape, Command, Joins, PlayerId, Stroke, Travel, Wish, standing_in,
    };
    use world::World;

    const LOW: Cell = Cell::new(4, 0, 4);

    fn simulation() -> Simulation {
        let bounds = CellBox::new(Cell::new(-32, -8, -32), Cell::new(63, 63, 31));
        let world = World::from_voxels(bounds, |cell| match cell.y {
            ..0 => Material::STONE,
            _ => Material::AIR,
        });
        let tuning = Characters::default();
        let mut simulation = Simulation::new(
            world,
            standing_in(Cell::zeros(), tuning.half_height),
            &tuning,
        );
        simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
        simulation
    }

    fn count(simulation: &Simulation, material: Material) -> usize {
        let mut count = 0;
        each(
            &CellBox::new(Cell::new(-32, 0, -32), Cell::new(40, 40, 31)),
            |cell| {
                count += usize::from(simulation.world.material(cell) == Some(material));
            },
        );
        count
    }

    #[test]
    fn each_work_on_a_box_does_what_it_says_and_is_one_step() {
        let mut simulation = simulation();
        let cells = CellBox::new(LOW, LOW + Cell::new(4, 3, 5));
        let [gold, brick] = [Material::GOLD, Material::BRICK];
        let mut steps = 0;
        let mut work = |simulation: &mut Simulation, cells: &CellBox, work: RegionWork| {
            simulation.apply(PlayerId::FIRST, &Command::Work(*cells, work));
            steps += 1;
            assert_eq!(simulation.strokes().count(), steps, "{work:?}");
        };
        work(&mut simulation, &cells, RegionWork::Fill(gold));
        assert_eq!(count(&simulation, gold), 5 * 4 * 6);
        work(&mut simulation, &cells, RegionWork::Replace(gold, brick));
        assert_eq!(
            (count(&simulation, gold), count(&simulation, brick)),
            (0, 120)
        );
        // The box stands on stone, so that its lowest layer has solid neighbours below.
        work(&mut simulation, &cells, RegionWork::Hollow);
        assert_eq!(count(&simulation, brick), 120 - 3 * 3 * 4);
        work(
            &mut simulation,
            &cells,
            RegionWork::Move(Cell::new(2, 1, 0)),
        );
        assert_eq!(count(&simulation, brick), 120 - 36);
        assert_eq!(simulation.world.material(LOW), Some(Material::AIR));
        let there = LOW + Cell::new(2, 1, 0);
        assert_eq!(simulation.world.material(there), Some(brick));
        let cells = CellBox::new(there, there + Cell::new(4, 3, 5));
        work(&mut simulation, &cells, RegionWork::Stack(Cell::y()));
        assert_eq!(count(&simulation, brick), 2 * (120 - 36));
        work(&mut simulation, &cells, RegionWork::Empty);
        assert_eq!(count(&simulation, brick), 120 - 36);
        work(&mut simulation, &cells, RegionWork::Walls(gold));
        assert_eq!(count(&simulation, gold), 4 * (5 * 6 - 3 * 4));
        for _ in 0..steps {
            simulation.apply(PlayerId::FIRST, &Command::Undo);
        }
        assert_eq!(
            (count(&simulation, gold), count(&simulation, brick)),
            (0, 0)
        );
    }

    #[test]
    fn boxes_that_are_too_large_or_leave_the_world_change_nothing() {
        let mut simulation = simulation();
        let huge = CellBox::new(Cell::repeat(i32::MIN), Cell::repeat(i32::MAX));
        let edge = CellBox::new(Cell::repeat(i32::MAX - 2), Cell::repeat(i32::MAX));
        for cells in [huge, edge] {
            for work in [
                RegionWork::Fill(Material::GOLD),
                RegionWork::Hollow,
                RegionWork::Walls(Material::GOLD),
                RegionWork::Move(Cell::repeat(i32::MAX)),
                RegionWork::Stack(Cell::x()),
            ] {
                simulation.apply(PlayerId::FIRST, &Command::Work(cells, work));
            }
        }
        assert_eq!(simulation.strokes().count(), 0);
    }

    #[test]
    fn builder_in_the_way_of_a_brush_is_lifted_on_top() {
        for size in [2, 6, 20] {
            let mut simulation = simulation();
            (0..60).for_each(|_| simulation.tick(&Wish::default().alone()));
            simulation.apply(
                PlayerId::FIRST,
                &Command::Edit(Stroke {
                    center: simulation.player_position().cell,
                    size,
                    shape: BrushShape::Sphere,
                    mode: BrushMode::Place,
                    material: Material::GOLD,
                    joins: Joins::Nothing,
                }),
            );
            (0..30).for_each(|_| simulation.tick(&Wish::default().alone()));
            let at = simulation.player_position();
            assert_eq!(simulation.world.material(at.cell), Some(Material::AIR));
            let ground = at.moved(nalgebra::Vector3::y() * -1.1).cell;
            assert_eq!(
                simulation.world.material(ground),
                Some(Material::GOLD),
                "{size}"
            );
        }
    }
}
