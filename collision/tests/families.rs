//! Whole families of ground, swept over: steep slopes, stairs, platforms, wedges, corners, and the
//! edges between slope and floor, each at tick rates of 20 to 360 Hz. Plain geometry and the law
//! of free fall give the expected results.

use collision::{
    Character, CharacterId, Crowd, Intent, ObjectId, Position, Shapes, Sides, SoupMotion, Terrain,
    TriangleSoup,
};
use nalgebra::{Point3, UnitQuaternion, Vector3};

const ACROSS: f64 = 0.4;
const ALONG: f64 = 0.9;
const SKIN: f64 = 0.01;
/// The fall of a character in its first second, in metres a second.
const GRAVITY: f64 = 20.0;
const RATES: [f64; 5] = [20.0, 30.0, 60.0, 144.0, 360.0];

fn soup(quads: &[[Vector3<f64>; 4]]) -> TriangleSoup {
    let mut soup = TriangleSoup::new(ObjectId(1), Position::default());
    for [a, b, c, d] in quads {
        for corners in [[a, b, c], [a, c, d]] {
            let corners = corners.map(|corner| Point3::from(*corner));
            soup.insert(corners, Sides::Both).expect("it is sound");
        }
    }
    soup
}

fn add(crowd: &mut Crowd, at: Vector3<f64>) -> CharacterId {
    crowd.add(Character::at(Position::from_metres(at.into())))
}

fn place(crowd: &Crowd, id: CharacterId) -> Vector3<f64> {
    let position = crowd.position(id).expect("it is there");
    position.to_metres().coords
}

fn walk(way: Vector3<f64>) -> Intent {
    Intent::walk(way.cast())
}

/// Returns the distance from the centre of a body to a plane that touches it with its skin.
fn support(normal: Vector3<f64>) -> f64 {
    let (across, along) = (ACROSS + SKIN, ALONG + SKIN);
    let level = normal.x.hypot(normal.z);
    (across * level).hypot(along * normal.y)
}

/// A plane through the origin that rises towards +x, 80 m long.
fn slope(degrees: f64) -> (TriangleSoup, Vector3<f64>) {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    let at = |along: f64, z: f64| Vector3::new(along * cosine, along * sine, z);
    let quad = [
        at(-60.0, -20.0),
        at(-60.0, 20.0),
        at(20.0, 20.0),
        at(20.0, -20.0),
    ];
    (soup(&[quad]), Vector3::new(-sine, cosine, 0.0))
}

#[test]
fn steep_slopes_are_slid_down_like_a_free_body_and_others_are_stood_on() {
    for degrees in 46..=89 {
        let (ground, normal) = slope(f64::from(degrees));
        let down = Vector3::new(-normal.y, normal.x, 0.0);
        for rate in RATES {
            let mut crowd = Crowd::new();
            let start = normal * (support(normal) + 1e-4);
            let id = add(&mut crowd, start);
            let ticks = rate as u32;
            for _ in 0..ticks {
                crowd.tick(&ground, &[], (1.0 / rate) as f32);
            }
            let moved = place(&crowd, id) - start;
            let far = if degrees <= 50 {
                0.0
            } else {
                0.5 * GRAVITY * down.y.abs()
            };
            let off = (moved - down * far).norm();
            assert!(off < 0.02, "{degrees} degrees at {rate} Hz: {moved}");
        }
    }
}

#[test]
fn stairs_of_any_size_are_climbed_no_faster_than_wished() {
    for (rise, tread) in [
        (0.1, 0.2),
        (0.15, 0.3),
        (0.25, 0.25),
        (0.3, 0.3),
        (0.5, 0.5),
        (0.5, 1.0),
    ] {
        let step = |number: u32| {
            let (near, top) = (f64::from(number) * tread, f64::from(number + 1) * rise);
            [Point3::new(near, -9.0, -4.0), Point3::new(99.0, top, 4.0)]
        };
        let mut boxes: Vec<_> = (0..20).map(step).collect();
        boxes.push([Point3::new(-9.0, -9.0, -4.0), Point3::new(0.0, 0.0, 4.0)]);
        let stairs = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
        for rate in RATES {
            for wish in [0.5, 2.0, 5.0] {
                let mut crowd = Crowd::new();
                let start = Vector3::new(-0.6, ALONG + SKIN, 0.0);
                let id = add(&mut crowd, start);
                let length = 20.0 * tread;
                let ticks = (length / wish * rate).floor();
                let intent = walk(Vector3::x() * wish);
                let seconds = (1.0 / rate) as f32;
                let mut marks = vec![start.x];
                for _ in 0..ticks as u32 {
                    crowd.tick(&stairs, &[(id, intent)], seconds);
                    marks.push(place(&crowd, id).x);
                }
                let about = format!("{rise} by {tread} m, {rate} Hz, {wish} m/s");
                // A step advances by 3 cm at least, and the next one waits until the wish has made
                // up for half of it.
                for (number, mark) in marks.iter().enumerate() {
                    let wished = number as f64 / rate * wish;
                    let most = wished * 1.02 + 0.045;
                    assert!(
                        mark - start.x <= most,
                        "{about}: {mark} after {number} ticks"
                    );
                }
                let gone = marks[marks.len() - 1] - start.x;
                assert!(gone >= 0.95 * length - 0.05, "{about}: {gone} of {length}");
            }
        }
    }
}

/// Returns how far a rider drifted from its place on a plate that moves and turns each second.
fn drift(velocity: Vector3<f64>, turn: Vector3<f64>, rate: f64) -> f64 {
    let at = |x: f64, z: f64| Vector3::new(x, 0.0, z);
    let quad = [at(-6.0, -6.0), at(-6.0, 6.0), at(6.0, 6.0), at(6.0, -6.0)];
    let mut plate = soup(&[quad]);
    let mut crowd = Crowd::new();
    let id = add(&mut crowd, Vector3::new(2.0, ALONG + SKIN, 0.0));
    let step = UnitQuaternion::from_scaled_axis(turn / rate);
    let (mut whole, mut moved) = (UnitQuaternion::identity(), Vector3::zeros());
    let mut farthest = 0.0_f64;
    for tick in 0..rate as u32 {
        if tick > 0 {
            plate.advance(&SoupMotion {
                shift: velocity / rate,
                turn: step,
                ..SoupMotion::default()
            });
            whole = step * whole;
            moved += velocity / rate;
        }
        crowd.tick(&plate, &[], (1.0 / rate) as f32);
        let seen = whole.inverse() * (place(&crowd, id) - moved);
        let level = Vector3::new(seen.x - 2.0, 0.0, seen.z);
        farthest = farthest.max(level.norm());
        assert!(crowd.is_grounded(id), "{velocity} {turn} {rate}: {tick}");
    }
    farthest
}

#[test]
fn riders_keep_their_place_on_platforms_that_rise_fall_and_turn() {
    for rate in RATES {
        for speed in [0.5, 2.0, 5.0] {
            for way in [
                Vector3::x(),
                Vector3::y(),
                -Vector3::y(),
                Vector3::new(0.6, 0.8, 0.0),
            ] {
                let far = drift(way * speed, Vector3::zeros(), rate);
                assert!(far < 2e-3, "{way} {speed} m/s at {rate} Hz: {far}");
            }
        }
        for turn in [0.3, 1.0, 2.0] {
            let far = drift(Vector3::zeros(), Vector3::y() * turn, rate);
            assert!(far < 0.02, "{turn} rad/s at {rate} Hz: {far}");
        }
    }
}

/// Returns upright walls, 20 m long and thick as a sheet, with the given level normals, each at a
/// distance from the origin at which it touches a body there, and a floor.
fn walls(normals: &[Vector3<f64>], apart: f64) -> TriangleSoup {
    let mut quads = vec![{
        let at = |x: f64, z: f64| Vector3::new(x, 0.0, z);
        [
            at(-30.0, -30.0),
            at(-30.0, 30.0),
            at(30.0, 30.0),
            at(30.0, -30.0),
        ]
    }];
    for normal in normals {
        let side = Vector3::y().cross(normal);
        let foot = -normal * (ACROSS + SKIN + apart);
        let at = |along: f64, y: f64| foot + side * along + Vector3::y() * y;
        quads.push([
            at(-10.0, -1.0),
            at(10.0, -1.0),
            at(10.0, 5.0),
            at(-10.0, 5.0),
        ]);
    }
    soup(&quads)
}

fn level(degrees: f64) -> Vector3<f64> {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    Vector3::new(cosine, 0.0, sine)
}

/// Presses a body between walls for half a second, then lets it out the way it came.
fn press_into(ground: &impl Terrain, way: Vector3<f64>, out: Vector3<f64>, rate: f64) -> [f64; 2] {
    let mut crowd = Crowd::new();
    let start = Vector3::new(0.0, ALONG + SKIN, 0.0);
    let id = add(&mut crowd, start);
    let seconds = (1.0 / rate) as f32;
    for _ in 0..(rate / 2.0) as u32 {
        crowd.tick(ground, &[(id, walk(way * 4.0))], seconds);
    }
    let pressed = (place(&crowd, id) - start).norm();
    for _ in 0..(rate / 2.0) as u32 {
        crowd.tick(ground, &[(id, walk(out * 4.0))], seconds);
    }
    [pressed, (place(&crowd, id) - start).dot(&out)]
}

#[test]
fn body_pressed_into_a_wedge_of_walls_stays_and_comes_out_again() {
    for count in 2..=6_u32 {
        for spread in [30.0, 75.0, 120.0, 150.0] {
            for rate in RATES {
                // The walls face +x, up to `spread` degrees aside in all.
                let turn = |number: u32| spread * (f64::from(number) / f64::from(count - 1) - 0.5);
                let normals: Vec<_> = (0..count).map(|number| level(turn(number))).collect();
                let ground = walls(&normals, 0.0);
                let [pressed, out] = press_into(&ground, -Vector3::x(), Vector3::x(), rate);
                let about = format!("{count} walls over {spread} degrees at {rate} Hz");
                assert!(pressed < 1e-3, "{about}: {pressed}");
                assert!(out > 1.9, "{about}: {out}");
            }
        }
    }
}

#[test]
fn corners_of_any_angle_hold_a_body_that_walks_into_them_at_any_skew() {
    for angle in [20.0, 40.0, 60.0, 90.0, 120.0, 150.0, 170.0, 178.0] {
        // The corner opens to +x by `angle`: the normals lean 90 degrees less its half aside.
        let aside = 90.0 - 0.5 * angle;
        let ground = walls(&[level(aside), level(-aside)], 0.05);
        // Between the two normals a body slides out along neither wall.
        for skew in [-0.8, -0.3, 0.0, 0.2, 0.6] {
            for rate in [20.0, 60.0, 360.0] {
                let way = -level(skew * aside);
                let [pressed, out] = press_into(&ground, way, Vector3::x(), rate);
                let about = format!("{angle} degrees, skew {skew}, {rate} Hz");
                // The deepest place is where both walls touch.
                let deepest = 0.05 / aside.to_radians().cos();
                assert!(pressed <= deepest + 1e-3, "{about}: {pressed} of {deepest}");
                assert!(out > 1.0, "{about}: {out}");
            }
        }
    }
}

#[test]
fn edges_between_slope_and_floor_are_walked_over_at_the_wished_speed() {
    for degrees in [3.0, 10.0, 20.0, 30.0, 40.0, 48.0] {
        let (sine, cosine) = f64::to_radians(degrees).sin_cos();
        for upwards in [1.0, -1.0] {
            let at = |along: f64, z: f64| Vector3::new(along * cosine, along * sine * upwards, z);
            let flat = |x: f64, z: f64| Vector3::new(x, 0.0, z);
            let quads = [
                [
                    flat(-20.0, -5.0),
                    flat(-20.0, 5.0),
                    flat(0.0, 5.0),
                    flat(0.0, -5.0),
                ],
                [at(0.0, -5.0), at(0.0, 5.0), at(30.0, 5.0), at(30.0, -5.0)],
            ];
            let ground = soup(&quads);
            for rate in RATES {
                for back in [false, true] {
                    let about = format!("{degrees} degrees, {upwards}, {rate} Hz, {back}");
                    let mut crowd = Crowd::new();
                    let normal = Vector3::new(-sine * upwards, cosine, 0.0);
                    let way = if back { -Vector3::x() } else { Vector3::x() };
                    let start = if back {
                        at(2.0, 0.0) + normal * (support(normal) + 1e-4)
                    } else {
                        Vector3::new(-2.0, ALONG + SKIN, 0.0)
                    };
                    let id = add(&mut crowd, start);
                    let seconds = (1.0 / rate) as f32;
                    for _ in 0..4 {
                        crowd.tick(&ground, &[], seconds);
                    }
                    let (mut length, mut last) = (0.0, place(&crowd, id));
                    for tick in 0..rate as u32 {
                        crowd.tick(&ground, &[(id, walk(way * 4.0))], seconds);
                        let now = place(&crowd, id);
                        (length, last) = (length + (now - last).norm(), now);
                        assert!(crowd.is_grounded(id), "{about}: tick {tick} at {now}");
                    }
                    // The tick over the edge goes level, then down; on the round of the edge the
                    // speed on the level is kept.
                    assert!(
                        (length - 4.0).abs() < 4.0 / rate + 0.05,
                        "{about}: {length}"
                    );
                }
            }
        }
    }
}
