//! The way and the velocity of a falling body among its contacts.

use super::*;
use crate::mover::test_terrain::Dice;
use crate::mover::{Frame, MoverConfig, Radii};

const LEAST_RISE: f32 = 0.64;

fn set(normals: &[[f32; 3]]) -> PlaneSet {
    let mut planes = PlaneSet::default();
    for n in normals {
        assert!(planes.add(Vector3::from(*n).normalize()));
    }
    planes
}

fn falling(planes: &PlaneSet, wish: Vector3<f32>) -> Vector3<f32> {
    planes.project_falling(wish, Vector3::y(), LEAST_RISE)
}

/// A random fall among two to four random planes.
struct Random {
    fall: Fall,
    planes: Vec<Vector3<f32>>,
    wish: Vector3<f32>,
}

impl Random {
    fn new(dice: &mut Dice, round: usize) -> Self {
        let up = match round % 3 {
            0 => Vector3::y(),
            _ => dice.vector().normalize(),
        };
        let count = 2 + round % 3;
        let planes = (0..count).map(|_| dice.vector().normalize()).collect();
        let fall = Fall {
            up,
            least_rise: LEAST_RISE,
            kept: Vector3::zeros(),
        };
        let wish = dice.vector();
        Self { fall, planes, wish }
    }

    fn set(&self) -> PlaneSet {
        let mut planes = PlaneSet::default();
        for &normal in &self.planes {
            assert!(planes.add(normal));
        }
        planes
    }

    fn way(&self) -> Vector3<f32> {
        self.fall.past(&self.set(), self.wish)
    }

    fn has_foothold(&self) -> bool {
        let rises = self.planes.iter().map(|normal| normal.dot(&self.fall.up));
        rises.fold(f32::NEG_INFINITY, f32::max) >= LEAST_RISE
    }
}

#[test]
fn way_leads_into_no_plane() {
    let mut dice = Dice(21);
    for round in 0..20_000 {
        let random = Random::new(&mut dice, round);
        let (way, wish) = (random.way(), random.wish);
        for normal in &random.planes {
            assert!(way.dot(normal) >= -3e-5 * wish.norm(), "{round}: {way}");
        }
    }
}

#[test]
fn steering_does_not_lift_a_body_without_a_foothold() {
    let mut dice = Dice(22);
    let mut tried = 0;
    for round in 0..20_000 {
        let random = Random::new(&mut dice, round);
        if random.has_foothold() {
            continue;
        }
        tried += 1;
        let (up, way, wish) = (random.fall.up, random.way(), random.wish);
        let most = wish.dot(&up).max(0.0) + 3e-5 * wish.norm();
        assert!(way.dot(&up) <= most, "{round}: {way} of {wish}");
    }
    assert!(tried > 5_000, "{tried}");
}

/// A body that its planes throw back would go back as far without steering.
#[test]
fn steering_does_not_throw_a_body_back() {
    let mut dice = Dice(23);
    let mut thrown = 0;
    for round in 0..20_000 {
        let random = Random::new(&mut dice, round);
        let (up, way, wish) = (random.fall.up, random.way(), random.wish);
        let height = up * wish.dot(&up);
        let level = wish - height;
        let back = -way.dot(&level);
        if back > 0.06 * way.norm() * level.norm() {
            thrown += 1;
            let unsteered = random.set().project(height);
            let as_far = -unsteered.dot(&level) + 1e-4 * wish.norm() * level.norm();
            assert!(back <= as_far, "{round}: {way} of {wish}");
        }
    }
    assert!(thrown > 500, "{thrown}");
}

#[test]
fn any_order_of_contacts_gives_the_same_way() {
    let mut dice = Dice(24);
    let mut moving = 0;
    for round in 0..20_000 {
        let mut random = Random::new(&mut dice, round);
        let way = random.way();
        moving += usize::from(way != Vector3::zeros());
        for turn in 1..random.planes.len() {
            random.planes.rotate_left(turn);
            random.planes.swap(0, 1);
            let apart = (random.way() - way).norm();
            let (wish, planes) = (random.wish, &random.planes);
            assert!(
                apart <= 1e-3 * wish.norm(),
                "{round}: {way} {}, wish {wish} up {} {planes:?}",
                random.way(),
                random.fall.up,
            );
        }
    }
    assert!(moving > 5_000, "{moving}");
}

#[test]
fn fall_into_a_notch_is_not_thrown_out_by_pressing() {
    let up = Vector3::new(-0.471_567_15, -0.689_330_8, 0.549_952_2);
    let wish = Vector3::new(-0.594_305_6, 0.331_388_77, -0.148_835_02);
    let mut planes = set(&[
        [0.0, -0.727_413_8, 0.686_199_07],
        [0.689_551_23, -0.724_236_97, 0.0],
    ]);
    planes.put([0.686_041_65, 0.250_154_7, 0.683_205_37].into(), true);
    // The crease of the last two leads all but straight up, and the first bears.
    let pressed = planes.project(wish);
    assert!(pressed.dot(&up) > 0.9 * pressed.norm(), "{pressed}");
    let falls = |wish| planes.project_falling(wish, up, LEAST_RISE);
    assert_eq!(falls(wish), Vector3::zeros());
    // A jump is not stopped there.
    assert_ne!(falls(wish + up * 0.1), Vector3::zeros());
}

#[test]
fn pressing_into_a_nook_under_an_overhang_does_not_throw_up() {
    let up = Vector3::new(-0.640_916_94, 0.637_727, 0.427_234_95);
    let frame = Frame::new(Radii::new(0.5, 0.5), up, 0.01);
    let least_rise = MoverConfig::default().walkable_rise();
    let mut planes = PlaneSet::of(&frame);
    for (normal, steep) in [
        ([0.0, -0.956_509_9, 0.291_699_98], true),
        ([-1.0, 0.0, 0.0], true),
        ([-0.019_949_012, 0.999_801, 0.0], true),
    ] {
        planes.put(Vector3::from(normal), steep);
    }
    let wish = Vector3::new(26.872_62, 37.173_61, -15.175_484);
    for rise in [-3.0, -0.5, 0.0, 0.5, 3.0] {
        let velocity = wish + up * rise;
        let left = planes.project_falling(velocity, up, least_rise);
        let kept = velocity.dot(&up).max(0.0) + 1e-4;
        assert!(left.dot(&up) <= kept, "{rise}: {left}");
    }
}

#[test]
fn upright_edge_of_steep_faces_does_not_lift_a_pressing_body() {
    let edge = Vector3::new(-0.6, 0.8, 0.0);
    let wish = Vector3::new(1.0, -0.1, 0.5);
    for steep in [false, true] {
        let mut planes = PlaneSet::default();
        assert!(planes.put(edge, steep));
        assert_eq!(planes.bear(Vector3::y(), LEAST_RISE), !steep);
        let way = falling(&planes, wish);
        assert_eq!(way.y > 0.0, !steep, "{way}");
        assert!(way.z > 0.4 && way.dot(&edge) > -1e-6, "{way}");
        // A second contact restores the bit of the last.
        assert!(planes.add(edge) && planes.bear(Vector3::y(), LEAST_RISE));
    }
}

#[test]
fn steep_planes_hold_off_a_falling_body_and_let_it_fall() {
    let up = Vector3::y();
    let edge = set(&[[-0.9, 0.4, 0.0]]);
    // Pressed against an edge at any speed, the body moves as without pressing, but for the way
    // along the edge.
    for press in [0.0, 0.5, 30.0] {
        let way = falling(&edge, Vector3::new(press, -0.2, 0.3));
        let expected = edge.project(Vector3::new(0.0, -0.2, 0.3));
        assert!((way - expected).norm() < 1e-5, "{way} {expected}");
        assert!(way.y < -0.1 && way.x < 0.0);
    }
    // No body runs up, with any further plane, and a jump along the plane goes on.
    let corner = set(&[[-0.9, 0.4, 0.0], [0.0, 0.4, -0.9]]);
    let way = falling(&corner, Vector3::new(3.0, -0.2, 3.0));
    assert!(way.y < -0.05, "{way}");
    let way = falling(&corner, Vector3::new(3.0, 0.2, 3.0));
    assert!((way - up * 0.2).norm() < 1e-5, "{way}");
    // Ground that bears is landed on as ever, and upright walls take the level part alone.
    let slope = set(&[[-0.5, 0.8, 0.0]]);
    let wish = Vector3::new(1.0, -0.2, 0.0);
    assert_eq!(falling(&slope, wish), slope.project(wish));
    let wall = set(&[[-1.0, 0.0, 0.0]]);
    assert_eq!(falling(&wall, wish), Vector3::new(0.0, -0.2, 0.0));
    // A floor is no wall, even when only exactly level faces bear.
    let mut floor = PlaneSet::default();
    floor.add(up * (1.0 - f32::EPSILON));
    let way = floor.project_falling(wish, up, 1.0);
    assert!((way - Vector3::new(1.0, 0.0, 0.0)).norm() < 1e-5, "{way}");
}
