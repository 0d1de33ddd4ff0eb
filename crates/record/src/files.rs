//! A run's record in files: tables as Parquet and CSV, and folders that are replaced atomically.

mod csv_table;
mod file_sink;
pub mod output;
mod parquet_table;
mod read;
mod replace;
mod run_directory;
mod sample_format;
mod summary_file;
mod table;
mod table_file;

pub use file_sink::{FileSink, WriteError};
pub use output::ResultFolder;
pub use read::{ReadError, Record};
pub use replace::replace;
pub use run_directory::RunDirectory;
pub use sample_format::SampleFormat;
pub use table::Column;
pub use table_file::TableFile;
