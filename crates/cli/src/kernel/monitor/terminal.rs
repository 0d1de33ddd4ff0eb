//! The terminal while the screen is shown on it.

use super::screen::Screen;
use crate::interrupt::{self, SOON};
use anabranch::Error;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The terminal in our hands; given back when dropped, and before a panic's message.
pub struct Terminal(ratatui::Terminal<CrosstermBackend<Stdout>>);

impl Terminal {
    /// Takes it.
    pub fn open() -> Result<Self, Error> {
        let message = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            message(panic);
        }));
        let open = || {
            TAKEN.store(true, Ordering::Relaxed);
            enable_raw_mode()?;
            execute!(stdout(), EnterAlternateScreen)?;
            ratatui::Terminal::new(CrosstermBackend::new(stdout()))
        };
        open().map(Terminal).map_err(|e| {
            restore();
            failed(e)
        })
    }

    /// Shows the screen and obeys the keys until then, or until somebody asks to end or the terminal is gone
    /// (its signal may be ignored): then it is true.
    pub fn show(&mut self, screen: &mut Screen, until: Instant) -> Result<bool, Error> {
        self.draw(screen)?;
        while !interrupt::requested() {
            let left = until.saturating_duration_since(Instant::now());
            // Keys count even where samples take longer than the time between them.
            match input(left.min(SOON)).map_err(failed)? {
                Input::Gone => break,
                // A change of the window's size is no input, but an event.
                Input::Perhaps if event::poll(Duration::ZERO).map_err(failed)? => {
                    match event::read().map_err(failed)? {
                        Event::Key(key) if key.kind != KeyEventKind::Release && screen.key(key) => break,
                        _ => self.draw(screen)?,
                    }
                }
                _ if left.is_zero() => return Ok(false),
                _ => {}
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
        restore();
    }
}

/// Whether the terminal is in our hands.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Once, or the cursor would return to where it was when the screen was left. As far as it can be done: a
/// terminal that is gone needs nothing.
fn restore() {
    if !TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), LeaveAlternateScreen, cursor::Show);
}

/// What there is to read.
enum Input {
    Perhaps,
    /// The terminal is gone, of which crossterm would never tell.
    Gone,
}

/// Waits so long for input, or for a signal.
fn input(most: Duration) -> io::Result<Input> {
    let stdin = io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut fds, Some(&most.try_into().map_err(io::Error::other)?)) {
        Ok(_) if fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) => Ok(Input::Gone),
        Ok(_) | Err(Errno::INTR) => Ok(Input::Perhaps),
        Err(error) => Err(error.into()),
    }
}

fn failed(error: io::Error) -> Error {
    Error::environment("cannot use the terminal", &error)
}
