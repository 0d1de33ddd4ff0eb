//! Formats results as text and tables.

pub mod algorithm;
pub mod capture;
pub mod check;
pub mod compare;
pub mod ideal;
pub mod run;
pub mod study;
pub mod sweep;
