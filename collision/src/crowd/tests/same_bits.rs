//! The state is the same on any number of threads and in any order of insertion.

use super::*;
use crate::Mode;

fn mixed_terrain() -> Shapes {
    let point = Point3::new;
    let boxes = [
        [point(4.0, 0.0, 4.0), point(6.0, 0.5, 16.0)],
        [point(10.0, 0.0, 3.0), point(11.0, 2.0, 12.0)],
        [point(14.0, 0.0, 14.0), point(18.0, 0.4, 18.0)],
        [point(15.0, 0.4, 15.0), point(17.0, 0.8, 17.0)],
    ];
    arena(20.0, &boxes)
}

fn places() -> Vec<Character> {
    let mut dice = Dice(7);
    let mut places = Vec::new();
    for i in 0..18 {
        for j in 0..18 {
            let (x, z) = (1.2 + f64::from(i) * 1.02, 1.2 + f64::from(j) * 1.02);
            let y = 3.0 + f64::from(dice.between(0.0, 2.0));
            let radii = (dice.between(0.2, 0.42), dice.between(0.5, 0.9));
            places.push(Character::at(at(x, y, z)).with_radii(radii.0, radii.1));
        }
    }
    places
}

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    pool.install(work)
}

/// Runs the scene with characters inserted in an order, and returns the hash and all positions.
fn run(threads: usize, order: &[usize]) -> (u64, Vec<Option<Position>>) {
    on_threads(threads, || {
        let terrain = mixed_terrain();
        let places = places();
        let mut crowd = Crowd::new();
        let mut ids = vec![CharacterId::NONE; places.len()];
        for &index in order {
            ids[index] = crowd.add(places[index]);
        }
        for tick in 0..180_u64 {
            let mut intents = Vec::new();
            for (index, &id) in ids.iter().enumerate() {
                let mut dice = Dice(tick / 40 * 1000 + index as u64);
                dice.roll();
                let (x, z) = (dice.between(-6.0, 6.0), dice.between(-6.0, 6.0));
                let jump = if dice.roll() > 0.9 { 6.0 } else { 0.0 };
                intents.push((id, walk(x, z).jumping(jump)));
            }
            crowd.tick(&terrain, &intents, TICK);
        }
        let ends = ids.iter().map(|&id| crowd.position(id)).collect();
        (crowd.state_hash(), ends)
    })
}

#[test]
fn threads_and_order_of_insertion_change_no_bit() {
    let forward: Vec<usize> = (0..places().len()).collect();
    let mut shuffled = forward.clone();
    let mut dice = Dice(99);
    for i in (1..shuffled.len()).rev() {
        shuffled.swap(i, (dice.roll() * (i + 1) as f32) as usize);
    }
    let alone = run(1, &forward);
    for threads in [2, 4, 8] {
        assert!(run(threads, &forward) == alone, "{threads} threads");
    }
    assert!(run(2, &shuffled) == alone, "shuffled");
}

/// Compares the result of a run on one thread, tick by tick, with runs on several.
fn same_on_all_threads<R: PartialEq>(run: impl Fn(usize) -> Vec<R>) {
    let alone = run(1);
    for threads in [2, 4, 8] {
        for (tick, (theirs, own)) in run(threads).iter().zip(&alone).enumerate() {
            assert!(theirs == own, "{threads} threads, tick {tick}");
        }
    }
}

/// Returns the results of valid and invalid intents, for characters and stale handles, and in every
/// third tick several for one.
fn handed_out(threads: usize) -> Vec<(u64, Vec<Event>)> {
    on_threads(threads, || {
        let terrain = mixed_terrain();
        let mut crowd = Crowd::new();
        let mut ids: Vec<CharacterId> = places().iter().map(|place| crowd.add(*place)).collect();
        crowd.remove(ids[200]);
        ids.push(CharacterId::NONE);
        let mut dice = Dice(5);
        (0..60)
            .map(|tick| {
                let mut intents = Vec::new();
                let [turning, doubled] = [tick % 10 == 0, tick % 3 == 0];
                for &id in &ids {
                    if dice.roll() > 0.95 {
                        continue;
                    }
                    let turns = dice.roll() > if turning { 0.3 } else { 0.97 };
                    let way = if turns { 4.0 } else { 2.0 };
                    let x = if dice.roll() > 0.99 { f32::NAN } else { way };
                    intents.push((id, walk(x, 1.0)));
                    if doubled && dice.roll() > 0.9 {
                        intents.push((id, walk(x, 3.0)));
                    }
                }
                if doubled {
                    let last = intents.len() - 1;
                    intents.swap(0, last);
                    intents.swap(7, last / 2);
                }
                crowd.tick(&terrain, &intents, TICK);
                (crowd.state_hash(), crowd.events().to_vec())
            })
            .collect()
    })
}

#[test]
fn thread_count_changes_no_intent() {
    same_on_all_threads(handed_out);
}

/// Returns the events, tick by tick, of 400 characters that all overlap.
fn throng(threads: usize) -> Vec<Vec<Event>> {
    on_threads(threads, || {
        let terrain = mixed_terrain();
        let mut crowd = Crowd::new();
        let mut dice = Dice(11);
        for _ in 0..400 {
            let (x, z) = (dice.between(3.0, 17.0), dice.between(3.0, 17.0));
            crowd.add(Character::at(at(f64::from(x), 4.0, f64::from(z))));
        }
        (0..20)
            .map(|_| {
                crowd.tick(&terrain, &[], TICK);
                crowd.events().to_vec()
            })
            .collect()
    })
}

#[test]
fn threads_change_no_event() {
    same_on_all_threads(throng);
}

#[test]
fn what_happens_in_a_tick_is_told_once() {
    let mut pushes = 0;
    for events in throng(2) {
        for pair in events.windows(2) {
            let [a, b] = [0, 1].map(|i| (pair[i].character, std::mem::discriminant(&pair[i].kind)));
            assert!(a != b, "{pair:?}");
        }
        let is_push = |event: &&Event| matches!(event.kind, EventKind::Pushed { .. });
        pushes += events.iter().filter(is_push).count();
    }
    assert!(pushes > 400, "{pushes} pushes");
}

#[test]
fn whole_cells_away_the_local_motion_has_the_same_bits() {
    let run = |cell: Cell| {
        let boxes = [
            [Point3::new(0.0, -1.0, 0.0), Point3::new(12.0, 0.0, 12.0)],
            [Point3::new(5.0, 0.0, 5.0), Point3::new(7.0, 0.5, 7.0)],
        ];
        let origin = Position::new(cell, Vector3::zeros());
        let terrain = Shapes::from_boxes(ObjectId(1), origin, &boxes);
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (0..16)
            .map(|i| {
                let offset = Vector3::new((i % 4) as f32 + 4.0, 1.5, (i / 4) as f32 + 4.0);
                crowd.add(Character::at(Position::new(cell, offset)))
            })
            .collect();
        for tick in 0..90 {
            let intent = walk(if tick < 50 { 2.0 } else { -3.0 }, 1.0);
            let intents: Vec<_> = ids.iter().map(|&id| (id, intent)).collect();
            crowd.tick(&terrain, &intents, TICK);
        }
        let local = |id: &CharacterId| {
            let position = crowd.position(*id).unwrap();
            let cell = position.cell.zip_map(&cell, i32::wrapping_sub);
            (cell, position.offset.map(f32::to_bits))
        };
        ids.iter().map(local).collect::<Vec<_>>()
    };
    let near = run(Cell::zeros());
    for far in [
        Cell::new(1_000_001, 7, -1_000_000),
        Cell::new(i32::MAX - 30, i32::MIN + 30, 2_000_000_000),
    ] {
        assert_eq!(run(far), near);
    }
}

/// Prepares one tick of a busy place: some walk fast, some teleport, some leave, some arrive, some
/// crouch.
fn disturb(crowd: &mut Crowd, ids: &mut [CharacterId], tick: u64) -> Vec<(CharacterId, Intent)> {
    let mut dice = Dice(tick * 7919);
    dice.roll();
    let mut pick = |count: usize| (dice.roll() * count as f32) as usize;
    if tick % 11 == 3 {
        let to = at(1.5 + pick(17) as f64, 2.0, 1.5 + pick(17) as f64);
        crowd.teleport(ids[pick(ids.len())], to).unwrap();
    }
    if tick % 17 == 5 {
        let gone = pick(ids.len());
        assert!(crowd.remove(ids[gone]));
        ids[gone] = crowd.add(standing(1.5 + pick(17) as f64, 1.5 + pick(17) as f64));
    }
    let each = ids.iter().enumerate().map(|(index, &id)| {
        let mut dice = Dice(tick / 20 * 1000 + index as u64);
        dice.roll();
        let speed = if index % 16 == 0 { 9.0 } else { 4.0 };
        let (x, z) = (dice.between(-speed, speed), dice.between(-speed, speed));
        let intent = walk(x, z);
        let intent = if index % 5 == 0 && dice.roll() > 0.5 {
            intent.crouching()
        } else {
            intent
        };
        (id, intent)
    });
    each.collect()
}

#[test]
fn crowd_draws_a_plan_while_many_move() {
    let terrain = mixed_terrain();
    for (every, walks, plans) in [(1, true, true), (1, false, false), (40, true, true)] {
        let mut crowd = Crowd::new();
        let some = places().into_iter().step_by(every);
        let ids: Vec<_> = some.map(|place| crowd.add(place)).collect();
        let mut planned = 0;
        for tick in 0..120 {
            let wish = walk(if walks { 2.0 } else { 0.0 }, 0.0);
            let intents: Vec<_> = ids.iter().map(|&id| (id, wish)).collect();
            crowd.tick(&terrain, &intents, TICK);
            planned += usize::from(tick >= 60 && crowd.ticking.is_planned);
        }
        assert_eq!(planned > 30, plans, "one of {every}: {planned} of 60");
        assert!(plans || planned == 0, "one of {every}: {planned} of 60");
    }
}

#[test]
fn plans_change_no_bit() {
    let terrain = mixed_terrain();
    let mut crowds = [(); 2].map(|()| Crowd::new());
    let few = places().into_iter().step_by(8);
    let mut ids = [const { Vec::new() }; 2];
    for place in few {
        for (crowd, ids) in crowds.iter_mut().zip(&mut ids) {
            ids.push(crowd.add(place));
        }
    }
    let mut planned = 0;
    for tick in 0..600 {
        for (number, (crowd, ids)) in crowds.iter_mut().zip(&mut ids).enumerate() {
            let intents = disturb(crowd, ids, tick);
            let plans = number == 1;
            crowd.ticking.many_moved = plans;
            crowd.tick(&terrain, &intents, TICK);
            assert!(!crowd.ticking.is_planned || plans);
            planned += usize::from(crowd.ticking.is_planned);
        }
        let told = crowds
            .each_ref()
            .map(|crowd| (crowd.state_hash(), crowd.events().len()));
        assert_eq!(told, [told[0]; 2], "tick {tick}");
    }
    assert!(planned > 500, "only {planned} plans made");
}

/// Returns the ends of flyers that crowd together, each relative to `base`.
fn huddle_at(base: Cell) -> Vec<(Cell, [u32; 3])> {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let mut dice = Dice(7);
    let mut crowd = Crowd::new();
    let flyers: Vec<CharacterId> = (0..40)
        .map(|_| {
            let away = Vector3::from_fn(|_, _| dice.roll() * 6.0 - 3.0);
            let position = Position::new(base, Vector3::zeros()).moved(away);
            crowd.add(Character::at(position).with_mode(Mode::Fly))
        })
        .collect();
    let middle = Position::new(base, Vector3::zeros());
    for _ in 0..90 {
        let intents: Vec<_> = flyers
            .iter()
            .map(|&id| {
                let mut intent = Intent::walk(middle.since(&crowd.position(id).unwrap()));
                intent.mode = Mode::Fly;
                (id, intent)
            })
            .collect();
        crowd.tick(&nothing, &intents, TICK);
    }
    let places = flyers.iter().map(|&id| crowd.position(id).unwrap());
    places
        .map(|place| {
            let cell = Cell::from_fn(|axis, _| place.cell[axis].wrapping_sub(base[axis]));
            (cell, place.offset.map(f32::to_bits).into())
        })
        .collect()
}

#[test]
fn characters_meet_over_the_ends_of_space_as_at_the_origin() {
    let at_origin = huddle_at(Cell::zeros());
    let (low, high) = (i32::MIN, i32::MAX);
    for base in [
        Cell::new(high, 0, 0),
        Cell::new(low, low, low),
        Cell::new(high, low, high - 1),
        Cell::new(low + 1, high - 2, 1_000_001),
    ] {
        assert_eq!(huddle_at(base), at_origin, "at {base}");
    }
}

#[test]
fn throng_is_the_same_in_any_order_and_restored() {
    let terrain = arena(20.0, &[]);
    let throng = |order: &mut dyn Iterator<Item = i32>| {
        let mut crowd = Crowd::new();
        for i in order {
            let (x, z) = (f64::from(i % 6), f64::from(i / 6));
            crowd.add(standing(10.0 + 0.01 * x, 10.0 + 0.01 * z));
        }
        for _ in 0..5 {
            crowd.tick(&terrain, &[], TICK);
        }
        crowd
    };
    let (mut one, other) = (throng(&mut (0..36)), throng(&mut (0..36).rev()));
    assert_eq!(one.state_hash(), other.state_hash());
    let mut restored = Crowd::new();
    restored.restore(&one.save()).unwrap();
    for _ in 0..20 {
        one.tick(&terrain, &[], TICK);
        restored.tick(&terrain, &[], TICK);
        assert_eq!(one.state_hash(), restored.state_hash());
    }
}

#[test]
fn order_of_unlike_ones_on_one_spot_changes_no_bit() {
    let nothing = Shapes::from_boxes(ObjectId(1), Position::default(), &[]);
    let flyer = Character::at(at(5.0, 5.0, 5.0)).with_mode(Mode::Fly);
    let small = flyer.with_radii(0.3, 0.6);
    for other in [flyer.with_radii(0.5, 0.9), small.with_up(Vector3::x())] {
        let hash = |order: [Character; 2]| {
            let mut crowd = Crowd::new();
            for one in order {
                crowd.add(one);
            }
            crowd.tick(&nothing, &[], TICK);
            crowd.state_hash()
        };
        assert_eq!(hash([small, other]), hash([other, small]));
    }
}
