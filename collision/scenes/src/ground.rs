//! The terrain of a running scene: voxels, boxes and meshes together, edited and moved by the
//! script.
//!
//! This crate knows no voxel world. Other crates lend one through [`VoxelGround`]; [`PlainVoxels`]
//! is the plain replacement, and in any case serves as the model for measuring depths.

use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};

use super::expression::sine;
use super::random::{Random, share_at};
use super::script::{
    Edit, EditKind, Fill, Layer, MeshFaces, MotionKind, Pattern, Repeat, Script, Shape,
};
use collision::candidates::Sides;
use collision::position::{Cell, Position};
use collision::shapes::{Presence, Shapes, Substance};
use collision::soup::{SoupMotion, TriangleId, TriangleSoup};
use collision::terrain::{ObjectId, Terrain, mixed};

/// Objects of scenes are numbered from here, so that a voxel world may number its own from 0.
const FIRST_OBJECT: u32 = 0x4000_0000;

/// A voxel layer as a voxel world needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelLayer {
    /// The lowest corner of voxel (0, 0, 0).
    pub origin: Position,
    /// Edge of a voxel in metres.
    pub size: f64,
    /// Lowest voxel that is ever changed.
    pub min: Cell,
    /// One past the highest voxel that is ever changed.
    pub max: Cell,
    /// The mobility of the layer.
    pub mobility: Mobility,
}

/// The mobility of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mobility {
    /// The layer stays in its place.
    Still,
    /// The layer moves in some ticks.
    Moving,
}

/// A voxel world that scenes can run on.
pub trait VoxelGround: Terrain {
    /// Adds a layer of air, or returns the reason why it cannot; layers are numbered in the order
    /// of their addition.
    fn add_layer(&mut self, layer: &VoxelLayer) -> Result<(), String>;
    /// Changes voxels of a layer.
    fn write(&mut self, layer: usize, voxels: &[(Cell, Substance)]);
    /// Takes a half-open box of voxels out of memory or brings it back with its voxels. Only called
    /// for layers of 1 m.
    fn set_presence(&mut self, layer: usize, min: Cell, max: Cell, presence: Presence);
    /// Starts a tick in which each layer moves by its displacement.
    fn advance(&mut self, displacements: &[Vector3<f32>]);
}

/// Voxels as the plainest terrain there is: every voxel has its own six faces.
#[derive(Default)]
pub struct PlainVoxels {
    layers: Vec<Plain>,
}

struct Plain {
    shapes: Shapes,
    min: Cell,
}

impl PlainVoxels {
    fn shapes(&self) -> impl Iterator<Item = &Shapes> {
        self.layers.iter().map(|layer| &layer.shapes)
    }
}

impl VoxelGround for PlainVoxels {
    fn add_layer(&mut self, layer: &VoxelLayer) -> Result<(), String> {
        let count = (layer.max - layer.min).map(|side| side.max(0) as usize);
        let object = ObjectId(FIRST_OBJECT / 2 + self.layers.len() as u32);
        let mut shapes = Shapes::from_voxels(object, layer.origin, layer.size, count);
        shapes.shift_lattice(layer.min, layer.size);
        self.layers.push(Plain {
            shapes,
            min: layer.min,
        });
        Ok(())
    }

    fn write(&mut self, layer: usize, voxels: &[(Cell, Substance)]) {
        let Plain { shapes, min } = &mut self.layers[layer];
        for (cell, substance) in voxels {
            shapes.fill(cell - *min, cell - *min + Cell::repeat(1), *substance);
        }
    }

    fn set_presence(&mut self, layer: usize, min: Cell, max: Cell, presence: Presence) {
        let plain = &mut self.layers[layer];
        plain
            .shapes
            .set_presence(min - plain.min, max - plain.min, presence);
    }

    fn advance(&mut self, displacements: &[Vector3<f32>]) {
        for (plain, displacement) in self.layers.iter_mut().zip(displacements) {
            plain.shapes.advance(*displacement);
        }
    }
}

impl Terrain for PlainVoxels {
    fn revision(&self) -> u64 {
        self.shapes().map(Shapes::revision).fold(0, mixed)
    }

    fn gather(
        &self,
        reach: &collision::Reach,
        memory: &mut collision::Memory,
        out: &mut collision::Candidates,
    ) {
        self.shapes()
            .for_each(|shapes| shapes.gather(reach, memory, out));
        let cells = collision::Bounds::about(reach.base, reach.min, reach.max);
        memory.note(self.revision(), cells);
    }

    fn seen(&self, memory: &collision::Memory) -> Option<collision::Bounds> {
        Some(memory.noted())
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<collision::SolidBox>,
    ) {
        self.shapes()
            .for_each(|shapes| shapes.gather_solids(base, min, max, out));
    }

    fn contents(&self, at: &Position, memory: &collision::Memory) -> collision::Contents {
        let mut parts = self.shapes().map(|shapes| shapes.contents(at, memory));
        let first = collision::Contents {
            loaded: true,
            ..collision::Contents::default()
        };
        parts
            .find(|contents| contents.solid || contents.liquid || contents.climbable)
            .unwrap_or(first)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.shapes().find_map(|shapes| shapes.carry(object, at))
    }
}

/// One ground of the script and the place of its shape.
enum Part {
    Voxels(usize),
    Boxes(Box<Shapes>),
    Triangles(Box<TriangleSoup>, Sides, Vec<Option<TriangleId>>),
}

/// All terrain of a running scene.
pub(super) struct Stage {
    origin: Cell,
    seconds: f64,
    parts: Vec<Part>,
    model: PlainVoxels,
    lent: Option<Box<dyn VoxelGround>>,
    layer_count: usize,
}

impl Stage {
    /// Builds the terrain of a script, with the voxels also in `lent` where there is a voxel world.
    pub(super) fn new(
        script: &Script,
        origin: Cell,
        lent: Option<Box<dyn VoxelGround>>,
        repeat: Option<Repeat>,
    ) -> Result<Self, String> {
        let mut stage = Self {
            origin,
            seconds: 1.0 / script.rate,
            parts: Vec::new(),
            model: PlainVoxels::default(),
            lent,
            layer_count: 0,
        };
        for (index, ground) in script.grounds.iter().enumerate() {
            let object = ObjectId(FIRST_OBJECT + index as u32);
            let part = match &ground.shape {
                Shape::Voxels(layer) => stage.add_layer(script, index, layer)?,
                Shape::Boxes(boxes) => {
                    let place = Position::new(origin, Vector3::zeros());
                    let shapes = Shapes::try_from_boxes(object, place, boxes)
                        .map_err(|error| error.to_string())?;
                    Part::Boxes(Box::new(cut(shapes, repeat)))
                }
                Shape::Triangles(mesh) => {
                    let sides = if mesh.faces == MeshFaces::OneSided {
                        Sides::Front
                    } else {
                        Sides::Both
                    };
                    let place = Position::new(origin, Vector3::zeros());
                    let soup = TriangleSoup::from_obj(object, place, &mesh.triangles, sides)
                        .map_err(|error| error.to_string())?;
                    let ids = soup.triangle_ids().map(Some).collect();
                    Part::Triangles(Box::new(soup), sides, ids)
                }
            };
            stage.parts.push(part);
        }
        if script.edits.is_empty() {
            stage.cut_model(repeat);
        }
        Ok(stage)
    }

    fn add_layer(&mut self, script: &Script, ground: usize, layer: &Layer) -> Result<Part, String> {
        let [min, max] = layer_bounds(script, ground, layer);
        let moves = script.motions.iter().any(|motion| motion.ground == ground);
        let mobility = if moves {
            Mobility::Moving
        } else {
            Mobility::Still
        };
        let origin = place(self.origin, layer.at);
        let layout = VoxelLayer {
            origin,
            size: layer.size,
            min,
            max,
            mobility,
        };
        let index = self.layer_count;
        self.layer_count += 1;
        self.model.add_layer(&layout)?;
        if let Some(lent) = &mut self.lent {
            lent.add_layer(&layout)?;
        }
        let mut voxels = Vec::new();
        layer
            .fills
            .iter()
            .for_each(|fill| collect(fill, &mut voxels));
        self.write(index, &voxels);
        Ok(Part::Voxels(index))
    }

    fn write(&mut self, layer: usize, voxels: &[(Cell, Substance)]) {
        self.model.write(layer, voxels);
        if let Some(lent) = &mut self.lent {
            lent.write(layer, voxels);
        }
    }

    fn cut_model(&mut self, repeat: Option<Repeat>) {
        for plain in &mut self.model.layers {
            if let Some(Repeat::Cut(_)) = repeat {
                plain.shapes = cut(plain.shapes.clone(), repeat);
            }
        }
    }

    /// Moves and edits the terrain for a tick.
    pub(super) fn begin_tick(&mut self, script: &Script, tick: u32) {
        for edit in script
            .edits
            .iter()
            .filter(|edit| edit.ticks.contains(&tick))
        {
            self.carry_out(edit, tick);
        }
        let mut displacements = vec![Vector3::zeros(); self.layer_count];
        for ground in 0..self.parts.len() {
            let motions = script.motions.iter();
            let here = motions.filter(|it| it.ground == ground && it.ticks.contains(&tick));
            let (mut soup_motion, mut belt) = (SoupMotion::default(), Vector3::zeros());
            for motion in here {
                match motion.kind {
                    MotionKind::Surface(velocity) => belt = velocity.cast(),
                    _ if soup_motion != SoupMotion::default() => {}
                    _ => soup_motion = self.soup_motion(&motion.kind),
                }
            }
            match &mut self.parts[ground] {
                Part::Voxels(layer) => displacements[*layer] = soup_motion.shift.cast(),
                Part::Boxes(shapes) => {
                    shapes.set_surface_velocity(belt);
                    shapes.advance(soup_motion.shift.cast());
                }
                Part::Triangles(soup, ..) => {
                    soup.set_surface_velocity(belt);
                    soup.advance(&soup_motion);
                }
            }
        }
        self.model.advance(&displacements);
        if let Some(lent) = &mut self.lent {
            lent.advance(&displacements);
        }
    }

    fn soup_motion(&self, kind: &MotionKind) -> SoupMotion {
        match kind {
            MotionKind::Along(velocity) => SoupMotion {
                shift: velocity * self.seconds,
                ..SoupMotion::default()
            },
            MotionKind::Surface(_) => SoupMotion::default(),
            MotionKind::About { pivot, spin } => {
                let turn = turn_by(&(spin * self.seconds));
                SoupMotion {
                    turn,
                    pivot: place(self.origin, *pivot),
                    shift: Vector3::zeros(),
                }
            }
        }
    }

    fn carry_out(&mut self, edit: &Edit, tick: u32) {
        match &edit.kind {
            EditKind::Fill(ground, fill) => {
                let mut voxels = Vec::new();
                collect(fill, &mut voxels);
                self.write_ground(*ground, &voxels);
            }
            EditKind::Toggle {
                ground,
                seed,
                count,
                min,
                max,
            } => self.toggle(*ground, *seed ^ u64::from(tick) << 32, *count, [*min, *max]),
            EditKind::Load {
                ground,
                min,
                max,
                presence,
            } => {
                if let Some(Part::Voxels(layer)) = self.parts.get(*ground) {
                    self.model.set_presence(*layer, *min, *max, *presence);
                    if let Some(lent) = &mut self.lent {
                        lent.set_presence(*layer, *min, *max, *presence);
                    }
                }
            }
            EditKind::RemoveTriangle(ground, triangle) => {
                if let Some(Part::Triangles(soup, _, ids)) = self.parts.get_mut(*ground)
                    && let Some(id) = ids.get_mut(*triangle).and_then(Option::take)
                {
                    soup.remove(id);
                }
            }
            EditKind::Teleport(..) | EditKind::Launch(..) => {}
        }
    }

    fn write_ground(&mut self, ground: usize, voxels: &[(Cell, Substance)]) {
        if let Some(Part::Voxels(layer)) = self.parts.get(ground) {
            self.write(*layer, voxels);
        }
    }

    fn toggle(&mut self, ground: usize, seed: u64, count: u32, [min, max]: [Cell; 2]) {
        let Some(Part::Voxels(layer)) = self.parts.get(ground) else {
            return;
        };
        let plain = &self.model.layers[*layer];
        let mut random = Random::new(seed);
        let size = max - min;
        let mut voxels: Vec<(Cell, Substance)> = Vec::new();
        for _ in 0..count {
            let cell =
                min + Cell::from_fn(|axis, _| random.below(size[axis].max(1) as usize) as i32);
            let now = plain.shapes.substance(cell - plain.min);
            let substance = if now == Substance::Solid {
                Substance::Air
            } else {
                Substance::Solid
            };
            voxels.push((cell, substance));
        }
        self.write_ground(ground, &voxels);
    }

    /// Returns the cell that the metres of the script are measured from.
    pub(super) fn origin(&self) -> Cell {
        self.origin
    }

    /// Returns every part of the terrain, the voxel world first.
    pub(super) fn terrains(&self) -> Vec<&dyn Terrain> {
        let voxels: &dyn Terrain = match &self.lent {
            Some(lent) => lent.as_ref(),
            None => &self.model,
        };
        let mut all: Vec<&dyn Terrain> = Vec::new();
        if self.layer_count > 0 {
            all.push(voxels);
        }
        for part in &self.parts {
            match part {
                Part::Voxels(_) => {}
                Part::Boxes(shapes) => all.push(shapes.as_ref()),
                Part::Triangles(soup, ..) => all.push(soup.as_ref()),
            }
        }
        all
    }

    /// Returns the solid boxes of the model, for measuring depths.
    pub(super) fn boxes(&self) -> impl Iterator<Item = &Shapes> {
        self.model.shapes().chain(self.plain_boxes())
    }

    /// Returns the boxes of the script, without voxels.
    pub(super) fn plain_boxes(&self) -> impl Iterator<Item = &Shapes> {
        self.parts.iter().filter_map(|part| {
            if let Part::Boxes(shapes) = part {
                Some(shapes.as_ref())
            } else {
                None
            }
        })
    }

    /// Returns the meshes with the sides of their triangles that block, for measuring depths.
    pub(super) fn soups(&self) -> impl Iterator<Item = (&TriangleSoup, Sides)> {
        self.parts.iter().filter_map(|part| {
            if let Part::Triangles(soup, sides, _) = part {
                Some((soup.as_ref(), *sides))
            } else {
                None
            }
        })
    }
}

/// Returns the place of a point of the script.
pub(super) fn place(origin: Cell, point: Point3<f64>) -> Position {
    let whole = point.coords.map(f64::floor);
    let cell = Cell::from_fn(|axis, _| origin[axis].wrapping_add(whole[axis] as i32));
    Position::new(cell, (point.coords - whole).cast())
}

/// Returns the turn about an axis by its length in radians, with the same bits on every machine.
pub(super) fn turn_by(spin: &Vector3<f64>) -> UnitQuaternion<f64> {
    let angle = spin.norm();
    if angle == 0.0 {
        return UnitQuaternion::identity();
    }
    let half = 0.5 * angle;
    let cosine = sine(half + std::f64::consts::FRAC_PI_2);
    UnitQuaternion::new_normalize(Quaternion::from_parts(cosine, spin * (sine(half) / angle)))
}

fn cut(shapes: Shapes, repeat: Option<Repeat>) -> Shapes {
    let Some(Repeat::Cut(seed)) = repeat else {
        return shapes;
    };
    let mut random = Random::new(seed);
    let mut result = shapes;
    for axis in 0..3 {
        let [low, high] = result.extent(axis);
        let cuts: Vec<f64> = (0..3).map(|_| random.between(low, high)).collect();
        result = result.cut(axis, &cuts);
    }
    result
}

fn collect(fill: &Fill, voxels: &mut Vec<(Cell, Substance)>) {
    for z in fill.min.z..fill.max.z {
        for y in fill.min.y..fill.max.y {
            for x in fill.min.x..fill.max.x {
                let cell = Cell::new(x, y, z);
                let chosen = match fill.pattern {
                    Pattern::All => true,
                    Pattern::Random { seed, density } => share_at(seed, cell) < density,
                };
                if chosen {
                    voxels.push((cell, fill.substance));
                }
            }
        }
    }
}

/// Returns the bounds of all voxels of a layer that the script ever changes.
pub(super) fn layer_bounds(script: &Script, ground: usize, layer: &Layer) -> [Cell; 2] {
    let mut bounds: Option<[Cell; 2]> = None;
    let mut add = |min: &Cell, max: &Cell| {
        let [low, high] = bounds.unwrap_or([*min, *max]);
        bounds = Some([low.inf(min), high.sup(max)]);
    };
    layer
        .fills
        .iter()
        .for_each(|fill| add(&fill.min, &fill.max));
    for edit in &script.edits {
        match &edit.kind {
            EditKind::Fill(of, fill) if *of == ground => add(&fill.min, &fill.max),
            EditKind::Toggle {
                ground: of,
                min,
                max,
                ..
            }
            | EditKind::Load {
                ground: of,
                min,
                max,
                ..
            } if *of == ground => add(min, max),
            _ => {}
        }
    }
    bounds.unwrap_or([Cell::zeros(); 2])
}
