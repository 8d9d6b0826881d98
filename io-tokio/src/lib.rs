//! Runs coding CLIs for [`turnline`]: the room that knows processes.
//!
//! A [`Runner`] reads like [`std::process::Command`]; what it starts is a [`Run`]: events while it goes on, one
//! [`Envelope`](turnline::Envelope) at its end. Every decision (what is written when, which signal, which limit, what
//! it all came to) is made by the machine in [`turnline::run`]; this crate carries it out on tokio.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use turnline::Profile;
//! use turnline_tokio::Runner;
//!
//! let profile = Profile::builtin("claude-code")?;
//! let mut run = Runner::new(&profile).prompt("Fix the failing test.").current_dir("projects/site").spawn()?;
//! while let Some(event) = run.next_event().await {
//!     println!("{} {}", event.seq, event.kind.name());
//! }
//! let envelope = run.wait().await;
//! println!("{:?}: {:?}", envelope.status, envelope.summary);
//! # Ok(())
//! # }
//! ```
//!
//! # What holds
//!
//! - Standard input, output and error move at the same time; no size of any of them can deadlock.
//! - A slow consumer, or one that has stalled, delays nothing but the reading, and that only when the read-ahead (16 MiB
//!   unless it is set) is full: cancelling, time limits and the end of the process go on without it.
//! - When a run is over nothing is left of it: no process, zombie, task or file descriptor. The same after
//!   a drop, a panic, or the end of the runtime. [`tree`] says what belongs to a run's processes on which system.
//! - Each run has one task, on the runtime that is current when it is started. It ends with the run.
//!
//! # Modules
//!
//! - [`tree`]: a child and everything it starts; interrupting, ending and reaping it. Free of any runtime.
//! - [`exit`]: waiting for a child's end on tokio, without reaping it.
//!
//! # Features
//!
//! - `tracing` (off): a span `run` (target `turnline`) for each run, with events for its start, signals, exit and end.
//!   Prompts, arguments, output and values of variables are never in them.
//! - `tower` (off): [`service`], runs as a `tower::Service`, so that limits, timeouts, retries and load shedding come from
//!   existing layers, and a layer that admits runs against a budget.
#![forbid(unsafe_code)]

mod driver;
pub mod exit;
mod launch;
mod run;
mod runner;
#[cfg(feature = "tower")]
pub mod service;
mod session;
mod shared;
mod talk;
mod trace;
pub mod tree;

pub use run::{Canceller, Events, Run};
pub use runner::Runner;
pub use session::{Session, SessionError, SessionHandle, Step};
pub use talk::RunHandle;
