//! The model transport that drives algorithms, and the rules that it checks.

mod common;
mod legal;
mod registry;
mod rules;
