//! `turnline run`: flags, prompt, output, signals, readers that go away, exit status.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use run_support::{FAKE, INIT, SESSION, clean, result};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;
use turnline_tests::process::{PATIENCE, eventually, ignored, pid_in};
use turnline_tokio::tree::{Marker, leftovers};

const SECOND: Duration = Duration::from_secs(1);

/// The command with the fake executor; what it starts carries a marker by which it is found again.
struct Ran {
    command: Command,
    marker: Marker,
    dir: TempDir,
}

impl Ran {
    fn new(script: &str, args: &[&str]) -> Self {
        let dir = TempDir::new().unwrap();
        let marker = Marker::unique();
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnline-command"));
        command.arg("run").args(["--program", FAKE]).args(args);
        command.env("FAKE_SCRIPT", script.replace("$D", &dir.path().to_string_lossy()));
        command.env("TURNLINE_RUN", marker.as_str()).env("NO_COLOR", "1");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ran { command, marker, dir }
    }

    fn start(&mut self) -> Child {
        self.command.spawn().unwrap()
    }

    /// Runs it to its end: exit status, standard output, standard error.
    fn run(&mut self, stdin: &str) -> (i32, String, String) {
        self.command.stdin(Stdio::piped());
        let mut child = self.start();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        self.end(child)
    }

    fn end(&self, child: Child) -> (i32, String, String) {
        let output = child.wait_with_output().unwrap();
        assert_eq!(leftovers(&self.marker), [0; 0]);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().expect("an exit status"), text(output.stdout), text(output.stderr))
    }

    /// Its exit status, within that time.
    fn ends_within(&self, child: &mut Child, limit: Duration) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                assert_eq!(leftovers(&self.marker), [0; 0]);
                return status.code().expect("an exit status");
            }
            assert!(begun.elapsed() < limit, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn pid(&self, name: &str) -> u32 {
        pid_in(&self.dir.path().join(name))
    }

    fn argv(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.dir.path().join("argv")).unwrap()).unwrap()
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[test]
fn events_as_lines_and_the_envelope_last() {
    let (code, stdout, stderr) = Ran::new(&clean(), &["Say one word."]).run("");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lines = lines(&stdout);
    assert_eq!(lines[0]["type"], "session_started");
    let (envelope, events) = lines.split_last().unwrap();
    assert_eq!(
        (&envelope["type"], &envelope["status"], &envelope["result"]),
        (&"envelope".into(), &"ok".into(), &"done".into())
    );
    assert!(events.iter().enumerate().all(|(at, event)| event["seq"] == at));
    for name in ["spawn_setup_ms", "first_byte_ms", "first_event_ms", "run_ms"] {
        assert!(envelope["timing"][name].as_f64().is_some_and(|ms| ms > 0.0), "{name}");
    }
    let (code, stdout, _) = Ran::new(&clean(), &["--output", "text", "Say one word."]).run("");
    assert_eq!(code, 0);
    assert!(stdout.contains("done") && !stdout.contains("\"type\"") && !stdout.contains('\u{1b}'), "{stdout}");
}

#[test]
fn acts_are_told_to_who_asks_for_them() {
    const KEY: &str = "a1B2c3D4e5F6g7H8i9J0";
    let call = |id: &str, command: &str| {
        format!(
            r#"print {{"type":"assistant","message":{{"id":"{id}","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{command}"}}}}]}}}}"#
        )
    };
    let end = |id: &str, output: &str, failed: bool| {
        format!(
            r#"print {{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{output}","is_error":{failed}}}]}}}}"#
        )
    };
    let script = [
        format!("read-stdin\n{}", INIT.trim_end()),
        call("c-1", &format!("git push https://me:{KEY}@example.org/r.git fix-7")),
        end("c-1", "error: failed to push some refs", true),
        call("c-2", &format!("GH_TOKEN={KEY} gh pr create --fill")),
        end("c-2", "https://github.com/o/r/pull/12", false),
        format!("print {}\n", result("done")),
    ];
    let script = script.join("\n");
    let (code, stdout, stderr) = Ran::new(&script, &["--acts", "x"]).run("");
    assert_eq!((code, stderr.as_str()), (0, ""));
    let told = lines(&stdout);
    let (envelope, events) = told.split_last().unwrap();
    let acts: Vec<&Value> = events.iter().filter(|event| event["type"] == "act").collect();
    let kept = envelope["acts"].as_array().unwrap();
    let want = [
        ("push", "git push https://[redacted]@example.org/r.git fix-7", false),
        ("pull_request_opened", "GH_TOKEN=[redacted] gh pr create --fill", true),
    ];
    assert_eq!((acts.len(), kept.len()), (want.len(), want.len()), "{stdout}");
    for ((event, record), (kind, command, ok)) in acts.iter().zip(kept).zip(want) {
        for act in [event, record] {
            assert_eq!(
                (&act["kind"], &act["command"], &act["ok"]),
                (&kind.into(), &command.into(), &ok.into()),
                "{act}"
            );
        }
    }
    // The call itself is told as the executor printed it; nothing else holds the key.
    let holds = |line: &&Value| line["type"] != "tool_call" && line.to_string().contains(KEY);
    assert_eq!(told.iter().find(holds), None);
    let (code, stdout, _) = Ran::new(&script, &["x"]).run("");
    let told = lines(&stdout);
    assert_eq!((code, told.iter().find(|line| line["type"] == "act")), (0, None));
    assert_eq!(told.last().unwrap()["acts"], serde_json::json!([]));
}

#[test]
fn the_prompt_and_what_goes_with_it() {
    let script = format!("record-argv $D/argv\nread-stdin\n{INIT}print-vars {}\n", result("@BYTES@"));
    let answer = |ran: &mut Ran, stdin: &str| {
        let (code, stdout, stderr) = ran.run(stdin);
        assert_eq!(code, 0, "{stderr}");
        lines(&stdout).pop().unwrap()["result"].as_str().unwrap().to_owned()
    };
    assert_eq!(answer(&mut Ran::new(&script, &["four"]), "ignored"), "4");
    assert_eq!(answer(&mut Ran::new(&script, &["-"]), "of standard input\n"), "18");
    assert_eq!(answer(&mut Ran::new(&script, &["--prompt=--help"]), ""), "6");
    let mut ran = Ran::new(&script, &["--model", "m-1", "--resume", SESSION, "ab", "--", "--extra", "-x"]);
    assert_eq!(answer(&mut ran, ""), "2");
    let argv = ran.argv();
    let argv: Vec<_> = argv["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()).collect();
    for pair in [["--model", "m-1"], ["--resume", SESSION], ["--extra", "-x"]] {
        assert!(argv.windows(2).any(|two| two == pair), "{argv:?}");
    }
    let there = TempDir::new().unwrap();
    let there = there.path().canonicalize().unwrap();
    let mut ran = Ran::new(&script, &["--cwd", there.to_str().unwrap(), "ab"]);
    answer(&mut ran, "");
    assert_eq!((ran.argv()["cwd"].as_str(), ran.argv()["env"]["PWD"].as_str()), (there.to_str(), there.to_str()));
}

#[test]
fn each_verdict_has_its_exit_status() {
    let (code, stdout, _) = Ran::new("read-stdin\nprint-err Invalid API key\nexit 1\n", &["x"]).run("");
    assert_eq!((code, &lines(&stdout).pop().unwrap()["status"]), (1, &"failed".into()));
    let begun = Instant::now();
    let (code, stdout, _) = Ran::new(&format!("{INIT}wait-forever\n"), &["--timeout", "0.3", "x"]).run("");
    assert_eq!((code, &lines(&stdout).pop().unwrap()["errors"][0]["code"]), (1, &"executor_timed_out".into()));
    assert!(begun.elapsed() < 10 * SECOND);
    for (args, part) in [
        (&["x", "--program", "/nowhere/tool"][..], "not_found"),
        (&["x", "--program", "/etc/hostname"][..], "not_executable"),
        (&["x", "--cwd", "/nowhere/at/all"][..], "working_directory"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnline-command"));
        let output = command.arg("run").args(args).env("PATH", "/nowhere").output().unwrap();
        let envelope = lines(&String::from_utf8(output.stdout).unwrap()).pop().unwrap();
        assert_eq!((output.status.code(), &envelope["errors"][0]["code"]), (Some(1), &"executor_unavailable".into()));
        assert_eq!(envelope["errors"][0]["class"], part, "{envelope}");
        assert!(envelope["errors"][0]["message"].as_str().unwrap().contains(args[2]), "{envelope}");
    }
}

#[test]
fn wrong_usage_is_told_and_nothing_is_started() {
    for (args, part) in [
        (&[][..], "PROMPT"),
        (&["a", "b"][..], "unexpected"),
        (&[""][..], "request_invalid"),
        (&["--prompt=x", "y"][..], "cannot be used with"),
        (&["--executor", "nobody", "x"][..], "executor_not_found"),
        (&["--executor", "raw", "--model", "m", "x"][..], "request_invalid"),
        (&["--timeout", "soon", "x"][..], "seconds"),
        (&["--profile", "/nowhere.toml", "x"][..], "/nowhere.toml"),
    ] {
        let (code, stdout, stderr) = Ran::new("touch $D/started\n", args).run("");
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(part), "{args:?}: {stderr}");
    }
}

#[test]
fn the_first_signal_cancels_politely() {
    // A signal that was ignored when the tests began (`nohup`) stays ignored in all they start, as it should.
    for sent in
        [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT].into_iter().filter(|sent| !ignored(sent.as_raw()))
    {
        let mut ran = Ran::new(
            &format!(
                "on INT\nsleep 100\nwrite $D/saved yes\nexit 0\nend\nfork\nsetsid\nwrite-pid $D/tool\nexec-sleep 600\nend\nwait-file $D/tool\n{INIT}touch $D/ready\nwait-forever\n"
            ),
            &["x"],
        );
        let child = ran.start();
        let ready = ran.dir.path().join("ready");
        eventually("the start", || ready.exists().then_some(()));
        signal(&child, sent);
        let (code, stdout, _) = ran.end(child);
        let envelope = lines(&stdout).pop().unwrap();
        assert_eq!((code, &envelope["status"], &envelope["session_id"]), (130, &"cancelled".into(), &SESSION.into()));
        assert!(ran.dir.path().join("saved").exists(), "it had no grace");
        assert!(!turnline_tests::process::alive(ran.pid("tool")));
    }
}

#[test]
fn the_second_signal_ends_it_at_once() {
    let mut ran = Ran::new(&format!("ignore INT\nignore TERM\n{INIT}touch $D/ready\nwait-forever\n"), &["x"]);
    let mut child = ran.start();
    let ready = ran.dir.path().join("ready");
    eventually("the start", || ready.exists().then_some(()));
    let sent = if ignored(Signal::INT.as_raw()) { Signal::TERM } else { Signal::INT };
    signal(&child, sent);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "the grace is 5 s");
    signal(&child, sent);
    let begun = Instant::now();
    assert_eq!(ran.ends_within(&mut child, PATIENCE), 130);
    assert!(begun.elapsed() < 3 * SECOND, "{:?}", begun.elapsed());
    // In a hurry too: the verdict comes, and comes last.
    let (_, stdout, _) = ran.end(child);
    let envelope = lines(&stdout).pop().unwrap();
    assert_eq!((&envelope["type"], &envelope["status"]), (&"envelope".into(), &"cancelled".into()), "{stdout}");
}

#[test]
fn what_the_caller_ignores_stays_ignored() {
    // As nohup does.
    let mut ran = Ran::new(&format!("{INIT}touch $D/ready\nwait-file $D/go\nprint {}\n", result("done")), &["x"]);
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(ran.command.get_program()).args(ran.command.get_args());
    command.envs(ran.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ran.command = command;
    let child = ran.start();
    let ready = ran.dir.path().join("ready");
    eventually("the start", || ready.exists().then_some(()));
    signal(&child, Signal::HUP);
    std::thread::sleep(Duration::from_millis(100));
    std::fs::write(ran.dir.path().join("go"), "").unwrap();
    assert_eq!(ran.end(child).0, 0);
}

#[test]
fn a_reader_that_goes_away_ends_the_tree() {
    // While it prints, and while it is silent.
    for rest in ["loop forever\nprint {\"type\":\"system\",\"subtype\":\"x\"}\nend\n", "wait-forever\n"] {
        let mut ran = Ran::new(&format!("fork\nsetsid\nexec-sleep 600\nend\n{INIT}{rest}"), &["x"]);
        let mut child = ran.start();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        assert!(line.contains("session_started"), "{line}");
        drop(reader);
        // `head -1` has seen what it wanted: nothing is complained about. The tool holds the pipes for the whole grace (5 s).
        assert_eq!(ran.ends_within(&mut child, 9 * SECOND), 130);
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "");
    }
}

#[test]
fn a_reader_that_takes_nothing_does_not_block_the_cancel() {
    let mut ran = Ran::new(
        &format!(
            "{INIT}repeat 20000 {{\"type\":\"system\",\"subtype\":\"x\",\"n\":@I@}}\ntouch $D/ready\nloop forever\nprint {{}}\nend\n"
        ),
        &["x"],
    );
    let mut child = ran.start();
    let ready = ran.dir.path().join("ready");
    eventually("the flood", || ready.exists().then_some(()));
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, Signal::TERM);
    // The executor is gone at once, the command when the reader has had its time.
    eventually("the tree's end", || (leftovers(&ran.marker) == [child.id()]).then_some(()));
    assert_eq!(ran.ends_within(&mut child, 6 * SECOND), 130);
}

#[test]
fn a_slow_reader_gets_all() {
    let mut ran = Ran::new(
        &format!(
            "read-stdin\n{INIT}repeat 30000 {{\"type\":\"system\",\"subtype\":\"x\",\"n\":@I@}}\nprint {}\n",
            result("done")
        ),
        &["x"],
    );
    let mut child = ran.start();
    std::thread::sleep(Duration::from_millis(500));
    let reader = BufReader::new(child.stdout.take().unwrap());
    let mut count = 0;
    let mut last = String::new();
    for line in reader.lines() {
        last = line.unwrap();
        count += 1;
    }
    let envelope: Value = serde_json::from_str(&last).unwrap();
    assert_eq!(envelope["stream"]["events"], count - 1);
    assert!(count > 30_000);
    assert_eq!(ran.ends_within(&mut child, 5 * SECOND), 0);
}

#[test]
fn events_are_shown_when_they_come() {
    let mut ran = Ran::new(&format!("{INIT}wait-file $D/go\nprint {}\n", result("done")), &["x"]);
    let mut child = ran.start();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.contains("session_started"), "{line}");
    std::fs::write(ran.dir.path().join("go"), "").unwrap();
    assert_eq!(ran.ends_within(&mut child, PATIENCE), 0);
}

#[test]
fn a_status_line_on_a_terminal() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let text = r#"print {"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
    let mut ran = Ran::new(&format!("{INIT}{text}\nsleep 1200\nprint {}\n", result("the answer")), &["x"]);
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = std::fs::File::options().read(true).write(true).open(name).unwrap();
    ran.command.stdout(slave.try_clone().unwrap()).stderr(slave).env("TERM", "xterm");
    let mut child = ran.start();
    // Our copies of the terminal's end: with them reading would never end.
    ran.command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    let mut master = std::fs::File::from(master);
    while let Ok(read @ 1..) = master.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..read]);
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("1 s · 1 tool · Ctrl-C cancels"), "{seen:?}");
    // The last one is erased before the end is told.
    let (_, after) = seen.rsplit_once("Ctrl-C cancels").unwrap();
    assert!(after.contains("\r\u{1b}[2K") && after.contains("the answer"), "{seen:?}");
}

/// A folder in which these commands are the fake executor.
fn commands(names: &[&str]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for name in names {
        std::os::unix::fs::symlink(FAKE, dir.path().join(name)).unwrap();
    }
    dir
}

/// `turnline run --executor auto` where nothing but these commands is in `PATH`.
fn auto(names: &[&str], program: Option<&str>) -> (i32, String, String) {
    let dir = commands(names);
    let mut ran = Ran::new(&clean(), &[]);
    let program = program.map(|name| dir.path().join(name).to_str().unwrap().to_owned());
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnline-command"));
    command.args(["run", "--executor", "auto", "Say one word."]).env("PATH", dir.path());
    command.args(program.iter().flat_map(|program| ["--program", program]));
    for (name, value) in ran.command.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ran.command = command;
    let child = ran.start();
    ran.end(child)
}

#[test]
fn auto_starts_the_only_executor_that_is_installed_or_the_one_that_is_named() {
    for (names, program) in [
        (&["claude"][..], None),
        // Commands that are nobody's are not in the way.
        (&["claude", "claudette", "sh"], None),
        (&["claude", "codex"], Some("claude")),
        (&["claude.exe", "codex"], Some("claude.exe")),
    ] {
        let (code, stdout, stderr) = auto(names, program);
        assert_eq!((code, stderr.as_str()), (0, ""), "{names:?} {program:?}");
        let envelope = lines(&stdout).pop().unwrap();
        assert_eq!((&envelope["executor"], &envelope["result"]), (&"claude-code".into(), &"done".into()));
    }
}

#[test]
fn auto_that_cannot_tell_starts_nothing() {
    for (names, program, code, words) in [
        (&["sh"][..], None, "executor_not_found", "claude, codex"),
        (&["codex", "claude"], None, "executor_ambiguous", "claude-code, codex;"),
        (&["claude", "wrapper"], Some("wrapper"), "executor_unknown", "'wrapper'"),
        (&["claude", "claude.sh"], Some("claude.sh"), "executor_unknown", "--profile"),
    ] {
        let (status, stdout, stderr) = auto(names, program);
        assert_eq!((status, stdout.as_str()), (2, ""), "{names:?}");
        assert!(stderr.contains(code) && stderr.contains(words), "{stderr}");
    }
}
