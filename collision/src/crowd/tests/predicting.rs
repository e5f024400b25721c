//! One character predicted beside its crowd, and copies of a crowd.

use super::*;
use crate::{
    CharacterError, Feature, OtherCharacter, PredictError, Predicted, Settings, SnapshotError,
    TickError, predict,
};

/// Returns a prediction of a character as it is now.
fn predicted(crowd: &Crowd, id: CharacterId) -> Predicted {
    let bytes = crowd.save_character(id).unwrap();
    Predicted::from_bytes(&bytes, &Settings::default()).unwrap()
}

/// Predicts a character by a tick, runs that tick, and compares.
fn tick_both<T: Terrain>(
    crowd: &mut Crowd,
    predicted: &mut Predicted,
    terrain: &T,
    id: CharacterId,
    intent: Intent,
) {
    let mut others = Vec::new();
    crowd.others_near(id, 5.0, &mut others);
    predict(predicted, terrain, &others, &[intent], TICK).unwrap();
    crowd.tick(terrain, &[(id, intent)], TICK);
    assert_eq!(Some(predicted.state()), crowd.state(id));
    assert_eq!(Some(predicted.save()), crowd.save_character(id));
    assert_eq!(Some(predicted.body()), crowd.body(id));
}

#[test]
fn rides_and_jumps_on_a_platform_are_predicted() {
    let ways = [
        Vector3::new(0.0, 1.0, 0.0),
        Vector3::new(2.0, 0.0, 0.5),
        Vector3::new(0.7, -0.5, -0.5),
    ];
    for way in ways {
        let platform = [Point3::new(10.0, 8.0, 10.0), Point3::new(18.0, 8.5, 18.0)];
        let mut stage = Layered {
            ground: arena(30.0, &[]),
            platform: Shapes::from_boxes(ObjectId(2), Position::default(), &[platform]),
        };
        let mut crowd = Crowd::new();
        let id = crowd.add(Character::at(at(14.0, 9.5, 14.0)));
        let mut predicted = predicted(&crowd, id);
        let mut flown = 0;
        for tick in 0..480_u32 {
            let turn = if tick / 60 % 2 == 0 { 1.0 } else { -1.0 };
            stage.platform.advance(way * (turn * TICK));
            let mut intent = walk((tick as f32 * 0.03).sin() * 2.0, 0.5 - turn * 0.5);
            intent.jump = if tick % 80 == 79 { 5.0 } else { 0.0 };
            intent.crouch = tick % 200 > 150;
            tick_both(&mut crowd, &mut predicted, &stage, id, intent);
            flown += u32::from(!predicted.is_grounded());
        }
        assert!((50..300).contains(&flown), "{flown}");
    }
}

#[test]
fn head_that_it_stands_on_is_predicted_by_its_name() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let gone = [standing(1.0, 1.0), standing(3.0, 1.0)].map(|character| crowd.add(character));
    let bearer = crowd.add(standing(6.0, 6.0));
    crowd.add(standing(7.5, 6.0));
    let id = crowd.add(Character::at(at(6.0, 2.9, 6.0)));
    assert!(gone.iter().all(|&gone| crowd.remove(gone)));
    let mut predicted = predicted(&crowd, id);
    let mut on_head = 0;
    for tick in 0..240 {
        let intent = walk(if tick > 120 { 1.0 } else { 0.0 }, 0.0);
        tick_both(&mut crowd, &mut predicted, &terrain, id, intent);
        let ground = predicted.state().ground;
        let head = ground.filter(|ground| ground.feature == Feature::Body);
        if let Some(head) = head {
            on_head += u32::from(head.object.0 == bearer.to_bits() as u32);
        }
    }
    assert!(on_head > 60, "{on_head}");
}

#[test]
fn correction_and_replay_lead_to_the_present() {
    let terrain = arena(
        20.0,
        &[[Point3::new(8.0, 0.0, 0.0), Point3::new(9.0, 0.3, 20.0)]],
    );
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(2.0, 10.0));
    let mut predicted = predicted(&crowd, id);
    let mut behind = Vec::new();
    let mut inputs = Vec::new();
    for tick in 0..200_u32 {
        let mut dice = Dice(u64::from(tick / 20));
        dice.roll();
        let mut intent = walk(dice.between(0.0, 6.0), dice.between(-3.0, 3.0));
        intent.jump = if tick % 50 == 0 { 5.0 } else { 0.0 };
        behind.push(crowd.save_character(id).unwrap());
        inputs.push(intent);
        tick_both(&mut crowd, &mut predicted, &terrain, id, intent);
        if tick >= 10 {
            let since = inputs.len() - 10;
            predicted.put_right(&behind[since]).unwrap();
            assert_eq!(predicted.save(), behind[since]);
            predict(&mut predicted, &terrain, &[], &inputs[since..], TICK).unwrap();
            assert_eq!(Some(predicted.save()), crowd.save_character(id));
        }
    }
}

#[test]
fn invalid_input_is_refused_and_changes_nothing() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let id = crowd.add(standing(5.0, 5.0));
    crowd.add(standing(7.0, 5.0));
    let mut predicted = predicted(&crowd, id);
    let bytes = predicted.save();
    let mut others = Vec::new();
    crowd.others_near(id, 5.0, &mut others);
    let good = [walk(1.0, 0.0), walk(0.0, 1.0)];
    for seconds in [0.0, -1.0, 2.0, f32::INFINITY] {
        let refused = predict(&mut predicted, &terrain, &others, &good, seconds);
        assert_eq!(refused, Err(TickError::Length(seconds).into()));
    }
    assert!(predict(&mut predicted, &terrain, &others, &good, f32::NAN).is_err());
    let bad = [good[0], walk(f32::NAN, 0.0)];
    let refused = predict(&mut predicted, &terrain, &others, &bad, TICK);
    assert_eq!(refused, Err(PredictError::Intent(1)));
    let spoils: [fn(&mut OtherCharacter); 4] = [
        |other| other.body.position.offset.x = f32::NAN,
        |other| other.body.radii.across = f32::INFINITY,
        |other| other.body.radii.along = f32::NAN,
        |other| other.body.up = Vector3::repeat(f32::NAN),
    ];
    for spoil in spoils {
        let mut bad = [others[0]; 3];
        spoil(&mut bad[2]);
        let refused = predict(&mut predicted, &terrain, &bad, &good, TICK);
        assert!(matches!(refused, Err(PredictError::Other { place: 2, .. })));
    }
    for end in 0..bytes.len() {
        assert!(predicted.put_right(&bytes[..end]).is_err(), "{end}");
    }
    assert_eq!(predicted.put_right(&[]), Err(SnapshotError::Short));
    assert_eq!(predicted.save(), bytes);
    let mut settings = Settings::default();
    settings.mover.skin = f32::NAN;
    let refused = Predicted::from_bytes(&bytes, &settings).err();
    assert_eq!(refused, Some(CharacterError::Settings.into()));
    // Any handle and any order will do, also one handle twice.
    others.push(others[0]);
    others[0].id = CharacterId::NONE;
    predict(&mut predicted, &terrain, &others, &good, TICK).unwrap();
}

#[test]
fn nothing_is_near_a_character_that_is_gone() {
    let mut crowd = Crowd::new();
    let [gone, id] = [standing(5.0, 5.0), standing(6.0, 5.0)].map(|it| crowd.add(it));
    let mut others = Vec::new();
    for metres in [f32::NAN, -1.0, 0.0, 0.1] {
        crowd.others_near(id, metres, &mut others);
        assert!(others.is_empty(), "{metres}");
    }
    for metres in [1.0, 1e9, f32::INFINITY] {
        crowd.others_near(id, metres, &mut others);
        assert_eq!(others.len(), 1);
    }
    crowd.remove(gone);
    crowd.others_near(gone, 5.0, &mut others);
    assert!(others.is_empty() && !crowd.save_character_into(gone, &mut Vec::new()));
}

#[test]
fn clone_goes_on_with_the_same_bits() {
    let terrain = arena(12.0, &[]);
    let mut crowd = Crowd::new();
    let mut dice = Dice(7);
    let ids: Vec<_> = (0..80)
        .map(|_| {
            crowd.add(standing(
                dice.between(1.0, 11.0).into(),
                dice.between(1.0, 11.0).into(),
            ))
        })
        .collect();
    let wishes = |tick: u32| {
        let wish = |(number, &id): (usize, &CharacterId)| {
            let mut dice = Dice(number as u64 * 31 + u64::from(tick / 20));
            dice.roll();
            (id, walk(dice.between(-4.0, 4.0), dice.between(-4.0, 4.0)))
        };
        ids.iter().enumerate().map(wish).collect::<Vec<_>>()
    };
    for tick in 0..60 {
        crowd.tick(&terrain, &wishes(tick), TICK);
    }
    let kept = crowd.clone();
    let saved = kept.save();
    let run = |mut crowd: Crowd| {
        (60..120)
            .map(|tick| {
                crowd.tick(&terrain, &wishes(tick), TICK);
                (crowd.save(), crowd.events().to_vec())
            })
            .collect::<Vec<_>>()
    };
    let first = run(crowd);
    assert_eq!(kept.save(), saved);
    assert!(run(kept) == first);
}
