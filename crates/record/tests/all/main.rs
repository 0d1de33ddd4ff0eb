//! The output of a run: files and summaries.

mod files;
mod output_file;
mod read;
mod summary;
