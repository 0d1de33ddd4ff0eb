//! The pages, as files and in a browser.

mod algorithms;
mod backends;
mod browser;
mod chromium;
mod fixture;
mod report;
mod svg;
