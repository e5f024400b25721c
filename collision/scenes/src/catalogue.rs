//! The one list of regression scenes: tests and the demo run the same ones.

use rayon::prelude::*;

use super::cannon;
use super::error::SceneError;
use super::parse::{Scene, load};
use super::run::{Verdict, VoxelMaker, run};
use super::sweeps;

/// A regression scene.
#[derive(Clone, Copy)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// The way it is run.
    pub kind: Kind,
}

/// The way a listed scene is run.
#[derive(Clone, Copy)]
pub enum Kind {
    /// From a scene file with this text.
    File(&'static str),
    /// By a function that checks sweeps against brute force.
    Sweeps {
        /// The subject of the test, in a sentence.
        about: &'static str,
        /// Runs the check.
        check: fn() -> Verdict,
    },
}

impl Listed {
    /// Reads the scene's file; `None` where it has none.
    pub fn load(&self) -> Option<Result<Scene, SceneError>> {
        match self.kind {
            Kind::File(text) => Some(load(&format!("{}.scene", self.name), text)),
            Kind::Sweeps { .. } => None,
        }
    }

    /// Returns the subject of the test, in a sentence.
    pub fn about(&self) -> String {
        match self.kind {
            Kind::Sweeps { about, .. } => about.to_owned(),
            Kind::File(text) => text
                .lines()
                .find_map(|line| line.strip_prefix("about "))
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// Runs the scene on a voxel world, or on [`PlainVoxels`](super::PlainVoxels).
    pub fn run(&self, maker: VoxelMaker<'_>) -> Verdict {
        let verdict = match (self.kind, self.load()) {
            (Kind::Sweeps { check, .. }, _) => check(),
            (_, Some(Ok(scene))) => run(&scene, maker),
            (_, Some(Err(error))) => Verdict {
                faults: vec![error.to_string()],
                ..Verdict::default()
            },
            (_, None) => Verdict::default(),
        };
        Verdict {
            name: self.name.to_owned(),
            ..verdict
        }
    }
}

/// Returns all scenes, from the simplest to crowds and edits.
pub fn catalogue() -> &'static [Listed] {
    CATALOGUE
}

/// Makes a scene of single sweeps.
const fn sweeps(name: &'static str, about: &'static str, check: fn() -> Verdict) -> Listed {
    Listed {
        name,
        kind: Kind::Sweeps { about, check },
    }
}

/// Makes a scene from a file of `collision/scenes`.
macro_rules! file {
    ($name:literal) => {
        Listed {
            name: $name,
            kind: Kind::File(include_str!(concat!("../", $name, ".scene"))),
        }
    };
}

const CATALOGUE: &[Listed] = &[
    sweeps(
        "face_head_on",
        "A ball five metres before a face: the time to a millionth, the normal of the face.",
        sweeps::face_head_on,
    ),
    sweeps(
        "edge_exact",
        "Aimed at the seam of two faces in one plane: always a hit, always the normal of the face.",
        sweeps::edge_exact,
    ),
    sweeps(
        "vertex_exact",
        "Aimed at the point where four faces meet, off by nothing or by single bits: always a hit.",
        sweeps::vertex_exact,
    ),
    sweeps(
        "graze",
        "Passing an edge or a ball by a hundredth of a millimetre less than the radius is a hit, \
        by more a miss, from both sides alike.",
        sweeps::graze,
    ),
    sweeps(
        "parallel_skim",
        "Along a wall at exactly its skin: no hit at any speed.",
        sweeps::parallel_skim,
    ),
    sweeps(
        "receding_start",
        "Touching or a little inside and moving away: no hit at the start.",
        sweeps::receding_start,
    ),
    sweeps(
        "zero_and_tiny_motion",
        "Motions of nothing, of denormals and of no number: an answer, and never a hit from NaN.",
        sweeps::zero_and_tiny_motion,
    ),
    sweeps(
        "degenerate_tri",
        "Triangles without area and needles: no normal that is not one, and the neighbours still \
        block.",
        sweeps::degenerate_tri,
    ),
    sweeps(
        "back_face",
        "From behind a one-sided face or inside of it: passes; two-sided: blocks.",
        sweeps::back_face,
    ),
    sweeps(
        "quad_equals_tris",
        "A swept quad, its two triangles and brute force agree.",
        sweeps::quad_equals_tris,
    ),
    sweeps(
        "ellipsoid_ratio",
        "Radii up to ten to one against tilted triangles: the normal is that of the ellipsoid's \
        surface.",
        sweeps::ellipsoid_ratio,
    ),
    sweeps(
        "ccd_thin_wall",
        "One voxel of wall and a sheet without thickness at 1 to 1000 m/s: never passed.",
        sweeps::ccd_thin_wall,
    ),
    sweeps(
        "opposed_features",
        "Two hits at the same time: the winner does not depend on the order in which they are \
        found.",
        sweeps::opposed_features,
    ),
    sweeps(
        "cannon_balls",
        "Balls at 1 m/s to 10 km/s in a room with thin walls: none leaves it, and the hash grid \
        names the targets that they meet.",
        cannon::cannon_balls,
    ),
    file!("floor_slide"),
    file!("seam_slide"),
    file!("wall_slide"),
    file!("inner_corner_90"),
    file!("acute_corner_30"),
    file!("crease_slide"),
    file!("friction_stop"),
    file!("outer_corner"),
    file!("fall_along_wall"),
    file!("fall_past_an_edge"),
    file!("fall_past_a_slot"),
    file!("jump_beside_wall"),
    file!("jump_height_at_any_rate"),
    file!("jump_from_a_train"),
    file!("jump_from_a_lift"),
    file!("conveyor_belt"),
    file!("stairs_at_the_wished_pace"),
    file!("ceiling_hit"),
    file!("pillar_gap"),
    file!("slopes_5_to_85"),
    file!("slide_down_steep_slopes"),
    file!("landing_on_a_slope"),
    file!("step_up_1_block"),
    file!("step_in_the_air"),
    file!("jump_and_step"),
    file!("steps_without_ledges"),
    file!("over_a_rim_without_steps"),
    file!("out_over_a_drop"),
    file!("out_over_a_drop_of_triangles"),
    file!("sunk_over_the_rim_of_a_sheet"),
    file!("down_a_low_rim"),
    file!("over_a_narrow_pit"),
    file!("over_a_slot_of_triangles"),
    file!("over_a_slot_of_unequal_rims"),
    file!("back_in_over_a_rim_of_triangles"),
    file!("block_beyond_a_drop"),
    file!("wall_of_triangles_above_a_step"),
    file!("tilted_before_a_high_wall"),
    file!("door_with_a_sill"),
    file!("downhill_along_a_leaning_wall"),
    file!("pressed_downhill_into_a_wall"),
    file!("up_a_curved_ramp"),
    file!("stands_up_under_a_low_roof"),
    file!("small_body_in_a_cleft"),
    file!("out_of_a_crate"),
    file!("pushed_by_a_fast_sheet"),
    file!("fast_sheet_with_a_seam_at_the_centre"),
    file!("rim_beside_a_wall"),
    file!("step_from_a_rim"),
    file!("stairs_at_speed"),
    file!("over_a_rim_from_the_air"),
    file!("over_a_rim_of_triangles"),
    file!("low_steps_and_small_stairs"),
    file!("stops_on_a_ledge"),
    file!("high_step_onto_a_block"),
    file!("high_step_at_a_wall"),
    file!("tilted_on_a_corner"),
    file!("tilted_along_walls"),
    file!("tilted_between_walls"),
    file!("between_leaning_walls"),
    file!("jumps_in_a_leaning_corner"),
    file!("step_off"),
    file!("step_off_for_who_walks_steep_slopes"),
    file!("runs_into_a_low_wall"),
    file!("step_under_an_overhang"),
    file!("step_beside_a_high_wall"),
    file!("edge_under_an_overhang"),
    file!("stairs_10x0.3"),
    file!("stairs_between_walls"),
    file!("ledge_edge"),
    file!("bumps_0.05_and_0.3"),
    file!("initially_intersecting"),
    file!("block_placed_on_player"),
    file!("block_removed_underfoot"),
    file!("edit_during_sweep"),
    file!("fully_buried"),
    file!("unloaded_neighbour"),
    file!("random_edit_soak"),
    file!("two_ellipsoids_head_on"),
    file!("stack"),
    file!("other_shapes"),
    file!("crowd_500"),
    file!("push_into_wall"),
    file!("moving_platform"),
    file!("turning_platform"),
    file!("crouch_board"),
    file!("crouch_on_a_tilted_floor"),
    file!("gravity_flip"),
    file!("planet"),
    file!("thread_count_determinism"),
    file!("platform_determinism"),
    file!("rollback"),
    file!("far_origin"),
    file!("teleport_refresh"),
    file!("sensors_and_liquid"),
    file!("order_independence"),
    file!("between_grounds"),
    file!("diagonal_gap"),
    file!("fast_maze"),
    file!("ladder_climb"),
    file!("mesh_seams"),
    file!("out_of_a_one_sided_box"),
    file!("pushed_by_platform"),
    file!("platform_into_a_bystander"),
    file!("crushed_by_platform"),
    file!("thin_wall_behind_a_block"),
    file!("way_along_an_edge"),
    file!("under_a_slope_over_an_edge"),
    file!("edge_of_a_slope_under_a_block"),
    file!("down_a_slope_under_a_ceiling"),
    file!("beside_the_edge_of_a_ceiling"),
    file!("corner_underfoot_and_a_ceiling"),
    file!("edge_before_two_walls"),
    file!("between_two_edges_under_a_ceiling"),
    file!("in_a_notch_a_hair_too_steep"),
    file!("small_stairs"),
    file!("heavy_and_light"),
    file!("heavy_pushes_light_to_a_wall"),
    file!("wind_tunnel"),
    file!("launch_decays"),
    file!("jump_from_a_head"),
    file!("contacts_in_a_corner"),
    file!("camera_on_stairs"),
    file!("standing_on_what_lies_below"),
    file!("still_for_ten_minutes"),
];

/// The scene that takes minutes; the tests of `world` run it, once.
pub const LONG_SCENE: &str = "random_edit_soak";

/// Runs all scenes but [`LONG_SCENE`] on plain voxels and on all threads. Returns the names and
/// reasons of those that fail.
#[must_use]
pub fn failing() -> Vec<String> {
    catalogue()
        .par_iter()
        .filter(|listed| listed.name != LONG_SCENE)
        .map(|listed| listed.run(None))
        .filter(|verdict| !verdict.passed())
        .map(|verdict| format!("{}: {}", verdict.name, verdict.why()))
        .collect()
}
