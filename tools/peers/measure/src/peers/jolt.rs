//! Jolt's `CharacterVirtual` through `oxijolt`: one mesh body per chunk, `ExtendedUpdate` with
//! stairs and stick to floor.

use crate::mesh::{Mesh, Purpose};
use crate::peer::{Faller, HALF_SEGMENT, Peer, RADIUS, Rules, Start};
use oxijolt::GroundState;
use oxijolt::prelude::math::{Quat, RVec3, Vec3};
use oxijolt::prelude::*;

/// Jolt's padding, 2 cm by default; the capsule is smaller by as much, as in its samples, so that
/// the total size is the same.
const PADDING: f32 = 0.02;
/// Room for more bodies. Its tree allots nodes by this number and grows by one with every few
/// bodies added singly, until it is optimized; without nodes it aborts the program.
const SPARE_BODIES: u32 = 1024;

pub const NAME: &str = "Jolt, CharacterVirtual";

pub struct Jolt {
    world: PhysicsWorld,
    bodies: Vec<Option<BodyId>>,
    shape: Shape,
    characters: Vec<CharacterId>,
    fallers: Vec<Faller>,
}

impl Jolt {
    pub fn new(meshes: impl Iterator<Item = Mesh>) -> Option<Self> {
        let meshes: Vec<Mesh> = meshes.collect();
        let settings = WorldSettings::default()
            .single_threaded()
            .max_bodies(meshes.len() as u32 + SPARE_BODIES)
            .max_body_pairs(1024)
            .max_contact_constraints(1024)
            .temp_allocator_size(2 << 20);
        let shape = Shape::new_capsule(HALF_SEGMENT, RADIUS - PADDING).ok()?;
        let mut jolt = Self {
            world: PhysicsWorld::new(settings).ok()?,
            bodies: Vec::new(),
            shape,
            characters: Vec::new(),
            fallers: Vec::new(),
        };
        for mesh in &meshes {
            let body = jolt.put(mesh, Purpose::Walks)?;
            jolt.bodies.push(body);
        }
        jolt.world.optimize_broad_phase();
        Some(jolt)
    }

    /// Adds a static body with the mesh: nothing for an empty one, `None` if it could not be made.
    fn put(&mut self, mesh: &Mesh, purpose: Purpose) -> Option<Option<BodyId>> {
        if mesh.is_empty() {
            return Some(None);
        }
        let points: Vec<Vec3> = mesh
            .points
            .iter()
            .map(|&[x, y, z]| Vec3::new(x, y, z))
            .collect();
        let settings = MeshSettings::default().build_quality(match purpose {
            Purpose::Walks => MeshBuildQuality::FavorRuntimePerformance,
            Purpose::Edits => MeshBuildQuality::FavorBuildSpeed,
        });
        let made = Shape::new_mesh_with_settings(&points, &mesh.triangles, &settings);
        let (shape, _dropped) = made.ok()?;
        let body = self.world.create_body(&shape, &BodySettings::new_static());
        body.ok().map(Some)
    }
}

fn update(rules: Rules) -> ExtendedUpdateSettings {
    let step = Vec3::new(0.0, rules.step, 0.0);
    ExtendedUpdateSettings::default()
        .walk_stairs_step_up(step)
        .stick_to_floor_step_down(Vec3::new(0.0, -rules.snap, 0.0))
}

impl Peer for Jolt {
    fn name(&self) -> &'static str {
        NAME
    }

    fn place(&mut self, starts: &[Start]) -> bool {
        for id in self.characters.drain(..) {
            // It was made by this world and not removed before.
            let _gone = self.world.remove_character(id);
        }
        let filter = QueryFilter::new();
        self.fallers = starts.iter().map(Faller::at).collect();
        for Start { center, rules } in starts {
            let [x, y, z] = *center;
            let at = RVec3::new(x, y, z);
            let settings = CharacterSettings::new(&self.shape).max_slope_angle(rules.steepest());
            let Ok(id) = self.world.create_character(&settings, at, Quat::IDENTITY) else {
                return false;
            };
            let _known = self.world.refresh_character_contacts(id, &filter);
            self.characters.push(id);
        }
        true
    }

    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32) {
        let filter = QueryFilter::new();
        let down = Vec3::new(0.0, -crate::peer::GRAVITY, 0.0);
        let all = self.characters.iter().zip(&mut self.fallers);
        for ((&id, faller), &wish) in all.zip(wishes) {
            faller.fall(wish, seconds);
            if faller.grounded && wish == [0.0; 2] && faller.rise <= 0.0 {
                // As in its sample: a character standing still must not creep down a slope.
                faller.rise = 0.0;
            }
            let velocity = Vec3::new(wish[0], faller.rise, wish[1]);
            if let Ok(mut character) = self.world.character_mut(id) {
                let _taken = character.set_linear_velocity(velocity);
            }
            let _moved =
                self.world
                    .update_character(id, seconds, down, &update(faller.rules), &filter);
            if let Ok(character) = self.world.character(id) {
                let at = character.position();
                let stands = character.ground_state() == GroundState::OnGround;
                faller.arrive([at.x, at.y, at.z], stands, seconds);
            }
        }
    }

    fn center(&self, index: usize) -> [f32; 3] {
        self.fallers[index].center
    }

    fn is_grounded(&self, index: usize) -> bool {
        self.fallers[index].grounded
    }

    fn jump(&mut self, index: usize, speed: f32) {
        self.fallers[index].jump(speed);
    }

    fn replace(&mut self, slot: usize, mesh: &Mesh) {
        if let Some(old) = self.bodies[slot].take() {
            let _gone = self.world.remove_body(old);
        }
        self.bodies[slot] = self.put(mesh, Purpose::Edits).flatten();
    }
}
