//! What commands print for people: text and tables of what the library gives.

pub mod algorithm;
pub mod capture;
pub mod check;
pub mod compare;
pub mod ideal;
pub mod run;
pub mod study;
pub mod sweep;
