//! Finds out whose stream it is, from its first records, by what profiles say of themselves.

use crate::ansi;
use crate::framer::{Framer, Framing};
use crate::options::Options;
use crate::parser::Parser;
use crate::profile::problem::ProblemCode;
use crate::profile::{Profile, ProfileError, catalogue};
use crate::rules::compile::Compiler;
use crate::rules::compiled::Test;
use crate::rules::eval::Ctx;
use crate::scan::{Frames, Item, Scanner, Trie, next_element};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// What is known of a stream so far.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Detection {
    /// Not enough has come to tell.
    NeedMore,
    /// It is this executor's.
    Found(Profile),
    /// It may be any of these executors', by their ids, and nothing more will be read to tell.
    Ambiguous(Vec<String>),
    /// No record of the beginning is one that a profile names.
    Unknown,
}

impl Detection {
    /// True when more bytes change nothing.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !matches!(self, Detection::NeedMore)
    }
}

/// Recognises the executor of a stream from its first records, without losing a byte of it.
///
/// A profile's `detect` lists records that only its executor prints. The first record that is some profile's decides; where
/// it is several profiles', later records choose among these. Noise before it is passed over. What was pushed is kept, at
/// most 256 KiB and one chunk, or 32 records, and goes to the parser in the end. Nothing fails: a stream of nobody is an
/// answer too.
///
/// ```
/// use turnline::{Detection, Detector, Exit};
///
/// let mut detector = Detector::new();
/// let mut chunks = [&b"{\"type\":\"thread.started\",\"thr"[..], &b"ead_id\":\"t-1\"}\n"[..]].into_iter();
/// while let Some(chunk) = chunks.next() {
///     if detector.push(chunk).is_decided() {
///         break;
///     }
/// }
/// let mut parser = detector.into_parser(Default::default())?;
/// for chunk in chunks {
///     parser.push(chunk);
/// }
/// assert_eq!(parser.finish(&Exit::default()).executor, "codex");
/// # Ok::<(), turnline::ProfileError>(())
/// ```
pub struct Detector {
    profiles: Vec<Profile>,
    /// So many of the first ones are the host's own.
    own: usize,
    /// Of each profile, what its records look like.
    marks: Vec<Vec<Vec<Test>>>,
    trie: Trie,
    scanner: Scanner,
    frames: Frames,
    framer: Framer,
    kept: Vec<u8>,
    records: usize,
    /// The profiles that it can still be, once a record was recognised.
    left: Vec<usize>,
    detection: Detection,
}

/// Records that are looked at.
const RECORDS: usize = 32;
/// Bytes that are looked at: a first record that lists a few hundred tools has some ten thousand.
const BYTES: usize = 256 << 10;
/// Elements of a record that conditions may look into.
const ELEMENTS: u32 = 64;

impl Default for Detector {
    fn default() -> Self {
        Detector::new()
    }
}

impl Detector {
    /// A detector that knows the built-in profiles.
    #[must_use]
    pub fn new() -> Self {
        Detector::with_profiles(catalogue::ids().filter_map(|id| Profile::builtin(id).ok()))
    }

    /// A detector that knows these profiles and no others. One that lists nothing under `detect` is never recognised; of
    /// two with the same id the later one is never meant.
    #[must_use]
    pub fn with_profiles(profiles: impl IntoIterator<Item = Profile>) -> Self {
        Detector::knowing(profiles.into_iter().collect(), Vec::new())
    }

    /// A detector that knows these profiles and the built-in ones. They go first: a record that is one of these profiles' is
    /// no built-in one's, so that a fork is told from what it extends; and a built-in profile with the id of one of these is
    /// never meant.
    #[must_use]
    pub fn with_own(profiles: impl IntoIterator<Item = Profile>) -> Self {
        let built_in = catalogue::ids().filter_map(|id| Profile::builtin(id).ok()).collect();
        Detector::knowing(profiles.into_iter().collect(), built_in)
    }

    fn knowing(own: Vec<Profile>, others: Vec<Profile>) -> Self {
        let mut known: Vec<Profile> = Vec::new();
        let mut add = |profiles: Vec<Profile>| {
            for profile in profiles {
                if !known.iter().any(|other| other.id() == profile.id()) {
                    known.push(profile);
                }
            }
            known.len()
        };
        let own = add(own);
        add(others);
        let mut compiler = Compiler::new();
        let marks =
            known.iter().map(|profile| profile.spec().detect.iter().map(|mark| compiler.detect(mark)).collect());
        let marks = marks.collect();
        Detector {
            profiles: known,
            own,
            marks,
            trie: compiler.trie.build(),
            scanner: Scanner::new(),
            frames: Frames::new(ELEMENTS),
            framer: Framer::new(Framing::Lines, BYTES, 0),
            kept: Vec::new(),
            records: 0,
            left: Vec::new(),
            detection: Detection::NeedMore,
        }
    }

    /// Takes a chunk of standard output, of any size, and says what is known then. A chunk after the decision is kept like
    /// those before it.
    pub fn push(&mut self, chunk: &[u8]) -> &Detection {
        self.kept.extend_from_slice(chunk);
        if !self.detection.is_decided() {
            self.framer.push(chunk);
            self.read();
            if !self.detection.is_decided() && (self.kept.len() >= BYTES || self.records >= RECORDS) {
                self.settle();
            }
        }
        &self.detection
    }

    /// Says that standard output has ended, and what it was.
    pub fn eof(&mut self) -> &Detection {
        if !self.detection.is_decided() {
            self.framer.eof();
            self.read();
            if !self.detection.is_decided() && self.left.is_empty() {
                // It may be one document of several lines.
                let document = core::mem::take(&mut self.kept);
                self.line(&document);
                self.kept = document;
            }
            if !self.detection.is_decided() {
                self.settle();
            }
        }
        &self.detection
    }

    /// What is known.
    #[must_use]
    pub fn detection(&self) -> &Detection {
        &self.detection
    }

    /// All that was pushed.
    #[must_use]
    pub fn kept(&self) -> &[u8] {
        &self.kept
    }

    /// The profile that was found.
    ///
    /// # Errors
    /// `executor_unknown` (whether records came or none is said) or `executor_ambiguous`, with the ids that it may be. Before the decision it is one of
    /// these too: call [`eof`](Detector::eof) where no more comes.
    pub fn profile(&self) -> Result<Profile, ProfileError> {
        let ids = |ids: &mut dyn Iterator<Item = &str>| ids.collect::<Vec<_>>().join(", ");
        match &self.detection {
            Detection::Found(profile) => Ok(profile.clone()),
            Detection::Ambiguous(several) => {
                let ids = ids(&mut several.iter().map(String::as_str));
                let message = format!("the stream may be of any of these executors: {ids}");
                Err(ProfileError::one(ProblemCode::ExecutorAmbiguous, "", message))
            }
            Detection::Unknown | Detection::NeedMore if self.records == 0 => {
                let what = if self.kept.is_empty() { "the stream is empty" } else { "the stream held no record" };
                let message = format!("{what}: there is nothing to tell the executor by");
                Err(ProfileError::one(ProblemCode::ExecutorUnknown, "", message))
            }
            Detection::Unknown | Detection::NeedMore => {
                let named = self.profiles.iter().filter(|profile| !profile.spec().detect.is_empty());
                let ids = ids(&mut named.map(Profile::id));
                let message = format!("the first records are of no executor that is known; known are: {ids}");
                Err(ProfileError::one(ProblemCode::ExecutorUnknown, "", message))
            }
        }
    }

    /// A parser of the profile that was found, to which all that was pushed is given already.
    ///
    /// # Errors
    /// As for [`profile`](Detector::profile).
    pub fn into_parser(self, options: Options) -> Result<Parser, ProfileError> {
        let mut parser = Parser::with_options(&self.profile()?, options);
        parser.push(&self.kept);
        Ok(parser)
    }

    fn read(&mut self) {
        while !self.detection.is_decided() && self.records < RECORDS {
            if !self.framer.next_line() {
                return;
            }
            if !self.framer.line().oversize {
                let line = self.framer.line_bytes().to_vec();
                self.line(&line);
            }
        }
    }

    /// Looks at the records of a line, also at those in an array.
    fn line(&mut self, line: &[u8]) {
        let mut at = ansi::skip(line, 0).0;
        let array = line.get(at) == Some(&b'[') && matches!(self.scanner.array_of_objects(line, at), Ok(Some(_)));
        if array {
            at += 1;
        }
        while !self.detection.is_decided() && self.records < RECORDS {
            if array {
                match next_element(line, at) {
                    Some(start) => at = start,
                    None => return,
                }
            }
            at = ansi::skip(line, at).0;
            if at >= line.len() {
                return;
            }
            match self.scanner.next(&self.trie, line, at, &mut self.frames) {
                Ok(Item::Record { end }) => {
                    self.records += 1;
                    self.record(line);
                    at = end;
                }
                _ => return,
            }
        }
    }

    fn record(&mut self, line: &[u8]) {
        let ctx = Ctx { line, frames: &self.frames, frame: 0, block: 0 };
        let of = |at: &usize| self.marks.get(*at).is_some_and(|marks| marks.iter().any(|tests| ctx.holds(tests)));
        let matching: Vec<usize> = match &*self.left {
            [] => (0..self.profiles.len()).filter(of).collect(),
            left => left.iter().copied().filter(of).collect(),
        };
        let own: Vec<usize> = matching.iter().copied().filter(|at| *at < self.own).collect();
        let matching = if own.is_empty() { matching } else { own };
        if let [only] = &*matching
            && let Some(profile) = self.profiles.get(*only)
        {
            self.detection = Detection::Found(profile.clone());
        } else if !matching.is_empty() {
            self.left = matching;
        }
    }

    fn settle(&mut self) {
        let ids = self.left.iter().filter_map(|at| self.profiles.get(*at)).map(|profile| profile.id().to_string());
        self.detection = match ids.collect::<Vec<_>>() {
            ids if ids.is_empty() => Detection::Unknown,
            ids => Detection::Ambiguous(ids),
        };
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("detection", &self.detection)
            .field("kept", &self.kept.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::Exit;

    fn detect(stream: &str, chunk: usize) -> Detector {
        let mut detector = Detector::new();
        for chunk in stream.as_bytes().chunks(chunk) {
            detector.push(chunk);
        }
        detector.eof();
        detector
    }

    const CLAUDE: &str = "noise\n{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}}\n\
        {\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"hi\",\"total_cost_usd\":0.1}\n";

    #[test]
    fn a_record_of_several_leaves_the_choice_to_a_later_one() {
        for chunk in [1, 7, 1000] {
            let detector = detect(CLAUDE, chunk);
            assert!(matches!(detector.detection(), Detection::Found(profile) if profile.id() == "claude-code"));
            let envelope = detector.into_parser(Options::default()).unwrap().finish(&Exit::code(0));
            assert_eq!(envelope.result.as_deref(), Some("hi"));
            assert_eq!((envelope.stream.bytes, envelope.stream.malformed_lines), (CLAUDE.len() as u64, 1));
        }
    }

    #[test]
    fn nothing_to_choose_by_is_ambiguous() {
        let first = CLAUDE.split_inclusive('\n').take(2).collect::<String>();
        let detector = detect(&first, 1000);
        assert!(matches!(detector.detection(), Detection::Ambiguous(ids) if ids.contains(&"qwen".to_string())));
        assert_eq!(detector.profile().unwrap_err().code(), "executor_ambiguous");
    }

    #[test]
    fn a_stream_of_nobody_is_unknown() {
        for stream in ["", "plain text\n", "{\"a\":1}\n[]\n42\n", "{\"type\":\"hello\"}\n"] {
            let detector = detect(stream, 3);
            assert!(matches!(detector.detection(), Detection::Unknown), "{stream}");
            assert_eq!(detector.profile().unwrap_err().code(), "executor_unknown");
            assert_eq!(detector.kept(), stream.as_bytes());
        }
    }

    #[test]
    fn the_beginning_that_is_looked_at_is_bounded() {
        let mut detector = Detector::new();
        let line = "{\"x\":1}\n";
        let mut pushed = 0;
        while !detector.push(line.as_bytes()).is_decided() {
            pushed += 1;
        }
        assert_eq!((pushed, matches!(detector.detection(), Detection::Unknown)), (RECORDS - 1, true));
        let mut detector = Detector::new();
        let chunk = [b'x'; 4096];
        while !detector.push(&chunk).is_decided() {}
        assert_eq!(detector.kept().len(), BYTES);
    }

    #[test]
    fn a_stream_without_a_record_is_not_called_somebody_elses() {
        for (stream, words) in [("", "empty"), ("plain text\n\n", "held no record"), ("{\"a\":1}\n", "known are: ")] {
            let error = detect(stream, 3).profile().unwrap_err();
            assert!(error.code() == "executor_unknown" && error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn profiles_of_ones_own_go_before_the_built_in_ones() {
        let own = |id: &str, mark: &str| {
            let toml = format!(
                "extends = \"claude-code\"\nid = \"{id}\"\ncommand = \"x\"\n[[detect]]\nmatch = {{ {mark} }}\n"
            );
            Profile::from_toml(&toml).unwrap()
        };
        let stream = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"claude_code_version\":\"2\",\"fork\":true}\n{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"total_cost_usd\":1}\n";
        let found = |profiles: &[Profile], stream: &str| {
            let mut detector = Detector::with_own(profiles.iter().cloned());
            detector.push(stream.as_bytes());
            detector.eof();
            detector.profile().map(|profile| (profile.id().to_string(), profile.command().to_string()))
        };
        let (fork, other) = (own("fork", "fork = true"), own("other", "fork = true"));
        let is = |id: &str, command: &str| Ok((id.to_string(), command.to_string()));
        assert_eq!(found(core::slice::from_ref(&fork), stream), is("fork", "x"));
        assert_eq!(found(core::slice::from_ref(&fork), &stream.replace("fork", "spoon")), is("claude-code", "claude"));
        assert_eq!(found(&[fork, other], stream).unwrap_err().code(), "executor_ambiguous");
        assert_eq!(found(&[own("claude-code", "type = \"system\"")], stream), is("claude-code", "x"));
    }

    #[test]
    fn profiles_of_ones_own_and_documents() {
        let own = Profile::from_toml(
            "id = \"own\"\ncommand = \"own\"\nframing = \"json\"\n[[detect]]\nmatch = { kind = \"begin\" }\n[[rules]]\nmatch = { kind = \"begin\" }\n",
        )
        .unwrap();
        let mut detector = Detector::with_profiles([own]);
        detector.push(b"[\n {\n \"other\": 1},\n {\"kind\":\n\"begin\"}]");
        assert!(matches!(detector.detection(), Detection::NeedMore));
        assert!(matches!(detector.eof(), Detection::Found(profile) if profile.id() == "own"));
    }
}
