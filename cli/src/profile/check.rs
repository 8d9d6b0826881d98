//! `turnline profile check`: what is wrong with a profile, and how it reads recorded streams.

use super::coverage::{Coverage, streams_in};
use super::examine::{Types, With, examine};
use super::source::read;
use crate::detect::{self, AUTO};
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Input;
use crate::transcript::clean;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use turnline::{Profile, ProfileError, Status};

/// Checks the profile, then reads the streams with it.
pub(super) fn run(file: &Path, streams: &[PathBuf], profiles: &[PathBuf], markdown: bool) -> Result<Status, Failure> {
    let (mut output, _) = Output::for_people();
    let with = match named(file, profiles)? {
        Some(with) => with,
        None => {
            let text = Input::open(Some(file)).map_err(|failure| nor_an_id(file, failure))?.read_text()?;
            match read(file, &text) {
                Ok(profile) => With::Profile(profile),
                Err(error) => {
                    problems(file, &error, output.buffer());
                    output.flush()?;
                    return Ok(Status::Failed);
                }
            }
        }
    };
    // All of them are looked for before anything is told.
    let streams = streams.iter().map(|stream| Recorded::find(stream)).collect::<Result<Vec<_>, _>>()?;
    if let (With::Profile(profile), false) = (&with, markdown) {
        let (id, command) = (clean::line(profile.id(), 80), clean::line(profile.command(), 80));
        let _ = writeln!(output.buffer(), "ok: '{id}', command '{command}'");
        output.flush()?;
    }
    let mut all_mapped = true;
    let mut tables = 0;
    for stream in &streams {
        if let (Recorded::Stream(stream), false) = (stream, markdown) {
            let seen = examine(&with, stream, Types::All)?;
            all_mapped &= seen.report.all_mapped() && seen.unknown.is_none();
            seen.report.write(&stream.display().to_string(), output.buffer());
            if let Some(error) = &seen.unknown {
                let _ = writeln!(
                    output.buffer(),
                    "  {}",
                    clean::line(&format!("{error}; describe it with --profile FILE"), 600)
                );
            }
        } else {
            let coverage = match stream {
                Recorded::Stream(stream) => Coverage::of_stream(stream, &with)?,
                Recorded::Folder(folder, inside) => Coverage::of_folder(folder, inside, &with)?,
            };
            all_mapped &= coverage.all_mapped();
            match markdown {
                true => {
                    // Tables without a line between them would be one.
                    output.buffer().extend((tables > 0).then_some(b'\n'));
                    coverage.markdown(output.buffer());
                }
                false => coverage.table(output.buffer()),
            }
            tables += 1;
        }
        output.flush()?;
    }
    Ok(if all_mapped { Status::Ok } else { Status::Failed })
}

/// What streams are read from.
enum Recorded<'a> {
    Stream(&'a Path),
    /// A folder, and the streams in it.
    Folder(&'a Path, Vec<PathBuf>),
}

impl<'a> Recorded<'a> {
    fn find(path: &'a Path) -> Result<Self, Failure> {
        if path.is_dir() {
            return Ok(Recorded::Folder(path, streams_in(path)?));
        }
        // A pipe would be read, or its writer lost, by looking.
        if path != Path::new("-") && !path.exists() || path.is_file() {
            Input::open(Some(path))?;
        }
        Ok(Recorded::Stream(path))
    }
}

/// A word that is no file: `auto`, or a built-in profile.
fn named(file: &Path, profiles: &[PathBuf]) -> Result<Option<With>, Failure> {
    let Some(name) = file.to_str().filter(|_| !file.exists() || !profiles.is_empty()) else { return Ok(None) };
    match name {
        AUTO => detect::own(profiles).map(With::Auto).map(Some),
        id => Ok(Profile::builtin(id).ok().map(With::Profile)),
    }
}

/// A word that could have been an id is told as one that is none, too.
fn nor_an_id(file: &Path, failure: Failure) -> Failure {
    let word = file.to_str().filter(|name| !file.exists() && !name.contains(['.', '/', '\\']));
    match word.map(Profile::builtin) {
        Some(Err(error)) => Failure::Message(format!("{failure}; nor is it an executor's id: {error}")),
        _ => failure,
    }
}

/// A line for each problem: place, code, message, pointer.
fn problems(file: &Path, error: &ProfileError, out: &mut Vec<u8>) {
    let file = clean::line(&file.display().to_string(), 400);
    for problem in error.problems() {
        let place = problem.place.map(|place| format!(":{place}")).unwrap_or_default();
        let pointer = match &*problem.pointer {
            "" => String::new(),
            pointer => format!(" (at {})", clean::line(&escaped(pointer), 400)),
        };
        // Writing to a vector cannot fail.
        let _ = writeln!(out, "{file}{place}: {}: {}{pointer}", problem.code, escaped(&problem.message));
    }
}

/// On one line, and read as it is: with what is not seen, breaks lines or turns the writing direction as TOML would write it.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if clean::hidden(c) && u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c if clean::hidden(c) => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}
