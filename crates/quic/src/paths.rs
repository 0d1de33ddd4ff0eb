//! The paths of a connection, as the scenario wants them: opened, closed, and made backup.

use crate::clock::Clock;
use crate::control::Control;
use crate::host::{End, four_tuple};
use anabranch_net::Time;
use anabranch_scenario::{Flow as Spec, SubflowAction};
use noq_proto::{Connection, PathError, PathId, PathStatus, VarInt};

/// How long the client waits when the server has not allowed another path yet: it does when it has seen that one was closed.
const RETRY: Time = Time::from_millis(50);

pub(crate) struct Paths {
    paths: Vec<Path>,
    /// When something may be left to do.
    pub(crate) due: Time,
}

/// A path of the scenario.
struct Path {
    is_wanted: bool,
    is_backup: bool,
    /// The stack's path, while it is open: it has another id each time.
    id: Option<PathId>,
    /// Whether the server knows it.
    is_up: bool,
}

impl Paths {
    pub(crate) fn new(spec: &Spec) -> Paths {
        let path = |(p, path): (usize, &anabranch_scenario::Path)| Path {
            is_wanted: spec.joins_at_start(p),
            is_backup: path.backup,
            id: None,
            is_up: false,
        };
        Paths { paths: spec.paths.iter().enumerate().map(path).collect(), due: Time::ZERO }
    }

    /// Whether the connection may have several.
    pub(crate) fn are_several(&self) -> bool {
        self.paths.len() > 1
    }

    /// The path on which the client connects, if any is wanted.
    pub(crate) fn first(&mut self) -> Option<usize> {
        let first = self.paths.iter().position(|path| path.is_wanted)?;
        (self.paths[first].id, self.paths[first].is_up) = (Some(PathId::ZERO), true);
        Some(first)
    }

    pub(crate) fn change(&mut self, path: usize, action: SubflowAction) {
        match action {
            SubflowAction::Add => self.paths[path].is_wanted = true,
            SubflowAction::Remove => self.paths[path].is_wanted = false,
            SubflowAction::Backup(is_backup) => self.paths[path].is_backup = is_backup,
        }
        self.due = Time::ZERO;
    }

    /// The server knows the stack's path of that id.
    pub(crate) fn on_established(&mut self, id: PathId) {
        if let Some(path) = self.paths.iter_mut().find(|path| path.id == Some(id)) {
            path.is_up = true;
            self.due = Time::ZERO;
        }
    }

    /// Does what can be done now on the client's established connection.
    pub(crate) fn tend(
        &mut self,
        now: Time,
        clock: Clock,
        connection: &mut Connection,
        control: &Control,
    ) -> Result<(), String> {
        if now < self.due {
            return Ok(());
        }
        self.due = Time::NEVER;
        let instant = clock.instant(now);
        for (p, path) in self.paths.iter_mut().enumerate().filter(|(_, path)| path.is_wanted) {
            let status = if path.is_backup { PathStatus::Backup } else { PathStatus::Available };
            if let Some(id) = path.id {
                if path.is_up && connection.path_status(id).is_ok_and(|known| known != status) {
                    connection.set_path_status(id, status).map_err(|why| why.to_string())?;
                }
                continue;
            }
            control.expect(p);
            path.is_up = false;
            match connection.open_path(four_tuple(p, End::Client), PathStatus::Available, instant) {
                Ok(id) => path.id = Some(id),
                Err(PathError::MaxPathIdReached | PathError::RemoteCidsExhausted) => {
                    self.due = now + RETRY;
                    continue;
                }
                Err(why) => return Err(format!("QUIC path {p} cannot be opened: {why}")),
            }
        }
        for p in 0..self.paths.len() {
            let Path { is_wanted: false, id: Some(id), .. } = self.paths[p] else { continue };
            let mut others = self.paths.iter().enumerate().filter(|(q, _)| *q != p);
            if !others.any(|(_, other)| other.id.is_some() && other.is_up) {
                continue; // until another one is established
            }
            connection.close_path(instant, id, VarInt::from_u32(0)).map_err(|why| why.to_string())?;
            control.leave(p, now);
            self.paths[p].id = None;
        }
        Ok(())
    }
}
