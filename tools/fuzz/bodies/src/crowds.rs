//! Crowds under arbitrary intents, edits and changes: a refused call changes nothing, all
//! positions and velocities stay finite, a character in free space does not get into solids, and a
//! crowd that was saved and restored goes on with the same bits.

use collision::{
    Cell, Character, CharacterId, Crowd, Intent, Mode, ObjectId, Position, Radii, Sensor, Settings,
    Shapes, Sides, Together, TriangleSoup,
};
use collision_scenes::depth;
use nalgebra::{Point3, Vector3};
use world::{Brush, CellBox, Material, World};

use crate::Target;
use crate::bytes::{Bytes, is_finite, is_sound};
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "crowds",
    check,
    seeds: || noise(24, 600),
    longest: 1024,
};

/// Most characters, and changes between ticks.
const MOST: usize = 12;
const CHANGES: usize = 40;
/// Voxels across the room.
const WIDE: i32 = 16;
/// Largest depth of a character in voxels after a tick, in metres.
const TOLERATED: f64 = 1.1e-4;

struct Play<'a> {
    bytes: Bytes<'a>,
    world: World,
    platform: Shapes,
    soup: TriangleSoup,
    crowd: Crowd,
    ids: Vec<CharacterId>,
    intents: Vec<(CharacterId, Intent)>,
}

/// Plays a crowd as bytes say.
pub fn check(data: &[u8]) {
    let mut play = Play::new(data);
    for _ in 0..CHANGES {
        if play.bytes.is_empty() {
            break;
        }
        play.change();
        for _ in 0..play.bytes.below(4) {
            play.tick();
        }
    }
}

impl<'a> Play<'a> {
    fn new(data: &'a [u8]) -> Self {
        let mut bytes = Bytes(data);
        let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
        let noise = usize::from(bytes.one_of(&[0_u8, 4, 16]));
        let salt = bytes.byte();
        let world = World::from_voxels(bounds, |cell| {
            let inner = cell.iter().all(|part| (1..WIDE).contains(part));
            let mix = (cell.x * 73 + cell.y * 151 + cell.z * 211) as usize + usize::from(salt);
            match mix * 2_654_435_761 % 256 {
                mix if inner && mix < noise => Material::STONE,
                mix if inner && mix == 255 => Material::WATER,
                mix if inner && mix == 254 => Material::LADDER,
                _ if inner => Material::AIR,
                _ => Material::STONE,
            }
        });
        let corners = [Point3::new(2.0, 2.0, 2.0), Point3::new(5.0, 2.5, 5.0)];
        Self {
            bytes,
            world,
            platform: Shapes::from_boxes(ObjectId(900), Position::default(), &[corners]),
            soup: TriangleSoup::new(ObjectId(901), Position::default()),
            crowd: Crowd::new(),
            ids: vec![CharacterId::NONE],
            intents: Vec::new(),
        }
    }

    fn character(&mut self) -> Character {
        let bytes = &mut self.bytes;
        let place = if bytes.once_in(12) {
            bytes.position()
        } else {
            bytes.place(1.0, 16.0)
        };
        let mut character = Character::at(place);
        if bytes.once_in(3) {
            let radius = |bytes: &mut Bytes<'_>| {
                if bytes.once_in(8) {
                    bytes.number()
                } else {
                    bytes.between(0.05, 1.5)
                }
            };
            character = character.with_radii(radius(bytes), radius(bytes));
            character = character.with_crouched(radius(bytes));
        }
        match bytes.below(12) {
            0 => character.with_mass(bytes.number()),
            1 => character.with_gravity(bytes.numbers()),
            2 => character.with_up(bytes.numbers()),
            3 => character.with_up(
                bytes
                    .within(-1.0, 1.0)
                    .try_normalize(0.1)
                    .unwrap_or_default(),
            ),
            4 => character.with_layers(bytes.short(), bytes.short()),
            5 => character.with_velocity(bytes.numbers()),
            6 => character.with_mode(bytes.one_of(&[Mode::Fly, Mode::NoClip])),
            7 => character.with_settings(settings(bytes)),
            _ => character,
        }
    }

    /// Makes one change of the crowd or of the terrain.
    fn change(&mut self) {
        let id = self.bytes.one_of(&self.ids);
        match self.bytes.below(16) {
            0..4 => {
                let character = self.character();
                if self.crowd.len() < MOST
                    && let Ok(id) = self.crowd.try_add(character)
                {
                    self.ids.push(id);
                }
            }
            4 => {
                self.crowd.remove(id);
            }
            5 => {
                let bytes = &mut self.bytes;
                let hostile = bytes.once_in(4);
                let to = if hostile {
                    bytes.position()
                } else {
                    bytes.place(1.0, 16.0)
                };
                let moved = self.crowd.teleport(id, to);
                assert!(moved.is_err() || is_sound(&to));
            }
            6 => {
                let _refused = self.crowd.launch(id, self.bytes.numbers());
            }
            7 => self.turn(id),
            8 => {
                let gravity = self.bytes.numbers();
                let _refused = self.crowd.set_gravity(id, Some(gravity));
                let _refused = self.crowd.set_mass(id, self.bytes.number());
            }
            9 => {
                let settings = settings(&mut self.bytes);
                assert!(self.crowd.set_settings(id, &settings).is_err() || settings.is_valid());
            }
            10 => {
                let radii = [
                    self.bytes.number(),
                    self.bytes.number(),
                    self.bytes.number(),
                ];
                self.reshape(id, radii);
            }
            11..14 => self.edit(),
            14 => {
                let way = self.bytes.within(-0.3, 0.3);
                self.platform.advance(way);
            }
            _ => self.look(id),
        }
    }

    fn turn(&mut self, id: CharacterId) {
        let up = self.bytes.within(-1.0, 1.0);
        let up = if self.bytes.once_in(4) {
            up
        } else {
            up.try_normalize(0.1).unwrap_or_default()
        };
        let _refused = self.crowd.set_up(id, up);
        let _refused = self.crowd.tilt(id, self.bytes.numbers());
    }

    fn reshape(&mut self, id: CharacterId, radii: [f32; 3]) {
        let parts: [&dyn collision::Terrain; 2] = [&self.world, &self.platform];
        let [across, standing, crouched] = radii.map(|radius| radius.abs().min(4.0));
        let standing = Radii::new(across, standing);
        let _refused = self
            .crowd
            .set_radii(&Together::new(&parts), id, standing, crouched);
    }

    fn edit(&mut self) {
        let bytes = &mut self.bytes;
        match bytes.below(4) {
            0 => {
                let corners = [(); 3].map(|()| Point3::from(bytes.within(0.0, 17.0).cast::<f64>()));
                let _refused = self.soup.insert(corners, Sides::Both);
            }
            1 => {
                let center = bytes.place(0.0, 17.0);
                let (mode, material) = (
                    bytes.one_of(&[world::Mode::Carve, world::Mode::Set]),
                    bytes.one_of(&[Material::STONE, Material::WATER, Material::LADDER]),
                );
                let brush = Brush::sphere(center, bytes.between(0.5, 3.0));
                self.world.edit(&brush, mode, material);
            }
            _ => {
                let cell = Cell::from_fn(|_, _| i32::from(bytes.byte() % 17));
                let material = bytes.one_of(&[Material::AIR, Material::STONE, Material::STONE]);
                self.world.set_voxel(cell, material);
            }
        }
    }

    /// Asks and saves, which changes nothing.
    fn look(&mut self, id: CharacterId) {
        let extent = self.bytes.numbers();
        let sensor = Sensor {
            center: self.bytes.place(0.0, 16.0),
            extent,
        };
        if let Ok(sensor) = self.crowd.add_sensor(sensor)
            && self.bytes.once_in(2)
        {
            self.crowd.remove_sensor(sensor);
        }
        let hash = self.crowd.state_hash();
        let mut others = Vec::new();
        self.crowd.others_near(id, self.bytes.number(), &mut others);
        let watched = self.crowd.watch(id);
        assert_eq!(watched.is_ok(), self.crowd.position(id).is_some());
        if let Some(bytes) = self.crowd.save_character(id) {
            self.crowd
                .restore_character(id, &bytes)
                .expect("our own bytes");
        }
        assert_eq!(self.crowd.state_hash(), hash);
    }

    /// Ticks the crowd and its restored twin.
    fn tick(&mut self) {
        self.intents.clear();
        for _ in 0..self.bytes.below(MOST) {
            let intent = intent(&mut self.bytes);
            self.intents.push((self.bytes.one_of(&self.ids), intent));
        }
        let seconds = match self.bytes.below(16) {
            0 => self.bytes.number(),
            _ => 1.0 / 60.0,
        };
        let free = self.free();
        let mut twin = Crowd::new();
        twin.restore(&self.crowd.save()).expect("our own bytes");
        let parts: [&dyn collision::Terrain; 3] = [&self.world, &self.platform, &self.soup];
        let report = self
            .crowd
            .tick(&Together::new(&parts), &self.intents, seconds);
        twin.tick(&Together::new(&parts), &self.intents, seconds);
        assert_eq!(
            self.crowd.state_hash(),
            twin.state_hash(),
            "a restored crowd differs"
        );
        let valid = seconds > 0.0 && seconds <= 1.0;
        assert_eq!(report.error.is_none(), valid, "{seconds}");
        for id in self.crowd.ids() {
            let state = self.crowd.state(id).expect("it is in the list");
            assert!(is_sound(&state.position), "{state:?}");
            assert!(
                is_finite(&state.velocity) && is_finite(&state.drift),
                "{state:?}"
            );
        }
        self.check_depth(&free);
        self.platform.advance(Vector3::zeros());
    }

    /// Lists the characters that solids stop and that overlap none.
    fn free(&self) -> Vec<CharacterId> {
        let stopped = |id: &CharacterId| self.crowd.mode(*id) != Some(Mode::NoClip);
        let ids = self.crowd.ids().filter(stopped);
        ids.filter(|id| self.depth(*id) <= TOLERATED).collect()
    }

    fn check_depth(&self, free: &[CharacterId]) {
        for &id in free {
            let passes = self.crowd.mode(id) == Some(Mode::NoClip);
            let depth = self.depth(id);
            let held = self.crowd.state(id).is_some_and(|state| state.is_held());
            assert!(
                passes || held || depth <= TOLERATED,
                "{depth} m deep: {:?}",
                self.crowd.state(id)
            );
        }
    }

    /// Returns the depth of a character in voxels.
    fn depth(&self, id: CharacterId) -> f64 {
        let Some(body) = self.crowd.body(id) else {
            return 0.0;
        };
        let measured = depth::Ellipsoid::of(&body);
        let (base, at) = (body.position.cell, body.position.offset.cast::<f64>());
        let low = (at - measured.half()).map(|part| part.floor() as i32);
        let high = (at + measured.half()).map(|part| part.floor() as i32);
        let mut deepest = 0.0;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let step = Cell::new(x, y, z);
                    let material = self.world.material(base.zip_map(&step, i32::wrapping_add));
                    if material.is_none_or(|material| material == Material::STONE) {
                        let corner = step.cast::<f64>() - at;
                        let top = corner.add_scalar(1.0);
                        deepest = measured.depth_in_box(&corner, &top, deepest);
                    }
                }
            }
        }
        deepest
    }
}

fn intent(bytes: &mut Bytes<'_>) -> Intent {
    let velocity = if bytes.once_in(8) {
        bytes.numbers()
    } else {
        bytes.within(-30.0, 30.0)
    };
    Intent {
        velocity,
        jump: if bytes.once_in(4) {
            bytes.number()
        } else {
            0.0
        },
        crouch: bytes.once_in(4),
        mode: bytes.one_of(&[Mode::Walk, Mode::Walk, Mode::Walk, Mode::Fly]),
    }
}

fn settings(bytes: &mut Bytes<'_>) -> Settings {
    let mut settings = Settings {
        gravity: bytes.number(),
        fall_limit: bytes.number(),
        drift_loss: bytes.between(0.0, 1.0),
        sink: bytes.number(),
        ..Settings::default()
    };
    let mover = &mut settings.mover;
    match bytes.below(4) {
        0 => mover.skin = bytes.number(),
        1 => mover.step_height = bytes.number(),
        2 => mover.snap = bytes.between(0.0, 16.0),
        _ => mover.least_rise = bytes.number(),
    }
    settings
}
