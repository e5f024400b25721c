//! The panel of the cannon and the fog of war.

use egui::{Slider, Window};
use simulation::{FogTile, SightLine};

use crate::input::Action;
use crate::settings::{Power, Settings};

use super::{Facts, Request, theme};

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    settings: &mut Settings,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    theme::show(window, context, |ui| {
        ui.strong(language.say("Cannon"));
        ui.label(language.say("A ball is the faster,"));
        let power = &mut settings.cannon.power;
        let words = "the longer the button is held";
        ui.radio_value(power, Power::Hold, language.say(words));
        let words = "the farther away the thing is that the pointer is on";
        ui.radio_value(power, Power::Distance, language.say(words));
        ui.horizontal(|ui| {
            for (words, action) in [
                ("New targets", Action::Targets),
                ("The range", Action::PanelRange),
            ] {
                if ui.button(language.say(words)).clicked() {
                    requests.push(Request::Do(action));
                }
            }
        });
        ui.separator();
        ui.strong(language.say("Fog of war"));
        let words = if facts.crowd.fog {
            "Switch it off"
        } else {
            "Switch it on"
        };
        if ui.button(language.say(words)).clicked() {
            requests.push(Request::Do(Action::FogOfWar));
        }
        ui.label(language.say("Obstacles on the line of sight are found by"));
        ui.horizontal(|ui| {
            for line in SightLine::ALL {
                ui.radio_value(&mut settings.fog.line, line, language.say(line.words()));
            }
        });
        ui.horizontal(|ui| {
            ui.label(language.say("Side of a tile"));
            for tile in FogTile::ALL {
                ui.radio_value(&mut settings.fog.tile, tile, tile.words());
            }
        });
        let radii = 1..=world::fog::MOST_RADIUS;
        ui.add(Slider::new(&mut settings.fog.radius, radii).text(language.say("sight, tiles")));
        ui.label(
            language
                .say("You and every second walker uncover the map; the others show where you see."),
        );
    });
}
