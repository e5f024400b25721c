//! Crowds and characters as bytes, and the hash of a crowd's state.
//!
//! Little-endian, versioned. A character takes 52 bytes with default values, 108 at most, and 10
//! more for its handle and settings in a crowd; a sensor takes 44, and 4 for each character inside.
//! Sleep, caches and the order in memory are not saved; a restored crowd still goes on with the
//! same bits. Bytes from outside are checked completely before anything is changed; no content of
//! theirs panics or takes more than 32 bytes of memory for each of them, and 16 KB.

use crate::character::{Build, Medium, Mode, State};
use crate::mover::{Feature, Ground};
use crate::position::{Cell, Position};
use crate::terrain::ObjectId;
use crate::tolerance::{LONGEST_STEP, MAX_SPEED};
use nalgebra::Vector3;
use thiserror::Error;

/// The version this code writes; others are refused.
pub const VERSION: u16 = 5;

/// The reason why bytes are not a valid snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SnapshotError {
    /// The bytes do not begin like a snapshot.
    #[error("these bytes are not a snapshot of this kind")]
    Kind,
    /// Another version wrote the bytes.
    #[error("a snapshot of version {0}, this program reads version {VERSION}")]
    Version(u16),
    /// The bytes end too early.
    #[error("the snapshot is truncated")]
    Short,
    /// More bytes follow the end.
    #[error("{0} bytes follow the end of the snapshot")]
    Long(usize),
    /// The value at this byte is impossible in a snapshot.
    #[error("the snapshot is damaged near byte {0}")]
    Damaged(usize),
    /// The character of the handle was removed.
    #[error("unknown character: it was removed or belongs to another crowd")]
    Gone,
}

/// Appends numbers to bytes.
pub(crate) struct Writer<'a> {
    pub(crate) bytes: &'a mut Vec<u8>,
}

impl Writer<'_> {
    pub(crate) fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(crate) fn f32(&mut self, value: f32) {
        self.u32(value.to_bits());
    }

    pub(crate) fn vector(&mut self, value: &Vector3<f32>) {
        value.iter().for_each(|&part| self.f32(part));
    }

    pub(crate) fn position(&mut self, value: &Position) {
        value.cell.iter().for_each(|&part| self.u32(part as u32));
        self.vector(&value.offset);
    }
}

/// Reads numbers from bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = rest.first_chunk::<N>().ok_or(SnapshotError::Short)?;
        self.at += N;
        Ok(*found)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, SnapshotError> {
        Ok(u16::from_le_bytes(self.take()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, SnapshotError> {
        Ok(u32::from_le_bytes(self.take()?))
    }

    /// Reads the count of items that take at least `size` bytes each: never more than the remaining
    /// bytes can hold.
    pub(crate) fn count(&mut self, size: usize) -> Result<usize, SnapshotError> {
        let count = self.u32()? as usize;
        if count > (self.bytes.len() - self.at) / size {
            return Err(SnapshotError::Short);
        }
        Ok(count)
    }

    pub(crate) fn f32(&mut self) -> Result<f32, SnapshotError> {
        let value = f32::from_bits(self.u32()?);
        self.accept(value.is_finite())?;
        Ok(value)
    }

    pub(crate) fn vector(&mut self) -> Result<Vector3<f32>, SnapshotError> {
        Ok(Vector3::new(self.f32()?, self.f32()?, self.f32()?))
    }

    pub(crate) fn position(&mut self) -> Result<Position, SnapshotError> {
        let cell = Cell::new(self.u32()? as i32, self.u32()? as i32, self.u32()? as i32);
        let offset = self.vector()?;
        let position = Position { cell, offset };
        self.accept(crate::character::validate_position(&position).is_ok())?;
        Ok(position)
    }

    /// Returns an error at this place unless `sound`.
    pub(crate) fn accept(&self, sound: impl Into<bool>) -> Result<(), SnapshotError> {
        if sound.into() {
            Ok(())
        } else {
            Err(SnapshotError::Damaged(self.at))
        }
    }

    /// Checks the kind and the version.
    pub(crate) fn header(&mut self, kind: u16) -> Result<(), SnapshotError> {
        if self.u16()? != kind {
            return Err(SnapshotError::Kind);
        }
        match self.u16()? {
            VERSION => Ok(()),
            other => Err(SnapshotError::Version(other)),
        }
    }

    /// Checks that no bytes follow.
    pub(crate) fn end(&self) -> Result<(), SnapshotError> {
        match self.bytes.len() - self.at {
            0 => Ok(()),
            rest => Err(SnapshotError::Long(rest)),
        }
    }
}

const CROUCHED: u32 = 1 << 4;
const EMBEDDED: u32 = 1 << 5;
const TOUCHING: u32 = 1 << 6;
const GROUNDED: u32 = 1 << 7;
const NORMAL_IS_UP: u32 = 1 << 8;
const UP_IS_Y: u32 = 1 << 9;
const AT_REST: u32 = 1 << 10;
const FEATURE_SHIFT: u32 = 11;
const STEPPING: u32 = 1 << 13;
const LEAVING: u32 = 1 << 14;
const LEFT_GROUND: u32 = 1 << 15;
const HAS_MASS: u32 = 1 << 16;
const HAS_GRAVITY: u32 = 1 << 17;
/// One past the flags that are known.
const KNOWN_FLAGS: u32 = 1 << 18;

/// Fewest bytes one character takes.
pub(crate) const LEAST_RECORD: usize = 52;

/// Writes one character, and whether the next tick has to report that it left the ground.
pub(crate) fn write_character(
    to: &mut Writer<'_>,
    build: &Build,
    state: &State,
    left_ground: bool,
) {
    let flags = flags(build, state);
    to.u32(flags | if left_ground { LEFT_GROUND } else { 0 });
    to.u16(build.layers);
    to.u16(build.meets);
    for radius in [build.across, build.standing, build.crouched] {
        to.f32(radius);
    }
    if flags & HAS_MASS != 0 {
        to.f32(build.mass);
    }
    if let Some(gravity) = &build.gravity {
        to.vector(gravity);
    }
    to.position(&state.position);
    if flags & UP_IS_Y == 0 {
        to.vector(&build.up);
    }
    if flags & AT_REST == 0 {
        to.vector(&state.velocity);
    }
    let Some(ground) = &state.ground else {
        to.vector(&state.drift);
        return;
    };
    to.f32(state.ahead);
    to.u32(ground.object.0);
    if flags & NORMAL_IS_UP == 0 {
        to.vector(&ground.normal);
    }
}

fn flags(build: &Build, state: &State) -> u32 {
    let same = |a: &Vector3<f32>, b: &Vector3<f32>| a.map(f32::to_bits) == b.map(f32::to_bits);
    let mut flags = state.mode as u32 | (state.medium as u32) << 2;
    for (flag, set) in [
        (CROUCHED, state.crouched),
        (EMBEDDED, state.embedded),
        (LEAVING, state.leaving),
        (TOUCHING, state.touching),
        (STEPPING, state.stepping),
        (UP_IS_Y, same(&build.up, &Vector3::y())),
        (AT_REST, same(&state.velocity, &Vector3::zeros())),
        (HAS_MASS, build.mass != Build::USUAL_MASS),
        (HAS_GRAVITY, build.gravity.is_some()),
    ] {
        flags |= if set { flag } else { 0 };
    }
    if let Some(ground) = &state.ground {
        flags |= GROUNDED | (ground.feature as u32) << FEATURE_SHIFT;
        if same(&ground.normal, &build.up) {
            flags |= NORMAL_IS_UP;
        }
    }
    flags
}

/// A character read from a snapshot.
pub(crate) struct Record {
    pub(crate) build: Build,
    pub(crate) state: State,
    pub(crate) left_ground: bool,
}

/// Reads one character and checks it.
pub(crate) fn read_character(from: &mut Reader<'_>) -> Result<Record, SnapshotError> {
    let flags = from.u32()?;
    from.accept(flags < KNOWN_FLAGS)?;
    let (layers, meets) = (from.u16()?, from.u16()?);
    let (across, standing, crouched) = (from.f32()?, from.f32()?, from.f32()?);
    let mut mass = Build::USUAL_MASS;
    if flags & HAS_MASS != 0 {
        mass = f32::from_bits(from.u32()?);
    }
    let mut gravity = None;
    if flags & HAS_GRAVITY != 0 {
        gravity = Some(from.vector()?);
    }
    let position = from.position()?;
    let up = vector_unless(flags & UP_IS_Y != 0, Vector3::y(), from)?;
    let velocity = vector_unless(flags & AT_REST != 0, Vector3::zeros(), from)?;
    from.accept(velocity.iter().all(|part| part.abs() <= 10.0 * MAX_SPEED))?;
    let (mut ground, mut drift, mut ahead) = (None, Vector3::zeros(), 0.0);
    if flags & GROUNDED == 0 {
        drift = from.vector()?;
        from.accept(drift.iter().all(|part| part.abs() <= 10.0 * MAX_SPEED))?;
    } else {
        ahead = from.f32()?;
        from.accept((0.0..=LONGEST_STEP).contains(&ahead))?;
        ground = Some(read_ground(from, flags, up)?);
    }
    let build = Build {
        across,
        standing,
        crouched,
        up,
        layers,
        meets,
        mass,
        gravity,
    };
    from.accept(build.validate().is_ok())?;
    let state = State {
        position,
        velocity,
        ground,
        drift,
        ahead,
        mode: read_mode(from, flags)?,
        medium: read_medium(from, flags)?,
        crouched: flags & CROUCHED != 0,
        embedded: flags & EMBEDDED != 0,
        leaving: flags & LEAVING != 0,
        touching: flags & TOUCHING != 0,
        stepping: flags & STEPPING != 0,
    };
    // A standing character cannot have lost its ground.
    let left_ground = flags & LEFT_GROUND != 0;
    from.accept(!(left_ground && state.is_grounded()))?;
    Ok(Record {
        build,
        state,
        left_ground,
    })
}

/// Returns the usual value, or reads the one that was written.
fn vector_unless(
    usual: impl Into<bool>,
    value: Vector3<f32>,
    from: &mut Reader<'_>,
) -> Result<Vector3<f32>, SnapshotError> {
    if usual.into() {
        Ok(value)
    } else {
        from.vector()
    }
}

fn read_ground(
    from: &mut Reader<'_>,
    flags: u32,
    up: Vector3<f32>,
) -> Result<Ground, SnapshotError> {
    let object = ObjectId(from.u32()?);
    let normal = vector_unless(flags & NORMAL_IS_UP != 0, up, from)?;
    from.accept(crate::character::validate_up(normal).is_ok())?;
    let feature = match flags >> FEATURE_SHIFT & 3 {
        0 => Feature::Face,
        1 => Feature::Edge,
        2 => Feature::Corner,
        _ => Feature::Body,
    };
    Ok(Ground {
        normal,
        object,
        feature,
    })
}

fn read_mode(from: &Reader<'_>, flags: u32) -> Result<Mode, SnapshotError> {
    match flags & 3 {
        0 => Ok(Mode::Walk),
        1 => Ok(Mode::Fly),
        2 => Ok(Mode::NoClip),
        _ => Err(SnapshotError::Damaged(from.at)),
    }
}

fn read_medium(from: &Reader<'_>, flags: u32) -> Result<Medium, SnapshotError> {
    match flags >> 2 & 3 {
        0 => Ok(Medium::Open),
        1 => Ok(Medium::Liquid),
        2 => Ok(Medium::Ladder),
        _ => Err(SnapshotError::Damaged(from.at)),
    }
}

/// Returns a hash of one character's build and state. Handles take no part, so that the order of
/// insertion has no effect.
pub(crate) fn hash_character(build: &Build, state: &State) -> u64 {
    let mut hash = Mixer(0x243f_6a88_85a3_08d3);
    let layers = u32::from(build.layers) | u32::from(build.meets) << 16;
    hash.add(flags(build, state), layers);
    let cell = state.position.cell.map(|part| part as u32);
    let offset = state.position.offset.map(f32::to_bits);
    for axis in 0..3 {
        hash.add(cell[axis], offset[axis]);
        hash.add(state.velocity[axis].to_bits(), build.up[axis].to_bits());
    }
    hash.add(build.across.to_bits(), build.standing.to_bits());
    hash.add(build.crouched.to_bits(), 0);
    if build.mass != Build::USUAL_MASS {
        hash.add(build.mass.to_bits(), 1);
    }
    if let Some(gravity) = &build.gravity {
        let gravity = gravity.map(f32::to_bits);
        hash.add(gravity.x, gravity.y);
        hash.add(gravity.z, 2);
    }
    if state.drift != Vector3::zeros() || state.ahead != 0.0 {
        let drift = state.drift.map(f32::to_bits);
        hash.add(drift.x, drift.y);
        hash.add(drift.z, state.ahead.to_bits());
    }
    if let Some(ground) = &state.ground {
        let normal = ground.normal.map(f32::to_bits);
        hash.add(normal.x, normal.y);
        hash.add(normal.z, ground.feature as u32);
    }
    hash.0
}

struct Mixer(u64);

impl Mixer {
    fn add(&mut self, high: u32, low: u32) {
        let word = u64::from(high) << 32 | u64::from(low);
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}
