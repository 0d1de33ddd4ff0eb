//! The engine of studies as its users have it: studies in, results out, several processes at once.

mod store;
mod tidy;
