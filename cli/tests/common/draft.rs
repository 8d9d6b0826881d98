//! A profile drafted from streams, and what it makes of the same streams.

use super::turnline;
use serde_json::Value;

/// A draft and the streams that it is of.
pub struct Draft {
    pub text: String,
    folder: tempfile::TempDir,
    streams: usize,
}

impl Draft {
    /// Drafts a profile; it passes the check.
    pub fn of<S: AsRef<[u8]>>(streams: &[S]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut draft = Self { text: String::new(), folder, streams: streams.len() };
        for (n, stream) in streams.iter().enumerate() {
            std::fs::write(draft.path(&format!("{n}.jsonl")), stream).expect("written");
        }
        let paths: Vec<String> = (0..streams.len()).map(|n| draft.path(&format!("{n}.jsonl"))).collect();
        let mut args = vec!["profile", "new", "--id", "wren"];
        args.extend(paths.iter().map(String::as_str));
        let ran = turnline(&args, "");
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
        draft.text = ran.stdout;
        std::fs::write(draft.path("wren.toml"), &draft.text).expect("written");
        let ran = turnline(&["profile", "check", &draft.path("wren.toml")], "");
        assert_eq!(ran.code, 0, "{}\n{}", ran.stdout, draft.text);
        draft
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("a path").to_owned()
    }

    /// The events of a stream, the envelope last.
    pub fn events(&self, stream: usize) -> Vec<Value> {
        assert!(stream < self.streams);
        let (profile, stream) = (self.path("wren.toml"), self.path(&format!("{stream}.jsonl")));
        turnline(&["parse", "--profile", &profile, "--output", "jsonl", &stream], "").json()
    }

    pub fn envelope(&self, stream: usize) -> Value {
        self.events(stream).pop().expect("an envelope")
    }

    /// The events of one type, without what only says where they stand.
    pub fn events_of(&self, stream: usize, kind: &str) -> Vec<Value> {
        let mut events = self.events(stream);
        events.retain(|event| event["type"] == kind);
        for event in events.iter_mut().filter_map(Value::as_object_mut) {
            event
                .retain(|key, _| !["type", "seq", "turn", "line", "native_type", "session_id"].contains(&key.as_str()));
        }
        events
    }

    /// The texts of a stream as a reader has them in the end: by message and part, the whole in place of its pieces.
    pub fn messages(&self, stream: usize) -> Vec<String> {
        let mut texts: Vec<(Value, String)> = Vec::new();
        for event in self.events_of(stream, "message") {
            let key = serde_json::json!([event["message_id"], event["part"], event["agent"], event["role"]]);
            let text = event["text"].as_str().expect("a text");
            match texts.iter_mut().find(|(known, _)| *known == key) {
                Some((_, known)) if event["delta"] == true => known.push_str(text),
                Some((_, known)) => *known = text.to_owned(),
                None => texts.push((key, text.to_owned())),
            }
        }
        texts.into_iter().map(|(_, text)| text).collect()
    }

    /// What the draft says it did not decide.
    pub fn open(&self) -> Vec<&str> {
        self.text.lines().filter_map(|line| line.trim_start().strip_prefix("# NOT DECIDED: ")).collect()
    }

    /// Something like this was not decided.
    pub fn asks(&self, part: &str) -> bool {
        self.open().iter().any(|open| open.contains(part))
    }
}
