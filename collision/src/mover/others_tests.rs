//! Moves past bodies of any shape and up axis: they stop at the contact, no nearer.
#![allow(clippy::unwrap_used)]

use crate::mover::test_terrain::{Dice, Voxels, gap_by_force};
use crate::mover::{Around, Body, MoverConfig, Neighbour, Radii, Scratch, slide, walk};
use crate::position::{Cell, Position};
use crate::terrain::Memory;
use nalgebra::{Point3, Vector3};

fn body(x: f64, y: f64, z: f64, across: f32, along: f32) -> Body {
    Body {
        position: Position::from_metres(Point3::new(x, y, z)),
        radii: Radii::new(across, along),
        up: Vector3::y(),
    }
}

/// Returns the ellipsoid with its skin.
fn grown(body: &Body, skin: f32) -> Body {
    let radii = Radii::new(body.radii.across + skin, body.radii.along + skin);
    Body { radii, ..*body }
}

#[test]
fn others_of_any_shape_are_met_where_the_two_touch() {
    let nothing = Voxels::metric(|_: Cell| false);
    let config = MoverConfig::default();
    let mut dice = Dice(11);
    let (mut met, mut passed) = (0, 0);
    for case in 0..120 {
        let mut any = |at: Vector3<f32>| {
            let at = at.cast::<f64>();
            let [across, along] = [(); 2].map(|()| 0.2 + 0.8 * dice.share());
            let up = [Vector3::y(), dice.vector().normalize()][case % 2];
            Body {
                up,
                ..body(at.x, at.y, at.z, across, along)
            }
        };
        let mut mover = any(Vector3::new(3.0, 0.3, -0.4));
        let other = Neighbour {
            body: any(Vector3::zeros()),
            id: 7,
        };
        let aim = dice.vector() * 1.6 - mover.position.since(&other.body.position);
        let around = Around {
            others: &[other],
            ..Around::terrain(&nothing, &config)
        };
        let mut scratch = Scratch::default();
        let mut touched = false;
        let apart = |mover: &Body| {
            let other = grown(&other.body, config.skin);
            gap_by_force(&grown(mover, config.skin), &other)
        };
        for tick in 0..200 {
            let memory = &mut Memory::default();
            slide(&around, &mut mover, aim * 0.008, memory, &mut scratch);
            if tick % 20 == 0 {
                let gap = apart(&mover);
                assert!(gap > -2e-5, "case {case}, tick {tick}: {gap} deep");
            }
            if let (false, Some(contact)) = (touched, scratch.contacts.first()) {
                // The rest of the way leads round the other body, and so a little off.
                let gap = apart(&mover);
                assert!(gap < 5e-4, "case {case}: {gap} off");
                assert_eq!(contact.object.0, 7);
                touched = true;
            }
        }
        met += u32::from(touched);
        passed += u32::from(!touched);
    }
    assert!(met > 60 && passed > 5, "{met} {passed}");
}

#[test]
fn pressed_neighbour_is_as_near_as_it_is_wide() {
    let floor = Voxels::metric(|cell: Cell| cell.y < 0);
    let config = MoverConfig::default();
    // A crouching character, a ball, a child and a column.
    for (across, along) in [(0.4, 0.6), (0.5, 0.5), (0.2, 0.4), (0.3, 2.0)] {
        let other = Neighbour {
            body: body(3.0, f64::from(along) + 0.01, 0.0, across, along),
            id: 1,
        };
        let around = Around {
            others: &[other],
            ..Around::terrain(&floor, &config)
        };
        let mut walker = body(0.0, 0.91, 0.0, 0.4, 0.9);
        let (mut ground, mut scratch) = (None, Scratch::default());
        for _ in 0..60 {
            let down = if ground.is_some() { 0.0 } else { -0.05 };
            let way = Vector3::new(0.08, down, 0.0);
            let memory = &mut Memory::default();
            ground = walk(&around, &mut walker, way, ground, memory, &mut scratch).ground;
        }
        let gap = gap_by_force(
            &grown(&walker, config.skin),
            &grown(&other.body, config.skin),
        );
        assert!(gap.abs() < 1e-4, "{across} {along}: {gap} off");
    }
}
