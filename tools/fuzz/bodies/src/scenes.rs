//! Scene files: any text is refused with its line, or gives a scene; small ones are run.

use collision_scenes::script::{EditKind, Fill, Repeat, Script, Shape};
use collision_scenes::{Kind, Scene, catalogue, load, run};

use crate::Target;

/// The target.
pub const TARGET: Target = Target {
    name: "scenes",
    check,
    seeds,
    longest: 2048,
};

/// Most ticks of characters, cells and edited cells of a scene that is run.
const MOST_TICKS: usize = 400;
const MOST_CELLS: f64 = 2e5;
/// Longest scene that serves as a seed, in bytes.
const LONGEST_SEED: usize = 1200;

/// Reads bytes as a scene, and runs it.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut scene = match load("fuzzed.scene", &text) {
        Ok(scene) => scene,
        Err(error) => {
            assert!(error.to_string().starts_with("fuzzed.scene"), "{error}");
            return;
        }
    };
    scene.variants.truncate(1);
    if scene.variants.iter_mut().all(is_small) {
        check_run(&scene);
    }
}

/// Runs a scene: its verdict is the same again.
fn check_run(scene: &Scene) {
    let verdict = run(scene, None);
    for trajectory in &verdict.trajectories {
        let points = trajectory.points.iter();
        assert!(
            points.flatten().all(|part| part.is_finite()),
            "{}",
            trajectory.name
        );
    }
    let other = verdict
        .faults
        .iter()
        .find(|fault| fault.contains("other bits"));
    assert_eq!(other, None, "another condition changes the bits");
}

/// Returns whether a script takes little time. Leaves out its repeats beyond the first, and those
/// that start threads.
fn is_small(script: &mut Script) -> bool {
    script
        .repeats
        .retain(|repeat| !matches!(repeat, Repeat::Threads(_)));
    script.repeats.truncate(1);
    let characters: usize = script.actors.iter().map(|actor| actor.places.len()).sum();
    let ticks = script.ticks as usize;
    let of_ground = |shape: &Shape| match shape {
        Shape::Voxels(layer) => spread(&layer.fills),
        Shape::Boxes(boxes) => (boxes.len() as f64 * 2.0).powi(3),
        Shape::Triangles(mesh) => {
            let reach = |point: &nalgebra::Point3<f64>| point.coords.amax();
            let far = mesh.triangles.points.iter().map(reach).fold(1.0, f64::max);
            mesh.triangles.triangles.len() as f64 * (1.0 + far / 32.0).powi(2)
        }
    };
    let edited: f64 = (script.edits.iter())
        .map(|edit| match &edit.kind {
            EditKind::Fill(_, fill) => {
                spread(std::slice::from_ref(fill)) * f64::from(edit.ticks.len() as u32)
            }
            EditKind::Toggle { count, .. } => {
                f64::from(*count) * f64::from(edit.ticks.len() as u32)
            }
            _ => 1.0,
        })
        .sum();
    let grounds: f64 = script
        .grounds
        .iter()
        .map(|ground| of_ground(&ground.shape))
        .sum();
    let work = ticks.saturating_mul(characters.max(1));
    work <= MOST_TICKS && grounds + edited <= MOST_CELLS
}

/// Returns the cells of the box around all fills.
fn spread(fills: &[Fill]) -> f64 {
    let Some(first) = fills.first() else {
        return 0.0;
    };
    let low = fills
        .iter()
        .fold(first.min, |low, fill| low.inf(&fill.min.inf(&fill.max)));
    let high = fills
        .iter()
        .fold(first.max, |high, fill| high.sup(&fill.min.sup(&fill.max)));
    (0..3)
        .map(|axis| f64::from(high[axis]) - f64::from(low[axis]) + 1.0)
        .product()
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = catalogue().iter().filter_map(|listed| match listed.kind {
        Kind::File(text) if text.len() < LONGEST_SEED => Some(text.as_bytes().to_vec()),
        _ => None,
    });
    texts.collect()
}
