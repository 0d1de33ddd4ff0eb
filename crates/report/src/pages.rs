//! One module for each kind of page.

pub mod advice;
pub mod algorithm;
pub mod algorithms;
pub mod answers;
pub mod assumptions;
pub mod case;
pub mod equation;
pub mod experiment;
pub mod fidelity;
pub mod figure;
pub mod methods;
pub mod origins;
pub mod overview;
pub mod paper;
pub mod pivot;
pub mod shares;
