//! The settings file: read and written without ever losing its contents.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serve::folders::user_folder;
use toml::{Table, Value};
use world::files::{self, Existing, FileError};

use crate::error::Error;
use crate::language::Language;

use super::{Graphics, Settings};

/// The settings that have no default.
const WITHOUT_DEFAULT: [&str; 2] = ["last_world", "language"];
/// The longest settings file that is read, bytes.
const MOST_BYTES: u64 = 1 << 20;
/// The most names tried when a broken file is set aside.
const MAX_SET_ASIDE: u32 = 1000;

/// Settings together with their file.
#[derive(Debug)]
pub struct SettingsFile {
    /// The settings in force.
    pub settings: Settings,
    /// The file; `None` keeps them for this run only.
    path: Option<PathBuf>,
    /// A message about loading them, for the player.
    pub notice: Option<String>,
    /// True if they were read from a file.
    pub chosen: bool,
    /// The language of the locale.
    locale: Language,
    saved: Settings,
    /// The settings at the last check.
    seen: Settings,
    /// True if they changed since they were last written, or could not be written.
    waiting: bool,
    view: Option<Lent<f32>>,
    crowd: Option<Lent<u32>>,
}

/// A value in force for one run, in place of the player's own.
#[derive(Clone, Copy, Debug)]
struct Lent<T> {
    value: T,
    own: T,
}

impl<T: Copy + PartialEq> Lent<T> {
    /// Puts a value in force.
    fn lend(value: T, setting: &mut T) -> Self {
        let own = std::mem::replace(setting, value);
        Lent { value, own }
    }

    /// Returns whether the setting is unchanged since.
    fn holds(&self, setting: T) -> bool {
        self.value == setting
    }
}

impl SettingsFile {
    /// Returns settings without a file.
    pub fn in_memory(settings: Settings, locale: Language) -> Self {
        SettingsFile {
            saved: settings.clone(),
            seen: settings.clone(),
            waiting: false,
            settings,
            path: None,
            notice: None,
            chosen: false,
            locale,
            view: None,
            crowd: None,
        }
    }

    /// Returns the chosen language, or that of the locale.
    pub fn language(&self) -> Language {
        self.settings.language.unwrap_or(self.locale)
    }

    /// Puts values of the command line in force. Saved are the values that the player chose before,
    /// or chooses in this run.
    pub fn lend(&mut self, view: Option<f32>, crowd: Option<u32>) {
        let settings = &mut self.settings;
        self.view = view.map(|view| Lent::lend(view, &mut settings.graphics.view_metres));
        self.crowd = crowd.map(|crowd| Lent::lend(crowd, &mut settings.characters.crowd));
    }

    /// Drops a lent value that the player changed, which makes it the player's own. Call it after
    /// each change, or a change that is undone is missed.
    pub fn follow_changes(&mut self) {
        let Settings {
            graphics,
            characters,
            ..
        } = &self.settings;
        self.view = self.view.filter(|lent| lent.holds(graphics.view_metres));
        self.crowd = self.crowd.filter(|lent| lent.holds(characters.crowd));
    }

    /// Chooses graphics that a software driver can draw; a lent view distance stays.
    pub fn choose_modest(&mut self) {
        let graphics = self.own().graphics.modest();
        if let Some(lent) = &mut self.view {
            lent.own = graphics.view_metres;
        }
        let view_metres = self.view.map_or(graphics.view_metres, |lent| lent.value);
        self.settings.graphics = Graphics {
            view_metres,
            ..graphics
        };
        self.chosen = true;
    }

    /// Returns the settings without lent values.
    fn own(&self) -> Settings {
        let mut own = self.settings.clone();
        if let Some(lent) = self.view {
            own.graphics.view_metres = lent.own;
        }
        if let Some(lent) = self.crowd {
            own.characters.crowd = lent.own;
        }
        own
    }

    /// Reads `path`. A missing file gives the defaults; a broken one is set aside and reported in
    /// `notice`.
    pub fn load(path: Option<PathBuf>, locale: Language) -> Self {
        let mut file = SettingsFile::in_memory(Settings::default(), locale);
        let Some(path) = path else {
            let words = "no configuration folder was found: settings last for this run only";
            file.notice = Some(locale.say(words).to_owned());
            return file;
        };
        match files::read(&path, MOST_BYTES) {
            Ok(bytes) => {
                file.take(&path, &bytes);
            }
            Err(FileError::Read { source, .. }) if source.kind() == ErrorKind::NotFound => {
                file.path = Some(path);
            }
            Err(error) => {
                let words = "{}: settings last for this run only";
                file.notice = Some(locale.fill(words, &[&error]));
            }
        }
        file
    }

    /// Takes the settings of a file. An invalid setting is dropped alone, and the file is kept
    /// under another name.
    fn take(&mut self, path: &Path, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        let reason = match toml::from_str::<Settings>(&text) {
            Ok(settings) => {
                self.settings = settings.within_limits();
                self.saved = self.settings.clone();
                self.path = Some(path.to_path_buf());
                self.chosen = true;
                return;
            }
            Err(error) => error.message().to_owned(),
        };
        let mut refused = Vec::new();
        if let Ok(table) = text.parse::<Table>() {
            let sound = sift(&table);
            refused = sound.refused;
            self.settings = sound.settings.within_limits();
            self.chosen = true;
        }
        // The valid settings are written again with the next save.
        let aside = set_aside(path);
        if aside.is_ok() {
            self.path = Some(path.to_path_buf());
        }
        self.notice = Some(self.words_of_broken(&reason, aside, &refused.join(", ")));
    }

    /// Returns the message about a broken file, which may have been set aside.
    fn words_of_broken(&self, reason: &str, aside: io::Result<PathBuf>, refused: &str) -> String {
        let language = self.language();
        let used = match refused {
            "" => language.say("defaults are used").to_owned(),
            _ => language.fill("defaults are used for {}", &[&refused]),
        };
        match aside {
            Ok(aside) => language.fill(
                "the settings file is broken ({}); it is kept as {}: {}",
                &[&reason, &aside.display(), &used],
            ),
            Err(error) => language.fill(
                "the settings file is broken ({}) and cannot be set aside ({}), nor saved: {}",
                &[&reason, &error, &used],
            ),
        }
    }

    /// Writes the settings once they are the same as at the last call, so not at each step of a
    /// slider. The hour of a day that passes does not count as a change. After a failure, the next
    /// change or [`SettingsFile::save_if_changed`] tries again.
    pub fn save_if_settled(&mut self) -> Result<(), Error> {
        if self.settings.graphics.day_passes {
            self.seen.graphics.hour = self.settings.graphics.hour;
        }
        if self.settings != self.seen {
            self.seen.clone_from(&self.settings);
            self.waiting = true;
        } else if std::mem::take(&mut self.waiting) {
            return self.save_if_changed();
        }
        Ok(())
    }

    /// Writes the settings if they changed since the last time, without lent values.
    pub fn save_if_changed(&mut self) -> Result<(), Error> {
        self.follow_changes();
        let own = self.own();
        if own == self.saved {
            return Ok(());
        }
        let Some(path) = &self.path else {
            return Ok(());
        };
        let text = toml::to_string_pretty(&own).map_err(|e| {
            let reason = format!("settings cannot be written: {e}");
            Error::content(path, reason)
        })?;
        files::write(path, text.as_bytes(), Existing::Replace)?;
        self.saved = own;
        Ok(())
    }
}

/// The valid part of a settings file.
struct Sound {
    settings: Settings,
    /// Names of the invalid settings.
    refused: Vec<String>,
}

/// Takes the valid settings of a table.
fn sift(table: &Table) -> Sound {
    let mut kept = Table::try_from(Settings::default()).unwrap_or_default();
    let mut names: Vec<_> = WITHOUT_DEFAULT.map(|name| vec![name.to_owned()]).into();
    list_names(&kept, &[], &mut names);
    let mut refused = Vec::new();
    for name in names {
        let Some(value) = find(table, &name) else {
            continue;
        };
        let mut tried = kept.clone();
        put(&mut tried, &name, value.clone());
        match tried.clone().try_into::<Settings>() {
            Ok(_) => kept = tried,
            Err(_) => refused.push(name.join(".")),
        }
    }
    let settings = kept.try_into().unwrap_or_default();
    Sound { settings, refused }
}

/// Lists the names of all values that are not tables.
fn list_names(table: &Table, within: &[String], names: &mut Vec<Vec<String>>) {
    for (name, value) in table {
        let name = [within, std::slice::from_ref(name)].concat();
        match value {
            Value::Table(inner) => list_names(inner, &name, names),
            _ => names.push(name),
        }
    }
}

fn find<'a>(table: &'a Table, name: &[String]) -> Option<&'a Value> {
    let (first, rest) = name.split_first()?;
    let value = table.get(first)?;
    match (value, rest) {
        (value, []) => Some(value),
        (Value::Table(inner), rest) => find(inner, rest),
        _ => None,
    }
}

fn put(table: &mut Table, name: &[String], value: Value) {
    match name {
        [] => {}
        [last] => drop(table.insert(last.clone(), value)),
        [first, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(first) {
                put(inner, rest, value);
            }
        }
    }
}

/// Renames `path` to the first free `….broken-N`.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let free = (1..=MAX_SET_ASIDE)
        .map(|n| path.with_extension(format!("toml.broken-{n}")))
        .find(|candidate| !candidate.exists())
        .ok_or_else(|| io::Error::other("too many broken settings files"))?;
    fs::rename(path, &free)?;
    Ok(free)
}

/// Returns `settings.toml` in the user's configuration folder, if there is one.
pub fn default_path() -> Option<PathBuf> {
    let folder = user_folder("XDG_CONFIG_HOME", ".config")?;
    Some(folder.join("settings.toml"))
}
