//! The surroundings of a move or a recovery, its settings, and the buffers of both.

mod config;
mod queried;
mod scratch;
mod spans;
mod traced;

pub use config::MoverConfig;
pub(crate) use queried::Queried;
pub use scratch::Scratch;
pub(crate) use scratch::{Place, Places};
pub(crate) use spans::Spans;
pub(crate) use traced::Tracing;
pub use traced::{GatherTrace, TracedCandidate};

use crate::body::Neighbour;
use crate::contact::ContactListener;
use crate::reach::Reach;
use crate::terrain::Terrain;
use nalgebra::Vector3;

/// The surroundings of a move.
pub struct Around<'a, T: ?Sized> {
    /// The terrain.
    pub terrain: &'a T,
    /// The bodies that a move can touch; those out of reach do no harm.
    pub others: &'a [Neighbour],
    /// The settings of the move.
    pub config: &'a MoverConfig,
    /// Judges every contact before it counts.
    pub listener: Option<&'a dyn ContactListener>,
}

impl<'a, T: Terrain + ?Sized> Around<'a, T> {
    /// Makes surroundings of terrain alone, without other bodies and without a listener.
    #[must_use]
    pub fn terrain(terrain: &'a T, config: &'a MoverConfig) -> Self {
        Self {
            terrain,
            others: &[],
            config,
            listener: None,
        }
    }

    /// Returns the neighbours that may reach into a reach, with their centres from its base.
    #[inline]
    pub(crate) fn others_within(
        &self,
        reach: &Reach,
    ) -> impl Iterator<Item = (&'a Neighbour, Vector3<f32>)> + use<'a, T> {
        let (skin, reach) = (self.config.skin, *reach);
        self.others.iter().filter_map(move |other| {
            let centre = other.body.position.relative_to(reach.base);
            let longest = other.body.radii.longest() + skin;
            let near = |i: usize| {
                reach.min[i] - longest <= centre[i] && centre[i] <= reach.max[i] + longest
            };
            (near(0) && near(1) && near(2)).then_some((other, centre))
        })
    }
}
