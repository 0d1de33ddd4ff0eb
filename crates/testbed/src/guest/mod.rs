//! A task on another kernel, in a virtual machine with a clock of its own.
