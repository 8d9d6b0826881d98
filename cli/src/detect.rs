//! `--executor auto`: whose stream it is.

use crate::failure::Failure;
use crate::parse::{Input, READ};
use turnline::{Detector, Profile};

/// The id that stands for "see for yourself".
pub(crate) const AUTO: &str = "auto";

/// Reads the beginning of a stream: whose it is, and what was read.
pub(crate) fn executor_of(input: &mut Input) -> Result<(Profile, Vec<u8>), Failure> {
    let detector = beginning(input)?;
    let profile = detector.profile().map_err(|error| Failure::profile(None, &error))?;
    Ok((profile, detector.kept().to_vec()))
}

/// Reads as much of a stream as it takes to tell whose it is.
pub(crate) fn beginning(input: &mut Input) -> Result<Detector, Failure> {
    let mut detector = Detector::new();
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
