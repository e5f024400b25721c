//! Moving platforms carry, push and crush.

use super::*;
use crate::tolerance::OVERLAP_SLACK;

fn stage(platform: [Point3<f64>; 2], boxes: &[[Point3<f64>; 2]]) -> Layered {
    Layered {
        ground: arena(30.0, boxes),
        platform: Shapes::from_boxes(ObjectId(2), Position::default(), &[platform]),
    }
}

fn offset(crowd: &Crowd, id: CharacterId, stage: &Layered) -> Vector3<f32> {
    crowd.position(id).unwrap().since(&stage.platform.origin())
}

#[test]
fn riding_error_stays_below_a_millimetre() {
    let ways = [
        Vector3::new(0.0, 1.0, 0.0),
        Vector3::new(1.0, 0.0, 0.0),
        Vector3::new(0.7, 0.5, -0.5),
        Vector3::new(0.0, 5.0, 0.0),
        Vector3::new(5.0, 0.0, 0.0),
    ];
    for way in ways {
        let platform = [Point3::new(12.0, 8.0, 12.0), Point3::new(16.0, 8.5, 16.0)];
        let mut stage = stage(platform, &[]);
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(14.0, 9.41, 14.0)));
        for _ in 0..5 {
            crowd.tick(&stage, &[], TICK);
        }
        let start = offset(&crowd, id, &stage);
        for tick in 0..240 {
            let turn = if tick / 60 % 2 == 0 { 1.0 } else { -1.0 };
            stage.platform.advance(way * (turn * TICK));
            crowd.tick(&stage, &[], TICK);
            let error = (offset(&crowd, id, &stage) - start).norm();
            assert!(error < 1e-3, "{way} tick {tick}: {error}");
            assert!(crowd.is_grounded(id), "{way} tick {tick}");
        }
    }
}

#[test]
fn platform_that_stops_lets_sleep() {
    let platform = [Point3::new(12.0, 8.0, 12.0), Point3::new(16.0, 8.5, 16.0)];
    let mut stage = stage(platform, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(14.0, 9.41, 14.0)));
    for _ in 0..60 {
        stage.platform.advance(Vector3::new(0.01, 0.0, 0.0));
        crowd.tick(&stage, &[], TICK);
    }
    for _ in 0..60 {
        stage.platform.advance(Vector3::zeros());
        crowd.tick(&stage, &[], TICK);
    }
    assert!(crowd.is_grounded(id));
    let hash = crowd.state_hash();
    assert_eq!(crowd.tick(&stage, &[], TICK).stepped, 0);
    assert_eq!(crowd.state_hash(), hash);
}

#[test]
fn platform_pushes_a_character_in_its_way() {
    let platform = [Point3::new(4.0, 0.1, 10.0), Point3::new(6.0, 3.0, 20.0)];
    let mut stage = stage(platform, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(8.0, 15.0));
    let mut pushes = 0;
    for _ in 0..120 {
        stage.platform.advance(Vector3::new(2.0 * TICK, 0.0, 0.0));
        crowd.tick(&stage, &[], TICK);
        pushes += count(crowd.events(), |kind| {
            matches!(kind, EventKind::Pushed { .. })
        });
        let face = stage.platform.origin().to_metres().x + 2.0;
        assert!(crowd.position(id).unwrap().to_metres().x > face + 0.39);
    }
    assert!(pushes > 30);
}

/// On a platform that goes toward a wall they stop one behind the other, and none is carried into
/// the next.
#[test]
fn held_up_rider_holds_up_riders_behind() {
    let wall = [Point3::new(20.0, 8.6, 4.0), Point3::new(21.0, 12.0, 26.0)];
    let platform = [Point3::new(-2.0, 8.0, 12.0), Point3::new(18.0, 8.5, 16.0)];
    for (queue, abreast, speed) in [(6, 1, 1.0), (6, 1, 4.0), (6, 1, 20.0), (22, 4, 2.0)] {
        let mut stage = stage(platform, &[wall]);
        let mut crowd = Crowd::new();
        for place in 0..queue * abreast {
            let x = 17.4 - 0.82 * f64::from(place / abreast) - 0.1 * f64::from(place % abreast);
            let z = 12.7 + 0.83 * f64::from(place % abreast);
            crowd.add(Character::at(at(x, 9.41, z)));
        }
        let (mut pushes, mut taken_back) = (0, 0);
        for tick in 0..120 {
            let way = if tick < 5 { 0.0 } else { speed * TICK };
            stage.platform.advance(Vector3::new(way, 0.0, 0.0));
            let report = crowd.tick(&stage, &[], TICK);
            pushes += report.pushes;
            taken_back += report.taken_back;
            let deepest = deepest_overlap(&crowd);
            assert!(deepest < 1e-3, "{queue} at {speed} m/s: {deepest}");
        }
        assert_eq!((pushes, taken_back), (0, 0), "{queue} at {speed} m/s");
    }
}

#[test]
fn riders_of_one_platform_do_not_obstruct_each_other() {
    let platform = [Point3::new(-20.0, 8.0, -20.0), Point3::new(30.0, 8.5, 30.0)];
    for speed in [1.0, 6.0, 60.0, 120.0] {
        let mut stage = stage(platform, &[]);
        let mut crowd = Crowd::new();
        let place = |index: u8| (index % 5, index / 5);
        let ids: Vec<_> = (0..20)
            .map(|index| {
                let (across, along) = place(index);
                let (x, z) = (
                    10.0 + 0.811 * f64::from(across),
                    10.0 + 0.811 * f64::from(along),
                );
                crowd.add(Character::at(at(x, 9.41, z)))
            })
            .collect();
        let settled = |crowd: &Crowd, stage: &Layered| -> Vec<_> {
            ids.iter().map(|&id| offset(crowd, id, stage)).collect()
        };
        let mut starts = Vec::new();
        for tick in 0..90 {
            if tick == 30 {
                starts = settled(&crowd, &stage);
            }
            let way = if tick < 30 { 0.0 } else { speed * TICK };
            stage
                .platform
                .advance(Vector3::new(way, 0.5 * way, -0.3 * way));
            crowd.tick(&stage, &[], TICK);
        }
        for (start, end) in starts.iter().zip(settled(&crowd, &stage)) {
            let error = (end - start).norm();
            assert!(error < 1e-3, "{speed} m/s: {error} m");
        }
    }
}

/// At any speed no rider is carried into, or past, a character that hangs in the way; and the
/// platform continues under the stopped ones.
#[test]
fn hanging_character_stops_riders_at_any_speed() {
    let platform = [Point3::new(-400.0, 8.0, 0.0), Point3::new(30.0, 8.5, 30.0)];
    for speed in [1.0, 6.0, 20.0, 60.0, 120.0] {
        let mut stage = stage(platform, &[]);
        let mut crowd = Crowd::new();
        // Three abreast, and one exactly in line with the hanging one.
        for place in 0..12 {
            let x = 14.0 - 0.83 * f64::from(place / 3) - 0.1 * f64::from(place % 3);
            let z = 14.0 + 0.83 * f64::from(place % 3);
            crowd.add(Character::at(at(x, 9.41, z)));
        }
        let before_it = crowd.add(Character::at(at(9.0, 9.41, 20.0)));
        let second = at(16.0, 9.41, 20.0);
        let second = crowd.add(Character::at(second).with_mode(Mode::Fly));
        let place = at(16.0, 9.45, 14.6);
        let hanging = crowd.add(Character::at(place).with_mode(Mode::Fly));
        for tick in 0..120 {
            let way = if tick < 5 { 0.0 } else { speed * TICK };
            stage.platform.advance(Vector3::new(way, 0.0, 0.0));
            let hang = Intent::rest(Mode::Fly);
            crowd.tick(&stage, &[(hanging, hang), (second, hang)], TICK);
            let deepest = deepest_overlap(&crowd);
            assert!(deepest < 1e-3, "{speed} m/s, tick {tick}: {deepest} deep");
            let moved = crowd.position(hanging).unwrap().since(&place).norm();
            assert!(moved < 1e-3, "{speed} m/s, tick {tick}: moved by {moved} m");
            let x = crowd.position(before_it).unwrap().to_metres().x;
            assert!(x < 15.3, "{speed} m/s, tick {tick}: at {x}");
        }
    }
}

/// A character on a rider's head rides along, and so on up: it is not in the way.
#[test]
fn character_on_a_rider_rides_along() {
    let platform = [Point3::new(-40.0, 8.0, -40.0), Point3::new(40.0, 8.5, 40.0)];
    let ways = [
        Vector3::new(0.0, 0.4, 0.0),
        Vector3::new(0.0, 3.0, 0.0),
        Vector3::new(5.0, 0.0, 0.0),
        Vector3::new(20.0, 2.0, -3.0),
        Vector3::new(-5.0, -1.0, 0.0),
    ];
    for way in ways {
        let mut stage = stage(platform, &[]);
        let mut crowd = Crowd::new();
        let stack = [9.41, 11.23, 13.05].map(|y| crowd.add(Character::at(at(14.0, y, 14.0))));
        let mut starts = None;
        for tick in 0..90 {
            let way = if tick < 30 {
                Vector3::zeros()
            } else {
                way * TICK
            };
            stage.platform.advance(way);
            crowd.tick(&stage, &[], TICK);
            let places = stack.map(|id| offset(&crowd, id, &stage));
            let starts = *starts.get_or_insert(places);
            for (place, start) in places.iter().zip(starts) {
                let error = (place - start).norm();
                assert!(error < 2e-3, "{way} tick {tick}: {error}");
            }
        }
    }
}

/// A stack of two comes under a ceiling: the upper one is not carried through it, nor the lower
/// into the upper.
#[test]
fn a_stack_that_is_lifted_to_a_ceiling_comes_apart() {
    let platform = [Point3::new(12.0, 8.0, 12.0), Point3::new(16.0, 8.5, 16.0)];
    let ceiling = [Point3::new(5.0, 13.0, 5.0), Point3::new(25.0, 14.0, 25.0)];
    for speed in [0.3, 1.0, 4.0] {
        let mut stage = stage(platform, &[ceiling]);
        let mut crowd = Crowd::new();
        let below = crowd.add(Character::at(at(14.0, 9.41, 14.0)));
        let above = crowd.add(Character::at(at(14.05, 11.2, 14.0)));
        let mut pressed = 0;
        for tick in 0..400 {
            let risen = stage.platform.origin().to_metres().y;
            let way = if risen < 2.0 { speed * TICK } else { 0.0 };
            stage.platform.advance(Vector3::new(0.0, way, 0.0));
            crowd.tick(&stage, &[], TICK);
            let top = 8.5 + stage.platform.origin().to_metres().y;
            let (low, high) = (height(&crowd, below), height(&crowd, above));
            let between = low > top + 0.899 && high + 0.9 < 13.0;
            assert!(
                between,
                "{speed} m/s, tick {tick}: {low} over {top}, {high}"
            );
            let held = [below, above].map(|id| crowd.state(id).unwrap().is_held());
            assert_eq!(held, [false; 2], "{speed} m/s, tick {tick}");
            // The platform presses the lower one on; it is parted from the upper one at once.
            let deep = deepest_overlap(&crowd);
            assert!(deep < 0.02, "{speed} m/s, tick {tick}: {deep} deep");
            pressed += u32::from(deep > OVERLAP_SLACK);
        }
        assert!(pressed < 4, "{speed} m/s: {pressed} ticks in each other");
    }
}

#[test]
fn plate_that_rises_by_more_than_its_rider_is_high_keeps_it() {
    for (speed, along) in [(10.0, 0.15), (11.5, 0.15), (33.0, 0.5), (57.0, 0.9)] {
        let plate = [Point3::new(-3.0, -0.02, -3.0), Point3::new(3.0, 0.0, 3.0)];
        let mut lift = Shapes::from_boxes(ObjectId(2), Position::default(), &[plate]);
        let mut crowd = Crowd::new();
        let place = at(0.0, f64::from(along) + 0.01, 0.0);
        let id = crowd.add(Character::at(place).with_radii(0.3, along));
        for tick in 0..60 {
            let rise = if tick < 10 { 0.0 } else { speed / 60.0 };
            lift.advance(Vector3::new(0.0, rise, 0.0));
            crowd.tick(&lift, &[], TICK);
            let over = crowd.position(id).unwrap().since(&lift.origin()).y;
            assert!(
                (over - along - 0.01).abs() < 1e-3,
                "{over} m over a plate at {speed} m/s"
            );
        }
    }
}

#[test]
fn fast_carriage_carries_a_character_at_its_rear() {
    let point = Point3::new;
    let boxes = [
        [point(-3.0, -0.5, -2.0), point(3.0, 0.0, 2.0)],
        [point(-3.1, -0.5, -2.0), point(-3.0, 2.5, 2.0)],
    ];
    for speed in [5.0, 40.0, 200.0] {
        let mut train = Shapes::from_boxes(ObjectId(2), Position::default(), &boxes);
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(-2.58, 0.0));
        for tick in 0..30 {
            let way = if tick < 10 { 0.0 } else { speed * TICK };
            train.advance(Vector3::new(way, 0.0, 0.0));
            crowd.tick(&train, &[], TICK);
            let x = crowd.position(id).unwrap().since(&train.origin()).x;
            assert!((x + 2.58).abs() < 0.01, "{speed} {tick}: {x}");
        }
    }
}

/// Reports changes only to memories that reach as low as the platform.
struct Local(Layered);

impl Terrain for Local {
    fn revision(&self) -> u64 {
        self.0.revision()
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        let saw_it = memory.words[0] != 0;
        memory.revision != 0 && (!saw_it || memory.revision == self.revision())
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut crate::Candidates) {
        self.0.gather(reach, memory, out);
        let top = self.0.platform.origin().relative_to(reach.base).y + 8.5;
        memory.words[0] = u32::from(reach.min.y <= top + 0.1);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.0.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.0.contents(at, memory)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.0.carry(object, at)
    }
}

#[test]
fn sleeper_on_a_rider_rides_at_once() {
    let platform = [Point3::new(12.0, 8.0, 12.0), Point3::new(16.0, 8.5, 16.0)];
    let mut stage = Local(stage(platform, &[]));
    let (mut lazy, mut eager) = (Crowd::new(), Crowd::new());
    for crowd in [&mut lazy, &mut eager] {
        crowd.add(Character::at(at(14.0, 9.41, 14.0)));
        crowd.add(Character::at(at(14.0, 11.23, 14.0)));
    }
    let mut slept = false;
    for tick in 0..90 {
        let way = if tick < 60 { 0.0 } else { -0.02 };
        stage.0.platform.advance(Vector3::new(0.0, way, 0.0));
        eager.wake_all();
        eager.tick(&stage, &[], TICK);
        let stepped = lazy.tick(&stage, &[], TICK).stepped;
        slept |= tick == 59 && stepped == 0;
        assert_eq!(lazy.state_hash(), eager.state_hash(), "tick {tick}");
    }
    assert!(slept);
}

#[test]
fn velocity_of_the_ground_is_that_of_what_carries() {
    let platform = [Point3::new(12.0, 8.0, 12.0), Point3::new(16.0, 8.5, 16.0)];
    for seconds in [TICK, 0.05] {
        let mut stage = stage(platform, &[]);
        let mut crowd = Crowd::new();
        let rider = crowd.add(Character::at(at(14.0, 9.41, 14.0)));
        let on_head = crowd.add(Character::at(at(14.0, 11.23, 14.0)));
        let still = crowd.add(standing(4.0, 4.0));
        let on_stander = crowd.add(Character::at(at(4.0, 2.73, 4.0)));
        let flyer = crowd.add(Character::at(at(8.0, 9.0, 8.0)).with_mode(Mode::Fly));
        let of = |crowd: &Crowd, stage: &Layered, id| crowd.ground_velocity(stage, id).unwrap();
        assert_eq!(of(&crowd, &stage, rider), Vector3::zeros());
        let velocity = Vector3::new(0.9, 0.3, -0.6);
        for tick in 0..40 {
            stage.platform.advance(velocity * seconds);
            crowd.tick(&stage, &[], seconds);
            if tick < 10 {
                continue;
            }
            for id in [rider, on_head] {
                assert!(crowd.is_grounded(id));
                let error = of(&crowd, &stage, id) - velocity;
                assert!(error.norm() < 1e-3, "{error}");
            }
            for id in [still, on_stander, flyer] {
                assert_eq!(of(&crowd, &stage, id), Vector3::zeros());
            }
        }
        crowd.remove(rider);
        assert_eq!(crowd.ground_velocity(&stage, rider), None);
        assert_eq!(of(&crowd, &stage, on_head), Vector3::zeros());
    }
}
