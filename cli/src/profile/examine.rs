//! Reads a recorded stream with a profile, or with the one that it is of.

use super::report::Report;
use crate::detect;
use crate::failure::Failure;
use crate::parse::{Input, READ};
use std::path::Path;
use turnline::{Exit, Parser, Profile, ProfileSpec};

/// With which profile streams are read.
pub(super) enum With {
    /// This one.
    Profile(Profile),
    /// The one that the first records are of: one of these, or a built-in one.
    Auto(Vec<Profile>),
}

/// What was seen of a stream.
pub(super) struct Seen {
    pub(super) report: Report,
    /// No profile was found for it.
    pub(super) unknown: Option<turnline::ProfileError>,
}

/// What is to be known of a stream's record types.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Types {
    /// Those that are not mapped, and those that make events.
    Told,
    /// All, those that are mapped to nothing too: the stream is read twice for it.
    All,
}

/// Reads a stream. One that nobody knows is read as the default executor's, so that its records are counted.
pub(super) fn examine(with: &With, stream: &Path, types: Types) -> Result<Seen, Failure> {
    let mut input = Input::open(Some(stream))?;
    let (profile, beginning, unknown) = match with {
        With::Profile(profile) => (profile.clone(), Vec::new(), None),
        With::Auto(own) => {
            let detector = detect::beginning(&mut input, own)?;
            let kept = detector.kept().to_vec();
            match detector.profile() {
                Ok(profile) => (profile, kept, None),
                Err(error) => {
                    let nobody = "id = \"(unknown)\"\ncommand = \"unknown\"\nrecord_type = [\"type\"]\n";
                    let profile = Profile::from_toml(nobody).map_err(|error| Failure::profile(None, &error))?;
                    (profile, kept, Some(error))
                }
            }
        }
    };
    let mut parser = Parser::new(&profile);
    let mut census = match types {
        Types::Told => None,
        Types::All => {
            let bare = without_rules(profile.spec()).map_err(|error| Failure::profile(None, &error))?;
            Some(Parser::new(&bare))
        }
    };
    let mut report = Report::default();
    let mut piece = vec![0; READ];
    let mut next = &*beginning;
    loop {
        for parser in std::iter::once(&mut parser).chain(&mut census) {
            parser.push(next);
        }
        let read = input.read(&mut piece)?;
        if read == 0 {
            std::iter::once(&mut parser).chain(&mut census).for_each(Parser::eof);
        }
        while let Some(event) = parser.next_event() {
            report.add(&event);
        }
        while let Some(event) = census.as_mut().and_then(Parser::next_event) {
            report.count(&event);
        }
        if read == 0 {
            break;
        }
        next = piece.get(..read).unwrap_or_default();
    }
    report.envelope = parser.finish(&Exit::default());
    Ok(Seen { report, unknown })
}

/// A profile that maps nothing: read with it every record is told with its type.
fn without_rules(spec: &ProfileSpec) -> Result<Profile, turnline::ProfileError> {
    let mut bare = ProfileSpec::default();
    bare.id.clone_from(&spec.id);
    bare.command.clone_from(&spec.command);
    bare.framing = spec.framing;
    bare.record_type.clone_from(&spec.record_type);
    Profile::from_spec(bare)
}
