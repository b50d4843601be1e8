//! What is shown beside the records, for people: the summary of a run.

mod summary;

pub use summary::Summary;
