//! The world of a regression scene: layers of still 1 m voxels become terrain, all others free
//! objects.

use collision::{
    Bounds, Candidates, Cell, Contents, Crossing, Memory, Position, Presence, Reach, SolidBox,
    Substance, Terrain,
};
use nalgebra::Vector3;

use world::space::chunk_of;
use world::{Brick, ChunkPosition, Material, ObjectId, Voxels, World};

use super::ground::{Mobility, VoxelGround, VoxelLayer};

/// Cells of loaded air around everything that a scene names.
const MARGIN: i32 = 64;

/// The world of one scene.
#[derive(Default)]
pub struct WorldGround {
    world: World,
    layers: Vec<Layer>,
    away: Vec<(ChunkPosition, Brick)>,
}

/// Storage of a layer.
enum Layer {
    /// In the terrain; the layer's cell zero is this cell.
    Terrain(Cell),
    /// As a free object, whose lowest voxel is this voxel of the layer.
    Object(ObjectId, Cell),
    /// The layer has no voxels.
    Empty,
}

impl WorldGround {
    /// Returns an empty world for a scene.
    #[must_use]
    pub fn lend() -> Box<dyn VoxelGround> {
        Box::new(Self::default())
    }

    /// Returns the world in its present state.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Loads air around a box of cells.
    fn load_around(&mut self, min: Cell, max: Cell) {
        let grow = |cell: Cell, by: i32| cell.map(|part| part.saturating_add(by));
        let (low, high) = (chunk_of(grow(min, -MARGIN)), chunk_of(grow(max, MARGIN)));
        let mut bricks = Vec::new();
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let chunk = ChunkPosition::new(x, y, z);
                    if self.world.brick_at(chunk).is_none() {
                        let air = Voxels::uniform(Material::AIR);
                        bricks.push((chunk, Brick::new(air, self.world.materials())));
                    }
                }
            }
        }
        self.world.insert_bricks(bricks);
    }

    fn add_object(&mut self, layer: &VoxelLayer) -> Result<Layer, String> {
        let low = layer
            .min
            .map(|voxel| (f64::from(voxel) * layer.size) as f32);
        let extent = (layer.max - layer.min).map(|side| side.max(0) as u32);
        let origin = layer.origin.moved(low);
        let id = self
            .world
            .add_object(origin, layer.size as f32, extent, |_| Material::AIR)
            .map_err(|error| error.to_string())?;
        let high = origin.moved(extent.map(|side| side as f32 * layer.size as f32));
        self.load_around(origin.cell, high.cell);
        Ok(Layer::Object(id, layer.min))
    }
}

fn material(substance: Substance) -> Material {
    match substance {
        Substance::Air => Material::AIR,
        Substance::Solid => Material::STONE,
        Substance::Liquid => Material::WATER,
        Substance::Ladder => Material::LADDER,
    }
}

impl VoxelGround for WorldGround {
    fn add_layer(&mut self, layer: &VoxelLayer) -> Result<(), String> {
        let on_cells = layer.size == 1.0 && layer.origin.offset == Vector3::zeros();
        let kept = if layer.min == layer.max {
            Layer::Empty
        } else if on_cells && layer.mobility == Mobility::Still {
            self.load_around(layer.origin.cell + layer.min, layer.origin.cell + layer.max);
            Layer::Terrain(layer.origin.cell)
        } else {
            self.add_object(layer)?
        };
        self.layers.push(kept);
        Ok(())
    }

    fn write(&mut self, layer: usize, voxels: &[(Cell, Substance)]) {
        let layer = &self.layers[layer];
        self.world.write(|writer| {
            for (cell, substance) in voxels {
                match layer {
                    Layer::Terrain(origin) => writer.set(origin + cell, material(*substance)),
                    Layer::Object(id, low) => {
                        writer.set_in_object(*id, cell - low, material(*substance))
                    }
                    Layer::Empty => {}
                }
            }
        });
    }

    fn set_presence(&mut self, layer: usize, min: Cell, max: Cell, presence: Presence) {
        let Layer::Terrain(origin) = self.layers[layer] else {
            return;
        };
        if presence == Presence::Loaded {
            let bricks = std::mem::take(&mut self.away);
            self.world.insert_bricks(bricks);
            return;
        }
        let (low, high) = (chunk_of(origin + min), chunk_of(origin + max));
        for z in low.z..high.z {
            for y in low.y..high.y {
                for x in low.x..high.x {
                    let chunk = ChunkPosition::new(x, y, z);
                    self.away
                        .extend(self.world.remove_brick(chunk).map(|brick| (chunk, brick)));
                }
            }
        }
    }

    fn advance(&mut self, displacements: &[Vector3<f32>]) {
        for (layer, displacement) in self.layers.iter().zip(displacements) {
            if let Layer::Object(id, _) = layer {
                self.world.move_object(*id, *displacement);
            }
        }
    }
}

impl Terrain for WorldGround {
    fn revision(&self) -> u64 {
        Terrain::revision(&self.world)
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        self.world.unchanged(memory)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        self.world.gather(reach, memory, out);
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        self.world.seen(memory)
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.world.gather_solids(base, min, max, out);
    }

    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> collision::Passage {
        self.world.passage(crossing, memory)
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.world.contents(at, memory)
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        self.world.moves_near(base, min, max)
    }

    fn carry(&self, object: collision::ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.world.carry(object, at)
    }
}
