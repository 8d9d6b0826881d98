//! Bytes in, normalized events and one envelope out: the JSON lines that coding CLIs print, read without I/O.
//!
//! Coding CLIs run headless and print records, each in a dialect of its own that changes with every version. This crate
//! reads them all through one engine: an executor is described by data, a [`Profile`], and what comes out is the same
//! vocabulary for every one of them. It never fails on input, never panics on it, and keeps memory within
//! [`Limits`] whatever arrives. It has no I/O, clock, thread or environment; with the feature `std` off it is `no_std`.
//! To run a CLI, use the crate `turnline-tokio`.
//!
//! ```
//! use turnline::{EventKind, Exit, Parser, Profile};
//!
//! let profile = Profile::builtin("claude-code")?;
//! let mut parser = Parser::new(&profile);
//! // Chunks of any size, cut anywhere.
//! for chunk in [&br#"{"type":"result","subtype":"succ"#[..], &br#"ess","is_error":false,"result":"pong"}"#[..]] {
//!     parser.push(chunk);
//!     while let Some(event) = parser.next_event() {
//!         println!("{} {}", event.seq, event.kind.name());
//!     }
//! }
//! parser.eof();
//! while let Some(event) = parser.next_event() {
//!     assert!(matches!(event.kind, EventKind::TurnStarted | EventKind::TurnEnded(_)));
//! }
//! let envelope = parser.finish(&Exit::code(0));
//! assert_eq!(envelope.result.as_deref(), Some("pong"));
//! # Ok::<(), turnline::ProfileError>(())
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(not(any(feature = "std", test)), no_std)]

extern crate alloc;
#[cfg(all(feature = "std", not(test)))]
extern crate std;

pub mod acts;
mod ansi;
mod conversation;
mod decide;
mod detect;
mod engine;
mod envelope;
mod event;
mod exit;
mod explain;
#[cfg(any(feature = "acp", feature = "otel"))]
pub mod export;
mod framer;
mod hash;
pub mod input;
pub mod launch;
mod limits;
mod memory;
mod options;
mod parser;
mod pending;
pub mod profile;
mod requests;
mod rules;
pub mod run;
mod said;
mod scan;
#[cfg(feature = "schema")]
pub mod schema;
mod tally;
mod text;
mod turn;

pub use detect::{Detection, Detector};
pub use envelope::{
    ActRecord, Baseline, Envelope, ErrorClass, ErrorCode, ErrorSource, ExitStatus, ModelUsage, RateLimitWindow,
    RunError, Status, StderrSummary, StreamCounts, Timing, TokenUsage, ToolCounts,
};
pub use event::*;
pub use exit::{Exit, NonzeroExit, SpawnError, SpawnErrorKind, TimeLimit};
pub use explain::{Explanation, Topic};
pub use limits::Limits;
pub use options::{Options, Resume};
pub use parser::Parser;
pub use profile::{Profile, ProfileError, ProfileSpec, catalogue};
pub use text::{Json, Text};
pub use turn::{State, TurnFailure, TurnReport, TurnStatus};
