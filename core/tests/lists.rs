//! The lists of events: what is a number is printed as one and read as one, and what does not fit is absent.

use turnline::{EventKind, Parser, Profile};

const PROFILE: &str = r#"
id = "example"
command = "example"
record_type = ["type"]

[[rules]]
match = { type = "call" }
emit = [{ event = "tool_call", tool_call_id = "id", name = "tool", locations = { each = "files[]", path = "p", line = "l" } }]
"#;

/// The call's event as JSON, and the lines of its locations by the library.
fn call(files: &str) -> (String, Vec<Option<u64>>) {
    let profile = Profile::from_toml(PROFILE).expect("a profile");
    let mut parser = Parser::new(&profile);
    parser.push(format!("{{\"type\":\"call\",\"id\":\"c\",\"tool\":\"t\",\"files\":{files}}}\n").as_bytes());
    let started = parser.next_event().map(|event| event.kind.name());
    assert_eq!(started, Some("turn_started"));
    let event = parser.next_event().expect("a call").into_owned();
    let mut json = Vec::new();
    event.write_json(&mut json);
    let EventKind::ToolCall(call) = event.kind else { panic!("{}", event.kind.name()) };
    (String::from_utf8(json).expect("text"), call.locations.iter().map(|location| location.line).collect())
}

#[test]
fn the_line_of_a_location_is_a_number() {
    for (line, want) in [
        ("3", Some(3)),
        ("0", Some(0)),
        ("12.0", Some(12)),
        ("1e3", Some(1000)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("-1", None),
        ("3.5", None),
        ("1e999", None),
        (r#""3""#, None),
        ("true", None),
        ("[3]", None),
        ("null", None),
    ] {
        let (json, lines) = call(&format!(r#"[{{"p":"/a","l":{line}}}]"#));
        let printed = match want {
            Some(number) => format!(r#""locations":[{{"path":"/a","line":{number}}}]"#),
            None => r#""locations":[{"path":"/a"}]"#.to_owned(),
        };
        assert!(json.contains(&printed), "{line}: {json}");
        assert_eq!(lines, [want], "{line}");
    }
}

#[test]
fn an_entry_without_a_path_says_nothing_and_the_others_stay() {
    let (json, lines) = call(r#"[{"l":1},{"l":2,"p":"/b"},{"p":"","l":3},{"p":"/c"}]"#);
    assert!(json.contains(r#""locations":[{"path":"/b","line":2},{"path":"/c"}]"#), "{json}");
    assert_eq!(lines, [Some(2), None]);
    let (json, lines) = call(r#"[{"l":1}]"#);
    assert!(!json.contains("locations"), "{json}");
    assert_eq!(lines, []);
}
