//! Controls the terminal while the screen is shown.

use super::screen::Screen;
use crate::interrupt::{self, SOON};
use anabranch::Error;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::{cursor, execute};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io;
use std::panic;
use std::thread;
use std::time::{Duration, Instant};

/// The terminal in raw mode; restored on drop and before a panic message.
pub struct Terminal(DefaultTerminal);

impl Terminal {
    /// Switches the terminal to raw mode.
    pub fn open() -> Result<Self, Error> {
        // A release aborts after a panic, and then nothing else shows the cursor again.
        let message = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let _ = execute!(io::stdout(), cursor::Show);
            message(panic);
        }));
        ratatui::try_init().map(Terminal).map_err(|e| {
            let _ = ratatui::try_restore();
            failed(e)
        })
    }

    /// Shows the screen and handles keys until the given time. Returns true if the user ends it or the terminal is closed,
    /// even if SIGHUP is ignored.
    pub fn show(&mut self, screen: &mut Screen, until: Instant) -> Result<bool, Error> {
        self.draw(screen)?;
        while !interrupt::requested() {
            let left = until.saturating_duration_since(Instant::now());
            // Handles keys even if sampling takes longer than the interval.
            if !is_open(left.min(SOON)).map_err(failed)? {
                break;
            }
            // A resize is an event without input.
            if event::poll(Duration::ZERO).map_err(failed)? {
                match event::read().map_err(failed)? {
                    Event::Key(key) if key.kind != KeyEventKind::Release && screen.key(key) => break,
                    _ => self.draw(screen)?,
                }
            } else if left.is_zero() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn draw(&mut self, screen: &mut Screen) -> Result<(), Error> {
        self.0.draw(|frame| screen.draw(frame)).map(|_| ()).map_err(failed)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Before a panic message it was restored already: a second time would move the cursor back.
        if !thread::panicking() {
            // The terminal may be closed.
            let _ = ratatui::try_restore();
        }
    }
}

/// Waits for input or a signal, at most for `most`; false if the terminal is closed, which crossterm does not report.
fn is_open(most: Duration) -> io::Result<bool> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut fds, Some(&most.try_into().map_err(io::Error::other)?)) {
        Ok(_) => Ok(!fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

fn failed(error: io::Error) -> Error {
    Error::environment("cannot use the terminal", &error)
}
