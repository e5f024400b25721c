//! Models on the GPU: one buffer with the vertices of all meshes, and one with the instances of
//! each view. Models outside the view and all shadow maps are left out.

use std::ops::Range;

use collision::Position;
use nalgebra::UnitQuaternion;

use super::cascades::CASCADES;
use super::growing::GrowingBuffer;
use super::sights::{Eye, Sights};
use crate::{Gpu, ModelInstance};

/// Largest number of vertices in the buffer; meshes beyond them are not drawn.
const MOST_VERTICES: usize = 4 << 20;

/// A mesh whose vertices are in the buffer.
struct Held {
    number: u64,
    vertices: Range<u32>,
}

/// All instances of one mesh in one view.
struct ModelDraw {
    vertices: Range<u32>,
    instances: Range<u32>,
}

/// The placement of an instance in the world.
type Placed = (u64, Position, UnitQuaternion<f32>, f32);

/// A model that some view shows.
struct Shown {
    mesh: u64,
    row: shaders::Model,
    /// A bit for each view: the eye, then the sun's maps.
    views: u32,
}

/// The models that throw a shadow into one map, now and in the last picture.
#[derive(Default)]
struct Casting {
    placed: Vec<Placed>,
    placed_before: Vec<Placed>,
}

pub(crate) struct Models {
    vertices: GrowingBuffer,
    instances: GrowingBuffer,
    held: Vec<Held>,
    shown: Vec<Shown>,
    rows: Vec<shaders::Model>,
    seen: Vec<ModelDraw>,
    cast: [Vec<ModelDraw>; CASCADES],
    casting: [Casting; CASCADES],
}

impl Models {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let buffer =
            |label, bytes| GrowingBuffer::new(gpu, label, wgpu::BufferUsages::VERTEX, bytes);
        Self {
            vertices: buffer("model corners", 64 << 10),
            instances: buffer("models", 4 << 10),
            held: Vec::new(),
            shown: Vec::new(),
            rows: Vec::new(),
            seen: Vec::new(),
            cast: Default::default(),
            casting: Default::default(),
        }
    }

    /// Takes over the models of a frame that are in view or throw a shadow.
    pub(crate) fn update(&mut self, gpu: &Gpu, sights: &Sights<'_>, models: &[ModelInstance]) {
        self.hold(gpu, models);
        for casting in &mut self.casting {
            std::mem::swap(&mut casting.placed, &mut casting.placed_before);
            casting.placed.clear();
        }
        self.shown.clear();
        let eye = Eye::of(sights);
        for model in models {
            self.look(sights, &eye, model);
        }
        self.rows.clear();
        let views = std::iter::once(&mut self.seen).chain(&mut self.cast);
        for (view, draws) in views.enumerate() {
            list(draws, &mut self.rows, &self.held, &self.shown, 1 << view);
        }
        self.instances.write(gpu, bytemuck::cast_slice(&self.rows));
    }

    /// Notes the views that show a model, if there are any.
    fn look(&mut self, sights: &Sights<'_>, eye: &Eye, model: &ModelInstance) {
        let camera = &sights.camera.position;
        let relative = model.position.relative_to(camera.cell) - camera.offset;
        let radius = model.mesh.reach() * model.scale;
        // A distance of NaN is beyond any reach.
        let near = relative.norm() <= sights.reach + radius;
        if !(near && model.scale > 0.0) {
            return;
        }
        let mesh = model.mesh.number();
        let mut views = u32::from(eye.sees(relative, radius));
        for (number, map) in sights.maps().iter().enumerate() {
            if map.meets_sphere(relative, radius) {
                views |= 2 << number;
                let placed = (mesh, model.position, model.turn, model.scale);
                self.casting[number].placed.push(placed);
            }
        }
        if views != 0 {
            let [x, y, z] = relative.into();
            let row = shaders::Model {
                place: [x, y, z, model.scale],
                turn: model.turn.coords.into(),
                tint: model.color.0,
            };
            self.shown.push(Shown { mesh, row, views });
        }
    }

    /// Returns true if the models that throw a shadow into a map changed or moved since the last
    /// picture.
    pub(crate) fn moved(&self, cascade: usize) -> bool {
        let casting = &self.casting[cascade];
        casting.placed != casting.placed_before
    }

    /// Returns the number of models in view.
    pub(crate) fn count(&self) -> u32 {
        let instances = self.seen.iter().map(|draw| draw.instances.len() as u32);
        instances.sum()
    }

    /// Draws those in view, with the pass's pipeline and groups already set. Returns the number of
    /// draws.
    pub(crate) fn draw_seen(&self, pass: &mut wgpu::RenderPass<'_>) -> u32 {
        self.draw(pass, &self.seen)
    }

    /// Draws those that throw a shadow into a map, with the pass's pipeline and groups already set.
    /// Returns the number of draws.
    pub(crate) fn draw_casting(&self, pass: &mut wgpu::RenderPass<'_>, cascade: usize) -> u32 {
        self.draw(pass, &self.cast[cascade])
    }

    fn draw(&self, pass: &mut wgpu::RenderPass<'_>, draws: &[ModelDraw]) -> u32 {
        let from = |first: u32, size: usize| u64::from(first) * size as u64;
        for draw in draws {
            let vertices = from(draw.vertices.start, size_of::<shaders::ModelVertex>());
            let instances = from(draw.instances.start, size_of::<shaders::Model>());
            pass.set_vertex_buffer(0, self.vertices.buffer().slice(vertices..));
            pass.set_vertex_buffer(1, self.instances.buffer().slice(instances..));
            pass.draw(
                0..draw.vertices.len() as u32,
                0..draw.instances.len() as u32,
            );
        }
        draws.len() as u32
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

/// Lists the draws of one view, one for each mesh, and adds their rows.
fn list(
    draws: &mut Vec<ModelDraw>,
    rows: &mut Vec<shaders::Model>,
    held: &[Held],
    shown: &[Shown],
    view: u32,
) {
    draws.clear();
    for held in held {
        let start = rows.len() as u32;
        let of_mesh = |shown: &&Shown| shown.mesh == held.number && shown.views & view != 0;
        rows.extend(shown.iter().filter(of_mesh).map(|shown| shown.row));
        let instances = start..rows.len() as u32;
        if !instances.is_empty() {
            let vertices = held.vertices.clone();
            draws.push(ModelDraw {
                vertices,
                instances,
            });
        }
    }
}
