//! The own player over a bad link: never put right on quiet ground, and soon right among others.

#![allow(clippy::unwrap_used)]

mod table;

use simulation::{Input, Limits, Random, Role, Wish};
use table::link::Impairment;
use table::{Table, plain};

/// Returns the next wish of a restless walker.
fn wander(random: &mut Random) -> Wish {
    Wish {
        yaw: random.between(0.0, 6.2),
        pitch: random.between(-0.5, 0.5),
        forward: random.between(0.2, 1.0),
        right: random.between(-0.5, 0.5),
        up: [0.0, 0.0, 0.0, 1.0, -1.0][random.below(5) as usize],
        sprint: random.once_in(3),
    }
}

#[test]
fn ten_minutes_alone_on_quiet_ground_are_never_put_right() {
    let mut table = Table::new(plain(), Limits::default());
    let guest = table.join(Role::Walk, plain(), Impairment::BAD);
    // The lead settles while the player stands.
    table.run(180);
    let mut random = Random::new(1);
    let mut wish = Wish::default();
    for tick in 0..36_000 {
        if tick % 23 == 0 {
            wish = wander(&mut random);
        }
        // The mouse never rests.
        wish.yaw += random.between(-0.05, 0.05);
        table.guests[guest].input = Input::of(&wish);
        table.tick();
    }
    let bytes = table.guests[guest].bytes;
    let figures = table.guests[guest].client().figures();
    println!("{figures:?}, bytes a second {:?}", bytes.map(|it| it / 603));
    assert_eq!(figures.corrected, 0);
    assert!(figures.confirmed > 10_000, "{figures:?}");
    table.guests[guest].input = Input::default();
    table.run(240);
    table.assert_in_place(guest);
}

#[test]
fn players_who_push_each_other_end_where_the_server_has_them() {
    let mut table = Table::new(plain(), Limits::default());
    let count = 12;
    for _ in 0..count {
        table.join(Role::Walk, plain(), Impairment::BAD);
    }
    table.run(180);
    let mut random = Random::new(2);
    for tick in 0..1800 {
        if tick % 30 == 0 {
            // All walk to and fro about the start.
            let yaw = [0.0, 3.1][tick / 30 % 2] + random.between(-0.8, 0.8);
            for guest in &mut table.guests {
                guest.input = Input::of(&Wish {
                    yaw: yaw + random.between(-0.5, 0.5),
                    forward: 1.0,
                    ..Wish::default()
                });
            }
        }
        table.tick();
    }
    for guest in &mut table.guests {
        guest.input = Input::default();
    }
    table.run(300);
    let (mut confirmed, mut corrected) = (0, 0);
    for guest in 0..count {
        table.assert_in_place(guest);
        let client = table.guests[guest].client();
        assert_eq!(client.others().count(), count - 1);
        confirmed += client.figures().confirmed;
        corrected += client.figures().corrected;
    }
    println!("{confirmed} confirmed, {corrected} corrected");
    assert!(confirmed > corrected * 2, "{confirmed} {corrected}");
}

#[test]
fn inputs_are_sent_half_as_often_while_nothing_is_lost() {
    let bytes = [Impairment::NONE, Impairment::BAD].map(|impairment| {
        let mut table = Table::new(plain(), Limits::default());
        let guest = table.join(Role::Walk, plain(), impairment);
        table.run(1200);
        table.guests[guest].bytes[0]
    });
    assert!(bytes[0] * 3 < bytes[1] * 2, "{bytes:?}");
}
