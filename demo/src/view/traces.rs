//! Overlays of the mover and its indices: sweeps, contacts, cells of the KD-tree, sectors of the
//! character grid, overlaps, and the tiles of the fog of war.

use collision::{Cell, EventKind, Feature, MoveTrace, Plane, Position, trace_slide};
use engine::{Color, Overlay as Lines};
use nalgebra::Vector3;
use simulation::{Drawn, Simulation, TICK};
use world::CellBox;

use crate::arguments::Overlay;

use super::Wanted;
use super::lines::Pens;

/// Number of characters from which on a sector is drawn as full.
const FULL_SECTOR: f32 = 60.0;
/// Shortest motion for which a slide is drawn, metres.
const LEAST_SLIDE: f32 = 1.2;
/// Distance from the eye up to which cells of the KD-tree are drawn, cells.
const TREE_REACH: i32 = 80;
/// Inset of a cell in its parent, on each side, metres.
const LEVEL_INSET: f32 = 0.35;
/// Distance from the player up to which tiles of the fog of war are drawn, in tiles; their height
/// above the ground, and the gap about each, in metres.
const TILE_REACH: i32 = 48;
const TILE_LIFT: f32 = 0.06;
const TILE_GAP: f32 = 0.06;
/// Ticks of motion of the player for which the slide is drawn.
const SLIDE_TICKS: f32 = 10.0;
/// The most characters that are tested for overlaps.
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
        Overlay::Grid => sectors(pens, simulation),
        Overlay::Tree => tree(pens, simulation, wanted.camera.position.cell),
        Overlay::Fog => fog_tiles(pens, simulation),
        Overlay::Overlaps => overlaps(pens, simulation, wanted),
        _ => {}
    }
}

/// Traces the player's motion of the next ticks, or the line of sight while the player stands
/// still.
fn trace(simulation: &Simulation) -> Option<MoveTrace> {
    let (id, crowd) = (simulation.player_id(), simulation.crowd());
    let body = crowd.body(id)?;
    let velocity = crowd.velocity(id).unwrap_or_default();
    let mut motion = velocity * TICK * SLIDE_TICKS;
    if motion.norm() < LEAST_SLIDE {
        motion = simulation.sight() * LEAST_SLIDE;
    }
    let config = simulation.mover_config();
    Some(trace_slide(&simulation.world, &body, motion, &config))
}

/// Draws the last gather of the player's ticks: the six planes about the motion, and the faces,
/// edges and corners between them.
fn sweep(pens: &mut Pens<'_>, simulation: &Simulation) {
    let Some(gather) = simulation.crowd().last_gather() else {
        return;
    };
    let lines = &mut *pens.through;
    let reach = &gather.reach;
    let shift = shift(lines, reach.base);
    let corners = frustum_corners(&gather.planes).map(|corner| corner + shift);
    for edge in 0..4 {
        let next = (edge + 1) % 4;
        for (from, to) in [(edge, next), (edge + 4, next + 4), (edge, edge + 4)] {
            lines.local_line(corners[from], corners[to], Color::YELLOW);
        }
    }
    for candidate in &gather.candidates {
        let (min, max) = (candidate.min + shift, candidate.max + shift);
        let color = match candidate.feature {
            Feature::Face => Color::ORANGE,
            Feature::Edge => Color::CYAN,
            Feature::Corner | Feature::Body => Color::MAGENTA,
        };
        if candidate.feature == Feature::Face {
            fill_face(pens.hidden, min, max, color.alpha(0.3));
        }
        let grow = Vector3::repeat(if candidate.feature == Feature::Corner {
            0.06
        } else {
            0.0
        });
        lines.local_box_edges(min - grow, max + grow, color);
    }
    for [a, b, c] in &gather.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            lines.local_line(from + shift, to + shift, Color::ORANGE);
        }
    }
    let Some(player) = simulation.drawn_player(1.0) else {
        return;
    };
    let (start, radii) = (Position::from_local(reach.base, reach.start), player.radii);
    lines.ellipsoid(&start, radii, Color::WHITE);
    lines.ellipsoid(&start.moved(reach.motion), radii, Color::WHITE.alpha(0.5));
}

/// Returns the offset from metres of a base cell to metres of an overlay.
fn shift(lines: &Lines, base: Cell) -> Vector3<f32> {
    base.zip_map(&lines.base, |a, b| a.wrapping_sub(b) as f32)
}

/// Returns the corners of a box between three pairs of planes: four at the start of the motion,
/// four at its end, in rounds.
fn frustum_corners(planes: &[Plane; 6]) -> [Vector3<f32>; 8] {
    let at = |index: usize| planes[index].normal * planes[index].distance;
    const ROUND: [(usize, usize); 4] = [(2, 4), (3, 4), (3, 5), (2, 5)];
    std::array::from_fn(|corner| {
        let (side, rise) = ROUND[corner % 4];
        at(corner / 4) + at(side) + at(rise)
    })
}

/// Fills a rectangle that is flat on one axis.
fn fill_face(lines: &mut Lines, min: Vector3<f32>, max: Vector3<f32>, color: Color) {
    let axis = (max - min).imin();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (mut b, mut d) = (min, min);
    b[u] = max[u];
    d[v] = max[v];
    lines.local_quad([min, b, max, d], color);
}

/// Draws the planes that the player's motion touches, the path along them, the ground, and the
/// contacts of the last tick.
fn contacts(pens: &mut Pens<'_>, simulation: &Simulation) {
    let crowd = simulation.crowd();
    let Some(player) = simulation.drawn_player(1.0) else {
        return;
    };
    if let Some(ground) = crowd.ground(simulation.player_id()) {
        let foot = player.position.moved(-ground.normal * player.radii.y);
        pens.through.ring(&foot, ground.normal, 0.7, Color::GREEN);
        pens.through.arrow(&foot, ground.normal, Color::GREEN);
    }
    if let Some(trace) = trace(simulation) {
        slide_path(pens, &trace, &player);
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

fn slide_path(pens: &mut Pens<'_>, trace: &MoveTrace, player: &Drawn) {
    let lines = &mut *pens.through;
    let shift = shift(lines, trace.gather.reach.base);
    let mut before = player.position;
    for (contact, center) in &trace.contacts {
        let point = Position::from_local(lines.base, contact.point + shift);
        lines.ring(&point, contact.normal, 0.35, Color::ORANGE);
        lines.arrow(&point, contact.normal * 0.7, Color::ORANGE);
        lines.line(&before, center, Color::CYAN);
        lines.ellipsoid(center, Vector3::repeat(0.05), Color::CYAN);
        before = *center;
    }
    lines.line(&before, &trace.end, Color::CYAN);
    lines.ellipsoid(&trace.end, player.radii, Color::CYAN.alpha(0.6));
    let straight = player.position.moved(trace.gather.reach.motion);
    lines.line(&player.position, &straight, Color::WHITE.alpha(0.5));
}

/// Draws the cells of the KD-tree near the eye, each a little smaller than its parent.
fn tree(pens: &mut Pens<'_>, simulation: &Simulation, eye: Cell) {
    const LEVELS: [Color; 6] = [
        Color::RED,
        Color::ORANGE,
        Color::YELLOW,
        Color::GREEN,
        Color::CYAN,
        Color::BLUE,
    ];
    let near = CellBox::new(
        eye.map(|c| c.saturating_sub(TREE_REACH)),
        eye.map(|c| c.saturating_add(TREE_REACH)),
    );
    let lines = &mut *pens.hidden;
    simulation.world.visit_index(|bounds, level| {
        if !bounds.meets(&near) {
            return;
        }
        let inset = Vector3::repeat(level as f32 * LEVEL_INSET);
        let min = shift(lines, bounds.min) + inset;
        let max = shift(lines, bounds.max) + Vector3::repeat(1.0) - inset;
        lines.local_box_edges(min, max, LEVELS[level % LEVELS.len()]);
    });
}

/// Draws the tiles of the fog of war round the player: seen now, seen before, never seen.
fn fog_tiles(pens: &mut Pens<'_>, simulation: &Simulation) {
    let Some(fog) = simulation.fog() else {
        return;
    };
    let lines = &mut *pens.hidden;
    let [origin_x, origin_z] = fog.origin();
    let [width, depth] = fog.size().map(|side| side as i32);
    let middle = fog.tile_at(&simulation.player_position());
    let tile = fog.tile_side();
    let range =
        |middle: i32, end: i32| (middle - TILE_REACH).max(0)..(middle + TILE_REACH).min(end);
    for z in range(middle[1], depth) {
        for x in range(middle[0], width) {
            let index = (z * width + x) as usize;
            let (Some(&alpha), Some(&height)) = (fog.alpha().get(index), fog.heights().get(index))
            else {
                continue;
            };
            let color = match alpha {
                a if a <= 0.0 => Color::CYAN,
                a if a < 1.0 => Color::ORANGE,
                _ => Color::RED,
            };
            let place = Vector3::new(x as f32 * tile, TILE_LIFT, z as f32 * tile);
            let gap = Vector3::new(TILE_GAP, 0.0, TILE_GAP);
            let min = shift(lines, Cell::new(origin_x, height as i32, origin_z)) + place + gap;
            let side = tile - 2.0 * TILE_GAP;
            let corners = [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]]
                .map(|[x, z]| min + Vector3::new(x, 0.0, z));
            lines.local_quad(corners, color.alpha(0.4));
        }
    }
}

/// Draws the sectors of the character grid that have a table, brighter with more characters.
fn sectors(pens: &mut Pens<'_>, simulation: &Simulation) {
    let lines = &mut *pens.hidden;
    simulation
        .crowd()
        .visit_sectors(|corner, sides, population| {
            let corner = Position::new(corner, Vector3::zeros());
            let share = (population as f32 / FULL_SECTOR).min(1.0);
            let color = Color::MAGENTA.alpha(0.35 + 0.65 * share);
            lines.box_edges(&corner, sides.cast(), color);
        });
}

/// Draws lines between overlapping characters, tested by the ellipsoid with summed radii.
fn overlaps(pens: &mut Pens<'_>, simulation: &Simulation, wanted: &Wanted<'_>) {
    let mut bodies: Vec<Drawn> = simulation
        .drawn_walkers(wanted.between)
        .take(MOST_PAIRED)
        .collect();
    bodies.extend(simulation.drawn_others(wanted.between));
    bodies.extend(simulation.drawn_player(wanted.between));
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
