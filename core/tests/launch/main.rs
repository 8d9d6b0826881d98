//! Launch plans of the built-in profiles, and every refusal. The command lines that were recorded are given literally.

mod any_request;
mod roles;
mod tables;

use turnline::Profile;
use turnline::launch::{
    Document, Host, Interrupt, LaunchErrorKind, LaunchSpec, MARKER, Plan, PlanKind, Platform, Request, Sandbox, Stdin,
    Via, attach, plan, probe,
};

const ID: &str = "6925580f-b065-4418-9c79-42044b6bbb19";

fn unix() -> Host {
    let mut host = Host::default();
    host.current_dir = Some("/home/me".into());
    host.run_id = Some("run-1".into());
    host
}

fn windows() -> Host {
    let mut host = Host::default();
    host.platform = Platform::Windows;
    host.current_dir = Some(r"C:\me".into());
    host
}

fn planned(id: &str, request: &Request) -> Plan {
    let profile = Profile::builtin(id).unwrap();
    plan(&profile.spec().launch, profile.command(), request, &unix()).unwrap()
}

fn refused(id: &str, request: &Request, host: &Host) -> (LaunchErrorKind, String) {
    let profile = Profile::builtin(id).unwrap();
    let error = plan(&profile.spec().launch, profile.command(), request, host).unwrap_err();
    let named = request.program.as_deref().unwrap_or(profile.command());
    assert!(error.message().contains(&format!("'{named}'")), "{error}");
    (error.kind(), error.message().into())
}

fn argv(plan: &Plan) -> String {
    std::iter::once(&plan.program).chain(&plan.args).map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn command_lines() {
    let say = || Request::new("Say one word.");
    let text = |text: &str| Document::Text(text.into());
    let claude = "claude --print --output-format stream-json --verbose";
    let rows: &[(&str, Request, &str)] = &[
        ("claude-code", say(), &format!("{claude} --no-session-persistence --dangerously-skip-permissions")),
        ("claude-code", say().keep_session(true), &format!("{claude} --dangerously-skip-permissions")),
        ("claude-code", say().resume(ID), &format!("{claude} --dangerously-skip-permissions --resume {ID}")),
        (
            "claude-code",
            say().resume(ID).fork(true),
            &format!("{claude} --dangerously-skip-permissions --resume {ID} --fork-session"),
        ),
        ("claude-code", say().resume_last(), &format!("{claude} --dangerously-skip-permissions --continue")),
        (
            "claude-code",
            say().sandbox(Sandbox::Full),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions"),
        ),
        (
            "claude-code",
            say().partial_messages(true),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --include-partial-messages"),
        ),
        (
            "claude-code",
            say().model("claude-nope-1"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --model claude-nope-1"),
        ),
        (
            "claude-code",
            say().arg("--max-turns").arg("1"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --max-turns 1"),
        ),
        (
            "claude-code",
            say().mcp_config(text(r#"{"mcpServers":{}}"#)).arg("--strict-mcp-config"),
            &format!(
                "{claude} --no-session-persistence --dangerously-skip-permissions --mcp-config {{\"mcpServers\":{{}}}} --strict-mcp-config"
            ),
        ),
        (
            "claude-code",
            say().mcp_config(Document::File("mcp.json".into())).cwd("/elsewhere"),
            &format!("{claude} --no-session-persistence --dangerously-skip-permissions --mcp-config /home/me/mcp.json"),
        ),
        (
            "claude-code",
            say().output_schema(text(r#"{"type": "object"}"#)),
            &format!(
                "{claude} --no-session-persistence --dangerously-skip-permissions --json-schema {{\"type\": \"object\"}}"
            ),
        ),
        (
            "claude-code",
            say().interactive(true),
            "claude --print --input-format stream-json --output-format stream-json --verbose --no-session-persistence \
             --dangerously-skip-permissions",
        ),
        (
            "claude-code",
            say().interactive(true).ask_permissions(true),
            "claude --print --input-format stream-json --output-format stream-json --verbose --no-session-persistence \
             --permission-mode default --permission-prompt-tool stdio",
        ),
        ("codex", say(), "codex exec --json --skip-git-repo-check"),
        ("codex", say().sandbox(Sandbox::ReadOnly), "codex exec --json --skip-git-repo-check -s read-only"),
        ("codex", say().sandbox(Sandbox::WorkspaceWrite), "codex exec --json --skip-git-repo-check -s workspace-write"),
        ("codex", say().sandbox(Sandbox::Full), "codex exec --json --skip-git-repo-check -s danger-full-access"),
        ("codex", say().model("my-local-model"), "codex exec --json --skip-git-repo-check -m my-local-model"),
        (
            "codex",
            say().arg("--dangerously-bypass-approvals-and-sandbox").resume(ID),
            &format!("codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox resume {ID}"),
        ),
        (
            "codex",
            say().arg("--dangerously-bypass-approvals-and-sandbox").resume_last(),
            "codex exec --json --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox resume --last -",
        ),
        (
            "codex",
            say().output_schema(Document::File("schema.json".into())),
            "codex exec --json --skip-git-repo-check --output-schema /home/me/schema.json",
        ),
        ("codex-legacy", say().sandbox(Sandbox::ReadOnly), "codex exec --json --skip-git-repo-check -s read-only"),
        ("opencode", say(), "opencode run --format json -- Say one word."),
        ("opencode", say().model("fake/nope"), "opencode run --format json --model fake/nope -- Say one word."),
        ("opencode", say().resume("ses_1"), "opencode run --format json --session ses_1 -- Say one word."),
        ("opencode", say().resume_last(), "opencode run --format json --continue -- Say one word."),
        (
            "opencode",
            say().resume("ses_1").fork(true),
            "opencode run --format json --session ses_1 --fork -- Say one word.",
        ),
        ("opencode", say().arg("--thinking"), "opencode run --format json --thinking -- Say one word."),
        ("opencode", Request::new("--help me"), "opencode run --format json -- --help me"),
        ("opencode", say().via(Via::Stdin), "opencode run --format json"),
        ("gemini", say().model("gemini-2.5-flash"), "gemini --yolo --output-format stream-json -m gemini-2.5-flash"),
        ("gemini", say().resume(ID), &format!("gemini --yolo --output-format stream-json --resume {ID}")),
        ("qwen", say(), "qwen --yolo --output-format stream-json"),
        (
            "qwen",
            Request::new("-x what").via(Via::Argument),
            "qwen --yolo --output-format stream-json --prompt=-x what",
        ),
        (
            "pi",
            say().arg("--provider").arg("fake").model("fake-1"),
            "pi --mode json --model fake-1 --provider fake Say one word.",
        ),
        ("kimi", say(), "kimi --output-format stream-json -p Say one word."),
        ("kimi", say().resume(ID), &format!("kimi --output-format stream-json --session {ID} -p Say one word.")),
        ("cursor-agent", say(), "cursor-agent --print --output-format stream-json --force -- Say one word."),
        ("amp", say(), "amp --execute --stream-json --dangerously-allow-all"),
        ("amp", say().resume("T-1"), "amp threads continue T-1 --execute --stream-json --dangerously-allow-all"),
        (
            "copilot",
            say().model("m").resume(ID),
            &format!(
                "copilot --output-format json --no-color --no-ask-user --allow-all-tools --stream off --model m --resume={ID} --prompt=Say one word."
            ),
        ),
        ("crush", say(), "crush run --quiet"),
        ("droid", say(), "droid exec --output-format stream-json --skip-permissions-unsafe"),
        (
            "droid",
            say().sandbox(Sandbox::ReadOnly).resume("s-1"),
            "droid exec --output-format stream-json --session-id s-1",
        ),
        ("goose", say(), "goose run --quiet --output-format stream-json --no-session --instructions -"),
        (
            "goose",
            say().resume("20251108_1"),
            "goose run --quiet --output-format stream-json --resume --session-id 20251108_1 --instructions -",
        ),
        ("raw", say().program("tool").arg("-n").via(Via::Argument), "tool -n Say one word."),
    ];
    for (id, request, expected) in rows {
        assert_eq!(argv(&planned(id, request)), *expected, "{id}");
    }
}

#[test]
fn a_prompt_is_on_stdin_or_the_last_argument_and_never_both() {
    let prompt = "line one\nline two & echo INJECTED %PATH% \"q\" $(id) `id`; 'x'";
    for id in [
        "claude-code",
        "codex",
        "codex-legacy",
        "opencode",
        "gemini",
        "qwen",
        "pi",
        "kimi",
        "cursor-agent",
        "amp",
        "copilot",
        "crush",
        "droid",
        "goose",
        "raw",
    ] {
        let request = Request::new(prompt).program("/bin/tool");
        let plan = planned(id, &request);
        // By itself, or joined to its flag.
        let last = plan.args.last().is_some_and(|last| matches!(last.strip_suffix(prompt), Some("" | "--prompt=")));
        let elsewhere = plan.args.iter().filter(|arg| arg.contains("INJECTED")).count();
        match plan.prompt_at() {
            Some(at) => {
                assert_eq!((at + 1, elsewhere, last), (plan.args.len(), 1, true), "{id}");
                assert_eq!(plan.stdin, Stdin::Null, "{id}");
            }
            None => {
                assert_eq!(elsewhere, 0, "{id}");
                assert_eq!(plan.stdin, Stdin::Bytes(prompt.into()), "{id}");
            }
        }
        assert_eq!(plan.program, "/bin/tool", "{id}");
        let shown = format!("{plan:?} {request:?}");
        assert!(!shown.contains("INJECTED"), "{shown}");
    }
}

#[test]
fn interactive_runs_keep_stdin_open() {
    let plan = planned("claude-code", &Request::default().interactive(true));
    assert_eq!((plan.stdin, plan.first_turn), (Stdin::Open, None));
    let plan = planned("claude-code", &Request::new("hi").interactive(true));
    assert_eq!(plan.first_turn.as_deref(), Some("hi"));
}

#[test]
fn the_bound_of_an_argument() {
    for (bytes, fits) in [(100_000, true), (100_001, false)] {
        let request = Request::new("x".repeat(bytes));
        let profile = Profile::builtin("opencode").unwrap();
        let result = plan(&profile.spec().launch, profile.command(), &request, &unix());
        assert_eq!(result.is_ok(), fits, "{bytes}");
        if let Err(error) = result {
            assert_eq!((error.kind(), error.code()), (LaunchErrorKind::ArgumentTooLong, "executor_run_failed"));
            assert!(error.message().contains("100001") && error.message().contains("100000"), "{error}");
            assert_eq!(error.run_error().unwrap().class.as_str(), "argument_too_long");
        }
        // On stdin there is no bound, and the longest argument stays short.
        let plan = planned("claude-code", &request);
        assert!(plan.args.iter().all(|arg| arg.len() < 100));
    }
    let forced = Request::new("ü".repeat(100 << 10)).via(Via::Argument);
    assert_eq!(refused("claude-code", &forced, &unix()).0, LaunchErrorKind::ArgumentTooLong);
    let extra = Request::new("hi").arg("y".repeat(100_001));
    assert_eq!(refused("claude-code", &extra, &unix()).0, LaunchErrorKind::ArgumentTooLong);

    let mut host = windows();
    host.resolved = Some(r"C:\bin\opencode.exe".into());
    assert_eq!(refused("opencode", &Request::new("x".repeat(30_001)), &host).0, LaunchErrorKind::ArgumentTooLong);
    assert_eq!(refused("opencode", &Request::new("x".repeat(29_990)), &host).0, LaunchErrorKind::ArgumentTooLong);
    let profile = Profile::builtin("opencode").unwrap();
    assert!(plan(&profile.spec().launch, profile.command(), &Request::new("x".repeat(29_000)), &host).is_ok());
}

#[test]
fn a_script_that_needs_a_shell_is_refused_on_windows_only() {
    for resolved in [r"C:\npm\claude.cmd", r"C:\npm\CLAUDE.BAT", r"C:\npm\claude.cmd. "] {
        let mut host = windows();
        host.resolved = Some(resolved.into());
        for id in ["claude-code", "opencode"] {
            let (kind, message) = refused(id, &Request::new("hi & del"), &host);
            assert_eq!(kind, LaunchErrorKind::ShellShim);
            assert!(!message.contains("del"), "{message}");
        }
        let mut host = unix();
        host.resolved = Some("/npm/claude.cmd".into());
        let profile = Profile::builtin("claude-code").unwrap();
        assert!(plan(&profile.spec().launch, profile.command(), &Request::new("hi"), &host).is_ok());
    }
    let named = Request::new("hi").program(r".\claude.cmd");
    let (kind, _) = refused("claude-code", &named, &windows());
    assert_eq!(kind, LaunchErrorKind::ShellShim);
    let mut host = windows();
    host.resolved = Some(r"C:\bin\claude.exe".into());
    let profile = Profile::builtin("claude-code").unwrap();
    let plan = plan(&profile.spec().launch, profile.command(), &Request::new("hi"), &host).unwrap();
    assert_eq!((plan.program.as_str(), plan.interrupt), (r"C:\bin\claude.exe", None));
}

#[test]
fn requests_that_are_refused() {
    let say = || Request::new("hi");
    let mut nowhere = unix();
    nowhere.current_dir = None;
    let invalid = LaunchErrorKind::RequestInvalid;
    let rows: &[(&str, Request, &Host, LaunchErrorKind, &str)] = &[
        ("claude-code", Request::new(""), &unix(), invalid, "prompt is empty"),
        ("claude-code", Request::new(" \n\t"), &unix(), invalid, "prompt is empty"),
        ("opencode", Request::new(""), &unix(), invalid, "prompt is empty"),
        ("opencode", Request::new("a\0b"), &unix(), invalid, "NUL"),
        ("codex", say().via(Via::Argument), &unix(), invalid, "no prompt as an argument"),
        ("kimi", say().via(Via::Stdin), &unix(), invalid, "no prompt on standard input"),
        ("pi", Request::new("-x what"), &unix(), invalid, "begins with '-'"),
        ("pi", Request::new("@secrets.txt"), &unix(), invalid, "begins with '@'"),
        ("kimi", Request::new("--yolo"), &unix(), invalid, "begins with '-'"),
        ("gemini", Request::new("x".repeat(8_388_609)), &unix(), invalid, "8388609"),
        ("claude-code", say().sandbox(Sandbox::ReadOnly), &unix(), invalid, "read_only"),
        ("claude-code", say().sandbox(Sandbox::WorkspaceWrite), &unix(), invalid, "workspace_write"),
        ("codex", say().partial_messages(true), &unix(), invalid, "partial"),
        ("codex", say().interactive(true), &unix(), invalid, "interactive"),
        ("codex", say().mcp_config(Document::Text("{}".into())), &unix(), invalid, "mcp_config"),
        ("codex", say().output_schema(Document::Text("{}".into())), &unix(), invalid, "takes a file"),
        ("claude-code", say().output_schema(Document::File("s".into())), &unix(), invalid, "takes the JSON itself"),
        ("claude-code", say().output_schema(Document::Text("{".into())), &unix(), invalid, "is not JSON"),
        ("claude-code", say().mcp_config(Document::File("".into())), &unix(), invalid, "names no file"),
        ("claude-code", say().mcp_config(Document::File("m".into())), &nowhere, invalid, "relative path"),
        ("claude-code", say().model(""), &unix(), invalid, "model is empty"),
        ("claude-code", say().model("--dangerous"), &unix(), invalid, "read as an option"),
        ("claude-code", say().resume("-r"), &unix(), invalid, "read as an option"),
        ("claude-code", say().resume("a\nb"), &unix(), invalid, "control character"),
        ("claude-code", say().fork(true), &unix(), invalid, "no session to copy"),
        ("codex", say().resume(ID).fork(true), &unix(), invalid, "fork"),
        ("claude-code", say().ask_permissions(true), &unix(), invalid, "interactive"),
        ("claude-code", say().arg("a\0"), &unix(), invalid, "NUL"),
        ("claude-code", say().env("A=B", "x"), &unix(), invalid, "'A=B'"),
        ("claude-code", say().env_remove(""), &unix(), invalid, "''"),
        ("claude-code", say().env(MARKER, "forged"), &unix(), invalid, MARKER),
        ("claude-code", say().program(" "), &unix(), invalid, "no name"),
        ("claude-code", say().program("./x"), &nowhere, invalid, "relative"),
        ("claude-code", say().cwd("sub"), &nowhere, LaunchErrorKind::WorkingDirectory, "relative"),
        ("claude-code", say().cwd(""), &unix(), LaunchErrorKind::WorkingDirectory, "no name"),
    ];
    for (id, request, host, kind, part) in rows {
        let (got, message) = refused(id, request, host);
        assert_eq!(got, *kind, "{message}");
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn the_environment() {
    let env = |plan: &Plan, inherited: &[(&str, &str)]| {
        let mut all = plan.environment(inherited.iter().map(|(name, value)| (name.to_string(), value.to_string())));
        all.sort();
        all.into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    let outer = [
        ("HOME", "/h"),
        ("PWD", "/stale"),
        ("OLDPWD", "/older"),
        ("CLAUDECODE", "1"),
        ("KEY", "k"),
        ("X_A", "1"),
        (MARKER, "outer"),
    ];
    let rows: &[(&str, Request, &str)] = &[
        ("claude-code", Request::new("hi"), "HOME=/h KEY=k PWD=/home/me TURNLINE_RUN=run-1 X_A=1"),
        (
            "opencode",
            Request::new("hi").cwd("sub/./x"),
            "CLAUDECODE=1 HOME=/h KEY=k PWD=/home/me/sub/x TURNLINE_RUN=run-1 X_A=1",
        ),
        ("claude-code", Request::new("hi").cwd("/b/../c"), "HOME=/h KEY=k PWD=/c TURNLINE_RUN=run-1 X_A=1"),
        (
            "claude-code",
            Request::new("hi").env("CLAUDECODE", "mine").env_remove("KEY").env_remove_prefix("X_"),
            "CLAUDECODE=mine HOME=/h PWD=/home/me TURNLINE_RUN=run-1",
        ),
        (
            "claude-code",
            Request::new("hi").env_remove("KEY").env("KEY", "new"),
            "HOME=/h KEY=new PWD=/home/me TURNLINE_RUN=run-1 X_A=1",
        ),
        ("claude-code", Request::new("hi").env_clear().env("ONLY", "1"), "ONLY=1 PWD=/home/me TURNLINE_RUN=run-1"),
        (
            "claude-code",
            Request::new("hi").env_clear().env("PWD", "/p").env("OLDPWD", "/o"),
            "OLDPWD=/o PWD=/p TURNLINE_RUN=run-1",
        ),
        ("claude-code", Request::new("hi").env_clear().env_remove("PWD"), "TURNLINE_RUN=run-1"),
    ];
    for (id, request, expected) in rows {
        let plan = planned(id, request);
        assert_eq!(env(&plan, &outer), *expected);
        let shown = format!("{plan:?} {request:?}");
        assert!(!shown.contains("mine") && !shown.contains("=new"), "{shown}");
    }
    // Where the caller's directory is not known, a stale PWD is dropped all the same, and there is no marker without an id.
    let profile = Profile::builtin("raw").unwrap();
    let plan = plan(&profile.spec().launch, "tool", &Request::new("hi"), &Host::default()).unwrap();
    assert_eq!((env(&plan, &outer[..3]).as_str(), plan.cwd), ("HOME=/h", None));
}

#[test]
fn windows_names_variables_without_case() {
    let profile = Profile::builtin("claude-code").unwrap();
    let mut host = windows();
    host.resolved = Some(r"C:\bin\claude.exe".into());
    let plan = plan(&profile.spec().launch, "claude", &Request::new("hi").cwd("sub").env("PATH", "p"), &host).unwrap();
    let env = plan.environment(
        [("Path", "old"), ("pwd", "stale"), ("OldPwd", "x"), ("ClaudeCode", "1"), ("Temp", "t")]
            .map(|(n, v)| (n.into(), v.into())),
    );
    assert_eq!(env, [("Temp", "t"), ("PATH", "p"), ("PWD", r"C:\me\sub")].map(|(n, v)| (n.to_string(), v.to_string())));
}

#[test]
fn working_directory_program_and_timers() {
    let request =
        Request::new("hi").cwd("link/../work").program("bin/agent").timeout(std::time::Duration::from_secs(60));
    let plan = planned("claude-code", &request);
    assert_eq!(plan.cwd.as_deref(), Some("/home/me/work"));
    assert_eq!(plan.program, "/home/me/bin/agent");
    assert_eq!(plan.command, "bin/agent");
    assert_eq!(plan.interrupt, Some(Interrupt::Interrupt));
    assert_eq!(plan.timers.total.unwrap().as_secs(), 60);
    assert_eq!(plan.timers.after_terminal.unwrap().as_secs(), 10);
    let never = planned("claude-code", &Request::new("hi").after_terminal(None).drain(None));
    assert_eq!((never.timers.after_terminal, never.timers.drain), (None, None));
}

#[test]
fn probe_and_attach() {
    let host = unix();
    for id in [
        "claude-code",
        "codex",
        "codex-legacy",
        "opencode",
        "gemini",
        "qwen",
        "pi",
        "kimi",
        "cursor-agent",
        "amp",
        "copilot",
        "crush",
        "droid",
        "goose",
    ] {
        let profile = Profile::builtin(id).unwrap();
        let plan = probe(&profile.spec().launch, profile.command(), &Request::default(), &host).unwrap();
        assert_eq!(argv(&plan), format!("{} --version", profile.command()));
        assert_eq!((plan.kind, &plan.stdin, plan.timers.total.unwrap().as_secs()), (PlanKind::Probe, &Stdin::Null, 10));
    }
    let rows = [
        ("claude-code", Request::default(), "claude"),
        ("claude-code", Request::default().resume(ID), "claude --resume 6925580f-b065-4418-9c79-42044b6bbb19"),
        ("codex", Request::default(), "codex"),
        ("codex", Request::default().resume("t1"), "codex resume t1"),
        ("codex", Request::default().resume_last(), "codex resume --last"),
        ("opencode", Request::default().resume("ses_1").model("a/b"), "opencode --model a/b --session ses_1"),
    ];
    for (id, request, expected) in rows {
        let profile = Profile::builtin(id).unwrap();
        let plan = attach(&profile.spec().launch, profile.command(), &request, &host).unwrap();
        assert_eq!(argv(&plan), expected);
        assert_eq!((plan.kind, plan.stdin), (PlanKind::Attach, Stdin::Inherit));
    }
    let spec = LaunchSpec::default();
    for error in [
        probe(&spec, "tool", &Request::default(), &host).unwrap_err(),
        attach(&spec, "tool", &Request::default(), &host).unwrap_err(),
        attach(&Profile::builtin("codex").unwrap().spec().launch, "tool", &Request::new("hi"), &host).unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.run_error()), (LaunchErrorKind::RequestInvalid, None));
        assert!(error.message().contains("'tool'"));
    }
}
