//! The way of a walker among random contacts.

use super::*;
use crate::mover::Radii;
use crate::mover::test_terrain::Dice;

/// Random contacts around a walker, the slope underfoot first.
struct Around {
    frame: Frame,
    supposed: Option<Vector3<f32>>,
    met: Vec<(Vector3<f32>, Kind)>,
    wish: Vector3<f32>,
}

impl Around {
    fn new(dice: &mut Dice, round: usize) -> Self {
        let up = match round % 3 {
            0 => Vector3::y(),
            _ => dice.vector().normalize(),
        };
        let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
        let mut walkable = || loop {
            let normal = dice.vector().normalize();
            if normal.dot(&up) > 0.64 {
                return normal;
            }
        };
        let supposed = (round.is_multiple_of(2)).then(&mut walkable);
        let floors = [walkable(), walkable()];
        let mut met = vec![(floors[0], Kind::Slope), (floors[1], Kind::Bump)];
        met.truncate(round / 6 % 3);
        while met.len() < 4 {
            let normal = dice.vector().normalize();
            if normal.dot(&up) < 0.64 {
                met.push((normal, Kind::Wall));
            }
        }
        let wish = dice.vector();
        let wish = wish - up * up.dot(&wish);
        Self {
            frame,
            supposed,
            met,
            wish,
        }
    }

    fn way(&self) -> Vector3<f32> {
        let mut footing = Footing::new(&self.frame);
        let mut upright = PlaneSet::of(&self.frame);
        if let Some(slope) = self.supposed {
            footing.start_on(slope, Kind::Slope);
        }
        for &(normal, kind) in &self.met {
            assert!(footing.meet(normal, kind, &mut upright));
        }
        footing.way(self.wish, &upright, |way| way)
    }
}

#[test]
fn any_order_of_contacts_gives_the_same_way() {
    let mut dice = Dice(11);
    let mut moving = 0;
    for round in 0..20_000 {
        let mut around = Around::new(&mut dice, round);
        let way = around.way();
        moving += usize::from(way != Vector3::zeros());
        for turn in 1..around.met.len() {
            around.met.rotate_left(turn);
            around.met.swap(0, 1);
            let again = around.way();
            let apart = (again - way).norm();
            assert!(
                apart <= 1e-3 * around.wish.norm(),
                "{round}: {way} {again}, wish {} up {} {:?} {:?}",
                around.wish,
                around.frame.up,
                around.supposed,
                around.met
            );
        }
    }
    assert!(moving > 5_000, "{moving}");
}

#[test]
fn way_leads_into_no_contact_and_not_back() {
    let mut dice = Dice(12);
    for round in 0..20_000 {
        let around = Around::new(&mut dice, round);
        let (way, wish) = (around.way(), around.wish);
        assert!(
            way.dot(&wish) >= -1e-4 * wish.norm_squared(),
            "{round}: back"
        );
        for (normal, kind) in &around.met {
            let into = -way.dot(normal);
            // Planes that close by less than this angle count as parallel.
            let most = 2.0 * PARALLEL * wish.norm();
            assert!(into <= most, "{round}: {into} into {kind:?}");
        }
    }
}

/// A walker goes on if some level way is free of all contacts and leads along the wish.
#[test]
fn walker_does_not_stop_where_a_level_way_is_free() {
    let mut dice = Dice(13);
    let mut free = 0;
    for round in 0..20_000 {
        let around = Around::new(&mut dice, round);
        let (up, wish) = (around.frame.up, around.wish);
        let side = up.cross(&wish);
        let leads = |degree: i32| {
            let (sine, cosine) = (degree as f32).to_radians().sin_cos();
            let way = wish * cosine + side * sine;
            let met = around.met.iter().map(|(normal, _)| normal);
            let mut normals = met.chain(&around.supposed);
            normals.all(|normal| way.dot(normal) >= 0.01 * way.norm())
        };
        if (-75..=75).any(leads) {
            free += 1;
            let forward = around.way().dot(&wish);
            assert!(forward >= 0.01 * wish.norm_squared(), "{round}: {forward}");
        }
    }
    assert!(free > 2_000, "{free}");
}
