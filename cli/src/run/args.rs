//! The arguments of `turnline run`.

use crate::args::{Format, Source};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  turnline run 'Fix the failing test.'
  turnline run --executor codex --cwd ../site --timeout 600 'Add a dark theme.' -- --config model_reasoning_effort=high
  git diff | turnline run --output jsonl - | jq -r 'select(.type==\"envelope\") | .result'
  turnline run --prompt='--help is wrong: mend it'
  turnline run --executor auto --profile mine.toml 'Fix the failing test.'

The first Ctrl-C cancels: the executor is asked to end, and may clean up. The second ends it and all that it started at \
once. SIGTERM, SIGHUP and SIGQUIT (Ctrl-\\) cancel too, and so does a reader of the output that goes away. A signal that \
was ignored when this began (nohup; SIGINT and SIGQUIT of a job that a script starts with &) stays ignored.

With --executor auto the program's name says which executor it is (--program /opt/codex: codex); without --program it is \
the only one that is in PATH. Profiles of your own (--profile FILE) go before the built-in ones. Where that is none or several nothing is started: executor_unknown, executor_not_found, \
executor_ambiguous.

Exit status: 0 ok, 1 failed, 2 wrong usage, 130 cancelled.";

#[derive(Debug, Args)]
#[command(
    after_help = "--help shows examples.\nWith --executor auto it is told by the program's name, or is the only one that is installed.",
    after_long_help = EXAMPLES
)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) source: Source,

    /// What the executor is to do; - is standard input
    #[arg(value_name = "PROMPT", required_unless_present = "given")]
    pub(crate) prompt: Option<String>,

    /// The same, also for one that begins with a dash
    #[arg(long = "prompt", id = "given", value_name = "TEXT", conflicts_with = "prompt", allow_hyphen_values = true)]
    pub(crate) given: Option<String>,

    /// The directory to work in [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// The model
    #[arg(long, value_name = "M")]
    pub(crate) model: Option<String>,

    /// Go on with this session: its id, or `last`
    #[arg(long, value_name = "ID")]
    pub(crate) resume: Option<String>,

    /// End the run when it takes longer than this many seconds
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,

    /// Run this program instead of the executor's own command
    #[arg(long, value_name = "PATH")]
    pub(crate) program: Option<PathBuf>,

    /// Print this way [default: text on a terminal, else jsonl]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output: Option<Format>,

    /// Tell consequential acts too: pushes, merges, deletions, releases, deployments (in events and the envelope)
    #[arg(long)]
    pub(crate) acts: bool,

    /// Arguments for the executor, handed on as they are
    #[arg(last = true, value_name = "EXTRA")]
    pub(crate) extra: Vec<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let limit = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    limit.ok_or_else(|| "not a number of seconds over 0".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_parts_of_them() {
        assert_eq!([seconds("1"), seconds("0.25")], [Ok(Duration::from_secs(1)), Ok(Duration::from_millis(250))]);
        for wrong in ["0", "-1", "", "x", "inf", "NaN", "1e300"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
