//! Profiles that extend others, and where problems stand in their files.

use turnline::profile::ProblemCode;
use turnline::{EventKind, Exit, Parser, Profile, ProfileError};

fn texts(profile: &Profile, stream: &str) -> (Vec<String>, turnline::Envelope) {
    let mut parser = Parser::new(profile);
    parser.push(stream.as_bytes());
    parser.eof();
    let mut texts = Vec::new();
    while let Some(event) = parser.next_event() {
        match &event.kind {
            EventKind::Message(message) => texts.push(message.text.decode().into_owned()),
            EventKind::ToolCall(call) => texts.push(format!("call {}", call.name)),
            _ => {}
        }
    }
    (texts, parser.finish(&Exit::code(0)))
}

const FORK: &str = r#"
extends = "claude-code"
id = "forked"
command = "forked"

[rename.fields]
"message.content" = "message.parts"
"message.content[].text" = "message.parts[].body"
session_id = "session.id"
"usage.input_tokens" = "usage.in"

[rename.values]
type = { assistant = "reply" }
"message.content[].type" = { tool_use = "call" }
"#;

const FORKED: &str = r#"{"type":"system","subtype":"init","session":{"id":"s-9"},"model":"m"}
{"type":"reply","message":{"id":"m1","parts":[{"type":"text","body":"Working."},{"type":"call","id":"c1","name":"Bash","input":{}}]}}
{"type":"reply","message":{"id":"m2","parts":[{"type":"text","body":"Done."}]}}
{"type":"result","subtype":"success","is_error":false,"result":"Done.","session":{"id":"s-9"},"usage":{"in":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"output_tokens":4}}
"#;

#[test]
fn a_fork_with_renamed_fields_is_a_few_lines() {
    let profile = Profile::from_toml(FORK).expect("a sound profile");
    assert_eq!((profile.id(), profile.title(), profile.command()), ("forked", "forked", "forked"));
    assert!(profile.measured().is_empty(), "measured is not inherited");
    let (texts, envelope) = texts(&profile, FORKED);
    assert_eq!(texts, ["Working.", "call Bash", "Done."]);
    assert_eq!(envelope.session_id.as_deref(), Some("s-9"));
    assert_eq!(envelope.result.as_deref(), Some("Done."));
    assert_eq!(envelope.usage.and_then(|usage| usage.total), Some(7));
    assert_eq!(envelope.stream.unmapped, 0, "{:?}", envelope.unmapped_types);
}

#[test]
fn a_resolved_profile_is_whole() {
    let profile = Profile::from_toml(FORK).expect("a sound profile");
    assert_eq!(profile.spec().extends, None);
    assert!(profile.spec().rename.is_empty());
    let again = Profile::from_spec(profile.spec().clone()).expect("sound by itself");
    assert_eq!(again.spec(), profile.spec());
}

#[test]
fn json_and_rust_values_extend_too() {
    let json = serde_json::to_string(&toml_to_json(FORK)).expect("JSON");
    let profile = Profile::from_json(&json).expect("a sound profile");
    assert_eq!(texts(&profile, FORKED).0, ["Working.", "call Bash", "Done."]);
    let spec = serde_json::from_str(&json).expect("a profile");
    assert_eq!(Profile::from_spec(spec).expect("sound").spec(), profile.spec());
}

fn toml_to_json(text: &str) -> serde_json::Value {
    toml::from_str(text).expect("TOML")
}

#[test]
fn its_own_rules_come_first_and_replace_what_they_cover() {
    let text = r#"
        extends = "codex"
        id = "mine"
        [[rules]]
        match = { type = "turn.started" }
        owes = true
        emit = [{ event = "notice", message = "=go" }]
        [tools.kinds]
        browse = "fetch"
    "#;
    let profile = Profile::from_toml(text).expect("a sound profile");
    let base = Profile::builtin("codex").expect("built in");
    assert_eq!(profile.spec().rules.len(), base.spec().rules.len(), "one in the place of another");
    assert_eq!(profile.command(), "codex");
    let kinds = &profile.spec().tools.kinds;
    assert!(kinds.contains_key("browse") && kinds.contains_key("web_search"), "{kinds:?}");
    assert_eq!(profile.spec().launch.args, base.spec().launch.args);
}

fn codes(error: &ProfileError) -> Vec<(ProblemCode, &str)> {
    error.problems().iter().map(|problem| (problem.code, problem.pointer.as_str())).collect()
}

#[test]
fn what_cannot_be_extended_is_coded() {
    let error = Profile::from_toml("extends = \"nobody\"\nid = \"x\"").expect_err("no such base");
    assert_eq!(codes(&error), [(ProblemCode::Extends, "/extends")]);
    assert_eq!(error.code(), "profile_invalid");
    let text = "id = \"x\"\nextends = \"codex\"\n[rename.fields]\nnope = \"nah\"\n\"a..b\" = \"c\"\n";
    let error = Profile::from_toml(text).expect_err("renames of nothing");
    let mut found = codes(&error);
    found.sort_by_key(|(_, pointer)| core::cmp::Reverse(*pointer));
    assert_eq!(
        found,
        [(ProblemCode::BadRename, "/rename/fields/nope"), (ProblemCode::BadRename, "/rename/fields/a..b")]
    );
    let place =
        error.problems().iter().find(|problem| problem.pointer.ends_with("nope")).and_then(|problem| problem.place);
    assert_eq!(place.map(|place| (place.line, place.column)), Some((4, 1)));
}

#[test]
fn an_element_cannot_leave_its_list() {
    let text =
        "extends = \"claude-code\"\nid = \"x\"\n[rename.fields]\n\"message.content[].text\" = \"other[].text\"\n";
    let error = Profile::from_toml(text).expect_err("it leaves its list");
    assert!(codes(&error).contains(&(ProblemCode::BadRename, "/rename/fields/message.content[].text")), "{error}");
}

#[test]
fn a_rename_that_cannot_be_is_told_once_and_where_it_stands() {
    let base = "id = \"base\"\ncommand = \"base\"\nrecord_type = [\"t\"]\n\
        [[rules]]\nmatch = { t = \"a\" }\nemit = [{ event = \"each\", of = \"$.o.l[]\", record_type = \"s\", ignore = [\"nil\"], emit = [\n\
        { event = \"message\", when = { s = \"w\" }, text = \"body\" }, { event = \"reasoning\", when = { s = { not = \"v\" } }, text = \"body\" } ] }]\n\
        [[rules]]\nmatch = { t = { prefix = \"b\" } }\nemit = [{ event = \"notice\", message = \"m\", severity = { path = \"how\", map = { bad = \"error\" } } }]\n";
    let base = Profile::from_toml(base).expect("sound");
    let table: &[(&str, &[&str])] = &[
        ("fields.\"o.l\" = \"o.k\"", &[]),
        ("fields.\"o.l[]\" = \"o.k{}\"", &[]),
        ("fields.\"o.l[].body\" = \"o.l[].a.b\"", &[]),
        ("fields.\"o.l\" = \"o.k[]\"", &["fields/o.l: `o.k[][]` is not one list"]),
        ("fields.\"o.l[]\" = \"o.k\"", &["fields/o.l[]: `o.k` is not one list"]),
        ("fields.\"o.l[].body\" = \"o.k[].txt\"", &["fields/o.l[].body: `o.k[].txt` is not inside the list"]),
        ("fields.m = \"m[].n\"", &["fields/m: `m[].n` is no one value"]),
        ("values.t = { a = \"z\" }\nvalues.how = { bad = \"worse\" }", &[]),
        ("values.\"o.l[].s\" = { w = \"x\", v = \"y\", nil = \"null\" }", &[]),
        (
            "values.t = { a = \"z\", nope = \"y\" }",
            &["values/t/nope: nothing that is inherited names the value `nope` of `t`"],
        ),
        ("values.how = { \"a/b\" = \"y\" }", &["values/how/a~1b: nothing that is inherited names"]),
        ("values.m = { a = \"y\" }", &["values/m: nothing that is inherited"]),
    ];
    for (lines, want) in table {
        let text = format!("extends = \"base\"\nid = \"x\"\n[rename]\n{lines}\n");
        let got: Vec<String> = match Profile::from_toml_with(&text, |_| Ok(base.clone())) {
            Ok(_) => Vec::new(),
            Err(error) => error
                .problems()
                .iter()
                .map(|problem| {
                    assert_eq!(problem.code, ProblemCode::BadRename, "{lines}");
                    assert_eq!(problem.place.map(|place| place.line), Some(4), "{lines}");
                    format!("{}: {}", problem.pointer.trim_start_matches("/rename/"), problem.message)
                })
                .collect(),
        };
        assert_eq!(got.len(), want.len(), "{lines}: {got:#?}");
        assert!(got.iter().zip(*want).all(|(got, want)| got.starts_with(want)), "{lines}: {got:#?}");
    }
}

#[test]
fn its_own_patterns_replace_what_they_take() {
    let base = "id = \"base\"\ncommand = \"base\"\nstderr = [{ pattern = \"a\" }, { pattern = \"*\" }]\n\
        classes = [{ class = \"auth\", labels = [\"E\"], patterns = [\"*boo*\"] }]\nnotices = [{ pattern = \"n\" }]\n";
    let base = Profile::from_toml(base).expect("sound");
    let fork = "extends = \"base\"\nid = \"x\"\nstderr = [{ pattern = \"*\" }]\n\
        classes = [{ class = \"quota\", patterns = [\"*BOO*\"] }]\nnotices = [{ pattern = \"N\" }]\n";
    let fork = Profile::from_toml_with(fork, |_| Ok(base.clone())).expect("sound");
    assert_eq!((fork.spec().stderr.len(), fork.spec().notices.len()), (1, 2));
    assert_eq!((fork.spec().classes.len(), fork.spec().classes[1].patterns.len()), (2, 0));
}

#[test]
fn bases_are_found_as_the_caller_says() {
    let base =
        Profile::from_toml("id = \"base\"\ncommand = \"base\"\n[[rules]]\nmatch = { t = \"a\" }\n").expect("sound");
    let profile = Profile::from_toml_with("extends = \"./base.toml\"\nid = \"x\"", |name| {
        assert_eq!(name, "./base.toml");
        Ok(base.clone())
    });
    assert_eq!(profile.expect("sound").spec().rules, base.spec().rules);
}

#[test]
fn problems_are_told_by_line_and_column() {
    let text = "id = \"x\"\ncommand = \"x\"\n\n[[rules]]\nmatch = { kind = \"say\" }\nemit = [\n  { event = \"message\", text = \"\" },\n]\n";
    let error = Profile::from_toml(text).expect_err("an empty path");
    let problem = &error.problems()[0];
    assert_eq!(problem.code, ProblemCode::EmptyPath);
    assert_eq!(problem.place.map(|place| (place.line, place.column)), Some((7, 24)));
    let error = Profile::from_toml("id = \"x\"\ncommand = \"x\"\nframing = \"jsom\"\n").expect_err("no such framing");
    let place = error.problems()[0].place.expect("a place");
    assert_eq!((error.problems()[0].code, place.line, place.column), (ProblemCode::UnknownName, 3, 11));
    let error = Profile::from_json("{\n  \"id\": \"\",\n  \"command\": \"x\"}").expect_err("an empty id");
    let place = error.problems()[0].place.expect("a place");
    assert_eq!((error.problems()[0].code, place.line, place.column), (ProblemCode::EmptyId, 2, 9));
}
