//! The public reports about launching (standard input, arguments, working directory, environment), each played by the
//! fake executor.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod run_support;

use std::process::Stdio;

use run_support::*;
use tempfile::TempDir;
use turnline::launch::{Host, LaunchErrorKind, Platform, Request, Via, plan};
use turnline::{Profile, Status};

#[test]
fn b128_stdin_left_open() {
    // Of a parent whose own stdin is open and silent.
    if !in_own_process("b128_stdin_left_open", |command| _ = command.stdin(Stdio::piped())) {
        return;
    }
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
        let script = format!("read-stdin\n{INIT}print-vars {}\n", result("read @BYTES@ bytes"));
        for (via, bytes) in [(Via::Argument, 0), (Via::Stdin, 5)] {
            let mut fake = fake(&script);
            fake.runner.via(via);
            assert_eq!(fake.run().await.result.unwrap(), format!("read {bytes} bytes"));
            // No copy of the write end is in another child.
            let runs: Vec<_> = (0..20).map(|_| fake.spawn()).collect();
            for run in runs {
                assert_eq!(within(30, run.wait()).await.result.unwrap(), format!("read {bytes} bytes"));
            }
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b131_a_prompt_larger_than_an_argument_may_be() {
    let script = format!("record-argv $D/argv\nread-stdin\n{INIT}print-vars {}\n", result("@BYTES@ @FNV@"));
    for size in [200 << 10, 3 << 20] {
        let mut prompt = "Zeile, ünd mehr: 漢字\n".repeat(size / 26);
        prompt.push_str("no line end");
        let mut fake = fake(&script);
        fake.runner.prompt(&prompt);
        let envelope = fake.run().await;
        assert_eq!(envelope.result.unwrap(), format!("{} {:016x}", prompt.len(), fnv(prompt.as_bytes())));
        let argv: serde_json::Value = serde_json::from_slice(&std::fs::read(fake.path("argv")).unwrap()).unwrap();
        let longest = argv["argv"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().len()).max().unwrap();
        assert!(longest < 1000, "{longest}");
        fake.runner.via(Via::Argument);
        let refused = fake.runner.spawn().unwrap_err();
        assert_eq!(refused.kind(), LaunchErrorKind::ArgumentTooLong);
        assert!(refused.message().contains("100000") || refused.message().contains("100,000"), "{refused}");
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn b135_a_shim_of_cmd_is_given_nothing() {
    let profile = Profile::builtin("claude-code").unwrap();
    let request = Request::new("line one\nline two & echo INJECTED %PATH% \"q\"");
    for (resolved, refused) in [("claude.cmd", true), ("claude.BAT", true), ("claude.exe", false)] {
        let mut host = Host::default();
        host.platform = Platform::Windows;
        host.current_dir = Some(r"C:\w".into());
        host.resolved = Some(format!(r"C:\npm\{resolved}"));
        match plan(&profile.spec().launch, profile.command(), &request, &host) {
            Err(error) => assert!(refused && error.kind() == LaunchErrorKind::ShellShim, "{error}"),
            Ok(plan) => {
                assert!(!refused);
                assert!(
                    plan.args.iter().all(|arg| !arg.contains("INJECTED")) && plan.args.contains(&"stream-json".into())
                );
            }
        }
    }
}

const GIVEN: &str = r#"read-stdin
print {"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start"}}
print-vars {"type":"text","timestamp":2,"sessionID":"ses_1","part":{"id":"prt_1","type":"text","text":"PWD=@env:PWD@ OLDPWD=@env:OLDPWD@ in @CWD@"}}
print {"type":"step_finish","timestamp":3,"sessionID":"ses_1","part":{"id":"prt_2","type":"step-finish","reason":"stop","cost":0,"tokens":{"input":1,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}}}
"#;

/// What the child was given, and where it is: as text, and as the kernel tells it of the process.
async fn given(prepare: impl FnOnce(&mut turnline_tokio::Runner)) -> (String, String) {
    let mut fake =
        Fake::of("opencode", &GIVEN.replace("read-stdin\n", "read-stdin\nwrite-pid $D/pid\nwait-file $D/go\n"));
    prepare(&mut fake.runner);
    let run = fake.spawn();
    fake.appears("pid").await;
    let environ = std::fs::read(format!("/proc/{}/environ", fake.pid("pid"))).unwrap();
    let pwd = environ.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(b"PWD="));
    let pwd = String::from_utf8(pwd.unwrap_or(b"none").to_vec()).unwrap();
    std::fs::write(fake.path("go"), "").unwrap();
    (within(30, run.wait()).await.result.unwrap(), pwd)
}

#[test]
fn b137_pwd_is_the_working_directory() {
    let name = "b137_pwd_is_the_working_directory";
    let parent = TempDir::new().unwrap();
    // What the parent's PWD says: another directory, nothing that exists, a name through a link.
    for pwd in ["/usr", "/nowhere", "relative", ""] {
        let own = in_own_process(name, |command| {
            command.env("PWD", pwd).env("OLDPWD", "/old").current_dir(parent.path());
        });
        if own {
            return runtime().block_on(pwd_holds());
        }
    }
}

async fn pwd_holds() {
    let here = std::env::current_dir().unwrap();
    let here = here.to_str().unwrap();
    let others = TempDir::new().unwrap();
    let root = others.path().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    std::fs::create_dir_all(format!("{here}/sub/deep")).unwrap();
    let link = format!("{root}/link");
    std::os::unix::fs::symlink(format!("{here}/sub"), &link).unwrap();
    for (dir, pwd, place) in [
        (root.to_owned(), root.to_owned(), root.to_owned()),
        ("sub".into(), format!("{here}/sub"), format!("{here}/sub")),
        ("./sub/../sub/deep/".into(), format!("{here}/sub/deep"), format!("{here}/sub/deep")),
        (".".into(), here.to_owned(), here.to_owned()),
        (link.clone(), link.clone(), format!("{here}/sub")),
        (format!("{link}/deep"), format!("{link}/deep"), format!("{here}/sub/deep")),
        // As a shell's cd: the directory that holds the link.
        (format!("{link}/.."), root.to_owned(), root.to_owned()),
    ] {
        let (said, environ) = given(|runner| _ = runner.current_dir(&dir)).await;
        assert_eq!((said, environ), (format!("PWD={pwd} OLDPWD=unset in {place}"), pwd), "{dir}");
    }
    let (said, environ) = given(|_| {}).await;
    assert_eq!((said, environ.as_str()), (format!("PWD={here} OLDPWD=unset in {here}"), here));
    // On purpose: the caller's wins.
    let (said, environ) = given(|runner| _ = runner.current_dir(root).env("PWD", "/mine")).await;
    assert_eq!((said, environ.as_str()), (format!("PWD=/mine OLDPWD=unset in {root}"), "/mine"));
}

#[test]
fn b137_a_name_through_a_link_is_kept() {
    let name = "b137_a_name_through_a_link_is_kept";
    let parent = TempDir::new().unwrap();
    let real = parent.path().canonicalize().unwrap().join("real");
    let link = real.with_file_name("link");
    std::fs::create_dir_all(&real).unwrap();
    let _ = std::os::unix::fs::symlink(&real, &link);
    if in_own_process(name, |command| _ = command.env("PWD", &link).current_dir(&link)) {
        let place = std::env::current_dir().unwrap();
        let link = place.with_file_name("link");
        let (said, environ) = runtime().block_on(given(|_| {}));
        assert_eq!(said, format!("PWD={} OLDPWD=unset in {}", link.display(), place.display()));
        assert_eq!(environ, link.to_str().unwrap());
    }
}

#[test]
fn b139_a_session_inside_a_session() {
    let with =
        |command: &mut std::process::Command| _ = command.env("CLAUDECODE", "1").env("CLAUDE_CODE_ENTRYPOINT", "cli");
    if in_own_process("b139_a_session_inside_a_session", with) {
        let script = format!(
            "read-stdin\nif-env CLAUDECODE=1\nprint-err Error: Claude Code cannot be launched inside another Claude Code session.\nexit 1\nend\n{INIT}print-vars {}\n",
            result("code=@env:CLAUDECODE@")
        );
        let mut fake = fake(&script);
        let envelope = runtime().block_on(fake.run());
        assert_eq!(
            (envelope.status, envelope.result.as_deref()),
            (Status::Ok, Some("code=unset")),
            "{:?}",
            envelope.errors
        );
        // Set on purpose it is handed on.
        fake.runner.env("CLAUDECODE", "2");
        assert_eq!(runtime().block_on(fake.run()).result.as_deref(), Some("code=2"));
        fake.runner.env("CLAUDECODE", "1");
        let envelope = runtime().block_on(fake.run());
        assert!(envelope.errors[0].message.contains("inside another Claude Code session"), "{:?}", envelope.errors);
    }
}

#[test]
fn b141_variables_are_removed_and_set() {
    if !in_own_process("b141_variables_are_removed_and_set", |command| {
        _ = command.env("ANTHROPIC_API_KEY", "sk-ambient")
    }) {
        return;
    }
    let script =
        format!("record-argv $D/env\nread-stdin\n{INIT}print-vars {}\n", result("key=@env:ANTHROPIC_API_KEY@"));
    let key = |prepare: &dyn Fn(&mut turnline_tokio::Runner)| {
        let mut fake = fake(&script);
        prepare(&mut fake.runner);
        let shown = format!("{:?}", fake.runner);
        assert!(!shown.contains("sk-") && !shown.contains("hello"), "{shown}");
        let envelope = runtime().block_on(fake.run());
        let recorded = std::fs::read(fake.path("env")).unwrap();
        let recorded: serde_json::Value = serde_json::from_slice(&recorded).unwrap();
        let env = recorded["env"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        (envelope.result.unwrap(), env)
    };
    assert_eq!(key(&|_| {}).0, "key=sk-ambient");
    let (said, env) = key(&|runner| _ = runner.env_remove("ANTHROPIC_API_KEY"));
    assert_eq!(said, "key=unset");
    assert!(env.contains(&"PATH".into()));
    assert_eq!(key(&|runner| _ = runner.env_remove_prefix("ANTHROPIC_")).0, "key=unset");
    // Setting wins, in whatever order it is said.
    assert_eq!(
        key(&|runner| _ = runner.env("ANTHROPIC_API_KEY", "sk-abc").env_remove("ANTHROPIC_API_KEY")).0,
        "key=sk-abc"
    );
    let (said, mut env) = key(&|runner| _ = runner.env_clear().env("ONLY", "1"));
    env.sort();
    assert_eq!(
        (said.as_str(), env),
        ("key=unset", ["FAKE_SCRIPT", "ONLY", "PWD", "TURNLINE_RUN"].map(String::from).into())
    );
}
