//! Drawing with the button held: strokes without gaps along the path of the pointer, however few
//! pictures there are.
//!
//! Building stays in the plane of its first stroke, or it would grow towards the eye. Carving,
//! painting and smoothing follow the ground under the pointer: between two pictures the pointer is
//! swept, so that a drag over an edge leaps to the ground behind and draws nothing through the air
//! between.

use collision::Cell;
use simulation::{BrushMode, Command, Joins, Stroke};

use crate::input::Action;

use super::app::Play;
use super::drag::{Drag, Layer, MOST_STROKES, PAUSE, line, swept};
use super::tools::Tool;

impl Play {
    /// Begins a drag with its first stroke.
    pub(super) fn begin_drag(&mut self, button: Action, mode: BrushMode) {
        if let Some((model, stroke)) = self.stroke_on_model(mode) {
            return self.apply(Command::EditModel(model, stroke));
        }
        let stroke = self.stroke(mode, Joins::Nothing);
        let layer = (mode == BrushMode::Place)
            .then(|| self.aim.pick.as_ref()?.face.zip(stroke))
            .flatten();
        self.aim.drag = Some(Drag {
            button,
            mode,
            layer: layer.map(|(face, stroke)| Layer {
                axis: face.axis(),
                place: stroke.center[face.axis()],
            }),
            last: stroke.map(|stroke| stroke.center),
            direction: self.aim.direction,
            waited: 0.0,
        });
        if let Some(stroke) = stroke {
            self.draw_stroke(stroke);
        }
    }

    /// Continues a drag while its button is held.
    pub(super) fn go_on_dragging(&mut self, seconds: f32) {
        let Some(mut drag) = self.aim.drag.take() else {
            return;
        };
        let goes_on = self.input.holds(drag.button)
            && self.hands.tool == Tool::Carve
            && self.scene_viewer.open.is_none();
        if !goes_on {
            return;
        }
        drag.waited += seconds;
        if drag.waited >= PAUSE {
            drag.waited = 0.0;
            self.draw_on(&mut drag);
        }
        self.aim.drag = Some(drag);
    }

    fn draw_on(&mut self, drag: &mut Drag) {
        if drag.last.is_none() {
            // The drag began in the sky.
            return self.begin_drag_late(drag);
        }
        for center in self.places_to_draw(drag) {
            if let Some(stroke) = self.stroke(drag.mode, Joins::Before) {
                self.draw_stroke(Stroke { center, ..stroke });
            }
            drag.last = Some(center);
        }
        drag.direction = self.aim.direction;
    }

    fn begin_drag_late(&mut self, drag: &mut Drag) {
        self.begin_drag(drag.button, drag.mode);
        if let Some(begun) = self.aim.drag.take() {
            *drag = begun;
        }
    }

    fn places_to_draw(&self, drag: &Drag) -> Vec<Cell> {
        let Some(last) = drag.last else {
            return Vec::new();
        };
        let ray = self.sight();
        let apart = self.hands.spacing();
        match drag.layer {
            Some(layer) => {
                let to = layer.meet(&ray);
                let cells = to.map(|to| line(last, to, apart).take(MOST_STROKES));
                cells.into_iter().flatten().collect()
            }
            None => {
                let world = &self.session.simulation.world;
                swept(world, drag.direction, &ray, last, apart)
            }
        }
    }

    /// Returns the next stroke of the drag, for the preview.
    pub(super) fn stroke_of_drag(&self) -> Option<Stroke> {
        let drag = self.aim.drag.as_ref()?;
        let stroke = self.stroke(drag.mode, Joins::Before);
        match drag.layer {
            Some(layer) => Some(Stroke {
                center: layer.meet(&self.sight())?,
                ..self.any_stroke(drag.mode, Joins::Before)
            }),
            None => stroke,
        }
    }
}
