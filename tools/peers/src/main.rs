//! Ours against peers: the same scenes, one run, one thread; a table or one JSON object a line.
//!
//! A peer that costs a compiler or CMake is behind a feature, and a line says so when it is left out. What each figure means is in
//! `walk`, `meshing` and `indexes`; what was learnt from them is in NOTES.md.

mod boxes;
mod ground;
mod indexes;
mod meshing;
mod ours;
mod rapier;
mod report;
mod terrain;
mod walk;

use clap::Parser;
use ground::Ground;
use ours::{Meeting, Ours};
use report::Row;
use walk::{Pace, Plan, Walkers};
use world::proving_ground::ProvingGround;

#[derive(Parser)]
#[command(about = "Measures ours against peers on the same scenes")]
struct Arguments {
    /// One JSON object a line instead of a table
    #[arg(long)]
    json: bool,
    /// Only these groups, separated by commas: characters, meshing, indexes
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Fewer ticks and characters, for a look while working
    #[arg(long)]
    quick: bool,
}

const GROUPS: [&str; 3] = ["characters", "meshing", "indexes"];

fn main() {
    let arguments = Arguments::parse();
    if let Some(unknown) = arguments
        .only
        .iter()
        .find(|name| !GROUPS.contains(&name.as_str()))
    {
        eprintln!(
            "there is no group `{unknown}`; there are {}",
            GROUPS.join(", ")
        );
        std::process::exit(2);
    }
    // Everything runs on one thread, ours too.
    let one = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread can be started");
    one.install(|| measure(&arguments));
}

fn measure(arguments: &Arguments) {
    let wanted =
        |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
    let mut table = Table {
        json: arguments.json,
        rows: Vec::new(),
    };
    let scene = ProvingGround::new(terrain::SEED);
    let ground = terrain::metre_ground(&scene);
    let world = ours::world(&ground);
    if wanted("meshing") {
        meshing(&mut table, &ground, &world);
    }
    if wanted("indexes") {
        table.add(ours::index());
        indexes::rows().into_iter().for_each(|row| table.add(row));
    }
    if wanted("characters") {
        characters(&mut table, &scene, &ground, &world, arguments.quick);
    }
}

struct Table {
    json: bool,
    rows: Vec<Row>,
}

impl Table {
    fn add(&mut self, row: Row) {
        if self.json {
            println!(
                "{}",
                serde_json::to_string(&row).expect("rows are plain figures")
            );
        } else {
            let ours = self
                .rows
                .iter()
                .find(|other| other.name == row.name && other.peer == "ours");
            report::print(&row, ours.map(|ours| ours.median));
        }
        self.rows.push(row);
    }
}

fn meshing(table: &mut Table, ground: &Ground, world: &world::World) {
    let chunks = meshing::surface_chunks(ground);
    let (row, quads) = ours::merging(world, &chunks);
    table.add(row);
    let mut counts = vec![("ours".to_owned(), quads)];
    for (row, quads) in meshing::rows(ground) {
        counts.push((row.peer.clone(), quads));
        table.add(row);
    }
    for (peer, quads) in counts {
        let row = Row::timed("world.merge.quads", &peer, "count", &mut [quads as f64]);
        table.add(row);
    }
}

fn characters(
    table: &mut Table,
    scene: &ProvingGround,
    ground: &Ground,
    world: &world::World,
    quick: bool,
) {
    let counts: &[usize] = if quick { &[1000] } else { &[100, 1000, 10_000] };
    let ticks = if quick { 180 } else { 360 };
    let paces = [
        ("walk", 5.0, 1.05),
        ("plain", 5.0, 0.0),
        ("fast", 60.0, 0.0),
    ];
    for (kind, speed, step) in paces {
        let pace = Pace { speed, step };
        for &count in counts {
            let name = format!("crowd.{kind}.{count}");
            let plan = Plan::new(ground, scene, count, pace, ticks);
            let mut run =
                |peer: &str, walkers: &mut dyn Walkers| table.add(plan.run(peer, &name, walkers));
            run("ours", &mut Ours::new(world, &plan, Meeting::Nobody));
            run(
                "ours, meeting",
                &mut Ours::new(world, &plan, Meeting::EachOther),
            );
            run("axis-aligned box", &mut boxes::Boxes::new(&plan));
            if count <= 1000 {
                run(
                    "rapier, triangles",
                    &mut rapier::Rapier::new(&plan, rapier::Surface::Triangles),
                );
                run(
                    "rapier, voxels",
                    &mut rapier::Rapier::new(&plan, rapier::Surface::Voxels),
                );
            }
        }
    }
}
