//! Changes of a character: its up axis, its shape, its mode; and terrain that rules let it pass.

use super::*;
use crate::crowd::state::LARGEST_IN;
use crate::{Contact, ContactResponse, Mode, Rules, Settings, Sides, Together, TriangleSoup};

/// Makes a rock with a shaft of a metre square from height 0 up.
fn shaft() -> Shapes {
    let point = Point3::new;
    let boxes = [
        [point(-5.0, -1.0, -5.0), point(5.0, 0.0, 5.0)],
        [point(-5.0, 0.0, -5.0), point(-0.5, 6.0, 5.0)],
        [point(0.5, 0.0, -5.0), point(5.0, 6.0, 5.0)],
        [point(-0.5, 0.0, -5.0), point(0.5, 6.0, -0.5)],
        [point(-0.5, 0.0, 0.5), point(0.5, 6.0, 5.0)],
    ];
    Shapes::from_boxes(ObjectId(1), Position::default(), &boxes)
}

#[test]
fn character_on_an_edge_is_not_flung_when_up_turns() {
    let corners = [Point3::new(-9.0, -1.0, -9.0), Point3::new(0.0, 0.0, 9.0)];
    let block = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
    let mut settings = Settings::default();
    (settings.mover.ledge, settings.mover.landing) = (0.95, 0.95);
    for degrees in [30.0_f32, 80.0, 88.0, 89.5, 89.9] {
        let up = Vector3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0);
        let side = Vector3::new(up.y, -up.x, 0.0);
        for part in 0..24 {
            let mut crowd = Crowd::new();
            let id = crowd.add(Character::at(at(0.2, 0.91, 0.0)).with_settings(settings));
            for _ in 0..10 {
                crowd.tick(&block, &[], TICK);
            }
            assert!(crowd.is_grounded(id));
            crowd.set_up(id, up).unwrap();
            let angle = (15.0 * part as f32).to_radians();
            let wish = (side * angle.cos() + Vector3::z() * angle.sin()) * 5.0;
            let before = crowd.position(id).unwrap();
            crowd.tick(&block, &[(id, Intent::walk(wish))], TICK);
            let moved = crowd.position(id).unwrap().since(&before).norm();
            assert!(moved < 0.12, "{moved} m at once, turned by {degrees}");
        }
    }
}

#[test]
fn leaving_no_clip_beside_a_character_leaves_neither_in_rock() {
    let rock = shaft();
    let mut dice = Dice(3);
    for _ in 0..100 {
        let mut crowd = Crowd::new();
        crowd.add(standing(0.0, 0.0));
        let (x, y) = (dice.between(0.15, 0.6), dice.between(0.91, 1.6));
        let place = at(
            f64::from(x),
            f64::from(y),
            f64::from(dice.between(-0.3, 0.3)),
        );
        let id = crowd.add(Character::at(place).with_mode(Mode::NoClip));
        let pass = Intent {
            mode: Mode::NoClip,
            ..Intent::default()
        };
        for _ in 0..5 {
            crowd.tick(&rock, &[(id, pass)], TICK);
        }
        for tick in 0..60 {
            crowd.tick(&rock, &[(id, walk(0.0, 0.0))], TICK);
            let state = crowd.state(id).unwrap();
            let [x, _, z] = state.position.to_metres().coords.into();
            let inside = x.abs().max(z.abs()) > 0.1001;
            assert!(!inside || state.is_held(), "tick {tick}: free at {x}, {z}");
        }
    }
}

#[test]
fn character_that_stood_up_in_the_air_goes_on_alike_after_restore() {
    let terrain = arena(40.0, &[]);
    let mut lacking = 0;
    for height_over in 0..400 {
        let mut crowd = Crowd::new();
        let place = at(20.0, 1.2 + f64::from(height_over) * 1e-3, 20.0);
        let id = crowd.add(Character::at(place));
        while height(&crowd, id) >= 0.909 {
            crowd.tick(&terrain, &[(id, walk(0.0, 0.0).crouching())], TICK);
        }
        crowd.tick(&terrain, &[(id, walk(0.0, 0.0))], TICK);
        if crowd.is_crouched(id) {
            continue;
        }
        lacking += u32::from(height(&crowd, id) < 0.9099);
        for _ in 0..10 {
            let mut other = Crowd::new();
            other.restore(&crowd.save()).unwrap();
            for crowd in [&mut crowd, &mut other] {
                crowd.tick(&terrain, &[(id, walk(1.0, 0.0))], TICK);
            }
            assert_eq!(other.state_hash(), crowd.state_hash());
        }
        assert!(height(&crowd, id) >= 0.9099, "{}", height(&crowd, id));
    }
    assert!(
        lacking > 0,
        "nobody stood up so low that it lacked its skin"
    );
}

#[test]
fn character_taller_when_crouched_waits_for_room() {
    let point = Point3::new;
    let ceiling = [point(0.0, 1.3, 0.0), point(8.0, 3.0, 8.0)];
    let terrain = arena(8.0, &[ceiling]);
    let mut crowd = Crowd::new();
    let low = Character::at(at(4.0, 0.6, 4.0)).with_radii(0.4, 0.5);
    let id = crowd.add(low.with_crouched(0.9));
    for _ in 0..60 {
        crowd.tick(&terrain, &[(id, walk(0.0, 0.0).crouching())], TICK);
        assert!(!crowd.is_crouched(id));
    }
    crowd.teleport(id, at(4.0, 4.0, 4.0)).unwrap();
    crowd.tick(&terrain, &[(id, walk(0.0, 0.0).crouching())], TICK);
    assert!(crowd.is_crouched(id));
}

/// Rules that let every character pass one object.
struct Door(ObjectId);

impl Rules for Door {
    fn contact(&self, _: CharacterId, contact: &Contact) -> ContactResponse {
        if contact.object == self.0 {
            ContactResponse::Ignore
        } else {
            ContactResponse::Keep
        }
    }
}

#[test]
fn terrain_passed_by_rules_holds_no_character_when_other_terrain_moves() {
    let point = Point3::new;
    let block = [point(2.0, 0.0, 0.0), point(5.0, 3.0, 8.0)];
    let far = [point(100.0, 0.0, 0.0), point(101.0, 1.0, 1.0)];
    let (floor, door) = (
        arena(8.0, &[]),
        Shapes::from_boxes(ObjectId(2), Position::default(), &[block]),
    );
    let mut other = Shapes::from_boxes(ObjectId(3), Position::default(), &[far]);
    let mut crowd = Crowd::new();
    // Two side by side, which also push each other inside.
    let ids = [3.8, 4.2].map(|z| crowd.add(standing(1.0, z)));
    let intents = ids.map(|id| (id, walk(3.0, 0.0)));
    for tick in 0..120 {
        other.advance(Vector3::new(
            0.0,
            0.0,
            if tick % 2 == 0 { 0.01 } else { -0.01 },
        ));
        let parts: [&dyn Terrain; 3] = [&floor, &door, &other];
        crowd.tick_with(&Together::new(&parts), &intents, TICK, &Door(ObjectId(2)));
        let pushed = |kind: &EventKind| {
            matches!(
                kind,
                EventKind::Pushed {
                    by: crate::Other::Terrain(_),
                    ..
                }
            )
        };
        assert_eq!(count(crowd.events(), pushed), 0, "tick {tick}");
    }
    for id in ids {
        let x = crowd.position(id).unwrap().to_metres().x;
        assert!(x > 6.5, "{x}");
    }
}

#[test]
fn floor_passed_by_rules_bears_no_character_level_with_another_floor() {
    let point = Point3::new;
    let block = |east: f64| [point(0.0, -1.0, 0.0), point(east, 0.0, 8.0)];
    let boxes = |id, east| Shapes::from_boxes(ObjectId(id), Position::default(), &[block(east)]);
    // The passable box comes first in every order, and continues where the floor ends.
    let (ghost, floor) = (boxes(1, 20.0), boxes(2, 6.0));
    let parts: [&dyn Terrain; 2] = [&ghost, &floor];
    let terrain = Together::new(&parts);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 4.0));
    let mut borne = 0;
    for tick in 0..120 {
        crowd.tick_with(&terrain, &[(id, walk(3.0, 0.0))], TICK, &Door(ObjectId(1)));
        if let Some(ground) = crowd.state(id).unwrap().ground {
            assert_eq!(ground.object, ObjectId(2), "tick {tick}");
            borne += 1;
        }
    }
    assert!(borne > 60, "{borne}");
    assert!(height(&crowd, id) < -1.0, "{}", height(&crowd, id));
}

#[test]
fn character_rising_through_a_one_sided_sheet_is_lifted_onto_it() {
    let corner = |x: f64, z: f64| Point3::new(x, 2.5, z);
    let corners = [
        corner(1.0, 1.0),
        corner(1.0, 7.0),
        corner(7.0, 7.0),
        corner(7.0, 1.0),
    ];
    let far = [Point3::new(100.0, 0.0, 0.0), Point3::new(101.0, 1.0, 1.0)];
    let heights = [false, true].map(|stirs| {
        let floor = arena(8.0, &[]);
        let mut other = Shapes::from_boxes(ObjectId(3), Position::default(), &[far]);
        let mut sheet = TriangleSoup::new(ObjectId(2), Position::default());
        let [a, b, c, d] = corners;
        sheet.insert([a, b, c], Sides::Front).unwrap();
        sheet.insert([a, c, d], Sides::Front).unwrap();
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(4.0, 4.0));
        for tick in 0..90 {
            if stirs {
                other.advance(Vector3::new(
                    0.0,
                    0.0,
                    if tick % 2 == 0 { 0.01 } else { -0.01 },
                ));
            }
            let parts: [&dyn Terrain; 3] = [&floor, &sheet, &other];
            let jump = if tick == 5 { 8.5 } else { 0.0 };
            crowd.tick(
                &Together::new(&parts),
                &[(id, walk(0.0, 0.0).jumping(jump))],
                TICK,
            );
        }
        assert!(crowd.is_grounded(id));
        height(&crowd, id)
    });
    assert!((heights[0] - 3.41).abs() < 1e-3, "{heights:?}");
    assert!((heights[1] - heights[0]).abs() < 1e-3, "{heights:?}");
}

/// Rules that let every character pass all terrain.
struct Passing;

impl Rules for Passing {
    fn contact(&self, _: CharacterId, _: &Contact) -> ContactResponse {
        ContactResponse::Ignore
    }
}

#[test]
fn embedded_character_is_freed_and_held_by_rules() {
    let rock = [Point3::new(0.0, 0.0, 0.0), Point3::new(10.0, 10.0, 10.0)];
    let rock = Shapes::from_boxes(ObjectId(2), Position::default(), &[rock]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(5.0, 5.0, 5.0)));
    for _ in 0..3 {
        crowd.tick(&rock, &[], TICK);
    }
    assert!(crowd.state(id).unwrap().embedded);
    crowd.wake_all();
    for _ in 0..5 {
        crowd.tick_with(&rock, &[], TICK, &Passing);
    }
    assert!(!crowd.state(id).unwrap().embedded);
    crowd.wake_all();
    for _ in 0..5 {
        crowd.tick(&rock, &[], TICK);
    }
    assert!(crowd.state(id).unwrap().embedded);
}

#[test]
fn unused_settings_make_room() {
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(1.0, 1.0));
    crowd.add(standing(4.0, 4.0));
    for step in 0..70_000_u32 {
        let settings = Settings {
            gravity: 20.0 + step as f32 * 1e-3,
            ..Settings::default()
        };
        assert_eq!(crowd.set_settings(id, &settings), Ok(()), "{step}");
    }
    // Far fewer than there were, at four bytes a number.
    let most = 70 * 4 * Settings::COUNT;
    assert!(crowd.save().len() < most, "{}", crowd.save().len());
}

#[test]
fn teleport_from_rock_into_rock_reports_no_freedom() {
    let rock = [Point3::origin(), Point3::new(20.0, 20.0, 20.0)];
    let rock = Shapes::from_boxes(ObjectId(2), Position::default(), &[rock]);
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(5.0, 5.0, 5.0)));
    for _ in 0..3 {
        crowd.tick(&rock, &[], TICK);
    }
    let told = |crowd: &Crowd| count(crowd.events(), |kind| *kind == EventKind::Rescued);
    crowd.teleport(id, at(14.0, 14.0, 14.0)).unwrap();
    crowd.tick(&rock, &[], TICK);
    assert!(crowd.state(id).unwrap().embedded);
    assert_eq!(told(&crowd), 0);
    crowd.teleport(id, at(14.0, 24.0, 14.0)).unwrap();
    crowd.tick(&rock, &[], TICK);
    assert!(!crowd.state(id).unwrap().embedded);
    assert_eq!(told(&crowd), 1);
}

#[test]
fn large_growth_waits_for_room_all_the_way_up() {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let tall = Character::at(at(5.0, 3.01, 5.0)).with_radii(0.4, 3.0);
    let below = crowd.add(tall.with_crouched(0.5));
    for _ in 0..90 {
        crowd.tick(&terrain, &[(below, walk(0.0, 0.0).crouching())], TICK);
    }
    let flyer = Character::at(at(5.0, 5.0, 5.0)).with_radii(0.4, 0.4);
    let above = crowd.add(flyer.with_mode(Mode::Fly));
    let start = crowd.position(above);
    for _ in 0..20 {
        crowd.tick(&terrain, &[], TICK);
        let taken_back = |kind: &EventKind| *kind == EventKind::MoveTakenBack;
        assert_eq!(count(crowd.events(), taken_back), 0);
    }
    assert!(crowd.is_crouched(below));
    assert_eq!(crowd.position(above), start);
}

#[test]
fn skins_wider_than_sleepers_look_are_refused() {
    let mut settings = crate::Settings::default();
    settings.mover.skin = 1.2;
    let wide = standing(5.0, 5.0).with_settings(settings);
    assert!(Crowd::new().try_add(wide).is_err());
    settings.mover.skin = 0.35;
    assert!(settings.is_valid());
}

#[test]
fn character_touching_a_wall_enters_terrain_passed_by_rules() {
    let point = Point3::new;
    let floor = arena(8.0, &[[point(0.0, 0.0, 4.65), point(8.0, 3.0, 8.0)]]);
    let block = [point(2.0, 0.0, 0.0), point(5.0, 3.0, 4.0)];
    let door = Shapes::from_boxes(ObjectId(2), Position::default(), &[block]);
    let mut crowd = Crowd::new();
    // Beside the door's side, off the character's path.
    let id = crowd.add(standing(1.0, 4.2));
    for _ in 0..120 {
        let parts: [&dyn Terrain; 2] = [&floor, &door];
        let intents = [(id, walk(3.0, 1.0))];
        crowd.tick_with(&Together::new(&parts), &intents, TICK, &Door(ObjectId(2)));
        let taken_back = |kind: &EventKind| matches!(kind, EventKind::MoveTakenBack);
        assert_eq!(count(crowd.events(), taken_back), 0);
    }
    assert!(crowd.position(id).unwrap().to_metres().x > 5.5);
}

#[test]
fn removed_largest_character_no_longer_widens_searches() {
    let terrain = arena(40.0, &[]);
    let mut crowd = Crowd::new();
    for x in 1..10 {
        crowd.add(standing(f64::from(x), 1.0));
    }
    crowd.tick(&terrain, &[], TICK);
    let usual = crowd.largest;
    let giant = Character::at(at(20.0, 8.1, 20.0)).with_radii(8.0, 8.0);
    let giant = crowd.add(giant);
    let saved = crowd.save();
    assert!(crowd.largest.amin() >= 8.0);
    crowd.remove(giant);
    for _ in 0..LARGEST_IN {
        assert!(crowd.largest.amin() >= 8.0);
        crowd.tick(&terrain, &[], TICK);
    }
    assert_eq!(crowd.largest, usual);
    let small = crowd.save();
    crowd.restore(&saved).unwrap();
    assert!(crowd.largest.amin() >= 8.0);
    crowd.restore(&small).unwrap();
    assert_eq!(crowd.largest, usual);
}
