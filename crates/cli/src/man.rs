//! `anabranch man`: manual pages, generated from the command line's definition.

use anabranch::Error;
use anabranch::records::replace;
use clap::Command;
use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::Path;

/// Writes `anabranch.1` and a page per command into a directory.
pub fn write(command: Command, dir: &Path) -> Result<(), Error> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(dir)
        .and_then(|()| pages(command, dir))
        .map_err(|e| Error::environment(format!("cannot write into {}", dir.display()), &e))
}

/// Writes the page of a command and those of its subcommands.
fn pages(command: Command, dir: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below.clone(), dir)?;
    }
    let (page, mut text) = (Man::new(command), Vec::new());
    page.render(&mut text)?;
    replace(&dir.join(page.get_filename()), &text)
}
