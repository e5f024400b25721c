//! Triangle soups: their gathers, and the edges that stop movers.
#![allow(clippy::unwrap_used)]
use super::*;

fn soup(triangles: &[[[f64; 3]; 3]]) -> TriangleSoup {
    let mut soup = TriangleSoup::new(ObjectId(7), Position::default());
    for corners in triangles {
        soup.insert(corners.map(Point3::from), Sides::Front)
            .unwrap();
    }
    soup
}

fn gathered(soup: &TriangleSoup, min: f32, max: f32) -> Vec<CandidateTriangle> {
    let reach = Reach {
        base: Cell::zeros(),
        start: Vector3::repeat(0.5 * (min + max)),
        motion: Vector3::x(),
        min: Vector3::repeat(min),
        max: Vector3::repeat(max),
        half: Vector3::zeros(),
    };
    let mut out = Candidates::default();
    soup.gather(&reach, &mut Memory::default(), &mut out);
    out.triangles().to_vec()
}

const FLOOR_A: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
const FLOOR_B: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]];
/// Rises from the edge x = 1 of `FLOOR_A`.
const WALL: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]];
/// Falls from that edge.
const CLIFF: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, -1.0, 0.0]];

fn edges_of(soup: &TriangleSoup, piece: usize) -> u16 {
    soup.placed[piece].parts & 0b111
}

/// Returns the open edges and corners of a piece.
fn open_parts_of(soup: &TriangleSoup, piece: usize) -> u16 {
    soup.placed[piece].parts >> 6
}

#[test]
fn edges_and_corners_at_the_border_are_open() {
    let alone = soup(&[FLOOR_A]);
    assert_eq!(open_parts_of(&alone, 0), 0b111_111);
    // The shared edge runs from corner 0 to corner 1 of the first, and all corners of both touch
    // the border.
    let floor = soup(&[FLOOR_A, FLOOR_B]);
    assert_eq!(open_parts_of(&floor, 0), 0b111_110);
    let [a, b, c, d] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut closed = soup(&[[a, c, b], [a, b, d], [a, d, c], [b, c, d]]);
    for piece in 0..4 {
        assert_eq!(closed.placed[piece].parts, 0b111_111);
    }
    let ids: Vec<_> = closed.triangle_ids().collect();
    assert!(closed.remove(ids[3]));
    for (piece, open) in [0b110_010, 0b110_010, 0b110_010].into_iter().enumerate() {
        assert_eq!(open_parts_of(&closed, piece), open, "{piece}");
    }
}

#[test]
fn flat_edges_take_no_part() {
    let soup = soup(&[FLOOR_A, FLOOR_B]);
    assert_eq!(edges_of(&soup, 0), 0b110);
    assert_eq!(edges_of(&soup, 1), 0b011);
}

#[test]
fn concave_edges_take_no_part_and_convex_ones_do() {
    let concave = soup(&[FLOOR_A, WALL]);
    assert_eq!(concave.pieces[1].rest.area_vector().x, -1.0);
    assert_eq!(edges_of(&concave, 0), 0b101);
    let convex = soup(&[FLOOR_A, CLIFF]);
    assert_eq!(convex.pieces[1].rest.area_vector().x, 1.0);
    assert_eq!(edges_of(&convex, 0), 0b111);
}

#[test]
fn removing_a_triangle_frees_the_edges_beside_it() {
    let mut soup = soup(&[FLOOR_A, FLOOR_B]);
    let ids: Vec<_> = soup.triangle_ids().collect();
    assert!(soup.remove(ids[1]));
    assert!(!soup.remove(ids[1]));
    assert_eq!(edges_of(&soup, 0), 0b111);
    assert_eq!(gathered(&soup, 0.0, 1.0).len(), 1);
    let again = soup
        .insert(FLOOR_B.map(Point3::from), Sides::Front)
        .unwrap();
    assert_eq!(again, ids[1]);
    assert_eq!(edges_of(&soup, 0), 0b110);
}

#[test]
fn needles_take_part_with_all_edges_and_cover_none() {
    let line = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.5], [1.0, 0.0, 1.0]];
    let point = [[0.0; 3]; 3];
    let needle = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.5, 1e-9, 0.5]];
    let soup = soup(&[line, point, needle, FLOOR_A, FLOOR_B]);
    assert_eq!(gathered(&soup, -1.0, 2.0).len(), 5);
    assert_eq!(soup.triangle_ids().count(), 5);
    for (piece, edges) in [(0, 0b111), (2, 0b111), (3, 0b110)] {
        assert_eq!(edges_of(&soup, piece), edges, "{piece}");
    }
    let [_, _, wire, floor, _] = [line, point, needle, FLOOR_A, FLOOR_B];
    let soup = self::soup(&[wire, floor]);
    assert_eq!(edges_of(&soup, 1), 0b111);
}

#[test]
fn large_triangles_are_cut_without_new_edges() {
    let (a, b) = (
        FLOOR_A.map(|corner| corner.map(|value| 300.0 * value)),
        FLOOR_B.map(|corner| corner.map(|value| 300.0 * value)),
    );
    let soup = soup(&[a, b]);
    assert!(soup.pieces.len() > 100);
    let on_rim = |corner: &Vector3<f64>| {
        [corner.x, corner.z]
            .iter()
            .any(|value| *value == 0.0 || *value == 300.0)
    };
    for (piece, placed) in soup.pieces.iter().zip(&soup.placed) {
        for edge in 0..3 {
            let ends = [piece.rest.corners[edge], piece.rest.corners[(edge + 1) % 3]];
            let free =
                ends.iter().all(on_rim) && (ends[0].x == ends[1].x || ends[0].z == ends[1].z);
            assert_eq!((placed.parts >> edge) & 1 == 1, free, "{ends:?}");
        }
    }
}

#[test]
fn what_cannot_be_a_triangle_is_refused() {
    let mut soup = TriangleSoup::new(ObjectId(0), Position::default());
    let mut insert = |far: f64| {
        let corners = [
            Point3::origin(),
            Point3::new(far, 0.0, 0.0),
            Point3::new(0.0, 0.0, 1.0),
        ];
        soup.insert(corners, Sides::Both)
    };
    assert_eq!(insert(f64::NAN), Err(SoupError::NotFinite));
    assert_eq!(insert(1e7), Err(SoupError::TooFar));
    assert_eq!(insert(1e5), Err(SoupError::TooLarge));
}

#[test]
fn a_turn_carries_points_about_the_pivot() {
    let mut soup = soup(&[FLOOR_A]);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let pivot = Position::from_metres(Point3::new(1.0, 0.0, 0.0));
    soup.advance(&SoupMotion {
        turn,
        pivot,
        shift: Vector3::new(0.0, 2.0, 0.0),
    });
    let carried = soup.carry(ObjectId(7), &Position::default()).unwrap();
    assert!(
        (carried - Vector3::new(1.0, 2.0, 1.0)).norm() < 1e-6,
        "{carried}"
    );
    let corner = soup.placed[0].corners[0].to_metres();
    assert!(
        (corner - Point3::new(1.0, 2.0, 1.0)).norm() < 1e-6,
        "{corner}"
    );
    assert_eq!(gathered(&soup, 1.9, 2.1).len(), 0);
    assert_eq!(gathered(&soup, 0.9, 2.1).len(), 1);
    assert_eq!(soup.carry(ObjectId(8), &Position::default()), None);
}

#[test]
fn one_triangle_over_and_over_is_a_soup_like_any_other() {
    let text = format!("v 0 0 0\nv 1 0 0\nv 0 0 1\n{}", "f 1 2 3\n".repeat(20_000));
    let mesh = ObjMesh::parse(&text).unwrap();
    let mut soup =
        TriangleSoup::from_obj(ObjectId(1), Position::default(), &mesh, Sides::Both).unwrap();
    let parts = |placed: &Placed| placed.parts;
    let all = soup.placed.iter().map(parts);
    assert!(all.eq([Candidates::ALL_PARTS; 20_000]));
    for id in soup.triangle_ids().skip(1).collect::<Vec<_>>() {
        assert!(soup.remove(id));
    }
    assert_eq!(soup.placed_triangles().count(), 1);
}

#[test]
fn model_that_would_fill_the_memory_is_refused() {
    let mut text = String::new();
    for i in 0..100 {
        text += &format!("v 0 {i} 0\nv 2896 {i} 0\nv 0 {i} 2896\nf -3 -2 -1\n");
    }
    let mesh = ObjMesh::parse(&text).unwrap();
    let soup = TriangleSoup::from_obj(ObjectId(1), Position::default(), &mesh, Sides::Both);
    assert_eq!(soup.err(), Some(SoupError::TooMany));
}

#[test]
fn motion_that_is_no_number_moves_nothing() {
    let mut soup = TriangleSoup::new(ObjectId(1), Position::default());
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]].map(Point3::from);
    soup.insert(corners, Sides::Both).unwrap();
    let before: Vec<_> = soup.placed_triangles().collect();
    soup.advance(&SoupMotion {
        shift: Vector3::repeat(f64::NAN),
        ..SoupMotion::default()
    });
    soup.advance(&SoupMotion::default());
    assert_eq!(soup.placed_triangles().collect::<Vec<_>>(), before);
}

#[test]
fn thin_triangle_is_whole_or_not_there() {
    let soup = soup(&[[[0.0, 0.0, 0.0], [0.0, 0.0, 0.06], [4000.0, 0.0, 0.0]]]);
    let pieces = soup.pieces.iter();
    let area: f64 = pieces
        .map(|piece| 0.5 * piece.rest.area_vector().norm())
        .sum();
    assert!(
        area == 0.0 || (area - 0.5 * 0.06 * 4000.0).abs() < 1e-3,
        "{area}"
    );
}

#[test]
fn replacing_that_is_refused_changes_nothing() {
    let mut soup = soup(&[FLOOR_A, FLOOR_B]);
    let small = soup.triangle_ids().next().unwrap();
    let big = |y: f64| [[0.0, y, 0.0], [0.0, y, 2896.0], [2896.0, y, 0.0]].map(Point3::from);
    let fits = (1..1000).find(|&y| soup.insert(big(f64::from(y)), Sides::Front).is_err());
    assert!(fits.is_some());
    let before = soup.placed_triangles().count();
    let refused = soup.replace(small, big(0.5), Sides::Front);
    assert_eq!(refused, Err(SoupError::TooMany));
    assert_eq!(soup.placed_triangles().count(), before);
    assert!(soup.triangle_ids().any(|id| id == small));
    let moved = FLOOR_B.map(Point3::from);
    assert!(soup.replace(small, moved, Sides::Front).is_ok());
    assert_eq!(soup.placed_triangles().count(), before);
}

#[test]
fn soups_that_moved_otherwise_have_another_revision() {
    let soup = soup(&[FLOOR_A]);
    let moved = |shift: f64| {
        let mut soup = soup.clone();
        soup.advance(&SoupMotion {
            shift: Vector3::new(0.0, shift, 0.0),
            ..SoupMotion::default()
        });
        soup.revision()
    };
    assert_ne!(moved(1.0), moved(-1.0));
}

/// After any edits, the lists of edges equal those of a soup made anew of the remaining triangles.
#[test]
fn edges_after_random_edits_are_those_of_a_soup_made_anew() {
    let mut random = collision_scenes::Random::new(11);
    let mut edited = TriangleSoup::new(ObjectId(7), Position::default());
    let mut kept: Vec<(TriangleId, [Point3<f64>; 3])> = Vec::new();
    for round in 0..400 {
        if random.below(3) == 0 && !kept.is_empty() {
            let (id, _) = kept.swap_remove(random.below(kept.len()));
            assert!(edited.remove(id));
        } else {
            // Few places, so that many triangles share edges, and some are double or without area.
            let corners = [0; 3].map(|_| {
                let mut part = || random.below(3) as f64;
                Point3::from(Vector3::from_fn(|_, _| part()))
            });
            kept.push((edited.insert(corners, Sides::Front).unwrap(), corners));
        }
        if round % 20 != 19 {
            continue;
        }
        let mut anew = TriangleSoup::new(ObjectId(7), Position::default());
        for (_, corners) in &kept {
            anew.insert(*corners, Sides::Front).unwrap();
        }
        let parts = |soup: &TriangleSoup| {
            let mut all: Vec<String> = soup.live().map(|placed| format!("{placed:?}")).collect();
            all.sort();
            all
        };
        assert_eq!(parts(&edited), parts(&anew), "after {round}");
    }
}

#[test]
fn triangles_of_ever_larger_steps_are_found_while_they_are_removed() {
    let far = |step: u32| 1e-12 * 1.02_f64.powi(step as i32);
    for at_random in [false, true] {
        let mut random = collision_scenes::Random::new(1);
        let mut soup = TriangleSoup::new(ObjectId(7), Position::default());
        let insert = |step: u32| {
            let (near, wide) = (far(step), (0.02 * far(step)).min(20.0));
            let corners = [[near, 0.0, 0.0], [near + wide, 0.0, 0.0], [near, 0.0, wide]];
            soup.insert(corners.map(Point3::from), Sides::Both).unwrap()
        };
        let mut ids: Vec<TriangleId> = (0..2087).map(insert).collect();
        ids.reverse();
        while !ids.is_empty() {
            let last = ids.len() - 1;
            let next = if at_random {
                random.below(last + 1)
            } else {
                last
            };
            assert!(soup.remove(ids.swap_remove(next)));
            if ids.len().is_multiple_of(16) {
                assert_eq!(gathered(&soup, -1.0, 1e6).len(), ids.len());
            }
        }
    }
}

fn turn(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle)
}

#[test]
fn soup_that_turns_and_shifts_by_nothing_is_at_rest_whatever_its_pivot() {
    let mut soup = soup(&[FLOOR_A]);
    let before = soup.revision();
    let idle = SoupMotion {
        pivot: Position::from_metres(Point3::new(3.0, 0.0, -2.0)),
        ..SoupMotion::default()
    };
    soup.advance(&idle);
    assert_eq!(soup.revision(), before);
    assert!(!soup.moves_near(Cell::zeros(), Vector3::zeros(), Vector3::repeat(1.0)));
    soup.advance(&SoupMotion {
        turn: turn(0.1),
        ..idle
    });
    assert!(soup.moves_near(Cell::zeros(), Vector3::zeros(), Vector3::repeat(1.0)));
    soup.advance(&idle);
    let stopped = soup.revision();
    assert!(!soup.moves_near(Cell::zeros(), Vector3::zeros(), Vector3::repeat(1.0)));
    soup.advance(&idle);
    assert_eq!(soup.revision(), stopped);
}

#[test]
fn motion_that_would_lose_the_soup_moves_nothing() {
    use nalgebra::Quaternion;
    let no_turn = |part: f64| SoupMotion {
        turn: UnitQuaternion::new_unchecked(Quaternion::new(part, 0.0, part, 0.0)),
        ..SoupMotion::default()
    };
    let shift = |far: f64| SoupMotion {
        shift: Vector3::new(0.0, far, 0.0),
        ..SoupMotion::default()
    };
    let far_pivot = SoupMotion {
        turn: turn(1.0),
        pivot: Position {
            cell: Cell::zeros(),
            offset: Vector3::repeat(3e38),
        },
        ..SoupMotion::default()
    };
    let motions = [
        no_turn(0.0),
        no_turn(1e-3),
        no_turn(2.0),
        no_turn(1e200),
        no_turn(f64::NAN),
        shift(1e308),
        shift(-1e308),
        shift(f64::INFINITY),
        shift(1e10),
        far_pivot,
    ];
    for motion in motions {
        let mut soup = soup(&[FLOOR_A]);
        let before: Vec<_> = soup.placed_triangles().collect();
        let revision = soup.revision();
        soup.advance(&motion);
        soup.advance(&motion);
        assert_eq!(
            soup.carry(ObjectId(7), &Position::default()),
            Some(Vector3::zeros())
        );
        assert!(soup.placed_triangles().eq(before), "{motion:?}");
        assert_eq!(soup.revision(), revision, "{motion:?}");
        soup.advance(&shift(1.0));
        let up = Vector3::new(0.0, 1.0, 0.0);
        assert_eq!(soup.carry(ObjectId(7), &Position::default()), Some(up));
        assert_eq!(gathered(&soup, 0.9, 1.1).len(), 1, "{motion:?}");
    }
}

#[test]
fn soup_is_carried_as_far_as_it_may_and_back() {
    let mut soup = soup(&[FLOOR_A]);
    let shift = |far: f64| SoupMotion {
        shift: Vector3::new(far, 0.0, 0.0),
        ..SoupMotion::default()
    };
    for far in [0.75e9, 0.75e9, -0.75e9] {
        soup.advance(&shift(far));
    }
    assert_eq!(gathered(&soup, -0.1, 1.1).len(), 1);
}

#[test]
fn a_soup_without_a_place_takes_no_triangles() {
    for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        for axis in 0..3 {
            let mut origin = Position::default();
            origin.offset[axis] = wild;
            let mut soup = TriangleSoup::new(ObjectId(1), origin);
            for side in 1..6 {
                let corner = |x, z| Point3::new(f64::from(side) + x, 0.0, z);
                let corners = [corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 0.0)];
                let refused = soup.insert(corners, Sides::Both);
                assert_eq!(refused, Err(SoupError::Origin), "{origin:?}");
            }
            assert_eq!(soup.triangle_ids().count(), 0);
        }
    }
}
