//! The peers that move characters, and their construction from a ground or from bare triangles.

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
mod soup;

use crate::ground::Ground;
use crate::memory::weigh;
use crate::mesh::Mesh;
use crate::peer::Peer;
use crate::walk::Entrant;
use ours::{Meeting, Ours};

/// The constructor of a peer that walks on triangles.
pub struct Maker {
    pub name: &'static str,
    make: fn(&mut dyn Iterator<Item = Mesh>) -> Option<Box<dyn Peer>>,
}

const ON_MESHES: &[Maker] = &[
    Maker {
        name: ours::ON_TRIANGLES,
        make: |meshes| Some(Box::new(Ours::on_triangles(meshes)?)),
    },
    Maker {
        name: rapier::ON_TRIANGLES,
        make: |meshes| Some(Box::new(rapier::Rapier::on_triangles(meshes))),
    },
    Maker {
        name: parry::NAME,
        make: |meshes| Some(Box::new(parry::Parry::new(meshes))),
    },
    #[cfg(feature = "physx")]
    Maker {
        name: physx::NAME,
        make: |meshes| Some(Box::new(physx::PhysX::new(meshes)?)),
    },
    #[cfg(feature = "box3d")]
    Maker {
        name: box3d::NAME,
        make: |meshes| Some(Box::new(box3d::Box3d::new(meshes)?)),
    },
    #[cfg(feature = "jolt")]
    Maker {
        name: jolt::NAME,
        make: |meshes| Some(Box::new(jolt::Jolt::new(meshes)?)),
    },
    #[cfg(feature = "avian")]
    Maker {
        name: avian::NAME,
        make: |meshes| Some(Box::new(avian::Avian::new(meshes))),
    },
];

/// Returns the peers left out on this machine, for example for lack of a C++ compiler or CMake.
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

/// Makes all peers on a ground, and measures their memory; ours first.
pub fn on_ground(ground: &Ground) -> Vec<Entrant> {
    let mut entrants = vec![
        enter(|| Box::new(Ours::new(ground, Meeting::None))),
        enter(|| Box::new(Ours::new(ground, Meeting::EachOther))),
        enter(|| Box::new(boxes::Boxes::new(ground))),
        enter(|| Box::new(rapier::Rapier::on_voxels(ground))),
    ];
    for maker in ON_MESHES {
        match enter_on_meshes(maker, ground) {
            Some(entrant) => entrants.push(entrant),
            None => eprintln!("{} is left out, its ground could not be made", maker.name),
        }
    }
    entrants
}

/// Makes all peers that walk on triangles, on this mesh; `None` for one whose world could not be
/// made.
pub fn on_mesh(mesh: &Mesh) -> impl Iterator<Item = (&'static str, Option<Box<dyn Peer>>)> {
    let make = |maker: &Maker| (maker.make)(&mut std::iter::once(mesh.clone()));
    ON_MESHES.iter().map(move |maker| (maker.name, make(maker)))
}

fn enter(make: impl FnOnce() -> Box<dyn Peer>) -> Entrant {
    let (peer, megabytes) = weigh(make);
    Entrant {
        peer,
        megabytes,
        empty_megabytes: None,
        last_cost: 0.0,
    }
}

/// Makes a peer and subtracts the memory of its world without ground. Another empty world is made
/// before, unmeasured, for data that a library makes once and keeps.
fn enter_on_meshes(maker: &Maker, ground: &Ground) -> Option<Entrant> {
    let empty = || (maker.make)(&mut std::iter::empty());
    drop(empty());
    let (_, without) = weigh(empty);
    let mut meshes = (0..ground.slot_count()).map(|slot| ground.mesh(slot));
    let (peer, with) = weigh(|| (maker.make)(&mut meshes));
    Some(Entrant {
        peer: peer?,
        megabytes: with.zip(without).map(|(with, without)| with - without),
        empty_megabytes: without,
        last_cost: 0.0,
    })
}
