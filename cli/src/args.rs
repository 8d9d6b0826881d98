//! The command line: what may be said, and the help that teaches it.

use crate::run::RunArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What the program was asked to do.
#[derive(Debug, Parser)]
#[command(
    name = "turnline",
    version,
    about = "What a coding CLI printed, as normalized events and one envelope",
    long_about = "What a coding CLI printed, as normalized events and one envelope.\n\n\
        Claude Code, Codex, opencode and their like run headless print JSON lines, each in words of its own. turnline \
        reads them all and speaks one vocabulary: messages, tool calls, plans, usage, and at the end one envelope that \
        says what the run came to.",
    after_help = "Exit status: 0 ok, 1 failed, 2 wrong usage or unreadable input, 130 cancelled.",
    after_long_help = EXAMPLES,
    propagate_version = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  turnline run 'Fix the failing test.'
  claude -p --output-format stream-json --verbose 'fix the tests' | turnline parse
  codex exec --json 'fix the tests' | turnline parse --executor codex --output jsonl
  turnline executors
  turnline profile show opencode > mine.toml
  turnline profile check mine.toml recorded.jsonl

Exit status: 0 ok, 1 failed, 2 wrong usage or unreadable input, 130 cancelled.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run an executor; print its events and the envelope
    Run(RunArgs),
    /// Read what an executor printed; print its events and the envelope
    Parse(ParseArgs),
    /// List the executors that are known
    Executors(ExecutorsArgs),
    /// Show and check profiles, the records that describe executors
    Profile(ProfileArgs),
}

/// Which executor's words are to be read.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// Read with the built-in profile of this executor; auto: with the one that is recognised [default: claude-code]
    #[arg(long, value_name = "ID")]
    pub(crate) executor: Option<String>,
    /// Read with the profile in this file (TOML or JSON); with --executor auto it is one more to choose from, before the
    /// built-in ones, and may be given several times
    #[arg(long = "profile", value_name = "FILE")]
    pub(crate) profiles: Vec<PathBuf>,
}

/// Where the output is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One event a line as JSON, the envelope last
    Jsonl,
    /// A transcript for people
    Text,
}

const PARSE_EXAMPLES: &str = "\
Examples:
  # A transcript while it runs; the same into a program as JSON lines:
  claude -p --output-format stream-json --verbose 'hello' | turnline parse
  claude -p --output-format stream-json --verbose 'hello' | turnline parse --output jsonl | jq -r .type

  # What did the recorded run come to? The exit status says it too.
  turnline parse --executor codex --envelope-only --exit-code 1 --stderr err.txt run.jsonl

  # Whose stream is it? The first records say it, also of profiles of your own:
  turnline parse --executor auto run.jsonl
  turnline parse --executor auto --profile mine.toml run.jsonl

  # The answer alone:
  turnline parse --executor opencode --output jsonl --envelope-only run.jsonl | jq -r .result

Each event is printed when its line has come. What the stream cannot tell (how the process ended, what it said on \
standard error) is told by the options; what is not told counts as unknown.

Exit status: 0 ok, 1 failed, 2 wrong usage or unreadable input, 130 cancelled.";

#[derive(Debug, Args)]
#[command(after_help = "--help shows examples.\nWith --executor auto the first records say whose stream it is.", after_long_help = PARSE_EXAMPLES)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    pub(crate) source: Source,

    /// The stream to read; - or nothing is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Print this way [default: text on a terminal, else jsonl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output: Option<Format>,

    /// Print no events, only what the run came to
    #[arg(long)]
    pub(crate) envelope_only: bool,

    /// Tell consequential acts too: pushes, merges, deletions, releases, deployments (in events and the envelope)
    #[arg(long)]
    pub(crate) acts: bool,

    /// Say why the envelope is what it is: which record decided, what each figure came from, what was ignored
    #[arg(long)]
    pub(crate) explain: bool,

    /// The process ended with this exit code
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = FACTS)]
    pub(crate) exit_code: Option<i32>,

    /// The process was ended by this signal (a number, or a name like KILL)
    #[arg(long, value_name = "N", value_parser = signal, allow_negative_numbers = true, help_heading = FACTS)]
    pub(crate) signal: Option<i32>,

    /// The process could not be started; what the system said
    #[arg(long, value_name = "TEXT", help_heading = FACTS)]
    pub(crate) spawn_error: Option<String>,

    /// A pipe to or from the process broke; what the system said
    #[arg(long, value_name = "TEXT", help_heading = FACTS)]
    pub(crate) stream_error: Option<String>,

    /// The host cancelled the run, and that took effect
    #[arg(long, help_heading = FACTS)]
    pub(crate) cancelled: bool,

    /// The session that the run was asked to go on with: its id, or `last`
    #[arg(long, value_name = "ID", help_heading = FACTS)]
    pub(crate) resume: Option<String>,

    /// The run went on with a copy of that session
    #[arg(long, requires = "resume", help_heading = FACTS)]
    pub(crate) forked: bool,

    /// The host asked for each turn of the run: the last turn's verdict is the run's
    #[arg(long, help_heading = FACTS)]
    pub(crate) interactive: bool,

    /// The stream was cut at a capture limit
    #[arg(long, help_heading = FACTS)]
    pub(crate) stdout_truncated: bool,

    /// Standard error was cut at a capture limit
    #[arg(long, help_heading = FACTS)]
    pub(crate) stderr_truncated: bool,

    /// What the process printed on standard error (read when the stream has ended)
    #[arg(long, value_name = "FILE", help_heading = FACTS)]
    pub(crate) stderr: Option<PathBuf>,

    /// Feed the stream in pieces of this many bytes (the outcome is the same; for tests)
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = READING)]
    pub(crate) chunk_size: Option<NonZeroUsize>,

    /// Discard lines of more than this many bytes; K, M and G may follow [default: 64M]
    #[arg(long, value_name = "BYTES", value_parser = size, allow_negative_numbers = true, help_heading = READING)]
    pub(crate) max_line: Option<usize>,
}

const FACTS: &str = "Facts about the run";
const READING: &str = "Reading";

#[derive(Debug, Args)]
pub(crate) struct ExecutorsArgs {
    /// Print a JSON array instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) action: ProfileAction,
}

const CHECK_HELP: &str = "\
A problem is printed on a line of its own: file:line:column, its code, a sentence, the JSON Pointer to its place. For \
each stream follows which of its record types become which events, which are mapped to nothing, and what the run came \
to. Of a folder all streams in it are read (*.jsonl and *.ndjson), and a table says for each folder of runs how many records are \
unmapped, of which types, with an example: that table alone, without a report for each stream.

Examples:
  turnline profile check mine.toml
  turnline profile check mine.toml recorded/*.jsonl
  turnline profile show codex | turnline profile check -
  turnline profile check auto recordings/
  turnline profile check auto --profile mine.toml recordings/

Exit status: 0 the profile is sound and every record of the streams is mapped; 1 the profile has problems, or a \
stream holds records that it does not map; 2 wrong usage, an unreadable file or a folder without a stream.";

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileAction {
    /// Print a built-in profile: the file to begin your own with
    #[command(after_help = "Example: turnline profile show codex > mine.toml")]
    Show {
        /// Id of the executor; `turnline executors` lists them
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Draft a profile from captured streams: what it guesses, and what it could not decide
    #[command(
        after_help = "Example: my-cli --json 'hello' > hello.jsonl; turnline profile new --id my-cli hello.jsonl > my-cli.toml"
    )]
    New {
        /// Captured streams: the more kinds of runs, the better (tools, failures, several turns); - is standard input
        #[arg(value_name = "STREAM", required = true)]
        streams: Vec<PathBuf>,
        /// The id of the executor
        #[arg(long, value_name = "ID", default_value = "my-cli")]
        id: String,
    },
    /// Check a profile, and how it reads recorded streams
    #[command(after_help = "--help shows examples.", after_long_help = CHECK_HELP)]
    Check {
        /// The profile (TOML or JSON), or the id of a built-in one; - is standard input; auto: each stream is read with
        /// the profile that its first records are of
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Recorded streams to read with it, or folders of them
        #[arg(value_name = "STREAM")]
        streams: Vec<PathBuf>,
        /// Of the profiles that auto chooses from, before the built-in ones; may be given several times
        #[arg(long = "profile", value_name = "FILE")]
        profiles: Vec<PathBuf>,
        /// Print tables as Markdown, and nothing else: one for each STREAM
        #[arg(long, requires = "streams")]
        markdown: bool,
    },
}

/// Signals that have the same number on every Unix.
const SIGNALS: &[(&str, i32)] =
    &[("HUP", 1), ("INT", 2), ("QUIT", 3), ("ABRT", 6), ("KILL", 9), ("PIPE", 13), ("ALRM", 14), ("TERM", 15)];

fn signal(text: &str) -> Result<i32, String> {
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let named = SIGNALS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
    named
        .or_else(|| text.parse().ok().filter(|number| *number > 0))
        .ok_or_else(|| "neither a number over 0 nor a name like KILL or TERM".to_owned())
}

fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text.get(digits.len()..).unwrap_or_default().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        _ => return Err("the unit is none of K, M, G (powers of 1024)".to_owned()),
    };
    let bytes: u64 = digits.parse().map_err(|_| "not a number of bytes".to_owned())?;
    let bytes = bytes.checked_mul(1 << shift).filter(|bytes| (1..=u64::from(u32::MAX)).contains(bytes));
    // Positions in a line are kept in 32 bits.
    bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(|| "not between 1 and 4294967295".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn signals_by_number_and_name() {
        assert_eq!([signal("9"), signal("KILL"), signal("sigterm")], [Ok(9), Ok(9), Ok(15)]);
        assert!(signal("0").is_err() && signal("-1").is_err() && signal("NOPE").is_err());
    }

    #[test]
    fn sizes_with_units() {
        assert_eq!([size("1"), size("64K"), size("2MiB"), size("1g")], [Ok(1), Ok(65_536), Ok(2 << 20), Ok(1 << 30)]);
        for wrong in ["0", "", "K", "4G", "-1", "1x", "99999999999999999999"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
