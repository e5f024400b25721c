//! The player's tool, hot-bar, and brush with its size.

use serde::{Deserialize, Serialize};
use simulation::{BRUSH_SIZES, BrushMode, BrushShape, PropId, Symmetry};
use world::{Material, MaterialTable};

/// The tools that the buttons use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Tool {
    /// Changes voxels.
    #[default]
    Carve,
    /// Fires balls.
    Cannon,
    /// Strikes.
    Melee,
    /// Places props.
    Props,
    /// Places the copy.
    Stamp,
    /// Selects a box.
    Select,
}

impl Tool {
    pub(crate) fn next(self) -> Self {
        match self {
            Tool::Carve => Tool::Cannon,
            Tool::Cannon => Tool::Melee,
            Tool::Melee => Tool::Props,
            Tool::Props => Tool::Select,
            Tool::Select | Tool::Stamp => Tool::Carve,
        }
    }

    pub(crate) fn words(self) -> &'static str {
        match self {
            Tool::Carve => "Carve and build",
            Tool::Cannon => "Cannon",
            Tool::Melee => "Melee",
            Tool::Props => "Props",
            Tool::Stamp => "Put down the copy",
            Tool::Select => "Select a box",
        }
    }
}

/// Number of slots of the hot-bar.
pub(crate) const SLOTS: usize = 9;

/// Settings of the tool for props.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placing {
    /// Index of the model.
    pub(super) model: usize,
    pub(super) turn: u8,
    /// The prop that is being moved.
    pub(super) carried: Option<PropId>,
}

/// The player's tool and its settings.
#[derive(Clone, Debug)]
pub(crate) struct Hands {
    pub(crate) tool: Tool,
    pub(crate) slots: [Material; SLOTS],
    pub(crate) slot: usize,
    /// The brush's radius, voxels.
    pub(crate) size: u32,
    pub(super) placing: Placing,
    pub(super) symmetry: Symmetry,
    shape: BrushShape,
    mode: BrushMode,
}

impl Hands {
    /// Moves the hot-bar to a world with another table: materials whose name exists there stay.
    pub(crate) fn carry_over(&mut self, from: &MaterialTable, to: &MaterialTable) {
        let first = Self::new(to).slots;
        for (slot, first) in self.slots.iter_mut().zip(first) {
            *slot = to.by_name(&from.info(*slot).name).unwrap_or(first);
        }
    }

    /// Returns the first hot-bar for a table.
    pub(crate) fn new(materials: &MaterialTable) -> Self {
        let wanted = [
            "stone", "grass", "planks", "brick", "glass", "lamp", "ladder", "water", "gold",
        ];
        let mut slots = [Material::STONE; SLOTS];
        for (slot, name) in slots.iter_mut().zip(wanted) {
            *slot = materials.by_name(name).unwrap_or(Material::STONE);
        }
        Hands {
            tool: Tool::default(),
            slots,
            slot: 0,
            size: 3,
            placing: Placing::default(),
            symmetry: Symmetry::default(),
            shape: BrushShape::default(),
            mode: BrushMode::default(),
        }
    }

    pub(crate) fn material(&self) -> Material {
        self.slots[self.slot]
    }

    /// Puts a material into the selected slot, or selects the slot that has it already.
    pub(crate) fn take(&mut self, material: Material) {
        if material == Material::AIR {
            return;
        }
        match self.slots.iter().position(|&m| m == material) {
            Some(slot) => self.slot = slot,
            None => self.slots[self.slot] = material,
        }
    }

    pub(crate) fn shape(&self) -> BrushShape {
        self.shape
    }

    pub(crate) fn choose_brush(&mut self, shape: BrushShape, mode: BrushMode) {
        (self.shape, self.mode) = (shape, mode);
    }

    pub(crate) fn next_brush(&mut self) {
        self.shape = next_of(&BrushShape::ALL, self.shape);
    }

    pub(crate) fn mode(&self) -> BrushMode {
        self.mode
    }

    /// Returns the mode of the other button: the opposite.
    pub(crate) fn other_mode(&self) -> BrushMode {
        if self.mode == BrushMode::Place {
            BrushMode::Carve
        } else {
            BrushMode::Place
        }
    }

    pub(crate) fn next_mode(&mut self) {
        self.mode = next_of(&BrushMode::ALL, self.mode);
    }

    /// Returns the largest distance between strokes of a drag, voxels.
    pub(crate) fn spacing(&self) -> u32 {
        match self.shape {
            BrushShape::Voxel => 1,
            _ => (self.size / 2).max(1),
        }
    }

    /// Returns whether strokes of this mode go in front of the face under the pointer.
    pub(crate) fn builds(&self, mode: BrushMode) -> bool {
        mode == BrushMode::Place && (self.size <= 1 || self.shape == BrushShape::Voxel)
    }

    pub(crate) fn resize(&mut self, by: i32) {
        let size = self.size.saturating_add_signed(by);
        self.size = size.clamp(*BRUSH_SIZES.start(), *BRUSH_SIZES.end());
    }
}

/// Returns the value after another in a list, or the first.
fn next_of<T: Copy + PartialEq>(all: &[T], now: T) -> T {
    let place = all.iter().position(|&value| value == now);
    all[place.map_or(0, |place| place + 1) % all.len()]
}

/// Returns the words of all tools, brush shapes and brush modes.
#[cfg(test)]
pub(crate) fn all_words() -> Vec<&'static str> {
    use Tool::{Cannon, Carve, Melee, Props, Select, Stamp};
    let tools = [Carve, Cannon, Melee, Props, Stamp, Select].map(Tool::words);
    let mut words = tools.to_vec();
    words.extend(BrushShape::ALL.map(BrushShape::words));
    words.extend(BrushMode::ALL.map(BrushMode::words));
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn hot_bar_holds_what_the_next_world_has() {
        let info = |name: &str| world::MaterialInfo {
            name: name.to_owned(),
            ..MaterialTable::standard().info(Material::STONE).clone()
        };
        let (mut from, mut to) = (MaterialTable::standard(), MaterialTable::standard());
        let [red, blue] = ["red", "blue"].map(|name| from.add(info(name)).unwrap());
        let blue_there = to.add(info("blue")).unwrap();
        assert_ne!(blue, blue_there);
        let mut hands = Hands::new(&from);
        let first = hands.slots;
        hands.slots[2] = red;
        hands.slots[4] = blue;
        hands.carry_over(&from, &to);
        assert_eq!(hands.slots[4], blue_there);
        hands.slots[4] = first[4];
        // The new table has no red: the slot holds its first material.
        assert_eq!(hands.slots, first);
    }
}
