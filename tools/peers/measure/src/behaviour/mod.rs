//! The regression scenes that make sense for a capsule, through every library's own controller.
//!
//! A scene is used if only characters move, if they walk upright on solid ground, and if they do
//! not touch each other. Ours must meet the scene exactly, including its hash. The others get
//! tolerances for another skin and another body: see [`judge`]. Reading order: [`suits`],
//! [`solids`] (terrain as triangles), [`judge`].

mod judge;
mod solids;
mod suits;

use crate::peer::{Peer, Start};
use crate::peers;
use crate::row::Row;
use collision_scenes::script::{Actor, Script, Setting, Wish};
use collision_scenes::{Scene, catalogue};
use judge::{Judge, Seen};
use nalgebra::Point3;
use solids::Stage;
use suits::{place_of, rules_of, suits};

/// Scenes that require our skin to the millimetre, our rules for standing out over an edge and
/// stepping from it, or our convention that speed is kept along a slope and not over level ground.
const OURS_ALONE: [&str; 8] = [
    "pillar_gap",
    "ledge_edge",
    "out_over_a_drop",
    "over_a_narrow_pit",
    "over_a_slot_of_triangles",
    "back_in_over_a_rim_of_triangles",
    "step_from_a_rim",
    "slopes_5_to_85",
];

/// Counts the scenes that each peer passes, in total and for each scene.
pub fn rows(verbose: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut totals: Vec<(String, [usize; 2])> = Vec::new();
    for listed in catalogue() {
        let Some(Ok(scene)) = listed.load() else {
            continue;
        };
        if OURS_ALONE.contains(&listed.name) || !scene.variants.iter().all(suits) {
            continue;
        }
        let mut of_scene = vec![ours(&scene, listed.run(None).passed())];
        of_scene.extend(theirs(&scene, verbose));
        for row in &of_scene {
            let rank = totals.iter().position(|(peer, _)| *peer == row.peer);
            let rank = rank.unwrap_or_else(|| {
                totals.push((row.peer.clone(), [0; 2]));
                totals.len() - 1
            });
            let passed = &mut totals[rank].1;
            passed[0] += usize::from(row.passed.is_some_and(|[held, all]| held == all));
            passed[1] += 1;
        }
        rows.extend(of_scene);
    }
    rows.extend(totals.into_iter().map(|(peer, passed)| Row {
        passed: Some(passed),
        ..Row::single("behaviour.scenes", &peer, "", passed[0] as f64)
    }));
    rows
}

fn ours(scene: &Scene, passed: bool) -> Row {
    let all = scene.variants.len();
    row(scene, "ours", [if passed { all } else { 0 }, all])
}

fn row(scene: &Scene, peer: &str, passed: [usize; 2]) -> Row {
    Row {
        passed: Some(passed),
        ..Row::single(&format!("scene.{}", scene.name), peer, "", passed[0] as f64)
    }
}

/// Returns a row for each peer, in the same order for every scene.
fn theirs(scene: &Scene, verbose: bool) -> Vec<Row> {
    let mut counts: Vec<(&'static str, usize, String)> = Vec::new();
    for script in &scene.variants {
        let stage = Stage::new(script);
        for (rank, (name, peer)) in peers::on_mesh(&stage.mesh).enumerate() {
            let fault = match peer {
                Some(mut peer) => play(script, &stage, peer.as_mut()),
                None => Some("its world could not be made".to_owned()),
            };
            if counts.len() <= rank {
                counts.push((name, 0, String::new()));
            }
            match fault {
                None => counts[rank].1 += 1,
                Some(fault) if counts[rank].2.is_empty() => {
                    counts[rank].2 = format!("[{}] {fault}", script.label);
                }
                Some(_) => {}
            }
        }
    }
    let all = scene.variants.len();
    let told = counts.into_iter().map(|(peer, held, fault)| Row {
        note: (verbose && !fault.is_empty()).then_some(fault),
        ..row(scene, peer, [held, all])
    });
    told.collect()
}

/// Runs a variant; returns the first expectation that does not hold, if any.
fn play(script: &Script, stage: &Stage, peer: &mut dyn Peer) -> Option<String> {
    let actors: Vec<(usize, Point3<f64>)> = script
        .actors
        .iter()
        .enumerate()
        .flat_map(|(index, actor)| actor.places.iter().map(move |place| (index, *place)))
        .collect();
    let starts: Vec<Start> = actors
        .iter()
        .map(|(actor, place)| Start {
            center: stage.start(place_of(script, *place), peer.body()),
            rules: rules_of(&script.actors[*actor]),
        })
        .collect();
    if !peer.place(&starts) {
        return Some("not all characters could be made".to_owned());
    }
    let seconds = (1.0 / script.rate) as f32;
    let placed = |((actor, _), start): (&(usize, _), &Start)| (*actor, stage.place(start.center));
    let mut judge = Judge::new(script, actors.iter().zip(&starts).map(placed));
    let mut wishes = vec![[0.0; 2]; actors.len()];
    for tick in 0..script.ticks {
        for (index, (actor, _)) in actors.iter().enumerate() {
            wishes[index] = [0.0; 2];
            for input in &script.inputs {
                if input.actor != *actor || !input.ticks.contains(&tick) {
                    continue;
                }
                match input.wish {
                    Wish::Go(velocity) => wishes[index] = [velocity.x as f32, velocity.z as f32],
                    Wish::Jump(speed) => peer.jump(index, speed as f32),
                    _ => {}
                }
            }
        }
        peer.tick(&wishes, seconds);
        let seen = |index: usize| Seen {
            center: peer.center(index),
            grounded: peer.is_grounded(index),
        };
        judge.look(stage, peer.body(), tick, seen);
    }
    judge.verdict()
}
