//! Which shadow maps must be drawn: those that stand elsewhere than they did, or show something that
//! changed or moved. Models throw shadows into all of them.

use world::World;

use super::bodies::Bodies;
use super::bricks::Bricks;
use super::cascades::{CASCADES, CascadeView};
use super::culling::{Renewed, ViewDraws};
use super::models::Models;
use super::viewer::Viewer;
use crate::Gpu;

/// Whether characters are drawn into a map.
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
    /// Whether it has to be drawn for this picture.
    pub(crate) fn outdated(&self) -> bool {
        self.outdated
    }
}

/// All maps of the sun or moon.
pub(crate) struct Shadows {
    pub(crate) maps: [ShadowMap; CASCADES],
    /// The textures are new and hold nothing.
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

    /// The maps' textures are others now.
    pub(crate) fn outdate(&mut self) {
        self.empty = true;
    }

    /// Nothing throws a shadow.
    pub(crate) fn clear(&mut self) {
        self.maps.iter_mut().for_each(|map| {
            map.draws.clear();
            map.bodied = Bodied::No;
            map.outdated = true;
        });
    }

    /// How many maps have to be drawn.
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
            let moved = bodies.moved(number) || models.moved();
            map.outdated = self.empty || moved || renewed == Renewed::Yes;
        }
        self.empty = false;
    }
}
