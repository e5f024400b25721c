//! Overlays of what the mover and its indices did: tree cells, sweeps, contacts, grid sectors, overlaps.

use crate::cli::Overlay;
use crate::simulation::Simulation;

use super::Wanted;
use super::lines::Pens;

pub(super) fn draw(
    _pens: &mut Pens<'_>,
    _overlay: Overlay,
    _simulation: &Simulation,
    _wanted: &Wanted<'_>,
) {
}
