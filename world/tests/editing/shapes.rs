//! Brushes of every shape, and an independent test in `f64` for cells inside them.

use collision::{Cell, Position};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use world::{Axis, Brush};

fn point() -> impl Strategy<Value = Point3<f64>> {
    let part = (-1000..1000i32).prop_map(|part| f64::from(part) / 64.0);
    [part.clone(), part.clone(), part].prop_map(|[x, y, z]| Point3::new(x, y, z))
}

pub(crate) fn brush() -> impl Strategy<Value = Brush> {
    let length = (1..300i32).prop_map(|length| length as f32 / 32.0);
    let at = point().prop_map(Position::from_metres).boxed();
    let axis = prop_oneof![Just(Axis::X), Just(Axis::Y), Just(Axis::Z)];
    prop_oneof![
        (at.clone(), length.clone()).prop_map(|(center, radius)| Brush::Sphere { center, radius }),
        (at.clone(), at.clone()).prop_map(|(a, b)| Brush::cells(a.cell, b.cell)),
        (at.clone(), axis, length.clone(), -12i32..12).prop_map(|(base, axis, radius, height)| {
            Brush::Cylinder {
                base,
                axis,
                radius,
                height: height as f32,
            }
        }),
        (at.clone(), at.clone(), length.clone()).prop_map(|(from, to, radius)| {
            Brush::Line {
                from,
                to,
                radius: radius / 3.0,
            }
        }),
        (at, [-3i32..4, 1..4, -3..4], length.clone(), length).prop_map(
            |(at, normal, radius, depth)| {
                let normal = Vector3::from(normal).cast();
                Brush::plane(at, normal, radius, depth)
            }
        ),
    ]
}

/// Returns true if the centre of a cell is in the shape, and the distance from being undecided.
pub(crate) fn oracle(brush: &Brush, cell: Cell) -> (bool, f64) {
    let middle = cell.map(f64::from) + Vector3::repeat(0.5);
    let metres = |position: &Position| position.to_metres().coords;
    let within = |distance: f64, radius: f32| {
        (
            distance <= f64::from(radius),
            (distance - f64::from(radius)).abs(),
        )
    };
    match brush {
        Brush::Sphere { center, radius } => within((middle - metres(center)).norm(), *radius),
        Brush::Box { from, to } => {
            let inside = (0..3).all(|axis| {
                (from[axis].min(to[axis])..=from[axis].max(to[axis])).contains(&cell[axis])
            });
            (inside, 1.0)
        }
        Brush::Cylinder {
            base,
            axis,
            radius,
            height,
        } => {
            let way = middle - metres(base);
            let along = way[axis.index()];
            let across = (way.norm_squared() - along * along).max(0.0).sqrt();
            let height = f64::from(*height);
            let (inside, slack) = within(across, *radius);
            let between = along >= height.min(0.0) && along <= height.max(0.0);
            (
                inside && between,
                slack.min(along.abs()).min((along - height).abs()),
            )
        }
        Brush::Line { from, to, radius } => {
            let (from, to) = (metres(from), metres(to));
            // The distance along a segment has one minimum: a ternary search finds it.
            let distance = |share: f64| (middle - (from + (to - from) * share)).norm();
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if distance(a) < distance(b) {
                    high = b;
                } else {
                    low = a;
                }
            }
            let nearest = distance((low + high) / 2.0);
            within(nearest, *radius)
        }
        Brush::Plane {
            at,
            normal,
            radius,
            depth,
        } => {
            let way = middle - metres(at);
            let above = way.dot(&normal.map(f64::from)) / normal.map(f64::from).norm();
            let (inside, slack) = within(way.norm(), *radius);
            let depth = f64::from(*depth);
            (
                inside && above <= 0.0 && above >= -depth,
                slack.min(above.abs()).min((above + depth).abs()),
            )
        }
    }
}
