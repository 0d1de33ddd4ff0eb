//! `anabranch kernel`: algorithms in the running kernel.

pub mod args;
mod choose;
mod load;
mod monitor;
mod needs;
mod show;
mod users;

use anabranch::Error;
use args::KernelCommand;

pub fn kernel(command: &KernelCommand) -> Result<(), Error> {
    match command {
        KernelCommand::Doctor(args) => show::doctor(args),
        KernelCommand::Load(args) => load::load(args),
        KernelCommand::Unload(args) => load::unload(args),
        KernelCommand::List { json } => show::list(*json),
        KernelCommand::Status(args) => show::status(args),
        KernelCommand::Use(args) => choose::choose(args),
        KernelCommand::Monitor(args) => monitor::monitor(args),
    }
}
