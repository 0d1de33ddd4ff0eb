//! Links from outside: held against a reference, and properties of any link.

mod against_reference;
mod holding;
mod properties;
mod reference;
mod traces;
