//! `--executor auto`: whose stream it is.

use crate::failure::Failure;
use crate::parse::{Input, READ};
use crate::profile;
use std::path::PathBuf;
use turnline::{Detector, Profile, ProfileError};

/// The id that stands for "see for yourself".
pub(crate) const AUTO: &str = "auto";

/// The user's own profiles that streams may be of, beside the built-in ones.
pub(crate) fn own(files: &[PathBuf]) -> Result<Vec<Profile>, Failure> {
    let profiles = profile::own(files)?;
    for (file, profile) in files.iter().zip(&profiles) {
        if profile.spec().detect.is_empty() {
            return Err(Failure::Message(format!(
                "{}: it lists no record under [[detect]], so that no stream is recognised as one of '{}'",
                file.display(),
                profile.id()
            )));
        }
    }
    Ok(profiles)
}

/// Reads the beginning of a stream: whose it is, and what was read.
pub(crate) fn executor_of(input: &mut Input, own: &[Profile]) -> Result<(Profile, Vec<u8>), Failure> {
    let detector = beginning(input, own)?;
    let profile = detector.profile().map_err(|error| Failure::Message(said(&error)))?;
    Ok((profile, detector.kept().to_vec()))
}

/// Reads as much of a stream as it takes to tell whose it is.
pub(crate) fn beginning(input: &mut Input, own: &[Profile]) -> Result<Detector, Failure> {
    let mut detector = Detector::with_own(own.iter().cloned());
    let mut chunk = vec![0; READ];
    loop {
        let read = input.read(&mut chunk)?;
        let decided = match chunk.get(..read) {
            Some(bytes) if !bytes.is_empty() => detector.push(bytes).is_decided(),
            _ => detector.eof().is_decided(),
        };
        if decided || read == 0 {
            return Ok(detector);
        }
    }
}

/// Why nobody was recognised, and what helps.
pub(crate) fn said(error: &ProfileError) -> String {
    format!("{error}; name it with --executor ID, or describe it with --profile FILE")
}
