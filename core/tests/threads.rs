//! The example driver on std threads, with real processes: the machine's decisions carry it.
#![cfg(unix)]

#[path = "../examples/threads.rs"]
#[allow(dead_code, unreachable_pub)]
mod threads;

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use threads::driver;
use turnline::launch::{Request, Via};
use turnline::{Envelope, Profile, Status};

const INIT: &str = r#"echo '{"type":"system","subtype":"init","session_id":"s-1","tools":[],"model":"m"}'"#;
const RESULT: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s-1","total_cost_usd":0.01,"usage":{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}'"#;

/// A script in place of the executor. Its text comes by a variable: a file that is written while other tests start
/// processes cannot always be executed.
fn script(text: &str, prompt: &str) -> Request {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let path = std::env::temp_dir().join(format!("turnline-threads-{}", std::process::id()));
        std::fs::write(&path, "#!/bin/sh\neval \"$SCRIPT\"\n").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path
    });
    Request::new(prompt).program(program.to_str().unwrap()).env("SCRIPT", text)
}

fn run(request: &Request) -> Envelope {
    driver::run(&Profile::builtin("claude-code").unwrap(), request, |_| {}, |_| {}).unwrap()
}

#[test]
fn prompt_and_answer_of_any_size() {
    // It prints 4 MiB before it reads a prompt of 4 MiB.
    let text = format!(
        "i=0; while [ $i -lt 64 ]; do head -c 65535 /dev/zero | tr '\\0' 'x'; echo; i=$((i+1)); done\n{INIT}\nn=$(wc -c)\n{} | sed \"s/done/read $n/\"",
        RESULT
    );
    let envelope = run(&script(&text, &"p".repeat(4 << 20)));
    assert_eq!(envelope.status, Status::Ok, "{:?}", envelope.errors);
    assert_eq!(envelope.result.unwrap().replace(' ', ""), "read4194304");
    assert_eq!(envelope.stream.malformed_lines, 64);
    assert!(envelope.timing.unwrap().run_ms.unwrap() > 0.0);
}

#[test]
fn stdin_is_at_its_end_when_the_prompt_is_an_argument() {
    let text = format!("{INIT}\nn=$(wc -c)\n{RESULT} | sed \"s/done/read $n/\"");
    let envelope = run(&script(&text, "hello").via(Via::Argument));
    assert_eq!(envelope.result.unwrap().replace(' ', ""), "read0");
}

/// Cancels a run at its first event: by then the script has set its traps.
fn cancelled(request: &Request) -> Envelope {
    let (seen, first) = std::sync::mpsc::channel();
    let cancel = |cancel: driver::Cancel| {
        std::thread::spawn(move || first.recv().map(|()| cancel()));
    };
    let show = |_: &turnline::Event<'_>| _ = seen.send(());
    driver::run(&Profile::builtin("claude-code").unwrap(), request, show, cancel).unwrap()
}

/// Whether this process ignores SIGINT, which what it starts then does too; false where that cannot be told.
fn interrupts_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

#[test]
fn cancelled_with_a_chance_to_clean_up() {
    let begun = Instant::now();
    let envelope =
        cancelled(&script(&format!("trap 'echo saved >&2; exit 0' INT\n{INIT}\nwhile :; do sleep 0.05; done"), "hi"));
    assert_eq!((envelope.status, envelope.session_id.as_deref()), (Status::Cancelled, Some("s-1")));
    // A shell traps no signal that was ignored when it was started, as in a job in the background of another shell.
    assert!(interrupts_are_ignored() || envelope.stderr.head.contains("saved"), "{:?}", envelope.stderr);
    assert!(begun.elapsed() < Duration::from_secs(4) || interrupts_are_ignored());
}

#[test]
fn killed_when_the_grace_is_over() {
    let text = format!("trap '' INT\n{INIT}\nwhile :; do sleep 0.05; done");
    let envelope = cancelled(&script(&text, "hi").grace(Duration::from_millis(200)));
    assert_eq!((envelope.status, envelope.exit.signal), (Status::Cancelled, Some(9)));
}

#[test]
fn one_that_never_exits_and_leaves_a_child() {
    let text = format!("cat >/dev/null\n{INIT}\n{RESULT}\nsleep 600 &\nwait");
    let request =
        script(&text, "hi").after_terminal(Some(Duration::from_millis(200))).grace(Duration::from_millis(200));
    let envelope = run(&request);
    assert_eq!((envelope.status, envelope.result.as_deref()), (Status::Ok, Some("done")), "{:?}", envelope.errors);
}

#[test]
fn a_pipe_that_is_held_is_not_waited_for() {
    let text = format!("cat >/dev/null\n{INIT}\n{RESULT}\n(trap '' INT; sleep 600) &\nexit 0");
    let begun = Instant::now();
    let envelope = run(&script(&text, "hi").drain(Some(Duration::from_millis(300))));
    assert_eq!(envelope.status, Status::Ok, "{:?}", envelope.errors);
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[test]
fn what_cannot_be_started() {
    let missing = run(&Request::new("hi").program("/nowhere/tool"));
    assert_eq!(missing.errors[0].code.as_str(), "executor_unavailable");
    assert_eq!(missing.errors[0].class.as_str(), "not_found");
    let nowhere = run(&script("exit", "hi").cwd("/nowhere/at/all"));
    assert_eq!(nowhere.errors[0].class.as_str(), "working_directory");
    assert!(driver::run(&Profile::builtin("claude-code").unwrap(), &Request::new(""), |_| {}, |_| {}).is_err());
}
