//! The world of this window, open to others: its server runs on a thread of its own, and the player
//! is a guest of it like all others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use net::quic::{Invite, LinkError};
use serve::host::Say;
use serve::{Arguments, Host, ServeError, tick_until};
use simulation::Role;

use crate::error::Error;

/// The roles that a host invites friends for.
const INVITED: [Role; 2] = [Role::Build, Role::Walk];
/// The most friends at once.
const PLAYERS: u16 = 64;

/// A server that runs beside the window.
#[derive(Debug)]
pub struct Hosting {
    invites: Invites,
    stop: Arc<AtomicBool>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
}

/// The invites of a server.
#[derive(Clone, Debug)]
struct Invites {
    own: Invite,
    /// Those for friends, with their roles.
    others: Vec<(Role, Invite)>,
}

impl Invites {
    fn of(host: &Host) -> Result<Self, ServeError> {
        let own = host.own_invite(Role::Owner)?;
        let mut others = Vec::new();
        for role in INVITED {
            let invites = host.invites(role)?.into_iter();
            others.extend(invites.map(|invite| (role, invite)));
        }
        Ok(Invites { own, others })
    }
}

impl Hosting {
    /// Serves a world, whose file nothing else has open.
    pub(crate) fn begin(world: &Path) -> Result<Self, Error> {
        let arguments = Arguments {
            world: world.to_path_buf(),
            seed: None,
            listen: None,
            host: None,
            players: PLAYERS,
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (told, (send, answer)) = (stop.clone(), channel());
        let thread = std::thread::Builder::new().name("server".to_owned());
        let server = thread
            .spawn(move || serve_until(&arguments, &told, &send))
            .map_err(|error| Error::Network(error.to_string()))?;
        match answer.recv() {
            Ok(invites) => Ok(Hosting {
                invites,
                stop,
                server: Some(server),
            }),
            // It ended with an error before it had any.
            Err(_) => Err(ended(server)),
        }
    }

    /// Returns the invite of the player of this window.
    pub(crate) fn own_invite(&self) -> &Invite {
        &self.invites.own
    }

    /// Returns the invites for friends, with their roles.
    pub(crate) fn invites(&self) -> &[(Role, Invite)] {
        &self.invites.others
    }

    /// Sends all players home, and saves the world.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        self.stop.store(true, Ordering::Relaxed);
        match self.server.take().map(JoinHandle::join) {
            Some(Ok(Err(error))) => Err(Error::Content(error.to_string())),
            Some(Err(_)) => Err(Error::Content(
                "the server of this world broke off".to_owned(),
            )),
            Some(Ok(Ok(()))) | None => Ok(()),
        }
    }
}

impl Drop for Hosting {
    fn drop(&mut self) {
        // An error was told by `end`, unless the program breaks off anyway.
        let _ = self.end();
    }
}

fn serve_until(
    arguments: &Arguments,
    stop: &AtomicBool,
    send: &Sender<Invites>,
) -> Result<(), ServeError> {
    let silent = &mut |_: &str| {};
    let mut host = Host::open(arguments, silent).or_else(|error| match error {
        // Another server has the usual port.
        ServeError::Link(LinkError::Listen { .. }) => open_anywhere(arguments, silent),
        error => Err(error),
    })?;
    // Once the window is gone, the invites are not wanted.
    let _ = send.send(Invites::of(&host)?);
    tick_until(&mut host, stop, silent);
    host.close()
}

/// Opens a host at any port that is free.
fn open_anywhere(arguments: &Arguments, say: Say<'_>) -> Result<Host, ServeError> {
    let at = |ip: IpAddr| Arguments {
        listen: Some(SocketAddr::new(ip, 0)),
        ..arguments.clone()
    };
    let all = Host::open(&at(Ipv6Addr::UNSPECIFIED.into()), say);
    all.or_else(|_| Host::open(&at(Ipv4Addr::UNSPECIFIED.into()), say))
}

fn ended(server: JoinHandle<Result<(), ServeError>>) -> Error {
    Error::Network(match server.join() {
        Ok(Err(error)) => error.to_string(),
        _ => "the server of this world did not begin".to_owned(),
    })
}
