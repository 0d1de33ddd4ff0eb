//! The pages, as files and in a browser.

mod algorithms;
mod backends;
mod browser;
mod chromium;
mod fixture;
mod old_browsers;
mod report;
mod studies;
mod svg;
mod wording;
mod written;
