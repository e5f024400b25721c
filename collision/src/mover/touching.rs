//! The terrain that touches a body at its present place, without a move.

use crate::mover::probe::Span;
use crate::mover::{Around, Body, Contact, Feature, Ground, Probe, Scratch};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::TOUCH_REACH;
use nalgebra::Vector3;

/// Calls `each` with all terrain that touches the skin of a body, once or more for each feature:
/// the contacts of short ways of [`TOUCH_REACH`] along every axis. A body that crosses a gap
/// between two rims stands a little above its ground; a sweep down then finds the ground as well.
pub(crate) fn each_touching<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    ground: Option<Ground>,
    memory: &mut Memory,
    scratch: &mut Scratch,
    mut each: impl FnMut(Contact),
) {
    let mut probe = Probe::new(around, body, memory, scratch);
    let span = Span::along(probe.at, Vector3::zeros()).grown(Vector3::repeat(TOUCH_REACH));
    probe.cover(span, Vector3::zeros());
    let ground = ground.filter(|ground| ground.feature != Feature::Body);
    let mut is_borne = ground.is_none();
    for axis in 0..3 {
        for side in [-TOUCH_REACH, TOUCH_REACH] {
            let mut motion = Vector3::zeros();
            motion[axis] = side;
            probe.each_stop(motion, |contact| {
                is_borne |= contact.normal.dot(&body.up) > 0.0;
                each(contact);
            });
        }
    }
    let down = body.up * -around.config.snap.max(TOUCH_REACH);
    if !is_borne && let Some(stop) = probe.sweep(down) {
        each(probe.contact(&stop.detail, stop.normal, probe.at + down * stop.time));
    }
}

impl<T: Terrain + ?Sized> Probe<'_, '_, T> {
    /// Calls `each` with all contacts on a covered way, placed at the present place of the body.
    fn each_stop(&self, motion: Vector3<f32>, mut each: impl FnMut(Contact)) {
        let (start, squashed) = (self.frame.squashed(self.at), self.frame.squashed(motion));
        self.candidates.each_hit(start, squashed, 1.0, |hit| {
            if let Some(stop) = self.judge(hit, motion) {
                each(self.contact(&stop.detail, stop.normal, self.at));
            }
        });
    }
}
