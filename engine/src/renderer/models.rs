//! Models on the GPU: one buffer with the vertices of all meshes, and one with the instances.

use std::ops::Range;

use collision::Position;
use nalgebra::UnitQuaternion;

use super::growing::GrowingBuffer;
use crate::{Camera, Gpu, ModelInstance};

/// Largest number of vertices in the buffer; meshes beyond them are not drawn.
const MOST_VERTICES: usize = 4 << 20;

/// A mesh whose vertices are in the buffer.
struct Held {
    number: u64,
    vertices: Range<u32>,
}

/// All instances of one mesh.
pub(crate) struct ModelDraw {
    pub(crate) vertices: Range<u32>,
    pub(crate) instances: Range<u32>,
}

/// The placement of an instance in the world.
type Placed = (u64, Position, UnitQuaternion<f32>, f32);

pub(crate) struct Models {
    vertices: GrowingBuffer,
    instances: GrowingBuffer,
    held: Vec<Held>,
    pub(crate) draws: Vec<ModelDraw>,
    rows: Vec<shaders::Model>,
    placed: Vec<Placed>,
    placed_before: Vec<Placed>,
}

impl Models {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let buffer =
            |label, bytes| GrowingBuffer::new(gpu, label, wgpu::BufferUsages::VERTEX, bytes);
        Self {
            vertices: buffer("model corners", 64 << 10),
            instances: buffer("models", 4 << 10),
            held: Vec::new(),
            draws: Vec::new(),
            rows: Vec::new(),
            placed: Vec::new(),
            placed_before: Vec::new(),
        }
    }

    /// Takes over the models of a frame, except those too far to be seen.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        camera: &Camera,
        view_distance: f32,
        models: &[ModelInstance],
    ) {
        self.hold(gpu, models);
        self.rows.clear();
        self.draws.clear();
        std::mem::swap(&mut self.placed, &mut self.placed_before);
        self.placed.clear();
        for held in &self.held {
            let start = self.rows.len() as u32;
            for model in models {
                let relative =
                    model.position.relative_to(camera.position.cell) - camera.position.offset;
                let reach = view_distance + model.mesh.reach() * model.scale;
                let is_shown = model.mesh.number() == held.number && model.scale > 0.0;
                // A distance of NaN is beyond any reach.
                if is_shown && relative.norm() <= reach {
                    let [x, y, z] = relative.into();
                    self.rows.push(shaders::Model {
                        place: [x, y, z, model.scale],
                        turn: model.turn.coords.into(),
                        tint: model.color.0,
                    });
                    self.placed
                        .push((held.number, model.position, model.turn, model.scale));
                }
            }
            let instances = start..self.rows.len() as u32;
            if !instances.is_empty() {
                let vertices = held.vertices.clone();
                self.draws.push(ModelDraw {
                    vertices,
                    instances,
                });
            }
        }
        self.instances.write(gpu, bytemuck::cast_slice(&self.rows));
    }

    /// Returns true if the models that throw shadows changed or moved since the last picture.
    pub(crate) fn moved(&self) -> bool {
        self.placed != self.placed_before
    }

    /// Draws all of them, with the pass's pipeline and groups already set.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let from = |first: u32, size: usize| u64::from(first) * size as u64;
        for draw in &self.draws {
            let vertices = from(draw.vertices.start, size_of::<shaders::ModelVertex>());
            let instances = from(draw.instances.start, size_of::<shaders::Model>());
            pass.set_vertex_buffer(0, self.vertices.buffer().slice(vertices..));
            pass.set_vertex_buffer(1, self.instances.buffer().slice(instances..));
            pass.draw(
                0..draw.vertices.len() as u32,
                0..draw.instances.len() as u32,
            );
        }
    }

    /// Makes sure that the vertices of all meshes are in the buffer; refills it if one is missing.
    fn hold(&mut self, gpu: &Gpu, models: &[ModelInstance]) {
        let is_held = |held: &[Held], number: u64| held.iter().any(|held| held.number == number);
        let mut numbers = models.iter().map(|model| model.mesh.number());
        if numbers.all(|number| is_held(&self.held, number)) {
            return;
        }
        let mut corners: Vec<shaders::ModelVertex> = Vec::new();
        self.held.clear();
        for model in models {
            let (number, vertices) = (model.mesh.number(), model.mesh.vertices());
            if is_held(&self.held, number) {
                continue;
            }
            let start = corners.len() as u32;
            if corners.len() + vertices.len() <= MOST_VERTICES {
                corners.extend_from_slice(vertices);
            }
            self.held.push(Held {
                number,
                vertices: start..corners.len() as u32,
            });
        }
        self.vertices.write(gpu, bytemuck::cast_slice(&corners));
    }
}
