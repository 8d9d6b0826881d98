//! `turnline parse`: a stream in, events and one envelope out.

use crate::args::ParseArgs;
use crate::detect;
use crate::failure::Failure;
use crate::output::Output;
use crate::printer::Printer;
use crate::profile::load;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::Path;
use turnline::acts::ActTable;
use turnline::{Exit, Options, Parser, Resume, SpawnError, SpawnErrorKind, Status};

/// Bytes asked for at a time: what a pipe holds.
pub(crate) const READ: usize = 64 << 10;

/// Reads the stream and prints what it holds; the verdict of the run.
pub(crate) fn run(args: &ParseArgs) -> Result<Status, Failure> {
    let mut input = Input::open(args.file.as_deref())?;
    let (profile, beginning) = match args.source.executor.as_deref() {
        Some(detect::AUTO) => detect::executor_of(&mut input, &detect::own(&args.source.profiles)?)?,
        _ => (load(&args.source)?, Vec::new()),
    };
    let (mut printer, mut output) = Printer::new(args.output, !args.envelope_only, profile.id());
    let mut parser = Parser::with_options(&profile, options(args));

    let mut stderr = StandardError { path: args.stderr.as_deref(), file: None };
    if !beginning.is_empty() {
        stderr.open()?;
        parser.push(&beginning);
        drain(&mut parser, &mut printer, &mut output)?;
        output.flush()?;
    }
    let mut pieces = Vec::new();
    loop {
        let read = match args.chunk_size {
            None => {
                let read = input.read(parser.space(READ))?;
                stderr.open()?;
                parser.filled(read);
                read
            }
            Some(size) => {
                pieces.resize(READ, 0);
                let read = input.read(&mut pieces)?;
                stderr.open()?;
                for piece in pieces.get(..read).unwrap_or_default().chunks(size.get()) {
                    parser.push(piece);
                    drain(&mut parser, &mut printer, &mut output)?;
                }
                read
            }
        };
        if read == 0 {
            break;
        }
        drain(&mut parser, &mut printer, &mut output)?;
        // The next read may have to wait: what has come must be seen by now.
        output.flush()?;
    }

    if let Some(mut file) = stderr.file {
        // Only now: where a shell started both at once, the file is complete when the stream has ended.
        let mut chunk = vec![0; READ];
        loop {
            match file.read(&mut chunk)? {
                0 => break,
                read => parser.push_stderr(chunk.get(..read).unwrap_or_default()),
            }
        }
    }
    parser.eof();
    drain(&mut parser, &mut printer, &mut output)?;
    let (envelope, reasons) = parser.finish_explained(&exit(args));
    printer.reasons(&reasons, output.buffer());
    printer.envelope(&envelope, output.buffer());
    output.flush()?;
    Ok(envelope.status)
}

/// The file of what was printed on standard error.
///
/// A shell that starts the executor and this command at once may not have made it yet when this command begins, but it has
/// when the stream does.
struct StandardError<'a> {
    path: Option<&'a Path>,
    file: Option<Input>,
}

impl StandardError<'_> {
    /// Opens it. To be called when something of the stream was read, or its end, and nothing is printed yet.
    fn open(&mut self) -> Result<(), Failure> {
        if let Some(path) = self.path.take() {
            self.file = Some(Input::open(Some(path))?);
        }
        Ok(())
    }
}

/// Where the stream comes from.
pub(crate) struct Input {
    source: Box<dyn Read>,
    name: String,
}

impl Input {
    /// Opens the file; nothing, or `-`, is standard input.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let stdin = io::stdin();
            if stdin.is_terminal() {
                let _ = writeln!(anstream::stderr(), "turnline reads from the terminal; Ctrl-D ends the stream");
            }
            return Ok(Input { source: Box::new(stdin.lock()), name: "standard input".to_owned() });
        };
        let name = format!("'{}'", path.display());
        let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            // Some systems open it, and fail only when it is read.
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        match opened {
            Ok(file) => Ok(Input { source: Box::new(file), name }),
            Err(error) => Err(Failure::reading(name, &error)),
        }
    }

    /// Reads what there is; 0 is the end.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<usize, Failure> {
        loop {
            match self.source.read(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(|error| Failure::reading(&self.name, &error)),
            }
        }
    }

    /// Reads all, which is text.
    pub(crate) fn read_text(mut self) -> Result<String, Failure> {
        let mut text = String::new();
        match self.source.read_to_string(&mut text) {
            Ok(_) => Ok(text),
            Err(error) => Err(Failure::reading(&self.name, &error)),
        }
    }
}

fn options(args: &ParseArgs) -> Options {
    let mut options = Options::default();
    if let Some(bytes) = args.max_line {
        options.limits.line = bytes;
    }
    options.explain = args.explain;
    options.interactive = args.interactive;
    options.forked = args.forked;
    options.acts = args.acts.then(ActTable::built_in);
    options.resume = args.resume.as_deref().map(|id| match id {
        "last" => Resume::Last,
        id => Resume::Id(id.to_owned()),
    });
    options
}

fn exit(args: &ParseArgs) -> Exit {
    let mut exit = Exit::default();
    exit.code = args.exit_code;
    exit.signal = args.signal;
    exit.spawn_error = args.spawn_error.as_deref().map(|said| SpawnError::new(at_fault(said), said));
    exit.stream_error.clone_from(&args.stream_error);
    exit.cancelled = args.cancelled;
    exit.stdout_truncated = args.stdout_truncated;
    exit.stderr_truncated = args.stderr_truncated;
    exit
}

/// What is at fault, by the words that systems and runtimes use.
fn at_fault(said: &str) -> SpawnErrorKind {
    let said = said.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| said.contains(word));
    let directory = any(&["working directory", "cwd", "chdir", "enotdir", "not a directory"]);
    let missing = any(&["enoent", "no such file", "not found", "cannot find"]);
    let denied = any(&["eacces", "permission denied", "access is denied", "eperm"]);
    if any(&["enotdir", "not a directory"]) {
        SpawnErrorKind::NotADirectory
    } else if directory && denied {
        SpawnErrorKind::WorkingDirectoryDenied
    } else if directory {
        SpawnErrorKind::WorkingDirectoryNotFound
    } else if any(&["e2big", "argument list too long"]) {
        SpawnErrorKind::ArgumentTooLong
    } else if missing {
        SpawnErrorKind::ProgramNotFound
    } else if denied {
        SpawnErrorKind::NotExecutable
    } else {
        SpawnErrorKind::Other
    }
}

/// Prints the events that are ready.
fn drain(parser: &mut Parser, printer: &mut Printer, output: &mut Output) -> Result<(), Failure> {
    while let Some(event) = parser.next_event() {
        printer.event(&event, output.buffer());
        output.relieve()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_fault_is_read_from_the_words() {
        let cases = [
            ("spawn claude ENOENT", SpawnErrorKind::ProgramNotFound),
            ("No such file or directory (os error 2)", SpawnErrorKind::ProgramNotFound),
            ("spawn claude EACCES", SpawnErrorKind::NotExecutable),
            ("Permission denied (os error 13)", SpawnErrorKind::NotExecutable),
            ("chdir /x: No such file or directory", SpawnErrorKind::WorkingDirectoryNotFound),
            ("the working directory /x: Permission denied", SpawnErrorKind::WorkingDirectoryDenied),
            ("spawn claude ENOTDIR", SpawnErrorKind::NotADirectory),
            ("spawn E2BIG", SpawnErrorKind::ArgumentTooLong),
            ("out of memory", SpawnErrorKind::Other),
        ];
        for (said, want) in cases {
            assert_eq!(at_fault(said), want, "{said}");
        }
    }
}
