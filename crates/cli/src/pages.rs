//! Formats results as text and tables.

pub mod advise;
pub mod algorithm;
pub mod capture;
pub mod check;
pub mod compare;
pub mod fairness;
pub mod ideal;
pub mod run;
pub mod study;
pub mod sweep;
