//! The predictions of theory for a scenario, beside closed forms and beside the packets of the simulator.

mod closed_forms;
mod common;
mod fair;
mod not_modelled;
mod packets;
mod properties;
