//! The `sealpipe` program.
fn main() {}
