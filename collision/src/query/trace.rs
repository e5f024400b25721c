//! A move that is only watched: the features in its reach, its contacts and its path. For pictures
//! and for debugging; it moves no character and is not fast.

use std::sync::{Mutex, PoisonError};

use crate::around::GatherTrace;
use crate::candidates::Candidates;
use crate::mover::{
    Around, Body, Contact, ContactListener, ContactResponse, Frame, MoverConfig, Scratch,
    admissible, slide,
};
use crate::position::Position;
use crate::terrain::{Memory, Reach, Terrain};
use nalgebra::Vector3;

/// The candidates, contacts and end of a move.
#[derive(Clone, Debug)]
pub struct MoveTrace {
    /// The features in reach of the straight move.
    pub gather: GatherTrace,
    /// The contacts in order, each with the centre of the body at that moment.
    pub contacts: Vec<(Contact, Position)>,
    /// The place where the body would end.
    pub end: Position,
}

/// A listener that records every contact once.
#[derive(Default)]
struct Notes(Mutex<Vec<Contact>>);

impl ContactListener for Notes {
    fn contact(&self, contact: &Contact) -> ContactResponse {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.last() != Some(contact) {
            noted.push(*contact);
        }
        ContactResponse::Keep
    }
}

/// Returns the trace of [`slide`] for a body. A motion that is not finite touches nothing.
#[must_use]
pub fn trace_slide<T: Terrain + ?Sized>(
    terrain: &T,
    body: &Body,
    motion: Vector3<f32>,
    config: &MoverConfig,
) -> MoveTrace {
    let frame = Frame::of(body, config.skin);
    let cut = admissible(body, motion);
    let reach = reach_of(&frame, body, cut.unwrap_or(motion));
    let mut candidates = Candidates::default();
    candidates.begin_within(&frame, &reach);
    if cut.is_some() {
        terrain.gather(&reach, &mut Memory::default(), &mut candidates);
    }
    let mut trace = MoveTrace {
        gather: GatherTrace::of(&reach, &candidates),
        contacts: Vec::new(),
        end: body.position,
    };
    follow(&mut trace, terrain, body, config, &frame);
    trace
}

fn reach_of(frame: &Frame, body: &Body, motion: Vector3<f32>) -> Reach {
    let start = body.position.offset;
    let end = start + motion;
    Reach {
        base: body.position.cell,
        start,
        motion,
        min: start.inf(&end) - frame.half,
        max: start.sup(&end) + frame.half,
        half: frame.inset(),
    }
}

fn follow<T: Terrain + ?Sized>(
    trace: &mut MoveTrace,
    terrain: &T,
    body: &Body,
    config: &MoverConfig,
    frame: &Frame,
) {
    let notes = Notes::default();
    let around = Around {
        listener: Some(&notes),
        ..Around::terrain(terrain, config)
    };
    let mut moved = *body;
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    slide(
        &around,
        &mut moved,
        trace.gather.reach.motion,
        &mut memory,
        &mut scratch,
    );
    trace.end = moved.position;
    let noted = notes.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    trace.contacts = noted
        .into_iter()
        .map(|contact| {
            let centre = contact.point - frame.touching_point(Vector3::zeros(), contact.normal);
            (contact, Position::from_local(body.position.cell, centre))
        })
        .collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TracedCandidate;
    use crate::mover::{Feature, Radii};
    use crate::shapes::Shapes;
    use crate::terrain::ObjectId;
    use nalgebra::Point3;

    #[test]
    fn a_walk_against_a_wall_is_seen_to_slide_along_it() {
        let boxes = [
            [
                Point3::new(-20.0, -1.0, -20.0),
                Point3::new(20.0, 0.0, 20.0),
            ],
            [Point3::new(3.0, 0.0, -20.0), Point3::new(4.0, 5.0, 20.0)],
        ];
        let room = Shapes::from_boxes(ObjectId(1), Position::default(), &boxes);
        let body = Body {
            position: Position::from_metres(Point3::new(2.0, 1.5, 0.0)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        let config = MoverConfig::default();
        let trace = trace_slide(&room, &body, Vector3::new(2.0, 0.0, 2.0), &config);
        let (contact, centre) = trace.contacts[0];
        assert_eq!(contact.normal, -Vector3::x());
        let at = centre.to_metres();
        let wall = 3.0 - 0.4 - f64::from(config.skin);
        assert!(
            (at.x - wall).abs() < 1e-3 && (at.z - 0.6).abs() < 0.1,
            "{at}"
        );
        assert!((trace.end.to_metres().z - 2.0).abs() < 1e-3, "it slid on");
        let is_wall = |c: &TracedCandidate| c.feature == Feature::Face && c.min.x == c.max.x;
        assert!(trace.gather.candidates.iter().any(is_wall));
        let inside = trace
            .gather
            .planes
            .iter()
            .all(|plane| plane.normal.dot(&trace.gather.reach.start) >= plane.distance);
        assert!(inside, "the start is within the frustum");

        let lost = trace_slide(&room, &body, Vector3::repeat(f32::NAN), &config);
        assert!(lost.contacts.is_empty() && lost.gather.candidates.is_empty());
    }

    #[test]
    fn contact_of_a_long_slide_is_where_the_wall_is() {
        let corners = [Point3::new(15.0, -5.0, -5.0), Point3::new(16.0, 5.0, 5.0)];
        let wall = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
        let body = Body {
            position: Position::from_metres(Point3::new(0.5, 0.5, 0.5)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        let config = MoverConfig::default();
        let trace = trace_slide(&wall, &body, Vector3::new(20.0, 0.0, 0.0), &config);
        let (contact, centre) = trace.contacts[0];
        assert!((contact.point.x - 15.0).abs() < 0.02, "{}", contact.point.x);
        assert!((centre.to_metres().x - 14.59).abs() < 0.02);
    }

    /// Empty terrain that asserts an upper limit of the reach.
    struct Bounded;

    impl Terrain for Bounded {
        fn revision(&self) -> u64 {
            0
        }

        fn gather(&self, reach: &Reach, _: &mut Memory, _: &mut Candidates) {
            assert!((reach.max - reach.min).amax() < 600.0, "{reach:?}");
        }

        fn gather_solids(
            &self,
            _: crate::Cell,
            _: Vector3<f32>,
            _: Vector3<f32>,
            _: &mut Vec<crate::SolidBox>,
        ) {
        }

        fn contents(&self, _: &Position, _: &Memory) -> crate::Contents {
            crate::Contents {
                loaded: true,
                ..crate::Contents::default()
            }
        }
    }

    #[test]
    fn huge_questions_ask_for_no_huge_reach() {
        let body = |radius| Body {
            position: Position::default(),
            radii: Radii::new(radius, radius),
            up: Vector3::y(),
        };
        let far = Vector3::repeat(1e6);
        let trace = trace_slide(&Bounded, &body(0.4), far, &MoverConfig::default());
        assert!(trace.contacts.is_empty());
        let hit = crate::sweep_ellipsoid(&Bounded, &body(1e9), &Vector3::x());
        assert_eq!(hit, None);
    }
}
