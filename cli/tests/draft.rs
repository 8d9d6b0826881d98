//! `turnline profile new`, `parse --explain`, and the coverage that the documentation shows.

mod common;

use common::{CODEX, turnline};
use std::path::Path;

const GOOD: &str = r#"{"op":"hello","sess":{"uid":"w-7f2"},"wren":"3.1","engine":"owl-2"}
{"op":"bit","mid":"m1","s":"Let me "}
{"op":"bit","mid":"m1","s":"look."}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"Let me look."},{"k":"use","ref":"u1","tool":"shell","with":{"cmd":"ls"}}]}
{"op":"ret","ref":"u1","good":true,"out":"README.md"}
{"op":"meter","in":100,"in_cached":20,"out":10}
{"op":"say","mid":"m2","parts":[{"k":"prose","s":"There is a README."}]}
{"op":"meter","in":250,"in_cached":120,"out":30}
{"op":"bye","state":"fine"}
"#;

const BAD: &str = r#"{"op":"hello","sess":{"uid":"w-7f3"},"wren":"3.1","engine":"owl-2"}
{"op":"say","mid":"m1","parts":[{"k":"prose","s":"Trying that."},{"k":"use","ref":"u9","tool":"shell","with":{"cmd":"false"}}]}
{"op":"ret","ref":"u9","good":false,"out":"exit 1"}
{"op":"oops","text":"The model is overloaded."}
{"op":"bye","state":"burnt","why":"The model is overloaded."}
"#;

fn draft(streams: &[&str]) -> (tempfile::TempDir, String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut args = vec!["profile".to_owned(), "new".to_owned(), "--id".to_owned(), "wren".to_owned()];
    let mut paths = Vec::new();
    for (n, stream) in streams.iter().enumerate() {
        let path = folder.path().join(format!("{n}.jsonl"));
        std::fs::write(&path, stream).expect("written");
        paths.push(path.to_str().expect("a path").to_owned());
    }
    args.extend(paths.iter().cloned());
    let ran = turnline(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let file = folder.path().join("wren.toml");
    std::fs::write(&file, &ran.stdout).expect("written");
    (folder, ran.stdout, paths)
}

#[test]
fn a_draft_of_an_unknown_cli_reads_nearly_all_of_it() {
    let (folder, text, paths) = draft(&[GOOD, BAD]);
    let file = folder.path().join("wren.toml");
    let file = file.to_str().expect("a path");
    let ran = turnline(&["parse", "--profile", file, "--output", "jsonl", &paths[0]], "");
    let lines = ran.json();
    let envelope = ran.envelope();
    assert_eq!(envelope["result"], "There is a README.", "{text}\n{}", ran.stdout);
    assert_eq!((&envelope["session_id"], &envelope["status"]), (&"w-7f2".into(), &"ok".into()));
    assert_eq!(envelope["usage"]["output"], 30, "running totals: {text}");
    assert_eq!((&envelope["tools"]["completed"], &envelope["unmapped_types"]), (&1.into(), &serde_json::json!({})));
    let deltas = lines.iter().filter(|line| line["type"] == "message" && line["delta"] == true).count();
    assert_eq!(deltas, 2, "{text}");
    let ran = turnline(&["parse", "--profile", file, "--output", "jsonl", &paths[1]], "");
    let envelope = ran.envelope();
    assert_eq!((&envelope["status"], &envelope["tools"]["failed"]), (&"failed".into(), &1.into()), "{text}");
    assert!(
        envelope["errors"][0]["message"].as_str().is_some_and(|message| message.ends_with("The model is overloaded."))
    );
}

/// Short captures of invented CLIs whose record type is nested, each with another envelope around it.
const NESTED: [(&str, &str, Said); 8] = [
    (
        "everything inside `event`",
        r#"{"event":{"kind":"opened","session_id":"s-81","model":"elm-3"}}
{"event":{"kind":"chunk","msg_id":"m1","text":"Looking "}}
{"event":{"kind":"chunk","msg_id":"m1","text":"around."}}
{"event":{"kind":"message","msg_id":"m1","text":"Looking around."}}
{"event":{"kind":"tool_use","call_id":"k7","name":"ls","input":{"path":"."}}}
{"event":{"kind":"tool_done","call_id":"k7","output":"a.txt","ok":true}}
{"event":{"kind":"message","msg_id":"m2","text":"There is a.txt."}}
{"event":{"kind":"closed","status":"success","usage":{"input_tokens":9,"output_tokens":4}}}
"#,
        Said { session: "s-81", result: "There is a.txt.", tokens: Some(13), deltas: 2, thoughts: 0, tools: 1 },
    ),
    (
        "a type in `msg`, beside the number of a request",
        r#"{"id":"0","msg":{"type":"configured","session_id":"u-1","model":"elm-3"}}
{"id":"1","msg":{"type":"agent_reasoning","text":"I should list the files."}}
{"id":"1","msg":{"type":"exec_begin","call_id":"c9","command":"ls","args":["ls"]}}
{"id":"1","msg":{"type":"exec_end","call_id":"c9","exit_code":0,"stdout":"a b"}}
{"id":"1","msg":{"type":"token_count","input_tokens":20,"output_tokens":3}}
{"id":"1","msg":{"type":"agent_message","message":"Two files: a and b."}}
{"id":"1","msg":{"type":"task_complete","last_agent_message":"Two files: a and b."}}
"#,
        Said { session: "u-1", result: "Two files: a and b.", tokens: Some(23), deltas: 0, thoughts: 1, tools: 1 },
    ),
    (
        "three records, the type beside the payload",
        r#"{"meta":{"kind":"hello","seq":1},"data":{"thread":"t-5"}}
{"meta":{"kind":"text","seq":2},"data":{"body":"All is well here."}}
{"meta":{"kind":"end","seq":3},"data":{"outcome":"done"}}
"#,
        Said { session: "t-5", result: "All is well here.", tokens: None, deltas: 0, thoughts: 0, tools: 0 },
    ),
    (
        "a name in every record of a log",
        r#"{"lvl":"info","ts":"2026-01-01T00:00:00Z","name":"run.start","data":{"session":"q-1"}}
{"lvl":"info","ts":"2026-01-01T00:00:01Z","name":"agent.message","data":{"text":"It is done now."}}
{"lvl":"info","ts":"2026-01-01T00:00:02Z","name":"run.usage","data":{"prompt_tokens":5,"completion_tokens":6}}
{"lvl":"info","ts":"2026-01-01T00:00:03Z","name":"run.end","data":{"status":"ok"}}
"#,
        Said { session: "q-1", result: "It is done now.", tokens: Some(11), deltas: 0, thoughts: 0, tools: 0 },
    ),
    (
        "two records",
        r#"{"event":{"kind":"answer","text":"It is forty-two."}}
{"event":{"kind":"end","status":"ok"}}
"#,
        Said { session: "", result: "It is forty-two.", tokens: None, deltas: 0, thoughts: 0, tools: 0 },
    ),
    (
        "calls and answers around updates, in camel case",
        r#"{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"message_chunk","content":{"text":"Hello "}}}}
{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"message_chunk","content":{"text":"there."}}}}
{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"call","toolCallId":"t1","title":"Read a","status":"pending","rawInput":{"path":"a"}}}}
{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"call_update","toolCallId":"t1","status":"running"}}}
{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"call_update","toolCallId":"t1","status":"completed"}}}
{"rpc":"2","method":"run/update","params":{"sessionId":"z1","update":{"updateKind":"message_chunk","content":{"text":"It is read."}}}}
{"rpc":"2","method":"run/end","params":{"sessionId":"z1","stopReason":"end_turn"}}
"#,
        Said { session: "z1", result: "It is read.", tokens: None, deltas: 3, thoughts: 0, tools: 1 },
    ),
    (
        "dotted types, the session named so",
        r#"{"payload":{"event":"session.created","session":{"id":"S1"}}}
{"payload":{"event":"message.delta","delta":"One "}}
{"payload":{"event":"message.delta","delta":"two."}}
{"payload":{"event":"tool.called","call":{"id":"t1","name":"ls","args":{"p":"."}}}}
{"payload":{"event":"tool.returned","call":{"id":"t1"},"result":"x"}}
{"payload":{"event":"message.done","content":"It is x."}}
{"payload":{"event":"session.ended","result":"success"}}
"#,
        Said { session: "S1", result: "It is x.", tokens: None, deltas: 2, thoughts: 0, tools: 1 },
    ),
    (
        "texts in words of their own, tokens in some of the last records",
        r#"{"ev":{"name":"open"},"conversation_id":"c-1","model":"zed-1"}
{"ev":{"name":"agent.text.delta"},"conversation_id":"c-1","turn_id":"t1","payload":{"chunk":"I will "}}
{"ev":{"name":"agent.text.delta"},"conversation_id":"c-1","turn_id":"t1","payload":{"chunk":"check."}}
{"ev":{"name":"agent.text.done"},"conversation_id":"c-1","turn_id":"t1","payload":{"full":"I will check."}}
{"ev":{"name":"tool.begin"},"conversation_id":"c-1","payload":{"call":"k1","tool":"grep","args":{"q":"x"}}}
{"ev":{"name":"tool.end"},"conversation_id":"c-1","payload":{"call":"k1","exit_code":0,"output":"a:1"}}
{"ev":{"name":"agent.thought"},"conversation_id":"c-1","turn_id":"t2","payload":{"text":"So it is in a."}}
{"ev":{"name":"agent.text.done"},"conversation_id":"c-1","turn_id":"t2","payload":{"full":"It is in file a."}}
{"ev":{"name":"closed"},"conversation_id":"c-1","outcome":"success","final_answer":"It is in file a.","tokens":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}
"#,
        Said { session: "c-1", result: "It is in file a.", tokens: Some(15), deltas: 2, thoughts: 1, tools: 1 },
    ),
];

/// What a stream says to a person who reads it.
struct Said {
    session: &'static str,
    result: &'static str,
    tokens: Option<u64>,
    deltas: usize,
    thoughts: usize,
    tools: u64,
}

#[test]
fn a_draft_of_one_short_capture_finds_nested_types() {
    for (what, stream, want) in NESTED {
        let (folder, text, paths) = draft(&[stream]);
        let file = folder.path().join("wren.toml");
        let file = file.to_str().expect("a path");
        let ran = turnline(&["parse", "--profile", file, "--output", "jsonl", &paths[0]], "");
        let (envelope, lines) = (ran.envelope(), ran.json());
        let about = format!("{what}\n{text}\n{}", ran.stdout);
        assert_eq!((&envelope["status"], &envelope["result"]), (&"ok".into(), &want.result.into()), "{about}");
        assert_eq!(envelope["session_id"].as_str().unwrap_or_default(), want.session, "{about}");
        assert_eq!(envelope["usage"]["total"].as_u64(), want.tokens, "{about}");
        assert_eq!(envelope["tools"]["started"].as_u64(), Some(want.tools), "{about}");
        assert_eq!(envelope["tools"]["completed"].as_u64(), Some(want.tools), "{about}");
        assert_eq!(envelope["unmapped_types"], serde_json::json!({}), "{about}");
        let count = |fits: &dyn Fn(&serde_json::Value) -> bool| lines.iter().filter(|line| fits(line)).count();
        assert_eq!(count(&|line| line["type"] == "message" && line["delta"] == true), want.deltas, "{about}");
        assert_eq!(count(&|line| line["type"] == "reasoning"), want.thoughts, "{about}");
    }
}

#[test]
fn a_draft_says_what_it_could_not_decide_and_always_passes_the_check() {
    for stream in [
        "",
        "plain text\n",
        "{\"a\":1}\n{\"b\":2}\n",
        "{\"type\":\"x\",\"odd \\\"key\\\"\":{\"a.b\":\"c\\u0007d e\"}}\n{\"type\":\"y\\\"\\n\",\"n\":[{\"type\":\"q\",\"text\":\"a b\"}]}\n",
        "{\"type\":\"a\",\"kind\":\"one\"}\n{\"type\":\"a\"}\n{\"type\":\"a\",\"kind\":\"two\"}\n",
        CODEX,
        common::CLAUDE,
        common::OPENCODE,
    ] {
        let (folder, text, _) = draft(&[stream]);
        let file = folder.path().join("wren.toml");
        let ran = turnline(&["profile", "check", file.to_str().expect("a path")], "");
        assert_eq!(ran.code, 0, "{}\n{text}", ran.stdout);
        assert!(text.contains("NOT DECIDED"), "{text}");
    }
}

#[test]
fn reasons_come_before_the_envelope() {
    let ran = turnline(&["parse", "--executor", "codex", "--output", "jsonl", "--envelope-only", "--explain"], CODEX);
    let lines = ran.json();
    assert_eq!(ran.envelope()["status"], "ok");
    let reasons = &lines[..lines.len() - 1];
    assert!(reasons.iter().all(|line| line["type"] == "explanation" && line["message"].is_string()), "{}", ran.stdout);
    assert!(reasons.iter().any(|line| line["topic"] == "result" && line["line"] == 5), "{}", ran.stdout);
    let ran = turnline(&["parse", "--executor", "codex", "--output", "text", "--envelope-only", "--explain"], CODEX);
    assert!(
        ran.stdout.lines().any(|line| line.starts_with("why usage") && line.contains("input 11, output 22")),
        "{}",
        ran.stdout
    );
    // They stand apart from a text that came in pieces, which has no end of its own.
    let piece = r#"{"type":"stream_event","session_id":"s-1","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half"}}}"#;
    let ran = turnline(&["parse", "--output", "text", "--explain"], format!("{piece}\n"));
    assert!(ran.stdout.contains("Half\n\nwhy status "), "{}", ran.stdout);
}

#[test]
fn the_coverage_in_the_documentation_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let (streams, doc) = (root.join("tests/corpora/streams"), root.join("docs/coverage.md"));
    let ran = turnline(&["profile", "check", "auto", streams.to_str().expect("a path"), "--markdown"], "");
    let doc = std::fs::read_to_string(doc).expect("docs/coverage.md");
    assert!(doc.ends_with(&ran.stdout), "docs/coverage.md says how it is made; it should end with\n{}", ran.stdout);
}
