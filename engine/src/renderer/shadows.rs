//! Decides which shadow maps must be drawn: those that moved, or in whose space anything changed or
//! moved.

use world::World;

use super::bodies::Bodies;
use super::bricks::Bricks;
use super::cascades::{CASCADES, CascadeView};
use super::culling::{Renewed, ViewDraws};
use super::models::Models;
use super::viewer::Viewer;
use crate::Gpu;

/// Tells if characters are drawn into a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bodied {
    Yes,
    No,
}

/// One map.
pub(crate) struct ShadowMap {
    pub(crate) draws: ViewDraws,
    pub(crate) bodied: Bodied,
    outdated: bool,
}

impl ShadowMap {
    /// Returns true if it must be drawn for this picture.
    pub(crate) fn outdated(&self) -> bool {
        self.outdated
    }
}

/// All maps of the sun or moon.
pub(crate) struct Shadows {
    pub(crate) maps: [ShadowMap; CASCADES],
    /// True if the textures are new and empty.
    empty: bool,
}

impl Shadows {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let map = |_| ShadowMap {
            draws: ViewDraws::new(gpu),
            bodied: Bodied::No,
            outdated: true,
        };
        Self {
            maps: std::array::from_fn(map),
            empty: true,
        }
    }

    /// Invalidates all maps, because their textures were replaced.
    pub(crate) fn outdate(&mut self) {
        self.empty = true;
    }

    /// Clears all maps: nothing throws a shadow.
    pub(crate) fn clear(&mut self) {
        self.maps.iter_mut().for_each(|map| {
            map.draws.clear();
            map.bodied = Bodied::No;
            map.outdated = true;
        });
    }

    /// Returns the number of maps that must be drawn.
    pub(crate) fn outdated(&self) -> u32 {
        self.maps.iter().map(|map| u32::from(map.outdated)).sum()
    }

    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        world: &World,
        bricks: &Bricks,
        views: &[CascadeView; CASCADES],
        bodies: &Bodies,
        models: &Models,
    ) {
        for (number, (map, view)) in self.maps.iter_mut().zip(views).enumerate() {
            let viewer = Viewer::Light(view.place);
            let renewed = map
                .draws
                .update(gpu, world, bricks, viewer, || view.frustum);
            map.bodied = match bodies.casting(number).is_empty() {
                true => Bodied::No,
                false => Bodied::Yes,
            };
            let moved = bodies.moved(number) || models.moved(number);
            map.outdated = self.empty || moved || renewed == Renewed::Yes;
        }
        self.empty = false;
    }
}
