//! Transcripts of events written as JSON: their structs are built by nobody but the parser.

use serde_json::{Value, json};
use turnline::{Envelope, Event};
use turnline_cli::transcript::{Paint, Transcript};

/// The transcript of these events (common fields are filled in), without an envelope.
pub fn shown(events: &[Value]) -> String {
    let mut out = Vec::new();
    let mut transcript = Transcript::new("codex", Paint::plain());
    show(&mut transcript, events, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

pub fn show(transcript: &mut Transcript, events: &[Value], out: &mut Vec<u8>) {
    for (seq, event) in events.iter().enumerate() {
        let mut event = event.clone();
        for (name, value) in [("seq", seq), ("turn", 0), ("line", seq + 1)] {
            if event.get(name).is_none() {
                event[name] = json!(value);
            }
        }
        let text = event.to_string();
        let event: Event<'_> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        transcript.event(&event, out);
    }
}

/// The same with an envelope at the end.
pub fn ended(events: &[Value], envelope: Value) -> String {
    let mut out = Vec::new();
    let mut transcript = Transcript::new("codex", Paint::plain());
    show(&mut transcript, events, &mut out);
    let envelope: Envelope = serde_json::from_value(envelope).expect("an envelope");
    transcript.envelope(&envelope, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

/// A piece of a text; [`whole`] and [`taken_back`] have the same key.
pub fn piece(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "message_id": "m", "part": 0, "text": text, "delta": true})
}

pub fn whole(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "message_id": "m", "part": 0, "text": text})
}

pub fn taken_back(kind: &str, part: u64) -> Value {
    json!({"type": kind, "message_id": "m", "part": part, "text": "", "withdrawn": true, "synthetic": true})
}
