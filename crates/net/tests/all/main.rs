//! Links from outside: held against a reference, and properties of any link.

mod against_reference;
mod dequeue_link;
mod properties;
mod reference;
mod traces;
