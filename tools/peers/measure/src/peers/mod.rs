//! The peers that move characters, and how each is made from a ground or from bare triangles.

#[cfg(feature = "avian")]
mod avian;
#[cfg(feature = "box3d")]
mod box3d;
mod boxes;
#[cfg(feature = "jolt")]
mod jolt;
pub mod ours;
mod parry;
#[cfg(feature = "physx")]
mod physx;
mod rapier;

use crate::ground::Ground;
use crate::memory::weigh;
use crate::mesh::Mesh;
use crate::peer::Peer;
use crate::walk::Entrant;
use ours::{Meeting, Ours};

type OnMeshes = fn(&mut dyn Iterator<Item = Mesh>) -> Option<Box<dyn Peer>>;

/// Everybody who walks on triangles.
const ON_MESHES: &[OnMeshes] = &[
    |meshes| Some(Box::new(rapier::Rapier::on_triangles(meshes))),
    |meshes| Some(Box::new(parry::Parry::new(meshes))),
    #[cfg(feature = "physx")]
    |meshes| Some(Box::new(physx::PhysX::new(meshes)?)),
    #[cfg(feature = "box3d")]
    |meshes| Some(Box::new(box3d::Box3d::new(meshes))),
    #[cfg(feature = "jolt")]
    |meshes| Some(Box::new(jolt::Jolt::new(meshes)?)),
    #[cfg(feature = "avian")]
    |meshes| Some(Box::new(avian::Avian::new(meshes))),
];

/// What a machine without a C++ compiler, CMake or patience leaves out.
pub fn left_out() -> Vec<&'static str> {
    let all = [
        ("PhysX", cfg!(feature = "physx")),
        ("Box3D", cfg!(feature = "box3d")),
        ("Jolt", cfg!(feature = "jolt")),
        ("avian", cfg!(feature = "avian")),
    ];
    all.into_iter()
        .filter_map(|(name, is_built)| (!is_built).then_some(name))
        .collect()
}

/// Everybody on a ground, with what that ground holds for them; ours first.
pub fn on_ground(ground: &Ground) -> Vec<Entrant> {
    let mut entrants = vec![
        enter(|| Some(Box::new(Ours::new(ground, Meeting::Nobody)))),
        enter(|| Some(Box::new(Ours::new(ground, Meeting::EachOther)))),
        enter(|| Some(Box::new(boxes::Boxes::new(ground)))),
        enter(|| Some(Box::new(rapier::Rapier::on_voxels(ground)))),
    ];
    for make in ON_MESHES {
        let mut meshes = (0..ground.slot_count()).map(|slot| ground.mesh(slot));
        entrants.push(enter(|| make(&mut meshes)));
    }
    entrants.into_iter().flatten().collect()
}

/// Everybody who walks on triangles, on these.
pub fn on_mesh(mesh: &Mesh) -> Vec<Box<dyn Peer>> {
    let make = |make: &OnMeshes| make(&mut std::iter::once(mesh.clone()));
    ON_MESHES.iter().filter_map(make).collect()
}

fn enter(make: impl FnOnce() -> Option<Box<dyn Peer>>) -> Option<Entrant> {
    let (peer, megabytes) = weigh(make);
    Some(Entrant {
        peer: peer?,
        megabytes,
        last_cost: 0.0,
    })
}
