//! `turnline profile check`: what is wrong with a profile, and how it reads recorded streams.

use super::read;
use super::report::Report;
use crate::failure::Failure;
use crate::output::Output;
use crate::parse::{Input, READ};
use crate::transcript::clean;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use turnline::{Exit, Parser, Profile, ProfileError, Status};

/// Checks the profile, then reads the streams with it.
pub(super) fn run(file: &Path, streams: &[PathBuf]) -> Result<Status, Failure> {
    let text = Input::open(Some(file))?.read_text()?;
    let (mut output, _) = Output::for_people();
    let profile = match read(file, &text) {
        Ok(profile) => profile,
        Err(error) => {
            problems(&error, output.buffer());
            output.flush()?;
            return Ok(Status::Failed);
        }
    };
    let _ = writeln!(
        output.buffer(),
        "ok: '{}', command '{}'",
        clean::line(profile.id(), 80),
        clean::line(profile.command(), 80)
    );
    output.flush()?;
    let mut all_mapped = true;
    for stream in streams {
        let report = examine(&profile, stream)?;
        all_mapped &= report.all_mapped();
        report.write(&stream.display().to_string(), output.buffer());
        output.flush()?;
    }
    Ok(if all_mapped { Status::Ok } else { Status::Failed })
}

/// A line for each problem: code, pointer, message. The lines of a syntax error's message follow it.
fn problems(error: &ProfileError, out: &mut Vec<u8>) {
    for problem in error.problems() {
        let pointer = if problem.pointer.is_empty() { "/" } else { &problem.pointer };
        // Writing to a vector cannot fail.
        let _ = writeln!(out, "{}  {}  {}", problem.code, clean::line(pointer, 400), clean::block(&problem.message));
    }
}

fn examine(profile: &Profile, stream: &Path) -> Result<Report, Failure> {
    let mut input = Input::open(Some(stream))?;
    let mut parser = Parser::new(profile);
    let mut report = Report::default();
    loop {
        let read = input.read(parser.space(READ))?;
        parser.filled(read);
        if read == 0 {
            parser.eof();
        }
        while let Some(event) = parser.next_event() {
            report.add(&event);
        }
        if read == 0 {
            break;
        }
    }
    report.envelope = parser.finish(&Exit::default());
    Ok(report)
}
