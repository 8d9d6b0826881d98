//! Events and usage in the words of others: what is said, and that everything else is listed.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use turnline::export::acp::{self, Exporter, SessionNotification};
use turnline::export::otel;
use turnline::{Envelope, Event, EventKind, Exit, ModelUsage, Parser, Profile, StopReason, TokenUsage};

/// An event of each kind, with the least that it needs to say something.
fn each_kind() -> Vec<Value> {
    vec![
        json!({"type": "session_started", "session_id": "s"}),
        json!({"type": "turn_started"}),
        json!({"type": "message", "role": "assistant", "message_id": "m", "text": "hi"}),
        json!({"type": "reasoning", "message_id": "m", "text": "hm"}),
        json!({"type": "tool_call", "tool_call_id": "c", "name": "sh"}),
        json!({"type": "tool_call_update", "tool_call_id": "c", "status": "completed"}),
        json!({"type": "plan", "entries": [{"content": "a"}]}),
        json!({"type": "usage", "input": 1}),
        json!({"type": "rate_limit", "name": "day"}),
        json!({"type": "notice", "message": "x"}),
        json!({"type": "permission_request", "request_id": "r"}),
        json!({"type": "permission_resolved", "outcome": "denied"}),
        json!({"type": "subagent", "agent": "a", "phase": "started"}),
        json!({"type": "compaction", "phase": "started"}),
        json!({"type": "act", "act_id": "act-1", "kind": "push"}),
        json!({"type": "turn_ended", "stop_reason": "end_turn"}),
        json!({"type": "raw", "reason": "text", "text": "x", "bytes": 1}),
    ]
}

fn event(value: Value) -> Event<'static> {
    let mut value = value;
    for key in ["seq", "turn", "line"] {
        value[key] = 0.into();
    }
    let text = value.to_string();
    let event: Event<'_> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    event.into_owned()
}

fn able() -> Exporter {
    Exporter::new("s").notices(true).compactions(true)
}

/// What the updates of these events are, as JSON.
fn updates(exporter: &mut Exporter, events: &[Value]) -> Vec<Value> {
    let notification = |event: &Value| exporter.export(&crate::event(event.clone()));
    let all: Vec<SessionNotification> = events.iter().filter_map(notification).collect();
    all.iter().map(|one| serde_json::to_value(one).unwrap()["update"].take()).collect()
}

#[test]
fn every_kind_is_an_update_or_listed() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/schema/event.json")).unwrap();
    let text = schema.to_string();
    let mut kinds = 0;
    for value in each_kind() {
        let event = event(value.clone());
        let kind = event.kind.name();
        assert!(text.contains(&format!("\"const\":\"{kind}\"")), "{kind} is no kind of the schema");
        let listed = acp::NOT_EXPRESSED.iter().any(|(name, why)| *name == kind && !why.is_empty());
        assert_ne!(able().export(&event).is_some(), listed, "{kind}");
        kinds += 1;
    }
    assert_eq!(text.matches("\"const\":").count(), kinds, "the schema has a kind that is not tried here");
    let known = |name: &str| each_kind().iter().any(|value| value["type"] == name);
    assert!(acp::NOT_EXPRESSED.iter().chain(acp::PARTLY_EXPRESSED).all(|(name, _)| known(name)));
    // What a client cannot show, it is not sent.
    for kind in ["notice", "compaction"] {
        let value = each_kind().into_iter().find(|value| value["type"] == kind).unwrap();
        assert!(Exporter::new("s").export(&event(value)).is_none(), "{kind}");
    }
}

#[test]
fn a_whole_text_adds_what_its_pieces_had_not_said() {
    let piece = |text: &str| json!({"type": "message", "role": "assistant", "message_id": "m", "part": 0, "text": text, "delta": true});
    let whole =
        |text: &str| json!({"type": "message", "role": "assistant", "message_id": "m", "part": 0, "text": text});
    let withdrawn = || {
        let mut event = whole("");
        event["withdrawn"] = true.into();
        event
    };
    for (events, said) in [
        (vec![whole("abc")], vec!["abc"]),
        (vec![piece("a"), piece("b"), whole("ab")], vec!["a", "b"]),
        (vec![piece("a"), whole("abc")], vec!["a", "bc"]),
        (vec![piece("a"), whole("xyz")], vec!["a"]),
        (vec![piece("a"), whole("a"), whole("a")], vec!["a", "a"]),
        (vec![whole("")], vec![]),
        (vec![piece("a"), withdrawn()], vec!["a"]),
    ] {
        let updates = updates(&mut able(), &events);
        let texts: Vec<&str> = updates.iter().map(|update| update["content"]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, said, "{events:?}");
        assert!(updates.iter().all(|update| update["messageId"] == "m"));
    }
    // Reasoning under the same key is another text; a sub-agent's is none of the session's.
    let thought = json!({"type": "reasoning", "message_id": "m", "part": 0, "text": "ab"});
    let nested = json!({"type": "message", "role": "assistant", "agent": "a", "message_id": "n", "text": "x"});
    let updates = updates(&mut able(), &[piece("a"), thought, nested]);
    let kinds: Vec<&str> = updates.iter().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["agent_message_chunk", "agent_thought_chunk"]);
}

#[test]
fn tool_calls_and_their_news() {
    let got = updates(
        &mut able(),
        &[
            json!({"type": "tool_call", "tool_call_id": "c", "name": "Bash", "kind": "execute", "title": "List",
                "input": {"command": "ls"}, "locations": [{"path": "/x/a.rs", "line": 7}], "agent": "helper"}),
            json!({"type": "tool_call_update", "tool_call_id": "c", "status": "in_progress", "input_delta": "{"}),
            json!({"type": "tool_call_update", "tool_call_id": "c", "status": "completed", "output": "a.rs", "exit_code": 0,
                "changes": [{"path": "/x/b.rs", "op": "update", "diff": "@@"}]}),
            json!({"type": "tool_call_update", "tool_call_id": "d", "status": "declined", "error": "no"}),
        ],
    );
    assert_eq!(
        got,
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "List", "name": "Bash", "kind": "execute",
                "locations": [{"path": "/x/a.rs", "line": 7}], "rawInput": {"command": "ls"},
                "_meta": {"turnline": {"agent": "helper"}}}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
                "content": [{"type": "content", "content": {"type": "text", "text": "a.rs"}}],
                "locations": [{"path": "/x/b.rs"}], "rawOutput": {"exitCode": 0}}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "d", "status": "failed",
                "content": [{"type": "content", "content": {"type": "text", "text": "no"}}]}),
        ]
    );
}

#[test]
fn plans_notices_compactions_and_ends() {
    let got = updates(
        &mut able(),
        &[
            json!({"type": "plan", "entries": [{"content": "a", "status": "completed", "priority": "high"}, {"content": "b", "status": "odd"}]}),
            json!({"type": "notice", "severity": "warning", "code": "retry", "message": "Again\nin a second"}),
            json!({"type": "notice", "severity": "error", "code": "E1", "message": ""}),
            json!({"type": "compaction", "phase": "started"}),
            json!({"type": "compaction", "phase": "ended"}),
            json!({"type": "compaction", "phase": "ended"}),
        ],
    );
    assert_eq!(
        got,
        [
            json!({"sessionUpdate": "plan", "entries": [
                {"content": "a", "priority": "high", "status": "completed"}, {"content": "b", "priority": "medium", "status": "pending"}]}),
            json!({"sessionUpdate": "notice", "severity": "warning", "title": "Again", "description": "Again\nin a second"}),
            json!({"sessionUpdate": "notice", "severity": "error", "title": "E1"}),
            json!({"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "in_progress"}),
            json!({"sessionUpdate": "compaction_update", "compactionId": "compaction-1", "status": "completed"}),
            json!({"sessionUpdate": "compaction_update", "compactionId": "compaction-2", "status": "completed"}),
        ]
    );
    let ends: Vec<Option<Value>> =
        StopReason::ALL.iter().map(|stop| acp::stop_reason(*stop).map(|stop| json!(stop))).collect();
    let said = |word: &str| Some(json!(word));
    // Budget, error and unknown have no word there.
    let want = [
        said("end_turn"),
        said("max_tokens"),
        said("max_turn_requests"),
        None,
        said("refusal"),
        said("cancelled"),
        None,
        None,
    ];
    assert_eq!(ends, want);
}

/// The recorded runs of every executor: what their chunks say is what their messages say, and every update reads back.
#[test]
fn recorded_runs_say_the_same_in_chunks() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpora/streams");
    let mut runs = 0;
    for (executor, folder) in [
        ("claude-code", "claude-code/2.1.332/07-partial-messages"),
        ("claude-code", "claude-code/2.1.332/16-subagent"),
        ("codex", "codex/0.171.0/shell-fail-recover"),
        ("opencode", "opencode/1.18.33/06-text-parts-parallel-tools"),
        ("gemini", "gemini/0.61.0/04-write-edit-read"),
        ("qwen", "qwen/0.24.4/05-reasoning"),
        ("pi", "pi/0.73.1/05-reasoning"),
        ("kimi", "kimi/2.1.0/02-bash-ok"),
    ] {
        let stream = std::fs::read(root.join(folder).join("stdout.jsonl")).unwrap();
        let mut parser = Parser::new(&Profile::builtin(executor).unwrap());
        parser.push(&stream);
        parser.eof();
        let mut exporter = able();
        // By message: its parts, as a reader of events builds them.
        let mut told: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let mut chunks: BTreeMap<String, String> = BTreeMap::new();
        while let Some(event) = parser.next_event() {
            if let EventKind::Message(message) = &event.kind
                && message.role == turnline::Role::Assistant
                && event.agent.is_none()
            {
                let parts = told.entry(message.message_id.as_ref().unwrap().to_string()).or_default();
                let text = parts.entry(format!("{:?}", message.part)).or_default();
                if !message.delta {
                    text.clear();
                }
                text.push_str(&message.text.decode());
            }
            let Some(update) = exporter.export(&event) else { continue };
            let json = serde_json::to_value(&update).unwrap();
            if json["update"]["sessionUpdate"] == "agent_message_chunk" {
                let id = json["update"]["messageId"].as_str().unwrap().to_owned();
                chunks.entry(id).or_default().push_str(json["update"]["content"]["text"].as_str().unwrap());
            }
            assert_eq!(serde_json::from_value::<SessionNotification>(json).unwrap(), update, "{folder}");
        }
        let told: BTreeMap<String, String> = told
            .into_iter()
            .map(|(id, parts)| (id, parts.into_values().collect::<String>()))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        assert!(!told.is_empty(), "{folder}");
        assert_eq!(chunks, told, "{folder}");
        runs += 1;
    }
    assert_eq!(runs, 8);
}

#[test]
fn usage_in_the_names_of_the_conventions() {
    let mut usage = TokenUsage::default();
    (usage.input, usage.cache_read, usage.cache_write) = (Some(1), Some(20), Some(300));
    (usage.output, usage.reasoning, usage.total) = (Some(4000), Some(50_000), Some(54_321));
    let mut model = ModelUsage::default();
    model.model = "fast-1".into();
    let mut envelope = Envelope::default();
    envelope.executor = "codex".into();
    envelope.session_id = Some("s-1".into());
    envelope.usage = Some(usage);
    envelope.model_usage = vec![model.clone()];
    let text = |text: &str| otel::Value::Text(text.into());
    let want = [
        ("gen_ai.operation.name", text("invoke_agent")),
        ("gen_ai.agent.name", text("codex")),
        ("gen_ai.conversation.id", text("s-1")),
        ("gen_ai.response.model", text("fast-1")),
        ("gen_ai.usage.input_tokens", otel::Value::Int(321)),
        ("gen_ai.usage.cache_read.input_tokens", otel::Value::Int(20)),
        ("gen_ai.usage.cache_creation.input_tokens", otel::Value::Int(300)),
        ("gen_ai.usage.output_tokens", otel::Value::Int(54_000)),
        ("gen_ai.usage.reasoning.output_tokens", otel::Value::Int(50_000)),
    ];
    assert_eq!(otel::attributes(&envelope), want);
    // Of several models none is named; nothing is made of what is not known.
    envelope.model_usage.push(model);
    envelope.usage = None;
    assert_eq!(otel::attributes(&envelope), want[..3]);
    let failed = Parser::new(&Profile::builtin("codex").unwrap()).finish(&Exit::code(3));
    assert!(otel::attributes(&failed).contains(&("error.type", text("exit"))));
    let one = event(json!({"type": "usage", "input": 5, "model": "m"}));
    let EventKind::Usage(usage) = &one.kind else { panic!("{one:?}") };
    assert_eq!(
        otel::event(usage),
        [("gen_ai.response.model", text("m")), ("gen_ai.usage.input_tokens", otel::Value::Int(5))]
    );
    assert!(want.iter().all(|(key, _)| otel::KEYS.contains(key)));
    assert!(otel::NOT_EXPRESSED.iter().all(|(what, why)| !what.is_empty() && !why.is_empty()));
}
