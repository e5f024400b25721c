//! Compares us with peers: the same scenes in one run, on one thread; prints a table, JSON lines,
//! and a page.
//!
//! Reading order: `launcher` (the options); [`peer`] (the interface of a peer), [`walk`] (the scene
//! of the crowd figures), [`controller`] (around libraries that only sweep), `peers`; [`editing`],
//! [`behaviour`]; [`contest`] with `meshing`, `indexes`, `hashes`; `store`; `figures`; `page`.
//! NOTES.md holds the findings.

mod behaviour;
mod clock;
mod contest;
mod controller;
mod depth;
mod editing;
mod figures;
mod ground;
mod hashes;
mod indexes;
mod machine;
mod memory;
mod mesh;
mod meshing;
mod page;
mod peer;
mod peers;
mod random;
mod row;
mod store;
mod terrain;
mod walk;

use clap::Parser;
use collision_scenes::ProvingGround;
use launcher::{Arguments, Group};
use machine::Machine;
use row::Table;
use std::process::ExitCode;
use std::time::Duration;
use walk::{Pace, Plan};

fn main() -> ExitCode {
    if let Some(code) = store::victim() {
        return code;
    }
    let arguments = Arguments::parse();
    if let Err(message) = arguments.check_files() {
        return finish(Err(message));
    }
    if let Some(results) = &arguments.page_of {
        return finish(page::from_file(results, &arguments));
    }
    let machine = Machine::look();
    for name in peers::left_out() {
        eprintln!("{name} is left out of this build");
    }
    let mut table = Table::new(arguments.json);
    // Grounds are made on all threads before anything is timed on one.
    let scene = ProvingGround::new(terrain::SEED);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let Ok(one) = one else {
        eprintln!("a thread could not be started");
        return ExitCode::FAILURE;
    };
    let wants = |group| arguments.wants(group);
    let metres = terrain::ground(&scene, 1.0);
    one.install(|| {
        if wants(Group::Meshing) {
            let ours = peers::ours::Terrain::new(&metres);
            let rounds = if arguments.quick { 4 } else { 12 };
            add(&mut table, meshing::rows(&metres, &ours.world, rounds));
        }
        if wants(Group::Indexes) {
            add(&mut table, indexes::rows());
            add(&mut table, hashes::rows());
        }
        if wants(Group::Behaviour) {
            add(&mut table, behaviour::rows(arguments.verbose));
        }
        if wants(Group::Store) {
            add(&mut table, store::rows(arguments.quick));
        }
    });
    if wants(Group::Characters) || wants(Group::Edits) {
        one.install(|| on_ground(&mut table, &arguments, &scene, &metres, "1m"));
        if !arguments.quick {
            let quarters = terrain::ground(&scene, 0.25);
            one.install(|| on_ground(&mut table, &arguments, &scene, &quarters, "quarter"));
        }
    }
    if wants(Group::Figures) {
        add(&mut table, figures::rows());
    }
    finish(page::keep(&machine.after(), &table.rows, &arguments))
}

fn finish(outcome: Result<(), String>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn add(table: &mut Table, rows: Vec<row::Row>) {
    rows.into_iter().for_each(|row| table.add(row));
}

/// Measures all peers on one ground: first the edits, which also measure the ground's memory, then
/// the walks on new grounds: hundreds of edits without a physics step between them leave broad
/// phases in a state that no game would walk on.
fn on_ground(
    table: &mut Table,
    arguments: &Arguments,
    scene: &ProvingGround,
    ground: &ground::Ground,
    voxel: &str,
) {
    if arguments.wants(Group::Edits) {
        let mut entrants = peers::on_ground(ground);
        let name = format!("edit.one.{voxel}");
        let budget = Duration::from_secs(if arguments.quick { 1 } else { 10 });
        add(table, editing::rows(&name, ground, &mut entrants, budget));
    }
    if !arguments.wants(Group::Characters) {
        return;
    }
    let mut entrants = peers::on_ground(ground);
    let counts: &[usize] = if arguments.quick {
        &[1000]
    } else {
        &[100, 1000, 10_000]
    };
    // The smallest crowd walks to the end, so that distances can be compared; larger ones measure
    // the cost.
    let budget = |count: usize| {
        let seconds = match (arguments.quick, count) {
            (true, _) => 1.5,
            (false, ..=100) => 15.0,
            (false, ..=1000) => 5.0,
            (false, _) => 4.0,
        };
        Duration::from_secs_f64(seconds)
    };
    for (kind, speed, step) in [
        ("walk", 5.0, 1.05),
        ("plain", 5.0, 0.0),
        ("fast", 60.0, 0.0),
        ("fast.steps", 60.0, 1.05),
    ] {
        if arguments.quick && kind == "fast.steps" {
            continue;
        }
        entrants.iter_mut().for_each(|one| one.last_cost = 0.0);
        for &count in counts {
            let plan = Plan {
                name: format!("crowd.{kind}.{voxel}.{count}"),
                ground,
                scene,
                pace: Pace { speed, step },
                count,
                ticks: 360,
                budget: budget(count),
            };
            add(table, plan.run(&mut entrants));
        }
    }
}
