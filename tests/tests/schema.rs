//! The JSON Schemas that are shipped are those of the types, and what is shipped and printed fits them.

#[path = "support/held.rs"]
mod held;

use held::Held;
use serde_json::Value;
use std::path::PathBuf;
use turnline::{Exit, Options, Parser, Profile, catalogue, schema};
use turnline_tests::conform::corpus::recordings;

/// Set to write the files instead of comparing them: `TURNLINE_WRITE_SCHEMAS=1 cargo test -p turnline-tests --test schema`.
const WRITE: &str = "TURNLINE_WRITE_SCHEMAS";

fn shipped() -> [(&'static str, Value); 4] {
    [
        ("profile", schema::profile()),
        ("event", schema::event()),
        ("envelope", schema::envelope()),
        ("explanation", schema::explanation()),
    ]
}

#[test]
fn the_shipped_schemas_are_up_to_date() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/schema");
    for (name, schema) in shipped() {
        let file = folder.join(format!("{name}.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
        if std::env::var_os(WRITE).is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(&file, &text).expect("written");
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == text, "docs/schema/{name}.json is not what the types say; {WRITE}=1 writes it");
    }
}

#[test]
fn built_in_profiles_fit_and_mistakes_do_not() {
    let held = Held::new(schema::profile());
    for id in catalogue::ids() {
        let file: Value = toml::from_str(catalogue::source(id).expect("a file")).expect("TOML");
        held.check(&file).unwrap_or_else(|error| panic!("{id}: {error}"));
        let spec = serde_json::to_value(Profile::builtin(id).expect("built in").spec()).expect("JSON");
        held.check(&spec).unwrap_or_else(|error| panic!("{id}, written: {error}"));
    }
    for wrong in [
        r#"{"id":"x","command":"x","framming":"jsonl"}"#,
        r#"{"id":"x","framing":"yaml"}"#,
        r#"{"rules":[{"match":{},"emit":[{"event":"mesage"}]}]}"#,
        r#"{"rules":[{"match":{},"emit":[{"event":"message","txt":"a"}]}]}"#,
        r#"{"tools":{"kinds":{"a":"cook"}}}"#,
        r#"{"launch":{"args":[{"when":"never"}]}}"#,
    ] {
        let wrong: Value = serde_json::from_str(wrong).expect("JSON");
        assert!(held.check(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn what_is_printed_of_the_recordings_fits() {
    let (event_schema, envelope_schema) = (Held::new(schema::event()), Held::new(schema::envelope()));
    let reason_schema = Held::new(schema::explanation());
    let mut events = 0;
    for cli in ["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"] {
        for recording in recordings(cli).into_iter().step_by(5) {
            let profile = Profile::builtin(&recording.input.executor).expect("built in");
            let mut options = Options::default();
            options.explain = true;
            let mut parser = Parser::with_options(&profile, options);
            parser.push(&recording.input.stdout);
            parser.eof();
            let mut line = Vec::new();
            while let Some(event) = parser.next_event() {
                line.clear();
                event.write_json(&mut line);
                let Ok(value) = serde_json::from_slice(&line) else { continue };
                event_schema.check(&value).unwrap_or_else(|error| panic!("{}: {error}", recording.name));
                events += 1;
            }
            let (envelope, reasons) = parser.finish_explained(&Exit::code(0));
            for reason in reasons {
                let reason = serde_json::to_value(reason).expect("JSON");
                reason_schema.check(&reason).unwrap_or_else(|error| panic!("{}: {error}", recording.name));
            }
            let envelope = serde_json::to_value(envelope).expect("JSON");
            envelope_schema.check(&envelope).unwrap_or_else(|error| panic!("{}: {error}", recording.name));
        }
    }
    assert!(events > 500, "{events}");
    for wrong in [r#"{"type":"explanation","topic":"weather","message":""}"#, r#"{"topic":"status","message":""}"#] {
        assert!(reason_schema.check(&serde_json::from_str(wrong).expect("JSON")).is_err(), "{wrong}");
    }
    for wrong in [r#"{"status":"ok"}"#, r#"{"type":"envelope","status":"fine"}"#] {
        assert!(envelope_schema.check(&serde_json::from_str(wrong).expect("JSON")).is_err(), "{wrong}");
    }
    for wrong in [r#"{"type":"message"}"#, r#"{"type":"nothing","seq":0,"turn":0,"line":1}"#, "{}"] {
        assert!(event_schema.check(&serde_json::from_str(wrong).expect("JSON")).is_err(), "{wrong}");
    }
}

#[test]
fn the_guide_names_every_field_of_the_format() {
    const GUIDE: &str = include_str!("../../docs/profiles.md");
    let mut names = Vec::new();
    collect(&schema::profile(), &mut names);
    names.sort();
    names.dedup();
    assert!(names.len() > 100, "{names:?}");
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let words: std::collections::HashSet<&str> = GUIDE.split(|c| !word(c)).collect();
    let missing: Vec<_> = names.iter().filter(|name| !words.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The names of all fields, and the values of all fixed sets of names.
fn collect(schema: &Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get("properties") {
                names.extend(properties.keys().cloned());
            }
            for key in ["enum", "const"] {
                let values =
                    fields.get(key).map(|value| value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]));
                names.extend(values.into_iter().flatten().filter_map(|value| value.as_str().map(str::to_owned)));
            }
            fields.values().for_each(|value| collect(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, names)),
        _ => {}
    }
}
