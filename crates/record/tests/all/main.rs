//! What a run leaves: files and summaries.

mod files;
mod output_file;
mod read;
mod summary;
