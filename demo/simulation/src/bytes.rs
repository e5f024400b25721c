//! Exact bytes of inputs and commands, for recordings and packets.

use std::sync::Arc;

use nalgebra::Vector3;
use world::{Axis, CellBox, Clipboard, Material, Surface};

use crate::rules::{Characters, FogChoice, FogTile, SightLine};
use crate::{coded_parts, coded_variants};

use super::coding::{Coded, ReadError, Reader};
use super::editing::MOST_COPIED;
use super::input::Input;
use super::player::PlayerId;
use super::{
    Blow, BrushMode, BrushShape, CannonShot, Command, Joins, Mood, PropId, Refusal, RegionWork,
    Role, Stand, Stroke, Switch, Travel,
};

coded_parts! {
    Stroke { center, size, shape, mode, material, joins }
    Stand { position, turn }
    CellBox { min, max }
    CannonShot { direction, speed }
    FogChoice { line, radius, tile }
    Characters {
        radius, half_height, step_height, air_step, slope_degrees, friction, shrink, walk_speed,
        sprint_speed, fly_speed, jump_height, crowd
    }
}

coded_variants!(BrushShape, "shape of a brush" { 0: Sphere, 1: Cube, 2: Cylinder, 3: Voxel, });
coded_variants!(BrushMode, "effect of a brush" {
    0: Carve, 1: Place, 2: Paint, 3: Smooth, 4: Replace, 5: Flood,
});
coded_variants!(Joins, "relation of strokes" { 0: Nothing, 1: Before, });
coded_variants!(Switch, "switch" { 0: Off, 1: On, });
coded_variants!(Surface, "surface" { 0: Firm, 1: Slippery, 2: Sticky, });
coded_variants!(Travel, "way of moving" { 0: Fly, 1: Walk, });
coded_variants!(Mood, "mood" { 0: Wander, 1: Follow, 2: Rush, });
coded_variants!(Blow, "blow" { 0: Swing, 1: Spin, 2: Slam, 3: Punch, });
coded_variants!(Axis, "axis" { 0: X, 1: Y, 2: Z, });
coded_variants!(SightLine, "line of sight" { 0: Directions, 1: Stepping, 2: Exact, });
coded_variants!(FogTile, "tile of the fog" { 0: Metre, 1: HalfMetre, });
coded_variants!(Role, "role" { 0: Look, 1: Walk, 2: Build, 3: Owner, });
coded_variants!(Refusal, "refusal" {
    0: Stranger,
    1: Role { needs },
    2: Unsound,
    3: Far { metres, reach },
    4: Large { voxels, most },
    5: Often { ticks },
    6: NotOffered,
});
coded_variants!(RegionWork, "work on a box" {
    0: Fill(material),
    1: Empty,
    2: Replace(before, after),
    3: Hollow,
    4: Walls(material),
    5: Move(step),
    6: Stack(step),
});
coded_variants!(Command, "command" {
    0: Edit(stroke),
    1: Undo,
    2: Redo,
    3: GoOn,
    4: GoToStroke(count),
    5: Copy { from, to },
    6: TakeInHand(copy),
    7: PlacePiece { voxels, at, joins },
    8: Paste(at),
    9: PlaceModel(at),
    10: TakeModel(model),
    11: EditModel(model, stroke),
    12: PlaceProp { model, stand },
    13: MoveProp { prop, stand },
    14: TakeProp(prop),
    15: Work(cells, work),
    16: TurnCopy(axis),
    17: MirrorCopy(axis),
    18: Travel(travel),
    19: Teleport(to),
    20: Spawn,
    21: SetCrowd(count),
    22: SetMood(mood),
    23: SetPlatforms(switch),
    24: ThrowPickup,
    25: SetFog(switch),
    26: TuneFog(choice),
    27: ScatterTargets(count),
    28: Fire(shot),
    29: Strike(blow),
    30: Tune(tuning),
});

impl Coded for PropId {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        u32::read(from).map(PropId)
    }
}

impl Coded for PlayerId {
    fn write(&self, to: &mut Vec<u8>) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        u16::read(from).map(PlayerId)
    }
}

impl Coded for Input {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.to_bytes());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        Input::from_bytes(from.array()?).map_err(|_| from.invalid("input"))
    }
}

/// Its sides, and runs of equal voxels.
impl Coded for Arc<Clipboard> {
    fn write(&self, to: &mut Vec<u8>) {
        let size = self.size();
        size.write(to);
        let mut run = (Material::AIR, 0_u32);
        for place in 0..size.product() {
            let material = self.get(voxel_of(place, size));
            if run.1 > 0 && run.0 != material {
                run.0.write(to);
                run.1.write(to);
                run.1 = 0;
            }
            run = (material, run.1 + 1);
        }
        if run.1 > 0 {
            run.0.write(to);
            run.1.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let size = Vector3::<u32>::read(from)?;
        let is_large = size.iter().any(|&side| side > MOST_COPIED as u32);
        // A copy without voxels has no sides.
        if is_large || (size.product() == 0 && size != Vector3::zeros()) {
            return Err(from.invalid("copy"));
        }
        let mut voxels: Vec<Material> = Vec::new();
        while voxels.len() < size.product() as usize {
            let (material, count) = (Material::read(from)?, u32::read(from)?);
            let left = size.product() as usize - voxels.len();
            let goes_on = voxels.last() == Some(&material);
            if goes_on || count == 0 || count as usize > left {
                return Err(from.invalid("run of voxels"));
            }
            voxels.resize(voxels.len() + count as usize, material);
        }
        let mut next = voxels.into_iter();
        let copy = Clipboard::from_fn(size, |_| next.next().unwrap_or_default());
        copy.map(Arc::new).map_err(|_| from.invalid("copy"))
    }
}

/// Returns a voxel of a box by its number, x first, then y, then z.
fn voxel_of(place: u32, size: Vector3<u32>) -> Vector3<u32> {
    let row = place / size.x;
    Vector3::new(place % size.x, row % size.y, row / size.y)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::{Cell, Position};
    use world::ObjectId;

    use super::*;
    use crate::random::Random;

    fn bytes_of(value: &impl Coded) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        bytes
    }

    fn commands() -> Vec<Command> {
        let at = Position::new(Cell::new(-7, i32::MAX, 3), Vector3::new(0.25, 0.0, 0.999));
        let stroke = Stroke {
            center: Cell::new(1, -2, 3),
            size: 24,
            shape: BrushShape::Cylinder,
            mode: BrushMode::Flood,
            material: Material::GOLD,
            joins: Joins::Before,
        };
        let materials = [Material::AIR, Material::STONE, Material::GOLD];
        let voxels = Clipboard::from_fn(Vector3::new(5, 3, 4), |at| {
            materials[(at.sum() / 3 % 3) as usize]
        });
        let voxels = Arc::new(voxels.unwrap());
        let stand = Stand {
            position: at,
            turn: 23,
        };
        let cells = CellBox {
            min: Cell::new(-3, -2, -1),
            max: Cell::new(9, 9, 9),
        };
        let model = "a statue of glass \u{1f5ff}".to_owned();
        let direction = Vector3::new(f32::NAN, -0.0, f32::INFINITY);
        vec![
            Command::Edit(stroke),
            Command::Undo,
            Command::Redo,
            Command::GoOn,
            Command::GoToStroke(40),
            Command::Copy {
                from: cells.min,
                to: cells.max,
            },
            Command::TakeInHand(voxels.clone()),
            Command::PlacePiece {
                voxels,
                at: cells.min,
                joins: Joins::Nothing,
            },
            Command::Paste(cells.max),
            Command::PlaceModel(at),
            Command::TakeModel(ObjectId(3)),
            Command::EditModel(ObjectId(4), stroke),
            Command::PlaceProp { model, stand },
            Command::MoveProp {
                prop: PropId(9),
                stand,
            },
            Command::TakeProp(PropId(8)),
            Command::Work(cells, RegionWork::Replace(Material::STONE, Material::ICE)),
            Command::Work(cells, RegionWork::Stack(Cell::y())),
            Command::TurnCopy(Axis::Z),
            Command::MirrorCopy(Axis::X),
            Command::Travel(Travel::Walk),
            Command::Teleport(at),
            Command::Spawn,
            Command::SetCrowd(12),
            Command::SetMood(Mood::Rush),
            Command::SetPlatforms(Switch::On),
            Command::ThrowPickup,
            Command::SetFog(Switch::Off),
            Command::TuneFog(FogChoice::default()),
            Command::ScatterTargets(7),
            Command::Fire(CannonShot {
                direction,
                speed: 30.0,
            }),
            Command::Strike(Blow::Slam),
            Command::Tune(Characters::default()),
        ]
    }

    #[test]
    fn every_command_is_the_same_again_from_its_bytes() {
        let mut tags = std::collections::BTreeSet::new();
        for command in commands() {
            let bytes = bytes_of(&command);
            let mut from = Reader::new(&bytes);
            let again = Command::read(&mut from).unwrap();
            assert_eq!(from.at(), bytes.len(), "{command:?}");
            assert_eq!(bytes_of(&again), bytes, "{command:?}");
            assert_eq!(format!("{again:?}"), format!("{command:?}"));
            tags.insert(bytes[0]);
        }
        assert_eq!(
            tags.into_iter().collect::<Vec<_>>(),
            (0..31).collect::<Vec<_>>()
        );
    }

    #[test]
    fn commands_that_end_early_are_refused_at_every_byte() {
        for command in commands() {
            let bytes = bytes_of(&command);
            for end in 0..bytes.len() {
                let read = Command::read(&mut Reader::new(&bytes[..end]));
                assert!(
                    matches!(read, Err(ReadError::Short(_))),
                    "{command:?}, {end}"
                );
            }
        }
    }

    #[test]
    fn parts_without_a_meaning_are_refused() {
        let refused = |bytes: &[u8]| Command::read(&mut Reader::new(bytes)).unwrap_err();
        let what = |what| move |at| ReadError::Invalid { at, what };
        assert_eq!(refused(&[31]), what("command")(1));
        assert_eq!(refused(&[18, 2]), what("way of moving")(2));
        let nan = f32::NAN.to_le_bytes();
        let teleport = [&[19][..], &[0; 12], &nan, &[0; 8]].concat();
        assert_eq!(refused(&teleport), what("offset in a cell")(25));
        let sides = |side: u32| [[6].to_vec(), [side.to_le_bytes(); 3].concat()].concat();
        assert_eq!(refused(&sides(u32::MAX)), what("copy")(13));
        assert_eq!(refused(&sides(97)), what("copy")(13));
        let bomb = [sides(2), vec![1, 0], u32::MAX.to_le_bytes().to_vec()].concat();
        assert_eq!(refused(&bomb), what("run of voxels")(19));
        assert_eq!(refused(&[12, 2, 0xff, 0xfe]), what("text")(4));
    }

    #[test]
    fn random_bytes_are_read_to_their_end_or_refused() {
        let mut random = Random::new(6);
        let commands: Vec<_> = commands().iter().map(bytes_of).collect();
        let mut read = [0, 0];
        for round in 0..200_000 {
            let mut bytes = commands[round % commands.len()].clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len() as u64) as usize;
                bytes[at] = random.below(256) as u8;
            }
            match Command::read(&mut Reader::new(&bytes)) {
                Ok(command) => {
                    let same = bytes_of(&command);
                    assert_eq!(bytes[..same.len()], same, "{command:?}");
                    read[0] += 1;
                }
                Err(_) => read[1] += 1,
            }
        }
        assert!(read.iter().all(|&count| count > 10_000), "{read:?}");
    }
}
