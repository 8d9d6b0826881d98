//! The command `turnline`: arguments and terminal output, nothing else. What is read and decided is the business of
//! the crate `turnline`.
//!
//! The library part exists for the binary and for tests; its one door is [`main`]. The [`transcript`] is public since
//! a host that shows runs to people may want the same.
#![forbid(unsafe_code)]

mod args;
mod detect;
mod executors;
mod failure;
mod output;
mod parse;
mod printer;
mod profile;
mod run;
pub mod transcript;
mod usage;

use failure::Failure;
use std::process::ExitCode;
use turnline::Status;

/// Reads the command line and does what it says.
///
/// The exit status: 0 ok, 1 failed, 2 wrong usage or unreadable input (the reason is on standard error), 130
/// cancelled. A reader that closes standard output early ends the command quietly with 0: it has seen what it wanted.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match usage::read() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. Where they cannot be written nobody reads them.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let done = match cli.command {
        args::Command::Run(args) => run::run(&args),
        args::Command::Parse(args) => parse::run(&args),
        args::Command::Executors(args) => executors::run(&args),
        args::Command::Profile(args) => profile::run(&args.action),
    };
    match done {
        Ok(status) => ExitCode::from(exit_code(status)),
        Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        Err(Failure::Message(message)) => {
            failure::report(&message);
            ExitCode::from(2)
        }
    }
}

/// The exit status that stands for a verdict.
fn exit_code(status: Status) -> u8 {
    match status {
        Status::Ok => 0,
        Status::Cancelled => 130,
        _ => 1,
    }
}
