//! Launch planning: a request and a profile become a plan, or a coded refusal. Nothing is started.
//!
//! What a host knows (platform, current directory, search path) comes in as plain data ([`Host`]), so that every
//! decision, those for another platform included, can be tested anywhere. What needs the file system (which of the
//! [`candidates`] exists, whether the working directory is there) is the driver's to find out.
//!
//! A prompt never goes where a shell would read it: it is written to standard input, or is one argument of a program
//! that is started without a shell, within a bound; what cannot be started without a shell is refused.

mod argv;
mod check;
mod env;
mod error;
mod host;
mod overrides;
mod path;
mod plan;
mod program;
mod request;
mod spec;
mod timers;

pub use check::LaunchIssue;
pub use env::EnvEdits;
pub use error::{LaunchError, LaunchErrorKind};
pub use host::{Host, Platform};
pub use plan::{Plan, PlanKind, Stdin, attach, plan, probe};
pub use program::candidates;
pub use request::{Document, Request, Review, Sandbox};
pub use spec::{ArgSpec, ArgWhen, DocumentForm, Interrupt, LaunchSpec, PromptSpec, TimerSpec, Via, When};
pub use timers::Timers;

/// The variable by which the processes of a run are found again, those that left its process group included.
pub const MARKER: &str = "TURNLINE_RUN";

/// Bytes of one argument on Unix (100,000). Linux takes 131,071 bytes for one argument whatever the total; the rest
/// is room for what a shim puts around it.
pub const ARGUMENT_BYTES: usize = 100_000;

/// Bytes of the whole command line on Windows (30,000). The system takes 32,767 UTF-16 units.
pub const COMMAND_LINE_BYTES_WINDOWS: usize = 30_000;
