//! Acts in the streams of every executor: the recorded calls of their shells, with another command in them.

use serde_json::Value;
use turnline_tests::conform::corpus::{Recording, recordings};
use turnline_tests::conform::diff::Diff;
use turnline_tests::conform::feed::{Chunks, Feed};
use turnline_tests::conform::input::Input;
use turnline_tests::oracles::compare;

const CLIS: &[&str] = &["claude-code", "codex", "opencode", "gemini", "qwen", "pi", "kimi"];

/// The same run with another command, wherever it stands in the stream.
fn with_command(recording: &Recording, from: &str, to: &str) -> Input {
    let stdout = String::from_utf8(recording.input.stdout.clone()).expect("text");
    assert!(stdout.contains(from), "{}", recording.name);
    Input { stdout: stdout.replace(from, to).into_bytes(), acts: true, ..recording.input.clone() }
}

/// The events and the envelope.
fn read(input: &Input) -> (Vec<Value>, Value) {
    let profile = input.profile().expect("a built-in profile");
    let transcript = input.transcribe(&profile, &Feed::push(Chunks::Each(7)));
    let lines = transcript.events.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let events = lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
    (events, serde_json::to_value(&transcript.envelope).expect("JSON"))
}

fn recording(cli: &str, name: &str) -> Recording {
    let mut all = recordings(cli).into_iter();
    all.find(|recording| recording.name.ends_with(name)).unwrap_or_else(|| panic!("no recording {cli} {name}"))
}

/// A recorded call of each executor's shell: its recording, the command in it, and whether it succeeded.
const CALLS: &[(&str, &str, &str, Option<bool>)] = &[
    ("claude-code", "1.0.128/02-bash-ok", "echo hello; echo oops >&2", Some(true)),
    ("claude-code", "2.1.332/02-bash-ok", "echo hello; echo oops >&2", Some(true)),
    ("claude-code", "2.1.332/03-bash-fails-then-recovers", "echo partial; echo broken >&2; exit 3", Some(false)),
    ("codex", "0.39.0/shell-ok", "echo hello && cat README.md", Some(true)),
    ("codex", "0.39.0/shell-fail-recover", "echo out; echo oops >&2; exit 3", Some(false)),
    ("codex", "0.42.0-experimental-json/shell-fail-recover", "echo out; echo oops >&2; exit 3", Some(false)),
    ("codex", "0.44.0/shell-ok", "echo hello && cat README.md", Some(true)),
    ("codex", "0.171.0/shell-ok", "echo hello && cat README.md", Some(true)),
    ("codex", "0.171.0/shell-fail-recover", "echo out; echo oops >&2; exit 3", Some(false)),
    // A command that exits 3 is `completed` there: its code says what came of it.
    ("opencode", "1.18.33/02-bash-ok", "echo hello from bash", Some(true)),
    ("opencode", "1.18.33/03-bash-fail-recover", "echo oops >&2; exit 3", Some(false)),
    ("gemini", "0.61.0/02-shell-ok", "echo hello from bash", Some(true)),
    ("qwen", "0.24.4/02-shell-ok", "echo hello from bash", Some(true)),
    ("pi", "0.73.1/02-bash-ok", "echo hello from bash", Some(true)),
    ("kimi", "2.1.0/02-bash-ok", "echo hello from bash", Some(true)),
];

#[test]
fn a_push_is_found_in_every_executors_calls() {
    for (cli, name, command, ok) in CALLS {
        let input = with_command(&recording(cli, name), command, "git push origin main");
        let (events, envelope) = read(&input);
        let acts: Vec<&Value> = events.iter().filter(|event| event["type"] == "act").collect();
        assert_eq!(acts.len(), 1, "{cli} {name}");
        let act = acts[0];
        assert_eq!(act["kind"], "push_to_trunk", "{cli} {name}");
        assert_eq!(act["target"], "origin main", "{cli} {name}");
        assert_eq!(act["ok"].as_bool(), *ok, "{cli} {name}");
        // It stands behind the update that ended its call.
        let at = act["seq"].as_u64().expect("a number") as usize;
        assert_eq!(events[at - 1]["type"], "tool_call_update", "{cli} {name}");
        assert_eq!(events[at - 1]["tool_call_id"], act["tool_call_id"], "{cli} {name}");
        assert_ne!(events[at - 1]["status"], "in_progress", "{cli} {name}");
        assert!(events.iter().enumerate().all(|(n, event)| event["seq"] == n), "{cli} {name}");
        assert_eq!(envelope["acts"][0]["act_id"], act["act_id"], "{cli} {name}");
        assert_eq!(envelope["acts"][0]["ok"].as_bool(), *ok, "{cli} {name}");
        assert_eq!(envelope["stream"]["events"], events.len(), "{cli} {name}");
    }
}

#[test]
fn the_shell_of_an_executor_without_recordings() {
    let stream = concat!(
        r#"{"type":"tool_call","subtype":"started","call_id":"c1","tool_call":{"shellToolCall":{"args":{"command":"git push -f"}}}}"#,
        "\n",
        r#"{"type":"tool_call","subtype":"completed","call_id":"c1","tool_call":{"shellToolCall":{"args":{"command":"git push -f"},"result":{"success":{"exitCode":0}}}}}"#,
        "\n",
    );
    let (_, envelope) = read(&Input { acts: true, ..Input::clean("cursor-agent", stream) });
    assert_eq!(envelope["acts"][0]["kind"], "push_forced");
    assert_eq!(envelope["acts"][0]["ok"], true);
}

/// The documented runs of executors that were never recorded, with another command in their shell.
#[test]
fn a_push_is_found_in_documented_calls() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/documented");
    for (executor, from, to, ok) in [
        ("amp", r#""cmd":"ls""#, r#""cmd":"git push""#, true),
        ("droid", r#""command":"ls -la""#, r#""command":"git push""#, true),
        ("goose", r#""command":"ls""#, r#""command":"git push""#, true),
        ("copilot", r#""command":"false""#, r#""command":"git push""#, false),
    ] {
        let stream =
            std::fs::read_to_string(root.join(executor).join("tool-then-answer/stdout.jsonl")).expect("a stream");
        assert!(stream.contains(from), "{executor}");
        let (events, envelope) = read(&Input { acts: true, ..Input::clean(executor, stream.replace(from, to)) });
        assert_eq!(events.iter().filter(|event| event["type"] == "act").count(), 1, "{executor}");
        assert_eq!(envelope["acts"][0]["kind"], "push", "{executor}");
        assert_eq!(envelope["acts"][0]["ok"], ok, "{executor}: {}", envelope["acts"]);
    }
}

/// An executor whose commands nobody looks for would be one of which no act is ever told.
#[test]
fn every_tool_that_runs_commands_says_where_its_command_is() {
    // These tell of commands that were started before, or have no input.
    let others = ["BashOutput", "KillShell"];
    for id in turnline::catalogue::ids() {
        let profile = turnline::Profile::builtin(id).expect("a built-in profile");
        let tools = &profile.spec().tools;
        let runs = tools.kinds.iter().filter(|(_, kind)| **kind == turnline::ToolKind::Execute).map(|(name, _)| name);
        let silent: Vec<&String> =
            runs.filter(|name| !tools.commands.contains_key(*name) && !others.contains(&name.as_str())).collect();
        assert!(silent.is_empty(), "{id}: {silent:?}");
        let unknown: Vec<&String> =
            tools.commands.keys().filter(|name| tools.kinds.get(*name) != Some(&turnline::ToolKind::Execute)).collect();
        assert!(unknown.is_empty(), "{id}: {unknown:?} run no commands");
    }
}

#[test]
fn a_call_whose_end_never_came_has_an_act_of_which_nothing_is_known() {
    let whole = with_command(&recording("codex", "0.171.0/shell-ok"), "echo hello && cat README.md", "git push");
    let start = whole.stdout.windows(14).position(|window| window == b"\"item.started\"").expect("a start");
    let end = start + whole.stdout[start..].iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let (events, envelope) = read(&Input { stdout: whole.stdout[..end].to_vec(), ..whole });
    let act = events.iter().find(|event| event["type"] == "act").expect("an act");
    assert_eq!((&act["ok"], &act["synthetic"]), (&Value::Null, &Value::Bool(true)));
    assert_eq!(envelope["acts"][0]["ok"], Value::Null);
    assert_eq!(events.last().expect("events")["type"], "turn_ended");
}

#[test]
fn acts_are_off_unless_asked_for() {
    let input = with_command(&recording("codex", "0.171.0/shell-ok"), "echo hello && cat README.md", "git push");
    let (events, envelope) = read(&Input { acts: false, ..input });
    assert!(events.iter().all(|event| event["type"] != "act"));
    assert_eq!(envelope["acts"], Value::Array(Vec::new()));
}

#[test]
fn the_reference_finds_the_same_in_streams_full_of_acts() {
    let mut diff = Diff::new();
    for (cli, name, command, _) in CALLS {
        let lines = ["git push -f; rm -rf a b c", "gh pr create --fill && gh pr merge 7", "GH_TOKEN=x npm publish"];
        for line in lines {
            let input = with_command(&recording(cli, name), command, line);
            compare(&input, &input.profile().expect("a built-in profile"), &mut diff);
        }
    }
    assert_eq!(diff.into_vec(), Vec::<String>::new());
}

/// In no recording a command does what only its words look like: the one that deletes was never allowed to run.
#[test]
fn the_recordings_own_acts() {
    let mut found = std::collections::BTreeSet::new();
    for recording in CLIS.iter().flat_map(|cli| recordings(cli)) {
        let input = Input { acts: true, ..recording.input.clone() };
        let profile = input.profile().expect("a built-in profile");
        for act in input.whole(&profile).envelope.acts {
            found.insert(format!("{} {}: {:?}", input.executor, act.command.unwrap_or_default(), act.ok));
        }
    }
    assert_eq!(found.into_iter().collect::<Vec<_>>(), RECORDED);
}

const RECORDED: &[&str] = &["claude-code rm -rf /home/user/project/x: Some(false)"];
