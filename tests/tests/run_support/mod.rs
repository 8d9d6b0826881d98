//! What the tests of runs share.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use turnline::{Envelope, Event, EventKind, Profile};
use turnline_tests::process::{alive, own_zombies, pid_in};
use turnline_tokio::tree::{Marker, leftovers};
use turnline_tokio::{Run, Runner};

pub const FAKE: &str = env!("CARGO_BIN_EXE_fake-executor");
pub const SESSION: &str = "7d1f0c52-3b6e-4c0a-9f7e-52a1b0c3d401";
pub const INIT: &str = r#"print {"type":"system","subtype":"init","session_id":"7d1f0c52-3b6e-4c0a-9f7e-52a1b0c3d401","tools":["Bash"],"model":"claude-sonnet-4-5"}
"#;

/// The line of a clean end with this answer.
pub fn result(answer: &str) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"result":"{answer}","session_id":"{SESSION}","total_cost_usd":0.01,"usage":{{"input_tokens":3,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}}}"#
    )
}

/// Reads the prompt, begins, and ends with `done`.
pub fn clean() -> String {
    format!("read-stdin\n{INIT}print {}\n", result("done"))
}

/// A runner of the fake executor in the part of claude-code; `$D` in its script is the folder.
pub fn fake(script: &str) -> Fake {
    Fake::of("claude-code", script)
}

pub struct Fake {
    pub runner: Runner,
    pub dir: TempDir,
}

impl Fake {
    pub fn of(executor: &str, script: &str) -> Self {
        let dir = TempDir::new().unwrap();
        let mut runner = Runner::new(&Profile::builtin(executor).unwrap());
        let script = script.replace("$D", &dir.path().to_string_lossy());
        runner.program(FAKE).prompt("hello").env("FAKE_SCRIPT", script);
        Fake { runner, dir }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn pid(&self, name: &str) -> u32 {
        pid_in(&self.path(name))
    }

    /// Waits for a file that the script leaves.
    pub async fn appears(&self, name: &str) {
        appears(&self.path(name)).await;
    }

    pub fn spawn(&self) -> Run {
        self.runner.spawn().unwrap()
    }

    pub async fn run(&self) -> Envelope {
        within(60, self.runner.run()).await.unwrap()
    }
}

pub async fn appears(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain for {}", path.display());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What must be done in so many seconds, or the test fails instead of hanging.
pub async fn within<T>(seconds: u64, what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(seconds), what).await.expect("it takes too long")
}

/// Takes events up to the session's beginning.
pub async fn started(run: &mut Run) {
    while let Some(event) = within(30, run.next_event()).await {
        if matches!(event.kind, EventKind::SessionStarted(_)) {
            return;
        }
    }
    panic!("it ended before it began");
}

pub async fn all_events(run: &mut Run) -> Vec<Event<'static>> {
    let mut all = Vec::new();
    while let Some(event) = within(60, run.next_event()).await {
        all.push(event.into_owned());
    }
    all
}

pub fn texts(events: &[Event<'_>]) -> Vec<String> {
    let message = |event: &Event<'_>| match &event.kind {
        EventKind::Message(message) => Some(message.text.decode().into_owned()),
        _ => None,
    };
    events.iter().filter_map(message).collect()
}

/// Nothing carries the marker, none of the processes lives, and the child is reaped.
pub fn nothing_left(marker: &str, pids: &[u32]) {
    assert_eq!(leftovers(&Marker::named(marker).unwrap()), [0; 0]);
    for pid in pids {
        assert!(!alive(*pid), "{pid} lives on");
    }
}

pub fn no_zombies(but: &[u32]) {
    let zombies: Vec<_> = own_zombies().into_iter().filter(|pid| !but.contains(pid)).collect();
    assert_eq!(zombies, [0; 0]);
}

pub fn open_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Kilobytes of memory that this process has had at most, and has now.
pub fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches("kB").trim().parse().unwrap()
    };
    (field("VmHWM:"), field("VmRSS:"))
}

/// How often a thing is done that chance decides; `TURNLINE_REPEAT` multiplies it.
pub fn times(usual: usize) -> usize {
    let factor = std::env::var("TURNLINE_REPEAT").ok().and_then(|times| times.parse().ok()).unwrap_or(1.0_f64);
    ((usual as f64 * factor) as usize).max(1)
}

/// Whether this is the process of its own that the test wants; otherwise the test is run in one, prepared by `with`.
pub fn in_own_process(test: &str, with: impl FnOnce(&mut Command)) -> bool {
    if std::env::var_os("OWN_PROCESS").is_some_and(|name| name == test) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env("OWN_PROCESS", test);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    with(&mut command);
    let mut child = command.spawn().unwrap();
    // Held open, and silent, where it is a pipe.
    let stdin = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    println!("{said}");
    false
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}
