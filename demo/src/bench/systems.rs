//! The figures of the group `systems`: spatial hash, hash grid, hit boxes, fog of war.

mod broad;
mod fog;
mod scatter;

use super::{Figure, Filter};
use crate::error::Error;

/// Measures the figures of this group that the filter selects.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    for (name, measure) in FIGURES {
        if filter.begin("systems", &[name]) {
            figures.push(measure(name));
        }
    }
    Ok(figures)
}

type Measure = fn(&str) -> Figure;

const FIGURES: [(&str, Measure); 16] = [
    ("hash.query", broad::hash_query),
    ("hash.update", broad::hash_update),
    ("hash.query.wide", broad::hash_query_wide),
    ("hash.query.3d", broad::hash_query_deep),
    ("hash.update.3d", broad::hash_update_deep),
    ("grid.refill", broad::grid_refill),
    ("hit.swing", broad::hit_swing),
    ("fog.105.40", fog::small),
    ("fog.105.directions", fog::directions),
    ("fog.105.80", fog::middle),
    ("fog.1000.256", fog::large),
    ("fog.still", fog::still),
    ("fog.demo", fog::sandbox),
    ("fog.demo.obstacles", fog::obstacles),
    ("fog.demo.tiles", fog::tiles),
    ("fog.demo.colours", fog::colours),
];
