//! Moving platforms carry, push and crush.

use super::*;
use crate::character::State;
use crate::crowd::columns::Stood;
use crate::mover::{Feature, Ground};

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
fn platform_pushes_who_stands_in_its_way() {
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

/// The ride of one ends at another who is wedged beside him, for that one is not carried along; not at who stands on his head.
#[test]
fn a_ride_leaves_behind_who_is_wedged_beside() {
    let stood_on = |normal: Vector3<f32>, feature| {
        let character = standing(3.0, 3.0);
        let mut state = State::at(character.position);
        state.ground = Some(Ground {
            normal,
            object: ObjectId(2),
            feature,
        });
        Stood::new(&character.build, &state).ride
    };
    let rides = stood_on(Vector3::y(), Feature::Face);
    let on_head = stood_on(Vector3::new(0.4, 0.9, 0.2), Feature::Body);
    let wedged = stood_on(Vector3::new(-0.964, 0.121, 0.237), Feature::Body);
    assert!(!rides.leaves_behind(rides) && !rides.leaves_behind(on_head));
    assert!(rides.leaves_behind(wedged));
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
fn fast_carriage_takes_along_who_stands_at_its_rear() {
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

/// Of a world of its own: what did not look as low as the platform does not hear of it.
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

    fn contents(&self, at: &Position) -> Contents {
        self.0.contents(at)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        self.0.carry(object, at)
    }
}

#[test]
fn who_sleeps_on_a_rider_goes_along_at_once() {
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
