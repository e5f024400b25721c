//! Reads scene files. `collision/scenes/README.md` describes the format.
//!
//! The text comes from outside: every fault is a [`SceneError`] with file, line and advice, sizes
//! are limited, nothing panics, and reading takes at most 256 MB.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use super::error::{Fault, SceneError};
use super::expand::{Statement, Variant, expand};
use super::parse_expectation::read_expectation;
use super::parse_parts::*;
use super::script::*;
use super::sizes::check_sizes;
use super::words::Words;
use collision::obj::ObjMesh;
use collision::position::Cell;
use collision::shapes::{Presence, Substance};

/// Most ticks of a scene: ten minutes at 120 Hz.
const MOST_TICKS: u32 = 72_000;
/// Most characters of a scene.
const MOST_CHARACTERS: usize = 20_000;
/// Most sensors of a scene: each is tested against the characters in every tick.
const MOST_SENSORS: usize = 1000;
/// Most threads of a repeat.
const MOST_THREADS: usize = 64;
/// Most voxels toggled a tick.
const MOST_TOGGLES: u32 = 100_000;

const SUBSTANCES: &[(&str, Substance)] = &[
    ("air", Substance::Air),
    ("solid", Substance::Solid),
    ("liquid", Substance::Liquid),
    ("ladder", Substance::Ladder),
];

const MODES: &[(&str, ModeName)] = &[
    ("walk", ModeName::Walk),
    ("fly", ModeName::Fly),
    ("ghost", ModeName::Ghost),
];

const SETTINGS: &[(&str, Setting)] = &[
    ("step", Setting::Step),
    ("air-step", Setting::AirStep),
    ("snap", Setting::Snap),
    ("slope", Setting::Slope),
    ("gravity", Setting::Gravity),
    ("friction", Setting::Friction),
    ("air", Setting::Air),
    ("fall", Setting::Fall),
    ("crouch", Setting::Crouch),
    ("skin", Setting::Skin),
    ("shrink", Setting::Shrink),
    ("ledge", Setting::Ledge),
    ("recovery", Setting::Recovery),
    ("drift-loss", Setting::DriftLoss),
];

/// A scene file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its name in lists and on the command line.
    pub name: String,
    /// The subject of the test, in a sentence.
    pub about: String,
    /// The project and fault it comes from, if any.
    pub from: String,
    /// The pinned state hash over all variants, where there is one.
    pub hash: Option<u64>,
    /// The scripts to run; one for each combination of varied values.
    pub variants: Vec<Script>,
}

/// Reads a scene; `file` is the name used in errors.
pub fn load(file: &str, text: &str) -> Result<Scene, SceneError> {
    let mut scene: Option<Scene> = None;
    let variants = expand(file, text)?;
    let empty = variants.is_empty();
    for variant in variants {
        let (head, script) = read_variant(file, variant)?;
        let scene = scene.get_or_insert(head);
        scene.variants.push(script);
    }
    match scene {
        Some(scene) if !empty && !scene.name.is_empty() => Ok(scene),
        _ => Err(Fault::NoStatement("scene").at(file, 0)),
    }
}

fn read_variant(file: &str, variant: Variant) -> Result<(Scene, Script), SceneError> {
    let head = Scene {
        name: String::new(),
        about: String::new(),
        from: String::new(),
        hash: None,
        variants: Vec::new(),
    };
    let script = Script {
        label: variant.label,
        rate: 60.0,
        ticks: 0,
        origin: Cell::zeros(),
        grounds: Vec::new(),
        actors: Vec::new(),
        sensors: Vec::new(),
        motions: Vec::new(),
        edits: Vec::new(),
        inputs: Vec::new(),
        expectations: Vec::new(),
        repeats: Vec::new(),
    };
    let mut reader = Reader {
        head,
        script,
        substance: Substance::Solid,
        characters: 0,
        voxels: 0,
    };
    for statement in &variant.statements {
        reader
            .read(statement)
            .map_err(|fault| fault.at(file, statement.line))?;
    }
    if reader.script.ticks == 0 {
        return Err(Fault::NoStatement("ticks").at(file, 0));
    }
    if reader.script.expectations.is_empty() {
        return Err(Fault::NoStatement("expect").at(file, 0));
    }
    check_sizes(file, &reader.script)?;
    Ok((reader.head, reader.script))
}

struct Reader {
    head: Scene,
    script: Script,
    substance: Substance,
    characters: usize,
    voxels: usize,
}

impl Reader {
    fn read(&mut self, statement: &Statement) -> Result<(), Fault> {
        let mut words = Words::of(statement);
        match words.statement {
            "scene" => self.head.name = words.word("a name")?.to_owned(),
            "about" => self.head.about = words.rest(),
            "from" => self.head.from = words.rest(),
            "hash" => self.head.hash = Some(read_hash(&mut words)?),
            "rate" => {
                self.script.rate = words.number_in(1.0, 1000.0, "a rate between 1 and 1000 Hz")?
            }
            "ticks" => self.read_ticks(&mut words)?,
            "origin" => {
                self.script.origin =
                    Cell::new(words.whole(CELL)?, words.whole(CELL)?, words.whole(CELL)?)
            }
            "voxels" | "boxes" | "triangles" | "at" | "material" | "fill" | "layer" | "box"
            | "triangle" | "quad" | "obj" => {
                self.read_ground(&mut words, statement)?;
            }
            "character" | "crowd" | "radii" | "mode" | "up" | "step" | "air-step" | "snap"
            | "slope" | "gravity" | "friction" | "air" | "fall" | "crouch" | "skin" | "shrink"
            | "ledge" | "recovery" | "drift-loss" | "mass" | "pull" | "stand" => {
                self.read_actor(&mut words, statement.line)?
            }
            "sensor" => self.read_sensor(&mut words)?,
            "move" | "turn" | "belt" => self.read_motion(&mut words)?,
            "edit" => self.read_edit(&mut words)?,
            "input" => self.read_input(&mut words)?,
            "same" => self.read_repeat(&mut words)?,
            "expect" => {
                let expectation = read_expectation(&mut words, statement, &self.script)?;
                self.script.expectations.push(expectation);
            }
            other => return Err(Fault::UnknownStatement(other.to_owned())),
        }
        words.finish()
    }

    fn read_ticks(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let wanted = "a number of ticks between 1 and 72000";
        let word = words.peek().unwrap_or("").to_owned();
        self.script.ticks = words.whole(wanted)?;
        if (1..=MOST_TICKS).contains(&self.script.ticks) {
            Ok(())
        } else {
            Err(Fault::Number { word, wanted })
        }
    }

    /// Reads a half-open range of ticks as `FROM TO`; `end` stands for the last.
    fn range(&self, words: &mut Words<'_>) -> Result<Range<u32>, Fault> {
        let from = words.whole("the first tick")?;
        let to = if words.take("end") {
            self.script.ticks
        } else {
            words.whole("one past the last tick, or `end`")?
        };
        self.within_scene(words, from..to)
    }

    /// Returns a range of ticks that the scene reaches.
    fn within_scene(&self, words: &Words<'_>, range: Range<u32>) -> Result<Range<u32>, Fault> {
        let (ticks, Range { start, end }) = (self.script.ticks, range);
        if ticks == 0 {
            return Err(Fault::OutOfPlace {
                statement: words.statement.to_owned(),
                under: "`ticks`",
            });
        }
        let tick = start.max(end.saturating_sub(1));
        if start > end {
            Err(Fault::Backwards {
                from: start,
                to: end,
            })
        } else if tick < ticks || start == end && tick == ticks {
            Ok(start..end)
        } else {
            Err(Fault::PastEnd { tick, ticks })
        }
    }

    fn read_ground(&mut self, words: &mut Words<'_>, statement: &Statement) -> Result<(), Fault> {
        match words.statement {
            "voxels" => {
                let size = words.number_in(0.01, 100.0, "the edge of a voxel, 0.01 to 100 m")?;
                self.substance = Substance::Solid;
                self.open_ground(
                    words,
                    Shape::Voxels(Layer {
                        size,
                        ..Layer::default()
                    }),
                )
            }
            "boxes" => self.open_ground(words, Shape::Boxes(Vec::new())),
            "triangles" => {
                let table = [
                    ("one-sided", MeshFaces::OneSided),
                    ("two-sided", MeshFaces::TwoSided),
                ];
                let faces =
                    words.choose(&table, "`one-sided` or `two-sided`", "one-sided, two-sided")?;
                self.open_ground(
                    words,
                    Shape::Triangles(Mesh {
                        triangles: ObjMesh::default(),
                        faces,
                    }),
                )
            }
            "material" => {
                self.substance =
                    words.choose(SUBSTANCES, "a material", "air, solid, liquid, ladder")?;
                Ok(())
            }
            _ => self.extend_ground(words, statement),
        }
    }

    fn read_sensor(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        if self.script.sensors.len() == MOST_SENSORS {
            return Err(Fault::TooMany {
                what: "sensors",
                limit: MOST_SENSORS,
            });
        }
        self.script.sensors.push(read_box(words)?);
        Ok(())
    }

    fn open_ground(&mut self, words: &mut Words<'_>, shape: Shape) -> Result<(), Fault> {
        let name = match words.peek() {
            Some(_) => words.word("a name")?.to_owned(),
            None => format!("ground{}", self.script.grounds.len()),
        };
        if self.script.grounds.iter().any(|ground| ground.name == name) {
            return Err(Fault::NameTaken(name));
        }
        self.voxels = 0;
        self.script.grounds.push(Ground { name, shape });
        Ok(())
    }

    fn extend_ground(&mut self, words: &mut Words<'_>, statement: &Statement) -> Result<(), Fault> {
        let misplaced = |under| Fault::OutOfPlace {
            statement: words.statement.to_owned(),
            under,
        };
        let Some(ground) = self.script.grounds.last_mut() else {
            return Err(misplaced("`voxels`, `boxes` or `triangles`"));
        };
        match (&mut ground.shape, words.statement) {
            (Shape::Voxels(layer), "at") => layer.at = words.point()?,
            (Shape::Voxels(layer), "fill") => {
                let fill = read_fill(words, self.substance)?;
                count_voxels(&mut self.voxels, &fill)?;
                layer.fills.push(fill);
            }
            (Shape::Voxels(layer), "layer") => {
                layer.fills.extend(read_layer(words, &statement.block)?)
            }
            (Shape::Boxes(boxes), "box") => boxes.push(read_box(words)?),
            (Shape::Triangles(mesh), "triangle") => read_polygon(words, &mut mesh.triangles, 3)?,
            (Shape::Triangles(mesh), "quad") => read_polygon(words, &mut mesh.triangles, 4)?,
            (Shape::Triangles(mesh), "obj") => append(
                &mut mesh.triangles,
                ObjMesh::parse(&statement.block.join("\n"))?,
            ),
            (_, "at" | "fill" | "layer") => return Err(misplaced("`voxels`")),
            (_, "box") => return Err(misplaced("`boxes`")),
            _ => return Err(misplaced("`triangles`")),
        }
        Ok(())
    }

    fn read_actor(&mut self, words: &mut Words<'_>, line: usize) -> Result<(), Fault> {
        match words.statement {
            "character" => {
                let name = words.word("a name")?.to_owned();
                let place = words.point()?;
                self.open_actor(name, vec![place], line)
            }
            "crowd" => {
                let name = words.word("a name")?.to_owned();
                let count: usize = words.whole("a number of characters")?;
                let (seed, min, max) = (words.whole("a seed")?, words.point()?, words.point()?);
                let limit = MOST_CHARACTERS;
                if count > limit {
                    return Err(Fault::TooMany {
                        what: "characters",
                        limit,
                    });
                }
                self.open_actor(name, scatter(count, seed, min, max), line)
            }
            _ => self.extend_actor(words),
        }
    }

    fn open_actor(
        &mut self,
        name: String,
        places: Vec<Point3<f64>>,
        line: usize,
    ) -> Result<(), Fault> {
        if self.script.actors.iter().any(|actor| actor.name == name) || name == "all" {
            return Err(Fault::NameTaken(name));
        }
        self.characters += places.len();
        if self.characters > MOST_CHARACTERS {
            return Err(Fault::TooMany {
                what: "characters",
                limit: MOST_CHARACTERS,
            });
        }
        let (mode, settings, up) = (ModeName::Walk, Vec::new(), Vector3::y());
        self.script.actors.push(Actor {
            name,
            places,
            radii: [0.4, 0.9],
            mode,
            settings,
            up,
            mass: 80.0,
            pull: None,
            start: Start::There,
            line,
        });
        Ok(())
    }

    fn extend_actor(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let Some(actor) = self.script.actors.last_mut() else {
            return Err(Fault::OutOfPlace {
                statement: words.statement.to_owned(),
                under: "`character` or `crowd`",
            });
        };
        match words.statement {
            "radii" => {
                let mut radius = || words.number_in(0.05, 8.0, "a radius, 0.05 to 8 m");
                actor.radii = [radius()?, radius()?];
            }
            "mode" => actor.mode = words.choose(MODES, "a mode", "walk, fly, ghost")?,
            "up" => actor.up = read_direction(words)?,
            "mass" => actor.mass = read_mass(words)?,
            "pull" => actor.pull = Some(words.vector()?),
            "stand" => actor.start = Start::Standing,
            name => {
                let setting = SETTINGS.iter().find(|(known, _)| *known == name);
                let value = words.number_in(0.0, 2000.0, "a number between 0 and 2000")?;
                actor
                    .settings
                    .extend(setting.map(|(_, setting)| (*setting, value)));
            }
        }
        Ok(())
    }

    fn read_motion(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let ground = self.ground(words)?;
        let ticks = self.range(words)?;
        let kind = match words.statement {
            "move" => MotionKind::Along(words.vector()?),
            "belt" => MotionKind::Surface(words.vector()?),
            _ => MotionKind::About {
                pivot: words.point()?,
                spin: words.vector()?,
            },
        };
        self.script.motions.push(Motion {
            ground,
            ticks,
            kind,
        });
        Ok(())
    }

    fn read_edit(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let from: u32 = words.whole("a tick")?;
        let to = if words.take("to") {
            words.whole("one past the last tick")?
        } else {
            from.saturating_add(1)
        };
        let ticks = self.within_scene(words, from..to)?;
        let verb = words.word("what to do")?;
        let kind = match verb {
            "fill" | "clear" => {
                let ground = self.ground(words)?;
                let substance = if verb == "fill" {
                    Substance::Solid
                } else {
                    Substance::Air
                };
                EditKind::Fill(ground, read_fill(words, substance)?)
            }
            "toggle" => self.read_toggle(words)?,
            "load" | "unload" => {
                let ground = self.ground(words)?;
                let [min, max] = words.voxel_box()?;
                let presence = if verb == "load" {
                    Presence::Loaded
                } else {
                    Presence::Missing
                };
                EditKind::Load {
                    ground,
                    min,
                    max,
                    presence,
                }
            }
            "remove" => EditKind::RemoveTriangle(
                self.ground(words)?,
                words.whole("the place of a triangle in its mesh")?,
            ),
            "teleport" => EditKind::Teleport(self.actor(words)?, words.point()?),
            "launch" => EditKind::Launch(self.actor(words)?, words.vector()?),
            word => {
                let choices = "fill, clear, toggle, load, unload, remove, teleport, launch";
                return Err(Fault::Choice {
                    word: word.to_owned(),
                    choices,
                });
            }
        };
        self.script.edits.push(Edit { ticks, kind });
        Ok(())
    }

    fn read_toggle(&mut self, words: &mut Words<'_>) -> Result<EditKind, Fault> {
        let ground = self.ground(words)?;
        let (seed, count) = (words.whole("a seed")?, words.whole("a number of voxels")?);
        let [min, max] = words.voxel_box()?;
        if count > MOST_TOGGLES {
            return Err(Fault::TooMany {
                what: "voxels toggled a tick",
                limit: MOST_TOGGLES as usize,
            });
        }
        Ok(EditKind::Toggle {
            ground,
            seed,
            count,
            min,
            max,
        })
    }

    fn read_input(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let actor = self.actor(words)?;
        let ticks = self.range(words)?;
        let wish = match words.word("a wish")? {
            "go" => Wish::Go(words.vector()?),
            "wander" => Wish::Wander {
                seed: words.whole("a seed")?,
                speed: words.number("a speed")?,
            },
            "toward" => Wish::Toward {
                point: words.point()?,
                speed: words.number("a speed")?,
            },
            "jump" => {
                Wish::Jump(words.number_in(0.0, 1000.0, "a take-off speed, 0 to 1000 m/s")?)
            }
            "around" => Wish::Around(words.vector()?),
            "crouch" => Wish::Crouch,
            "mode" => Wish::Mode(words.choose(MODES, "a mode", "walk, fly, ghost")?),
            "turn-up" => Wish::TurnUp(words.vector()?),
            "pull" => Wish::Pull(words.vector()?),
            word => {
                let choices = "go, wander, toward, around, jump, crouch, mode, turn-up, pull";
                return Err(Fault::Choice {
                    word: word.to_owned(),
                    choices,
                });
            }
        };
        self.script.inputs.push(Input { actor, ticks, wish });
        Ok(())
    }

    fn read_repeat(&mut self, words: &mut Words<'_>) -> Result<(), Fault> {
        let kind = words.word("what stays the same")?;
        while words.peek().is_some() {
            let repeat = match kind {
                "threads" => {
                    Repeat::Threads(
                        words.number_in(1.0, MOST_THREADS as f64, "1 to 64 threads")? as usize,
                    )
                }
                "moved" => Repeat::Moved(Cell::new(
                    words.whole(CELL)?,
                    words.whole(CELL)?,
                    words.whole(CELL)?,
                )),
                "shuffled" => Repeat::Shuffled(words.whole("a seed")?),
                "restored" => {
                    let tick: u32 = words.whole("a tick")?;
                    self.within_scene(words, tick..tick.saturating_add(1))?;
                    Repeat::Restored(tick)
                }
                "cut" => Repeat::Cut(words.whole("a seed")?),
                word => {
                    let choices = "threads, moved, shuffled, restored, cut";
                    return Err(Fault::Choice {
                        word: word.to_owned(),
                        choices,
                    });
                }
            };
            self.script.repeats.push(repeat);
        }
        Ok(())
    }

    fn ground(&self, words: &mut Words<'_>) -> Result<usize, Fault> {
        let name = words.word("the name of a ground")?;
        let found = self
            .script
            .grounds
            .iter()
            .position(|ground| ground.name == name);
        found.ok_or_else(|| Fault::UnknownName(name.to_owned()))
    }

    fn actor(&self, words: &mut Words<'_>) -> Result<usize, Fault> {
        let name = words.word("the name of a character")?;
        let found = self
            .script
            .actors
            .iter()
            .position(|actor| actor.name == name);
        found.ok_or_else(|| Fault::UnknownName(name.to_owned()))
    }
}
