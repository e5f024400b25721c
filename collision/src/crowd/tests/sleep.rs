//! Sleep costs next to nothing and never shows.

use super::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Ten minutes.
const LONG: usize = 36_000;

#[test]
fn standing_still_stays_bit_still_for_ten_minutes() {
    let point = Point3::new;
    let terrain = arena(8.0, &[[point(3.0, 0.0, 3.0), point(5.0, 0.5, 5.0)]]);
    let mut crowd = Crowd::new();
    crowd.add(standing(1.5, 1.5));
    crowd.add(Character::at(at(4.0, 1.6, 4.0)));
    crowd.add(Character::at(at(5.2, 1.6, 4.0)));
    crowd.add(Character::at(at(1.5, 3.2, 1.52)));
    for _ in 0..240 {
        crowd.tick(&terrain, &[], TICK);
    }
    let hash = crowd.state_hash();
    let mut awake = 0;
    for _ in 0..LONG {
        awake += crowd.tick(&terrain, &[], TICK).stepped;
        assert_eq!(crowd.state_hash(), hash);
    }
    assert_eq!(awake, 0);
}

#[test]
fn computing_sleepers_every_tick_gives_the_same_bits() {
    let terrain = arena(
        10.0,
        &[[Point3::new(4.0, 0.0, 4.0), Point3::new(6.0, 0.5, 6.0)]],
    );
    let mut lazy = Crowd::new();
    let mut eager = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..36 {
        let character = Character::at(at(
            1.0 + f64::from(i % 6) * 1.5,
            1.8,
            1.0 + f64::from(i / 6) * 1.5,
        ));
        ids.push(lazy.add(character));
        eager.add(character);
    }
    let mut slept = 0;
    for tick in 0..300 {
        let walker = ids[tick / 60];
        let intents = [(walker, walk(4.0, 2.0)), (ids[20], walk(-1.0, 0.0))];
        let intents = if tick % 60 < 40 { &intents[..] } else { &[] };
        eager.wake_all();
        eager.tick(&terrain, intents, TICK);
        slept += 36 - lazy.tick(&terrain, intents, TICK).stepped;
        assert_eq!(lazy.state_hash(), eager.state_hash(), "tick {tick}");
    }
    assert!(slept > 2000, "{slept}");
}

#[test]
fn ticks_of_other_lengths_let_standing_characters_sleep() {
    let terrain = arena(
        10.0,
        &[[Point3::new(4.0, 0.0, 4.0), Point3::new(6.0, 0.5, 6.0)]],
    );
    let mut lazy = Crowd::new();
    let mut eager = Crowd::new();
    let mut walker = None;
    for i in 0..36 {
        let (x, z) = (f64::from(i % 6) * 1.5, f64::from(i / 6) * 1.5);
        let character = Character::at(at(1.0 + x, 1.8, 1.0 + z));
        walker = Some(lazy.add(character));
        eager.add(character);
    }
    let mut slept = 0;
    for tick in 0..400 {
        let length = TICK / [1.0, 2.0, 1.0, 3.0, 8.0][tick % 5];
        let intents = walker.map(|id| (id, walk(-2.0, -1.0)));
        eager.wake_all();
        eager.tick(&terrain, intents.as_slice(), length);
        let stepped = lazy.tick(&terrain, intents.as_slice(), length).stepped;
        slept += if tick < 200 { 0 } else { 36 - stepped };
        assert_eq!(lazy.state_hash(), eager.state_hash(), "tick {tick}");
    }
    assert!(slept > 200 * 25, "{slept}");
}

#[test]
fn equal_intents_let_sleep_and_new_ones_wake() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(4.0, 4.0));
    let still = [(id, Intent::default())];
    for _ in 0..60 {
        crowd.tick(&terrain, &still, TICK);
    }
    assert_eq!(crowd.tick(&terrain, &still, TICK).stepped, 0);
    assert_eq!(
        crowd.tick(&terrain, &[(id, walk(1.0, 0.0))], TICK).stepped,
        1
    );
    let start = crowd.position(id).unwrap();
    crowd.tick(&terrain, &[(id, walk(1.0, 0.0))], TICK);
    assert!(crowd.position(id).unwrap() != start);
}

#[test]
fn pressing_against_a_wall_sleeps_too() {
    let terrain = arena(8.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(7.0, 4.0));
    let push = [(id, walk(3.0, 0.0))];
    for _ in 0..60 {
        crowd.tick(&terrain, &push, TICK);
    }
    assert_eq!(crowd.tick(&terrain, &push, TICK).stepped, 0);
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(crowd.tick(&terrain, &push, TICK).stepped, 1);
}

#[test]
fn edits_under_a_sleeper_wake_it() {
    let count = Vector3::new(4, 4, 4);
    let mut terrain = Shapes::from_voxels(ObjectId(1), Position::default(), 1.0, count);
    let solid = crate::shapes::Substance::Solid;
    terrain.fill(Vector3::zeros(), Vector3::new(4, 1, 4), solid);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(1.5, 1.91, 1.5)));
    for _ in 0..30 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert!(crowd.is_grounded(id));
    terrain.fill(
        Vector3::zeros(),
        Vector3::new(4, 1, 4),
        crate::shapes::Substance::Air,
    );
    crowd.tick(&terrain, &[], TICK);
    assert!(!crowd.is_grounded(id));
}

/// Makes a character a metre and a half up in the air, over one that stands crouched for lack of
/// room.
fn kept_crouched(terrain: &Shapes) -> (Crowd, [CharacterId; 2]) {
    let mut crowd = Crowd::new();
    let below = crowd.add(standing(5.0, 5.0));
    let crouching = [(below, walk(0.0, 0.0).crouching())];
    for _ in 0..20 {
        crowd.tick(terrain, &crouching, TICK);
    }
    let flyer = Character::at(at(5.0, 2.01, 5.0)).with_mode(Mode::Fly);
    let above = crowd.add(flyer.with_radii(0.4, 0.4));
    for _ in 0..20 {
        crowd.tick(terrain, &[], TICK);
    }
    assert!(crowd.is_crouched(below));
    (crowd, [below, above])
}

#[test]
fn crouched_character_stands_up_when_the_one_above_leaves() {
    let terrain = arena(20.0, &[]);
    let off = Intent::fly(Vector3::x());
    let gone = Intent {
        mode: Mode::NoClip,
        ..Intent::default()
    };
    for wish in [off, gone] {
        let (mut crowd, [below, above]) = kept_crouched(&terrain);
        for _ in 0..120 {
            crowd.tick(&terrain, &[(above, wish)], TICK);
        }
        assert!(!crowd.is_crouched(below), "{wish:?}");
    }
}

#[test]
fn restore_elsewhere_wakes_former_neighbours() {
    let terrain = arena(20.0, &[]);
    let (mut crowd, [below, above]) = kept_crouched(&terrain);
    crowd.teleport(above, at(15.0, 2.01, 5.0)).unwrap();
    let bytes = crowd.save_character(above).unwrap();
    crowd.teleport(above, at(5.0, 1.7, 5.0)).unwrap();
    crowd.tick(&terrain, &[], TICK);
    crowd.restore_character(above, &bytes).unwrap();
    for _ in 0..5 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert!(!crowd.is_crouched(below));
}

#[test]
fn floor_that_is_built_anew_is_noticed_if_it_is_another() {
    let floor = |height: f64| {
        let corners = [
            Point3::new(-5.0, height - 1.0, -5.0),
            Point3::new(5.0, height, 5.0),
        ];
        Shapes::from_boxes(ObjectId(1), Position::default(), &[corners])
    };
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(0.0, 1.5, 0.0)));
    for _ in 0..120 {
        crowd.tick(&floor(0.0), &[], TICK);
    }
    assert_eq!(crowd.tick(&floor(0.0), &[], TICK).settled, 0);
    for _ in 0..120 {
        crowd.tick(&floor(-3.0), &[], TICK);
    }
    assert!(height(&crowd, id) < -1.0);
}

#[test]
fn turning_away_wakes_former_neighbours() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let below = crowd.add(standing(2.0, 10.0));
    for _ in 0..20 {
        crowd.tick(&terrain, &[(below, walk(0.0, 0.0).crouching())], TICK);
    }
    // One end lies over the one below, and once turned it is farther away than a change wakes.
    let long = Character::at(at(9.0, 1.44, 10.0)).with_mode(Mode::Fly);
    let long = crowd.add(long.with_radii(0.4, 8.0).with_up(Vector3::x()));
    for _ in 0..60 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert_eq!(crowd.tick(&terrain, &[], TICK).stepped, 0);
    assert!(crowd.is_crouched(below));
    crowd.set_up(long, Vector3::z()).unwrap();
    for _ in 0..5 {
        crowd.tick(&terrain, &[], TICK);
    }
    assert!(!crowd.is_crouched(below));
}

/// Boxes that count their queries.
struct Asked {
    floor: Shapes,
    unchanged: AtomicU32,
    surface: AtomicU32,
}

impl Asked {
    /// Returns the number of queries since the last call.
    fn take(&self) -> [u32; 2] {
        [&self.unchanged, &self.surface].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

impl Terrain for Asked {
    fn revision(&self) -> u64 {
        self.floor.revision()
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        self.unchanged.fetch_add(1, Ordering::Relaxed);
        self.floor.unchanged(memory)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut crate::Candidates) {
        self.floor.gather(reach, memory, out);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.floor.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.floor.contents(at, memory)
    }

    fn has_moving_surfaces(&self) -> bool {
        true
    }

    /// Moves the half of the floor beyond 20 m like a belt.
    fn surface_velocity(&self, _: ObjectId, at: &Position) -> Vector3<f32> {
        self.surface.fetch_add(1, Ordering::Relaxed);
        let on_belt = at.cell.x >= 20;
        Vector3::z() * if on_belt { 1.0 } else { 0.0 }
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.floor.carry(object, at)
    }
}

#[test]
fn sleepers_beside_a_belt_are_not_looked_at() {
    let terrain = Asked {
        floor: arena(40.0, &[]),
        unchanged: AtomicU32::new(0),
        surface: AtomicU32::new(0),
    };
    let mut crowd = Crowd::new();
    for i in 0..150 {
        let (x, z) = (f64::from(i % 15), f64::from(i / 15));
        crowd.add(standing(1.0 + 1.2 * x, 1.0 + 1.2 * z));
    }
    let riders = [25.0, 30.0].map(|x| crowd.add(standing(x, 5.0)));
    let stepper = crowd.add(standing(19.0, 30.0));
    for _ in 0..30 {
        crowd.tick(&terrain, &[], TICK);
    }
    terrain.take();
    crowd.tick(&terrain, &[], TICK);
    let [unchanged, surface] = terrain.take();
    assert_eq!(unchanged, 0);
    assert!(surface < 10, "{surface}");
    // A ride to the wall takes 35 s; then riders press against it, and are still looked at.
    let before = riders.map(|id| crowd.position(id).unwrap());
    for _ in 0..60 {
        crowd.tick(&terrain, &[(stepper, walk(2.0, 0.0))], TICK);
    }
    for (id, before) in riders.into_iter().zip(before) {
        let way = crowd.position(id).unwrap().since(&before);
        assert!((way - Vector3::z()).norm() < 1e-3, "{way}");
    }
    // One that came to the belt by itself rides from then on.
    let before = crowd.position(stepper).unwrap();
    for _ in 0..60 {
        crowd.tick(&terrain, &[], TICK);
    }
    let way = crowd.position(stepper).unwrap().since(&before);
    assert!((way - Vector3::z()).norm() < 1e-3, "{way}");
}

#[test]
fn starting_belt_wakes_its_sleepers() {
    let mut floor = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    for _ in 0..30 {
        crowd.tick(&floor, &[], TICK);
    }
    assert_eq!(crowd.tick(&floor, &[], TICK).stepped, 0);
    let start = crowd.position(id).unwrap();
    floor.set_surface_velocity(Vector3::x() * 2.0);
    for _ in 0..60 {
        crowd.tick(&floor, &[], TICK);
    }
    floor.set_surface_velocity(Vector3::zeros());
    for _ in 0..60 {
        crowd.tick(&floor, &[], TICK);
    }
    let way = crowd.position(id).unwrap().since(&start);
    assert!((way - Vector3::x() * 2.0).norm() < 1e-3, "{way}");
    assert_eq!(crowd.tick(&floor, &[], TICK).stepped, 0);
}
