//! The panel of the world: new, open, save as, import and export, and the list of strokes.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use egui::{RichText, ScrollArea, TextEdit, Window};
use world::files::Existing;

use crate::language::Language;
use serve::folders::KIND;

use super::{Choice, Facts, Request, theme};

/// The typed text of each field.
#[derive(Debug, Default)]
pub(super) struct Forms {
    seed: String,
    new_path: String,
    open_path: String,
    save_path: String,
    import_path: String,
    export_path: String,
    obj_path: String,
    trouble: Option<Trouble>,
}

/// Reasons for not making a new world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Name,
    Seed,
}

impl Trouble {
    fn words(self) -> &'static str {
        match self {
            Trouble::Name => "A new world needs a file name.",
            Trouble::Seed => "A seed is a whole number from 0.",
        }
    }
}

impl Forms {
    /// Returns the request for the typed new world.
    fn new_world(&self) -> Result<Request, Trouble> {
        let seed = match self.seed.trim() {
            "" => 1,
            text => text.parse().map_err(|_| Trouble::Seed)?,
        };
        let path = match self.new_path.trim() {
            "" => return Err(Trouble::Name),
            text => PathBuf::from(text),
        };
        Ok(Request::NewWorld { seed, path })
    }

    /// Forgets a trouble that no longer exists.
    fn forget_trouble(&mut self) {
        if self.new_world().err() != self.trouble {
            self.trouble = None;
        }
    }
}

pub(super) fn show(
    window: Window<'_>,
    context: &egui::Context,
    facts: &Facts,
    forms: &mut Forms,
    requests: &mut Vec<Request>,
) {
    theme::show(window.default_width(420.0), context, |ui| {
        let (world, language) = (&facts.world, facts.language);
        let place = match &world.path {
            Some(path) => path.display().to_string(),
            None => language.say("not saved").to_owned(),
        };
        let words = "Seed {}, {} chunks in memory";
        ui.label(language.fill(words, &[&world.seed, &world.chunks]));
        ui.label(RichText::new(place).color(theme::QUIET).small());
        ui.separator();
        show_new(ui, language, forms, requests);
        show_open(ui, facts, forms, requests);
        Row {
            words: "Save as",
            hint: "world.voxels",
            choice: None,
        }
        .show(
            ui,
            language,
            &mut forms.save_path,
            requests,
            Request::SaveAs,
        );
        ui.separator();
        ui.label("MagicaVoxel");
        Row {
            words: "Import where you look",
            hint: "model.vox",
            choice: Some(Choice::Import),
        }
        .show(
            ui,
            language,
            &mut forms.import_path,
            requests,
            Request::ImportVox,
        );
        let export = |path| Request::ExportVox(path, Existing::Keep);
        Row {
            words: "Export the copied box, or what is round you",
            hint: "model.vox",
            choice: Some(Choice::Export),
        }
        .show(ui, language, &mut forms.export_path, requests, export);
        Row {
            words: "Place an OBJ model as a prop",
            hint: "model.obj",
            choice: Some(Choice::Prop),
        }
        .show(
            ui,
            language,
            &mut forms.obj_path,
            requests,
            Request::ReadProp,
        );
        if let Some(path) = &world.in_the_way {
            show_replace(ui, language, path, requests);
        }
        forms.forget_trouble();
        if let Some(trouble) = forms.trouble {
            ui.colored_label(theme::BAD, language.say(trouble.words()));
        }
        ui.separator();
        show_saves(ui, facts, requests);
        show_strokes(ui, facts, requests);
    });
}

/// Asks before an export replaces a file.
fn show_replace(ui: &mut egui::Ui, language: Language, path: &Path, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        let words = language.fill("{} is there already.", &[&path.display()]);
        ui.colored_label(theme::BAD, words);
        if ui.button(language.say("Replace it")).clicked() {
            let path = path.to_path_buf();
            requests.push(Request::ExportVox(path, Existing::Replace));
        }
    });
}

fn show_new(ui: &mut egui::Ui, language: Language, forms: &mut Forms, requests: &mut Vec<Request>) {
    ui.horizontal(|ui| {
        ui.add(
            TextEdit::singleline(&mut forms.seed)
                .hint_text(language.say("seed"))
                .desired_width(90.0),
        );
        ui.add(
            TextEdit::singleline(&mut forms.new_path)
                .hint_text("new.voxels")
                .desired_width(170.0),
        );
        if ui.button(language.say("New world")).clicked() {
            match forms.new_world() {
                Ok(request) => requests.push(request),
                Err(trouble) => forms.trouble = Some(trouble),
            }
        }
    });
}

fn show_open(ui: &mut egui::Ui, facts: &Facts, forms: &mut Forms, requests: &mut Vec<Request>) {
    Row {
        words: "Open",
        hint: "world.voxels",
        choice: Some(Choice::Open),
    }
    .show(
        ui,
        facts.language,
        &mut forms.open_path,
        requests,
        Request::OpenWorld,
    );
}

/// Shows the saved worlds. They stand below all fields, which stay in place when one appears.
fn show_saves(ui: &mut egui::Ui, facts: &Facts, requests: &mut Vec<Request>) {
    if !facts.world.saves.is_empty() {
        ui.horizontal_wrapped(|ui| {
            for save in &facts.world.saves {
                // The usual ending goes without saying.
                let name = match save.extension().is_some_and(|kind| kind == KIND) {
                    true => save.file_stem(),
                    false => save.file_name(),
                };
                let name = name.unwrap_or_default().to_string_lossy();
                if ui
                    .button(name)
                    .on_hover_text(save.display().to_string())
                    .clicked()
                {
                    requests.push(Request::OpenWorld(save.clone()));
                }
            }
        });
    }
}

/// A field for a path with its button.
struct Row {
    words: &'static str,
    hint: &'static str,
    /// The use of a file of the system's chooser, which a small button opens.
    choice: Option<Choice>,
}

impl Row {
    fn show(
        self,
        ui: &mut egui::Ui,
        language: Language,
        text: &mut String,
        requests: &mut Vec<Request>,
        request: impl FnOnce(PathBuf) -> Request,
    ) {
        ui.horizontal_wrapped(|ui| {
            let field = TextEdit::singleline(text).hint_text(self.hint);
            ui.add(field.desired_width(190.0));
            if let Some(choice) = self.choice {
                let button = ui
                    .button("...")
                    .on_hover_text(language.say("Choose a file"));
                if button.clicked() {
                    requests.push(Request::Choose(choice));
                }
            }
            let is_pressed = ui.button(language.say(self.words)).clicked();
            if is_pressed && !text.trim().is_empty() {
                requests.push(request(PathBuf::from(text.trim())));
            }
        });
    }
}

fn show_strokes(ui: &mut egui::Ui, facts: &Facts, requests: &mut Vec<Request>) {
    let world = &facts.world;
    let words = "Strokes: {} done of {}";
    let counts: [&dyn Display; 2] = [&world.strokes_done, &world.strokes.len()];
    ui.label(facts.language.fill(words, &counts));
    let row = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .max_height(140.0)
        .id_salt("strokes")
        .stick_to_bottom(true)
        .show_rows(ui, row, world.strokes.len(), |ui, shown| {
            for index in shown {
                let done = index < world.strokes_done;
                let color = if done { theme::ACCENT } else { theme::QUIET };
                if ui
                    .button(RichText::new(&world.strokes[index]).color(color).small())
                    .clicked()
                {
                    requests.push(Request::GoToStroke(index + 1));
                }
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trouble_is_told_for_as_long_as_it_is_there() {
        let mut forms = Forms::default();
        forms.forget_trouble();
        assert_eq!(forms.trouble, None, "nothing was asked for yet");
        forms.trouble = forms.new_world().err();
        forms.forget_trouble();
        assert_eq!(forms.trouble, Some(Trouble::Name));
        forms.seed = "x".to_owned();
        forms.forget_trouble();
        assert_eq!(forms.trouble, None, "it is the seed now");
        forms.trouble = forms.new_world().err();
        assert_eq!(forms.trouble, Some(Trouble::Seed));
        (forms.seed, forms.new_path) = ("7".to_owned(), " a.voxels ".to_owned());
        forms.forget_trouble();
        assert_eq!(forms.trouble, None);
        let path = PathBuf::from("a.voxels");
        assert_eq!(forms.new_world(), Ok(Request::NewWorld { seed: 7, path }));
    }
}
