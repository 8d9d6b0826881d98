//! What an executor answers to a host's requests.

use turnline::{EventKind, Exit, Parser, Profile, Severity};

fn notices(stream: &str) -> (Vec<(Severity, String, String)>, u64) {
    let mut parser = Parser::new(&Profile::builtin("claude-code").unwrap());
    parser.push(stream.as_bytes());
    parser.eof();
    let mut told = Vec::new();
    while let Some(event) = parser.next_event() {
        if let EventKind::Notice(notice) = &event.kind {
            let code = notice.code.as_ref().map(|code| code.decode().into_owned());
            told.push((notice.severity, code.unwrap_or_default(), notice.message.decode().into_owned()));
        }
    }
    (told, parser.finish(&Exit::code(0)).notices)
}

/// Claude Code 2.1.332 refused one of five requests of a recorded run in these words, and went on.
#[test]
fn a_refused_request_is_a_notice() {
    let refused = r#"{"type":"control_response","response":{"subtype":"error","request_id":"c-5","error":"Unsupported control request subtype: no_such_thing","error_code":"unsupported_request"}}"#;
    let want = (
        Severity::Warning,
        "control_request_failed".to_owned(),
        "Unsupported control request subtype: no_such_thing".to_owned(),
    );
    assert_eq!(notices(&format!("{refused}\n")), (vec![want], 1));
}

#[test]
fn a_request_that_was_carried_out_is_not_told() {
    let done = r#"{"type":"control_response","response":{"subtype":"success","request_id":"c-3","response":{"mode":"plan","error":"none"}}}"#;
    assert_eq!(notices(&format!("{done}\n")), (vec![], 0));
}
