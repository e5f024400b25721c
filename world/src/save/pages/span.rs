//! Ranges of keys.

/// The keys from `from` up to, but excluding, `to`. In byte order nothing lies between `key` and
/// `key` followed by a zero, so ranges that exclude their first key or include their last can be
/// expressed too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Span {
    from: Vec<u8>,
    /// `None` if there is no upper limit.
    to: Option<Vec<u8>>,
}

/// Returns the next key after a key.
fn after(key: &[u8]) -> Vec<u8> {
    [key, &[0]].concat()
}

impl Span {
    /// Returns the range of all keys.
    pub(in super::super) fn all() -> Self {
        let (from, to) = (Vec::new(), None);
        Self { from, to }
    }

    /// Returns the range of one key.
    pub(in super::super) fn only(key: &[u8]) -> Self {
        let (from, to) = (key.to_vec(), Some(after(key)));
        Self { from, to }
    }

    pub(in super::super) fn contains(&self, key: &[u8]) -> bool {
        key >= &self.from[..] && self.to.as_ref().is_none_or(|to| key < &to[..])
    }

    /// Returns true if the range begins at or before a key.
    pub(in super::super) fn starts_by(&self, key: &[u8]) -> bool {
        self.from[..] <= *key
    }

    /// Returns true if all of the range comes before another.
    pub(in super::super) fn is_before(&self, other: &Self) -> bool {
        self.to.as_ref().is_some_and(|to| *to <= other.from)
    }

    pub(in super::super) fn meets(&self, other: &Self) -> bool {
        self.cut(other).is_some()
    }

    /// Returns the intersection.
    pub(in super::super) fn cut(&self, other: &Self) -> Option<Self> {
        let from = self.from.clone().max(other.from.clone());
        let to = match (&self.to, &other.to) {
            (Some(a), Some(b)) => Some(a.min(b).clone()),
            (a, b) => a.as_ref().or(b.as_ref()).cloned(),
        };
        let empty = to.as_ref().is_some_and(|to| *to <= from);
        (!empty).then_some(Self { from, to })
    }

    /// Returns the part of a branch's child: above the routing key before it, up to and including
    /// the one after it.
    pub(in super::super) fn child(&self, low: Option<&[u8]>, high: Option<&[u8]>) -> Option<Self> {
        let (from, to) = (low.map(after).unwrap_or_default(), high.map(after));
        self.cut(&Self { from, to })
    }

    /// Returns the range without others, which must be in order.
    pub(in super::super) fn without(&self, others: &[Self]) -> Vec<Self> {
        let (mut left, mut rest) = (Vec::new(), Some(self.clone()));
        for other in others {
            let Some(now) = rest.take_if(|rest| rest.meets(other)) else {
                continue;
            };
            if now.from < other.from {
                let (from, to) = (now.from, Some(other.from.clone()));
                left.push(Self { from, to });
            }
            let beyond = other.to.as_ref().and_then(|from| {
                let from = from.clone();
                Self { from, to: None }.cut(self)
            });
            match beyond {
                Some(beyond) => rest = Some(beyond),
                None => return left,
            }
        }
        left.extend(rest);
        left
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::slice::from_ref;

    use super::Span;

    fn span(from: &[u8], to: &[u8]) -> Span {
        let (from, to) = (from.to_vec(), Some(to.to_vec()));
        Span { from, to }
    }

    #[test]
    fn a_child_has_the_keys_above_the_one_up_to_and_with_the_other() {
        let child = Span::all().child(Some(b"b"), Some(b"d")).unwrap();
        let keys: [&[u8]; 6] = [b"a", b"b", b"b\0", b"c", b"d", b"d\0"];
        let inside = keys.map(|key| child.contains(key));
        assert_eq!(inside, [false, false, true, true, true, false]);
        assert_eq!(child.child(Some(b"d"), None), None);
        let last = Span::all().child(Some(b"d"), None).unwrap();
        assert!(last.contains(&[255; 9]) && !last.contains(b"d"));
        assert!(Span::only(b"d").contains(b"d") && !Span::only(b"d").contains(b"d\0"));
    }

    #[test]
    fn taking_out_leaves_what_is_between() {
        let all = span(b"a", b"z");
        assert_eq!(all.without(&[]), from_ref(&all));
        let left = all.without(&[span(b"A", b"c"), span(b"e", b"f"), span(b"f", b"g")]);
        assert_eq!(left, [span(b"c", b"e"), span(b"g", b"z")]);
        assert_eq!(all.without(&[Span::all()]), []);
        assert_eq!(all.without(&[span(b"0", b"a")]), from_ref(&all));
        assert_eq!(all.without(&[span(b"k", b"zz")]), [span(b"a", b"k")]);
    }
}
