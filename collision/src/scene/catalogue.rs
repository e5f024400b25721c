//! The one list of regression scenes: tests and the demo run the same.

use super::error::SceneError;
use super::parse::{Scene, load};
use super::run::{Verdict, VoxelMaker, run};

/// A regression scene.
#[derive(Clone, Copy)]
pub struct Listed {
    /// Its name.
    pub name: &'static str,
    /// How it is run.
    pub kind: Kind,
}

/// How a listed scene is run.
#[derive(Clone, Copy)]
pub enum Kind {
    /// From a scene file with this text.
    File(&'static str),
    /// By a function that checks sweeps against brute force.
    Sweeps {
        /// What is tested, in a sentence.
        about: &'static str,
        /// Runs it.
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

    /// What is tested, in a sentence.
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

    /// Runs the scene on a voxel world, or on the plain stand-in for one.
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

/// All scenes, in the order of the reading.
pub fn catalogue() -> &'static [Listed] {
    CATALOGUE
}

/// A scene file of `collision/scenes`.
macro_rules! file {
    ($name:literal) => {
        Listed {
            name: $name,
            kind: Kind::File(include_str!(concat!("../../scenes/", $name, ".scene"))),
        }
    };
}

const CATALOGUE: &[Listed] = &[
    file!("floor_slide"),
    file!("seam_slide"),
    file!("wall_slide"),
    file!("inner_corner_90"),
    file!("acute_corner_30"),
    file!("crease_slide"),
    file!("friction_stop"),
    file!("outer_corner"),
    file!("fall_along_wall"),
    file!("jump_beside_wall"),
    file!("ceiling_hit"),
    file!("pillar_gap"),
    file!("slopes_5_to_85"),
    file!("step_up_1_block"),
    file!("step_off"),
    file!("stairs_10x0.3"),
    file!("stairs_between_walls"),
    file!("ledge_edge"),
    file!("bumps_0.05_and_0.3"),
    file!("block_removed_underfoot"),
    file!("unloaded_neighbour"),
    file!("two_ellipsoids_head_on"),
    file!("stack"),
    file!("push_into_wall"),
    file!("moving_platform"),
    file!("turning_platform"),
    file!("gravity_flip"),
    file!("planet"),
    file!("thread_count_determinism"),
    file!("rollback"),
    file!("teleport_refresh"),
    file!("sensors_and_liquid"),
    file!("order_independence"),
];
