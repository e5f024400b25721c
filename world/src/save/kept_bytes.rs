//! Bytes that an application keeps with the world under a name, for data that this crate has no
//! type for.

use super::bytes::{seal, unseal};
use super::error::DecodeError;
use super::store::{StoreChange, Table};

/// Prefix of these keys; no other record of the header has it.
const PREFIX: &[u8] = b"kept ";
/// Longest name, in bytes.
const LONGEST_NAME: usize = 200;
/// Most bytes under one name.
pub const MOST_KEPT: usize = 16 << 20;

/// Reasons for refusing to keep bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepError {
    /// The name is empty or too long.
    #[error("a name of {0} bytes: use 1 to {LONGEST_NAME}")]
    Name(usize),
    /// There are too many bytes.
    #[error("{0} bytes under one name: keep at most {MOST_KEPT}")]
    Length(usize),
}

fn key_of(name: &str) -> Vec<u8> {
    [PREFIX, name.as_bytes()].concat()
}

/// Returns true if a record of the header holds bytes of the application.
pub(super) fn is_kept(key: &[u8]) -> bool {
    key.starts_with(PREFIX)
}

/// Returns the name and the bytes of such a record.
pub(super) fn decode_kept(key: &[u8], sealed: &[u8]) -> Result<(String, Vec<u8>), DecodeError> {
    let name = key.get(PREFIX.len()..).unwrap_or_default();
    let name = std::str::from_utf8(name).map_err(|_| DecodeError::Malformed)?;
    Ok((name.to_owned(), unseal(key, sealed, MOST_KEPT)?))
}

/// Returns the change that saves bytes under a name, or removes them.
pub(crate) fn kept_change(name: &str, bytes: Option<&[u8]>) -> StoreChange {
    let key = key_of(name);
    StoreChange {
        table: Table::Header,
        value: bytes.map(|bytes| seal(&key, bytes, 0)),
        key,
    }
}

/// Returns an error if a name or its bytes are too long.
pub(crate) fn check_kept(name: &str, bytes: &[u8]) -> Result<(), KeepError> {
    if name.is_empty() || name.len() > LONGEST_NAME {
        return Err(KeepError::Name(name.len()));
    }
    if bytes.len() > MOST_KEPT {
        return Err(KeepError::Length(bytes.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;
    use crate::World;
    use crate::save::{MemoryStore, Part, Store, salvage};

    fn path(name: &str) -> std::path::PathBuf {
        let name = format!("world-kept-{}-{name}.voxels", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn kept_bytes_come_back_in_copies_and_from_salvage() {
        let [first, second, third] = ["first", "second", "third"].map(path);
        let mut world = World::create(&first, 3).unwrap();
        world.keep_bytes("props", b"old").unwrap();
        world.keep_bytes("props", b"a ramp").unwrap();
        world.keep_bytes("gone", b"x").unwrap();
        assert!(world.forget_bytes("gone") && !world.forget_bytes("gone"));
        world.backup(&second).unwrap();
        world.flush().unwrap();
        drop(world);
        salvage(&first, &third).unwrap();
        for path in [&first, &second, &third] {
            let world = World::open(path).unwrap();
            assert_eq!(world.kept_names().collect::<Vec<_>>(), ["props"]);
            assert_eq!(world.kept_bytes("props"), Some(&b"a ramp"[..]));
            drop(world);
            std::fs::remove_file(path).unwrap();
        }
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        let mut world = World::default();
        assert_eq!(world.keep_bytes("", b""), Err(KeepError::Name(0)));
        let long = "n".repeat(LONGEST_NAME + 1);
        assert!(world.keep_bytes(&long, b"").is_err());
        let many = vec![0; MOST_KEPT + 1];
        assert_eq!(
            world.keep_bytes("a", &many),
            Err(KeepError::Length(MOST_KEPT + 1))
        );
        assert_eq!(world.kept_names().count(), 0);
    }

    #[test]
    fn damaged_kept_bytes_are_set_aside_and_the_rest_opens() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut world = World::create_in(store.clone(), 3).unwrap();
        world.keep_bytes("a", b"one").unwrap();
        world.keep_bytes("b", b"two").unwrap();
        world.flush().unwrap();
        drop(world);
        let mut sealed = store.get(Table::Header, &key_of("a")).unwrap().unwrap();
        *sealed.last_mut().unwrap() ^= 1;
        let change = StoreChange {
            table: Table::Header,
            key: key_of("a"),
            value: Some(sealed),
        };
        store.commit(&[change]).unwrap();
        let world = World::open_store(store.clone()).unwrap();
        assert_eq!(world.kept_bytes("a"), None);
        assert_eq!(world.kept_bytes("b"), Some(&b"two"[..]));
        assert_eq!(world.save_status().damaged[0].part, Part::Kept);
        world.flush().unwrap();
        assert_eq!(store.count(Table::Quarantine).unwrap(), Some(1));
        assert_eq!(store.get(Table::Header, &key_of("a")).unwrap(), None);
    }
}
