//! Runs scenes: ticks the crowd through the script, checks the expectations, hashes every tick, and
//! repeats the run under other conditions.

use nalgebra::Vector3;

use super::describe::{describe, mode};
use super::expression::sine;
use super::ground::{Stage, VoxelGround, place, turn_by};
use super::measure::{Scenery, Subject, Watch};
use super::parse::Scene;
use super::random::Random;
use super::script::{EditKind, Input, Repeat, Script, Start, Wish};
use collision::character::{Character, Intent};
use collision::crowd::{CharacterId, Crowd, Sensor};
use collision::mover::{Body, Radii};
use collision::position::{Cell, Position};
use collision::query::sweep_ellipsoid;
use collision::shapes::Shapes;
use collision::soup::TriangleSoup;
use collision::together::Together;

/// Characters whose trajectories are recorded.
const MOST_RECORDED: usize = 32;

/// Search depth for the ground below the place of a standing character, in metres.
const FARTHEST_DOWN: f32 = 1000.0;

/// Makes an empty voxel world for a scene; `None` runs on the plain stand-in.
pub type VoxelMaker<'a> = Option<&'a (dyn Fn() -> Box<dyn VoxelGround> + Sync)>;

/// The trajectory of one character.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// The actor's name.
    pub name: String,
    /// Its centre after each tick, in metres from the scene's origin.
    pub points: Vec<Vector3<f32>>,
    /// True for each tick after which it stood on ground.
    pub grounded: Vec<bool>,
}

/// The result of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The scene's name.
    pub name: String,
    /// All faults; empty for a pass.
    pub faults: Vec<String>,
    /// Ticks of all variants together, without repeats.
    pub ticks: u32,
    /// The hash over every tick of every variant.
    pub hash: u64,
    /// The trajectories of the first variant.
    pub trajectories: Vec<Trajectory>,
}

impl Verdict {
    /// Returns whether the scene passed.
    pub fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    /// Returns all faults in one line; empty for a pass.
    pub fn why(&self) -> String {
        self.faults.join("; ")
    }
}

/// Runs all variants of a scene, and each under all the other conditions it lists.
pub fn run(scene: &Scene, maker: VoxelMaker<'_>) -> Verdict {
    let mut verdict = Verdict {
        name: scene.name.clone(),
        ..Verdict::default()
    };
    for script in &scene.variants {
        run_variant(script, maker, &mut verdict);
    }
    if let Some(pinned) = scene.hash
        && pinned != verdict.hash
    {
        let Verdict { hash, .. } = verdict;
        verdict.faults.push(format!(
            "the state hash is {hash:016x} and not {pinned:016x} as pinned"
        ));
    }
    verdict
}

fn run_variant(script: &Script, maker: VoxelMaker<'_>, verdict: &mut Verdict) {
    let label = if script.label.is_empty() {
        String::new()
    } else {
        format!("[{}] ", script.label)
    };
    let first = match play(script, maker, None) {
        Ok(played) => played,
        Err(fault) => return verdict.faults.push(format!("{label}{fault}")),
    };
    verdict
        .faults
        .extend(first.faults.iter().map(|fault| format!("{label}{fault}")));
    verdict.ticks += script.ticks;
    verdict.hash = mix(verdict.hash, first.hash);
    for repeat in &script.repeats {
        match play_as(script, maker, *repeat) {
            Ok(again) if again.hash == first.hash => {}
            Ok(again) => {
                let when = first
                    .ticks
                    .iter()
                    .zip(&again.ticks)
                    .position(|(a, b)| a != b)
                    .unwrap_or(0);
                verdict.faults.push(format!(
                    "{label}other bits with {repeat:?} from tick {when} on"
                ));
            }
            Err(fault) => verdict.faults.push(format!("{label}{repeat:?}: {fault}")),
        }
    }
    if verdict.trajectories.is_empty() {
        verdict.trajectories = first.trajectories;
    }
}

/// The result of one run.
struct Played {
    faults: Vec<String>,
    hash: u64,
    ticks: Vec<u64>,
    trajectories: Vec<Trajectory>,
}

fn play_as(script: &Script, maker: VoxelMaker<'_>, repeat: Repeat) -> Result<Played, String> {
    let Repeat::Threads(threads) = repeat else {
        return play(script, maker, Some(repeat));
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| error.to_string())?;
    pool.install(|| play(script, maker, Some(repeat)))
}

fn play(script: &Script, maker: VoxelMaker<'_>, repeat: Option<Repeat>) -> Result<Played, String> {
    let mut player = Player::new(script, maker, repeat)?;
    let mut watches: Vec<Watch<'_>> = script
        .expectations
        .iter()
        .map(|wanted| Watch::new(wanted, player.subjects.len()))
        .collect();
    let mut played = Played {
        faults: Vec::new(),
        hash: 0,
        ticks: Vec::new(),
        trajectories: player.trajectories(),
    };
    for tick in 0..script.ticks {
        if repeat == Some(Repeat::Restored(tick)) {
            player.save_and_restore()?;
        }
        player.tick(tick);
        let scenery = player.scenery();
        if repeat.is_none() {
            watches
                .iter_mut()
                .for_each(|watch| watch.look(&scenery, tick));
            player.record(&mut played.trajectories);
        }
        played.hash = mix(played.hash, player.hash());
        played.ticks.push(played.hash);
        player.end_tick();
    }
    if repeat.is_none() {
        played.faults = watches.into_iter().filter_map(Watch::finish).collect();
    }
    Ok(played)
}

/// A running scene, for callers that advance it tick by tick.
pub struct Player<'a> {
    script: &'a Script,
    origin: Cell,
    stage: Stage,
    crowd: Crowd,
    subjects: Vec<Subject>,
    /// Subjects sorted by handle.
    by_handle: Vec<(CharacterId, usize)>,
    intents: Vec<(CharacterId, Intent)>,
}

impl<'a> Player<'a> {
    /// Sets up a scene.
    pub fn new(
        script: &'a Script,
        maker: VoxelMaker<'_>,
        repeat: Option<Repeat>,
    ) -> Result<Self, String> {
        let moved = if let Some(Repeat::Moved(by)) = repeat {
            by
        } else {
            Cell::zeros()
        };
        let origin = Cell::from_fn(|axis, _| script.origin[axis].wrapping_add(moved[axis]));
        let lent = maker
            .filter(|_| !matches!(repeat, Some(Repeat::Cut(_))))
            .map(|make| make());
        let stage = Stage::new(script, origin, lent, repeat)?;
        let mut player = Self {
            script,
            origin,
            stage,
            crowd: Crowd::new(),
            subjects: Vec::new(),
            by_handle: Vec::new(),
            intents: Vec::new(),
        };
        player.add_characters(repeat)?;
        player.add_sensors()?;
        player.watch();
        Ok(player)
    }

    fn add_characters(&mut self, repeat: Option<Repeat>) -> Result<(), String> {
        let mut order: Vec<(usize, Position)> = Vec::new();
        for (actor, description) in self.script.actors.iter().enumerate() {
            order.extend(
                description
                    .places
                    .iter()
                    .map(|point| (actor, place(self.origin, *point))),
            );
        }
        for (actor, position) in &mut order {
            *position = self.start_of(*actor, *position)?;
        }
        let mut ranks: Vec<usize> = (0..order.len()).collect();
        if let Some(Repeat::Shuffled(seed)) = repeat {
            let mut random = Random::new(seed);
            (1..ranks.len())
                .rev()
                .for_each(|last| ranks.swap(last, random.below(last + 1)));
        }
        let mut subjects: Vec<Option<Subject>> = vec![None; order.len()];
        for rank in ranks {
            let (actor, position) = order[rank];
            let character = describe(&self.script.actors[actor], position);
            let id = self
                .crowd
                .try_add(character)
                .map_err(|error| format!("line {}: {error}", self.script.actors[actor].line))?;
            subjects[rank] = Some(Subject::new(id, actor, position));
        }
        self.subjects = subjects.into_iter().flatten().collect();
        let handles = self.subjects.iter().map(|subject| subject.id);
        self.by_handle = handles.zip(0..).collect();
        self.by_handle.sort_unstable();
        Ok(())
    }

    /// Returns the start of an actor with a place: that place, or on the ground below.
    fn start_of(&self, actor: usize, position: Position) -> Result<Position, String> {
        let actor = &self.script.actors[actor];
        if actor.start == Start::There {
            return Ok(position);
        }
        let Character {
            build, settings, ..
        } = describe(actor, position);
        // It comes down with its skin to the height of a standing character.
        let skin = settings.mover.skin;
        let body = Body {
            position,
            radii: Radii::new(build.across + skin, build.standing + skin),
            up: build.up,
        };
        let parts = self.stage.terrains();
        let down = build.up * -FARTHEST_DOWN;
        let below = sweep_ellipsoid(&Together::new(&parts), &body, &down);
        let below = below.map(|hit| hit.center);
        below.ok_or_else(|| {
            let (line, name) = (actor.line, &actor.name);
            format!("line {line}: nothing lies below `{name}` to stand on: put it above ground")
        })
    }

    /// Watches the actors with expectations that need it.
    fn watch(&mut self) {
        let expectations = self.script.expectations.iter();
        for wanted in expectations.filter(|wanted| wanted.measure.is_of_watched()) {
            for subject in &self.subjects {
                if wanted.who.is_none_or(|actor| actor == subject.actor) {
                    let _gone = self.crowd.watch(subject.id);
                }
            }
        }
    }

    fn add_sensors(&mut self) -> Result<(), String> {
        for [min, max] in &self.script.sensors {
            let sensor = Sensor {
                center: place(self.origin, nalgebra::center(min, max)),
                extent: ((max - min) * 0.5).cast(),
            };
            let added = self.crowd.add_sensor(sensor);
            added.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Returns the terrain, the characters and their records.
    pub(super) fn scenery(&self) -> Scenery<'_> {
        Scenery {
            script: self.script,
            stage: &self.stage,
            crowd: &self.crowd,
            subjects: &self.subjects,
        }
    }

    /// Returns the characters.
    pub fn crowd(&self) -> &Crowd {
        &self.crowd
    }

    /// Returns the cell that the metres of the script are measured from.
    pub fn origin(&self) -> Cell {
        self.origin
    }

    /// Returns the meshes of the script at their present places.
    pub fn soups(&self) -> impl Iterator<Item = &TriangleSoup> {
        self.stage.soups().map(|(soup, _)| soup)
    }

    /// Returns the boxes of the script at their present places.
    pub fn boxes(&self) -> impl Iterator<Item = &Shapes> {
        self.stage.plain_boxes()
    }

    /// Runs one tick of the script.
    pub fn tick(&mut self, tick: u32) {
        self.stage.begin_tick(self.script, tick);
        self.teleport(tick);
        self.launch(tick);
        self.turn_up(tick);
        self.pull(tick);
        self.gather_intents(tick);
        let parts = self.stage.terrains();
        let terrain = Together::new(&parts);
        for subject in &mut self.subjects {
            if let Some(ground) = self.crowd.ground(subject.id) {
                let carry = collision::Terrain::carry(&terrain, ground.object, &subject.carried);
                subject.carried = subject.carried.moved(carry.unwrap_or_default());
            }
        }
        self.crowd
            .tick(&terrain, &self.intents, (1.0 / self.script.rate) as f32);
        for event in self.crowd.events() {
            let place = self
                .by_handle
                .binary_search_by_key(&event.character, |entry| entry.0);
            if let Ok(place) = place {
                self.subjects[self.by_handle[place].1].count(&event.kind);
            }
        }
        for contact in self.crowd.contacts() {
            let handles = &self.by_handle;
            let place = handles.binary_search_by_key(&contact.character, |entry| entry.0);
            if let Ok(place) = place {
                self.subjects[handles[place].1].count_contact(contact.phase);
            }
        }
    }

    fn end_tick(&mut self) {
        for subject in &mut self.subjects {
            subject.before = self.crowd.position(subject.id).unwrap_or(subject.before);
        }
    }

    fn teleport(&mut self, tick: u32) {
        for edit in self
            .script
            .edits
            .iter()
            .filter(|edit| edit.ticks.contains(&tick))
        {
            let EditKind::Teleport(actor, point) = edit.kind else {
                continue;
            };
            let to = place(self.origin, point);
            for subject in self
                .subjects
                .iter_mut()
                .filter(|subject| subject.actor == actor)
            {
                subject.before = to;
                subject.carried = to;
                let _gone = self.crowd.teleport(subject.id, to);
            }
        }
    }

    fn launch(&mut self, tick: u32) {
        let edits = self.script.edits.iter();
        for edit in edits.filter(|edit| edit.ticks.contains(&tick)) {
            let EditKind::Launch(actor, velocity) = edit.kind else {
                continue;
            };
            let meant = self.subjects.iter().filter(|it| it.actor == actor);
            for subject in meant {
                let _refused = self.crowd.launch(subject.id, velocity.cast());
            }
        }
    }

    /// Sets the gravity of the actors that the script gives another at some time.
    fn pull(&mut self, tick: u32) {
        let pull = |input: &Input| match input.wish {
            Wish::Pull(gravity) => Some(gravity),
            _ => None,
        };
        for subject in &self.subjects {
            let inputs = self.script.inputs.iter();
            let own = inputs.filter(|it| it.actor == subject.actor && pull(it).is_some());
            let now = own.clone().filter(|it| it.ticks.contains(&tick));
            if own.count() > 0 {
                let usual = self.script.actors[subject.actor].pull;
                let gravity = now.filter_map(pull).next_back().or(usual);
                let gravity = gravity.map(|gravity| gravity.cast());
                let _refused = self.crowd.set_gravity(subject.id, gravity);
            }
        }
    }

    fn turn_up(&mut self, tick: u32) {
        for input in self
            .script
            .inputs
            .iter()
            .filter(|input| input.ticks.contains(&tick))
        {
            let Wish::TurnUp(spin) = input.wish else {
                continue;
            };
            let turn = turn_by(&(spin / self.script.rate));
            for subject in self
                .subjects
                .iter()
                .filter(|subject| subject.actor == input.actor)
            {
                let up: Option<Vector3<f64>> =
                    self.crowd.build(subject.id).map(|build| build.up.cast());
                let turned = up.map(|up| (turn * up).normalize().cast::<f32>());
                let _gone = turned.map(|up| self.crowd.set_up(subject.id, up));
            }
        }
    }

    fn gather_intents(&mut self, tick: u32) {
        self.intents.clear();
        for (index, subject) in self.subjects.iter().enumerate() {
            let actor = &self.script.actors[subject.actor];
            let mut intent = Intent {
                mode: mode(actor.mode),
                ..Intent::default()
            };
            for input in self
                .script
                .inputs
                .iter()
                .filter(|input| input.actor == subject.actor && input.ticks.contains(&tick))
            {
                self.wish(&mut intent, &input.wish, index, tick);
            }
            self.intents.push((subject.id, intent));
        }
    }

    fn wish(&self, intent: &mut Intent, wish: &Wish, subject: usize, tick: u32) {
        match *wish {
            Wish::Go(velocity) => intent.velocity = velocity.cast(),
            Wish::Wander { seed, speed } => {
                let second = f64::from(tick) / self.script.rate;
                let mut random = Random::new(seed ^ ((subject as u64) << 32) ^ (second as u64));
                let angle = random.between(0.0, std::f64::consts::TAU);
                let direction =
                    Vector3::new(sine(angle + std::f64::consts::FRAC_PI_2), 0.0, sine(angle));
                intent.velocity = (direction * speed).cast();
            }
            Wish::Toward { point, speed } => {
                let position = self
                    .crowd
                    .position(self.subjects[subject].id)
                    .unwrap_or_default();
                let way = place(self.origin, point).since(&position);
                intent.velocity = way
                    .try_normalize(1e-3)
                    .map_or(Vector3::zeros(), |way| way * speed as f32);
            }
            Wish::Around(axis) => {
                let up = self
                    .crowd
                    .build(self.subjects[subject].id)
                    .map_or(Vector3::y(), |build| build.up);
                intent.velocity = axis.cast::<f32>().cross(&up);
            }
            Wish::Jump(speed) => intent.jump = speed as f32,
            Wish::Crouch => intent.crouch = true,
            Wish::Mode(name) => intent.mode = mode(name),
            Wish::TurnUp(_) | Wish::Pull(_) => {}
        }
    }

    fn save_and_restore(&mut self) -> Result<(), String> {
        let saved = self.crowd.save();
        let mut restored = Crowd::new();
        restored
            .restore(&saved)
            .map_err(|error| error.to_string())?;
        if restored.save() != saved {
            return Err("what was restored is saved as other bytes".to_owned());
        }
        self.crowd = restored;
        self.watch();
        self.add_sensors()
    }

    /// Returns a hash of the visible state of the characters, relative to the scene's origin.
    pub fn hash(&self) -> u64 {
        let mut hash = 0;
        for subject in &self.subjects {
            let Some(state) = self.crowd.state(subject.id) else {
                continue;
            };
            let ground = u64::from(state.ground.is_some());
            for axis in 0..3 {
                let cell = state.position.cell[axis].wrapping_sub(self.origin[axis]) as u32;
                hash = mix(
                    hash,
                    u64::from(cell) << 32
                        | u64::from((state.position.offset[axis] + 0.0).to_bits()),
                );
                hash = mix(
                    hash,
                    u64::from((state.velocity[axis] + 0.0).to_bits()) << 1 | ground,
                );
            }
        }
        hash
    }

    fn trajectories(&self) -> Vec<Trajectory> {
        let recorded = self.subjects.iter().take(MOST_RECORDED);
        recorded
            .map(|subject| Trajectory {
                name: self.script.actors[subject.actor].name.clone(),
                ..Trajectory::default()
            })
            .collect()
    }

    fn record(&self, trajectories: &mut [Trajectory]) {
        for (trajectory, subject) in trajectories.iter_mut().zip(&self.subjects) {
            let position = self.crowd.position(subject.id).unwrap_or(subject.before);
            trajectory.points.push(position.relative_to(self.origin));
            trajectory.grounded.push(self.crowd.is_grounded(subject.id));
        }
    }
}

fn mix(hash: u64, value: u64) -> u64 {
    let mixed = (hash.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
