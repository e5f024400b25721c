//! Movement of the player in built surroundings: ladders, water, low ceilings, moving slabs,
//! teleports.

#![allow(clippy::unwrap_used)]

use collision::{Cell, Position};
use demo::session::Session;
use nalgebra::Vector3;
use simulation::{Characters, Command, PlayerId, Simulation, Switch, Travel, Wish};
use world::{Brush, Material, Mode};

/// Radius of the loaded land, metres.
const VIEW: f32 = 64.0;
/// Height of the stage above the start of the player, cells.
const ABOVE: i32 = 24;

/// A floor in the air with the player on it.
struct Stage {
    simulation: Simulation,
    /// The cell above the middle of the floor.
    middle: Cell,
}

impl Stage {
    fn new() -> Self {
        let mut session = Session::generated(7, VIEW, &Characters::default());
        let start = session.simulation.player_position().cell;
        session
            .simulation
            .apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
        let mut stage = Stage {
            simulation: session.simulation,
            middle: start + Vector3::y() * ABOVE,
        };
        stage.fill([-10, -1, -10], [10, -1, 10], "stone");
        stage.stand([0, 0, 0]);
        stage
    }

    /// Fills a box of cells about the middle.
    fn fill(&mut self, low: [i32; 3], high: [i32; 3], material: &str) {
        let material = self.simulation.world.materials().by_name(material).unwrap();
        let brush = Brush::cells(
            self.middle + Cell::from(low),
            self.middle + Cell::from(high),
        );
        let report = self.simulation.world.edit(&brush, Mode::Add, material);
        assert!(report.refused.is_none() && report.voxels > 0);
    }

    fn stand(&mut self, at: [i32; 3]) {
        let to = Position::new(self.middle + Cell::from(at), Vector3::repeat(0.5));
        self.simulation
            .apply(PlayerId::FIRST, &Command::Teleport(to));
        self.wait(30, &Wish::default());
    }

    fn wait(&mut self, ticks: u32, wish: &Wish) {
        for _ in 0..ticks {
            self.simulation.tick(&wish.alone());
        }
    }

    /// Returns metres from the cell above the middle of the floor.
    fn place(&self) -> Vector3<f32> {
        self.simulation.player_position().relative_to(self.middle)
    }
}

/// Returns a wish forward, towards -z.
fn ahead() -> Wish {
    Wish {
        forward: 1.0,
        ..Wish::default()
    }
}

#[test]
fn a_ladder_is_climbed_to_its_top() {
    let mut stage = Stage::new();
    stage.fill([-2, 0, -8], [2, 7, -3], "stone");
    stage.fill([0, 0, -2], [0, 7, -2], "ladder");
    stage.wait(20, &ahead());
    let up = Wish { up: 1.0, ..ahead() };
    stage.wait(30, &up);
    assert_eq!(stage.simulation.travel_words(), "climbing");
    let mut ticks = 0;
    while stage.place().z > -4.0 && ticks < 300 {
        stage.wait(1, &up);
        ticks += 1;
    }
    stage.wait(60, &Wish::default());
    let at = stage.place();
    assert!(
        (at.y - 8.9).abs() < 0.1,
        "not on top of the wall but at {at}"
    );
}

#[test]
fn one_swims_up_from_the_ground_of_a_pool_and_dives_again() {
    let mut stage = Stage::new();
    stage.fill([-4, 0, -4], [4, 6, 4], "stone");
    let air = Brush::cells(
        stage.middle + Cell::new(-3, 0, -3),
        stage.middle + Cell::new(3, 6, 3),
    );
    stage
        .simulation
        .world
        .edit(&air, Mode::Carve, Material::AIR);
    stage.fill([-3, 0, -3], [3, 5, 3], "water");
    stage.stand([0, 0, 0]);
    assert_eq!(stage.simulation.travel_words(), "swimming");
    let up = Wish {
        up: 1.0,
        ..Wish::default()
    };
    stage.wait(240, &up);
    let top = stage.place().y;
    assert!(top > 4.5, "came up to {top}");
    let down = Wish {
        up: -1.0,
        ..Wish::default()
    };
    stage.wait(240, &down);
    let ground = stage.place().y;
    assert!(ground < 1.5, "dived to {ground}");
}

#[test]
fn player_crouches_through_a_low_passage_and_stands_up_behind_it() {
    let mut stage = Stage::new();
    // A tunnel one cell high, three cells long: a character of 1.8 m does not fit without
    // crouching.
    stage.fill([-3, 1, -5], [3, 3, -3], "stone");
    stage.fill([-3, 0, -5], [-1, 0, -3], "stone");
    stage.fill([1, 0, -5], [3, 0, -3], "stone");
    stage.wait(120, &ahead());
    assert!(
        stage.place().z > -2.5,
        "walked in upright: {}",
        stage.place()
    );
    let crouched = Wish {
        up: -1.0,
        ..ahead()
    };
    stage.wait(60, &crouched);
    let inside = stage.place();
    assert!((-6.0..-2.0).contains(&inside.z), "{inside}");
    stage.wait(1, &Wish::default());
    let mut ticks = 0;
    while stage.place().z > -4.5 && ticks < 300 {
        stage.wait(1, &crouched);
        ticks += 1;
    }
    stage.wait(20, &Wish::default());
    assert_eq!(
        stage.simulation.travel_words(),
        "crouching",
        "stood up under the ceiling at {}",
        stage.place()
    );
    while stage.place().z > -6.5 && ticks < 600 {
        stage.wait(1, &crouched);
        ticks += 1;
    }
    stage.wait(30, &Wish::default());
    assert_eq!(stage.simulation.travel_words(), "walking");
    assert!(stage.place().z < -6.0, "{}", stage.place());
}

#[test]
fn travelling_slab_carries_a_character() {
    let mut stage = Stage::new();
    stage
        .simulation
        .apply(PlayerId::FIRST, &Command::SetPlatforms(Switch::On));
    let slabs: Vec<_> = stage.simulation.world.objects().map(|(id, _)| id).collect();
    let slab = *slabs.first().expect("no slab was laid out");
    let origin = |stage: &Stage| *stage.simulation.world.object(slab).unwrap().origin();
    let on = origin(&stage).moved(Vector3::new(2.0, 2.0, 2.0));
    stage
        .simulation
        .apply(PlayerId::FIRST, &Command::Teleport(on));
    stage.wait(60, &Wish::default());
    assert!(stage.simulation.is_grounded());
    let before = (origin(&stage), stage.simulation.player_position());
    stage.wait(120, &Wish::default());
    let went = origin(&stage).relative_to(before.0.cell) - before.0.offset;
    let carried = stage
        .simulation
        .player_position()
        .relative_to(before.1.cell)
        - before.1.offset;
    assert!(went.norm() > 1.0, "the slab went {went}");
    assert!((carried - went).norm() < 0.05, "{carried} on {went}");
}

#[test]
fn teleporting_into_a_wall_ends_above_it() {
    let mut stage = Stage::new();
    stage.fill([4, 0, 4], [6, 3, 6], "brick");
    stage.stand([5, 1, 5]);
    let at = stage.place();
    assert!((at.y - 4.9).abs() < 0.1, "{at}");
    stage.simulation.apply(PlayerId::FIRST, &Command::Spawn);
    stage.wait(1, &Wish::default());
    let home = stage.simulation.home();
    assert!(
        stage
            .simulation
            .player_position()
            .relative_to(home.cell)
            .norm()
            < 3.0
    );
}
