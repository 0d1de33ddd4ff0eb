//! A run's record in files: tables as Parquet and CSV, and folders that are replaced atomically.

mod csv_table;
mod file_sink;
pub mod output;
mod parquet_table;
mod read;
mod replace;
mod run_directory;
mod summary_file;
mod table;
mod table_file;

pub use csv_table::CsvTable;
pub use file_sink::{CsvSink, FileSink, ParquetSink, WriteError};
pub use output::ResultFolder;
pub use parquet_table::ParquetTable;
pub use read::{ReadError, Record};
pub use replace::replace;
pub use run_directory::{RunDirectory, SampleFormat};
pub use table::{Column, Table};
pub use table_file::TableFile;
