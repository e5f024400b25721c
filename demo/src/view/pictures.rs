//! Golden pictures of overlays, the minimap and the scene viewer, on the software driver.
//! `RENEW_PICTURES=1` draws them anew.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use collision::{Cell, Position};
use engine::{Camera, GpuOptions, Image};
use nalgebra::Vector3;
use simulation::{
    Blow, BrushMode, BrushShape, CannonShot, Characters, Command, Joins, Mood, PlayerId,
    Simulation, Stand, Stroke, Switch, Travel, Wish, lift_out, standing_in,
};
use world::files::Existing;
use world::{CellBox, Material, MaterialTable, World};

use crate::arguments::{Overlay, PictureSize};
use crate::language::Language;
use crate::play::handles_of;
use crate::scenes::{self, Recording, Replay};
use crate::settings::{Settings, Shadows};
use crate::studio::{Shot, Studio};
use crate::ui::{
    Atlas, BlueprintFact, Facts, FrameFacts, MaterialFact, MemoryFact, MinimapFacts, OVERLAY_ROWS,
    Panel, PassFact, PlayerFact, Screen, SelectionFacts, SharedFacts, Skins, Ui, VoxelPicture,
    draw_voxels,
};

use super::{LandMap, MapView, Staged};

/// Share of pixels that may differ visibly, and the mean difference of all.
const DIFFERING: f32 = 0.012;
const MEAN: f32 = 0.004;
/// Least share of the picture that an overlay changes.
const SEEN: f32 = 0.002;
const SIZE: PictureSize = PictureSize {
    width: 480,
    height: 270,
};

/// Size of pictures of panels: a small window.
const WINDOW: PictureSize = PictureSize {
    width: 960,
    height: 540,
};

/// A terrace of steps with a brick wall across.
fn land() -> World {
    let materials = MaterialTable::standard();
    let brick = materials.by_name("brick").unwrap();
    let grass = materials.by_name("grass").unwrap();
    let bounds = CellBox::new(Cell::new(-64, -32, -64), Cell::new(63, 31, 63));
    World::from_voxels(bounds, |cell| {
        let top = cell.x.div_euclid(5).clamp(-3, 4);
        let wall = cell.z == -4 && (2..9).contains(&cell.x) && cell.y < top + 3;
        match cell.y {
            y if y < top => grass,
            _ if wall => brick,
            _ => Material::AIR,
        }
    })
}

/// Returns the player after a walk towards the wall among others, with a blow struck and the fog of
/// war lifted.
fn played() -> Simulation {
    let tuning = Settings::default().characters;
    let home = standing_in(Cell::new(3, 0, 0), tuning.half_height);
    let mut simulation = Simulation::new(land(), home, &tuning);
    for command in [
        Command::Travel(Travel::Walk),
        Command::SetMood(Mood::Follow),
        Command::SetCrowd(40),
        Command::SetFog(Switch::On),
        Command::Teleport(lift_out(&simulation.world, home)),
    ] {
        simulation.apply(PlayerId::FIRST, &command);
    }
    walk(&mut simulation, 56);
    simulation.apply(PlayerId::FIRST, &Command::Strike(Blow::Slam));
    walk(&mut simulation, 4);
    simulation
}

/// Lets the player walk on towards the wall.
fn walk(simulation: &mut Simulation, ticks: u32) {
    let wish = Wish {
        yaw: 0.4,
        forward: 0.5,
        ..Wish::default()
    };
    for _ in 0..ticks {
        simulation.tick(&wish.alone());
    }
}

fn camera() -> Camera {
    let mut camera = Camera::new(
        Position::new(Cell::new(-4, 7, 9), Vector3::repeat(0.5)),
        0.65,
        -0.42,
    );
    camera.field_of_view = 1.2;
    camera
}

fn settings() -> Settings {
    let mut settings = Settings {
        hints_obeyed: crate::ui::hints::ALL_OBEYED,
        ..Settings::default()
    };
    settings.graphics.view_metres = 120.0;
    settings.graphics.shadows = Shadows::Low;
    settings.graphics.hour = 10.0;
    settings
}

fn facts(overlays: &BTreeSet<Overlay>) -> Facts {
    let wave = |scale: f32| {
        (0..90)
            .map(|i| scale * (2.0 + (i as f32 * 0.3).sin()))
            .collect()
    };
    let pass = |name, cpu, gpu| PassFact { name, cpu, gpu };
    Facts {
        overlays: overlays.clone(),
        frame: FrameFacts {
            frame: wave(5.0),
            cpu: wave(1.0),
            tick: wave(0.5),
            passes: vec![
                pass("terrain", 0.12, Some(1.5)),
                pass("overlay", 0.01, None),
            ],
            chunks: 40,
            quads: 9000,
            draws: 120,
            written_bytes: 1_400,
            target_bytes: 227_500_000,
            scene_size: [1920, 1080],
        },
        memory: MemoryFact::list([("voxels", 3_000_000), ("quads", 70_000), ("pages", 1 << 20)]),
        ..Facts::default()
    }
}

fn compare(name: &str, image: &Image) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(name).with_extension("png");
    if std::env::var_os("RENEW_PICTURES").is_some() {
        return image.save(&path, Existing::Replace).unwrap();
    }
    let expected = Image::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let difference = image.compare(&expected);
    if difference.differing > DIFFERING || difference.mean > MEAN {
        let seen: PathBuf = std::env::temp_dir().join(format!("demo-{name}.png"));
        image.save(&seen, Existing::Replace).unwrap();
        panic!(
            "{name} looks different: {difference:?}; see {}",
            seen.display()
        );
    }
}

/// Returns a shot of the land with the player, without interface.
fn of_land() -> Shot<'static> {
    Shot {
        camera: camera(),
        overlays: &NOTHING,
        player_shows: true,
        path: &[],
        interface: None,
    }
}

/// The overlays of most pictures.
static NOTHING: BTreeSet<Overlay> = BTreeSet::new();

/// Takes a picture of the interface before the land, and compares it with the golden one.
fn compare_interface(
    name: &str,
    studio: &mut Studio,
    simulation: &Simulation,
    (ui, facts): (&mut Ui, &Facts),
    settings: &mut Settings,
) {
    let shot = Shot {
        player_shows: false,
        interface: Some((ui, facts)),
        ..of_land()
    };
    compare(name, &studio.take(simulation, settings, shot).unwrap());
}

fn take(studio: &mut Studio, simulation: &Simulation, overlays: &BTreeSet<Overlay>) -> Image {
    let (mut ui, mut facts) = (Ui::default(), facts(overlays));
    facts.crowd.fog = overlays.contains(&Overlay::Fog);
    let graphs = [Overlay::Frame, Overlay::Memory, Overlay::Fog];
    let graph = graphs.iter().any(|graph| overlays.contains(graph));
    let shot = Shot {
        overlays,
        interface: graph.then_some((&mut ui, &facts)),
        ..of_land()
    };
    let mut settings = settings();
    settings.graphics.minimap = false;
    studio.take(simulation, &mut settings, shot).unwrap()
}

#[test]
fn every_overlay_shows_what_it_did() {
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    let simulation = played();
    // No characters overlap until all grow stout at once.
    let mut stout = played();
    stout.apply(
        PlayerId::FIRST,
        &Command::Tune(Characters {
            radius: 0.8,
            ..Characters::default()
        }),
    );
    for (overlay, _) in OVERLAY_ROWS {
        let name = format!("{overlay:?}").to_lowercase();
        let simulation = match overlay {
            Overlay::Overlaps => &stout,
            _ => &simulation,
        };
        compare_overlay(&mut studio, simulation, overlay, &name);
    }
    // The last gather of a player at the wall; a studio of its own, as the fog differs.
    let mut at_the_wall = played();
    walk(&mut at_the_wall, 60);
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    compare_overlay(&mut studio, &at_the_wall, Overlay::Sweep, "sweep_at_a_wall");
}

fn compare_overlay(studio: &mut Studio, simulation: &Simulation, overlay: Overlay, name: &str) {
    let plain = take(studio, simulation, &BTreeSet::new());
    let image = take(studio, simulation, &BTreeSet::from([overlay]));
    let share = image.compare(&plain).differing;
    assert!(share > SEEN, "{name} changes {share} of the picture");
    compare(&format!("overlay_{name}"), &image);
}

/// A ramp, a rock and a statue throw shadows; the cannon stands ready, its last ball leaves smoke.
#[test]
fn props_and_the_cannon_show() {
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    let tuning = Settings::default().characters;
    let home = standing_in(Cell::new(-3, -1, 4), tuning.half_height);
    let mut simulation = Simulation::new(land(), home, &tuning);
    for (model, x, y, z, turn) in [
        ("ramp", 7, 1, 2, 15),
        ("rock", 2, 0, -8, 2),
        ("statue", 2, 0, 0, 4),
    ] {
        let model = model.to_owned();
        let position = Position::new(Cell::new(x, y, z), Vector3::new(0.5, 0.0, 0.5));
        let stand = Stand { position, turn };
        simulation.apply(PlayerId::FIRST, &Command::PlaceProp { model, stand });
    }
    let wish = Wish {
        yaw: 0.9,
        pitch: 0.25,
        ..Wish::default()
    };
    simulation.tick(&wish.alone());
    let shot = CannonShot::charged(wish.sight(), 0.2);
    simulation.apply(PlayerId::FIRST, &Command::Fire(shot));
    (0..12).for_each(|_| simulation.tick(&wish.alone()));
    let mut path = Vec::new();
    simulation.preview_shot(&shot, &mut path);
    let shot = Shot {
        path: &path,
        ..of_land()
    };
    let image = studio.take(&simulation, &mut settings(), shot).unwrap();
    compare("props", &image);
}

/// A spring, pick-ups about it, walkers with feet under way, and pieces of a hole just cut.
#[test]
fn springs_pickups_feet_and_pieces_show() {
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    let tuning = Settings::default().characters;
    let home = standing_in(Cell::new(8, 1, 5), tuning.half_height);
    let mut simulation = Simulation::new(land(), home, &tuning);
    simulation.lay_out_pickups(standing_in(Cell::new(-1, 1, 1), 0.0));
    for command in [
        Command::Travel(Travel::Walk),
        Command::SetMood(Mood::Follow),
        Command::SetCrowd(9),
    ] {
        simulation.apply(PlayerId::FIRST, &command);
    }
    for (x, z) in [(6, 6), (12, 7), (11, 12)] {
        let feet = standing_in(Cell::new(x, 1 + (x / 5 - 1), z), 0.7);
        simulation.put_pickup(feet);
    }
    (0..50).for_each(|_| simulation.tick(&Wish::default().alone()));
    simulation.apply(
        PlayerId::FIRST,
        &Command::Edit(Stroke {
            center: Cell::new(6, 0, 9),
            shape: BrushShape::Voxel,
            size: 1,
            mode: BrushMode::Carve,
            material: Material::AIR,
            joins: Joins::Nothing,
        }),
    );
    (0..8).for_each(|_| simulation.tick(&Wish::default().alone()));
    let eye = Position::new(Cell::new(5, 3, 14), Vector3::repeat(0.5));
    let shot = Shot {
        camera: Camera::new(eye, 0.5, -0.3),
        ..of_land()
    };
    let image = studio.take(&simulation, &mut settings(), shot).unwrap();
    compare("things", &image);
}

/// The panels with their choices, and the cannon's range after some shots.
#[test]
fn panels_of_games_and_characters_show() {
    let mut studio = Studio::open_on(WINDOW, GpuOptions::Reference).unwrap();
    let simulation = played();
    for (name, panel) in [
        ("games", Panel::Games),
        ("range", Panel::Range),
        ("characters", Panel::Characters),
        ("build", Panel::Build),
    ] {
        let (mut ui, mut facts) = (Ui::default(), facts(&BTreeSet::new()));
        ui.toggle(panel);
        facts.tool.selection = Some(SelectionFacts {
            size: [7, 4, 12],
            corner: "brick".to_owned(),
        });
        facts.tool.slots = MaterialFact::all_of(simulation.world.materials());
        facts.tool.slots.truncate(9);
        let shown = (&mut ui, &facts);
        compare_interface(
            &format!("panel_{name}"),
            &mut studio,
            &simulation,
            shown,
            &mut settings(),
        );
    }
}

/// The doors to shared worlds, and the panel of a visit with the name of another player.
#[test]
fn shared_worlds_show() {
    let mut studio = Studio::open_on(WINDOW, GpuOptions::Reference).unwrap();
    let simulation = played();
    let player = |number, name: &str, tag: Option<[f32; 2]>| PlayerFact {
        id: PlayerId(number),
        name: name.to_owned(),
        is_own: tag.is_none(),
        tag,
    };
    let visit = SharedFacts {
        place: Some("example.org:4433".to_owned()),
        role: "a builder",
        players: vec![player(1, "Ann", None), player(2, "Ben", Some([0.68, 0.34]))],
        lines: vec!["Ben is here".to_owned(), "Ben: hello".to_owned()],
        invites: vec![("a walker", "voxels:example".to_owned())],
    };
    for (name, shared) in [("doors", SharedFacts::default()), ("visit", visit)] {
        let (mut ui, mut facts) = (Ui::default(), facts(&BTreeSet::new()));
        ui.toggle(Panel::Shared);
        facts.shared = shared;
        let shown = (&mut ui, &facts);
        compare_interface(
            &format!("shared_{name}"),
            &mut studio,
            &simulation,
            shown,
            &mut settings(),
        );
    }
}

#[test]
fn title_menu_and_hints_show() {
    let mut studio = Studio::open_on(WINDOW, GpuOptions::Reference).unwrap();
    let simulation = played();
    for (name, screen, hints_obeyed) in [
        ("title", Screen::Title, 0),
        ("menu", Screen::Menu, 0),
        ("hint", Screen::Game, 1),
    ] {
        let (mut ui, mut facts) = (Ui::default(), facts(&BTreeSet::new()));
        ui.screen = screen;
        facts.pointer_grabbed = screen == Screen::Game;
        facts.tool.name = "Carve and build";
        facts.tool.slots = MaterialFact::all_of(simulation.world.materials());
        facts.tool.slots.truncate(9);
        let mut settings = Settings {
            hints_obeyed,
            ..settings()
        };
        let shown = (&mut ui, &facts);
        compare_interface(
            &format!("screen_{name}"),
            &mut studio,
            &simulation,
            shown,
            &mut settings,
        );
    }
}

/// Korean letters show, none as a box, and no word is broken.
#[test]
fn korean_shows() {
    let mut studio = Studio::open_on(WINDOW, GpuOptions::Reference).unwrap();
    let simulation = played();
    for (name, screen, panel) in [
        ("title", Screen::Title, None),
        ("menu", Screen::Menu, None),
        ("help", Screen::Game, Some(Panel::Help)),
        ("picture", Screen::Game, Some(Panel::Graphics)),
    ] {
        let (mut ui, facts) = (Ui::default(), facts(&BTreeSet::new()));
        ui.screen = screen;
        panel.into_iter().for_each(|panel| ui.toggle(panel));
        let facts = Facts {
            language: Language::Korean,
            ..facts
        };
        let shown = (&mut ui, &facts);
        compare_interface(
            &format!("korean_{name}"),
            &mut studio,
            &simulation,
            shown,
            &mut settings(),
        );
    }
}

/// The palette, the shelf, and the panel of building beside a selected box with its handles and the
/// planes of symmetry, in each language.
#[test]
fn the_bench_shows_in_each_language() {
    let mut studio = Studio::open_on(WINDOW, GpuOptions::Reference).unwrap();
    let simulation = played();
    let cells = CellBox::new(Cell::new(5, 1, -1), Cell::new(8, 3, 2));
    let materials = MaterialFact::all_of(simulation.world.materials());
    for language in Language::ALL {
        for (name, panel) in [
            ("palette", Panel::Materials),
            ("build", Panel::Build),
            ("shelf", Panel::Shelf),
        ] {
            let (mut ui, mut facts) = (Ui::default(), facts(&BTreeSet::new()));
            facts.language = language;
            ui.toggle(panel);
            facts.world.materials.clone_from(&materials);
            facts.tool.slots = materials[..9].to_vec();
            facts.tool.symmetry = [true, false];
            facts.tool.selection = Some(SelectionFacts {
                size: [6, 4, 4],
                corner: "brick".to_owned(),
            });
            facts.blueprints = blueprints();
            let is_build = panel == Panel::Build;
            studio.view.outline = is_build.then_some(cells);
            studio.view.symmetry.about = [7, 1, 0];
            studio.view.symmetry.across = [is_build, false];
            studio.view.handles = match is_build {
                true => handles_of(&cells, &camera().position),
                false => Vec::new(),
            };
            let language = format!("{language:?}").to_lowercase();
            let shown = (&mut ui, &facts);
            compare_interface(
                &format!("bench_{name}_{language}"),
                &mut studio,
                &simulation,
                shown,
                &mut settings(),
            );
        }
    }
}

/// Returns a house and a ball on the shelf.
fn blueprints() -> Vec<BlueprintFact> {
    let skins = Skins::of(&MaterialTable::standard());
    let house = |at: Vector3<u32>| match (at.y, at.x, at.z) {
        (5, _, _) => Material::PLANKS,
        (_, 0 | 6, _) | (_, _, 0 | 6) => Material::BRICK,
        _ => Material::AIR,
    };
    let ball = |at: Vector3<u32>| match (at.cast::<f32>() - Vector3::repeat(4.0)).norm() < 4.5 {
        true => Material::GRASS,
        false => Material::AIR,
    };
    let pictures = vec![
        draw_voxels(Vector3::new(7, 6, 7), house, &skins, 96),
        draw_voxels(Vector3::repeat(9), ball, &skins, 96),
    ];
    let atlas = Arc::new(Atlas::of(pictures, 96));
    let names = ["a house", "a ball"].into_iter().enumerate();
    names
        .map(|(number, name)| BlueprintFact {
            path: PathBuf::from(name),
            name: name.to_owned(),
            picture: Some(VoxelPicture::of(&atlas, number)),
        })
        .collect()
}

#[test]
fn the_minimap_shows_land_and_people() {
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    let simulation = played();
    let (mut map, mut minimap) = (LandMap::default(), MinimapFacts::default());
    let view = MapView {
        world: &simulation.world,
        generation: 1,
        fog: simulation.fog(),
        player: simulation.player_position(),
        yaw: 0.4,
    };
    for _ in 0..30 {
        map.update(&view, &mut minimap);
    }
    map.mark_all(&simulation, &mut minimap);
    assert!(!minimap.dots.is_empty());
    let facts = Facts {
        minimap,
        // The bar of panels would take its place.
        pointer_grabbed: true,
        ..facts(&BTreeSet::new())
    };
    let shot = Shot {
        interface: Some((&mut Ui::default(), &facts)),
        ..of_land()
    };
    let image = studio.take(&simulation, &mut settings(), shot).unwrap();
    compare("minimap", &image);
}

#[test]
fn scenes_show_voxels_meshes_and_ways() {
    let mut studio = Studio::open_on(SIZE, GpuOptions::Reference).unwrap();
    for (name, tick) in [("step_up_1_block", 60), ("turning_platform", 90)] {
        let scene = scenes::find(name).unwrap();
        let recording = Recording::play(scene, 0, &|_| {}).unwrap();
        let mut replay = Replay::new();
        replay.show(&recording, tick);
        let staged = Staged {
            recording: &recording,
            replay: &replay,
            tick,
            generation: tick as u64,
        };
        let body = recording.bodies(tick)[0];
        let eye = body.position.moved(Vector3::new(3.0, 3.5, 6.0));
        let image = studio
            .take_scene(&staged, &settings(), Camera::new(eye, -0.45, -0.45))
            .unwrap();
        compare(&format!("scene_{name}"), &image);
    }
}
