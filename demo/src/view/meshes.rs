//! Meshes of the models in view, each made once.

use std::sync::Arc;

use collision::ObjMesh;
use engine::{Color, Mesh, ModelInstance};
use nalgebra::{UnitQuaternion, Vector3};
use simulation::{PropModel, Props, angle_of_turn};

/// The meshes made so far.
#[derive(Default)]
pub(super) struct Meshes {
    props: Vec<(Arc<PropModel>, Arc<Mesh>)>,
}

fn mesh_of(mesh: &ObjMesh) -> Arc<Mesh> {
    let triangles = (0..mesh.triangles.len()).map(|triangle| {
        let corners = mesh.corners(triangle);
        corners.map(|corner| corner.coords.cast::<f32>())
    });
    Arc::new(Mesh::new(triangles))
}

impl Meshes {
    /// Returns the mesh of a model, made at the first call.
    fn of_prop(&mut self, model: &Arc<PropModel>) -> Arc<Mesh> {
        let known = self.props.iter().find(|(it, _)| Arc::ptr_eq(it, model));
        if let Some((_, mesh)) = known {
            return mesh.clone();
        }
        let mesh = mesh_of(model.mesh());
        self.props.push((model.clone(), mesh.clone()));
        mesh
    }

    /// Fills `models` with every prop, after clearing it. Meshes of models without props are
    /// dropped.
    pub(super) fn gather_props(&mut self, props: &Props, models: &mut Vec<ModelInstance>) {
        models.clear();
        for prop in props.list() {
            let angle = angle_of_turn(prop.stand.turn) as f32;
            let [r, g, b] = prop.model.color();
            models.push(ModelInstance {
                mesh: self.of_prop(&prop.model),
                position: prop.stand.position,
                turn: UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle),
                scale: 1.0,
                color: Color([r, g, b, 255]),
            });
        }
        let is_used = |model: &Arc<PropModel>| {
            let mut list = props.list().iter();
            list.any(|prop| Arc::ptr_eq(&prop.model, model))
        };
        self.props.retain(|(model, _)| is_used(model));
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Point3;
    use simulation::TURNS;

    use super::*;

    #[test]
    fn a_prop_is_drawn_as_it_is_turned_in_the_world() {
        for model in simulation::shipped() {
            for turn in 0..TURNS {
                let angle = angle_of_turn(turn) as f32;
                let drawn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle);
                let turned = model.turned(turn).points;
                for (at, felt) in model.mesh().points.iter().zip(turned) {
                    let seen = Point3::from(drawn * at.coords.cast::<f32>());
                    assert!((seen.cast() - felt).norm() < 1e-4, "{seen} {felt}");
                }
            }
        }
    }
}
