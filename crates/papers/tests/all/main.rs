//! The papers' definitions, their columns and shares, and the standard cases of algorithms.

mod adw_balia;
mod columns;
mod coupled_cubic;
mod coupling;
mod definitions;
mod shares;
mod standard;
mod wcompound;
