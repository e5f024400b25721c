//! Shared worlds: joins and hosts them, shows talk and the names of players, and returns to an own
//! world at the end.

use std::collections::BTreeMap;
use std::path::Path;

use nalgebra::Vector3;
use net::quic::Invite;
use net::{Event, Line};
use serve::folders::world_path;
use simulation::{PlayerId, Refusal, Role};
use world::Ray;

use crate::error::Error;
use crate::guest::{Guest, GuestError};
use crate::hosting::Hosting;
use crate::place::Place;
use crate::session::{FIRST_VIEW, FIRST_WORLD, Session};
use crate::ui::{Panel, PlayerFact, SharedFacts};

use super::app::Play;
use super::clock::Clock;
use super::jobs::Done;
use super::visit::Visit;

/// Tries to join a server again that was lost.
const MOST_TRIES: u32 = 5;
/// Distance to which names are shown, and their height over heads, metres.
const TAG_REACH: f32 = 64.0;
const TAG_ABOVE: f32 = 0.3;

/// Returns a role in words.
fn words_of(role: Role) -> &'static str {
    match role {
        Role::Look => "a spectator",
        Role::Walk => "a walker",
        Role::Build => "a builder",
        Role::Owner => "the owner",
    }
}

impl Play {
    /// Joins the world of an invite.
    pub(super) fn join(&mut self, invite: &str) {
        match invite.parse::<Invite>() {
            Ok(invite) => {
                self.visit = Visit::default();
                self.join_again(&invite);
            }
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    fn join_again(&mut self, invite: &Invite) {
        let settings = &self.settings.settings;
        let view = settings.graphics.view_metres.min(FIRST_VIEW);
        let (invite, name) = (invite.clone(), settings.shared.name());
        self.begin_job("Joining", move |share| {
            let told = |done| share.set(done);
            let joined = Session::joined(&invite, &name, view, &told);
            Done::World(joined.map(Box::new))
        });
    }

    /// Begins to show a world that was joined, or is one's own again.
    pub(super) fn begin_visit(&mut self) {
        self.visit.is_over = false;
        self.visit.tries = 0;
        match self.session.guest {
            // Its time does not stand still.
            Some(_) => self.clock = Clock::default(),
            None => self.visit.lines.clear(),
        }
    }

    /// Returns to the own world that was played last.
    pub(super) fn leave(&mut self) {
        if self.jobs.is_busy() {
            return self.ui.toasts.say("Something else is still going on");
        }
        if self.session.hosting.is_some() && !self.put_away() {
            return;
        }
        self.visit = Visit::default();
        let last = self.settings.settings.last_world.clone();
        let path = last.map_or_else(|| world_path(Path::new(FIRST_WORLD)), Ok);
        match path {
            Ok(path) => self.begin_opening(path, None),
            Err(error) => self.ui.toasts.say(error.to_string()),
        }
    }

    /// Opens this world to others: its server takes the file over, and the player joins it.
    pub(super) fn host(&mut self) {
        let Some(path) = self.session.path.clone() else {
            return self.ui.toasts.say("Save this world first");
        };
        if self.jobs.is_busy() {
            return self.ui.toasts.say("Something else is still going on");
        }
        self.remember();
        let place = Place::of(&self.session.simulation, self.rig.yaw, self.rig.pitch);
        if !self.put_away() {
            return;
        }
        let settings = &self.settings.settings;
        let view = settings.graphics.view_metres.min(FIRST_VIEW);
        let name = settings.shared.name();
        // If it fails, the world is opened for one again.
        self.visit = Visit {
            is_over: true,
            ..Visit::default()
        };
        self.begin_job("Opening this world to others", move |share| {
            let told = |done| share.set(done);
            let hosted = Session::hosted(&path, &name, view, &place, &told);
            Done::World(hosted.map(Box::new))
        });
    }

    /// Closes the session, so that its file is free; returns false if it cannot be saved.
    fn put_away(&mut self) -> bool {
        if let Err(error) = self.session.close() {
            self.ui.toasts.say(error.to_string());
            return false;
        }
        let empty = Session::empty(&self.settings.settings.characters);
        self.session = empty;
        self.view.world_generation += 1;
        true
    }

    /// Says a line to all players.
    pub(super) fn say_line(&mut self, line: &str) {
        if let (Some(guest), Some(line)) = (&mut self.session.guest, Line::of(line)) {
            guest.say(line);
        }
    }

    /// Asks to be brought to a player.
    pub(super) fn go_to(&mut self, player: PlayerId) {
        if let Some(guest) = &mut self.session.guest {
            guest.visit(player);
        }
    }

    /// Shows the reason for which a command is refused.
    pub(super) fn tell_refusal(&mut self, refusal: &Refusal) {
        let words = match refusal {
            Refusal::NotOffered => "This is possible in a world of your own only".to_owned(),
            other => other.to_string(),
        };
        self.ui.toasts.say(words);
    }

    /// Shows what happened in a shared world, and acts on its end.
    pub(super) fn go_on_visiting(&mut self) {
        let Some(guest) = &mut self.session.guest else {
            return;
        };
        let ended = guest.ended().cloned();
        for event in guest.take_events() {
            self.tell_event(event);
        }
        if let Some(error) = ended
            && !self.visit.is_over
            && !self.jobs.is_busy()
        {
            self.visit.is_over = true;
            self.end_visit(&error);
        }
    }

    fn tell_event(&mut self, event: Event) {
        let language = self.language();
        let Some(guest) = &self.session.guest else {
            return;
        };
        let client = guest.client();
        let name = |id| client.name(id).map_or("?", |name| name.as_str());
        let words = match event {
            Event::Joined(id) if id == client.player() => return,
            Event::Joined(id) => language.fill("{} is here", &[&name(id)]),
            Event::Left(name) => language.fill("{} has gone", &[&name]),
            Event::Said(by, line) => format!("{}: {line}", name(by)),
            Event::Refused(refusal) => return self.tell_refusal(&refusal),
        };
        self.visit.keep(words.clone());
        self.ui.toasts.say(words);
    }

    /// Joins again where that may help, or returns to an own world.
    fn end_visit(&mut self, error: &GuestError) {
        self.ui.toasts.say(error.to_string());
        match self.session.guest.as_ref().map(Guest::invite) {
            Some(invite) if error.is_passing() => self.join_again(&invite.clone()),
            _ => self.leave(),
        }
    }

    /// Shows why a world was not opened. A visit that was lost is tried again a few times, and then
    /// an own world is opened.
    pub(super) fn opening_failed(&mut self, error: &Error) {
        self.ui.toasts.say(error.to_string());
        if !self.visit.is_over {
            return;
        }
        self.visit.tries += 1;
        match self.session.guest.as_ref().map(Guest::invite) {
            Some(invite) if self.visit.tries < MOST_TRIES => self.join_again(&invite.clone()),
            _ => self.leave(),
        }
    }

    /// Returns the places in the picture over the heads of the others that are seen.
    fn tags(&self, aspect: f32) -> BTreeMap<PlayerId, [f32; 2]> {
        let (camera, simulation) = (self.camera(), &self.session.simulation);
        let others = simulation.drawn_by_id(self.clock.between());
        let tags = others.filter_map(|(id, drawn)| {
            let top = drawn
                .position
                .moved(Vector3::y() * (drawn.radii.y + TAG_ABOVE));
            let way = top.since(&camera.position);
            let ray = Ray {
                origin: camera.position,
                direction: way.try_normalize(0.1)?,
            };
            let far = way.norm();
            let is_seen = far < TAG_REACH && simulation.world.cast_ray(&ray, far).is_none();
            Some((id, camera.project(&top, aspect).filter(|_| is_seen)?))
        });
        tags.collect()
    }

    /// Returns the facts for the panel.
    pub(super) fn shared_facts(&self, aspect: f32) -> SharedFacts {
        let Some(guest) = &self.session.guest else {
            return SharedFacts::default();
        };
        let own = guest.client().player();
        let tags = self.tags(aspect);
        let players = guest.players().map(|(id, name)| PlayerFact {
            id,
            name: name.to_string(),
            is_own: id == own,
            tag: tags.get(&id).copied(),
        });
        // The panel alone shows talk and invites.
        let is_open = self.ui.is_open(Panel::Shared);
        let lines = self.visit.lines.iter().filter(|_| is_open);
        let hosting = self.session.hosting.iter().filter(|_| is_open);
        let invites = hosting.flat_map(Hosting::invites);
        let invites = invites.map(|(role, invite)| (words_of(*role), invite.to_string()));
        SharedFacts {
            invites: invites.collect(),
            place: Some(guest.invite().place()),
            role: words_of(guest.role()),
            players: players.collect(),
            lines: lines.cloned().collect(),
        }
    }
}
