//! Contacts of watched characters, and how far steps lift them.

use super::*;
use crate::terrain::{Piece, Touched};
use crate::{
    CharacterContact, ContactPhase, Other, Settings, Sides, Together, TriangleSoup, VoxelTerrain,
    Voxels,
};

/// Returns the contacts that have not ended.
fn present(crowd: &Crowd, id: CharacterId) -> Vec<CharacterContact> {
    let mut contacts = crowd.contacts_of(id).to_vec();
    contacts.retain(|contact| contact.phase != ContactPhase::Ended);
    contacts
}

/// Returns the one contact whose normal is near a direction.
fn towards(crowd: &Crowd, id: CharacterId, normal: Vector3<f32>) -> CharacterContact {
    let mut found = present(crowd, id);
    found.retain(|contact| contact.normal.dot(&normal) > 0.9);
    assert_eq!(found.len(), 1, "{normal}: {:?}", crowd.contacts_of(id));
    found[0]
}

#[test]
fn contacts_with_a_wall_begin_last_and_end() {
    let terrain = arena(10.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(8.0, 5.0));
    assert!(crowd.contacts().is_empty());
    crowd.watch(id).unwrap();
    let mut phases = Vec::new();
    for tick in 0..120 {
        let way = if tick < 80 { 4.0 } else { -4.0 };
        crowd.tick(&terrain, &[(id, walk(way, 0.0))], TICK);
        let floor = towards(&crowd, id, Vector3::y());
        let expected = if tick == 0 {
            ContactPhase::Began
        } else {
            ContactPhase::Lasts
        };
        assert_eq!(floor.phase, expected, "{tick}");
        assert!((floor.speed - 20.0 * TICK).abs() < 1e-5, "{floor:?}");
        let foot = crowd.position(id).unwrap().moved(Vector3::y() * -0.91);
        assert!(floor.point.since(&foot).norm() < 2e-3, "{floor:?}");
        let wall = |it: &&CharacterContact| it.normal.x < -0.9;
        if let Some(wall) = crowd.contacts_of(id).iter().find(wall) {
            phases.push((tick, wall.phase));
            if wall.phase != ContactPhase::Ended && tick < 80 {
                assert!((wall.speed - 4.0).abs() < 1e-4, "{tick}: {wall:?}");
                assert!((wall.point.to_metres().x - 10.0).abs() < 2e-3);
            }
        }
    }
    let at = |phase: ContactPhase| phases.iter().filter(move |it| it.1 == phase).count();
    assert_eq!(at(ContactPhase::Began), 1, "{phases:?}");
    assert_eq!(at(ContactPhase::Ended), 1, "{phases:?}");
    assert!(at(ContactPhase::Lasts) > 40, "{phases:?}");
    assert_eq!(phases.last(), Some(&(80, ContactPhase::Ended)));
    assert!(crowd.unwatch(id) && !crowd.unwatch(id));
    crowd.tick(&terrain, &[], TICK);
    assert!(crowd.contacts().is_empty());
    crowd.remove(id);
    assert!(crowd.watch(id).is_err());
}

/// Cells below height 0, and a pillar whose cells are of material 7.
struct Marked;

impl Voxels for Marked {
    fn revision(&self) -> u64 {
        0
    }

    fn is_solid(&self, cell: Cell) -> bool {
        cell.y < 0 || self.material(cell) == 7
    }

    fn material(&self, cell: Cell) -> u32 {
        let pillar = (3..6).contains(&cell.x) && cell.y >= 0 && (2..9).contains(&cell.z);
        if pillar { 7 } else { 1 }
    }
}

#[test]
fn voxel_contacts_name_the_cell_and_its_material() {
    let terrain = VoxelTerrain::numbered(ObjectId(5), Marked);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(1.5, 4.3));
    crowd.watch(id).unwrap();
    for _ in 0..60 {
        crowd.tick(&terrain, &[(id, walk(3.0, 0.0))], TICK);
    }
    let wall = towards(&crowd, id, -Vector3::x());
    assert_eq!(wall.other, Other::Terrain(ObjectId(5)));
    assert_eq!(wall.touched, Touched::voxel(Cell::new(3, 0, 4), 7));
    let floor = towards(&crowd, id, Vector3::y());
    assert_eq!(floor.touched, Touched::voxel(Cell::new(2, -1, 4), 1));
}

#[test]
fn triangle_contacts_name_the_triangle() {
    let point = Point3::new;
    let mut soup = TriangleSoup::new(ObjectId(9), Position::default());
    let corners = [
        point(0.0, 0.0, 0.0),
        point(0.0, 0.0, 60.0),
        point(60.0, 0.0, 0.0),
    ];
    let first = soup.insert(corners, Sides::Front).unwrap();
    let beyond = corners.map(|corner| point(60.0 - corner.x, 0.0, 60.0 - corner.z));
    let second = soup.insert(beyond, Sides::Front).unwrap();
    let mut crowd = Crowd::new();
    let ids = [(10.0, 10.0), (50.0, 45.0)].map(|(x, z)| crowd.add(standing(x, z)));
    for id in ids {
        crowd.watch(id).unwrap();
    }
    for _ in 0..5 {
        crowd.tick(&soup, &[], TICK);
    }
    for (id, triangle) in ids.into_iter().zip([first, second]) {
        let floor = towards(&crowd, id, Vector3::y());
        assert_eq!(floor.touched.piece, Piece::Triangle(triangle));
        assert_eq!(floor.other, Other::Terrain(ObjectId(9)));
    }
}

#[test]
fn characters_that_touch_tell_of_each_other() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let a = crowd.add(standing(4.0, 6.0).with_mass(60.0));
    let b = crowd.add(standing(6.0, 6.0));
    let above = crowd.add(Character::at(at(6.0, 2.8, 6.0)));
    for id in [a, b, above] {
        crowd.watch(id).unwrap();
    }
    for _ in 0..60 {
        crowd.tick(&terrain, &[(a, walk(2.0, 0.0))], TICK);
    }
    let pressed = towards(&crowd, a, -Vector3::x());
    assert_eq!(pressed.other, Other::Character(b));
    assert!((pressed.speed - 2.0).abs() < 0.01, "{pressed:?}");
    assert_eq!(pressed.mass, 60.0);
    let felt = towards(&crowd, b, Vector3::x());
    assert_eq!((felt.other, felt.speed), (Other::Character(a), 0.0));
    let carried = towards(&crowd, above, Vector3::y());
    assert_eq!(carried.other, Other::Character(b));
    assert!(carried.speed > 0.0, "{carried:?}");
    let loaded = towards(&crowd, b, -Vector3::y());
    assert_eq!(loaded.other, Other::Character(above));
}

#[test]
fn impulse_brings_two_masses_to_one_speed_and_no_more() {
    let terrain = arena(10.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(9.0, 5.0).with_mass(60.0));
    crowd.watch(id).unwrap();
    for _ in 0..30 {
        crowd.tick(&terrain, &[(id, walk(3.0, 0.0))], TICK);
    }
    let wall = towards(&crowd, id, -Vector3::x());
    let impulse = |mass: f32, speed: f32| wall.impulse_on(mass, &(Vector3::x() * speed)).x;
    assert!((impulse(20.0, 0.0) - 15.0 * 3.0).abs() < 0.01);
    assert!((impulse(20.0, 1.0) - 15.0 * 2.0).abs() < 0.01);
    assert_eq!(impulse(20.0, 3.5), 0.0);
    assert!((impulse(f32::INFINITY, 0.0) - 180.0).abs() < 0.01);
    let immovable = CharacterContact {
        mass: f32::INFINITY,
        ..wall
    };
    let still = Vector3::zeros();
    assert!((immovable.impulse_on(20.0, &still).x - 60.0).abs() < 0.01);
    assert_eq!(immovable.impulse_on(f32::INFINITY, &still), still);
}

/// Makes rough ground of a few metres of cells.
fn is_rough(cell: Cell) -> bool {
    let noise = (cell.x.wrapping_mul(73) ^ cell.z.wrapping_mul(151)) & 7;
    cell.y < 0 || cell.y == 0 && noise == 0 || !(0..24).contains(&cell.x.min(cell.z))
}

/// Makes a crowd of walkers on rough ground, all of them watched.
fn walkers() -> (Crowd, Vec<CharacterId>) {
    let mut settings = Settings::default();
    settings.mover.step_height = 1.1;
    let mut crowd = Crowd::new();
    let ids: Vec<_> = (0..40)
        .map(|i| {
            let (x, z) = (f64::from(i % 8), f64::from(i / 8));
            let place = at(3.0 + 2.3 * x, 2.0, 4.0 + 3.1 * z);
            crowd.add(Character::at(place).with_settings(settings))
        })
        .collect();
    for &id in &ids {
        crowd.watch(id).unwrap();
    }
    (crowd, ids)
}

fn wander(ids: &[CharacterId], tick: usize) -> Vec<(CharacterId, Intent)> {
    let wish = |(index, &id): (usize, &CharacterId)| {
        let turn = ((index * 7 + tick / 40) % 8) as f32;
        // Some rest, and sleep.
        let pace = if index % 5 == 0 { 0.0 } else { 1.0 };
        let intent = walk((turn - 3.5) * pace, ((turn * 3.0) % 8.0 - 3.5) * pace);
        let jump = if (tick + index).is_multiple_of(50) {
            7.0
        } else {
            0.0
        };
        (id, intent.jumping(jump * pace))
    };
    ids.iter().enumerate().map(wish).collect()
}

#[test]
fn contacts_are_the_same_on_any_number_of_threads_and_though_some_sleep() {
    let terrain = VoxelTerrain::new(is_rough);
    let run = |threads: usize, eager: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let (mut crowd, ids) = walkers();
            let (mut told, mut lifts, mut computed) = (Vec::new(), Vec::new(), 0);
            for tick in 0..200 {
                if eager {
                    crowd.wake_all();
                }
                computed += crowd.tick(&terrain, &wander(&ids, tick), TICK).stepped;
                told.extend_from_slice(crowd.contacts());
                lifts.extend(ids.iter().map(|&id| crowd.lift_of(id).to_bits()));
            }
            (told, lifts, computed)
        })
    };
    let (first, lifts, computed) = run(1, false);
    assert!(first.len() > 5_000, "{}", first.len());
    assert!(lifts.iter().filter(|&&bits| bits != 0).count() > 100);
    for (threads, eager) in [(2, false), (4, false), (1, true)] {
        let (again, lifted, all) = run(threads, eager);
        let differs = first.iter().zip(&again).find(|(a, b)| a != b);
        assert!(
            differs.is_none(),
            "{threads} threads, eager {eager}: {differs:?}"
        );
        assert!((first.len(), &lifts) == (again.len(), &lifted));
        assert!(!eager || all > computed, "none slept");
    }
}

#[test]
fn what_bears_or_stops_a_character_is_always_among_its_contacts() {
    let terrain = VoxelTerrain::new(is_rough);
    let (mut crowd, ids) = walkers();
    let (mut stood, mut pieces) = (0, 0);
    for tick in 0..300 {
        crowd.tick(&terrain, &wander(&ids, tick), TICK);
        for &id in &ids {
            let contacts = present(&crowd, id);
            let bears = |it: &&CharacterContact| it.normal.y > 0.0;
            if crowd.is_grounded(id) {
                stood += 1;
                let borne = contacts.iter().any(|it| bears(&it));
                assert!(borne, "{tick}: {:?} {contacts:?}", crowd.state(id));
            }
            let keys: Vec<_> = contacts
                .iter()
                .map(|it| (it.other, it.touched.piece))
                .collect();
            for (index, contact) in contacts.iter().enumerate() {
                assert!(!keys[..index].contains(&keys[index]), "{contacts:?}");
                let Piece::Voxel(cell) = contact.touched.piece else {
                    continue;
                };
                pieces += 1;
                assert!(is_rough(cell), "{contact:?}");
                let inside = contact
                    .point
                    .relative_to(cell)
                    .map(|part| part.clamp(0.0, 1.0));
                let off = (contact.point.relative_to(cell) - inside).norm();
                assert!(off < 2e-3, "{off}: {contact:?}");
            }
        }
    }
    assert!(stood > 4_000 && pieces > stood, "{stood} {pieces}");
}

#[test]
fn watching_changes_nothing_about_the_characters() {
    let terrain = VoxelTerrain::new(is_rough);
    let (mut watched, ids) = walkers();
    let (mut plain, _) = walkers();
    for &id in &ids {
        assert!(plain.unwatch(id));
    }
    for tick in 0..200 {
        let intents = wander(&ids, tick);
        let reports = [&mut watched, &mut plain].map(|it| it.tick(&terrain, &intents, TICK));
        assert_eq!(reports[0], reports[1], "{tick}");
        assert_eq!(watched.save(), plain.save(), "{tick}");
    }
}

#[test]
fn watch_goes_on_after_a_restore_and_all_contacts_begin() {
    let terrain = arena(10.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    crowd.watch(id).unwrap();
    crowd.tick(&terrain, &[], TICK);
    let saved = crowd.save();
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(towards(&crowd, id, Vector3::y()).phase, ContactPhase::Lasts);
    crowd.restore(&saved).unwrap();
    assert!(crowd.contacts().is_empty());
    crowd.tick(&terrain, &[], TICK);
    assert_eq!(towards(&crowd, id, Vector3::y()).phase, ContactPhase::Began);
}

#[test]
fn contact_with_a_part_that_is_gone_ends() {
    let floor = arena(10.0, &[]);
    let crate_box = [[Point3::new(5.5, 0.0, 4.0), Point3::new(6.5, 1.0, 6.0)]];
    let crate_box = Shapes::from_boxes(ObjectId(2), Position::default(), &crate_box);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    crowd.watch(id).unwrap();
    let both: [&dyn Terrain; 2] = [&floor, &crate_box];
    for _ in 0..20 {
        crowd.tick(&Together::new(&both), &[(id, walk(2.0, 0.0))], TICK);
    }
    let touched = towards(&crowd, id, -Vector3::x());
    assert_eq!(touched.other, Other::Terrain(ObjectId(2)));
    let one: [&dyn Terrain; 1] = [&floor];
    crowd.tick(&Together::new(&one), &[(id, walk(0.0, 0.0))], TICK);
    let ended = crowd.contacts_of(id).iter();
    let mut ended = ended.filter(|it| it.phase == ContactPhase::Ended);
    assert_eq!(ended.next().map(|it| it.other), Some(touched.other));
}

#[test]
fn lift_adds_up_to_the_height_of_stairs_and_slopes_have_none() {
    let point = Point3::new;
    let stairs: Vec<_> = (0..8)
        .map(|step| {
            let x = 4.0 + f64::from(step);
            [
                point(x, 0.0, 1.0),
                point(12.0, 0.3 * f64::from(step + 1), 9.0),
            ]
        })
        .collect();
    let terrain = arena(30.0, &stairs);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 5.0));
    crowd.watch(id).unwrap();
    let (mut up, mut down) = (0.0, 0.0);
    for _ in 0..360 {
        crowd.tick(&terrain, &[(id, walk(3.0, 0.0))], TICK);
        let lift = crowd.lift_of(id);
        let place = crowd.position(id).unwrap().to_metres();
        if place.x < 11.5 {
            up += lift;
        }
        down += lift.min(0.0);
    }
    assert!((up - 2.4).abs() < 0.02, "{up}");
    assert!(down > -0.51, "{down}");
    let ramp = [
        point(-2.0, 0.0, -20.0),
        point(-2.0, 0.0, 20.0),
        point(40.0, 20.0, 20.0),
        point(40.0, 20.0, -20.0),
    ];
    let mut soup = TriangleSoup::new(ObjectId(3), Position::default());
    for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
        let added = soup.insert([ramp[a], ramp[b], ramp[c]], Sides::Front);
        assert!(added.is_ok());
    }
    let mut crowd = Crowd::new();
    let id = crowd.add(Character::at(at(2.0, 3.2, 0.0)));
    crowd.watch(id).unwrap();
    for tick in 0..240 {
        let way = if tick < 120 { 3.0 } else { -3.0 };
        crowd.tick(&soup, &[(id, walk(way, 1.0))], TICK);
        assert!(
            crowd.lift_of(id).abs() < 2e-3,
            "{tick}: {}",
            crowd.lift_of(id)
        );
    }
    assert!(crowd.is_grounded(id));
}
