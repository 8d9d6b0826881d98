//! The examples, with a script in place of the executor.
#![cfg(unix)]
#![allow(missing_docs)]

#[path = "../examples/smol.rs"]
#[allow(dead_code, unreachable_pub)]
mod smol_example;

use smol_example::driver;
use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use turnline::launch::Request;
use turnline::{Envelope, Profile, Status};

const INIT: &str = r#"echo '{"type":"system","subtype":"init","session_id":"s-1","tools":[],"model":"m"}'"#;
const RESULT: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}'"#;

/// A program that does what a variable says: a file that is written while other tests start processes cannot always be executed.
fn program() -> &'static str {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("turnline-examples-{}", std::process::id()));
        std::fs::write(&path, "#!/bin/sh\neval \"$SCRIPT\"\n").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    });
    program.to_str().unwrap()
}

fn script(text: &str, prompt: &str) -> Request {
    Request::new(prompt).program(program()).env("SCRIPT", text)
}

fn run(request: &Request) -> Envelope {
    smol::block_on(driver::run(&Profile::builtin("claude-code").unwrap(), request, |_| {})).unwrap()
}

#[test]
fn the_driver_on_smol_moves_all_pipes() {
    let text = format!(
        "i=0; while [ $i -lt 32 ]; do head -c 65535 /dev/zero | tr '\\0' 'x'; echo; i=$((i+1)); done\n{INIT}\nn=$(wc -c)\n{RESULT} | sed \"s/done/read $n/\""
    );
    let envelope = run(&script(&text, &"p".repeat(2 << 20)));
    assert_eq!(envelope.status, Status::Ok, "{:?}", envelope.errors);
    assert_eq!(envelope.result.unwrap().replace(' ', ""), "read2097152");
    assert_eq!(envelope.stream.malformed_lines, 32);
}

#[test]
fn the_driver_on_smol_ends_what_lingers() {
    let text = format!("cat >/dev/null\n{INIT}\n{RESULT}\nsleep 600 &\nwait");
    let limit = Duration::from_millis(200);
    let envelope = run(&script(&text, "hi").after_terminal(Some(limit)).grace(limit));
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
    let begun = Instant::now();
    let envelope = run(&script(&format!("trap '' INT\n{INIT}\nsleep 600"), "hi").timeout(limit).grace(limit));
    assert_eq!(envelope.errors[0].code.as_str(), "executor_timed_out");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn the_driver_on_smol_tells_what_cannot_be_started() {
    let envelope = run(&Request::new("hi").program("/nowhere/tool"));
    assert_eq!(
        (envelope.errors[0].code.as_str(), envelope.errors[0].class.as_str()),
        ("executor_unavailable", "not_found")
    );
}

/// An example; built beside this test.
fn example(name: &str) -> Command {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    Command::new(folder.join("examples").join(name))
}

#[test]
fn a_chat() {
    const ASKS: &str = r#"echo '{"type":"control_request","request_id":"q-1","request":{"subtype":"can_use_tool","tool_name":"Bash","title":"Touch x?","input":{"command":"touch x"}}}'"#;
    // One turn asks, and another one does not; after them the input ends.
    const SAYS: &str = r#"echo '{"type":"assistant","message":{"id":"m-1","content":[{"type":"text","text":"done"}]},"session_id":"s-1"}'"#;
    let says = |word: &str| format!("{} ; {RESULT}", SAYS.replace("done", word));
    let part = format!(
        "while read -r line; do case $line in *touch*user*) {INIT}; {ASKS};; *'\"allow\"'*) {};; *'\"deny\"'*) {};; *user*) {INIT}; {};; esac; done",
        says("touched"),
        says("untouched"),
        says("done"),
    );
    let answers = |last: &str| {
        let mut child = example("chat")
            .args(["claude-code", program()])
            .env("SCRIPT", &part)
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut told = String::new();
        let mut until = |words: &str| {
            let begun = Instant::now();
            while !told.contains(words) {
                let mut byte = [0; 512];
                let read = stdout.read(&mut byte).unwrap();
                assert!(read > 0 && begun.elapsed() < Duration::from_secs(30), "{words}? {told}");
                told.push_str(&String::from_utf8_lossy(&byte[..read]));
            }
        };
        stdin.write_all(b"hello\n").unwrap();
        until("done");
        stdin.write_all(b"please touch\n").unwrap();
        until("Touch x? {\"command\":\"touch x\"}\nAllow it? [y/n] ");
        stdin.write_all(last.as_bytes()).unwrap();
        drop(stdin);
        until("touched");
        assert!(child.wait().unwrap().success());
        told
    };
    assert!(!answers("y\n").contains("untouched"));
    assert!(answers("n\n").contains("untouched"));
    // Nobody is there to answer.
    assert!(answers("").contains("untouched"));
}

#[test]
fn both_programs_run() {
    for name in ["run", "smol"] {
        let output = example(name)
            .args(["claude-code", "hi", program()])
            .env("SCRIPT", format!("cat >/dev/null\n{INIT}\n{RESULT}"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(
            text.contains("session_started") && text.contains("\"done\"") && text.trim_end().ends_with('}'),
            "{text}"
        );
    }
}

/// Each executor is told apart by its own first argument; one fails.
const THREE: &str = r#"cat >/dev/null
case "$1" in
--print) echo '{"type":"system","subtype":"init","session_id":"s-1","tools":[],"model":"m"}'
  echo '{"type":"assistant","message":{"id":"m-1","content":[{"type":"tool_use","id":"t-1","name":"Bash","input":{"command":"git push origin main","description":"Push"}}]},"session_id":"s-1"}'
  echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t-1","content":"ok","is_error":false}]},"session_id":"s-1"}'
  echo '{"type":"result","subtype":"success","is_error":false,"result":"Blue.","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":30,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12}}' ;;
exec) echo '{"type":"thread.started","thread_id":"t"}'
  echo '{"type":"turn.started"}'
  echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"blue"}}'
  echo '{"type":"turn.completed","usage":{"input_tokens":20,"cached_input_tokens":5,"output_tokens":4}}' ;;
run) echo 'no key' >&2; exit 3 ;;
esac"#;

#[test]
fn the_supervisor_compares_three() {
    let mut folder = std::env::current_exe().unwrap();
    folder.pop();
    folder.pop();
    let supervise = |executors: &[&str]| {
        let executors = executors.iter().map(|id| format!("{id}={}", program()));
        let command = folder.join("examples").join("supervisor");
        let output = Command::new(command).arg("Which colour?").args(executors).env("SCRIPT", THREE).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (success, text, errors) = supervise(&["claude-code", "codex", "opencode"]);
    assert!(success, "{errors}");
    let row = |id: &str| {
        let row =
            text.lines().find(|line| line.starts_with(&format!("{id} "))).unwrap_or_else(|| panic!("{id}: {text}"));
        row.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("claude-code")[3..], ["42", "1", "1", "Blue."]);
    assert_eq!(row("codex")[3..], ["24", "0", "0", "blue"]);
    assert_eq!(row("opencode")[1], "failed");
    assert_eq!(row("opencode")[3], "?");
    for said in [
        "claude-code: Bash Push",
        "claude-code: ! push_to_trunk origin main",
        "All 2 answers say the same.",
        "The fewest tokens took codex: 24.",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let (success, text, _) = supervise(&["opencode"]);
    assert!(!success && text.contains("None of them came to an answer."), "{text}");
    let (success, text, errors) = supervise(&["claude-code", "no-such-cli"]);
    assert!(!success && text.is_empty() && errors.contains("there is no executor 'no-such-cli'"), "{text}{errors}");
}
