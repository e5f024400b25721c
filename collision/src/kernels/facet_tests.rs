//! Faces of triangles: turned over, and pushed out by a radius.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::kernels::segment::{Segment, SegmentRows};
use crate::mover::test_terrain::Dice;
use crate::tolerance::EDGE_RANK;
use nalgebra::{Rotation3, Unit};

#[test]
fn face_turned_over_is_the_face_of_the_corners_in_the_other_order() {
    let mut dice = Dice(11);
    let bits = |face: &Face<f32>| {
        let Face {
            corner,
            normal,
            sides,
            inside,
            ..
        } = *face;
        // Adding zero removes the sign of `-0.0`.
        let inside = inside.map(|inside| inside + 0.0);
        let whole = [corner, normal, inside];
        let parts = whole.into_iter().chain(sides).flatten();
        parts.map(f32::to_bits).collect::<Vec<_>>()
    };
    for round in 0..2000 {
        let scale = [0.01, 1.0, 50.0][round % 3];
        let [a, b, c] = [0; 3].map(|_| dice.vector() * scale + dice.vector());
        let Some(front) = Face::new([a, b, c]) else {
            continue;
        };
        let back = Face::new([a, c, b]).unwrap();
        assert_eq!(bits(&front.turned_over([a, b, c])), bits(&back));
    }
}

#[test]
fn face_of_a_long_sliver_lies_through_its_corners() {
    let mut dice = Dice(7);
    let mut slivers = 0;
    for _ in 0..2000 {
        let axis = Unit::new_normalize(dice.vector());
        let turn = Rotation3::from_axis_angle(&axis, 3.0 * dice.signed());
        let (length, wide) = (20.0 + 10.0 * dice.signed(), 0.05 + 0.045 * dice.signed());
        let corners = [
            Vector3::new(-length, 0.0, 0.0),
            Vector3::new(length, 0.0, 0.0),
            Vector3::new(0.9 * length * dice.signed(), 0.0, wide),
        ];
        let corners = corners.map(|corner| turn * corner + dice.vector());
        let normal = unit_normal(corners[0], corners[1], corners[2]).unwrap();
        assert!((normal.norm() - 1.0).abs() < 1e-6);
        for corner in corners {
            let off = normal.cast::<f64>().dot(&(corner - corners[0]).cast());
            assert!(off.abs() < 2e-5, "{off} m off, {wide} m wide");
        }
        slivers += u32::from(wide < 0.01);
    }
    assert!(slivers > 20);
}

#[test]
fn ball_that_touches_a_face_to_the_last_bit_goes_along_it() {
    let corners = [[-3.0, 0.0, -3.0], [-3.0, 0.0, 5.0], [5.0, 0.0, -3.0]];
    let (mut dice, mut exact) = (Dice(5), 0);
    for _ in 0..2000 {
        let axis = Unit::new_normalize(dice.vector());
        let turn = Rotation3::from_axis_angle(&axis, 3.0 * dice.signed());
        let corners = corners.map(|corner| turn * Vector3::from(corner));
        let face = Face::new(corners).unwrap();
        let mut rows = FaceRows::default();
        (0..WIDE).for_each(|lane| rows.put(lane, &face));
        let normal = face.normal();
        let along = turn * Vector3::new(0.2 * dice.signed(), 0.0, 0.2);
        let sweep = |height: f32, lean: f32| {
            let motion = along - normal * (lean * along.norm());
            let way = Way::new((normal * height).into(), motion.into(), 0.41);
            let one = face.enter(&way, 1.0).time();
            let four = rows.sweep(WIDE, &way, 1.0);
            assert_eq!(one.is_some(), four.hits & 1 != 0);
            one
        };
        let height = face.height(&(normal * 0.41));
        exact += u32::from(height >= 0.41);
        // Rounding alone leans the motion in, on either side of the exact contact.
        assert_eq!(sweep(0.41, 3e-7), None);
        assert_eq!(sweep(0.41 + 1e-7, 3e-7), None);
        // A motion into the face, from contact or from afar, is stopped.
        assert!(sweep(0.41, 1e-4).is_some_and(|time| time < 0.1));
        assert!(sweep(0.42, 0.2).is_some_and(|time| (0.1..0.5).contains(&time)));
    }
    assert!(exact > 200, "{exact}");
}

/// Returns a vector of components that are often zero or equal to others.
fn coarse(dice: &mut Dice) -> Vector3<f32> {
    let fine = dice.bits().is_multiple_of(3);
    let part = |value: f32| {
        if fine {
            value
        } else {
            (value * 4.0).round() / 4.0
        }
    };
    dice.vector().map(|value| part(value * 2.0))
}

#[test]
fn four_at_a_time_equal_one_at_a_time_to_the_bit() {
    let mut dice = Dice(21);
    let (mut faces_hit, mut segments_hit, mut missed, mut deep) = (0, 0, 0, 0);
    for _ in 0..40_000 {
        let (mut faces, mut face_rows) = (Vec::new(), FaceRows::default());
        let (mut segments, mut segment_rows) = (Vec::new(), SegmentRows::default());
        for lane in 0..WIDE {
            let [a, b, c] = [(); 3].map(|()| coarse(&mut dice));
            let up = Vector3::y();
            let face = Face::new([a, b, c]);
            faces.push(face.inspect(|face| face_rows.put(lane, face)));
            let segment = Segment::new([a, b], up, 0.0, [0; 3], ObjectId(1));
            segments.push(segment.inspect(|segment| segment_rows.put(lane, &segment.line)));
        }
        let (start, motion) = (
            coarse(&mut dice),
            coarse(&mut dice) * [1.0, 0.01][dice.bits() as usize % 2],
        );
        let radius = [0.41, 1.0][dice.bits() as usize % 2];
        let way = Way::new(start.into(), motion.into(), radius);
        if motion == Vector3::zeros() {
            continue;
        }
        let limit = [1.0, 0.25, 0.0][dice.bits() as usize % 3];
        let (of_faces, of_segments) = (
            face_rows.sweep(WIDE, &way, limit),
            segment_rows.sweep(WIDE, &way, limit),
        );
        let told = |found: &Found<WIDE>, lane: usize| {
            let hit = found.hits >> lane & 1 != 0;
            hit.then(|| found.times[lane].to_bits())
        };
        let bits = |time: Option<f32>| time.map(f32::to_bits);
        if faces.iter().all(Option::is_some) {
            let one = faces
                .iter()
                .flatten()
                .map(|face| face.depth(&start, radius));
            let deepest = one.fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(
                face_rows.depth(WIDE, &start, radius).to_bits(),
                deepest.to_bits()
            );
            deep += u32::from(deepest.is_finite());
        }
        let depths = segment_rows.depths(WIDE, &start, radius);
        for lane in 0..WIDE {
            if let Some(face) = &faces[lane] {
                let one = bits(face.enter(&way, limit).time());
                assert_eq!(told(&of_faces, lane), one, "{way:?} {face:?}");
                faces_hit += u32::from(one.is_some());
                missed += u32::from(one.is_none());
            }
            if let Some(segment) = &segments[lane] {
                let depth: f32 = segment.line.depth(&start, radius);
                assert_eq!(depths[lane].to_bits(), depth.to_bits(), "{segment:?}");
                let one = bits(
                    segment
                        .line
                        .enter(&way, way.radius - EDGE_RANK, limit)
                        .time(),
                );
                assert_eq!(told(&of_segments, lane), one, "{way:?} {segment:?}");
                segments_hit += u32::from(one.is_some());
                missed += u32::from(one.is_none());
            }
        }
    }
    let enough = deep > 2_000 && faces_hit > 2_000 && segments_hit > 2_000 && missed > 20_000;
    assert!(enough, "{faces_hit} {segments_hit} {missed} {deep}");
}
