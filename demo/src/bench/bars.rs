//! The bars that figures must reach on a quiet two-core machine.

/// A bar, in the unit of its figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bar {
    /// No more than this.
    Most(f64),
    /// No less than this.
    Least(f64),
}

impl Bar {
    /// Returns the bar of a figure, if it has one.
    pub(super) fn of(name: &str) -> Option<Self> {
        if name.ends_with(".allocations") {
            return Some(Bar::Most(0.0));
        }
        let found = BARS.iter().find(|(figure, _)| *figure == name);
        found.map(|&(_, bar)| bar)
    }

    /// Returns the number.
    pub(super) fn value(self) -> f64 {
        match self {
            Bar::Most(value) | Bar::Least(value) => value,
        }
    }

    /// Returns whether a measured number reaches the bar.
    pub(super) fn holds(self, measured: f64) -> bool {
        match self {
            Bar::Most(most) => measured <= most,
            Bar::Least(least) => measured >= least,
        }
    }
}

const BARS: [(&str, Bar); 44] = [
    ("world.merge.collision", Bar::Most(15.0)),
    ("world.merge.render", Bar::Most(25.0)),
    ("world.edit.one", Bar::Most(2.5)),
    ("world.edit.sphere8", Bar::Most(110.0)),
    ("world.generate", Bar::Least(5_000.0)),
    ("world.index.sweep", Bar::Most(200.0)),
    ("world.index.move", Bar::Most(0.3)),
    ("world.memory.surfaces", Bar::Most(1.0)),
    ("world.memory.chunk", Bar::Most(18.0)),
    ("world.save", Bar::Most(40.0)),
    ("crowd.gather.1", Bar::Most(200.0)),
    ("crowd.gather.quarter", Bar::Most(500.0)),
    ("crowd.walk.1000", Bar::Most(0.23)),
    ("crowd.walk.10000", Bar::Most(0.45)),
    ("crowd.fast.1000", Bar::Most(0.65)),
    ("crowd.walk.quarter", Bar::Most(0.85)),
    ("crowd.walk.eighth", Bar::Most(2.0)),
    ("crowd.giant", Bar::Most(1.5)),
    ("crowd.together.100", Bar::Most(1.2)),
    ("crowd.mesh", Bar::Most(4.0)),
    ("crowd.interior", Bar::Most(8.0)),
    ("crowd.idle.10000", Bar::Most(0.01)),
    ("crowd.packed.2000", Bar::Most(0.5)),
    ("crowd.predict", Bar::Most(2.0)),
    ("crowd.two_threads", Bar::Least(1.8)),
    ("hash.query", Bar::Most(70.0)),
    ("hash.update", Bar::Most(20.0)),
    ("hash.query.wide", Bar::Most(60.0)),
    ("grid.refill", Bar::Most(0.8)),
    ("hit.swing", Bar::Most(0.1)),
    ("fog.105.40", Bar::Most(60.0)),
    ("fog.105.80", Bar::Most(80.0)),
    ("fog.1000.256", Bar::Most(600.0)),
    ("fog.still", Bar::Most(20.0)),
    ("fog.demo", Bar::Most(600.0)),
    ("frame.cpu", Bar::Most(0.25)),
    ("frame.edit", Bar::Most(1.0)),
    ("frame.first", Bar::Most(400.0)),
    ("frame.gpu.1080", Bar::Most(3.0)),
    ("frame.gpu.1440", Bar::Most(4.0)),
    ("net.tick", Bar::Most(8.0)),
    ("net.down", Bar::Most(7.5)),
    ("net.up", Bar::Most(2.0)),
    ("net.memory", Bar::Most(250.0)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_found_by_the_whole_name() {
        assert_eq!(Bar::of("hash.query"), Some(Bar::Most(70.0)));
        assert_eq!(Bar::of("hash.query.wide"), Some(Bar::Most(60.0)));
        assert_eq!(Bar::of("crowd.allocations"), Some(Bar::Most(0.0)));
        assert_eq!(Bar::of("hash"), None);
    }

    #[test]
    fn less_is_better_but_for_what_is_counted_a_second() {
        assert!(Bar::Most(2.0).holds(2.0) && !Bar::Most(2.0).holds(2.1));
        assert!(Bar::Least(2.0).holds(2.0) && !Bar::Least(2.0).holds(1.9));
    }
}
