//! The panel of the cannon and the fog of war.

use egui::{Slider, Window};

use crate::input::Action;
use crate::settings::{FogTile, Power, Settings, SightLine};

use super::{Facts, Request};

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    settings: &mut Settings,
    requests: &mut Vec<Request>,
) {
    window.show(context, |ui| {
        ui.strong("Cannon");
        ui.label("A ball is the faster,");
        let power = &mut settings.cannon.power;
        ui.radio_value(power, Power::Hold, "the longer the button is held");
        let words = "the farther away the thing is that the pointer is on";
        ui.radio_value(power, Power::Distance, words);
        ui.horizontal(|ui| {
            for (words, action) in [
                ("New targets", Action::Targets),
                ("The range", Action::PanelRange),
            ] {
                if ui.button(words).clicked() {
                    requests.push(Request::Do(action));
                }
            }
        });
        ui.separator();
        ui.strong("Fog of war");
        let words = if facts.crowd.fog {
            "Switch it off"
        } else {
            "Switch it on"
        };
        if ui.button(words).clicked() {
            requests.push(Request::Do(Action::FogOfWar));
        }
        ui.label("Obstacles on the line of sight are found by");
        ui.horizontal(|ui| {
            for line in SightLine::ALL {
                ui.radio_value(&mut settings.fog.line, line, line.words());
            }
        });
        ui.horizontal(|ui| {
            ui.label("Side of a tile");
            for tile in FogTile::ALL {
                ui.radio_value(&mut settings.fog.tile, tile, tile.words());
            }
        });
        let radii = 1..=world::fog::MOST_RADIUS;
        ui.add(Slider::new(&mut settings.fog.radius, radii).text("sight, tiles"));
        ui.label("You and every second walker uncover the map; the others show where you see.");
    });
}
