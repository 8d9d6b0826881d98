//! `turnline profile check`: what is wrong with a profile, and how it reads recorded streams.

use super::coverage::Coverage;
use super::examine::{With, examine};
use super::source::read;
use crate::detect::AUTO;
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::Input;
use crate::transcript::clean;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use turnline::{Profile, ProfileError, Status};

/// Checks the profile, then reads the streams with it.
pub(super) fn run(file: &Path, streams: &[PathBuf], markdown: bool) -> Result<Status, Failure> {
    let (mut output, _) = Output::for_people();
    let with = match named(file) {
        Some(with) => with,
        None => {
            let text = Input::open(Some(file))?.read_text()?;
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
    if let (With::Profile(profile), false) = (&with, markdown) {
        let (id, command) = (clean::line(profile.id(), 80), clean::line(profile.command(), 80));
        let _ = writeln!(output.buffer(), "ok: '{id}', command '{command}'");
        output.flush()?;
    }
    let mut all_mapped = true;
    for stream in streams {
        if stream.is_dir() {
            let coverage = Coverage::of(stream, &with)?;
            all_mapped &= coverage.all_mapped();
            match markdown {
                true => coverage.markdown(output.buffer()),
                false => coverage.table(output.buffer()),
            }
        } else {
            let seen = examine(&with, stream)?;
            all_mapped &= seen.report.all_mapped() && seen.unknown.is_none();
            seen.report.write(&stream.display().to_string(), output.buffer());
            if let Some(error) = &seen.unknown {
                let _ = writeln!(output.buffer(), "  {}", clean::line(&error.to_string(), 400));
            }
        }
        output.flush()?;
    }
    Ok(if all_mapped { Status::Ok } else { Status::Failed })
}

/// A word that is no file: `auto`, or a built-in profile.
fn named(file: &Path) -> Option<With> {
    let name = file.to_str().filter(|_| !file.exists())?;
    match name {
        AUTO => Some(With::Auto),
        id => Profile::builtin(id).ok().map(With::Profile),
    }
}

/// A line for each problem: place, code, message, pointer. The lines of a syntax error's message follow it.
fn problems(file: &Path, error: &ProfileError, out: &mut Vec<u8>) {
    let file = clean::line(&file.display().to_string(), 400);
    for problem in error.problems() {
        let place = problem.place.map(|place| format!(":{place}")).unwrap_or_default();
        let pointer = match &*problem.pointer {
            "" => String::new(),
            pointer => format!(" (at {})", clean::line(pointer, 400)),
        };
        // Writing to a vector cannot fail.
        let _ = writeln!(out, "{file}{place}: {}: {}{pointer}", problem.code, clean::block(&problem.message));
    }
}
