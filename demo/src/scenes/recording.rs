//! A scene played once and kept tick by tick, so that it can be watched forwards and backwards.
//!
//! The voxel world is kept as the changes made to it, meshes and boxes as copies whenever they
//! moved.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use collision::{
    Bounds, Candidates, Cell, Contents, Crossing, Memory, Position, Presence, Reach, SolidBox,
    Substance, Terrain, TriangleSoup,
};
use collision_scenes::script::Script;
use collision_scenes::{Kind, Listed, Player, VoxelGround, VoxelLayer, WorldGround};
use nalgebra::Vector3;
use world::World;

use crate::error::Error;

/// The most bodies that are kept over all ticks; longer scenes are cut there.
const MOST_KEPT: usize = 8_000_000;
/// Distance from the origin up to which boxes are recorded, metres.
const BOX_REACH: f32 = 2000.0;
/// Motion of a tick below which the heading stays, metres.
const HEADING_MOTION: f32 = 1.0e-3;

/// One body at one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) position: Position,
    /// Across and along `up`, metres.
    pub(crate) radii: [f32; 2],
    pub(crate) up: Vector3<f32>,
    pub(crate) heading: f32,
}

/// Meshes and boxes at a tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solids {
    /// Cell from which the scene measures.
    pub(crate) origin: Cell,
    pub(crate) triangles: Vec<[Position; 3]>,
    /// Lowest corner and sides.
    pub(crate) boxes: Vec<(Position, Vector3<f32>)>,
}

/// The state after a tick; the first moment is before all ticks.
#[derive(Debug)]
struct Moment {
    bodies: Vec<Seen>,
    solids: Arc<Solids>,
    /// Changes of the voxels since the moment before.
    works: Vec<Work>,
}

/// A change of the voxels of a scene.
#[derive(Clone, Debug)]
enum Work {
    Layer(VoxelLayer),
    Write(usize, Vec<(Cell, Substance)>),
    Presence(usize, Cell, Cell, Presence),
    Advance(Vec<Vector3<f32>>),
}

/// A scene, played once.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) scene: &'static str,
    pub(crate) about: String,
    /// Names of the scene's variants; one empty name without variants.
    pub(crate) variants: Vec<String>,
    pub(crate) variant: usize,
    /// Ticks a second.
    pub(crate) rate: f32,
    /// Cell from which metres are measured.
    pub(crate) origin: Cell,
    /// Sensor boxes: lowest corner and sides.
    pub(crate) sensors: Vec<(Position, Vector3<f32>)>,
    moments: Vec<Moment>,
}

impl Recording {
    /// Plays a scene; one of single sweeps has only its verdict to show.
    pub(crate) fn play(scene: Listed, variant: usize, tell: &dyn Fn(f32)) -> Result<Self, Error> {
        let mut recording = Recording {
            scene: scene.name,
            about: scene.about(),
            variants: vec![String::new()],
            variant: 0,
            rate: 60.0,
            origin: Cell::zeros(),
            sensors: Vec::new(),
            moments: Vec::new(),
        };
        let Some(loaded) = scene.load() else {
            return Ok(recording);
        };
        let loaded = loaded.map_err(|error| Error::Failed(error.to_string()))?;
        recording.variants = loaded.variants.iter().map(|v| v.label.clone()).collect();
        recording.variant = variant.min(loaded.variants.len().saturating_sub(1));
        if let Some(script) = loaded.variants.get(recording.variant) {
            recording.rate = script.rate as f32;
            recording.origin = script.origin;
            let sensors = script.sensors.iter().map(|[min, max]| {
                let corner = Position::from_local(script.origin, min.coords.cast());
                (corner, (max - min).cast())
            });
            recording.sensors = sensors.collect();
            recording.moments = watch(script, tell).map_err(Error::Failed)?;
        }
        Ok(recording)
    }

    /// Returns the last tick.
    pub(crate) fn ticks(&self) -> usize {
        self.moments.len().saturating_sub(1)
    }

    /// Returns all bodies after a tick.
    pub(crate) fn bodies(&self, tick: usize) -> &[Seen] {
        self.moments.get(tick).map_or(&[], |moment| &moment.bodies)
    }

    /// Returns meshes and boxes after a tick.
    pub(crate) fn solids(&self, tick: usize) -> Option<&Solids> {
        self.moments.get(tick).map(|moment| moment.solids.as_ref())
    }
}

fn watch(script: &Script, tell: &dyn Fn(f32)) -> Result<Vec<Moment>, String> {
    let log = Log::default();
    let maker = || -> Box<dyn VoxelGround> { Box::new(Witness::new(log.clone())) };
    let mut player = Player::new(script, Some(&maker), None)?;
    let mut eye = Eye::default();
    let mut moments = vec![eye.look(&player, &log)];
    let mut kept = moments[0].bodies.len();
    for tick in 0..script.ticks {
        player.tick(tick);
        let moment = eye.look(&player, &log);
        kept += moment.bodies.len();
        moments.push(moment);
        tell((tick + 1) as f32 / script.ticks as f32);
        if kept > MOST_KEPT {
            break;
        }
    }
    Ok(moments)
}

/// The last recorded state, so that only changes are kept.
#[derive(Default)]
struct Eye {
    bodies: Vec<Seen>,
    solids: Arc<Solids>,
    revision: Option<u64>,
}

impl Eye {
    fn look(&mut self, player: &Player<'_>, log: &Log) -> Moment {
        let revisions = player.soups().map(Terrain::revision);
        let revisions = revisions.chain(player.boxes().map(Terrain::revision));
        let revision = revisions.fold(0u64, |mix, next| mix.wrapping_mul(31).wrapping_add(next));
        if self.revision != Some(revision) {
            self.revision = Some(revision);
            self.solids = Arc::new(solids_of(player));
        }
        let crowd = player.crowd();
        let bodies = crowd.bodies().enumerate().map(|(index, (_, body))| {
            let before = self.bodies.get(index);
            let motion = before.map_or(Vector3::zeros(), |b| body.position.since(&b.position));
            let level = motion - body.up * motion.dot(&body.up);
            let heading = if level.xz().norm() > HEADING_MOTION {
                level.x.atan2(-level.z)
            } else {
                before.map_or(0.0, |before| before.heading)
            };
            Seen {
                position: body.position,
                radii: [body.radii.across, body.radii.along],
                up: body.up,
                heading,
            }
        });
        self.bodies = bodies.collect();
        Moment {
            bodies: self.bodies.clone(),
            solids: self.solids.clone(),
            works: log.take(),
        }
    }
}

/// Returns the solids at the beginning of the first variant of a scene, within a box about its
/// origin, metres; none for a scene that has no ways or does not load.
pub(crate) fn ground_of(scene: Listed, low: Vector3<f32>, high: Vector3<f32>) -> Solids {
    let Some(Ok(loaded)) = scene.load() else {
        return Solids::default();
    };
    let Some(script) = loaded.variants.first() else {
        return Solids::default();
    };
    let log = Log::default();
    let maker = || -> Box<dyn VoxelGround> { Box::new(Witness::new(log.clone())) };
    let Ok(player) = Player::new(script, Some(&maker), None) else {
        return Solids::default();
    };
    let mut solids = solids_of(&player);
    let works = log.take();
    // Space without a layer of voxels would count as solid.
    if works.iter().any(|work| matches!(work, Work::Layer(_))) {
        let mut replay = Replay::new();
        works.iter().for_each(|work| replay.carry_out(work));
        let mut found = Vec::new();
        replay
            .ground
            .gather_solids(script.origin, low, high, &mut found);
        solids.boxes.extend(found.iter().map(|solid| {
            let (min, max) = (solid.min.sup(&low), solid.max.inf(&high));
            (Position::from_local(script.origin, min), max - min)
        }));
    }
    solids
}

fn solids_of(player: &Player<'_>) -> Solids {
    let mut found = Vec::new();
    let reach = Vector3::repeat(BOX_REACH);
    for shapes in player.boxes() {
        shapes.gather_solids(player.origin(), -reach, reach, &mut found);
    }
    let base = player.origin();
    let boxes = found.iter().map(|solid| {
        let sides = solid.max - solid.min;
        (Position::from_local(base, solid.min), sides)
    });
    Solids {
        origin: base,
        triangles: player
            .soups()
            .flat_map(TriangleSoup::placed_triangles)
            .collect(),
        boxes: boxes.collect(),
    }
}

/// The voxel world of a recording, brought to any tick.
pub(crate) struct Replay {
    ground: WorldGround,
    /// The moment that is shown, if any.
    shown: Option<usize>,
    /// Number of restarts, each with another world.
    pub(crate) beginnings: u64,
}

impl Replay {
    pub(crate) fn new() -> Self {
        Replay {
            ground: WorldGround::default(),
            shown: None,
            beginnings: 0,
        }
    }

    /// Returns the voxels.
    pub(crate) fn world(&self) -> &World {
        self.ground.world()
    }

    /// Changes the voxels to those after a tick.
    pub(crate) fn show(&mut self, recording: &Recording, tick: usize) {
        if self.shown.is_some_and(|shown| shown > tick) {
            self.ground = WorldGround::default();
            self.shown = None;
            self.beginnings += 1;
        }
        let first = self.shown.map_or(0, |shown| shown + 1);
        let last = tick.min(recording.ticks());
        for moment in recording.moments.iter().take(last + 1).skip(first) {
            for work in &moment.works {
                self.carry_out(work);
            }
        }
        self.shown = Some(last.max(self.shown.unwrap_or(0)));
    }

    fn carry_out(&mut self, work: &Work) {
        match work {
            // A layer that was added while recording can be added again.
            Work::Layer(layer) => drop(self.ground.add_layer(layer)),
            Work::Write(layer, voxels) => self.ground.write(*layer, voxels),
            Work::Presence(layer, min, max, presence) => {
                self.ground.set_presence(*layer, *min, *max, *presence);
            }
            Work::Advance(displacements) => self.ground.advance(displacements),
        }
    }
}

/// The changes of the voxels while a scene runs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<VecDeque<Work>>>);

impl Log {
    fn note(&self, work: Work) {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        works.push_back(work);
    }

    fn take(&self) -> Vec<Work> {
        let mut works = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        works.drain(..).collect()
    }
}

/// A voxel world that records its changes.
struct Witness {
    ground: WorldGround,
    log: Log,
}

impl Witness {
    fn new(log: Log) -> Self {
        Witness {
            ground: WorldGround::default(),
            log,
        }
    }
}

impl VoxelGround for Witness {
    fn add_layer(&mut self, layer: &VoxelLayer) -> Result<(), String> {
        self.ground.add_layer(layer)?;
        self.log.note(Work::Layer(layer.clone()));
        Ok(())
    }

    fn write(&mut self, layer: usize, voxels: &[(Cell, Substance)]) {
        self.ground.write(layer, voxels);
        self.log.note(Work::Write(layer, voxels.to_vec()));
    }

    fn set_presence(&mut self, layer: usize, min: Cell, max: Cell, presence: Presence) {
        self.ground.set_presence(layer, min, max, presence);
        self.log.note(Work::Presence(layer, min, max, presence));
    }

    fn advance(&mut self, displacements: &[Vector3<f32>]) {
        self.ground.advance(displacements);
        if displacements.iter().any(|by| *by != Vector3::zeros()) {
            self.log.note(Work::Advance(displacements.to_vec()));
        }
    }
}

impl Terrain for Witness {
    fn revision(&self) -> u64 {
        Terrain::revision(&self.ground)
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        self.ground.unchanged(memory)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        self.ground.gather(reach, memory, out);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.ground.gather_solids(base, min, max, out);
    }

    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> collision::Passage {
        self.ground.passage(crossing, memory)
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        self.ground.seen(memory)
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.ground.contents(at, memory)
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        self.ground.moves_near(base, min, max)
    }

    fn carry(&self, object: collision::ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.ground.carry(object, at)
    }
}

/// Returns whether a scene has paths to show, not only a verdict.
pub(crate) fn has_ways(scene: Listed) -> bool {
    matches!(scene.kind, Kind::File(_))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision_scenes::catalogue;

    use super::*;

    #[test]
    fn what_is_shown_is_what_the_verdict_was_about() {
        for name in [
            "stairs_10x0.3",
            "turning_platform",
            "block_placed_on_player",
        ] {
            let scene = *catalogue().iter().find(|scene| scene.name == name).unwrap();
            let verdict = scene.run(Some(&WorldGround::lend));
            let recording = Recording::play(scene, 0, &|_| {}).unwrap();
            let way = &verdict.trajectories[0];
            assert_eq!(recording.ticks(), way.points.len(), "{name}");
            let origin = recording.origin;
            for (tick, point) in way.points.iter().enumerate() {
                let body = recording.bodies(tick + 1)[0];
                assert_eq!(body.position.relative_to(origin), *point, "{name} {tick}");
            }
        }
    }

    #[test]
    fn scrubbing_back_gives_the_same_voxels() {
        let name = "block_placed_on_player";
        let scene = *catalogue().iter().find(|scene| scene.name == name).unwrap();
        let recording = Recording::play(scene, 0, &|_| {}).unwrap();
        let solid = |replay: &Replay| {
            let world = replay.world();
            let quads = world
                .brick_ids()
                .map(|id| world.brick(id).collision_surface().quads().len());
            quads.sum::<usize>()
        };
        let (mut replay, mut fresh) = (Replay::new(), Replay::new());
        fresh.show(&recording, 0);
        replay.show(&recording, recording.ticks());
        assert_ne!(solid(&replay), solid(&fresh), "the block shows at the end");
        replay.show(&recording, 0);
        assert_eq!((solid(&replay), replay.beginnings), (solid(&fresh), 1));
    }

    #[test]
    fn sweeps_have_a_verdict_and_no_way() {
        let scene = catalogue()[0];
        let recording = Recording::play(scene, 0, &|_| {}).unwrap();
        assert!(!has_ways(scene));
        assert_eq!((recording.ticks(), recording.bodies(0).len()), (0, 0));
    }
}
