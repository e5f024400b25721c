//! The certificate and the secret of a server, which are kept in its world: invites stay good after
//! a restart, and wherever the world is served.

use net::quic::{Identity, LinkError, Secret};
use world::World;

use crate::ServeError;

/// Names of the bytes that are kept.
const IDENTITY: &str = "server.identity";
const SECRET: &str = "server.secret";

/// The certificate and the secret of a server.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) identity: Identity,
    pub(crate) secret: Secret,
    /// True if earlier ones were there and are damaged, so that no earlier invite is good.
    pub(crate) are_replaced: bool,
}

impl Keys {
    /// Returns the keys of a world, or new ones that it keeps from now on.
    pub(crate) fn of(world: &mut World) -> Result<Self, ServeError> {
        if let Some(keys) = Keys::kept(world) {
            return Ok(keys);
        }
        let are_replaced = world.kept_bytes(IDENTITY).is_some();
        let keys = Keys {
            identity: Identity::new()?,
            secret: Secret::new()?,
            are_replaced,
        };
        let kept = world
            .keep_bytes(IDENTITY, &keys.identity.to_bytes())
            .and_then(|()| world.keep_bytes(SECRET, &keys.secret.to_bytes()));
        kept.map_err(|error| LinkError::Identity(error.to_string()))?;
        Ok(keys)
    }

    fn kept(world: &World) -> Option<Self> {
        let identity = Identity::from_bytes(world.kept_bytes(IDENTITY)?).ok()?;
        let secret = world.kept_bytes(SECRET)?.try_into().ok()?;
        Some(Keys {
            identity,
            secret: Secret::from_bytes(secret),
            are_replaced: false,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_world_keeps_its_keys_and_damaged_ones_are_replaced() {
        let mut world = World::generate(1);
        let keys = Keys::of(&mut world).unwrap();
        let again = Keys::of(&mut world).unwrap();
        assert_eq!(again.identity, keys.identity);
        assert_eq!(again.secret.to_bytes(), keys.secret.to_bytes());
        assert!(!keys.are_replaced && !again.are_replaced);
        world.keep_bytes(IDENTITY, &[1, 2, 3]).unwrap();
        let other = Keys::of(&mut world).unwrap();
        assert!(other.are_replaced && other.identity != keys.identity);
    }
}
