//! Benchmarks of `turnline`: the inputs, the ways of reading them that are compared, and the tables.
//!
//! `cargo bench -p turnline-benches` runs all of them with criterion. `cargo run -p turnline-benches --release --bin
//! ratios` takes the same ratios in about a minute, and holds on a busy machine too, since it takes turns.
#![forbid(unsafe_code)]

pub mod corpus;
pub mod facts;
pub mod figures;
pub mod machine;
pub mod reader;
pub mod table;
