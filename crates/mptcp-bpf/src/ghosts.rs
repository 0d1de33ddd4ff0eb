//! Rows of closed sockets: a vendor's kernel may skip the call of `release`.

use crate::instance::VARIABLES;
use crate::object::{build, object};
use crate::pins::CONNECTIONS;
use crate::{Error, Instance, messages};
use libbpf_rs::{MapHandle, MapType, ObjectBuilder, ProgramInput};
use std::os::fd::AsFd;

/// The program that finds them (`bpf/ghosts.h`).
const PROGRAM: &str = "ab_sweep_table";

impl Instance {
    /// The number of rows without a socket. `None` for another build's algorithm, whose tables may differ.
    pub fn ghosts(&self) -> Result<Option<u32>, Error> {
        self.sweep(false)
    }

    /// Counts the rows without a socket and, with `free`, frees them; then the caller must hold the lock of the pins.
    pub(crate) fn sweep(&self, free: bool) -> Result<Option<u32>, Error> {
        let maps = (self.connections(), self.variables());
        let (Some(connections), Some(variables)) = maps else { return Ok(None) };
        if !self.is_of_this_build() {
            return Ok(None);
        }
        messages::take();
        let name = self.entry.kernel_name;
        let ghosts = self.run(&connections, &variables, free);
        ghosts.map(Some).map_err(Error::bpf(format!("find rows without a socket in {name}")))
    }

    /// Runs the program on the maps of a loaded algorithm.
    fn run(&self, connections: &MapHandle, variables: &MapHandle, free: bool) -> libbpf_rs::Result<u32> {
        let mut builder = ObjectBuilder::default();
        let mut open = builder.name(build(self.entry))?.open_memory(object(self.entry))?;
        for mut program in open.progs_mut() {
            let wanted = program.name() == PROGRAM;
            program.set_autoload(wanted);
        }
        for mut map in open.maps_mut() {
            let name = map.name().to_string_lossy().into_owned();
            if map.map_type() == MapType::StructOps {
                map.set_autocreate(false)?;
            } else if name == CONNECTIONS {
                map.reuse_fd(connections.as_fd())?;
            } else if name.ends_with(VARIABLES) {
                map.reuse_fd(variables.as_fd())?;
            }
        }
        let object = open.load()?;
        let mut asked = u32::from(free).to_ne_bytes();
        let input = ProgramInput { context_in: Some(&mut asked), ..ProgramInput::default() };
        let mut programs = object.progs_mut().filter(|program| program.name() == PROGRAM);
        programs.next().map_or(Ok(0), |program| Ok(program.test_run(input)?.return_value))
    }
}
