//! Overlays of what the mover and its indices see: sweeps, contacts, sectors of the character grid, overlaps.

use std::collections::BTreeSet;

use collision::{EventKind, Position, Terrain};
use engine::Color;
use nalgebra::Vector3;

use crate::cli::Overlay;
use crate::simulation::{Drawn, Simulation, TICK};

use super::Wanted;
use super::lines::Pens;

/// Side of a sector of the character grid, metres.
const SECTOR: i32 = 32;
/// How far ahead of the player the sweep is drawn: so many ticks of its motion.
const SWEEP_TICKS: f32 = 10.0;
/// The most characters whose overlaps are looked for.
const MOST_PAIRED: usize = 1500;

pub(super) fn draw(
    pens: &mut Pens<'_>,
    overlay: Overlay,
    simulation: &Simulation,
    wanted: &Wanted<'_>,
) {
    match overlay {
        Overlay::Sweep => sweep(pens, simulation),
        Overlay::Contacts => contacts(pens, simulation),
        Overlay::Grid => sectors(pens, simulation, wanted),
        Overlay::Overlaps => overlaps(pens, simulation, wanted),
        _ => {}
    }
}

/// The box of the player's next motions and the solid boxes in it.
fn sweep(pens: &mut Pens<'_>, simulation: &Simulation) {
    let player = simulation.drawn_player(1.0);
    let velocity = simulation
        .crowd()
        .velocity(simulation.player_id())
        .unwrap_or_default();
    let motion = velocity * TICK * SWEEP_TICKS;
    let base = player.position.cell;
    let (start, end) = (player.position.offset, player.position.offset + motion);
    let low = start.inf(&end) - player.radii;
    let high = start.sup(&end) + player.radii;
    pens.through
        .box_edges(&Position::new(base, low), high - low, Color::YELLOW);
    pens.through
        .ellipsoid(&player.position, player.radii, Color::WHITE);
    pens.through
        .ellipsoid(&player.position.moved(motion), player.radii, Color::CYAN);
    let mut solids = Vec::new();
    simulation.world.gather_solids(base, low, high, &mut solids);
    for solid in solids {
        pens.through.box_edges(
            &Position::new(base, solid.min),
            solid.max - solid.min,
            Color::ORANGE,
        );
    }
}

/// The ground under the player and whatever was run into in the last tick.
fn contacts(pens: &mut Pens<'_>, simulation: &Simulation) {
    let crowd = simulation.crowd();
    let player = simulation.drawn_player(1.0);
    if let Some(ground) = crowd.ground(simulation.player_id()) {
        let foot = player.position.moved(-ground.normal * player.radii.y);
        pens.through.ring(&foot, ground.normal, 0.7, Color::GREEN);
        pens.through.arrow(&foot, ground.normal, Color::GREEN);
    }
    if let Some(velocity) = crowd.velocity(simulation.player_id()) {
        pens.through
            .arrow(&player.position, velocity * 0.25, Color::CYAN);
    }
    for event in crowd.events() {
        let (EventKind::Hit { normal, .. }, Some(at)) =
            (event.kind, crowd.position(event.character))
        else {
            continue;
        };
        let touch = at.moved(-normal * player.radii.x);
        pens.through.ring(&touch, normal, 0.4, Color::RED);
        pens.through.arrow(&touch, normal * 0.6, Color::RED);
    }
}

/// Sectors of the character grid that hold somebody.
fn sectors(pens: &mut Pens<'_>, simulation: &Simulation, wanted: &Wanted<'_>) {
    let mut used = BTreeSet::new();
    for drawn in simulation.drawn_walkers(wanted.between) {
        let sector = drawn.position.cell.map(|c| c.div_euclid(SECTOR));
        used.insert([sector.x, sector.y, sector.z]);
    }
    for sector in used {
        let min = Vector3::from(sector) * SECTOR;
        let corner = Position::new(min, Vector3::zeros());
        pens.hidden
            .box_edges(&corner, Vector3::repeat(SECTOR as f32), Color::MAGENTA);
    }
}

/// Lines between characters that reach into each other, by the ellipsoid with summed radii.
fn overlaps(pens: &mut Pens<'_>, simulation: &Simulation, wanted: &Wanted<'_>) {
    let mut bodies: Vec<Drawn> = simulation
        .drawn_walkers(wanted.between)
        .take(MOST_PAIRED)
        .collect();
    bodies.push(simulation.drawn_player(wanted.between));
    for (index, a) in bodies.iter().enumerate() {
        for b in &bodies[index + 1..] {
            let way = b
                .position
                .since(&a.position)
                .component_div(&(a.radii + b.radii));
            if way.norm_squared() < 1.0 {
                pens.through.line(&a.position, &b.position, Color::RED);
                pens.through.ellipsoid(&a.position, a.radii, Color::RED);
            }
        }
    }
}
