//! Edits of a few voxels: each changes at most twelve faces, and only the planes of faces that
//! changed are merged again.

use super::slots::NONE;
use super::{BrickChange, BrickId, Space, WriteReport};
use crate::chunk::{Brick, RowChange};
use crate::material::{Material, MaterialTable};
use crate::merge::{FaceChange, FaceNow, FacePlace, OpaqueFaces, touch_faces};
use crate::surface::Face;

/// A voxel within a chunk.
#[derive(Clone, Copy)]
struct Place {
    brick: BrickId,
    voxel: [usize; 3],
}

impl Place {
    /// Returns the voxel in front of a face.
    #[inline]
    fn beside(self, around: &[BrickId; 27], face: Face) -> Self {
        let (axis, positive) = (face.axis(), face.sign() > 0);
        let mut there = self;
        let at = &mut there.voxel[axis];
        let last = if positive { 31 } else { 0 };
        if *at == last {
            *at = 31 - last;
            there.brick = around[[12, 14, 10, 16, 4, 22][face as usize]];
        } else if positive {
            *at += 1;
        } else {
            *at -= 1;
        }
        there
    }
}

/// The properties of a voxel that its faces depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seen {
    material: Material,
    solid: bool,
    opaque: bool,
    clear: bool,
}

impl Seen {
    #[inline]
    fn of(brick: &Brick, [x, y, z]: [usize; 3]) -> Self {
        let bit = |words: &crate::chunk::Bits| (words[z * 32 + y] >> x) & 1 != 0;
        Self {
            material: brick.material(x, y, z),
            solid: bit(brick.occupancy()),
            opaque: bit(brick.opaque_bits()),
            clear: bit(brick.clear_bits()),
        }
    }

    /// Returns the properties of a material's voxels.
    fn made_of(material: Material, materials: &MaterialTable) -> Self {
        let opaque = materials.is_opaque(material);
        Self {
            material,
            solid: materials.is_solid(material),
            opaque,
            clear: materials.is_seen(material) && !opaque,
        }
    }

    /// Returns its face towards another voxel.
    #[inline]
    fn face(self, front: Self) -> FaceNow {
        let clear = self.clear && !front.opaque && self.material != front.material;
        FaceNow {
            solid: (self.solid && !front.solid).then_some(Material::AIR),
            opaque: (self.opaque && !front.opaque).then_some(self.material),
            clear: clear.then_some(self.material),
        }
    }
}

impl Space {
    /// Updates surfaces and index after a report of few changes.
    pub(super) fn touch_up(&mut self, report: &WriteReport) {
        for &brick in &report.touched {
            self.slots.get_mut(brick).pending = NONE;
            self.slots.touch(brick, self.revision);
        }
        for BrickChange { brick, change } in &report.changes {
            let RowChange { row, mask, old, .. } = *change;
            let (y, z) = (usize::from(row) % 32, usize::from(row) / 32);
            // With a single change, the previous state is known.
            let before = (report.voxels == 1).then(|| Seen::made_of(old, &self.materials));
            let mut rest = mask;
            while rest != 0 {
                let voxel = [rest.trailing_zeros() as usize, y, z];
                rest &= rest - 1;
                let brick = *brick;
                self.touch_voxel(Place { brick, voxel }, before);
            }
        }
        for &brick in &report.touched {
            self.index_brick(brick);
        }
    }

    /// Updates the six faces of a voxel and the six that face it.
    fn touch_voxel(&mut self, place: Place, before: Option<Seen>) {
        let around = self.slots.get(place.brick).around;
        let here = Seen::of(self.brick(place.brick), place.voxel);
        let beside = Face::ALL.map(|face| place.beside(&around, face));
        let there = beside.map(|beside| Seen::of(self.brick(beside.brick), beside.voxel));
        let nothing = FaceChange {
            place: FacePlace::of(place.voxel, Face::NegativeX),
            now: here.face(here),
        };
        let (mut changes, mut count) = ([nothing; 12], 0);
        let mut add = |place: Place, face: Face, now: FaceNow| {
            let place = FacePlace::of(place.voxel, face);
            changes[count] = FaceChange { place, now };
            count += 1;
        };
        for face in Face::ALL {
            // Neighbours whose faces look the same way lie behind; for an upward face, one layer
            // below.
            let behind = face.opposite() as usize;
            let (front, neighbour) = (there[face as usize], beside[behind]);
            let own = here.face(front);
            let own_changed = before.is_none_or(|before| before.face(front) != own);
            let other = there[behind].face(here);
            let other_changed = before.is_none_or(|before| there[behind].face(before) != other);
            if own_changed && face.sign() < 0 {
                add(place, face, own);
            }
            if other_changed && neighbour.brick == place.brick {
                add(neighbour, face, other);
            } else if other_changed && neighbour.brick > BrickId::OUTSIDE {
                self.touch_neighbour(neighbour, face, other);
            }
            if own_changed && face.sign() > 0 {
                add(place, face, own);
            }
        }
        let faces = self.opaque_faces(place.brick);
        let brick = &mut self.slots.get_mut(place.brick).brick;
        touch_faces(brick, &changes[..count], faces, &mut self.scratch.merge);
    }

    /// Returns `OfTheirOwn` unless opaque and solid voxels are identical in the chunk and its
    /// neighbours.
    fn opaque_faces(&self, id: BrickId) -> OpaqueFaces {
        let around = self.bricks_around(id);
        let apart = |index: usize| self.brick(around[index]).opaque.is_some();
        if [13, 12, 14, 10, 16, 4, 22].into_iter().any(apart) {
            OpaqueFaces::OfTheirOwn
        } else {
            OpaqueFaces::AsSolid
        }
    }

    /// Updates a face that belongs to another chunk.
    fn touch_neighbour(&mut self, at: Place, face: Face, now: FaceNow) {
        let place = FacePlace::of(at.voxel, face);
        let brick = &mut self.slots.get_mut(at.brick).brick;
        let changes = [FaceChange { place, now }];
        let faces = OpaqueFaces::OfTheirOwn;
        if touch_faces(brick, &changes, faces, &mut self.scratch.merge) {
            self.slots.touch(at.brick, self.revision);
            self.index_brick(at.brick);
        }
    }
}
