//! Rules of the caller: which characters collide, and what a contact does.

use crate::contact::{Contact, ContactListener, ContactResponse};
use crate::handles::CharacterId;

/// Decides which characters collide and what a contact does. Called from many threads; must give
/// the same answer to the same question, or results become random. Wake the crowd with
/// [`Crowd::wake_all`](crate::Crowd::wake_all) when the answers change.
pub trait Rules: Sync {
    /// Returns whether two characters collide whose layers let them. Must be symmetric.
    fn meets(&self, a: CharacterId, b: CharacterId) -> bool {
        let _ = (a, b);
        true
    }

    /// Decides about one contact of a character before it counts. For a contact with another
    /// character `contact.object` holds the low half of [`CharacterId::to_bits`].
    fn contact(&self, character: CharacterId, contact: &Contact) -> ContactResponse {
        let _ = (character, contact);
        ContactResponse::Keep
    }
}

/// The rules of a tick, if there are any.
#[derive(Clone, Copy)]
pub(crate) struct Hooks<'a> {
    pub(crate) rules: Option<&'a dyn Rules>,
}

/// The rules as one character's mover sees them.
pub(crate) struct Listening<'a> {
    rules: Option<&'a dyn Rules>,
    name: CharacterId,
}

impl<'a> Hooks<'a> {
    #[inline]
    pub(crate) fn meets(
        &self,
        a: impl FnOnce() -> CharacterId,
        b: impl FnOnce() -> CharacterId,
    ) -> bool {
        self.rules.is_none_or(|rules| rules.meets(a(), b()))
    }

    #[inline]
    pub(crate) fn listener(&self, name: impl FnOnce() -> CharacterId) -> Listening<'a> {
        let rules = self.rules;
        let name = rules.map_or(CharacterId::NONE, |_| name());
        Listening { rules, name }
    }
}

impl Listening<'_> {
    pub(crate) fn as_dyn(&self) -> Option<&dyn ContactListener> {
        self.rules.is_some().then_some(self as &dyn ContactListener)
    }
}

impl ContactListener for Listening<'_> {
    fn contact(&self, contact: &Contact) -> ContactResponse {
        self.rules.map_or(ContactResponse::Keep, |rules| {
            rules.contact(self.name, contact)
        })
    }
}
