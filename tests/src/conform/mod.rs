//! What the conformance tests share: the corpora, one way to run the library over them, and the checks.
//!
//! The tests themselves are in `tests/`: each loads cases of one corpus, reads every one of them at many chunkings and
//! compares what came out with the facts beside the recording. Nothing here knows how the library works inside.

pub mod check;
pub mod corpus;
pub mod diff;
pub mod facts;
pub mod feed;
pub mod input;
pub mod json;
pub mod reading;
pub mod sandwich;
pub mod suite;
pub mod view;
