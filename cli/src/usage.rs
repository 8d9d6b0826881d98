//! Which arguments go together, where the argument parser has no word for it, and a tip that it gets wrong.

use crate::args::{Cli, Command, ParseArgs, ProfileAction, Source};
use crate::detect::AUTO;
use crate::run::RunArgs;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Error, Parser as _};
use std::path::{Path, PathBuf};

/// Reads the command line.
pub(crate) fn read() -> Result<Cli, Error> {
    let cli = Cli::try_parse().map_err(better_tip)?;
    let (words, found) = match &cli.command {
        Command::Run(args) => (&["run"][..], run(args)),
        Command::Parse(args) => (&["parse"][..], parse(args)),
        Command::Executors(_) => return Ok(cli),
        Command::Profile(args) => match &args.action {
            ProfileAction::Show { .. } => return Ok(cli),
            ProfileAction::New { streams, .. } => (&["profile", "new"][..], once(streams)),
            ProfileAction::Check { file, streams, profiles, .. } => {
                (&["profile", "check"][..], check(file, streams, profiles))
            }
        },
    };
    match found {
        Ok(()) => Ok(cli),
        Err(said) => Err(refusal(words, said)),
    }
}

fn run(args: &RunArgs) -> Result<(), String> {
    source(&args.source)?;
    let prompt = args.prompt.as_deref().filter(|prompt| *prompt == "-").map(Path::new);
    once(args.source.profiles.iter().map(PathBuf::as_path).chain(prompt))
}

fn parse(args: &ParseArgs) -> Result<(), String> {
    source(&args.source)?;
    let stream = args.file.as_deref().unwrap_or(Path::new("-"));
    let files = args.source.profiles.iter().map(PathBuf::as_path);
    once(files.chain(args.stderr.as_deref()).chain([stream]))
}

fn check(file: &Path, streams: &[PathBuf], profiles: &[PathBuf]) -> Result<(), String> {
    if !profiles.is_empty() && file != Path::new(AUTO) {
        return Err(
            "'--profile <FILE>' adds a profile to those that 'auto' chooses from: FILE must be 'auto'".to_owned()
        );
    }
    once(std::iter::once(file).chain(profiles.iter().chain(streams).map(PathBuf::as_path)))
}

/// Of an executor and a profile one says all, unless profiles are added to those that `auto` chooses from.
fn source(source: &Source) -> Result<(), String> {
    match (source.executor.as_deref(), &*source.profiles) {
        (Some(AUTO), _) | (_, []) | (None, [_]) => Ok(()),
        (Some(_), _) => {
            Err("the argument '--executor <ID>' cannot be used with '--profile <FILE>', unless ID is 'auto': \
            the profiles are then among those that it chooses from"
                .to_owned())
        }
        (None, _) => {
            Err("the argument '--profile <FILE>' cannot be used multiple times, unless with '--executor auto', \
            which then chooses from them too"
                .to_owned())
        }
    }
}

/// Standard input can be read once.
fn once<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<(), String> {
    match files.into_iter().filter(|file| file.as_ref() == Path::new("-")).count() {
        0 | 1 => Ok(()),
        _ => Err("standard input cannot be two things at once: one of them must be a file".to_owned()),
    }
}

/// The refusal, with the usage of that command.
fn refusal(words: &[&str], said: String) -> Error {
    let mut command = Cli::command();
    // Else a subcommand does not know what stands before it in its usage.
    command.build();
    for word in words {
        if let Some(next) = command.find_subcommand(word).cloned() {
            command = next;
        }
    }
    command.error(ErrorKind::ArgumentConflict, said)
}

/// `run` hands what follows `--` to the executor: that a prompt with a dash belongs there is a wrong tip.
fn better_tip(mut error: Error) -> Error {
    let hands_on = matches!(error.get(ContextKind::Usage), Some(ContextValue::StyledStr(usage)) if usage.to_string().contains("EXTRA"));
    if error.kind() != ErrorKind::UnknownArgument || !hands_on {
        return error;
    }
    let tips = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(given)) => [
            format!("a prompt that begins with a dash is given as '--prompt={given}'"),
            format!("what is for the executor itself comes last, after '--': '-- {given}'"),
        ],
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips.map(Into::into).into()));
    error
}
