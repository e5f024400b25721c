//! Noises: everything audible that happened since the last picture, with its place. The simulation
//! only tells; the window plays.

use collision::Position;
use world::{Material, MaterialTable};

/// The most noises between two pictures; more are dropped.
const MOST: usize = 64;
/// Ticks in which a noise of one kind is told once.
const REST_TICKS: u64 = 4;

/// Groups of materials that sound alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matter {
    /// Stone, brick and ore.
    Stone,
    /// Soil, grass and mud.
    Earth,
    /// Sand, gravel and snow.
    Sand,
    /// Trunks and planks.
    Wood,
    /// Leaves, moss and cacti.
    Leaves,
    /// Glass, ice and crystal.
    Glass,
    /// Iron, gold and lamps.
    Metal,
}

impl Matter {
    /// Every group.
    pub const ALL: [Self; 7] = [
        Matter::Stone,
        Matter::Earth,
        Matter::Sand,
        Matter::Wood,
        Matter::Leaves,
        Matter::Glass,
        Matter::Metal,
    ];

    /// Returns the group of a material by the words of its name; a strange one sounds like stone.
    pub fn of(table: &MaterialTable, material: Material) -> Self {
        const WORDS: [(Matter, &[&str]); 6] = [
            (Matter::Leaves, &["leaves", "moss", "cactus"]),
            (Matter::Sand, &["sand", "gravel", "snow"]),
            (Matter::Earth, &["dirt", "grass", "mud", "clay"]),
            (Matter::Wood, &["wood", "planks", "birch", "ladder"]),
            (Matter::Glass, &["glass", "ice", "crystal"]),
            (Matter::Metal, &["iron", "gold", "lamp"]),
        ];
        let name = table.info(material).name.as_str();
        // Sandstone and mossy stone are stones.
        if name.ends_with("stone") {
            return Matter::Stone;
        }
        let has = |words: &[&str]| name.split(' ').any(|part| words.contains(&part));
        let group = WORDS.iter().find(|(_, words)| has(words));
        group.map_or(Matter::Stone, |&(matter, _)| matter)
    }
}

/// The kinds of noises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Voxels were carved.
    Dig(Matter),
    /// Voxels were placed or painted.
    Place(Matter),
    /// A foot came down.
    Step(Matter),
    /// A character fell into a liquid.
    Splash,
    /// The cannon fired.
    Cannon,
    /// A ball landed.
    Blast,
    /// A target broke.
    Shatter,
    /// A blow went through the air.
    Swing,
    /// A blow or a missile hit a walker.
    Hit,
    /// The player was hit.
    Hurt,
    /// The player jumped.
    Jump,
    /// A character came down hard.
    Land,
    /// A pick-up was taken.
    PickUp,
    /// A pick-up was thrown.
    Throw,
    /// A spring threw a character.
    Spring,
    /// An edit was undone or redone.
    Undo,
    /// An edit could not be made.
    Refusal,
}

impl Noise {
    /// Number of kinds.
    pub const KINDS: usize = 3 * Matter::ALL.len() + 14;

    /// Returns every kind in the order of its number.
    pub fn all() -> impl Iterator<Item = Self> {
        let with_matter = [Noise::Dig, Noise::Place, Noise::Step];
        let groups = with_matter.into_iter();
        let groups = groups.flat_map(|kind| Matter::ALL.map(kind));
        groups.chain([
            Noise::Splash,
            Noise::Cannon,
            Noise::Blast,
            Noise::Shatter,
            Noise::Swing,
            Noise::Hit,
            Noise::Hurt,
            Noise::Jump,
            Noise::Land,
            Noise::PickUp,
            Noise::Throw,
            Noise::Spring,
            Noise::Undo,
            Noise::Refusal,
        ])
    }

    /// Returns the number of its kind.
    pub fn index(self) -> usize {
        let number = Self::all().position(|noise| noise == self);
        number.unwrap_or_default()
    }
}

/// One noise and its place.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The kind.
    pub noise: Noise,
    /// The place.
    pub at: Position,
    /// Loudness, 0 to 1.
    pub loudness: f32,
    /// True if the player made it.
    pub own: bool,
}

/// A player's feet, as far as they are heard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Feet {
    /// Metres since the last step.
    pub(super) walked: f32,
    pub(super) was_in_liquid: bool,
}

/// The noises since the last picture.
#[derive(Clone, Debug)]
pub(crate) struct Noises {
    list: Vec<Heard>,
    /// Tick from which on each kind is told again.
    ready: [u64; Noise::KINDS],
}

impl Default for Noises {
    fn default() -> Self {
        Noises {
            list: Vec::with_capacity(MOST),
            ready: [0; Noise::KINDS],
        }
    }
}

impl Noises {
    /// Adds a noise, unless one of its kind was added just before; returns whether it was not.
    pub(crate) fn add(&mut self, heard: Heard, tick: u64) -> bool {
        let ready = &mut self.ready[heard.noise.index()];
        if tick < *ready {
            return false;
        }
        *ready = tick + REST_TICKS;
        if self.list.len() < MOST {
            self.list.push(heard);
        }
        true
    }

    /// Moves all noises to the end of a list.
    pub(crate) fn take(&mut self, into: &mut Vec<Heard>) {
        into.append(&mut self.list);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_number_of_its_own() {
        let numbers: Vec<_> = Noise::all().map(Noise::index).collect();
        assert_eq!(numbers, (0..Noise::KINDS).collect::<Vec<_>>());
        assert_eq!(Noise::Refusal.index(), Noise::KINDS - 1);
    }

    #[test]
    fn materials_sound_like_what_they_are() {
        let table = MaterialTable::standard();
        let of = |material| Matter::of(&table, material);
        assert_eq!(of(Material::SANDSTONE), Matter::Stone);
        assert_eq!(of(Material::MOSSY_STONE), Matter::Stone);
        assert_eq!(of(Material::RED_SAND), Matter::Sand);
        assert_eq!(of(Material::DRY_GRASS), Matter::Earth);
        assert_eq!(of(Material::BIRCH), Matter::Wood);
        assert_eq!(of(Material::BIRCH_LEAVES), Matter::Leaves);
        assert_eq!(of(Material::ICE), Matter::Glass);
        assert_eq!(of(Material::GOLD), Matter::Metal);
        assert_eq!(of(Material(999)), Matter::Stone);
    }

    #[test]
    fn noises_of_one_kind_keep_a_distance_and_their_number_is_bounded() {
        let mut noises = Noises::default();
        let heard = |noise| Heard {
            noise,
            at: Position::default(),
            loudness: 1.0,
            own: false,
        };
        let told = |noises: &mut Noises, ticks: std::ops::Range<u64>| {
            ticks
                .filter(|&tick| noises.add(heard(Noise::Hit), tick))
                .count()
        };
        assert_eq!(told(&mut noises, 0..100), 25);
        assert_eq!(noises.list.len(), 25);
        told(&mut noises, 100..1000);
        assert_eq!(noises.list.len(), MOST);
        let mut taken = Vec::new();
        noises.take(&mut taken);
        assert_eq!((taken.len(), noises.list.len()), (MOST, 0));
        assert!(noises.list.capacity() >= MOST);
    }
}
