//! The tool for props: selects, places, moves and removes them.

use collision::{Motion, Position};
use nalgebra::Vector3;
use simulation::{Command, PropId, PropModel, Stand, TURNS};
use world::CellBox;

use super::aim::REACH;
use super::app::Play;
use super::tools::{Placing, Tool};

/// Returns the cells that a model can reach into at any turn.
fn reach_of(model: &PropModel, at: &Position) -> CellBox {
    let size = model.size().cast::<f32>();
    let half = size.xz().norm();
    let low = at.moved(Vector3::new(-half, 0.0, -half)).cell;
    let high = at.moved(Vector3::new(half, size.y, half)).cell;
    CellBox::new(low, high)
}

impl Play {
    /// Selects the next model.
    pub(super) fn next_prop(&mut self) {
        let models = self.session.simulation.props().models().len();
        let placing = &mut self.hands.placing;
        placing.model = (placing.model + 1) % models.max(1);
        placing.carried = None;
    }

    /// Turns the prop in hand.
    pub(super) fn turn_prop(&mut self, steps: i32) {
        let turn = i32::from(self.hands.placing.turn) + steps;
        self.hands.placing.turn = turn.rem_euclid(i32::from(TURNS)) as u8;
    }

    /// Selects the model of a name.
    pub(super) fn hold_prop(&mut self, name: &str) {
        let models = self.session.simulation.props().models();
        let model = models.iter().position(|model| model.name() == name);
        self.hands.tool = Tool::Props;
        self.hands.placing = Placing {
            model: model.unwrap_or(0),
            ..Placing::default()
        };
    }

    /// Places the prop in hand, or picks up the one under the pointer.
    pub(super) fn use_prop(&mut self) {
        let simulation = &self.session.simulation;
        let pointed = self
            .aim
            .prop
            .and_then(|hit| simulation.props().get(hit.prop));
        match (self.hands.placing.carried, pointed) {
            (None, Some(prop)) => {
                self.hands.placing.turn = prop.stand.turn;
                self.hands.placing.carried = Some(prop.id);
            }
            (carried, _) => self.put_prop(carried),
        }
    }

    fn put_prop(&mut self, carried: Option<PropId>) {
        let Some(stand) = self.prop_stand() else {
            return;
        };
        if let Some(prop) = carried {
            self.hands.placing.carried = None;
            return self.apply(Command::MoveProp { prop, stand });
        }
        let before = self.session.simulation.props().list().len();
        if let Some(model) = self.prop_model().map(|model| model.name().to_owned()) {
            self.apply(Command::PlaceProp { model, stand });
        }
        if self.session.simulation.props().list().len() == before {
            self.ui.toasts.say("There is no room for another prop");
        }
    }

    /// Cancels the move of a prop, or removes the one under the pointer.
    pub(super) fn drop_prop(&mut self) {
        if self.hands.placing.carried.take().is_none()
            && let Some(hit) = self.aim.prop
        {
            self.apply(Command::TakeProp(hit.prop));
        }
    }

    /// Returns the model in hand.
    fn prop_model(&self) -> Option<&PropModel> {
        let props = self.session.simulation.props();
        match self.hands.placing.carried {
            Some(prop) => Some(&*props.get(prop)?.model),
            None => props.models().get(self.hands.placing.model).map(|it| &**it),
        }
    }

    /// Returns the place of the prop in hand.
    fn prop_stand(&self) -> Option<Stand> {
        let at = match (self.aim.prop, &self.aim.pick) {
            (Some(hit), _) if Some(hit.prop) != self.hands.placing.carried => hit.point,
            (_, Some(pick)) => self
                .camera()
                .position
                .moved(self.aim.direction * pick.distance as f32),
            _ => return None,
        };
        let turn = self.hands.placing.turn;
        Some(Stand { position: at, turn })
    }

    /// Finds the prop under the pointer; none where land is in front of it.
    pub(super) fn find_prop(&mut self) {
        let way = Motion {
            start: self.camera().position,
            way: self.aim.direction * REACH,
        };
        let hit = self.session.simulation.props().cast_ray(&way);
        let land = self
            .aim
            .pick
            .as_ref()
            .map_or(REACH, |pick| pick.distance as f32);
        self.aim.prop = hit.filter(|hit| hit.distance < land);
    }

    /// Shows the box of the prop in hand, or of the one that would be picked up.
    pub(super) fn preview_prop(&mut self) {
        let props = self.session.simulation.props();
        let pointed = self.aim.prop.and_then(|hit| props.get(hit.prop));
        let room = match (self.hands.placing.carried, pointed) {
            (None, Some(prop)) => Some(reach_of(&prop.model, &prop.stand.position)),
            _ => self.prop_stand().and_then(|stand| {
                let model = self.prop_model()?;
                Some(reach_of(model, &stand.position))
            }),
        };
        self.aim.outline = room;
    }

    /// Returns the hint for the buttons of this tool.
    pub(super) fn prop_hint(&self) -> String {
        let language = self.language();
        let name = language.say(self.prop_model().map_or("nothing", PropModel::name));
        let turn = u32::from(self.hands.placing.turn) * 360 / u32::from(TURNS);
        let does = match self.hands.placing.carried {
            Some(_) => "click: put it there; other button: leave it",
            None => "click: place, or move the one pointed at; other button: take away",
        };
        let does = language.say(does);
        language.fill("{}, {} degrees; wheel: turn; {}", &[&name, &turn, &does])
    }
}

#[cfg(test)]
mod tests {
    use collision::Cell;

    use super::*;

    #[test]
    fn the_shown_room_holds_the_model_however_it_is_turned() {
        let at = Position::new(Cell::new(7, 3, -2), Vector3::new(0.25, 0.5, 0.75));
        for model in simulation::shipped() {
            let room = reach_of(&model, &at);
            for turn in 0..TURNS {
                for point in model.turned(turn).points {
                    let cell = at.moved(point.coords.cast()).cell;
                    assert!(room.contains(cell), "{} {turn} {cell}", model.name());
                }
            }
        }
    }
}
