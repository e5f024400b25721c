//! Edits of a few voxels: each changes at most twelve faces, and only the planes of those that really changed are merged again.

use super::slots::NONE;
use super::{BrickChange, BrickId, World, WriteReport};
use crate::chunk::{Brick, RowChange};
use crate::material::{Material, MaterialTable};
use crate::merge::{FaceNow, FacePlace, touch_face};
use crate::surface::Face;

/// A voxel by its brick.
#[derive(Clone, Copy)]
struct Place {
    brick: BrickId,
    voxel: [usize; 3],
}

impl Place {
    /// The voxel a face looks at.
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

/// What a voxel is to the surfaces.
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

    /// As a voxel of this material is.
    fn made_of(material: Material, materials: &MaterialTable) -> Self {
        let opaque = materials.is_opaque(material);
        Self {
            material,
            solid: materials.is_solid(material),
            opaque,
            clear: materials.is_seen(material) && !opaque,
        }
    }

    /// Its face towards another voxel.
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

impl World {
    /// Makes surfaces and index true again after the changes of a report, which are few.
    pub(super) fn touch_up(&mut self, report: &WriteReport) {
        for &brick in &report.touched {
            self.slots.get_mut(brick).pending = NONE;
            self.slots.touch(brick, self.revision);
        }
        for BrickChange { brick, change } in &report.changes {
            let RowChange { row, mask, old, .. } = *change;
            let (y, z) = (usize::from(row) % 32, usize::from(row) / 32);
            // With one change, what was there before is known.
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

    /// Judges the six faces of a voxel and the six that look at it.
    fn touch_voxel(&mut self, place: Place, before: Option<Seen>) {
        let around = self.slots.get(place.brick).around;
        let here = Seen::of(self.brick(place.brick), place.voxel);
        for face in Face::ALL {
            let beside = place.beside(&around, face);
            let there = Seen::of(self.brick(beside.brick), beside.voxel);
            let (own, other) = (here.face(there), there.face(here));
            if before.is_none_or(|before| before.face(there) != own) {
                self.touch_face(place, face, own);
            }
            if beside.brick > BrickId::OUTSIDE
                && before.is_none_or(|before| there.face(before) != other)
                && self.touch_face(beside, face.opposite(), other)
                && beside.brick != place.brick
            {
                self.slots.touch(beside.brick, self.revision);
                self.index_brick(beside.brick);
            }
        }
    }

    /// Makes one face true in all surfaces. Whether anything changed.
    fn touch_face(&mut self, place: Place, face: Face, now: FaceNow) -> bool {
        let at = FacePlace::of(place.voxel, face);
        let brick = &mut self.slots.get_mut(place.brick).brick;
        touch_face(brick, at, now, &mut self.scratch.merge)
    }
}
