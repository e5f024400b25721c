//! The header of a saved world: format, generator, seed and materials.

use super::bytes::{Reader, checksum, put_name, seal, unseal};
use super::error::SaveError;
use super::store::{Store, StoreChange, Table};
#[cfg(feature = "generate")]
use crate::generate::{GENERATOR_VERSION, Generator};
use crate::material::{Look, MaterialError, MaterialInfo, MaterialTable, Surface};

/// The format that is written. Format 1 had neither worlds without a generator nor custom
/// materials; up to format 2 a table existed only once it held something; up to format 3 there were
/// no free objects, no stamps, and only one header; up to format 4 the history did not contain
/// added or removed objects.
pub const FORMAT: u32 = 5;

const MAGIC: &[u8; 8] = b"VOXWORLD";
pub(crate) const HEADER_KEY: &[u8] = b"world";
pub(crate) const MATERIALS_KEY: &[u8] = b"materials";
/// The format without lists of materials.
const FORMAT_WITHOUT_MATERIALS: u32 = 1;
const MATERIALS_LIMIT: usize = 32 << 20;
/// The newest generator that this program has: none.
#[cfg(not(feature = "generate"))]
const GENERATOR_VERSION: u32 = 0;

/// The header of a saved world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Format of the records.
    pub format: u32,
    /// The generator's version and seed; `None` for a world without generator.
    pub generator: Option<GeneratorMark>,
}

/// The generator of chunks that were not saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GeneratorMark {
    /// Version of the generator when the world was made; its land stays that of this version.
    pub version: u32,
    /// The seed.
    pub seed: u64,
}

#[cfg(feature = "generate")]
impl GeneratorMark {
    /// Returns the mark of a new world of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            version: GENERATOR_VERSION,
            seed,
        }
    }

    /// Returns the generator.
    pub(crate) fn generator(&self) -> Generator {
        Generator::of_version(self.seed, self.version)
    }
}

impl Header {
    pub(crate) fn new(generator: Option<GeneratorMark>) -> Self {
        Self {
            format: FORMAT,
            generator,
        }
    }

    fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&self.format.to_le_bytes());
        let mark = self.generator.unwrap_or(GeneratorMark {
            version: 0,
            seed: 0,
        });
        out.extend_from_slice(&mark.version.to_le_bytes());
        out.extend_from_slice(&mark.seed.to_le_bytes());
        let sum = checksum(HEADER_KEY, &out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, SaveError> {
        let damaged = |_| SaveError::Header("it is cut off");
        let mut reader = Reader(bytes);
        if reader.take(8).map_err(damaged)? != MAGIC {
            return Err(SaveError::Header("the magic bytes are wrong"));
        }
        // The format comes first: a newer one must be distinguished from damage, whatever else it
        // contains.
        let format = reader.u32().map_err(damaged)?;
        if format > FORMAT {
            return Err(SaveError::NewerFormat {
                found: format,
                known: FORMAT,
            });
        }
        let version = reader.u32().map_err(damaged)?;
        let seed = reader.u64().map_err(damaged)?;
        let covered = bytes.len() - reader.0.len();
        if reader.u64().map_err(damaged)? != checksum(HEADER_KEY, &bytes[..covered]) || format == 0
        {
            return Err(SaveError::Header("its checksum does not match"));
        }
        let generator = (version != 0).then_some(GeneratorMark { version, seed });
        Ok(Self { format, generator })
    }

    /// Reads the header and the state of its two copies; `None` if the store has neither.
    pub(crate) fn read(store: &dyn Store) -> Result<Option<(Self, Copies)>, SaveError> {
        let [first, spare] = [Table::Header, Table::Spare].map(|table| {
            let bytes = store.get(table, HEADER_KEY)?;
            bytes.map(|bytes| Self::decode(&bytes)).transpose()
        });
        // A newer format has no copy that this program understands.
        let refusal = match (first, spare) {
            (Ok(Some(header)), spare) => {
                let same = matches!(spare, Ok(Some(copy)) if copy == header);
                let whole = same || header.format < Table::Spare.since();
                return Ok(Some((header, Copies::whole_if(whole))));
            }
            (_, Ok(Some(header))) => return Ok(Some((header, Copies::Damaged))),
            (Err(refusal), _) | (_, Err(refusal)) => refusal,
            (Ok(None), Ok(None)) => return Ok(None),
        };
        Err(refusal)
    }

    pub(crate) fn changes(&self) -> [StoreChange; 2] {
        twice(HEADER_KEY, &self.encode())
    }

    /// Checks that this program has the generator of the terrain.
    pub(crate) fn check_generator(&self) -> Result<(), SaveError> {
        match self.generator {
            Some(mark) if mark.version > GENERATOR_VERSION => Err(SaveError::OtherGenerator {
                found: mark.version,
                known: GENERATOR_VERSION,
            }),
            _ => Ok(()),
        }
    }
}

/// The state of a record that is kept twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    /// Both copies are sound.
    Whole,
    /// One is damaged or missing.
    Damaged,
    /// Neither can be read.
    Lost,
}

impl Copies {
    fn whole_if(whole: bool) -> Self {
        if whole { Self::Whole } else { Self::Damaged }
    }
}

/// Returns the records of a new world's header. A store without them does not count as a world.
pub(crate) fn head(
    generator: Option<GeneratorMark>,
    materials: &MaterialTable,
) -> Vec<StoreChange> {
    let mut changes = Header::new(generator).changes().to_vec();
    changes.extend(materials_changes(materials));
    changes
}

/// Writes a record to both header tables.
fn twice(key: &[u8], value: &[u8]) -> [StoreChange; 2] {
    [Table::Header, Table::Spare].map(|table| StoreChange {
        table,
        key: key.to_vec(),
        value: Some(value.to_vec()),
    })
}

/// Returns the bytes of a table of materials, custom ones included, for [`read_materials`].
pub fn materials_bytes(table: &MaterialTable) -> Vec<u8> {
    let mut payload = Vec::new();
    payload.extend_from_slice(&(table.len() as u32).to_le_bytes());
    for (_, info) in table.iter() {
        put_name(&mut payload, &info.name);
        payload.extend_from_slice(&info.colour);
        let look = match info.look {
            Look::Unseen => 0,
            Look::Opaque => 1,
            Look::Transparent => 2,
        };
        // Older programs read only the lowest three bits.
        let surface = match info.surface {
            Surface::Firm => 0,
            Surface::Slippery => 1,
            Surface::Sticky => 2,
        };
        let flags = u8::from(info.solid)
            | u8::from(info.liquid) << 1
            | u8::from(info.climbable) << 2
            | surface << 3;
        payload.extend_from_slice(&[look, flags, info.light]);
    }
    payload
}

/// Encodes the whole table of materials.
pub(crate) fn materials_changes(table: &MaterialTable) -> [StoreChange; 2] {
    let payload = materials_bytes(table);
    twice(MATERIALS_KEY, &seal(MATERIALS_KEY, &payload, 0))
}

/// Adds saved materials that the table lacks; returns the state of the two lists.
pub(crate) fn restore_materials(
    store: &dyn Store,
    header: &Header,
    table: &mut MaterialTable,
) -> Result<Copies, SaveError> {
    let mut sound = Vec::new();
    for copy in [Table::Header, Table::Spare] {
        let sealed = store.get(copy, MATERIALS_KEY)?;
        let payload = sealed.and_then(|it| unseal(MATERIALS_KEY, &it, MATERIALS_LIMIT).ok());
        sound.extend(payload);
    }
    let Some(list) = sound.first() else {
        return Ok(match header.format {
            FORMAT_WITHOUT_MATERIALS => Copies::Whole,
            _ => Copies::Lost,
        });
    };
    read_materials(list, table)?;
    let whole = sound.get(1) == Some(list) || header.format < Table::Spare.since();
    Ok(Copies::whole_if(whole))
}

/// Adds materials known only by name, as grey solids, while there is room.
pub(crate) fn add_names(names: &[String], table: &mut MaterialTable) {
    for name in names {
        // If it cannot be added, the records that name it count as damaged.
        if table.by_name(name).is_none() {
            let _ = table.add(MaterialInfo::solid(name, [128; 3]));
        }
    }
}

/// Adds those of some materials that a table lacks. Bytes that end early, or without a meaning, end
/// the list.
pub fn read_materials(payload: &[u8], table: &mut MaterialTable) -> Result<(), MaterialError> {
    let mut reader = Reader(payload);
    let count = reader.u32().unwrap_or(0);
    for _ in 0..count {
        let Ok(info) = read_material(&mut reader) else {
            break;
        };
        if table.by_name(&info.name).is_none() {
            table.add(info)?;
        }
    }
    Ok(())
}

fn read_material(reader: &mut Reader) -> Result<MaterialInfo, super::error::DecodeError> {
    let name = reader.name()?.to_owned();
    let colour = std::array::from_fn(|_| reader.u8().unwrap_or(255));
    let look = match reader.u8()? {
        0 => Look::Unseen,
        2 => Look::Transparent,
        _ => Look::Opaque,
    };
    let flags = reader.u8()?;
    Ok(MaterialInfo {
        name,
        colour,
        solid: flags & 1 != 0,
        liquid: flags & 2 != 0,
        climbable: flags & 4 != 0,
        surface: match flags >> 3 & 3 {
            1 => Surface::Slippery,
            2 => Surface::Sticky,
            _ => Surface::Firm,
        },
        light: reader.u8()?,
        look,
    })
}
