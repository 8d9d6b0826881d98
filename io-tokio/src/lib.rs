//! Runs coding CLIs for [`turnline`]: the room that knows processes.
//!
//! - [`tree`]: a child and everything it starts; interrupting, ending and reaping it. Free of any runtime.
//! - [`exit`]: waiting for a child's end on tokio, without reaping it.
#![forbid(unsafe_code)]

pub mod exit;
pub mod tree;
