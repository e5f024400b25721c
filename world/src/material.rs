//! Materials of voxels: ids, and the table of their properties.
//!
//! The table is data: programs may add materials of their own. Drawing styles beyond a colour are
//! not here, nor is the effect of a surface on movement.

use std::collections::HashMap;

/// A material by its number in a [`MaterialTable`].
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    bytemuck::Pod,
    bytemuck::Zeroable,
)]
#[repr(transparent)]
pub struct Material(pub u16);

impl Material {
    /// Empty: neither drawn nor solid.
    pub const AIR: Self = Self(0);
    /// Grey rock.
    pub const STONE: Self = Self(1);
    /// Brown earth.
    pub const DIRT: Self = Self(2);
    /// Earth with grass.
    pub const GRASS: Self = Self(3);
    /// Beaches and deserts.
    pub const SAND: Self = Self(4);
    /// Snow, above the snow line.
    pub const SNOW: Self = Self(5);
    /// Tree trunks.
    pub const WOOD: Self = Self(6);
    /// Tree crowns.
    pub const LEAVES: Self = Self(7);
    /// A liquid: drawn, not solid.
    pub const WATER: Self = Self(8);
    /// Not solid; can be climbed.
    pub const LADDER: Self = Self(9);
    /// Gives light.
    pub const LAMP: Self = Self(10);
    /// Sawn wood.
    pub const PLANKS: Self = Self(11);
    /// Burnt clay.
    pub const BRICK: Self = Self(12);
    /// Solid and transparent.
    pub const GLASS: Self = Self(13);
    /// Loose stones.
    pub const GRAVEL: Self = Self(14);
    /// Wet earth.
    pub const CLAY: Self = Self(15);
    /// Frozen water.
    pub const ICE: Self = Self(16);
    /// Grey metal.
    pub const IRON: Self = Self(17);
    /// Yellow metal.
    pub const GOLD: Self = Self(18);
    /// A liquid that gives light.
    pub const LAVA: Self = Self(19);
    /// Dark rock of the depths.
    pub const BASALT: Self = Self(20);
    /// Layered desert rock.
    pub const SANDSTONE: Self = Self(21);
    /// Sand of iron-rich deserts.
    pub const RED_SAND: Self = Self(22);
    /// Baked clay, in bands.
    pub const TERRACOTTA: Self = Self(23);
    /// Grass of the savanna.
    pub const DRY_GRASS: Self = Self(24);
    /// Forest floor.
    pub const LUSH_GRASS: Self = Self(25);
    /// Ground of cold forests.
    pub const MOSS: Self = Self(26);
    /// Overgrown rock.
    pub const MOSSY_STONE: Self = Self(27);
    /// White trunks.
    pub const BIRCH: Self = Self(28);
    /// Red and golden crowns.
    pub const AUTUMN_LEAVES: Self = Self(29);
    /// Light green crowns.
    pub const BIRCH_LEAVES: Self = Self(30);
    /// Needles.
    pub const PINE_LEAVES: Self = Self(31);
    /// Acacia crowns.
    pub const DRY_LEAVES: Self = Self(32);
    /// Green, with spines.
    pub const CACTUS: Self = Self(33);
    /// Rock with black veins.
    pub const COAL: Self = Self(34);
    /// Gives light in caves.
    pub const CRYSTAL: Self = Self(35);
    /// Wet, sticky earth.
    pub const MUD: Self = Self(36);
}

/// The way a material is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Not drawn.
    Unseen,
    /// Hides everything behind it.
    Opaque,
    /// Transparent: drawn after the opaque faces.
    Transparent,
}

/// The grip of a material under a character's feet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Normal grip.
    #[default]
    Firm,
    /// Little grip: characters keep sliding.
    Slippery,
    /// Strong grip: characters come free slowly.
    Sticky,
}

/// The properties of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialInfo {
    /// Name, unique in its table.
    pub name: String,
    /// Colour in sRGB, and opacity.
    pub colour: [u8; 4],
    /// Stops characters. Collision uses no other property.
    pub solid: bool,
    /// Can be swum in.
    pub liquid: bool,
    /// Can be climbed.
    pub climbable: bool,
    /// Grip under a character's feet.
    pub surface: Surface,
    /// Light emitted, 0 to 15.
    pub light: u8,
    /// The way it is drawn.
    pub look: Look,
}

impl MaterialInfo {
    /// Returns an opaque solid of one colour.
    pub fn solid(name: &str, colour: [u8; 3]) -> Self {
        let [red, green, blue] = colour;
        Self {
            name: name.to_owned(),
            colour: [red, green, blue, 255],
            solid: true,
            liquid: false,
            climbable: false,
            surface: Surface::Firm,
            light: 0,
            look: Look::Opaque,
        }
    }
}

/// Reasons for refusing a material.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaterialError {
    /// Every id is taken.
    #[error("a world holds at most 65536 materials")]
    Full,
    /// Another material has this name.
    #[error("a material named {0:?} exists already")]
    NameTaken(String),
    /// The name has this many bytes, more than [`MaterialTable::LONGEST_NAME`].
    #[error("the name of a material has {0} bytes: use at most 255")]
    NameTooLong(usize),
}

/// Materials by id. Entry 0 is always air.
#[derive(Clone, Debug)]
pub struct MaterialTable {
    infos: Vec<MaterialInfo>,
    traits: Vec<u8>,
    by_name: HashMap<String, Material>,
}

const SOLID: u8 = 1;
const OPAQUE: u8 = 2;
const SEEN: u8 = 4;
const LIQUID: u8 = 8;
const CLIMBABLE: u8 = 16;

impl Default for MaterialTable {
    fn default() -> Self {
        Self::standard()
    }
}

impl MaterialTable {
    /// Longest name in bytes: saved names have one byte for their length.
    pub const LONGEST_NAME: usize = u8::MAX as usize;

    /// Returns the table of the materials that [`Material`] has constants for.
    pub fn standard() -> Self {
        let mut table = Self {
            infos: Vec::new(),
            traits: Vec::new(),
            by_name: HashMap::new(),
        };
        for info in standard_materials() {
            let added = table.add(info);
            debug_assert!(added.is_ok(), "standard names are unique");
        }
        table
    }

    /// Adds a material and returns its id.
    pub fn add(&mut self, info: MaterialInfo) -> Result<Material, MaterialError> {
        let id = u16::try_from(self.infos.len()).map_err(|_| MaterialError::Full)?;
        if info.name.len() > Self::LONGEST_NAME {
            return Err(MaterialError::NameTooLong(info.name.len()));
        }
        if self.by_name.contains_key(&info.name) {
            return Err(MaterialError::NameTaken(info.name));
        }
        self.by_name.insert(info.name.clone(), Material(id));
        self.traits.push(traits_of(&info));
        self.infos.push(info);
        Ok(Material(id))
    }

    /// Returns the properties of a material; those of air for an unknown id.
    pub fn info(&self, material: Material) -> &MaterialInfo {
        self.infos
            .get(usize::from(material.0))
            .unwrap_or(&self.infos[0])
    }

    /// Returns the material if the table has it.
    pub fn known(&self, material: Material) -> Option<Material> {
        (usize::from(material.0) < self.infos.len()).then_some(material)
    }

    /// Returns the material with this name.
    pub fn by_name(&self, name: &str) -> Option<Material> {
        self.by_name.get(name).copied()
    }

    /// Iterates over all materials in order of id.
    pub fn iter(&self) -> impl Iterator<Item = (Material, &MaterialInfo)> {
        (0..=u16::MAX).map(Material).zip(&self.infos)
    }

    /// Returns true if every material of another table is identical here, so that data made with
    /// that table keeps its meaning.
    pub fn extends(&self, other: &Self) -> bool {
        let mut pairs = self.iter().zip(other.iter());
        self.len() >= other.len() && pairs.all(|(own, others)| own == others)
    }

    /// Returns the number of ids in use.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Always false: every table holds air.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    fn traits(&self, material: Material) -> u8 {
        self.traits
            .get(usize::from(material.0))
            .copied()
            .unwrap_or(0)
    }

    /// Returns true if the material stops characters.
    pub fn is_solid(&self, material: Material) -> bool {
        self.traits(material) & SOLID != 0
    }

    /// Returns true if the material hides everything behind it.
    pub fn is_opaque(&self, material: Material) -> bool {
        self.traits(material) & OPAQUE != 0
    }

    /// Returns true if the material is drawn at all.
    pub fn is_seen(&self, material: Material) -> bool {
        self.traits(material) & SEEN != 0
    }

    /// Returns true if the material can be swum in.
    pub fn is_liquid(&self, material: Material) -> bool {
        self.traits(material) & LIQUID != 0
    }

    /// Returns true if the material can be climbed.
    pub fn is_climbable(&self, material: Material) -> bool {
        self.traits(material) & CLIMBABLE != 0
    }

    /// Returns true if the material is a medium: can be swum in or climbed.
    #[inline]
    pub(crate) fn is_medium(&self, material: Material) -> bool {
        self.traits(material) & (LIQUID | CLIMBABLE) != 0
    }
}

fn traits_of(info: &MaterialInfo) -> u8 {
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    flag(info.solid, SOLID)
        | flag(info.look == Look::Opaque, OPAQUE)
        | flag(info.look != Look::Unseen, SEEN)
        | flag(info.liquid, LIQUID)
        | flag(info.climbable, CLIMBABLE)
}

fn standard_materials() -> Vec<MaterialInfo> {
    let solid = MaterialInfo::solid;
    let seen_through = |name: &str, colour: [u8; 4]| MaterialInfo {
        colour,
        look: Look::Transparent,
        ..solid(name, [0; 3])
    };
    vec![
        MaterialInfo {
            solid: false,
            look: Look::Unseen,
            colour: [0; 4],
            ..solid("air", [0; 3])
        },
        solid("stone", [125, 127, 131]),
        solid("dirt", [121, 85, 58]),
        solid("grass", [96, 148, 66]),
        solid("sand", [219, 203, 143]),
        solid("snow", [240, 244, 250]),
        solid("wood", [104, 78, 48]),
        solid("leaves", [58, 110, 44]),
        MaterialInfo {
            solid: false,
            liquid: true,
            ..seen_through("water", [52, 108, 176, 160])
        },
        MaterialInfo {
            solid: false,
            climbable: true,
            ..seen_through("ladder", [156, 120, 70, 220])
        },
        MaterialInfo {
            light: 14,
            ..solid("lamp", [255, 226, 160])
        },
        solid("planks", [170, 132, 82]),
        solid("brick", [156, 82, 66]),
        seen_through("glass", [200, 226, 236, 70]),
        solid("gravel", [140, 134, 128]),
        solid("clay", [158, 164, 176]),
        MaterialInfo {
            surface: Surface::Slippery,
            ..seen_through("ice", [170, 206, 240, 190])
        },
        solid("iron", [196, 196, 200]),
        solid("gold", [246, 208, 72]),
        MaterialInfo {
            solid: false,
            liquid: true,
            light: 15,
            ..solid("lava", [236, 96, 24])
        },
        solid("basalt", [62, 60, 66]),
        solid("sandstone", [206, 178, 118]),
        solid("red sand", [190, 98, 52]),
        solid("terracotta", [150, 70, 46]),
        solid("dry grass", [176, 164, 84]),
        solid("lush grass", [74, 132, 56]),
        solid("moss", [96, 120, 70]),
        solid("mossy stone", [104, 118, 92]),
        solid("birch", [214, 208, 194]),
        solid("autumn leaves", [206, 112, 40]),
        solid("birch leaves", [128, 164, 70]),
        solid("pine leaves", [44, 84, 60]),
        solid("dry leaves", [138, 144, 62]),
        solid("cactus", [76, 128, 62]),
        solid("coal", [48, 48, 52]),
        MaterialInfo {
            light: 11,
            ..solid("crystal", [122, 220, 232])
        },
        MaterialInfo {
            surface: Surface::Sticky,
            ..solid("mud", [84, 64, 44])
        },
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn standard_names_match_constants() {
        let table = MaterialTable::standard();
        assert_eq!(table.by_name("sandstone"), Some(Material::SANDSTONE));
        assert_eq!(table.by_name("water"), Some(Material::WATER));
        assert_eq!(table.by_name("mud"), Some(Material::MUD));
        assert_eq!(table.info(Material::MUD).surface, Surface::Sticky);
        assert!(!table.is_solid(Material::WATER) && table.is_liquid(Material::WATER));
        assert!(!table.is_seen(Material::AIR) && !table.is_solid(Material(60_000)));
    }

    #[test]
    fn adding_refuses_taken_names() {
        let mut table = MaterialTable::standard();
        let marble = table.add(MaterialInfo::solid("marble", [250; 3])).unwrap();
        assert_eq!(table.by_name("marble"), Some(marble));
        assert!(table.add(MaterialInfo::solid("marble", [1; 3])).is_err());
    }

    #[test]
    fn adding_refuses_names_that_cannot_be_saved() {
        let mut table = MaterialTable::standard();
        let named = |bytes: usize| MaterialInfo::solid(&"m".repeat(bytes), [250; 3]);
        assert!(table.add(named(255)).is_ok());
        assert_eq!(table.add(named(256)), Err(MaterialError::NameTooLong(256)));
    }

    #[test]
    fn a_full_table_names_its_last_material() {
        let mut table = MaterialTable::standard();
        let refused = (0..1 << 17).find_map(|number| {
            table
                .add(MaterialInfo::solid(&format!("m{number}"), [1; 3]))
                .err()
        });
        assert_eq!((refused, table.len()), (Some(MaterialError::Full), 1 << 16));
        let last = table.iter().last().map(|(material, _)| material);
        assert_eq!(last, Some(Material(u16::MAX)));
        assert!(table.extends(&table.clone()));
    }
}
