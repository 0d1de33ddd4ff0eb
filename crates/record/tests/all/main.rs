//! What a run leaves: files and summaries.

mod files;
mod read;
mod summary;
