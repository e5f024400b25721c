//! The figures of the group `systems`.

use super::{Figure, Filter};

/// Measures what the filter wants of this group.
pub fn run(_filter: &Filter) -> Vec<Figure> {
    Vec::new()
}
