//! The panel of the shape and speed of characters, and the mood of the crowd.

use egui::{RichText, Slider, Window};
use simulation::Characters;

use crate::input::Action;

use super::{Facts, Request, theme};

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    characters: &mut Characters,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    theme::show(window.default_width(370.0), context, |ui| {
        ui.strong(language.say("Shape"));
        ui.add(Slider::new(&mut characters.radius, 0.15..=2.0).text(language.say("radius, m")));
        ui.add(
            Slider::new(&mut characters.half_height, 0.2..=4.0)
                .text(language.say("half height, m")),
        );
        ui.add(Slider::new(&mut characters.step_height, 0.0..=2.0).text(language.say("step, m")));
        ui.add(
            Slider::new(&mut characters.air_step, 0.0..=2.0)
                .text(language.say("step while falling, m")),
        );
        ui.add(
            Slider::new(&mut characters.slope_degrees, 5.0..=85.0)
                .integer()
                .text(language.say("slope, degrees")),
        );
        ui.strong(language.say("Slides along walls and slopes"));
        ui.add(Slider::new(&mut characters.friction, 0.0..=1.0).text(language.say("friction")));
        ui.add(
            Slider::new(&mut characters.shrink, 0.0..=1.0)
                .text(language.say("shrink by the angle turned")),
        );
        ui.label(RichText::new(language.say("Ice lets feet slide on, mud holds them.")).small());
        ui.strong(language.say("Speed"));
        ui.add(
            Slider::new(&mut characters.walk_speed, 0.5..=60.0)
                .logarithmic(true)
                .text(language.say("walk, m/s")),
        );
        ui.add(
            Slider::new(&mut characters.sprint_speed, 0.5..=120.0)
                .logarithmic(true)
                .text(language.say("sprint, m/s")),
        );
        ui.add(
            Slider::new(&mut characters.fly_speed, 0.5..=500.0)
                .logarithmic(true)
                .text(language.say("fly, m/s")),
        );
        ui.add(
            Slider::new(&mut characters.jump_height, 0.1..=20.0)
                .logarithmic(true)
                .text(language.say("jump, m")),
        );
        ui.separator();
        show_crowd(ui, facts, characters, requests);
        if ui.button(language.say("Standard settings")).clicked() {
            *characters = Characters {
                crowd: characters.crowd,
                ..Characters::default()
            };
        }
    });
}

fn show_crowd(
    ui: &mut egui::Ui,
    facts: &Facts,
    characters: &mut Characters,
    requests: &mut Vec<Request>,
) {
    let language = facts.language;
    ui.strong(language.say("Crowd"));
    let slider = Slider::new(&mut characters.crowd, 0..=10_000)
        .logarithmic(true)
        .text(language.say("walkers"));
    if ui.add(slider).changed() {
        requests.push(Request::SetCrowd(characters.crowd));
    }
    let mood = language.fill("they {}", &[&language.say(facts.crowd.mood)]);
    let platforms = if facts.crowd.platforms {
        "Stop platforms"
    } else {
        "Start platforms"
    };
    ui.horizontal_wrapped(|ui| {
        for (words, action) in [
            (mood.as_str(), Action::CrowdMood),
            (platforms, Action::Platforms),
            ("New targets", Action::Targets),
        ] {
            if ui.button(language.say(words)).clicked() {
                requests.push(Request::Do(action));
            }
        }
    });
}
