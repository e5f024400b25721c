//! Characters among characters: none inside another, none inside a wall.

use super::*;
use crate::kernels::ellipsoids::separate;
use crate::mover::{Body, Radii};
use crate::tolerance::OVERLAP_SLACK;

fn all_intents(
    ids: &[CharacterId],
    mut wish: impl FnMut(CharacterId) -> Intent,
) -> Vec<(CharacterId, Intent)> {
    ids.iter().map(|&id| (id, wish(id))).collect()
}

fn inside_arena(crowd: &Crowd, size: f64) -> bool {
    crowd.bodies().all(|(_, body)| {
        let place = body.position.to_metres();
        let across = f64::from(body.radii.across);
        let fits = |part: f64| part - across > -1e-3 && part + across < size + 1e-3;
        fits(place.x) && fits(place.z) && place.y > f64::from(body.radii.along) - 1e-3
    })
}

#[test]
fn two_meet_head_on_and_neither_enters_the_other() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let a = crowd.add(standing(3.0, 6.0));
    let b = crowd.add(standing(9.0, 6.0));
    for _ in 0..120 {
        crowd.tick(&terrain, &[(a, walk(5.0, 0.0)), (b, walk(-5.0, 0.0))], TICK);
        assert!(deepest_overlap(&crowd) <= OVERLAP_SLACK);
    }
    let gap = crowd
        .position(b)
        .unwrap()
        .since(&crowd.position(a).unwrap());
    assert!((0.8..0.83).contains(&gap.norm()), "{gap}");
}

#[test]
fn two_characters_meeting_within_a_tick_are_kept_apart() {
    let terrain = arena(12.0, &[]);
    let mut pushes = 0;
    for step in 0..100 {
        for (one, two) in [(5.0, -5.0), (9.0, -4.0), (3.0, -8.0)] {
            let mut crowd = Crowd::new();
            let a = crowd.add(standing(4.0, 6.0));
            let b = crowd.add(standing(5.0 + f64::from(step) * 0.004, 6.0));
            crowd.tick(&terrain, &[], TICK);
            for _ in 0..6 {
                let report =
                    crowd.tick(&terrain, &[(a, walk(one, 0.0)), (b, walk(two, 0.0))], TICK);
                pushes += report.pushes;
                let overlap = deepest_overlap(&crowd);
                assert!(overlap <= OVERLAP_SLACK, "{step}: {one} {two} {overlap}");
            }
        }
    }
    assert!(pushes > 100, "{pushes}");
}

/// Two characters without room, because walls press them into each other, run into a third, or the
/// third into them.
#[test]
fn blocked_pair_does_not_let_a_third_overlap() {
    let point = Point3::new;
    let walls = [
        [point(0.0, 0.0, 4.0), point(30.0, 3.0, 5.0)],
        [point(0.0, 0.0, 6.592), point(30.0, 3.0, 7.6)],
    ];
    let terrain = arena(30.0, &walls);
    for step in 0..50 {
        let mut crowd = Crowd::new();
        let a = crowd.add(standing(6.0, 5.4005));
        let b = crowd.add(standing(6.0, 6.1915));
        let third = crowd.add(standing(12.0 + f64::from(step) * 0.04, 5.796));
        let run = walk(60.0, 0.0);
        for tick in 0..20 {
            let intents = [(a, run), (b, run), (third, walk(-60.0, 0.0))];
            crowd.tick(&terrain, &intents, TICK);
            let overlap = deepest_overlap(&crowd);
            assert!(overlap < 0.0105, "{step}, tick {tick}: {overlap}");
        }
    }
}

#[test]
fn a_crowd_walking_to_one_point_settles() {
    let size = 16.0;
    let terrain = arena(size, &[]);
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..100 {
        let (x, z) = (1.0 + f64::from(i % 10) * 1.5, 1.0 + f64::from(i / 10) * 1.5);
        ids.push(crowd.add(standing(x, z)));
    }
    let mut taken_back = 0;
    for _ in 0..400 {
        let intents = all_intents(&ids, |id| {
            let place = crowd.position(id).unwrap().to_metres();
            let way = Vector3::new(8.0 - place.x as f32, 0.0, 8.0 - place.z as f32);
            Intent::walk(way * (5.0 / way.norm().max(1.0)))
        });
        let report = crowd.tick(&terrain, &intents, TICK);
        taken_back += report.taken_back;
        let told = count(crowd.events(), |kind| *kind == EventKind::MoveTakenBack);
        assert!(told >= report.taken_back as usize);
        assert!(deepest_overlap(&crowd) <= OVERLAP_SLACK);
        assert!(inside_arena(&crowd, size));
    }
    let far = |id: &CharacterId| {
        let place = crowd.position(*id).unwrap().to_metres();
        (place.x - 8.0).hypot(place.z - 8.0)
    };
    let farthest = ids.iter().map(far).fold(0.0, f64::max);
    assert!(farthest < 6.5, "{farthest}");
    assert!(taken_back < 4000, "{taken_back}");
}

#[test]
fn five_hundred_in_one_room_stay_inside_its_walls() {
    let size = 20.0;
    let wall = [Point3::new(10.0, 0.0, 0.0), Point3::new(10.2, 3.0, size)];
    let terrain = arena(size, &[wall]);
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for i in 0..400 {
        let (x, z) = (
            0.5 + f64::from(i % 11) * 0.88,
            0.5 + f64::from(i / 11) * 0.52,
        );
        ids.push(crowd.add(standing(x, z).with_radii(0.25, 0.9)));
    }
    for _ in 0..240 {
        crowd.tick(&terrain, &all_intents(&ids, |_| walk(5.0, 1.0)), TICK);
    }
    for id in ids {
        assert!(crowd.position(id).unwrap().to_metres().x < 10.0 - 0.249);
    }
    assert!(deepest_overlap(&crowd) <= OVERLAP_SLACK);
}

#[test]
fn layers_that_do_not_meet_pass_through_each_other() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let a = crowd.add(standing(5.0, 6.0).with_layers(1, 1));
    let b = crowd.add(standing(7.0, 6.0).with_layers(2, 2));
    for _ in 0..60 {
        crowd.tick(&terrain, &[(a, walk(5.0, 0.0)), (b, walk(-5.0, 0.0))], TICK);
    }
    let x = |id| crowd.position(id).unwrap().to_metres().x;
    assert!(x(a) > 9.0 && x(b) < 3.0);
}

#[test]
fn rules_let_friends_pass_and_contacts_be_ignored() {
    struct Ghosts;
    impl crate::Rules for Ghosts {
        fn meets(&self, _: CharacterId, _: CharacterId) -> bool {
            false
        }
        fn contact(&self, _: CharacterId, contact: &crate::Contact) -> crate::ContactResponse {
            if contact.normal.y.abs() > 0.5 {
                crate::ContactResponse::Keep
            } else {
                crate::ContactResponse::Ignore
            }
        }
    }
    let terrain = arena(
        12.0,
        &[[Point3::new(6.0, 0.0, 0.0), Point3::new(6.5, 3.0, 12.0)]],
    );
    let mut crowd = Crowd::new();
    let a = crowd.add(standing(4.0, 6.0));
    let b = crowd.add(standing(5.0, 6.0));
    for _ in 0..60 {
        let intents = [(a, walk(5.0, 0.0)), (b, walk(-2.0, 0.0))];
        crowd.tick_with(&terrain, &intents, TICK, &Ghosts);
    }
    let x = |id| crowd.position(id).unwrap().to_metres().x;
    assert!(x(a) > 7.5 && x(b) < 4.0, "{} {}", x(a), x(b));
}

#[test]
fn at_six_hundred_metres_a_second_the_one_in_the_way_stops_it() {
    let terrain = arena(40.0, &[]);
    let mut crowd = Crowd::new();
    let bullet = crowd.add(standing(2.0, 20.0));
    let target = crowd.add(standing(10.0, 20.0));
    crowd.tick(&terrain, &[], TICK);
    crowd.tick(
        &terrain,
        &[(bullet, Intent::fly(Vector3::new(600.0, 0.0, 0.0)))],
        TICK,
    );
    let gap = crowd
        .position(target)
        .unwrap()
        .since(&crowd.position(bullet).unwrap());
    assert!((0.8..0.83).contains(&gap.x), "{gap}");
}

#[test]
fn unlike_ones_added_into_each_other_part() {
    let terrain = arena(10.0, &[]);
    // Along the diagonal a ball and a tall ellipsoid overlap by more than 3 cm where the ellipsoid
    // with their summed radii is not yet reached.
    for share in [0.98, 1.0, 1.02, 1.025] {
        let mut crowd = Crowd::new();
        let (side, rise) = (0.8 * 0.707 * share, 1.5 * 0.707 * share);
        let hover = |x: f64, y: f64, radii: (f32, f32)| {
            let character = Character::at(at(x, y, 5.0)).with_mode(Mode::Fly);
            character.with_radii(radii.0, radii.1)
        };
        crowd.add(hover(5.0, 4.0, (0.3, 1.0)));
        crowd.add(hover(5.0 + side, 4.0 + rise, (0.5, 0.5)));
        let before = deepest_overlap(&crowd);
        assert!(before > OVERLAP_SLACK, "{share}: {before}");
        for _ in 0..30 {
            crowd.tick(&terrain, &[], TICK);
        }
        let after = deepest_overlap(&crowd);
        assert!(after <= OVERLAP_SLACK, "{share}: {before} {after}");
    }
}

/// Returns hovering characters, each as deep in an earlier one as is just tolerated, as many as
/// chance finds room for between the walls of a small arena.
fn cluster(dice: &mut Dice, size: f64) -> Crowd {
    let shapes = [(0.4, 0.9), (0.3, 0.6), (0.5, 0.5), (0.25, 0.8)];
    let mut crowd = Crowd::new();
    for _ in 0..60 {
        let (across, along) = shapes[(dice.roll() * 4.0) as usize];
        let mut bodies: Vec<_> = crowd.bodies().map(|(_, body)| body).collect();
        let mut part = || f64::from(dice.between(-1.0, 1.0));
        let way = Vector3::new(part(), part(), part());
        let mut place = at(0.5 * size, 1.2, 0.5 * size);
        if !bodies.is_empty() {
            let other = bodies.swap_remove((dice.roll() * bodies.len() as f32) as usize);
            let (mut near, mut far) = (0.0, 4.0);
            for _ in 0..40 {
                let middle = 0.5 * (near + far);
                place = other.position.moved((way * middle).cast());
                let body = Body {
                    position: place,
                    radii: Radii::new(across, along),
                    up: Vector3::y(),
                };
                if separate(&body, &other).distance < -0.96 * OVERLAP_SLACK {
                    near = middle
                } else {
                    far = middle
                }
            }
        }
        let id = crowd.add(
            Character::at(place)
                .with_radii(across, along)
                .with_mode(Mode::Fly),
        );
        let (at, half) = (place.to_metres(), f64::from(across) + 0.011);
        let fits = |part: f64| (half..size - half).contains(&part);
        let stands = fits(at.x) && fits(at.z) && at.y > f64::from(along) + 0.011 && at.y < 2.5;
        if !stands || deepest_overlap(&crowd) > OVERLAP_SLACK {
            crowd.remove(id);
        }
    }
    crowd
}

#[test]
fn what_is_let_be_does_not_grow() {
    let size = 2.5;
    let terrain = arena(size, &[]);
    let mut dice = Dice(1);
    let mut let_be = 0;
    for case in 0..300 {
        let mut crowd = cluster(&mut dice, size);
        let ids: Vec<_> = crowd.bodies().map(|(id, _)| id).collect();
        let_be += i32::from(deepest_overlap(&crowd) > 0.5 * OVERLAP_SLACK);
        for tick in 0..3 {
            let intents = all_intents(&ids, |_| {
                let mut part = || dice.between(-30.0, 30.0);
                Intent::fly(Vector3::new(part(), part(), part()))
            });
            crowd.tick(&terrain, &intents, TICK);
            let overlap = deepest_overlap(&crowd);
            assert!(overlap <= OVERLAP_SLACK, "{case}, {tick}: {overlap}");
        }
    }
    assert!(let_be > 200, "{let_be}");
}

#[test]
fn two_on_one_spot_with_different_axes_are_pushed_alike() {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let mut crowd = Crowd::new();
    let place = at(5.0, 5.0, 5.0);
    let flyer = Character::at(place).with_mode(Mode::Fly);
    let ids = [flyer, flyer.with_up(Vector3::x())].map(|one| crowd.add(one));
    crowd.tick(&nothing, &[], TICK);
    let [a, b] = ids.map(|id| crowd.position(id).unwrap().since(&place));
    assert!(a.norm() > 0.05 && (a + b).norm() < 1e-3, "{a} {b}");
}

/// Puts flyers together about a place in the air, added in an order. Returns, in the order of their
/// places, the displacement of each in a tick, and its push event: the pusher and the distance.
fn pushed_together(places: &[[f64; 2]], order: &[usize]) -> Vec<(f32, Option<(usize, f32)>)> {
    let terrain = arena(20.0, &[]);
    let mut crowd = Crowd::new();
    let mut ids = vec![CharacterId::NONE; places.len()];
    for &i in order {
        let place = at(2.0 + 2.0 * i as f64, 5.0, 3.0);
        ids[i] = crowd.add(Character::at(place).with_mode(Mode::Fly));
    }
    crowd.tick(&terrain, &[], TICK);
    let starts: Vec<_> = places.iter().map(|[x, z]| at(*x, 5.0, *z)).collect();
    for (id, start) in ids.iter().zip(&starts) {
        crowd.teleport(*id, *start).unwrap();
    }
    let report = crowd.tick(&terrain, &[], TICK);
    assert_eq!(report.taken_back, 0);
    let told = |id: CharacterId| {
        crowd.events().iter().find_map(|event| match event.kind {
            EventKind::Pushed {
                by: crate::Other::Character(by),
                distance,
            } if event.character == id => {
                Some((ids.iter().position(|&id| id == by).unwrap(), distance))
            }
            _ => None,
        })
    };
    let each = ids.iter().zip(&starts);
    each.map(|(&id, start)| {
        let went = crowd.position(id).unwrap().since(start).norm();
        (went, told(id))
    })
    .collect()
}

#[test]
fn push_event_tells_the_whole_distance() {
    let least = TICK;
    let mut dice = Dice(3);
    let (mut many, mut slow) = (0, 0);
    for _ in 0..60 {
        let places: Vec<_> = (0..9)
            .map(|i| {
                let mut place =
                    |cell: i32| 9.0 + 0.78 * f64::from(cell) + f64::from(dice.between(0.0, 0.1));
                [place(i % 3), place(i / 3)]
            })
            .collect();
        let order: Vec<_> = (0..9).collect();
        for (went, told) in pushed_together(&places, &order) {
            let error = (told.map_or(0.0, |(_, distance)| distance) - went).abs();
            if told.is_some() || went > least + 1e-4 {
                assert!(error < 1e-5, "went {went}, told {told:?}");
                many += 1;
                slow += usize::from(went < 6.0 * least);
            }
        }
    }
    assert!(many > 100 && slow > 50, "{many} {slow}");
}

#[test]
fn farthest_pusher_does_not_depend_on_order() {
    let mut dice = Dice(11);
    let mut told = 0;
    for round in 0..200 {
        let place = |dice: &mut Dice| 9.0 + f64::from(dice.between(0.0, 0.5));
        let places: Vec<_> = (0..6)
            .map(|_| [place(&mut dice), place(&mut dice)])
            .collect();
        let (forth, back): (Vec<_>, Vec<_>) = ((0..6).collect(), (0..6).rev().collect());
        let run = pushed_together(&places, &forth);
        assert_eq!(run, pushed_together(&places, &back), "round {round}");
        told += run.iter().filter(|(_, told)| told.is_some()).count();
    }
    assert!(told > 500, "{told}");
}
